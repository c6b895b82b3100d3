"""Coins: the pairs of probabilities that a round offers, and a polygon around them.

A coin (p, q) is pulled with probability p on the side where the changed arm pays less, q on the other. The rounds with
shift s offer the curve (Phi(-x), Phi(s-x)), concave, and what lies between it and the diagonal. Between two thresholds
the curve lies below its two tangents, so inside the triangle of the two end points and the tangents' crossing. A convex
function of the coin is largest, over the convex hull of such triangles, at a crossing or at the hull's other corners.

The tangent at x has slope k = exp(s x - s^2/2) and meets p = 0 at a(k) = Phi(s-x) - k Phi(-x), with a'(k) =
-Phi(-x(k)). So the crossing of the tangents at k_1 and k_2 has p = (a(k_1) - a(k_2))/(k_2 - k_1), the average of
Phi(-x) over k in [k_1, k_2]. By symmetry q is the average of Phi(s-x) over 1/k, and 1-p and 1-q are those of Phi(x) and
Phi(x-s). Averages of positive numbers cancel nothing; as functions of x they are analytic, and Gauss's rule is exact to
roundoff on parts of a cell that are narrow enough for the shift and for how far out they lie (`parts`):

An integrand f(x), e^(+-sx) times one of these Phi or alone, is positive and log-concave. Its log has a slope of at most
L = s + |x| + 1, for phi(x)/Phi(-x) <= max(x, 0) + 1; and |f(x + iy)| <= e^(y^2/2) f(x), for |phi(x + iy)| = e^(y^2/2)
phi(x). On a part of half width h <= 1/2 let Lh <= STEEPEST, also for x up to h(A - 1) <= MAX_ELLIPSE_EXCESS outside of
it. On the ellipse around it with semiaxes hA and hB, A +- B = r^(+-1), r = 8, |f| is at most e^(h^2 B^2/2 + Lh(A-1))
times the largest f in the part; by Chebyshev's series a polynomial of degree 2n - 1, which n nodes integrate exactly,
is within 2 r^(1-2n)/(r-1) times that of f; and the average of f is at least (1 - e^(-2Lh))/(2Lh) times its largest
value. So the rule errs by a share of at most 4 r^(1-2n)/(r-1) e^(h^2 B^2/2 + Lh(A-1)) 2Lh/(1 - e^(-2Lh)): below 1e-15
at n = RULE_ORDER.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from dpbandits.proofs_checks.thompson.rules import RoundLimits
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.linear import legendre
from dpbandits.reference.bandits.noise import Array

RULE_ORDER = 15
STEEPEST = 7.0  # by how much a log may change on half of what one rule integrates
MAX_ELLIPSE_EXCESS = 1.54
LARGEST_SHIFT = 700.0  # beyond, what a coin tells is out of the range of doubles
MAX_TANGENT_GAP = 1.0
THRESHOLD_RANGE = (-8.0, 9.0)  # no tangents beyond: what is there has probability below 1e-15
DENSE_THRESHOLD_RANGE = (-1.0, 3.5)  # thresholds matter here, where nothing better is known
SPREAD = 3.0  # see `tangent_thresholds`
RULE_NODES, RULE_WEIGHTS = legendre(RULE_ORDER)


class Coins(NamedTuple):
    """Coins, and what they are not: p, 1-p on the side where the arm pays less; q, 1-q on the other. One shape."""

    p: Array
    tails_p: Array
    q: Array
    tails_q: Array


def crossings(shift: Array, left: Array, right: Array) -> Coins:
    """Where the tangents at the thresholds `left` and `right` cross. Arrays that broadcast; left < right. Raises
    ValueError for a shift beyond LARGEST_SHIFT."""
    node, share = rule(rule_part_count(shift, left, right))
    shift, middle, half = (np.asarray(a)[..., None] for a in (shift, (left + right) / 2, (right - left) / 2))
    x = middle + half * node
    rise, fall = (share * el.exp(shift * half * (sign * node - 1)) for sign in (1, -1))
    rise, fall = (side / side.sum(axis=-1, keepdims=True) for side in (rise, fall))
    averages = ((rise, -x), (rise, x), (fall, shift - x), (fall, x - shift))
    return Coins(*((weight * ndtr(z)).sum(axis=-1) for weight, z in averages))


def rule_part_count(shift: Array, left: Array, right: Array) -> int:
    """Into how many parts cells have to be divided for the rule to be exact."""
    if np.max(shift) > LARGEST_SHIFT:
        raise ValueError(
            f"a round may move the threshold by {np.max(shift):.3g}, more than {LARGEST_SHIFT:g} deviations"
        )
    slope = shift + np.maximum(-left, right) + 1 + MAX_ELLIPSE_EXCESS
    wanted = max(np.max(right - left), np.max((right - left) / 2 * slope) / STEEPEST)
    return max(ceil(wanted - 1e-9), 1)


@lru_cache(maxsize=64)
def rule(parts: int) -> tuple[Array, Array]:
    """Nodes and weights of Gauss's rule on so many equal parts of [-1, 1]."""
    return np.add.outer(np.arange(1 - parts, parts, 2), RULE_NODES).ravel() / parts, np.tile(RULE_WEIGHTS, parts)


