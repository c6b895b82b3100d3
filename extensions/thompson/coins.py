"""Coins, the pairs of probabilities with which a round may pull the changed arm, and a polygon around them.

A coin (p, q) means that the changed arm is pulled with probability p on the side where it pays less, and q on the
other. The rounds with shift s allow the curve (Phi(-x), Phi(s-x)), which is concave, and the points between it and the
diagonal. Between two thresholds the curve lies below its two tangents, so inside the triangle of the two end points and
the tangents' crossing. A convex function of the coin is largest, over the convex hull of such triangles, at a crossing
or at the hull's other corners.

The tangent at x has slope k = exp(s x - s^2/2) and meets p = 0 at a(k) = Phi(s-x) - k Phi(-x), with a'(k) =
-Phi(-x(k)). So the crossing of the tangents at k_1 and k_2 has p = (a(k_1) - a(k_2))/(k_2 - k_1), the average of
Phi(-x) over k in [k_1, k_2]. By symmetry q is the average of Phi(s-x) over 1/k, and 1-p and 1-q are those of Phi(x) and
Phi(x-s). Averages of positive numbers lose no digits by cancellation; as functions of x they are analytic, and Gaussian
quadrature is exact to roundoff on parts of a cell that are narrow enough for the shift and for their distance from 0
(`parts`):

An integrand f(x), e^(+-sx) times one of these Phi or alone, is positive and log-concave. Its log has a slope of at most
L = s + |x| + 1, for phi(x)/Phi(-x) <= max(x, 0) + 1; and |f(x + iy)| <= e^(y^2/2) f(x), for |phi(x + iy)| = e^(y^2/2)
phi(x). On a part of half width h <= 1/2 let Lh <= STEEPEST, also for x up to h(A - 1) <= MAX_ELLIPSE_EXCESS outside it.
On the ellipse around it with semiaxes hA and hB, A +- B = r^(+-1), r = 8, |f| is at most e^(h^2 B^2/2 + Lh(A-1)) times
the largest f in the part; by Chebyshev's series a polynomial of degree 2n - 1, which n nodes integrate exactly, is
within 2 r^(1-2n)/(r-1) times that of f; and the average of f is at least (1 - e^(-2Lh))/(2Lh) times its largest value.
So the relative error of the rule is at most 4 r^(1-2n)/(r-1) e^(h^2 B^2/2 + Lh(A-1)) 2Lh/(1 - e^(-2Lh)): below 1e-15
for n = RULE_ORDER; and if h and Lh are smaller, with larger ellipses, for fewer nodes (`NARROW_RULES`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from dpbandits.extensions.thompson.rules import RoundLimits
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.linear import legendre
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

RULE_ORDER = 15
STEEPEST = 7.0  # by how much a log may change on half of what one rule integrates
MAX_ELLIPSE_EXCESS = 1.54
LARGEST_SHIFT = 700.0  # beyond, what a coin tells is out of the range of doubles
MAX_TANGENT_GAP = 1.0
THRESHOLD_RANGE = (-8.0, 9.0)  # no tangents beyond: what is there has probability below 1e-15
DENSE_THRESHOLD_RANGE = (-1.0, 3.5)  # thresholds matter here, where nothing better is known
SPREAD = 3.0  # see `tangents_of_each`
# So many nodes are enough up to this half width, that of the closest tangents of long runs, and this change of a log on
# it, by an ellipse with r = 64.
NARROW_RULES = ((6, 1 / 32, 3 / 8),)
NODES_AT_ONCE = 2**13  # they fit a processor's inner cache


class Coins(NamedTuple):
    """Coins and their complements: p, 1-p on the side where the arm pays less; q, 1-q on the other. All of one
    shape."""

    p: Array
    tails_p: Array
    q: Array
    tails_q: Array


def crossings(shift: Array, left: Array, right: Array) -> Coins:
    """Returns the points (coins) at which tangents at the thresholds `left` and `right` cross.
    Arrays that broadcast; left < right. Raises ValueError for a shift beyond LARGEST_SHIFT."""
    cells = np.broadcast_arrays(shift, left, right)
    counts = node_counts(*cells)
    shifts, starts, ends = (each.ravel() for each in cells)
    found = np.empty((4, counts.size))
    for nodes in np.unique(counts).tolist():
        places, together = np.flatnonzero(counts == nodes), max(1, NODES_AT_ONCE // nodes)
        for begin in range(0, places.size, together):
            some = places[begin : begin + together]
            found[:, some] = crossing_averages(shifts[some], starts[some], ends[some], nodes)
    return Coins(*found.reshape(4, *counts.shape))


def crossing_averages(shift: Array, left: Array, right: Array, nodes: int) -> Coins:
    """Computes, by quadrature, where neighbouring tangents cross, for cells that need this number of nodes.
    (cells,) each."""
    node, share = (each[:, None] for each in rule(nodes))
    middle, half = (left + right) / 2, (right - left) / 2
    x = middle + half * node
    rise = share * el.exp(shift * half * (node - 1))
    weights = np.stack([rise, rise[::-1]], axis=1)[:, :, None]  # the rule is symmetric
    weights /= node_sums(weights)
    values = ndtr(np.stack([-x, x, shift - x, x - shift], axis=1)).reshape(nodes, 2, 2, -1)
    values *= weights
    return Coins(*node_sums(values).reshape(4, -1))


def node_sums(values: Array) -> Array:
    """The sums of values (nodes, ..) over the nodes.
    Eight sums are added up side by side, as numpy adds up to 128 numbers that are next to each other."""
    whole = len(values) - len(values) % 8
    if not whole:
        return np.asarray(values.sum(axis=0))
    eight = values[:whole].reshape(-1, 8, *values.shape[1:]).sum(axis=0)
    four = eight[::2] + eight[1::2]
    total: Array = (four[0] + four[1]) + (four[2] + four[3])
    for rest in values[whole:]:
        total += rest
    return total


def node_counts(shift: Array, left: Array, right: Array) -> Ints:
    """Returns the number of quadrature nodes that each cell needs for a result exact to roundoff.
    RULE_ORDER in each of several parts, or fewer if the cell is narrow. Raises ValueError for a shift beyond
    LARGEST_SHIFT."""
    if np.max(shift) > LARGEST_SHIFT:
        raise ValueError(
            f"a reward may change a sample by {np.max(shift):.3g} standard deviations; at most {LARGEST_SHIFT:g} are "
            "supported, so increase the variance"
        )
    half = (right - left) / 2
    steep = half * (shift + np.maximum(-left, right) + 1 + MAX_ELLIPSE_EXCESS)
    parts = np.maximum(np.ceil(np.maximum(2 * half, steep / STEEPEST) - 1e-9), 1)
    found = np.asarray(RULE_ORDER * parts.astype(int))
    for nodes, widest, steepest in reversed(NARROW_RULES):
        found[(half <= widest) & (steep <= steepest)] = nodes
    return found


@lru_cache(maxsize=64)
def rule(nodes: int) -> tuple[Array, Array]:
    """Returns the nodes in [-1, 1] and the weights of a quadrature rule with this many nodes.
    Those of Gaussian quadrature, repeated on equal parts if there are more than RULE_ORDER nodes."""
    parts = max(nodes // RULE_ORDER, 1)
    places, weights = legendre(nodes // parts)
    return np.add.outer(np.arange(1 - parts, parts, 2), places).ravel() / parts, np.tile(weights, parts)


def coins_at(u: Array, v: Array) -> Coins:
    """The coins (pairs of pull probabilities) (Phi(-u), Phi(-v)), with their complements."""
    return Coins(ndtr(-u), ndtr(u), ndtr(-v), ndtr(v))


def tangent_thresholds(width: float, near: tuple[float, float], shift: float = 0.0) -> Array:
    """Returns the increasing thresholds at which tangents to the curve of coins are drawn in one round.
    They are the edges of the cells for a round with unbounded thresholds. width, near, shift: as in
    `tangents_of_each`."""
    return tangents_of_each(width, np.array([shift]), np.array([near]), SPREAD, MAX_TANGENT_GAP)[1]


def tangents_of_each(
    width: float | Array, shift: Array, near: Array, spread: float, widest: float
) -> tuple[Ints, Array]:
    """Returns the thresholds at which tangents to the curves of coins of several rounds are drawn.
    Returns the round of each threshold, and all thresholds in one array, increasing in each round.

    near: (rounds, 2), the range of thresholds in which the distance of neighbouring ones is `width` (one number, or
    (rounds,)), divided by the round's `shift` (rounds,) if that is above 1. The polygon exceeds the curve there by a
    fraction of about width^2/8 of the loss of a coin, for any shift. spread: elsewhere, the distance is larger by the
    distance to `near` divided by this; widest: an upper bound on it.
    """
    gap_near, (least, most) = np.minimum(width / np.maximum(shift, 1.0), widest), THRESHOLD_RANGE
    first, last = np.clip(near, least, most).T
    cells = np.maximum(np.ceil((last - first) / gap_near), 1)
    place = np.arange(cells.max() + 1)
    close = place * ((last - first) / cells)[:, None] + first[:, None]
    drawn = [np.where(place < cells[:, None], close, last[:, None])]
    for begin, end, sign in ((first, least, -1), (last, most, 1)):
        at = begin
        while (goes_on := sign * at < sign * end).any():  # infinite where a round has them all
            gap = np.minimum(gap_near + sign * (at - begin) / spread, widest)
            at = np.where(goes_on, at + sign * gap, sign * np.inf)
            drawn.append(at[:, None])
    found = np.sort(np.concatenate(drawn, axis=1))
    are_new = np.isfinite(found)
    are_new[:, 1:] &= found[:, 1:] != found[:, :-1]
    return np.nonzero(are_new)[0], found[are_new]


def subdivided_cells(left: Array, right: Array, widest: float) -> tuple[Ints, Array, Array]:
    """Divides cells of thresholds into parts no wider than `widest`; returns each part's cell and ends.
    Beyond the last tangents, this limit decreases in inverse proportion to the distance from 0. Returns the cell of
    each part, and the parts' ends."""
    far = np.maximum(np.maximum(-left, right) / THRESHOLD_RANGE[1], 1.0)
    parts = np.maximum(np.ceil((right - left) / widest * far - 1e-9), 1).astype(int)
    cell = np.repeat(np.arange(parts.size), parts)
    place, width = np.arange(cell.size) - np.repeat(np.cumsum(parts) - parts, parts), ((right - left) / parts)[cell]
    end = np.where(place + 1 == parts[cell], right[cell], left[cell] + (place + 1) * width)
    return cell, left[cell] + place * width, end


