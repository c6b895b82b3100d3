"""Interval arithmetic with a memory for where a formula is defined.

An `Interval` [low, high] encloses the values that a formula takes at those points of a box where it is
defined; `defined` says whether that is everywhere in the box, perhaps, or nowhere. So log([-1, 1]) is
[-inf, 0], defined perhaps, and 1/[0, 0] is the whole line, defined nowhere: no information, never a wrong
enclosure.

Ends are mpmath's raw numbers, rounded outwards at the context's precision. Sums, products, quotients and
roots are rounded correctly by mpmath; exp, log and powers are computed with GUARD more bits and then
widened, because mpmath promises correct rounding of these in almost all cases only.
"""

from __future__ import annotations

import sys
from enum import IntEnum
from fractions import Fraction
from functools import lru_cache
from math import inf, nextafter
from typing import Any

from mpmath import libmp
from mpmath.libmp import libmpi

from dpbandits.proofs_checks.exact import exactly

Raw = Any  # mpmath's (sign, mantissa, exponent, bits)

GUARD = 16
LARGEST = libmp.from_int(2**64)  # exp is evaluated within +-2^64 and bounded beyond
ZERO, ONE, HALF = libmp.fzero, libmp.fone, libmp.fhalf
INF, NEG_INF = libmp.finf, libmp.fninf
DOWN, UP, NEAR = "f", "c", "n"


class Defined(IntEnum):
    """At how many points of a box a formula is known to be defined."""

    NOWHERE = 0
    PERHAPS = 1
    EVERYWHERE = 2


class Interval:
    """An enclosure of a formula's values over a box, made by a context: iv.number("0.1"), iv.between(1, 2).

    low, high: exact Fractions or +-inf floats. Arithmetic accepts int, float and Fraction, all read exactly.
    Intervals are not ordered, so `<` raises; ask `certainly_less` or `certainly_at_most`.
    """

    __array_ufunc__ = None  # a numpy scalar to the left of an operator gives way to us
    __slots__ = ("defined", "ends", "prec")

    def __init__(self, ends: tuple[Raw, Raw], prec: int, defined: Defined = Defined.EVERYWHERE):
        self.ends = ends
        self.prec = prec
        self.defined = defined

    @property
    def low(self) -> Fraction | float:
        return outside(self.ends[0], DOWN)

    @property
    def high(self) -> Fraction | float:
        return outside(self.ends[1], UP)

    @property
    def bounds(self) -> tuple[float, float]:
        """The ends as doubles, rounded outwards."""
        return float_of(self.ends[0], DOWN), float_of(self.ends[1], UP)

    @property
    def middle(self) -> float:
        """Some double near the middle: a number to show, not to prove with."""
        low, high = self.bounds
        return low / 2 + high / 2

    def with_(self, ends: tuple[Raw, Raw], defined: Defined) -> Interval:
        return Interval(ends, self.prec, defined) if defined else nothing(self.prec)

    def other(self, value: Any) -> Interval | None:
        if isinstance(value, Interval):
            return value
        try:
            return point(exactly(value), self.prec)
        except TypeError:
            return None

    def __add__(self, value: Any) -> Interval:
        other = self.other(value)
        if other is None:
            return NotImplemented
        return self.with_(libmpi.mpi_add(self.ends, other.ends, self.prec), min(self.defined, other.defined))

    def __sub__(self, value: Any) -> Interval:
        other = self.other(value)
        if other is None:
            return NotImplemented
        return self.with_(libmpi.mpi_sub(self.ends, other.ends, self.prec), min(self.defined, other.defined))

    def __rsub__(self, value: Any) -> Interval:
        other = self.other(value)
        return NotImplemented if other is None else other - self

    def __mul__(self, value: Any) -> Interval:
        other = self.other(value)
        if other is None:
            return NotImplemented
        return self.with_(libmpi.mpi_mul(self.ends, other.ends, self.prec), min(self.defined, other.defined))

    def __truediv__(self, value: Any) -> Interval:
        other = self.other(value)
        if other is None:
            return NotImplemented
        defined = min(self.defined, other.defined)
        if other.ends == (ZERO, ZERO):
            return nothing(self.prec)
        if not_above(other.ends[0], ZERO) and not_above(ZERO, other.ends[1]):
            defined = min(defined, Defined.PERHAPS)
        return self.with_(libmpi.mpi_div(self.ends, other.ends, self.prec), defined)

    def __rtruediv__(self, value: Any) -> Interval:
        other = self.other(value)
        return NotImplemented if other is None else other / self

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Interval:
        return Interval(libmpi.mpi_neg(self.ends), self.prec, self.defined)

    def __pos__(self) -> Interval:
        return self

    def __abs__(self) -> Interval:
        return Interval(libmpi.mpi_abs(self.ends, self.prec), self.prec, self.defined)

    def __pow__(self, value: Any) -> Interval:
        other = self.other(value)
        return NotImplemented if other is None else power(self, other)

    def __rpow__(self, value: Any) -> Interval:
        other = self.other(value)
        return NotImplemented if other is None else power(other, self)

    def __bool__(self) -> bool:
        raise TypeError("an interval is neither true nor false; formulas must not branch on a value")

    def unordered(self, value: Any) -> bool:
        raise TypeError("intervals are not ordered; formulas have m.maximum, checks certainly_less")

    __lt__ = __le__ = __gt__ = __ge__ = unordered

    def __eq__(self, value: object) -> bool:
        return isinstance(value, Interval) and self.ends == value.ends and self.defined == value.defined

    def __hash__(self) -> int:
        return hash((self.ends, self.defined))

    def __repr__(self) -> str:
        low, high = self.bounds
        mark = {2: "", 1: ", defined perhaps", 0: ", defined nowhere"}[int(self.defined)]
        return f"Interval({low!r}, {high!r}{mark})"

    def contains(self, value: Any) -> bool:
        """Whether a number, read exactly, lies in the interval."""
        return bool(self.low <= exactly(value) <= self.high)


