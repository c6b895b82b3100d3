"""Algorithms 1 and 2 and Baseline: phases that pull, add noise, and keep the best.

A phase is a step. What is released is the pulls: those of every phase and, last, the rest of the budget on the
recommended arm, whose rewards nobody looks at (the paper leaves the rest open). No more than T pulls, for any input.
D(pi) of Appendix C is the same policy on rewards by time: `play(policy, Stream(...))`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.checks import at_least, positive, within
from dpbandits.reference.noise import Array, Noise
from dpbandits.reference.papers.chen24.max_det import Collection, coordinates, max_det, reduced
from dpbandits.reference.papers.chen24.parameters import (
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
from dpbandits.reference.policy import Ints, Pulls

Features = tuple[tuple[float, ...], ...]
Bools = NDArray[np.bool_]


def checked_features(features: Any) -> Features:
    """K >= 2 feature vectors of d >= 2 finite numbers, not all zero, as tuples. ValueError says which one is not."""
    try:
        values = np.array(features, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"features: {features!r} is no table of numbers; give K vectors of d numbers") from None
    if values.ndim != 2 or values.shape[0] < 2 or values.shape[1] < 2:
        raise ValueError(f"features of shape {values.shape}; give at least 2 arms (K) with at least 2 coordinates (d)")
    if not np.isfinite(values).all():
        arm = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise ValueError(f"the features of arm {arm} are {tuple(values[arm])}; they must be finite")
    if not values.any():
        raise ValueError("all features are 0: all means are 0, and no arm is best")
    return tuple(tuple(float(entry) for entry in vector) for vector in values)


# -- noise -----------------------------------------------------------------------------------------------------------


class Spread(Protocol):
    """The noise of a mean of n rewards."""

    def draw(self, noise: Noise, t: int, each: Ints, arms: int) -> Array:
        """(trials, arms); each: n, (trials, 1)."""
        ...


@dataclass(frozen=True)
class LaplaceNoise:
    """Algorithm 1, lines 10 and 16: Lap(1/(eps n))."""

    eps: float

    def __post_init__(self) -> None:
        positive("eps", self.eps)

    def draw(self, noise: Noise, t: int, each: Ints, arms: int) -> Array:
        return noise.laplace("mean", t, (arms,)) / (self.eps * each)


@dataclass(frozen=True)
class NormalNoise:
    """Algorithm 2, lines 10 and 16: N(0, 2 log(1.25/delta)/(eps n)^2). delta: in (0, 1)."""

    eps: float
    delta: float

    def __post_init__(self) -> None:
        positive("eps", self.eps)
        within("delta (from 1 on everything is private, and from 1.25 on there is no such variance)", self.delta, 0, 1)

    def draw(self, noise: Noise, t: int, each: Ints, arms: int) -> Array:
        return float(np.sqrt(2 * np.log(1.25 / self.delta))) * noise.normal("mean", t, (arms,)) / (self.eps * each)


# -- what a phase pulls ----------------------------------------------------------------------------------------------

Choice = Callable[[Array], Collection]


def line_6(features: Array) -> Collection:
    """Lines 6 and 7: a Max-Det collection where d_p < sqrt(s_p), else all. features: reduced, (s_p, d_p)."""
    arms, rank = features.shape
    return max_det(features) if pulled_arms(arms, rank) == rank != arms else every_arm(features)


def every_arm(features: Array) -> Collection:
    """Baseline: all active arms."""
    return Collection(tuple(range(len(features))), exact=True)


class Plan(NamedTuple):
    """What a phase does with one active set. pulled: the arms. alpha: (active, pulled), equation (12); the identity
    where all are pulled. exact: whether the collection is Max-Det by looking at every subset."""

    active: tuple[int, ...]
    pulled: tuple[int, ...]
    alpha: Array
    exact: bool


@lru_cache(maxsize=4096)
def planned(features: Features, active: tuple[int, ...], choice: Choice) -> Plan:
    """Lines 3 to 7 for one active set."""
    mine = np.array([features[arm] for arm in active])
    if not mine.any():
        return Plan(active, active, np.eye(len(active)), True)  # all means are 0: rank 0, nothing to extrapolate
    small = reduced(mine)
    found = choice(small)
    whole = len(found.arms) == len(active)
    alpha = np.eye(len(active)) if whole else coordinates(small, found.arms)
    return Plan(active, tuple(active[place] for place in found.arms), alpha, found.exact)


# -- the policy ------------------------------------------------------------------------------------------------------


class State(NamedTuple):
    """No reward outlives its phase: all of this has been released."""

    active: Bools  # (trials, arms): A_p
    phase: Ints  # (trials,): p, M + 1 after the last one
    used: Ints  # (trials,): T_{p-1}


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
        object.__setattr__(self, "features", checked_features(self.features))
        at_least("T (horizon)", self.horizon, 1)
        if self.left < 1:
            kept = self.horizon - self.left
            raise ValueError(f"T' = {self.left} for T = {self.horizon}; T must be at least {kept + 1} here")
        if (most := self.most_pulls) > self.horizon:
            raise ValueError(
                f"the phases may ask for {most} pulls, T is {self.horizon}: the parameters (8) as printed keep too few "
                f"for "
                "the ceilings; use the repaired ones (indices=REPAIRED, reserve=repaired_reserve), or another T"
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
        """What the phases can ask for, over all ranks that an active set can have."""
        plan, total = self.plan, 0
        for size in plan.sizes[:-1]:
            ranks = range(1, min(self.dimension, size) + 1)
            counts = {size} if self.choice is every_arm else {pulled_arms(size, rank) for rank in ranks}
            total += max(k * pulls_each(self.left, plan.last, k) for k in counts)
        return total

    def init(self, trials: int) -> State:  # line 1
        active = np.ones((trials, self.arms), dtype=bool)
        return State(active, np.ones(trials, dtype=np.int64), np.zeros(trials, dtype=np.int64))

    def groups(self, state: State) -> list[tuple[NDArray[np.intp], Plan]]:
        """The trials by active set, each with its plan: lines 3 to 7."""
        sets, which = np.unique(state.active, axis=0, return_inverse=True)
        return [
            (np.flatnonzero(which.ravel() == k), planned(self.features, places(active), self.choice))
            for k, active in enumerate(sets)
        ]

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        counts = np.zeros(state.active.shape, dtype=np.int64)
        if t > self.plan.last:
            return Pulls(state.active * (self.horizon - state.used)[:, None])  # one arm is left
        for trials, plan in self.groups(state):
            counts[trials[:, None], list(plan.pulled)] = pulls_each(
                self.left, self.plan.last, len(plan.pulled)
            )  # 8, 14
        return Pulls(counts)

    def estimates(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> Array:
        """Lines 9 to 12 and 15 to 17: mu-tilde (trials, arms); -inf for arms that are not active."""
        each = pulls.counts.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            noisy = sums / pulls.counts + self.spread.draw(noise, t, each, self.arms)
        found = np.full(noisy.shape, -np.inf)
        for trials, plan in self.groups(state):
            seen = noisy[trials[:, None], list(plan.pulled)]
            found[trials[:, None], list(plan.active)] = seen @ plan.alpha.T
        return found

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        if t > self.plan.last:
            return state._replace(used=state.used + pulls.counts.sum(axis=1))
        order = np.argsort(-self.estimates(t, state, pulls, sums, noise), axis=1, kind="stable")
        kept = np.zeros_like(state.active)
        np.put_along_axis(kept, order[:, : self.plan.sizes[t]], True, axis=1)  # lines 19 and 20
        return State(kept, state.phase + 1, state.used + pulls.counts.sum(axis=1))

    def answer(self, state: State) -> Ints:
        """Line 22: the recommended arm of every trial, (trials,), once all phases are over."""
        if (state.active.sum(axis=1) != 1).any():
            raise ValueError("several arms are active: ask for the answer after the last phase")
        return np.asarray(state.active.argmax(axis=1), dtype=np.int64)


def places(active: Bools) -> tuple[int, ...]:
    """The active arms of one trial, increasing."""
    return tuple(int(arm) for arm in np.flatnonzero(active))


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
    """Section 5's Baseline: no Max-Det collections. What its T' is the paper does not say; it keeps what it may
    need."""
    return Elimination(features, horizon, LaplaceNoise(eps), every_arm, reserve=every_arm_reserve)
