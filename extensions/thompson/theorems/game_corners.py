"""Computes polygons for a proof by Rocq's kernel that bounds the threshold game, for two arms or any number of them.
The polygon of a round contains all pairs of probabilities with which the two inputs can pull the changed arm. Its
corners are integers.

The corners lie on the kernel's tangents or above (`game_numbers.v`, `game_polygon.v`). They are not trusted: the kernel
checks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil, isqrt, log
from typing import Any, NamedTuple

from mpmath import erf, floor, mpf, npdf, pi, sqrt, workprec

from dpbandits.extensions.thompson.ceilings.rounds import tangent_positions
from dpbandits.extensions.thompson.theorems.instances import PLACES_PER_UNIT, PROPOSED_BITS

STEP_UNIT, CHANCE_UNIT, EXP_UNIT = 1 << 20, 1 << 58, 1 << 60  # of shifts and thresholds, of chances, of slopes
VALUE_UNIT, WEIGHT_UNIT = 1 << 44, 1 << 18  # of values, and of the weights of two neighbours
TABLE_UNIT, TABLED = 1 << 48, 398  # of bounds on Phi, and up to how many 64ths there are bounds
PLACE = STEP_UNIT // 64  # between places of the table of Phi
ROUND_GROWTH = 2.0  # in a round the log(Q/P) that a row of values tells may grow by so much
CUT_SHARE = 1e-3  # of delta: what rows are cut off at their ends may add so much, in all rounds together
FARTHEST = 384  # no tangents beyond, in 1/64: Phi is tabled up to there


class Shape(NamedTuple):
    """The corners of a polygon around the coins of rounds with one number of pulls. shift, high, low: in 1/STEP_UNIT.
    drift: of the grid in a round, in 1/STEP_UNIT. corners: (place of the tangent to the next corner, p, q),
    probabilities in 1/CHANCE_UNIT."""

    shift: int
    high: int
    low: int
    drift: int
    corners: tuple[tuple[int, int, int], ...]


class GameSide(NamedTuple):
    """The numbers of the game for one side of the change. ratio: of the grid, in 1/STEP_UNIT. growth: places by which a
    row of values may grow in a round. cut: a row ends where its values exceed the last one by at most that, in
    1/VALUE_UNIT. rounds: the shapes of a round by pulls, the fewest first, the last round first."""

    ratio: int
    below: int
    above: int
    growth: int
    cut: int
    rounds: tuple[tuple[Shape, ...], ...]


@cache
def normal_entries() -> tuple[tuple[int, int, int, int], ...]:
    """Returns, for each k, lower and upper bounds on Phi(k/64) and on the normal density there.
    They are in units of 1/TABLE_UNIT. `normal_entries.v` proves them."""
    with workprec(PROPOSED_BITS):
        densities = [int(floor(npdf(mpf(k) / 64) * TABLE_UNIT)) for k in range(TABLED + 1)]
        return tuple((*phi_bounds(k), density - 1, density + 2) for k, density in enumerate(densities))


def phi_bounds(k: int) -> tuple[int, int]:
    """Bounds on Phi(k/64), in units of the table; k >= 0."""
    middle = TABLE_UNIT // 2
    if k == 0:
        return middle, middle
    (low, high), root = area_bounds(k), sqrt(2 * pi)
    return int(floor(middle + low / root)) - 1, int(floor(middle + high / root)) + 2


def area_bounds(k: int) -> tuple[int, int]:
    """Bounds on the area under exp(-t^2/2) from 0 to k/64, in units of the table, wider than the kernel needs."""
    area, room = sqrt(pi / 2) * erf(mpf(k) / PLACES_PER_UNIT / sqrt(2)) * TABLE_UNIT, 3 * (k + 1)
    return int(floor(area)) - room, int(floor(area)) + 1 + room


def entry_at(k: int) -> tuple[int, int, int, int]:
    """The bounds of `normal_entries` for an integer k of either sign; trivial bounds beyond the table."""
    entries = normal_entries()
    if abs(k) >= len(entries):
        return 0, TABLE_UNIT, 0, TABLE_UNIT
    low, high, least, most = entries[abs(k)]
    return (low, high, least, most) if k >= 0 else (TABLE_UNIT - high, TABLE_UNIT - low, least, most)


def phi_up(y: int) -> int:
    """An upper bound on Phi(y/STEP_UNIT), in units of the table."""
    if abs(y) > TABLED * PLACE:
        return TABLE_UNIT
    k, h = divmod(y, PLACE)
    _, high, _, most = entry_at(k)
    u = k * h
    return high + 1 + most * h * (10 * (1 << 52) - 5 * u * (1 << 26) + 4 * u * u) // (10 << 72)


def phi_down(y: int) -> int:
    """A lower bound on Phi(y/STEP_UNIT), in units of the table."""
    if abs(y) > TABLED * PLACE:
        return 0
    k, h = divmod(y, PLACE)
    low, _, least, _ = entry_at(k)
    return low + least * h * ((1 << 27) - k * h - 8192) // (1 << 47)


def squared(x: int, up: int) -> int:
    """Squares a fixed-point number 26 times, and adds `up` after each rounding, as the kernel does."""
    for _ in range(26):
        x = x * x // EXP_UNIT + up
    return x


class KernelLine(NamedTuple):
    """A tangent with the rounding of Rocq's kernel, which lies on or above the exact tangent."""

    place: int
    height: int
    up: int
    down: int
    base: int

    def at(self, p: int) -> int:
        """The smallest q on or above the line at p, as the kernel computes it."""
        return self.height + (self.up if p >= self.base else self.down) * (p - self.base) // EXP_UNIT + 1

    def meeting(self, other: KernelLine) -> int:
        """The approximate p at which this line crosses the line `other`, which has another slope."""
        mine, theirs = (each.height * EXP_UNIT - each.up * each.base for each in (self, other))
        return (mine - theirs) // (other.up - self.up)

    def reaching(self, q: int) -> int:
        """The approximate p at which the line, as the kernel computes it, has the height q, and not more."""
        return self.base + (q - 1 - self.height) * EXP_UNIT // self.up