def certainly_less(left: Interval, right: Interval) -> bool:
    """Whether both are defined everywhere, and left lies strictly below right."""
    sure = left.defined == right.defined == Defined.EVERYWHERE
    return sure and bool(libmp.mpf_lt(left.ends[1], right.ends[0]))


def certainly_at_most(left: Interval, right: Interval) -> bool:
    """Whether both are defined everywhere, and no value of left exceeds one of right."""
    sure = left.defined == right.defined == Defined.EVERYWHERE
    return sure and not_above(left.ends[1], right.ends[0])


def not_above(a: Raw, b: Raw) -> bool:
    return bool(libmp.mpf_le(a, b))


def outside(end: Raw, rounding: str, most: int = 2**20) -> Fraction | float:
    """An end as an exact rational, or an infinite float; rounded outwards beyond 2^+-most, where a
    rational would take megabytes to write out."""
    if end in (INF, NEG_INF):
        return inf if end == INF else -inf
    size = end[2] + end[3]
    if abs(size) <= most or end == ZERO:
        return Fraction(*libmp.to_rational(end))
    toward_zero = (rounding == DOWN) != bool(end[0])
    sign = -1 if end[0] else 1
    if size > 0:
        return sign * Fraction(2) ** most if toward_zero else sign * inf
    return Fraction(0) if toward_zero else sign * Fraction(1, 2**most)


def float_of(end: Raw, rounding: str) -> float:
    """The double next to an end, rounded DOWN or UP; beyond the doubles the largest double or infinity."""
    if end in (INF, NEG_INF):
        return inf if end == INF else -inf
    value = float(libmp.to_float(end))  # to the nearest, but for overflow and underflow
    exact = Fraction(*libmp.to_rational(end)) if abs(end[2] + end[3]) < 1100 else None
    if exact is None:  # far beyond the doubles, or far below the smallest
        size = (sys.float_info.max, inf) if end[2] > 0 else (0.0, 5e-324)
        toward_zero = (rounding == DOWN) != bool(end[0])
        return (size[0] if toward_zero else size[1]) * (-1 if end[0] else 1)
    while rounding == DOWN and (value == inf or (value != -inf and Fraction(value) > exact)):
        value = nextafter(value, -inf)
    while rounding == UP and (value == -inf or (value != inf and Fraction(value) < exact)):
        value = nextafter(value, inf)
    return value


@lru_cache(maxsize=4096)
def point(value: Fraction, prec: int) -> Interval:
    """The tightest interval around an exact rational; a single point where it fits the precision."""
    p, q = value.numerator, value.denominator
    if q & (q - 1) == 0:  # dyadic: exact at any precision
        end = libmp.from_man_exp(p, 1 - q.bit_length())
        return Interval((end, end), prec)
    return Interval((libmp.from_rational(p, q, prec, DOWN), libmp.from_rational(p, q, prec, UP)), prec)


def nothing(prec: int) -> Interval:
    """The value of a formula that is defined nowhere: the whole line, and no information."""
    return Interval((NEG_INF, INF), prec, Defined.NOWHERE)


def widened(low: Raw, high: Raw, prec: int) -> tuple[Raw, Raw]:
    """Rounds outwards two ends that were computed with GUARD more bits, each wrong by less than 2^-prec/4."""
    slack = libmp.from_man_exp(1, -prec - 2)
    less, more = libmp.mpf_sub(ONE, slack), libmp.mpf_add(ONE, slack)
    down = libmp.mpf_mul(low, more if low[0] else less, prec, DOWN)
    up = libmp.mpf_mul(high, less if high[0] else more, prec, UP)
    return down, up


