"""OD-LinBAI (Yang and Tan 2022), which the paper compares with, and its private version DP-OD of Appendix E.

Rounds r = 1, ..., ceil(log2 d): a G-optimal design on the active arms, ceil(pi_i m) pulls of arm i, least squares on
the round's own rewards, and the ceil(d/2^r) best arms stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.checks import at_least, positive
from dpbandits.reference.noise import Array, Noise
from dpbandits.reference.papers.chen24.algorithms import Features, State, checked_features, places
from dpbandits.reference.papers.chen24.designs import g_optimal
from dpbandits.reference.papers.chen24.max_det import reduced
from dpbandits.reference.policy import Ints, Pulls

ROUNDING = 1e-9  # a weight times m this little above an integer is the integer


def stays(d: int, r: int) -> int:
    """ceil(d/2^r)."""
    return -(-d // (1 << r))


class Round(NamedTuple):
    """What a round does with one active set. small: the features in coordinates of their span, (active, d_r). counts:
    (active,). size: L = max ||a_i||_1 in these coordinates."""

    active: tuple[int, ...]
    small: Array
    counts: Ints
    size: float


@lru_cache(maxsize=4096)
def planned(features: Features, active: tuple[int, ...], m: float) -> Round:
    mine = np.array([features[arm] for arm in active])
    small = reduced(mine) if mine.any() else np.zeros((len(active), 0))
    weights = g_optimal(small).weights if small.size else np.full(len(active), 1 / len(active))
    counts = np.ceil(weights * m - ROUNDING).astype(np.int64)
    return Round(active, small, counts, float(np.abs(small).sum(axis=1).max(initial=0.0)))


@dataclass(frozen=True)
class OptimalDesign:
    """OD-LinBAI; DP-OD with an eps. features: K vectors of d coordinates. horizon: T, large enough for m > 0.

    eps: None adds no noise (OD-LinBAI is not private). Otherwise Lap(L/eps) is added to each coordinate of the moment
    vector, with L = max ||a_i||_1 in the coordinates of the round: the paper does not name the norm, the Euclidean one
    is too small, and a rotation changes the 1-norm.
    """

    features: Features
    horizon: int
    eps: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", checked_features(self.features))
        at_least("T (horizon)", self.horizon, 1)
        if self.eps is not None:
            positive("eps", self.eps)
        if self.share <= 0:
            raise ValueError(f"m = {self.share:g} for T = {self.horizon}; T must be at least {self.kept + 1} here")

    @property
    def arms(self) -> int:
        return len(self.features)

    @property
    def dimension(self) -> int:
        return len(self.features[0])

    @property
    def rounds(self) -> int:
        """ceil(log2 d)."""
        return (self.dimension - 1).bit_length()

    @property
    def kept(self) -> int:
        """What is kept for the ceilings: one pull for each arm of each design."""
        d = self.dimension
        return min(self.arms, d * (d + 1) // 2) + sum(stays(d, r) for r in range(1, self.rounds))

    @property
    def share(self) -> float:
        """m."""
        return (self.horizon - self.kept) / self.rounds

    def groups(self, state: State) -> list[tuple[Any, Round]]:
        sets, which = np.unique(state.active, axis=0, return_inverse=True)
        return [
            (np.flatnonzero(which.ravel() == k), planned(self.features, places(active), self.share))
            for k, active in enumerate(sets)
        ]

    def init(self, trials: int) -> State:
        active = np.ones((trials, self.arms), dtype=bool)
        return State(active, np.ones(trials, dtype=np.int64), np.zeros(trials, dtype=np.int64))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        counts = np.zeros(state.active.shape, dtype=np.int64)
        if t > self.rounds:
            return Pulls(state.active * (self.horizon - state.used)[:, None])  # one arm is left
        for trials, plan in self.groups(state):
            counts[trials[:, None], list(plan.active)] = plan.counts
        return Pulls(counts)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        used = state.used + pulls.counts.sum(axis=1)
        if t > self.rounds:
            return state._replace(used=used)
        drawn = noise.laplace("moments", t, (self.dimension,)) if self.eps is not None else None
        found = np.full(state.active.shape, -np.inf)
        for trials, plan in self.groups(state):
            moments = sums[trials[:, None], list(plan.active)] @ plan.small
            if drawn is not None:
                moments = moments + plan.size / float(self.eps or 1) * drawn[trials, : plan.small.shape[1]]
            gram = plan.small.T @ (plan.small * plan.counts[:, None])
            found[trials[:, None], list(plan.active)] = np.linalg.solve(gram, moments.T).T @ plan.small.T
        order = np.argsort(-found, axis=1, kind="stable")
        stay = np.minimum(state.active.sum(axis=1), stays(self.dimension, t))
        kept = np.zeros_like(state.active)
        np.put_along_axis(kept, order, np.arange(self.arms) < stay[:, None], axis=1)
        return State(kept, state.phase + 1, used)

    def answer(self, state: State) -> Ints:
        """The recommended arm of every trial, (trials,), once all rounds are over."""
        if (state.active.sum(axis=1) != 1).any():
            raise ValueError("several arms are active: ask for the answer after the last round")
        return np.asarray(state.active.argmax(axis=1), dtype=np.int64)


def od_linbai(features: Any, horizon: int) -> OptimalDesign:
    """OD-LinBAI of Yang and Tan (2022)."""
    return OptimalDesign(features, horizon)


def dp_od(features: Any, horizon: int, eps: float) -> OptimalDesign:
    """Appendix E.1's DP-OD."""
    return OptimalDesign(features, horizon, eps)