@cache
def line_of(shift: int, place: int) -> KernelLine:
    """The tangent of the curve of coins at the threshold -place/64, rounded as the kernel rounds."""
    a = 2 * shift * place * PLACE - shift * shift
    up, down = squared(EXP_UNIT + a // 128 + 2 + a * a // (1 << 73), 1), squared(EXP_UNIT + a // 128, 0)
    return KernelLine(place, phi_up(shift - place * PLACE) * 1024, up, down, phi_down(-place * PLACE) * 1024)


def root_up(numerator: int, denominator: int) -> int:
    """The square root of a quotient, in units of 1/STEP_UNIT, rounded up."""
    at = isqrt(numerator * STEP_UNIT * STEP_UNIT // denominator)
    return at + (at * at * denominator < numerator * STEP_UNIT * STEP_UNIT)


class Reach(NamedTuple):
    """Limits of a round, in 1/STEP_UNIT, rounded up: how far a reward moves the difference of the samples, and how far
    the means allow thresholds to go."""

    shift: int
    high: int
    low: int


def reach_of(total: int, n: int, variance: Fraction) -> Reach:
    """Returns the limits on the coins (pairs of pull probabilities) of a round after `total` pulls.
    The round comes after `total` pulls, n of them of the changed arm."""
    rest = total - n
    c, scale = variance.numerator * (total + 2), variance.denominator
    return Reach(
        root_up(scale * (rest + 1), c * (n + 1)),
        root_up(scale * rest * rest * (n + 1), c * (rest + 1)),
        root_up(scale * n * n * (rest + 1), c * (n + 1)),
    )


def reach_of_any(n: int, variance: Fraction) -> Reach:
    """Returns the limits on the coins after n pulls of the changed arm, for any number of arms. Only the shift is
    limited."""
    return Reach(root_up(variance.denominator, variance.numerator * (n + 1)), 0, 0)


def shape_of(reach: Reach, free: bool, near: tuple[int, int], width: int, drift: float) -> Shape:
    """Returns a polygon, by its corners, that contains the coins of all rounds with the limits `reach`.
    free: whether thresholds are unbounded. near, width: where tangents are close, and how close. drift: how far a round
    without a pull moves the ratio."""
    shift, high, low = reach
    first, top = (0, CHANCE_UNIT) if free else (phi_down(-high) * 1024, min(phi_up(low) * 1024, CHANCE_UNIT))
    ends = (-FARTHEST, FARTHEST) if free else (-(-(shift - low) // PLACE), high // PLACE)
    inner = [x for x in tangent_positions(near, width) if ends[0] < x < ends[1]]
    places = sorted({max(min(x, FARTHEST), -FARTHEST) for x in (*inner, *ends)}, reverse=True)
    if free:  # beyond the table Phi counts as 0 or 1; where the tangents there are lower at an end, they are added
        farther = TABLED + shift // PLACE, -TABLED
        if line_of(shift, farther[0]).at(0) < line_of(shift, places[0]).at(0):
            places.insert(0, farther[0])
        if line_of(shift, farther[1]).reaching(top) > line_of(shift, places[-1]).reaching(top):
            places.append(farther[1])
    lines = list({line.up: line for line in (line_of(shift, x) for x in places)}.values())  # one for each slope
    meetings = [max(one.meeting(other), first) for one, other in pairwise(lines)]
    found = [(lines[0].place, first, max(lines[0].at(first), 0))]
    for (one, other), p in zip(pairwise(lines), meetings, strict=True):
        if found[-1][1] <= p and one.at(p) < top:
            found.append((other.place, p, max(one.at(p), other.at(p))))
    last = line_of(shift, found[-1][0])
    end = min(max(last.reaching(top), found[-1][1]), top)
    found.append((0, end, max(top, min(last.at(end), CHANCE_UNIT))))
    found.append((0, top, top))
    return Shape(shift, high, low, round(drift * STEP_UNIT), tuple((x, p, min(q, CHANCE_UNIT)) for x, p, q in found))


def side_of(
    horizon: int, variance: Fraction, prepulls: int, choices: Mapping[str, Any], delta: float, two: bool
) -> GameSide:
    """Returns the threshold game for one side of the change, built from a ceiling's settings for this side.
    It is played from max(2 prepulls, 1) pulls on, max(prepulls, 1) of them of the changed arm. two: whether for two
    arms, or for any number. For any number, polygons do not depend on the round, and a round moves the grid by one
    step or not at all, so that the kernel computes the taps of a polygon once."""
    first, ratio = max(prepulls, 1), float(choices["ratio"])
    rounds: list[tuple[Shape, ...]] = []
    shapes: dict[int, Shape] = {}
    spans = list(choices["spans"])
    span = spans[0]
    for total in range(horizon - 1, max(2 * prepulls, 1) - 1, -1):
        if spans and total <= spans[0]["top"]:
            span, shapes = spans.pop(0), {}
        found = []
        for n in range(first, min(choices["last"], total - prepulls) + 1):
            if n not in shapes:
                stays = n == choices["last"]
                told = span["rows"][min(n - first, len(span["rows"]) - 1) :]
                met, drift = told if stays else told[:1], float(told[0][2])
                if not two:
                    drift = ratio if drift * drift > ratio else 1.0
                near = min(low for low, _, _ in met), max(high for _, high, _ in met)
                reach = reach_of(span["top"], n, variance) if two else reach_of_any(n, variance)
                shapes[n] = shape_of(reach, stays or not two, near, choices["width"], drift)
            found.append(shapes[n])
        rounds.append(tuple(found))
    growth, cut = ceil(ROUND_GROWTH / log(ratio)), max(int(delta * CUT_SHARE / horizon * VALUE_UNIT), 1)
    return GameSide(round(ratio * STEP_UNIT), choices["above"], choices["below"], growth, cut, tuple(rounds))


def first_chance(total: int, variance: Fraction) -> int:
    """Returns a lower bound on the probability that an arm without pulls is pulled, in units of 1/CHANCE_UNIT.
    The pull comes after `total` rounds."""
    return phi_down(-reach_of(total, 0, variance).high) * 1024
