"""The coins of a round, and the corners of a polygon that contains all of them. A coin is the pair of probabilities
with which the changed arm is pulled, one for each of the two neighbouring tables."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from .numbers import FIXED_POINT_ONE, ONE_ENDS, ZERO_ENDS, Ends, exponential, phi, root_rounded_up
from .sampler import Sampler

PART = 64  # thresholds are multiples of 1/PART
FIRST_THRESHOLD, LAST_THRESHOLD = -8 * PART, 9 * PART  # no tangents beyond


class SquaredRoundLimits(NamedTuple):
    """The limits on the coins of a round with n pulls of the changed arm: it is pulled with probability Phi(-u) on the
    side where it pays less, and Phi(-v) where it pays more, u - v <= shift, -low <= v <= u <= high. The fields are the
    squares; None for no bound."""

    shift: Fraction
    low: Fraction | None
    high: Fraction | None

    def within(self, other: SquaredRoundLimits) -> bool:
        """Whether all coins that these limits allow are also allowed by the limits `other`."""
        pairs = zip(self, other, strict=True)
        return all(theirs is None or (mine is not None and mine <= theirs) for mine, theirs in pairs)


def round_limits(sampler: Sampler, n: int, total: int, free: bool) -> SquaredRoundLimits:
    """Returns the limits on the coins (pairs of pull probabilities) of a round after `total` pulls.
    The round comes after `total` pulls, n of them of the changed arm. free: for two arms, whether the means are
    unbounded."""
    c = sampler.variance
    if not sampler.two:
        return SquaredRoundLimits(1 / (c * (n + 1)), None, None)
    rest = total - n
    precision = Fraction((n + 1) * (rest + 1), total + 2) / c  # 1/D^2, of theta_1 - theta_0
    shift = precision / (n + 1) ** 2
    if free:
        return SquaredRoundLimits(shift, None, None)
    return SquaredRoundLimits(shift, precision * Fraction(n, n + 1) ** 2, precision * Fraction(rest, rest + 1) ** 2)


class Coin(NamedTuple):
    """The probabilities of a pull on the side where the changed arm pays less, and where it pays more."""

    p: Ends
    q: Ends


def corners(rule: SquaredRoundLimits, near: tuple[int, int], width: int) -> list[Coin]:
    """Returns the corners of a polygon that contains the points (p, q) of all coins that are possible in a round.
    near, width: where tangents are close, and how close.

    The curve (Phi(-x), Phi(s - x)) is concave, with the tangent of slope e^(sx - s^2/2) at x: so it lies below the
    crossings of neighbouring tangents. Bounded: between the ends of its arc, and of the diagonal. Free: beyond the
    first tangent it lies below and right of (Phi(-x), 1), beyond the last one below (0, Phi(s - x)).
    """
    s = root_rounded_up(rule.shift)
    inner = tangent_positions(near, width)
    if rule.low is None or rule.high is None:
        xs = [x * FIXED_POINT_ONE // PART for x in inner]
        ends = [
            Coin(phi(-xs[0]), ONE_ENDS),
            Coin(ZERO_ENDS, phi(s - xs[-1])),
            Coin(ZERO_ENDS, ZERO_ENDS),
            Coin(ONE_ENDS, ONE_ENDS),
        ]
    else:
        start = s - root_rounded_up(rule.low)
        stop = max(root_rounded_up(rule.high), start)
        gap = FIXED_POINT_ONE // (4 * PART)
        xs = [start, *(at for x in inner if start + gap < (at := x * FIXED_POINT_ONE // PART) < stop - gap), stop]
        least, most = phi(-stop), phi(s - start)
        ends = [Coin(least, phi(s - stop)), Coin(phi(-start), most), Coin(least, least), Coin(most, most)]
        if stop - start <= gap:
            xs = [start - gap, stop + gap]
    return ends + crossings(s, xs)


def crossings(s: int, xs: list[int]) -> list[Coin]:
    """Returns the points at which neighbouring tangents of the curve of coins cross. xs: their thresholds."""
    tangents = []
    for x in xs:
        slope = exponential(Fraction(2 * s * x - s * s, 2 * FIXED_POINT_ONE * FIXED_POINT_ONE))
        tangents.append((slope, phi(s - x).minus(slope.times(phi(-x)))))
    found = []
    for (slope, at_0), (next_slope, next_at_0) in pairwise(tangents):
        p = at_0.minus(next_at_0).over(next_slope.minus(slope))
        found.append(Coin(p.chance(), at_0.plus(slope.times(p)).chance()))
    return found


def tangent_positions(near: tuple[int, int], width: int) -> list[int]:
    """Returns the increasing thresholds at which tangents are drawn, in units of 1/PART.
    `width` apart within `near`, and farther apart elsewhere."""
    low, high = near
    found = list(range(low, high + 1, width))
    while found[0] > FIRST_THRESHOLD:
        found.insert(0, found[0] - min(width + (low - found[0]) // 3, PART))
    while found[-1] < LAST_THRESHOLD:
        found.append(found[-1] + min(width + (found[-1] - high) // 3, PART))
    return found
