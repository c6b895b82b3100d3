"""Algorithms 1 and 2 and Baseline: phases that pull, add noise, and keep the best.

Lines are numbered as in the paper. s_1 = K >= ... >= s_{M+1} = 1 and T' are (4) to (8). Algorithm 1, DP-BAI:

     1  A_1 <- all arms
     2  for p = 1, ..., M:
     3      d_p <- the dimension that the features of A_p span
     6      if d_p < sqrt(s_p):
     7          B <- a Max-Det collection of d_p arms of A_p; k <- d_p
    13      else: B <- A_p; k <- s_p
     8      pull every arm of B ceil(T'/(M k)) times
    11      mu_i <- the mean of these rewards + Lap(1/(eps ceil(T'/(M k)))), for every i in B
    12      mu_i of the other arms of A_p: the combination of those of B that their features are
    20      A_{p+1} <- the s_{p+1} arms of A_p with the largest mu_i
    22  the answer is the arm that is left

Algorithm 2, DP-BAI-Gauss, adds N(0, 2 ln(1.25/delta)/(eps ceil(T'/(M k)))^2) instead.


A phase is a step. The means of a phase wait in the state until `act` has drawn their noise, kept the best arms and
chosen the next block: so what `learn` does is certain, and no reward outlives the step after its phase. What is
released is the pulls of every phase and, last, the recommended arm. No more than T pulls, for any input; what the
phases do not take of the budget is not pulled (the paper leaves it open).
D(pi) of Appendix C is the same policy on rewards by time: `play(policy, Stream(...))`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic.checks import NoLaw, at_least, normalize_numeric_fields
from dpbandits.reference.bandits.noise import Array, Noise, again
from dpbandits.reference.bandits.policy import Ints, Law, Pulls
from dpbandits.reference.bandits.release_laws.declared_steps import Selecting
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, Chances, top
from dpbandits.reference.papers.chen24.algorithms.blocks import (
    Bools,
    Choice,
    Features,
    Plan,
    by_set,
    checked_features,
    every_arm,
    line_6,
    planned,
)
from dpbandits.reference.papers.chen24.algorithms.fans import combined
from dpbandits.reference.papers.chen24.algorithms.parameters import (
    PRINTED,
    REPAIRED,
    Indices,
    Phases,
    Reserve,
    every_arm_reserve,
    phases,
    printed_reserve,
    pulled_arms,
    pulls_each,
    repaired_reserve,
)
from dpbandits.reference.papers.chen24.algorithms.releases import assembled, certain
from dpbandits.reference.papers.chen24.algorithms.spreads import LaplaceNoise, NormalNoise, Spread


class State(NamedTuple):
    """No reward outlives the step after its phase. At the start, A_1 and no means."""

    active: Bools  # (trials, arms): A_p of the phase p that has ended
    means: Array  # (trials, arms): its empirical means (10), 0 for arms that were not pulled. SECRET


@dataclass(frozen=True)
class Elimination:
    """Algorithm 1 with its noise, its choice of arms, and the reading of (4) to (8) as fields.

    features: K vectors of d coordinates. horizon: T. Raises ValueError where T' < 1, and where the phases of this
    reading could ask for more than T pulls, whatever the ranks of the active sets.
    """

    features: Features
    horizon: int
    spread: Spread
    choice: Choice = line_6
    indices: Indices = REPAIRED
    reserve: Reserve = field(default=repaired_reserve, repr=False)

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        object.__setattr__(self, "features", checked_features(self.features))
        at_least("T (horizon)", self.horizon, 1)
        if self.left < 1:
            kept = self.horizon - self.left
            raise ValueError(
                f"T (horizon) = {self.horizon} is too small, because the parameter T' of the algorithm is then "
                f"{self.left}; for these features T must be at least {kept + 1}"
            )
        if (most := self.most_pulls) > self.horizon:
            raise ValueError(
                f"T = {self.horizon}, but the phases may need {most} pulls, because the printed parameters (8) ignore "
                "rounding up; use the repaired parameters (indices=REPAIRED, reserve=repaired_reserve), or another T"
            )

    @property
    def arms(self) -> int:
        return len(self.features)

    @property
    def dimension(self) -> int:
        return len(self.features[0])

    @property
    def plan(self) -> Phases:
        return phases(self.arms, self.dimension, self.indices)

    @property
    def left(self) -> int:
        """T'."""
        return self.horizon - self.reserve(self.arms, self.dimension, self.plan)

    @property
    def most_pulls(self) -> int:
        """The largest number of pulls that the phases can need, over all ranks that an active set can have."""
        plan, total = self.plan, 0
        for size in plan.sizes[:-1]:
            ranks = range(1, min(self.dimension, size) + 1)
            counts = {size} if self.choice is every_arm else {pulled_arms(size, rank) for rank in ranks}
            total += max(k * self.each(k) for k in counts)
        return total

    def each(self, arms: int) -> int:
        """The number of pulls of each arm that a phase pulls (lines 8 and 14)."""
        return pulls_each(self.left, self.plan.last, arms)

    @property
    def answers(self) -> bool:
        return True

    def init(self, trials: int) -> State:  # line 1
        shape = (trials, self.arms)
        return State(np.ones(shape, dtype=bool), np.zeros(shape))

    def planned(self, active: tuple[int, ...]) -> Plan:
        return planned(self.features, active, self.choice)

    def groups(self, active: Bools) -> list[tuple[NDArray[np.intp], Plan]]:
        """The trials by active set, each with its plan: lines 3 to 7."""
        return [(trials, self.planned(arms)) for trials, arms in by_set(active)]

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        active = self.survivors(t, state, noise)
        if t > self.plan.last:
            return Pulls.answer(active.argmax(axis=1), self.arms)  # lines 22 and 23: one arm is left
        return Pulls(self.block(active))

    def block(self, active: Bools) -> Ints:
        """Lines 8 and 14: the pulls of a phase with these active arms, (trials, arms)."""
        counts = np.zeros(active.shape, dtype=np.int64)
        for trials, plan in self.groups(active):
            counts[trials[:, None], list(plan.pulled)] = self.each(len(plan.pulled))
        return counts

    def survivors(self, t: int, state: State, noise: Noise) -> Bools:
        """Lines 19 and 20 of the phase t - 1 that has ended: A_t, (trials, arms)."""
        if t == 1:
            return state.active
        order = np.argsort(-self.estimates(t - 1, state, noise), axis=1, kind="stable")
        kept = np.zeros_like(state.active)
        np.put_along_axis(kept, order[:, : self.plan.sizes[min(t, self.plan.last + 1) - 1]], True, axis=1)
        return kept

    def estimates(self, p: int, state: State, noise: Noise) -> Array:
        """Lines 9 to 12 and 15 to 17: mu-tilde of phase p, (trials, arms); -inf for arms that are not active."""
        groups = self.groups(state.active)
        each = np.zeros((len(state.means), 1))
        for trials, plan in groups:
            each[trials] = self.each(len(plan.pulled))
        noisy = state.means + self.spread.draw(noise, p, each, self.arms)
        found = np.full(noisy.shape, -np.inf)
        for trials, plan in groups:
            seen = noisy[trials[:, None], list(plan.pulled)]
            mine = seen if plan.whole else (seen @ plan.alpha.T)[:, plan.like]
            found[trials[:, None], list(plan.active)] = mine
        return found

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        if t > self.plan.last:
            return state
        means = np.where(pulls.counts > 0, sums / np.maximum(pulls.counts, 1), 0.0)
        return State(self.told(t, state, pulls, noise), means)

    def told(self, t: int, state: State, pulls: Pulls, noise: Noise) -> Bools:
        """A_t: the pulled arms, where a phase pulls all; what `act` has drawn, where it pulls a few of them."""
        pulled = np.asarray(pulls.counts > 0)
        known = pulled.sum(axis=1) == self.plan.sizes[t - 1]
        if t == 1 or known.all():
            return state.active if t == 1 else pulled
        return np.where(known[:, None], pulled, self.survivors(t, state, again(noise)))

    def law(self, t: int, state: State) -> Law:
        """The exact law of the next pulls. Raises NoLaw if a phase after the first pulls only some of its active arms:
        then the pulls do not determine the active arms, and the next phase depends on the whole history (`observed`
        handles this case)."""
        if t == 1:
            return certain(self.block(state.active))
        sizes, last = self.plan.sizes, t > self.plan.last
        parts = []
        for trials, plan in self.groups(state.active):
            kept = self.retained(plan, state.means[trials], sizes[min(t, self.plan.last + 1) - 1])
            sets = np.zeros((len(kept.sets), self.arms), dtype=bool)
            sets[:, list(plan.active)] = kept.sets
            counts = -sets.astype(np.int64) if last else self.block(sets)
            if not last and ((counts > 0) != sets).any():
                raise NoLaw(
                    f"phase {t} pulls {int((counts > 0).sum(axis=1).min())} of {sizes[t - 1]} active arms, "
                    "so its release does not determine the active arms, and no law is available; use "
                    "`observed.Observed`, which has a law"
                )
            parts.append((trials, counts, kept))
        return assembled(len(state.means), self.arms, parts)

    def retained(self, plan: Plan, means: Array, size: int) -> Chances:
        """The law of the set of active arms that are kept after a phase, for its empirical means (m, arms)."""
        scale = float(self.spread.scale(self.each(len(plan.pulled))))
        centres = means[:, list(plan.pulled)] / scale
        if plan.whole:
            return top(self.spread.kind, centres, 1.0, size)
        return combined(self.spread.kind, plan.alpha, centres, size)

    def selecting(self, t: int, state: State) -> Selecting | None:
        """Lines 19 and 20, for a certificate."""
        if t == 1:
            return None
        ((_, plan),) = self.groups(state.active)
        each, many = self.each(len(plan.pulled)), len(plan.pulled)
        return Selecting(
            "laplace" if self.spread.kind is LAPLACE else "gaussian",
            "top",
            self.plan.sizes[min(t, self.plan.last + 1) - 1],
            plan.active,
            (each,) * many,
            (each,) * many,
            (float(self.spread.scale(each)),) * many,
            heard=plan.pulled,
            weights=None if plan.whole else tuple(map(tuple, plan.alpha.tolist())),
            within=plan.rounding,
        )


def dp_bai(features: Any, horizon: int, eps: float) -> Elimination:
    """Algorithm 1, DP-BAI, with the repaired parameters."""
    return Elimination(features, horizon, LaplaceNoise(eps))


def dp_bai_printed(features: Any, horizon: int, eps: float) -> Elimination:
    """Algorithm 1 with (4) to (8) as printed, N = {1, 2, ...}."""
    return Elimination(features, horizon, LaplaceNoise(eps), indices=PRINTED, reserve=printed_reserve)


def dp_bai_gauss(features: Any, horizon: int, eps: float, delta: float) -> Elimination:
    """Algorithm 2, DP-BAI-Gauss, with the repaired parameters."""
    return Elimination(features, horizon, NormalNoise(eps, delta))


def baseline(features: Any, horizon: int, eps: float) -> Elimination:
    """Section 5's Baseline: no Max-Det collections. It reserves as many pulls as its phases may need; the reserve of
    (8) is too small for it."""
    return Elimination(features, horizon, LaplaceNoise(eps), every_arm, reserve=every_arm_reserve)
