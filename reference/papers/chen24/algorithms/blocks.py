"""Lines 3 to 7 of Algorithm 1: which arms a phase pulls, and how the others follow from them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic.checks import reals
from dpbandits.reference.arithmetic.rows import distinct_rows
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.papers.chen24.algorithms.max_det import Collection, coordinates, max_det, reduced, rounding
from dpbandits.reference.papers.chen24.algorithms.parameters import pulled_arms

Features = tuple[tuple[float, ...], ...]
Bools = NDArray[np.bool_]
SMALL = 1e-100  # the largest coordinate lies between this and its inverse: it is squared, and more


def checked_features(features: Any) -> Features:
    """K >= 2 feature vectors of d >= 2 finite numbers, as tuples. Not all are zero, and none near the largest double,
    nor all near the smallest one; ValueError says what is wrong."""
    values = reals("features, K vectors of d numbers", features)
    if values.ndim != 2 or values.shape[0] < 2 or values.shape[1] < 2:
        raise ValueError(
            f"features have shape {values.shape}; they must have shape (K, d) with at least 2 arms (K) and 2 "
            "coordinates (d)"
        )
    if not np.isfinite(values).all():
        arm = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise ValueError(f"the features of arm {arm} are {tuple(values[arm])}; they must be finite")
    if not values.any():
        raise ValueError(
            "all features are 0, so all means are 0 and there is no best arm; give at least one feature that is not 0"
        )
    if not SMALL <= (largest := float(np.abs(values).max())) <= 1 / SMALL:
        raise ValueError(
            f"the largest coordinate of a feature is {largest:g}, whose powers are outside the range of "
            "doubles; multiply all features by the same factor, because only their ratios matter"
        )
    return tuple(tuple(float(entry) for entry in vector) for vector in values)


def by_set(active: Bools) -> list[tuple[NDArray[np.intp], tuple[int, ...]]]:
    """The trials, grouped by their active sets (trials, arms)."""
    if (active == active[:1]).all():  # as at the start
        return [(np.arange(len(active)), places(row)) for row in active[:1]]
    sets, which = distinct_rows(active)
    return [(np.flatnonzero(which == k), places(row)) for k, row in enumerate(sets)]


def places(active: Bools) -> tuple[int, ...]:
    """The active arms of one trial, in increasing order."""
    return tuple(int(arm) for arm in np.flatnonzero(active))


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
    where all are pulled. like: (active,), for each the first with the same features, whose estimate it shares unless
    all are pulled: so equal arms tie exactly. exact: whether the collection is Max-Det by looking at every subset.
    rounding: what alpha may be off by, as a share of its largest entry."""

    active: tuple[int, ...]
    pulled: tuple[int, ...]
    alpha: Array
    like: NDArray[np.intp]
    exact: bool
    rounding: float = 0.0

    @property
    def whole(self) -> bool:
        """Whether all active arms are pulled."""
        return len(self.pulled) == len(self.active)


@lru_cache(maxsize=4096)
def planned(features: Features, active: tuple[int, ...], choice: Choice) -> Plan:
    """Lines 3 to 7 for one active set."""
    mine = np.array([features[arm] for arm in active])
    everyone = Plan(active, active, np.eye(len(active)), np.arange(len(active)), True)
    if choice is every_arm:
        return everyone
    if not mine.any():  # rank 0: all means are 0, and no arm is in a collection; one is pulled, whatever it pays
        return Plan(active, active[:1], np.zeros((len(active), 1)), np.zeros(len(active), dtype=np.intp), True)
    small = reduced(mine)
    found = choice(small)
    if len(found.arms) == len(active):
        return everyone
    alike = [next(k for k in range(len(mine)) if (mine[k] == vector).all()) for vector in mine]
    pulled = tuple(active[place] for place in found.arms)
    off = rounding(small[list(found.arms)])
    return Plan(active, pulled, coordinates(small, found.arms)[alike], np.array(alike), found.exact, off)
