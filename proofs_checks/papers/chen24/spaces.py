"""A phase of DP-BAI that pulls three of its arms: which sets it keeps, with Bernoulli rewards, between two bounds.

For few pulls, every outcome of the three sums of rewards with the exact law of the selection: as exact as that is. For
more, rectangles, whose bounds are as far apart as these are wide.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dpbandits.proofs_checks.papers.chen24.noisy_sums import NOTHING, SLACK, Between, Noisy, cells, total
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, Chances
from dpbandits.reference.papers.chen24.algorithms.fans import combined

FEW = 5  # pulls of each arm: 216 outcomes
Weights = tuple[tuple[float, ...], ...]
Sets = NDArray[np.bool_]


def in_space(sums: Sequence[Noisy], weights: Array, size: int, many: int) -> tuple[Sets, list[Between]]:
    """The sets of so many arms that may be on top, and their chances; arm i is worth weights[i] . (Y_0, Y_1, Y_2).
    many: rectangles along each axis, where there are more than FEW pulls."""
    if sums[0].n <= FEW:
        return by_outcomes(sums, weights, size)
    sets = combined(LAPLACE, weights, np.zeros((1, 3)), size).sets
    return sets, [by_rectangles(sums, weights, chosen, many) for chosen in sets]


def by_outcomes(sums: Sequence[Noisy], weights: Array, size: int) -> tuple[Sets, list[Between]]:
    """The mixture of the selection's laws over the sums of rewards."""
    law = selections(sums[0].n, sums[0].eps, tuple(map(tuple, weights.tolist())), size)
    places = np.array(list(product(range(sums[0].n + 1), repeat=3)))
    weight = np.sum([each.log_p[column] for each, column in zip(sums, places.T, strict=True)], axis=0)
    found = []
    for column in range(len(law.sets)):
        value, off = total(weight + law.log[:, column]), float(law.error[:, column].max()) + SLACK
        found.append(Between(value - off, value + off))
    return law.sets, found


@lru_cache(maxsize=16)
def selections(n: int, eps: float, weights: Weights, size: int) -> Chances:
    """The laws for all sums of n rewards of three arms, in the order of `itertools.product`."""
    return combined(LAPLACE, np.array(weights), eps * np.array(list(product(range(n + 1), repeat=3))), size)


def shares(one: Noisy, many: int) -> Array:
    """Ends of cells of about the same chance, with a hundred smaller and smaller ones towards either end."""
    ends = cells([one], max(4, many // 4))[1:-1]
    under, over = one.logs(ends)
    levels = np.log(np.concatenate([np.geomspace(1e-12, 0.5 / many, 50), np.linspace(1 / many, 0.5, many // 2)]))
    left, right = np.searchsorted(under, levels), len(ends) - np.searchsorted(over[::-1], levels)
    inner = np.unique(np.clip(np.concatenate([left, right]), 0, len(ends) - 1))
    return np.concatenate([[-np.inf], ends[inner], [np.inf]])


def by_rectangles(sums: Sequence[Noisy], weights: Array, chosen: NDArray[np.bool_], many: int) -> Between:
    """That exactly the chosen arms are on top: Y_2 lies above some lines in the first two and below others. On a
    rectangle of these it surely does beyond all four corners of every line, and it does not short of all. many:
    rectangles along each axis, beside a hundred small ones."""
    planes = np.array([a - b for a in weights[chosen] for b in weights[~chosen] if (a != b).any()])
    size = np.abs(planes).max(axis=1, keepdims=True)
    planes = planes / size
    first, second = shares(sums[0], many), shares(sums[1], many)
    masses = [np.array(each.window(ends[:-1], ends[1:])) for each, ends in zip(sums, (first, second), strict=False)]
    # A cell without an end counts only as what may be there: its chance is 1e-12 at most.
    low, high = np.full((len(first) - 1, len(second) - 1), NOTHING), np.zeros((len(first) - 1, len(second) - 1))
    x, y = np.meshgrid(first[1:-1], second[1:-1], indexing="ij")
    corners = [(slice(i, len(x) - 1 + i), slice(j, y.shape[1] - 1 + j)) for i in (0, 1) for j in (0, 1)]
    inside = np.full((2, len(x) - 1, y.shape[1] - 1), [[[-np.inf]], [[np.inf]]])  # Y_2 above the one, below the other
    outside = inside.copy()
    sure, possible = np.ones(inside.shape[1:], dtype=bool), np.ones(inside.shape[1:], dtype=bool)
    for a, b, c in planes:
        value = a * x + b * y
        least = np.minimum.reduce([value[each] for each in corners])
        most = np.maximum.reduce([value[each] for each in corners])
        move = 1e-12 * (1 + np.maximum(np.abs(least), np.abs(most)))
        if c == 0:
            sure &= least > move
            possible &= most > -move
        elif c > 0:
            inside[0] = np.maximum(inside[0], (-least + move) / c)
            outside[0] = np.maximum(outside[0], (-most - move) / c)
        else:
            inside[1] = np.minimum(inside[1], (-least + move) / c)
            outside[1] = np.minimum(outside[1], (-most - move) / c)
    surely, perhaps = sums[2].window(*inside)[0], sums[2].window(*outside)[1]
    low[1:-1, 1:-1] = np.where(sure, surely, NOTHING)
    high[1:-1, 1:-1] = np.where(possible, perhaps, NOTHING)
    low += masses[0][0][:, None] + masses[1][0]
    high += masses[0][1][:, None] + masses[1][1]
    return Between(total(low.ravel()), total(high.ravel()))
