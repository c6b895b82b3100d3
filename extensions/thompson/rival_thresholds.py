"""Privacy bounds of Thompson sampling for a given number K of arms. The threshold of a round is the largest sample of
the other arms; the bounds use that this threshold is rarely large.

Given the released past, the samples of a round are independent. The largest sample of the K-1 other arms exceeds m with
probability at most G(m), whatever was released (`chance_above`), and the changed arm's lower mean is at least 0. So the
threshold X exceeds x with probability at most G(x sqrt(c/(n+1))). Let J(x) be the value of the game at threshold x. The
round is worth the mean of J(X), because the adversary sees X; hence at most the mean, over a threshold Y with exactly
these probabilities, of the largest J(x), x <= Y (docs/explanation/threshold_game.md, section 4). The other arms' names
reveal nothing that X does not. The pull counts of the others are released: so G may be that of these counts, and the
worst way to divide them counts (`chances_above`).

In corners: what has a threshold up to the edge e of a cell lies in the hull of the corners of all cells before e, the
point of the curve at e, and the two of the diagonal that have its p, and p = 1, for smaller changes. The point at e is
a mixture of the two crossings beside it. So each corner has a weight, and a round is worth the sum, over the corners in
their order, of weight times the best of all corners so far (`best_coins`). That sum grows where weight is moved to
later corners: so weights are rounded to there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import inf

import numpy as np
from scipy.special import log_ndtr, ndtr

from dpbandits.extensions.thompson.coins import THRESHOLD_RANGE, Coins, coins_at
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

DIAGONAL_CELLS = 4  # cells that share a corner on the diagonal: at the last one's edge, tried before the first
ABOVE_ERROR = 1e-9  # relative, of a chance to be above a threshold: log_ndtr's, and that of what it is asked for
LEAST_ABOVE = 1e-300  # a smaller chance is taken for this one
SECOND_PULLS = (0, 1, 2, 4, 7, 12, 20, 35, 70)  # of the second most pulled of the others: where ranges begin
SHARE_ERROR = 1e-9  # of a point's place between two crossings


def chance_below(sampler: Sampler, level: Array, min_pulls: Array | float, max_pulls: Array | float) -> Array:
    """Returns the log of a lower bound on the probability that another arm's sample is at most `level`.
    This arm has `min_pulls` to `max_pulls` pulls.

    With l pulls a mean is at most l/(l+1), so that the sample is at most m with a chance of Phi(h/sqrt(c)) or more, h =
    (m-1) x + 1/x, x = sqrt(l+1), least at x = 1/sqrt(m-1) or at that end of the x which is nearer.
    """
    first, last = (min_pulls + 1.0) ** 0.5, (max_pulls + 1.0) ** 0.5
    x = np.clip(np.maximum(level - 1, LEAST_ABOVE) ** -0.5, first, np.maximum(first, last))
    return np.asarray(log_ndtr(((level - 1) * x + 1 / x) / sampler.variance**0.5))


def chance_above(sampler: Sampler, pulls: Array | int, total: Array | int, thresholds: Array) -> Array:
    """Returns an upper bound on the probability that the other arms' largest sample is above each threshold.
    The changed arm has `pulls` pulls, and all arms together at least `total`.

    The K-1 others have had total - pulls pulls, so one of them at least its share of these; the more there were, the
    smaller is this bound. pulls, total: numbers, or (groups, 1) arrays.
    """
    rivals, b, last = (sampler.arms or 2) - 1, sampler.prepulls, sampler.horizon - 1
    most_pulled = np.maximum(b, (total - pulls) / rivals)
    return chance_largest_above(sampler, pulls, thresholds, [(rivals - 1, b, last), (1, most_pulled, last)])


def chances_above(sampler: Sampler, pulls: Array, totals: range, thresholds: Array) -> Array:
    """Returns `chance_above` for several divisions of the pulls among the other arms, (laws, groups, thresholds).
    The chances are valid for all of these totals.

    Each law has all shares in which the pulls of the second most pulled of the others are within a range; as they are
    known, one of the laws serves in each round. totals: falling. pulls: (groups, 1). thresholds: (groups, thresholds).
    """
    rivals, b = (sampler.arms or 2) - 1, sampler.prepulls
    fewest, most = (np.maximum(total - pulls, rivals * b) for total in (totals[-1], totals[0]))
    half = (most - (rivals - 2) * b) / 2
    found: list[Array] = []
    for begin, end in pairwise((*SECOND_PULLS, inf)):
        low, high = max(begin, b), np.minimum(max(end - 1, b), half)
        top = np.maximum(np.maximum(low, fewest / rivals), fewest - (rivals - 1) * high)
        last = np.maximum(most - low - (rivals - 2) * b, top)
        others = [(rivals - 2, b, high), (1, low, high), (1, top, last)]
        above = chance_largest_above(sampler, pulls, thresholds, others)
        found.append(np.where(low > half, found[0], above) if found else above)  # nobody shares them so
    return np.stack(found)


def chance_largest_above(
    sampler: Sampler, pulls: Array | int, thresholds: Array, others: list[tuple[int, Array | float, Array | float]]
) -> Array:
    """Returns an upper bound on the probability that the largest sample of the other arms is above each threshold.
    others: groups of arms, each as (how many arms, their fewest pulls, their most pulls)."""
    level = thresholds * (sampler.variance / (pulls + 1.0)) ** 0.5
    below = sum(many * chance_below(sampler, level, few, most) for many, few, most in others if many)
    found = np.clip(-el.expm1(below * (1 + ABOVE_ERROR)), LEAST_ABOVE, 1.0)
    return np.asarray(np.maximum.accumulate(found[..., ::-1], axis=-1)[..., ::-1])


@lru_cache(maxsize=256)
def corner_order(cells: int) -> tuple[Ints, Ints]:
    """Returns the order of the corners by threshold, and the cell of each corner on the diagonal.
    The cell is the index of the one at whose begin the corner lies. Corners are listed as one for each cell, one before
    the first cell, one beyond the last, and those on the diagonal."""
    starts = np.arange(0, cells, DIAGONAL_CELLS)
    places = np.concatenate([np.arange(cells), [-1.0, cells], starts - 0.5])
    found = np.argsort(places), np.minimum(starts + DIAGONAL_CELLS, cells - 1)
    for each in found:
        each.flags.writeable = False
    return found


def corner_weights(chances: Array, tails: Array, begins: Array, above: Array) -> Array:
    """Returns the weights of the corners along the last axis.
    They are in the order of the corners before `corner_order` sorts them.

    chances, tails: p and 1 - p of the cells' corners. above: the chance of a threshold beyond the begin of each cell;
    what is rounded after that is a few last places of each weight.
    """
    cells = begins.size
    left = np.concatenate([np.ones_like(above[..., :1]), above], axis=-1)
    mass = left[..., :-1] - left[..., 1:]  # before the first begin; up to the next one
    near = mixture_weight(chances, tails, begins)
    weights = np.zeros((*above.shape[:-1], cells + 2 + -(-cells // DIAGONAL_CELLS)))
    weights[..., 0], weights[..., cells + 1] = mass[..., 0], above[..., -1]
    weights[..., : cells - 1] += near * mass[..., 1:]
    weights[..., 1:cells] += (1 - near) * mass[..., 1:]
    return weights


def mixture_weight(chances: Array, tails: Array, begins: Array) -> Array:
    """Returns the weight, rounded down, of the nearer tangent crossing in a mixture that gives a point of the curve.
    Each point is written as a mixture of its two neighbouring crossings."""
    at = begins[1:]
    first, second, point = (
        np.where(at > 0, *pair)
        for pair in (
            (chances[..., :-1], tails[..., :-1]),
            (chances[..., 1:], tails[..., 1:]),
            (ndtr(-at), ndtr(at)),
        )
    )
    return np.asarray(np.clip((point - second) / (first - second) - SHARE_ERROR, 0.0, 1.0))


def weighed_polygons(
    polygons: Sequence[Coins], of: Ints, edges: Array, above: Callable[[Array], Array]
) -> tuple[list[Coins], list[Array]]:
    """Does the same as `weighed_corners` for several rounds. of, edges: as returned by `coins.tangents_of_each`.
    above: the probabilities of a threshold above each of these, (rounds, thresholds)."""
    stops = np.searchsorted(of, np.arange(1, len(polygons) + 1)).tolist()
    rows = [edges[begin : stop - 1] for begin, stop in pairwise([0, *stops])]
    begins = np.full((len(rows), max(row.size for row in rows)), THRESHOLD_RANGE[1])
    for place, row in enumerate(rows):
        begins[place, : row.size] = row
    known = above(begins)
    chances = (known[:, k, : row.size] for k, row in enumerate(rows))
    found = [weighed_corners(*each) for each in zip(polygons, rows, chances, strict=True)]
    return [coins for coins, _ in found], [weights for _, weights in found]


def weighed_corners(polygon: Coins, begins: Array, above: Array) -> tuple[Coins, Array]:
    """Returns the corners in the order of their thresholds, and their weights, (corners,).
    The corners include those of smaller changes.

    polygon: of `coins.around_each` where nothing bounds the thresholds. begins: of its cells. above: the chance of a
    threshold beyond each.
    """
    order, diagonal = corner_order(begins.size)
    at = begins[diagonal]
    weights = corner_weights(polygon.p[: begins.size], polygon.tails_p[: begins.size], begins, above)
    parts = zip(polygon, coins_at(at, at), strict=True)
    return Coins(*(np.concatenate(pair)[order] for pair in parts)), weights[..., order]
