"""Thompson sampling with Gaussian priors: Algorithms 1 and 2 of ou24, which other pages play against.

log is natural. An argmax takes the lowest index. The readings of their print stand on the page ou24.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from dpbandits.reference.answers import largest
from dpbandits.reference.checks import at_least, function, plain, positive
from dpbandits.reference.noise import Array, Noise
from dpbandits.reference.policy import Ints, Law, Pulls, one_arm
from dpbandits.reference.selecting import Selecting, sampled
from dpbandits.reference.winners import winner


class State(NamedTuple):
    """What Algorithms 1 and 2 remember. mu-hat_i is total_i/(pulls_i + 1), the printed recursion's value."""

    pulls: Ints  # (trials, arms): n_i
    total: Array  # (trials, arms): the sum of arm i's rewards. SECRET


# -- Algorithm 1: Thompson sampling with Gaussian priors ---------------------------------------------------------


@dataclass(frozen=True)
class ThompsonSampling:
    """Algorithm 1. arms: N >= 1. horizon: T >= 1. spread: the sampling variance as a function of n_i."""

    arms: int  # line 1
    horizon: int  # line 1
    spread: Callable[[Ints], Array] = field(default=lambda n: 1 / (n + 1), repr=False)

    def __post_init__(self) -> None:
        plain(self)
        at_least("N (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, 1)
        function("spread", self.spread)
        demand_variances(self.spread, self.arms)

    def init(self, trials: int) -> State:
        return State(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms)))  # line 2

    def posterior(self, t: int, state: State) -> tuple[Array, Array]:
        """The means and standard deviations of line 4, each (trials, arms)."""
        return state.total / (state.pulls + 1), np.sqrt(self.spread(state.pulls))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:  # line 3
        mean, deviation = self.posterior(t, state)
        theta = mean + deviation * noise.normal("theta", t, (self.arms,))  # line 4
        return Pulls.one(largest(theta), self.arms)  # lines 5, 6

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        return State(state.pulls + pulls.counts, state.total + sums)  # lines 7, 8

    def law(self, t: int, state: State) -> Law:
        """The exact law of act's arm."""
        return winner(*self.posterior(t, state))

    def selecting(self, t: int, state: State) -> Selecting:
        """Lines 4 to 6, for a certificate."""
        return sampled(state.pulls[0], state.pulls[0] + 1, self.posterior(t, state)[1][0])


def demand_variances(spread: Callable[[Ints], Array], arms: int) -> None:
    """ValueError where a function of pull counts, (trials, arms), is seen to give no sampling variances of them."""
    pulls: Ints = np.arange(2)[:, None] * np.ones(min(arms, 3), dtype=np.int64)
    asked = (
        f"spread must be variances, as a function of pull counts (trials, arms), such as 1/(n + 1); {pulls.tolist()}"
    )
    try:
        given = np.asarray(spread(pulls))
    except Exception as error:
        raise ValueError(f"{asked} raises {type(error).__name__}: {error}") from None
    fits = given.dtype.kind in "iuf" and given.shape in ((), (2, 1), (len(pulls.T),), pulls.shape)
    if not fits or not ((given >= 0) & (given < np.inf)).all():
        raise ValueError(f"{asked} gives {given.tolist()!r:.80}")


# -- Algorithm 2: modified Thompson sampling ---------------------------------------------------------------------


def remembered(sums: Array) -> Array:
    """Line 7 as it is meant: the pre-pulls' rewards enter the running mean."""
    return sums


def forgotten(sums: Array) -> Array:
    """Line 7 to the letter: mu-hat_i is assigned, mu-hat_{i,0} (what the rounds start from) stays 0."""
    return 0 * sums


@dataclass(frozen=True)
class ModifiedThompsonSampling:
    """Algorithm 2. prepulls: b >= 0 pulls of every arm, in index order. variance: c > 0 (the regret theorem
    wants c >= 1). warm: what line 7 keeps of the pre-pulls' rewards."""

    side_by_side: ClassVar[bool] = True
    arms: int  # line 1
    horizon: int  # line 1
    prepulls: int = 0  # line 1
    variance: float = 1.0  # line 1
    warm: Callable[[Array], Array] = field(default=remembered, repr=False)

    def __post_init__(self) -> None:
        plain(self)
        at_least("N (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, 1)
        at_least("b (prepulls)", self.prepulls, 0)
        positive("c (variance)", self.variance)
        function("warm", self.warm)
        if self.prepulls * self.arms > self.horizon:
            raise ValueError(
                f"b N = {self.prepulls} * {self.arms} pre-pulls exceed T = {self.horizon}: lower b or raise T"
            )

    def init(self, trials: int) -> State:
        return State(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms)))  # line 2

    @property
    def steps(self) -> int:
        """How many steps a run has."""
        return self.horizon - (self.prepulls - 1) * self.arms if self.prepulls else self.horizon

    def prepulling(self, t: int) -> bool:
        return t <= self.arms and bool(np.any(self.prepulls))

    def posterior(self, t: int, state: State) -> tuple[Array, Array] | None:
        """The means and standard deviations of line 11, each (trials, arms); None while pre-pulling."""
        if self.prepulling(t):
            return None
        seen = state.pulls + 1.0
        return state.total / seen, np.sqrt(self.variance / seen)

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        posterior = self.posterior(t, state)
        if posterior is None:
            first = np.full(len(state.pulls), t - 1)  # line 3
            return Pulls(self.prepulls * Pulls.one(first, self.arms).counts)  # lines 4 to 6: b pulls at once
        mean, deviation = posterior
        theta = mean + deviation * noise.normal("theta", self.round(t), (self.arms,))  # lines 10, 11
        return Pulls.one(largest(theta), self.arms)  # lines 12, 13

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        kept = self.warm(sums) if self.prepulling(t) else sums  # line 7
        return State(state.pulls + pulls.counts, state.total + kept)  # lines 7, 14, 15

    def law(self, t: int, state: State) -> Law:
        """The exact law of step t's arm; certain while pre-pulling."""
        posterior = self.posterior(t, state)
        if posterior is None:
            return one_arm(Pulls.one(np.full(len(state.pulls), t - 1), self.arms).counts, self.prepulls)
        return winner(*posterior)

    def selecting(self, t: int, state: State) -> Selecting | None:
        """Lines 11 to 13, for a certificate; line 7 as it is meant, or to the letter."""
        posterior = self.posterior(t, state)
        if posterior is None:
            return None
        unheard = self.prepulls if self.warm is forgotten else 0
        return sampled(state.pulls[0] - unheard, state.pulls[0] + 1, posterior[1][0])

    def round(self, t: int) -> int:
        """The t of line 10 in step t: pre-pulling takes N steps where there is any."""
        return t - self.arms if np.any(self.prepulls) else t
