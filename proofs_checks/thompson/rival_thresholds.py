"""A given number of arms: thresholds in their order, and how often the game may go beyond each.

Given the released past, the samples of a round are independent. The best of the K-1 others' is above m with a chance
G(m) at most, whatever was released (`chance_above`), and the changed arm's lower mean is at least 0: so the threshold X
is above x with a chance of at most G(x sqrt(c/(n+1))). The round is worth the mean of J(X), J(x) what the game is worth
at threshold x, for she sees X; hence at most the mean, over a threshold Y that has just these chances, of the largest
J(x), x <= Y (docs/explanation/threshold_game.md, section 4). The other arms' names tell nothing that X does not.

In corners: what has a threshold up to the edge e of a cell lies in the hull of the corners of all cells before e, the
point of the curve at e, and the two of the diagonal that have its p, and p = 1, for smaller changes. The point at e is
a mixture of the two crossings beside it. So each corner has a weight, and a round is worth the sum, over the corners in
their order, of weight times the best of all corners so far (`best_coins`). That sum grows where weight is moved to
later corners: so weights are rounded to there.
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr, ndtr

from dpbandits.proofs_checks.thompson.coins import Coins, coins_at
from dpbandits.proofs_checks.thompson.rules import Sampler
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

DIAGONAL_CELLS = 4  # cells that share a corner on the diagonal: at the last one's edge, tried before the first
ABOVE_ERROR = 1e-9  # relative, of a chance to be above a threshold: log_ndtr's, and that of what it is asked for
LEAST_ABOVE = 1e-300  # a smaller chance is taken for this one
SHARE_ERROR = 1e-9  # of a point's place between two crossings
WEIGHT_ERROR = 1e-14  # relative, of the chance that is left at a corner


def chance_below(sampler: Sampler, level: Array, few: float) -> Array:
    """The log of the least chance that the sample of another arm is at most `level`, with few to T - 1 pulls.

    With l pulls a mean is at most l/(l+1), so that the sample is at most m with a chance of Phi(h/sqrt(c)) or more, h =
    (m-1) x + 1/x, x = sqrt(l+1), least at x = 1/sqrt(m-1) or at that end of the x which is nearer.
    """
    first, last = (few + 1.0) ** 0.5, sampler.horizon**0.5
    x = np.clip(np.maximum(level - 1, LEAST_ABOVE) ** -0.5, first, max(first, last))
    return np.asarray(log_ndtr(((level - 1) * x + 1 / x) / sampler.variance**0.5))


def chance_above(sampler: Sampler, pulls: int, total: int, thresholds: Array) -> Array:
    """What the chance of a higher threshold is at most, at so many pulls of the changed arm, from `total` pulls on.

    The K-1 others have had total - pulls pulls, so one of them at least its share of these; the more there were, the
    smaller is this bound.
    """
    rivals, b = (sampler.arms or 2) - 1, sampler.prepulls
    level = thresholds * (sampler.variance / (pulls + 1.0)) ** 0.5
    most_pulled = max(b, (total - pulls) / rivals)
    below = (rivals - 1) * chance_below(sampler, level, b) + chance_below(sampler, level, most_pulled)
    found = np.clip(-el.expm1(below * (1 + ABOVE_ERROR)), LEAST_ABOVE, 1.0)
    return np.asarray(np.maximum.accumulate(found[::-1])[::-1])


def in_order(polygon: Coins, edges: Array, above: Array) -> tuple[Coins, Array]:
    """The corners by their thresholds, those of smaller changes among them, and their weights, (corners,).

    polygon: of `coins.around_each` where nothing bounds the thresholds: a corner a cell, before the first cell, beyond
    the last. edges: of the cells. above: the chance of a threshold beyond each edge but the last.
    """
    cells = edges.size - 1
    starts = np.arange(0, cells, DIAGONAL_CELLS)
    at = edges[np.minimum(starts + DIAGONAL_CELLS, cells - 1)]
    places = np.concatenate([np.arange(cells), [-1.0, cells], starts - 0.5])
    order, weights = np.argsort(places), np.zeros(places.size)
    left = np.concatenate([[1.0], above])
    mass = left[:-1] - left[1:] + WEIGHT_ERROR * left[:-1]  # before the first edge; from one to the next
    near = beside(polygon, edges[1:cells], cells)
    weights[0], weights[cells + 1] = mass[0], above[-1]
    weights[: cells - 1] += near * mass[1:]
    weights[1:cells] += (1 - near) * mass[1:]
    parts = zip(polygon, coins_at(at, at), strict=True)
    return Coins(*(np.concatenate(pair)[order] for pair in parts)), weights[order]


def beside(polygon: Coins, edges: Array, cells: int) -> Array:
    """How much of the first of the two crossings beside it the point of the curve at an edge is, rounded down."""
    rare = edges > 0
    first, second, at = (
        np.where(rare, p, tails)
        for p, tails in (
            (polygon.p[: cells - 1], polygon.tails_p[: cells - 1]),
            (polygon.p[1:cells], polygon.tails_p[1:cells]),
            (ndtr(-edges), ndtr(edges)),
        )
    )
    return np.clip((at - second) / (first - second) - SHARE_ERROR, 0.0, 1.0)
