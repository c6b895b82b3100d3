"""Random small policies that are linear in noise and rewards, for tests of randomness alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits import Pulls

WEIGHTS = (-1.0, -0.5, 0.0, 0.0, 0.5, 1.0, 2.0)


class Registers(NamedTuple):
    last: np.ndarray  # (trials,): the arm of the step before
    values: np.ndarray  # (trials, registers)


@dataclass(frozen=True)
class RandomLinear:
    """Two registers. Every step adds its reward and fresh noise to them, with weights that depend on seed, step and
    arm, and pulls arm 1 where a combination of them, and perhaps of fresh noise, is above a threshold.

    noisy: how likely each of its numbers meets noise. kind: of the noise.
    """

    seed: int
    horizon: int
    noisy: float = 0.9
    kind: str = "laplace"
    arms: int = 2

    def weights(self, *place: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, *place])

    def init(self, trials: int) -> Registers:
        return Registers(np.zeros(trials, dtype=np.int64), np.zeros((trials, 2)))

    def act(self, t: int, state: Registers, noise: Any) -> Pulls:
        arm = np.zeros(len(state.last), dtype=np.int64)
        for last in range(2):
            drawn = self.weights(1, t, last)
            compared = state.values @ drawn.choice(WEIGHTS, 2) - drawn.choice((0.0, 0.5))
            if drawn.random() < self.noisy / 2:
                compared = compared + getattr(noise, self.kind)(f"threshold {last}", t)
            arm = np.where(state.last == last, np.asarray(compared > 0).astype(np.int64), arm)
        return Pulls.one(arm, 2)

    def learn(self, t: int, state: Registers, pulls: Pulls, sums: Any, noise: Any) -> Registers:
        last = pulls.counts.argmax(axis=1)
        values = state.values
        for arm in range(2):
            drawn = self.weights(2, t, arm)
            kept, paid = drawn.choice((0.0, 1.0, 1.0), 2), drawn.choice((0.0, 0.0, 1.0), 2)
            spread = (drawn.random(2) < self.noisy) * (paid > 0) * drawn.choice((1.0, 2.0), 2)
            fresh = getattr(noise, self.kind)(f"reward {arm}", t, (2,))
            new = state.values * kept + sums.sum(axis=1)[:, None] * paid + fresh * spread
            values = np.where((last == arm)[:, None], new, values)
        return Registers(last, values)