def around_each(
    rules: Sequence[RoundLimits],
    width: float | Array,
    near: Sequence[tuple[float, float]],
    spread: float = SPREAD,
    widest: float = MAX_TANGENT_GAP,
) -> list[Coins]:
    """Returns, for each round, the corners of a polygon that contains all of its coins, (corners,).
    rules: all with limits, or none.

    width, near, spread, widest: as in `tangents_of_each`. If low and high are inf,
    the curve beyond the first and the last threshold is enclosed by the coins (Phi(-x), 1) and (0, Phi(s-x)): they
    reveal as much for both outcomes as that part of the curve.
    """
    shift, low, high = (np.concatenate(parts) for parts in zip(*rules, strict=True))
    of, x = tangents_of_each(width, shift, np.array(near), spread, widest)
    are_free = bool(np.isinf(low).any())
    if are_free:
        begins = np.searchsorted(of, np.arange(shift.size + 1))
        start, stop, inf = x[begins[:-1]], x[begins[1:] - 1], np.full(shift.size, np.inf)
        u, v = np.stack([start, inf], axis=1), np.stack([-inf, stop - shift], axis=1)
    else:
        start, stop = shift - low, np.maximum(high, shift - low)  # equal up to rounding, if not in this order
        # The two ends of the arc, and those of the diagonal, where smaller changes and none at all are.
        u, v = np.stack([start, stop, -low, high], axis=1), np.stack([-low, stop - shift, -low, high], axis=1)
        inside, every = (x > start[of] + 1e-6) & (x < stop[of] - 1e-6), np.arange(shift.size)
        of, x = np.concatenate([every, of[inside], every]), np.concatenate([start, x[inside], stop])
        order = np.lexsort((x, of))
        of, x = of[order], x[order]
    within = of[1:] == of[:-1]
    of, left, right = of[1:][within], x[:-1][within], x[1:][within]
    if not are_free:
        cell, left, right = subdivided_cells(left, right, widest)
        of = of[cell]
    stops, arc, ends = np.searchsorted(of, np.arange(shift.size + 1)), crossings(shift[of], left, right), coins_at(u, v)
    return [
        Coins(*(np.concatenate([part[begin:end], more[k]]) for part, more in zip(arc, ends, strict=True)))
        for k, (begin, end) in enumerate(pairwise(stops.tolist()))
    ]