def power(base: Interval, exponent: Interval) -> Interval:
    """base ** exponent: integer powers of anything (but 0 to a negative power), real powers of base >= 0."""
    prec, defined = base.prec, min(base.defined, exponent.defined)
    low, high = exponent.ends
    if low == high and low not in (INF, NEG_INF) and libmp.from_int(libmp.to_int(low)) == low:
        n = int(libmp.to_int(low))
        if n < 0:
            return one(prec) / power(base, point(Fraction(-n), prec))
        return base.with_(whole_power(base, n), defined)
    if not_above(base.ends[1], ZERO) and base.ends[1] != ZERO:
        if not_above(low, high if high in (INF, NEG_INF) else libmp.mpf_floor(high)):
            return base.with_((NEG_INF, INF), min(defined, Defined.PERHAPS))  # a whole power, perhaps
        return nothing(prec)
    if base.ends[0][0] or base.ends[0] == ZERO:
        # 0 to a positive power is 0; below 0 there is nothing; 0 to a power <= 0 is left open.
        if base.ends[0] != ZERO or not_above(low, ZERO):
            defined = min(defined, Defined.PERHAPS)
        upper = power_of_positive((base.ends[1], base.ends[1]), exponent.ends, prec)
        if not_above(low, ZERO):
            return base.with_((ZERO, INF), defined)
        if base.ends[1] == ZERO:
            return base.with_((ZERO, ZERO), defined)
        # Each x^y with 0 < x <= 1 is at most 1; with 1 <= x <= high at most high^(largest y).
        return base.with_((ZERO, upper[1] if not_above(ONE, upper[1]) else ONE), defined)
    return base.with_(power_of_positive(base.ends, exponent.ends, prec), defined)


def power_of_positive(base: tuple[Raw, Raw], exponent: tuple[Raw, Raw], prec: int) -> tuple[Raw, Raw]:
    if base[1] == ZERO:
        return ZERO, ZERO
    if exponent == (HALF, HALF):
        return tuple(libmpi.mpi_sqrt(base, prec))
    # exp multiplies relative errors by its argument; 70 more bits cover arguments up to the bound 2^64.
    more = prec + 80
    return exp_ends(libmpi.mpi_mul(log_ends(base, more), exponent, more), prec)


def whole_power(base: Interval, n: int) -> tuple[Raw, Raw]:
    """The ends of base ** n, n >= 0, by monotonicity on either side of zero."""
    prec = base.prec
    if n == 0:
        return ONE, ONE
    low, high = base.ends
    if n % 2 == 1 or not_above(ZERO, low):
        return one_power(low, n, prec, DOWN), one_power(high, n, prec, UP)
    if not_above(high, ZERO):
        return one_power(high, n, prec, DOWN), one_power(low, n, prec, UP)
    largest = high if not_above(libmp.mpf_neg(low), high) else libmp.mpf_neg(low)
    return ZERO, one_power(largest, n, prec, UP)


def one_power(x: Raw, n: int, prec: int, rounding: str) -> Raw:
    """x ** n rounded in one direction, n >= 1."""
    if x in (INF, ZERO) or n == 1:
        return libmp.mpf_pos(x, prec, rounding)
    if x == NEG_INF:
        return x if n % 2 else INF
    sign, mantissa, exponent, bits = x
    if bits * n <= 1 << 14:  # exact, then rounded once
        return libmp.from_man_exp((-1 if sign else 1) ** n * mantissa**n, exponent * n, prec, rounding)
    size = libmp.mpf_abs(x)
    ends = power_of_positive((size, size), (libmp.from_int(n), libmp.from_int(n)), prec)
    if sign and n % 2:
        return libmp.mpf_neg(ends[1] if rounding == DOWN else ends[0])
    return ends[0] if rounding == DOWN else ends[1]


def one(prec: int) -> Interval:
    return Interval((ONE, ONE), prec)


def exp_ends(ends: tuple[Raw, Raw], prec: int) -> tuple[Raw, Raw]:
    if ends == (ZERO, ZERO):
        return ONE, ONE
    return widened(one_exp(ends[0], prec, DOWN), one_exp(ends[1], prec, UP), prec)


def one_exp(x: Raw, prec: int, rounding: str) -> Raw:
    if x in (INF, NEG_INF):
        return INF if x == INF else ZERO
    if not_above(LARGEST, x):
        return INF if rounding == UP else libmp.mpf_exp(LARGEST, prec + GUARD, NEAR)
    if not_above(x, libmp.mpf_neg(LARGEST)):
        return ZERO if rounding == DOWN else libmp.mpf_exp(libmp.mpf_neg(LARGEST), prec + GUARD, NEAR)
    return libmp.mpf_exp(x, prec + GUARD, NEAR)


def log_ends(ends: tuple[Raw, Raw], prec: int) -> tuple[Raw, Raw]:
    """The ends of log over the positive part of [low, high], high > 0."""
    low = NEG_INF if not_above(ends[0], ZERO) else libmp.mpf_log(ends[0], prec + GUARD, NEAR)
    high = INF if ends[1] == INF else libmp.mpf_log(ends[1], prec + GUARD, NEAR)
    return widened(low, high, prec)
