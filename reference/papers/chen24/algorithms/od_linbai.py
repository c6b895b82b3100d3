"""OD-LinBAI (Yang and Tan 2022), which the paper compares with, and its private version DP-OD of Appendix E.

Rounds r = 1, ..., ceil(log2 d): a G-optimal design on the active arms, ceil(pi_i m) pulls of arm i, least squares on
the round's own rewards, and the ceil(d/2^r) best arms stay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic.checks import NoLaw, at_least, normalize_numeric_fields, positive
from dpbandits.reference.bandits.noise import Array, Noise, again
from dpbandits.reference.bandits.policy import Ints, Law, Pulls
from dpbandits.reference.bandits.release_laws.declared_steps import Selecting
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, Chances
from dpbandits.reference.papers.chen24.algorithms.blocks import Bools, Features, by_set, checked_features
from dpbandits.reference.papers.chen24.algorithms.designs import g_optimal
from dpbandits.reference.papers.chen24.algorithms.fans import combined
from dpbandits.reference.papers.chen24.algorithms.max_det import reduced, rounding
from dpbandits.reference.papers.chen24.algorithms.releases import assembled, certain

ROUNDING = 1e-9  # a weight times m this little above an integer is the integer


def stays(d: int, r: int) -> int:
    """ceil(d/2^r)."""
    return -(-d // (1 << r))


# L of DP-OD. Of the features as they are given, (arms, d), and of a round's active ones in its coordinates.
Longest = Callable[[Array, Array], float]


def in_the_round(given: Array, active: Array) -> float:
    """The largest 1-norm of an active feature in the coordinates of the round, where the noise is added."""
    return float(np.abs(active).sum(axis=1).max(initial=0.0))


def one_norm(given: Array, active: Array) -> float:
    """The largest 1-norm of all features as they are given: a change of coordinates makes it too small."""
    return float(np.abs(given).sum(axis=1).max())


def two_norm(given: Array, active: Array) -> float:
    """The largest 2-norm, which no rotation changes; it is too small."""
    return float(np.hypot.reduce(given, axis=1).max())


class State(NamedTuple):
    """No reward outlives the step after its round."""

    active: Bools  # (trials, arms): of the round that has ended; all of them at the start
    moments: Array  # (trials, d): the sum of reward times features, in the round's coordinates; then zeros. SECRET


class Round(NamedTuple):
    """What a round does with one active set. small: the features in coordinates of their span, (active, d_r). counts:
    (active,). solve: (active, d_r), estimates from moments. like: as in `blocks.Plan`. rounding: what `small` and
    `solve` may be off by, as a share of their largest entry, from those in some orthonormal coordinates."""

    active: tuple[int, ...]
    small: Array
    counts: Ints
    solve: Array
    like: NDArray[np.intp]
    rounding: float


@lru_cache(maxsize=4096)
def planned(features: Features, active: tuple[int, ...], m: float) -> Round:
    mine = np.array([features[arm] for arm in active])
    small = reduced(mine) if mine.any() else np.zeros((len(active), 0))
    weights = g_optimal(small).weights if small.size else np.full(len(active), 1 / len(active))
    counts = np.ceil(weights * m - ROUNDING).astype(np.int64)
    gram = small.T @ (small * counts[:, None])
    like = np.array([next(k for k in range(len(mine)) if (mine[k] == vector).all()) for vector in mine])
    solve = np.asarray(np.linalg.solve(gram, small.T).T)[like]
    return Round(active, small, counts, solve, like, rounding(gram))


@dataclass(frozen=True)
class OptimalDesign:
    """OD-LinBAI; DP-OD with an eps. features: K vectors of d coordinates. horizon: T, large enough for m > 0.

    eps: None adds no noise (OD-LinBAI is not private). Otherwise Lap(L/eps) is added to each coordinate of the moment
    vector. longest: L = max ||a_i||, whose norm the paper does not name, nor the coordinates; see `dp_od` and the two
    after it.
    """

    features: Features
    horizon: int
    eps: float | None = None
    longest: Longest = in_the_round

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        object.__setattr__(self, "features", checked_features(self.features))
        at_least("T (horizon)", self.horizon, 1)
        if self.eps is not None:
            positive("eps", self.eps)
        if self.share <= 0:
            raise ValueError(
                f"T (horizon) = {self.horizon} is too small, because the parameter m of the algorithm is then "
                f"{self.share:g}; for these features T must be at least {self.kept + 1}"
            )

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
        """The reserve for rounding up: one pull for each arm of each design."""
        d = self.dimension
        return min(self.arms, d * (d + 1) // 2) + sum(stays(d, r) for r in range(1, self.rounds))

    @property
    def share(self) -> float:
        """m."""
        return (self.horizon - self.kept) / self.rounds

    def groups(self, active: Bools) -> list[tuple[Any, Round]]:
        return [(trials, planned(self.features, arms, self.share)) for trials, arms in by_set(active)]

    @property
    def answers(self) -> bool:
        return True

    def init(self, trials: int) -> State:
        return State(np.ones((trials, self.arms), dtype=bool), np.zeros((trials, self.dimension)))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        active = self.survivors(t, state, noise)
        if t > self.rounds:
            return Pulls.answer(active.argmax(axis=1), self.arms)  # one arm is left
        return Pulls(self.block(active))

    def block(self, active: Bools) -> Ints:
        """The pulls of a round with these active arms, (trials, arms)."""
        counts = np.zeros(active.shape, dtype=np.int64)
        for trials, plan in self.groups(active):
            counts[trials[:, None], list(plan.active)] = plan.counts
        return counts

    def stay(self, t: int, active: int) -> int:
        """The number of arms that remain after round t - 1, for each number of active arms."""
        return min(active, stays(self.dimension, min(t - 1, self.rounds)))

    def survivors(self, t: int, state: State, noise: Noise) -> Bools:
        """The active arms of round t, (trials, arms)."""
        if t == 1:
            return state.active
        drawn = noise.laplace("moments", t - 1, (self.dimension,)) if self.eps is not None else None
        kept = np.zeros_like(state.active)
        for trials, plan in self.groups(state.active):
            moments = state.moments[trials, : plan.small.shape[1]]
            if drawn is not None:
                moments = moments + self.scale(plan) * drawn[trials, : plan.small.shape[1]]
            order = np.argsort(-(moments @ plan.solve.T)[:, plan.like], axis=1, kind="stable")
            stay = np.array(plan.active)[order[:, : self.stay(t, len(plan.active))]]
            kept[trials[:, None], stay] = True
        return kept

    def scale(self, plan: Round) -> float:
        """L/eps, the scale of the noise."""
        return self.longest(np.array(self.features), plan.small) / float(self.eps or 1)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        if t > self.rounds:
            return state
        active = self.told(t, state, pulls, noise)
        moments = np.zeros(state.moments.shape)
        for trials, plan in self.groups(active):
            moments[trials, : plan.small.shape[1]] = sums[trials[:, None], list(plan.active)] @ plan.small
        return State(active, moments)

    def told(self, t: int, state: State, pulls: Pulls, noise: Noise) -> Bools:
        """The active arms of round t: the pulled ones, where a round pulls all; else what `act` has drawn."""
        if t == 1:
            return state.active
        pulled = np.asarray(pulls.counts > 0)
        known = [self.stay(t, int(before)) for before in state.active.sum(axis=1)] == pulled.sum(axis=1)
        if np.all(known):
            return pulled
        return np.where(np.asarray(known)[:, None], pulled, self.survivors(t, state, again(noise)))

    def law(self, t: int, state: State) -> Law:
        """The exact law of the next pulls; NoLaw where a design after the first leaves active arms out, whose
        release does not tell which arms are active."""
        if t == 1:
            return certain(self.block(state.active))
        last, parts = t > self.rounds, []
        for trials, plan in self.groups(state.active):
            kept = self.retained(plan, state.moments[trials], self.stay(t, len(plan.active)))
            sets = np.zeros((len(kept.sets), self.arms), dtype=bool)
            sets[:, list(plan.active)] = kept.sets
            counts = -sets.astype(np.int64) if last else self.block(sets)
            if not last and ((counts > 0) != sets).any():
                raise NoLaw(
                    f"round {t} does not pull all active arms, so its release does not determine the active "
                    "arms, and no law is available; use features with fewer dimensions"
                )
            parts.append((trials, counts, kept))
        return assembled(len(state.moments), self.arms, parts)

    def retained(self, plan: Round, moments: Array, size: int) -> Chances:
        """Which of the active arms stay, for their moments (m, d). NoLaw for OD-LinBAI, which adds no noise."""
        if self.eps is None:
            raise NoLaw("OD-LinBAI adds no noise, so its releases are certain and no law is implemented; use DP-OD")
        if size == len(plan.active):
            return Chances(np.ones((1, size), dtype=bool), np.zeros((len(moments), 1)), np.zeros((len(moments), 1)))
        return combined(LAPLACE, plan.solve, moments[:, : plan.small.shape[1]] / self.scale(plan), size)

    def selecting(self, t: int, state: State) -> Selecting | None:
        """Which arms stay after a round, for a certificate: their estimates share the noise of the moments."""
        if t == 1:
            return None
        ((_, plan),) = self.groups(state.active)
        stay, d = self.stay(t, len(plan.active)), plan.small.shape[1]
        if stay == len(plan.active):
            return None
        return Selecting(
            "laplace",
            "top",
            stay,
            plan.active,
            tuple(plan.counts.tolist()),
            (1.0,) * d,
            (self.scale(plan),) * d,
            mixed=tuple(map(tuple, plan.small.T.tolist())),
            weights=tuple(map(tuple, plan.solve.tolist())),
            within=plan.rounding,
        )


def od_linbai(features: Any, horizon: int) -> OptimalDesign:
    """OD-LinBAI of Yang and Tan (2022)."""
    return OptimalDesign(features, horizon)


def dp_od(features: Any, horizon: int, eps: float) -> OptimalDesign:
    """Appendix E.1's DP-OD, with the 1-norm in the coordinates in which the noise is added: eps-DP."""
    return OptimalDesign(features, horizon, eps)


def dp_od_as_given(features: Any, horizon: int, eps: float) -> OptimalDesign:
    """DP-OD with L = max ||a_i||_1 of the features as they are given, and rounds in orthonormal coordinates of their
    span: not eps-DP where these have longer 1-norms."""
    return OptimalDesign(features, horizon, eps, one_norm)


def dp_od_euclidean(features: Any, horizon: int, eps: float) -> OptimalDesign:
    """DP-OD with L = max ||a_i||_2: not eps-DP in any coordinates."""
    return OptimalDesign(features, horizon, eps, two_norm)
