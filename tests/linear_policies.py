"""Linear policies with contexts, as small as they come, and with planted bugs: for tests, and of no page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from dpbandits import Pulls
from dpbandits.reference.bandits.policy import certain
from dpbandits.reference.bandits.release_laws.declared_steps import LinearRule


class Known(NamedTuple):
    gram: Any  # (trials, arms, d, d)
    paid: Any  # (trials, arms, d)


@dataclass(frozen=True)
class LinearThompson:
    """Thompson sampling of two arms, each with a ridge regression of its own."""

    horizon: int
    scale: float = 1.0
    arms: int = 2
    contexts: int = 2

    @property
    def linear_rule(self) -> LinearRule:
        return LinearRule("thompson", self.scale)

    def init(self, trials: int) -> Known:
        d = self.contexts
        return Known(np.tile(np.eye(d), (trials, self.arms, 1, 1)), np.zeros((trials, self.arms, d)))

    def posterior(self, state: Known, seen: Any) -> tuple[Any, Any]:
        inverse = np.linalg.inv(state.gram)
        mean = np.einsum("tad,tade,tae->ta", seen, inverse, state.paid)
        return mean, self.scale * np.sqrt(np.einsum("tad,tade,tae->ta", seen, inverse, seen))

    def act(self, t: int, state: Known, noise: Any, seen: Any) -> Pulls:
        mean, deviation = self.posterior(state, seen)
        return Pulls.one((mean + deviation * noise.normal("theta", t, (self.arms,))).argmax(axis=1), self.arms)

    def law(self, t: int, state: Known, seen: Any) -> Any:
        mean, deviation = self.posterior(state, seen)
        lead, spread = mean[:, 0] - mean[:, 1], np.hypot(*deviation.T)
        sure = np.where(lead >= 0, np.inf, -np.inf)  # the first of equal arms
        z = np.divide(lead, spread, out=sure, where=spread > 0)
        return np.stack([ndtr(z), ndtr(-z)], axis=1)

    def learn(self, t: int, state: Known, pulls: Pulls, sums: Any, noise: Any, seen: Any) -> Known:
        pulled = pulls.counts[..., None] * seen
        return Known(state.gram + pulled[..., None] * seen[:, :, None, :], state.paid + sums[..., None] * seen)


@dataclass(frozen=True)
class LinearUCB(LinearThompson):
    """LinUCB: nothing is drawn."""

    @property
    def linear_rule(self) -> LinearRule:
        return LinearRule("ucb", self.scale)

    def act(self, t: int, state: Known, noise: Any, seen: Any) -> Pulls:
        mean, deviation = self.posterior(state, seen)
        return Pulls.one((mean + deviation).argmax(axis=1), self.arms)

    def law(self, t: int, state: Known, seen: Any) -> Any:
        return certain(self.act(t, state, None, seen))


class WithoutLaw:
    """Plays as a linear policy does, and says no law; its noise is normal, on what it was paid (`moment`), and on the
    Gram matrix (`gram`). leaks: whether each round's features of arm 0 are kept, and decide the next round."""

    def __init__(self, horizon: int, moment: float = 0.0, gram: float = 0.0, leaks: bool = False, random: bool = False):
        self.horizon, self.arms, self.contexts = horizon, 2, 2
        self.moment, self.gram, self.leaks, self.random = moment, gram, leaks, random

    def init(self, trials: int) -> Any:
        return *LinearThompson(self.horizon).init(trials), np.zeros(trials)

    def act(self, t: int, state: Any, noise: Any, seen: Any) -> Pulls:
        if self.leaks and t > 1:
            return Pulls.one((state[2] > 0).astype(int), 2)
        if self.random:
            return Pulls.one((noise.uniform("arm", t) < 0.5).astype(int), 2)
        mean, deviation = LinearThompson(self.horizon).posterior(Known(*state[:2]), seen)
        return Pulls.one((mean + deviation).argmax(axis=1), 2)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any, seen: Any) -> Any:
        pulled = pulls.counts[..., None] * seen
        gram = state[0] + pulled[..., None] * seen[:, :, None, :]
        paid = state[1] + sums[..., None] * seen + self.moment * pulled * noise.normal("reward", t, (2, 1))
        return gram, paid, seen[:, 0, 0]


class OneDraw(WithoutLaw):
    """Reuses one normal draw for a whole run: for what is paid (`paid`, one for each arm, or `shared`, one for all), or
    for the samples of both arms (`samples`). As private as fresh noise in one round, and not in two."""

    def __init__(self, horizon: int, reuses: str) -> None:
        super().__init__(horizon)
        self.reuses = reuses

    def act(self, t: int, state: Any, noise: Any, seen: Any) -> Pulls:
        mean, deviation = LinearThompson(self.horizon).posterior(Known(*state[:2]), seen)
        drawn = deviation * noise.normal("theta", 0, (2,)) if self.reuses == "samples" else 0.0
        return Pulls.one((mean + drawn).argmax(axis=1), 2)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any, seen: Any) -> Any:
        gram, paid, first = super().learn(t, state, pulls, sums, noise, seen)
        shape = {"paid": (2, 1), "shared": (1, 1)}.get(self.reuses)
        drawn = 0.0 if shape is None else noise.normal("reward of all", 0, shape)
        return gram, paid + pulls.counts[..., None] * seen * drawn, first
