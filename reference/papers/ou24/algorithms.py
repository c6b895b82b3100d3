"""Algorithms 1 and 2: Thompson sampling with Gaussian priors, which other papers play against; the readings of their
print; and the single step M_TS.

log is natural. An argmax takes the lowest index. Algorithms 3 and 4, report noisy max, stand in
`release_laws.mechanisms`. Lines are numbered as in the paper. Algorithm 1, Thompson sampling:

     2  of every arm i: mu_i <- 0, n_i <- 0
     3  for t = 1, ..., T:
     4      theta_i ~ N(mu_i, 1/(n_i + 1)) of every arm i, independently
     5      pull a = argmax theta_i, observe r
     7      mu_a <- (mu_a (n_a + 1) + r)/(n_a + 2), n_a <- n_a + 1

Algorithm 2, modified Thompson sampling, with b pre-pulls of every arm and the variance multiplier c:

     2  of every arm i: mu_i <- 0, n_i <- 0
     3  for i = 1, ..., N, b times:
     5      pull i, observe r
     7      mu_i <- (mu_i (n_i + 1) + r)/(n_i + 2), n_i <- n_i + 1
    10  for t = 1, ..., T - b N:
    11      theta_i ~ N(mu_i, c/(n_i + 1)) of every arm i, independently
    12      pull a = argmax theta_i, observe r
    14      mu_a <- (mu_a (n_a + 1) + r)/(n_a + 2), n_a <- n_a + 1

With b = 0 and c = 1 they are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dpbandits.reference.arithmetic.checks import (
    at_least,
    is_number,
    normalize_numeric_fields,
    positive,
    require_callable,
)
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import Ints, Law, Pulls, Step, one_arm
from dpbandits.reference.bandits.recommendations import row_argmax
from dpbandits.reference.bandits.release_laws.declared_steps import Selecting, sampled
from dpbandits.reference.bandits.release_laws.mechanisms import GaussianNoisyMax
from dpbandits.reference.bandits.release_laws.winners import winner


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
        normalize_numeric_fields(self)
        at_least("N (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, 1)
        require_callable("spread", self.spread)
        demand_variances(self.spread, self.arms)

    def init(self, trials: int) -> State:
        return State(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms)))  # line 2

    def posterior(self, t: int, state: State) -> tuple[Array, Array]:
        """The means and standard deviations of line 4, each (trials, arms)."""
        return self.believed(state)

    def believed(self, state: State) -> tuple[Array, Array]:
        """The posterior of every round, computed from the state alone."""
        return state.total / (state.pulls + 1), np.sqrt(self.spread(state.pulls))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:  # line 3
        mean, deviation = self.posterior(t, state)
        theta = mean + deviation * noise.normal("theta", t, (self.arms,))  # line 4
        return Pulls.one(row_argmax(theta), self.arms)  # lines 5, 6

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        return State(state.pulls + pulls.counts, state.total + sums)  # lines 7, 8

    def law(self, t: int, state: State) -> Law:
        """The exact law of the arm that `act` pulls."""
        return winner(*self.posterior(t, state))

    def selecting(self, t: int, state: State) -> Selecting:
        """Lines 4 to 6, for a certificate."""
        return sampled(state.pulls[0], state.pulls[0] + 1, self.posterior(t, state)[1][0])


def demand_variances(spread: Callable[[Ints], Array], arms: int) -> None:
    """ValueError where a function of pull counts, (trials, arms), is seen to give no sampling variances of them."""
    pulls: Ints = np.arange(2)[:, None] * np.ones(min(arms, 3), dtype=np.int64)
    asked = (
        "spread must map pull counts of shape (trials, arms) to variances, for example to 1/(n + 1); for the pull "
        f"counts {pulls.tolist()}, spread"
    )
    try:
        given = np.asarray(spread(pulls))
    except Exception as error:
        raise ValueError(f"{asked} raised {type(error).__name__}: {error}") from None
    fits = given.dtype.kind in "iuf" and given.shape in ((), (2, 1), (len(pulls.T),), pulls.shape)
    if not fits or not ((given >= 0) & (given < np.inf)).all():
        raise ValueError(
            f"{asked} returned {given.tolist()!r:.80}; it must return one finite variance of at least 0 for each pull "
            "count"
        )


# -- Algorithm 2: modified Thompson sampling ---------------------------------------------------------------------


def remembered(sums: Array) -> Array:
    """Line 7 as intended: the pre-pulls' rewards enter the running mean."""
    return sums


