"""Interval arithmetic with a memory for where a formula is defined.

An `Interval` [low, high] encloses the values that a formula takes at those points of a box where it is
defined; `defined` says whether that is everywhere in the box, perhaps, or nowhere. So log([-1, 1]) is
[-inf, 0], defined perhaps, and 1/[0, 0] is the whole line, defined nowhere: no information, never a wrong
enclosure.

The arithmetic is Arb's, whose balls (a midpoint and a radius) enclose; a ball is used at single points only. The
ends of an interval are exact binary numbers, and an operation evaluates balls at the ends, or at the corners, and takes
the lowest and the highest numbers in them. So exact results stay exact, and monotone functions lose nothing.

All values are real numbers: an infinite end says that nothing bounds them. So 0 times [0, inf] is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Any

from flint import arb, ctx, fmpq

from dpbandits.proofs_checks.vocabularies.arb_ends import (
    ARB_ONE,
    ARB_ZERO,
    INF,
    NEG_INF,
    Ends,
    corner_product,
    corner_quotient,
    end_parts,
    hull,
    increasing,
    negative,
    rational_below,
    sum_below,
)
from dpbandits.proofs_checks.vocabularies.decimals import exactly
from dpbandits.proofs_checks.vocabularies.operators import from_both_sides, refuses
from dpbandits.proofs_checks.vocabularies.rounded_doubles import double_above, double_below

# The lower end of exp is not followed beyond, nor is a power taken for a whole one.
MAX_FOLLOWED_EXPONENT = arb(2.0**64)
GUARD = 64  # bits more for powers and Phi, which multiply relative errors by the exponent, up to 2^64 for x^2/2


class Defined(IntEnum):
    """At how many points of a box a formula is known to be defined."""

    NOWHERE = 0
    PERHAPS = 1
    EVERYWHERE = 2


# -- operations ------------------------------------------------------------------------------------------------

Binary = Callable[["Interval", "Interval", Defined], "Interval"]


def operated(operation: Binary, a: Any, b: Any) -> Interval:
    """The operation between two intervals, or one and a number, with the bits of the (first) interval."""
    try:
        if not isinstance(a, Interval):
            a = point(exactly(a), b.prec)
        elif not isinstance(b, Interval):
            b = point(exactly(b), a.prec)
    except TypeError:
        return NotImplemented  # type: ignore[no-any-return]
    before, ctx.prec = ctx.prec, a.prec  # as ctx.workprec does, which takes longer than a sum
    try:
        return operation(a, b, min(a.defined, b.defined))
    finally:
        ctx.prec = before


def interval_sum(a: Interval, b: Interval, defined: Defined) -> Interval:
    high = sum_below(negative(a.ends[1]), negative(b.ends[1]))
    return a.with_((sum_below(a.ends[0], b.ends[0]), negative(high)), defined)


def interval_product(a: Interval, b: Interval, defined: Defined) -> Interval:
    if a.ends[0] >= 0 and b.ends[0] >= 0:  # two corners instead of four
        return a.with_(increasing(corner_product(a.ends[0], b.ends[0]), corner_product(a.ends[1], b.ends[1])), defined)
    return a.with_(hull([corner_product(x, y) for x in a.ends for y in b.ends]), defined)


def interval_quotient(a: Interval, b: Interval, defined: Defined) -> Interval:
    low, high = b.ends
    if low == high == 0:
        return nothing(a.prec)
    if low <= 0 <= high:
        defined = min(defined, Defined.PERHAPS)
    if low < 0 < high:
        return a.with_((NEG_INF, INF), defined)
    if a.ends[0] >= 0 and low > 0:
        return a.with_(increasing(corner_quotient(a.ends[0], high, INF), a.ends[1] / low), defined)
    side = INF if high > 0 else NEG_INF  # of 1/y for small y
    return a.with_(hull([corner_quotient(x, y, side) for x in a.ends for y in b.ends]), defined)


def interval_power(base: Interval, exponent: Interval, defined: Defined) -> Interval:
    """base ** exponent: integer powers of anything (but 0 to a negative power), real powers of base >= 0."""
    (low, high), (least, most) = base.ends, exponent.ends
    if least == most and negative(MAX_FOLLOWED_EXPONENT) <= least <= MAX_FOLLOWED_EXPONENT and least.is_integer():
        return interval_whole_power(base, int(least.unique_fmpz() or 0), defined)
    if low < 0 and (most == INF or floor(exponent.high) >= exponent.low):
        return base.with_((NEG_INF, INF), min(defined, Defined.PERHAPS))  # a whole power of a negative one, perhaps
    if high < 0:
        return nothing(base.prec)
    # 0 to a positive power is 0; below 0 there is nothing; 0 to a power <= 0 is left open.
    if low < 0 or (low == 0 and least <= 0):
        defined = min(defined, Defined.PERHAPS)
    if low <= 0 and least <= 0:
        return base.with_((ARB_ZERO, INF), defined)
    with ctx.extraprec(GUARD):  # monotone in the base, and in the exponent: the extremes lie at corners
        ends = hull([x**y if x != 1 else ARB_ONE for x in (max(ARB_ZERO, low), high) for y in exponent.ends])
    return base.with_((max(ARB_ZERO, ends[0]), ends[1]), defined)


def interval_whole_power(base: Interval, n: int, defined: Defined) -> Interval:
    """base ** n, by monotonicity on either side of zero."""
    if n < 0:
        return 1 / interval_whole_power(base, -n, defined)
    if n % 2 == 0:
        base = abs(base)
    with ctx.extraprec(GUARD):
        return base.with_(increasing(*(x**n if x >= 0 else -((-x) ** n) for x in base.ends)), defined)


# -- values -----------------------------------------------------------------------------------------------------


class Interval:
    """An enclosure of a formula's values over a box, made by a context: iv.number("0.1"), iv.between(1, 2).

    low, high: exact Fractions or +-inf floats. Arithmetic accepts int, float and Fraction, all read exactly.
    Intervals are not ordered, so `<` raises; ask `certainly_less` or `certainly_at_most`.
    """

    __array_ufunc__ = None  # a numpy scalar to the left of an operator gives way to us
    __slots__ = ("defined", "ends", "prec")

    def __init__(self, ends: Ends, prec: int, defined: Defined = Defined.EVERYWHERE):
        self.ends = ends
        self.prec = prec
        self.defined = defined

    @property
    def low(self) -> Fraction | float:
        return rational_below(self.ends[0])

    @property
    def high(self) -> Fraction | float:
        return -rational_below(negative(self.ends[1]))

    @property
    def bounds(self) -> tuple[float, float]:
        """The ends as doubles, rounded outwards."""
        low, high = rational_below(self.ends[0], 1100), -rational_below(negative(self.ends[1]), 1100)
        return (
            double_below(low) if isinstance(low, Fraction) else low,
            double_above(high) if isinstance(high, Fraction) else high,
        )

    @property
    def middle(self) -> float:
        """Some double near the middle: a number to show, not to prove with."""
        low, high = self.bounds
        return low / 2 + high / 2

    def with_(self, ends: Ends, defined: Defined) -> Interval:
        return Interval(ends, self.prec, defined) if defined else nothing(self.prec)

    __add__, __radd__ = from_both_sides(operated, interval_sum)
    __sub__, __rsub__ = from_both_sides(operated, lambda a, b, defined: interval_sum(a, -b, defined))
    __mul__, __rmul__ = from_both_sides(operated, interval_product)
    __truediv__, __rtruediv__ = from_both_sides(operated, interval_quotient)
    __pow__, __rpow__ = from_both_sides(operated, interval_power)

    def __neg__(self) -> Interval:
        low, high = self.ends
        return Interval((negative(high), negative(low)), self.prec, self.defined)

    def __pos__(self) -> Interval:
        return self

    def __abs__(self) -> Interval:
        mirrored = -self
        high = max(self.ends[1], mirrored.ends[1])
        return Interval((max(ARB_ZERO, self.ends[0], mirrored.ends[0]), high), self.prec, self.defined)

    __bool__ = refuses("an interval is neither true nor false; formulas must not branch on a value")
    __lt__ = __le__ = __gt__ = __ge__ = refuses(
        "intervals are not ordered; formulas have m.maximum, checks certainly_less"
    )

    def __eq__(self, value: object) -> bool:
        return isinstance(value, Interval) and self.ends == value.ends and self.defined == value.defined

    def __hash__(self) -> int:
        return hash((self.low, self.high, self.defined))

    def __reduce__(self) -> Any:
        return again, (*map(end_parts, self.ends), self.prec, self.defined)

    def __repr__(self) -> str:
        low, high = self.bounds
        mark = {2: "", 1: ", defined perhaps", 0: ", defined nowhere"}[int(self.defined)]
        return f"Interval({low!r}, {high!r}{mark})"


def again(low: Any, high: Any, prec: int, defined: Defined) -> Interval:
    return Interval((arb(low), arb(high)), prec, defined)


@lru_cache(maxsize=4096)
def point(value: Fraction, prec: int) -> Interval:
    """The tightest interval around an exact rational; a single point where it is a binary number."""
    p, q = value.numerator, value.denominator
    if q & (q - 1) == 0:  # exact at any precision
        end = arb((p, 1 - q.bit_length()))
        return Interval((end, end), prec)
    with ctx.workprec(prec):
        ball = arb(fmpq(p, q))
        return Interval(increasing(ball, ball), prec)


def nothing(prec: int) -> Interval:
    """The value of a formula that is defined nowhere: the whole line, and no information."""
    return Interval((NEG_INF, INF), prec, Defined.NOWHERE)
