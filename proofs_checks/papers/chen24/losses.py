"""The exact privacy loss of the first phase of a policy for one reward, on the worst tables found.

A changed reward lies in one phase of a transcript, and all other factors of its probability are the same on both
sides. The first phase has all arms active with certainty. So what is found there is a lower bound of what the whole
policy tells, at delta = 0 and at any other delta; and what no phase exceeds, no run does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.release_laws.selections import Chances
from dpbandits.reference.papers.chen24.algorithms.dp_bai import Elimination, dp_bai, dp_bai_gauss

Features = tuple[tuple[float, ...], ...]
UNIT = 2.0**-53
GAPS = (0.0, 1.0, 5.0, 40.0)  # means, in scales of the noise
MANY = 150  # tables at most; of more, every so many-th

SHAPES: Mapping[str, Features] = {
    "two unit vectors": ((1.0, 0.0), (0.0, 1.0)),
    "four unit vectors": tuple(tuple(map(float, row)) for row in np.eye(4)),
    "two on a line": ((1.0, 0.0), (0.5, 0.0)),
    "opposite ones": ((1.0, 0.0), (-1.0, 0.0)),
    "five in the plane": ((1.0, 0.0), (0.0, 1.0), (0.5, 0.6), (0.9, 0.9), (1.0, 0.2)),
    "five, three of them equal": ((1.0, 0.0), (0.0, 1.0), (0.5, 0.6), (0.5, 0.6), (0.5, 0.6)),
    "five, one 1000 times as long": ((1.0, 0.0), (0.0, 1000.0), (0.5, 0.6), (0.9, 0.9), (1.0, 0.2)),
    "five, all but parallel": ((1.0, 0.0), (1.0, 1e-6), (1.0, 2e-6), (0.9, 1e-6), (1.0, -1e-6)),
    "twelve around the origin": tuple((float(np.cos(k)), float(np.sin(k))) for k in range(12)),
}


class Told(NamedTuple):
    """The worst table found. low, high: the loss, or delta, between certified ends. means: of the pulled arms, in
    scales of the noise; place, moved: which one is moved, by how much. kept: the set that tells it, or the most of
    it."""

    low: float
    high: float
    means: tuple[float, ...]
    place: int
    moved: float
    kept: tuple[int, ...]


def tables(reach: float, pulled: int, gaps: tuple[float, ...] = GAPS) -> Array:
    """Means of the pulled arms, (tables, pulled), in scales: on a grid of gaps as far as rewards reach."""
    grid = sorted({min(gap, reach) for gap in gaps})
    every = np.array(list(product(grid, repeat=pulled)))
    return np.asarray(every[:: max(1, len(every) // MANY)])


def told(left: Chances, right: Chances, eps: float | None, unit: float = UNIT) -> tuple[Array, Array, Array]:
    """Of every row: the loss (eps None), or the larger of the two delta(eps), at least and at most; and the set."""
    error = left.error + right.error
    if eps is None:
        size = np.abs(left.log - right.log)
        which = size.argmax(axis=1)
        return (size - error).max(axis=1), (size + error).max(axis=1), which
    found = []
    for one, other in ((left, right), (right, left)):
        worth = np.exp(one.log) - np.exp(other.log + eps)
        off = np.exp(one.log) * one.error + np.exp(other.log + eps) * other.error + 4 * unit * np.exp(one.log)
        found.append(
            (np.maximum(worth - off, 0).sum(axis=1), np.maximum(worth + off, 0).sum(axis=1), worth.argmax(axis=1))
        )
    better = found[1][0] > found[0][0]
    return tuple(np.where(better, b, a) for a, b in zip(*found, strict=True))  # type: ignore[return-value]


def first_phase(policy: Elimination, eps: float | None = None, gaps: tuple[float, ...] = GAPS) -> Told:
    """The loss of the first phase, or its delta(eps), on the worst means of a grid, with one mean changed by one
    reward. A mean is a multiple of 1/n up to rounding, for rewards of 0 and 1."""
    plan = policy.planned(tuple(range(policy.arms)))
    each, pulled = policy.each(len(plan.pulled)), list(plan.pulled)
    scale = float(policy.spread.scale(each))
    step = 1 / each / scale
    means = np.round(tables(each * step, len(pulled), gaps) / step) * step
    rows, moved, place = [], [], []
    for arm in range(len(pulled)):
        rows.append(means)
        moved.append(np.where(means[:, arm] + step <= each * step * (1 + 1e-12), step, -step))
        place += [arm] * len(means)
    one, by, where = np.concatenate(rows), np.concatenate(moved), np.array(place)
    other = one.copy()
    other[np.arange(len(one)), where] += by
    sides = []
    for side in (one, other):
        full = np.zeros((len(side), policy.arms))
        full[:, pulled] = side * scale
        sides.append(policy.retained(plan, full, policy.plan.sizes[1]))
    low, high, which = told(sides[0], sides[1], eps)
    # A mean is rounded twice, relatively: the logarithm of a chance moves by at most as much for Laplace noise, and by
    # at most |mean| + 6 times as much for normal noise.
    largest = float(one.max()) + step
    slack = 8 * UNIT * largest * (largest + 6) * 2
    best = int(low.argmax())
    kept = tuple(np.flatnonzero(sides[0].sets[which[best]]).tolist())
    found = tuple(one[best].tolist())
    return Told(
        max(0.0, float(low[best]) - slack), float(high.max()) + slack, found, int(where[best]), float(by[best]), kept
    )


# -- policies whose first phase lasts ---------------------------------------------------------------------------------


def lasting(features: Features, make: Any, pulls: int) -> Elimination:
    """The policy at the least T for which every pulled arm of the first phase gets at least so many pulls."""
    low, high = 0, 1
    while not enough(features, make, high, pulls):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(features, make, middle, pulls) else (middle, high)
    policy: Elimination = make(features, high)
    return policy


def enough(features: Features, make: Any, horizon: int, pulls: int) -> bool:
    try:
        policy: Elimination = make(features, horizon)
    except ValueError:
        return False
    return policy.each(len(policy.planned(tuple(range(policy.arms))).pulled)) >= pulls


def private_phase(
    name: str, eps: float, make: Callable[[Features, int, float], Elimination] = dp_bai
) -> tuple[Elimination, Told]:
    """DP-BAI on a shape, with 45 scales for the rewards to move in (and at least 3 pulls)."""
    policy = lasting(SHAPES[name], lambda f, T: make(f, T, eps), max(3, int(45 / eps) + 1))
    return policy, first_phase(policy)


def normal_phase(name: str, eps: float, delta: float) -> tuple[Elimination, Told]:
    """DP-BAI-Gauss on a shape: delta(eps) of its first phase. Of one noisy mean with threshold 0, a mean of
    |s - eps/(2 s)| scales tells the most, s = sqrt(2 log(1.25/delta)); of a difference of two, about sqrt(2) times."""
    s = float(np.sqrt(2 * np.log(1.25 / delta)))
    least, twice = abs(s - eps / (2 * s)), abs(2 * s - eps / (2 * s))
    policy = lasting(SHAPES[name], lambda f, T: dp_bai_gauss(f, T, eps, delta), max(3, int(45 * s / eps) + 1))
    return policy, first_phase(policy, eps, (0.0, least, twice, 40.0))