def forgotten(sums: Array) -> Array:
    """Line 7, literal reading: mu-hat_i is assigned, but mu-hat_{i,0}, the value at the start of the rounds, stays
    0."""
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
        normalize_numeric_fields(self)
        at_least("N (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, 1)
        at_least("b (prepulls)", self.prepulls, 0)
        positive("c (variance)", self.variance)
        require_callable("warm", self.warm)
        if self.prepulls * self.arms > self.horizon:
            raise ValueError(
                f"b N = {self.prepulls} * {self.arms} pre-pulls exceed T = {self.horizon}; decrease b "
                "(prepulls), or increase T (horizon)"
            )

    def init(self, trials: int) -> State:
        return State(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms)))  # line 2

    @property
    def steps(self) -> int:
        """The number of steps of a run."""
        return self.horizon - (self.prepulls - 1) * self.arms if self.prepulls else self.horizon

    def prepulling(self, t: int) -> bool:
        return t <= self.arms and bool(np.any(self.prepulls))

    def posterior(self, t: int, state: State) -> tuple[Array, Array] | None:
        """The means and standard deviations of line 11, each (trials, arms); None while pre-pulling."""
        return None if self.prepulling(t) else self.believed(state)

    def believed(self, state: State) -> tuple[Array, Array]:
        """The posterior of every round of line 10, computed from the state alone."""
        seen = state.pulls + 1.0
        return state.total / seen, np.sqrt(self.variance / seen)

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        posterior = self.posterior(t, state)
        if posterior is None:
            first = np.full(len(state.pulls), t - 1)  # line 3
            return Pulls(self.prepulls * Pulls.one(first, self.arms).counts)  # lines 4 to 6: b pulls at once
        mean, deviation = posterior
        theta = mean + deviation * noise.normal("theta", self.round(t), (self.arms,))  # lines 10, 11
        return Pulls.one(row_argmax(theta), self.arms)  # lines 12, 13

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


# -- The readings of their print ---------------------------------------------------------------------------------

ALGORITHM_1 = ThompsonSampling
# Equation (27) of the arXiv version squares the variance; the PMLR version does not.
ARXIV_27: Callable[[Ints], Array] = lambda n: 1 / (n + 1.0) ** 2  # noqa: E731


def letter(**parameters: Any) -> ModifiedThompsonSampling:
    """Algorithm 2 as printed: line 7 to the letter."""
    return replace(ModifiedThompsonSampling(**parameters), warm=forgotten)


PRINTED: Callable[..., Any] = letter
REPAIRED: Callable[..., Any] = ModifiedThompsonSampling


# -- The single step M_TS ----------------------------------------------------------------------------------------


def single_step(
    pulls: tuple[int, ...], left: tuple[float, ...], right: tuple[float, ...], variance: float = 1.0
) -> Step:
    """M_TS on two neighbouring histories: Algorithm 4 on the running means.

    pulls: n_i. left, right: the reward totals S_i, which differ in one arm, by at most one reward. variance: c.
    Raises ValueError where no such histories exist.
    """
    positive("c (variance)", variance)
    if not len(pulls) == len(left) == len(right):
        raise ValueError(
            f"there are {len(pulls)} pull counts, but {len(left)} left and {len(right)} right reward totals; "
            "give one of each for every arm"
        )
    for side, totals in (("left", left), ("right", right)):
        for arm, (n, total) in enumerate(zip(pulls, totals, strict=True)):
            at_least(f"n_{arm} (pulls)", n, 0)
            if not (is_number(total) and 0 <= total <= n):
                raise ValueError(f"{side} history: arm {arm} cannot have total {total} with pull count {n}")
    moved = [arm for arm in range(len(pulls)) if left[arm] != right[arm]]
    # Totals are rounded where rewards are added up: 8.8 - 7.8 is more than 1.
    if len(moved) > 1 or any(abs(left[arm] - right[arm]) > 1 + pulls[arm] * 2.0**-52 for arm in moved):
        raise ValueError(f"histories {left} and {right} differ by more than one reward in one arm")
    return Step(
        GaussianNoisyMax(tuple(float(np.sqrt(variance / (n + 1))) for n in pulls)),
        tuple(total / (n + 1) for n, total in zip(pulls, left, strict=True)),
        tuple(total / (n + 1) for n, total in zip(pulls, right, strict=True)),
        tuple(1 / (n + 1) for n in pulls),
    )