def coins_at(u: Array, v: Array) -> Coins:
    """The coins (Phi(-u), Phi(-v))."""
    return Coins(ndtr(-u), ndtr(u), ndtr(-v), ndtr(v))


def tangent_thresholds(width: float, near: tuple[float, float], spread: float = SPREAD) -> Array:
    """Where tangents are drawn, increasing. width: their distance in the range `near`; the polygon exceeds the curve
    there by a share of about width^2/8 of what a coin tells, at any shift. spread: elsewhere, they lie so many times
    closer together than they are away from there. None are farther apart than MAX_TANGENT_GAP."""
    width = min(width, MAX_TANGENT_GAP)
    first, last = (min(max(end, THRESHOLD_RANGE[0]), THRESHOLD_RANGE[1]) for end in near)
    close = np.linspace(first, last, max(int(np.ceil((last - first) / width)), 1) + 1)
    left, right = [first], [last]
    while left[-1] > THRESHOLD_RANGE[0]:
        left.append(left[-1] - tangent_gap(first - left[-1], width, spread))
    while right[-1] < THRESHOLD_RANGE[1]:
        right.append(right[-1] + tangent_gap(right[-1] - last, width, spread))
    return np.unique(np.concatenate([left[1:], close, right[1:]]))


def tangent_gap(away: float, width: float, spread: float) -> float:
    return min(width + away / spread, MAX_TANGENT_GAP)


def subdivided_edges(edges: Array) -> Array:
    """These edges, with more between any two that are farther apart than MAX_TANGENT_GAP, or than what is as steep
    beyond the last tangents: the ends may lie far from them."""
    far = np.maximum(np.maximum(-edges[:-1], edges[1:]) / THRESHOLD_RANGE[1], 1.0)
    parts = np.maximum(np.ceil(np.diff(edges) / MAX_TANGENT_GAP * far - 1e-9), 1).astype(int)
    place = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    return np.append(np.repeat(edges[:-1], parts) + place * np.repeat(np.diff(edges) / parts, parts), edges[-1])


def around(rules: RoundLimits, width: float, near: tuple[float, float] = DENSE_THRESHOLD_RANGE) -> Coins:
    """Corners of a polygon around all coins of a round, one pull count at a time: (corners,).

    width, near: of `thresholds`. For low and high inf, the curve beyond the first and the last of
    them is enclosed by the coins (Phi(-x), 1) and (0, Phi(s-x)): they are as telling on both outcomes as all of it.
    """
    return around_each([rules], width, [near])[0]


def around_each(
    rules: Sequence[RoundLimits], width: float, near: Sequence[tuple[float, float]], spread: float = SPREAD
) -> list[Coins]:
    """`around` for many rounds at once."""
    polygons = [edges_and_ends(one, width, at, spread) for one, at in zip(rules, near, strict=True)]
    sizes = [edges.size - 1 for _, edges, _ in polygons]
    shift = np.repeat([shift for shift, _, _ in polygons], sizes)
    left, right = (np.concatenate([edges[some] for _, edges, _ in polygons]) for some in (np.s_[:-1], np.s_[1:]))
    inside, stops = crossings(shift, left, right), np.cumsum(sizes).tolist()
    found = []
    for (_, _, ends), stop, size in zip(polygons, stops, sizes, strict=True):
        cells = (part[stop - size : stop] for part in inside)
        found.append(Coins(*(np.concatenate(pair) for pair in zip(cells, ends, strict=True))))
    return found


def edges_and_ends(
    rules: RoundLimits, width: float, near: tuple[float, float], spread: float
) -> tuple[float, Array, Coins]:
    """The shift, where tangents are drawn, and the other corners."""
    shift, low, high = (float(x[0]) for x in rules)
    inf, inner = np.inf, tangent_thresholds(width / max(shift, 1.0), near, spread)
    if low == inf and high == inf:
        return shift, inner, coins_at(np.array([inner[0], inf]), np.array([-inf, inner[-1] - shift]))
    start, stop = shift - low, max(high, shift - low)  # equal up to rounding, if not in this order
    edges = subdivided_edges(np.concatenate([[start], inner[(inner > start + 1e-6) & (inner < stop - 1e-6)], [stop]]))
    # The two ends of the arc, and those of the diagonal, where smaller changes and none at all are.
    return shift, edges, coins_at(np.array([start, stop, -low, high]), np.array([-low, stop - shift, -low, high]))
