"""Interval arithmetic on many boxes at once, in doubles: what branch and bound spends its time in.

A `Span` holds arrays of lower and upper ends. Every operation rounds outwards, so that the enclosures are
rigorous, given three things: doubles follow IEEE 754, so that + - * / sqrt err by at most half a unit in
the last place; numpy's exp and log err by at most ULPS units (its own tests allow 4); and the normal
distribution function below, whose error bounds are derived beside it.

A span also remembers whether its ends are attained: with x in (1, 2], the span of x - 1 is (0, 1], and
log(x - 1) is defined everywhere on it. `defined` is 2, 1 or 0 for everywhere, perhaps, nowhere (see
`intervals.Defined`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import inf, nextafter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpbandits.proofs_checks.vocabularies.decimals import exactly

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MACHINE_EPSILON = 2.0**-52
ULPS = 8  # twice what numpy's own accuracy tests allow
LARGEST_DOUBLE = float(np.finfo(float).max)


@dataclass(frozen=True, eq=False)
class Span:
    """Arrays [low, high]; open ends are never attained; defined: int8, 2 everywhere, 1 perhaps, 0 nowhere.

    limit: the values are limits, for some variable was set to infinity, so that an infinite end may be a value;
    otherwise all values are real numbers, and an infinite end says only that nothing bounds them.
    """

    low: Any
    high: Any
    low_open: Any
    high_open: Any
    defined: Any
    limit: Any = np.False_

    __array_ufunc__: ClassVar[None] = None

    def __add__(self, other: Any) -> Any:
        return span_sum(self, other) if (other := span(other)) is not None else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return span_sum(self, negated(other)) if (other := span(other)) is not None else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return span_sum(other, negated(self)) if (other := span(other)) is not None else NotImplemented

    def __mul__(self, other: Any) -> Any:
        return span_product(self, other) if (other := span(other)) is not None else NotImplemented

    def __truediv__(self, other: Any) -> Any:
        return span_quotient(self, other) if (other := span(other)) is not None else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return span_quotient(other, self) if (other := span(other)) is not None else NotImplemented

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Span:
        return negated(self)

    def __pos__(self) -> Span:
        return self

    def __abs__(self) -> Span:
        return span_maximum(self, negated(self))

    def __pow__(self, exponent: Any) -> Any:
        return powered(self, exponent) if span(exponent) is not None else NotImplemented

    def __rpow__(self, base: Any) -> Any:
        return powered(base, self) if (base := span(base)) is not None else NotImplemented

    def unordered(self, other: Any) -> bool:
        raise TypeError("spans are not compared; use m.maximum and m.minimum in formulas")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = unordered
    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError("a span is neither true nor false; formulas must not branch on a value")


def span(value: Any) -> Any:
    """A span as it is; a number, read exactly, as the tightest span; None for anything else."""
    if isinstance(value, Span):
        return value
    try:
        exact = exactly(value)
    except TypeError:
        return None
    return constant_span(exact)


def constant_span(exact: Fraction) -> Span:
    low, high = double_below(exact), double_above(exact)
    closed = np.False_ if low == high else np.True_
    return Span(np.float64(low), np.float64(high), closed, closed, np.int8(2))


def double_below(exact: Fraction) -> float:
    """The largest double that is not above."""
    try:
        value = float(exact)
    except OverflowError:
        return LARGEST_DOUBLE if exact > 0 else -inf
    return value if Fraction(value) <= exact else nextafter(value, -inf)


def double_above(exact: Fraction) -> float:
    return 0.0 - double_below(-exact)  # never -0.0


def pair(low: Any, high: Any, low_open: Any, high_open: Any, defined: Any, limit: Any) -> Span:
    """Infinite ends are never attained; where nothing is known, the whole line."""
    if np.isfinite(low).all() and np.isfinite(high).all():  # as mostly
        return Span(low, high, low_open, high_open, defined, limit)
    low, high = np.where(np.isnan(low), -inf, low), np.where(np.isnan(high), inf, high)
    return Span(low, high, low_open | np.isinf(low), high_open | np.isinf(high), defined, limit)


# -- the four operations --------------------------------------------------------------------------------


def negated(a: Span) -> Span:
    return Span(-a.high, -a.low, a.high_open, a.low_open, a.defined, a.limit)


def span_sum(a: Span, b: Span) -> Span:
    low, high = sum_below(a.low, b.low), -sum_below(-a.high, -b.high)
    defined = np.minimum(a.defined, b.defined)
    return pair(low, high, a.low_open | b.low_open, a.high_open | b.high_open, defined, a.limit | b.limit)


def sum_below(a: Any, b: Any) -> Any:
    """a + b rounded down. Knuth's error term tells when the rounded sum is exact, or too small already."""
    total = a + b
    back = total - a
    error = (a - (total - back)) + (b - back)
    finite = np.isfinite(total)
    if finite.all():
        return np.where(error >= 0, total, np.nextafter(total, -inf))
    fine = (error >= 0) & finite
    return np.where(fine | (total == -inf), total, np.where(total == inf, lifted(a, b), np.nextafter(total, -inf)))


def lifted(a: Any, b: Any) -> Any:
    """An infinite sum or product of finite numbers has overflowed: below, it is only known to be large."""
    return np.where(np.isinf(a) | np.isinf(b), inf, LARGEST_DOUBLE)


def span_product(a: Span, b: Span) -> Span:
    """a b. Ends at infinity are never attained, so 0 times such an end is 0; but 0 times an infinite limit is
    anything."""
    defined, limit = np.minimum(a.defined, b.defined), a.limit | b.limit
    endless = unbounded(a), unbounded(b)
    if np.any(endless[0]) or np.any(endless[1]):
        unknown = (endless[0] & (b.low <= 0) & (b.high >= 0)) | (endless[1] & (a.low <= 0) & (a.high >= 0))
        defined = np.where(unknown, np.minimum(defined, 1), defined).astype(np.int8)
    if np.all(a.low >= 0) and np.all(b.low >= 0):
        low, high = product_below(a.low, b.low), -product_below(-a.high, b.high)
        low_open = corner_open(a.low, a.low_open, b.low, b.low_open)
        return pair(low, high, low_open, corner_open(a.high, a.high_open, b.high, b.high_open), defined, limit)
    corners = [
        (x, y, corner_open(x, p, y, q))
        for x, p in ((a.low, a.low_open), (a.high, a.high_open))
        for y, q in ((b.low, b.low_open), (b.high, b.high_open))
    ]
    lows, highs = zip(*(product_ends(x, y) for x, y, _ in corners), strict=True)
    low, high = reduce(np.minimum, lows), reduce(np.maximum, highs)
    low_open = reduce(np.logical_and, [o | (v > low) for v, (_, _, o) in zip(lows, corners, strict=True)])
    high_open = reduce(np.logical_and, [o | (v < high) for v, (_, _, o) in zip(highs, corners, strict=True)])
    # 0 inside one factor is attained, whatever its ends are.
    inside = ((a.low < 0) & (a.high > 0)) | ((b.low < 0) & (b.high > 0))
    low_open, high_open = low_open & ~(inside & (low == 0)), high_open & ~(inside & (high == 0))
    return pair(low, high, low_open, high_open, defined, limit)


def unbounded(a: Span) -> Any:
    """Whether infinity may be a value, as a limit."""
    return (np.isinf(a.low) | np.isinf(a.high)) & (a.limit | (a.low == a.high))


def corner_open(x: Any, x_open: Any, y: Any, y_open: Any) -> Any:
    """Whether the product of two ends is not attained: 0 is, as soon as one factor attains it."""
    zero = (x == 0) | (y == 0)
    if not zero.any():
        return x_open | y_open
    attained_zero = ((x == 0) & ~x_open) | ((y == 0) & ~y_open)
    return np.where(zero, ~attained_zero & ((x != 0) | x_open) & ((y != 0) | y_open), x_open | y_open)


def product_below(x: Any, y: Any) -> Any:
    """x y rounded down; 0 times infinity is 0, because an infinite end is never attained."""
    value = x * y
    if ordinary(value):
        return np.where(whole_power_of_two(x) | whole_power_of_two(y), value, np.nextafter(value, -inf))
    zero = (x == 0) | (y == 0)
    exact = zero | ((whole_power_of_two(x) | whole_power_of_two(y)) & (np.abs(value) > 1e-290))
    low = np.where(exact, value, np.nextafter(value, -inf))
    low = np.where(np.isposinf(value), lifted(x, y), low)
    low = np.where((np.sign(x) * np.sign(y) > 0) & (low < 0), 0.0, low)
    return np.where(zero, 0.0, low)


def product_ends(x: Any, y: Any) -> tuple[Any, Any]:
    """x y rounded down, and rounded up."""
    value = x * y
    if not ordinary(value):
        return product_below(x, y), -product_below(-x, y)
    exact = whole_power_of_two(x) | whole_power_of_two(y)
    return np.where(exact, value, np.nextafter(value, -inf)), np.where(exact, value, np.nextafter(value, inf))


def ordinary(products: Any) -> bool:
    """Whether all of them are such, as mostly, that nothing but their rounding has to be thought of."""
    size = np.abs(products)
    return bool(np.min(size, initial=1.0) > 1e-290 and np.max(size, initial=0.0) <= LARGEST_DOUBLE)


def whole_power_of_two(x: Any) -> Any:
    return np.abs(np.frexp(x)[0]) == 0.5


def span_quotient(a: Span, b: Span) -> Span:
    return span_product(a, inverse(b))


def inverse(b: Span) -> Span:
    """1/b. Where b contains 0 inside, nothing is known; where 0 is an end, the other end still says
    something."""
    touches = (b.low <= 0) & (b.high >= 0)
    positive, negative = b.low >= 0, b.high <= 0
    at_low, at_high = (b.low == 0), (b.high == 0)
    low = np.where(positive, quotient_below(b.high), np.where(negative & ~at_high, quotient_below(b.high), -inf))
    high = np.where(negative, -quotient_below(-b.low), np.where(positive & ~at_low, -quotient_below(-b.low), inf))
    never_zero = ~touches | (at_low & b.low_open & ~at_high) | (at_high & b.high_open & ~at_low)
    defined = np.where(never_zero, b.defined, np.where(at_low & at_high, 0, np.minimum(b.defined, 1)))
    low, high = np.where(at_low & at_high, -inf, low), np.where(at_low & at_high, inf, high)
    return pair(low, high, b.high_open, b.low_open, defined.astype(np.int8), b.limit)


def quotient_below(x: Any) -> Any:
    """1/x rounded down, for x != 0 (anything for x = 0)."""
    value = 1 / np.where(x == 0, 1.0, x)
    exact = whole_power_of_two(x) | np.isinf(x)
    low = np.where(exact & np.isfinite(value), value, np.nextafter(value, -inf))
    low = np.where(np.isposinf(value), LARGEST_DOUBLE, low)
    return np.where((x > 0) & (low < 0), 0.0, low)


# -- functions ------------------------------------------------------------------------------------------


def rounded_down_by(value: Any, relative: float) -> Any:
    """A computed value, wrong by a relative error, rounded down; subnormal values are given up."""
    return np.where(np.abs(value) < 1e-290, np.where(value > 0, 0.0, value - 1e-290), value - relative * np.abs(value))


def rounded_up_by(value: Any, relative: float) -> Any:
    return -rounded_down_by(-value, relative)


def exp(x: Span) -> Span:
    low, high = np.exp(x.low), np.exp(x.high)
    # What overflowed is as large as doubles are, up to the error of exp; exp of the limit infinity is one.
    low = np.maximum(rounded_down_by(np.minimum(low, LARGEST_DOUBLE), ULPS * MACHINE_EPSILON), 0)
    low = np.where(x.low == 0, 1.0, np.where(np.isposinf(x.low), inf, low))
    high = np.where(
        np.isposinf(high),
        inf,
        np.maximum(rounded_up_by(np.minimum(high, LARGEST_DOUBLE), ULPS * MACHINE_EPSILON), 1e-290),
    )
    high = np.where(x.high == 0, 1.0, np.where(x.high == -inf, 0.0, high))
    # exp is never 0: a low end of 0 is not attained.
    return pair(low, high, x.low_open | (low == 0), x.high_open, x.defined, x.limit)


def log(x: Span) -> Span:
    low, high = np.log(np.maximum(x.low, 0)), np.log(np.maximum(x.high, 0))
    low = np.where(x.low == 1, 0.0, low - ULPS * MACHINE_EPSILON * np.abs(low))
    high = np.where(x.high == 1, 0.0, high + ULPS * MACHINE_EPSILON * np.abs(high))
    nowhere = (x.high < 0) | (x.high == 0)
    everywhere = (x.low > 0) | ((x.low == 0) & x.low_open)
    defined = np.where(nowhere, 0, np.where(everywhere, x.defined, np.minimum(x.defined, 1))).astype(np.int8)
    low = np.where(np.isnan(low) | (x.low <= 0), -inf, low)
    high = np.where(nowhere, inf, np.where(np.isposinf(x.high), inf, high))
    return pair(low, high, x.low_open, x.high_open, defined, x.limit)


def sqrt(x: Span) -> Span:
    inner = np.maximum(x.low, 0), np.maximum(x.high, 0)
    low, high = np.sqrt(inner[0]), np.sqrt(inner[1])
    # The root of 1 + 2^-52 rounds to 1: exactness is a matter of the argument, not of the result.
    low = np.where(exact_root(inner[0]), low, np.nextafter(low, -inf))
    high = np.where(exact_root(inner[1]), high, np.nextafter(high, inf))
    nowhere = (x.high < 0) | ((x.high == 0) & x.high_open)
    defined = np.where(nowhere, 0, np.where(x.low >= 0, x.defined, np.minimum(x.defined, 1))).astype(np.int8)
    low_open = np.where(x.low < 0, False, x.low_open)
    return pair(np.where(nowhere, -inf, low), np.where(nowhere, inf, high), low_open, x.high_open, defined, x.limit)


def exact_root(x: Any) -> Any:
    return (x == 0) | (x == 1) | np.isinf(x)


# The normal distribution function, for x <= 0 and y = -x; u = 2^-53 is the rounding unit.
# * y > 2: phi(y) times a convergent of Laplace's continued fraction 1/(y + 1/(y + 2/(y + ...))). All terms
#   are positive: each of its 41 levels adds two roundings, 82 u < 1e-14. phi: y^2/2 <= 745 is wrong by 745
#   * 2 u < 1.7e-13, exp by ULPS units, the constant factor by 2 u: RELATIVE covers all. Consecutive
#   convergents enclose.
# * y <= 2: 1/2 - phi(y) sum_{k <= TERMS} y^(2k+1)/(1*3*...*(2k+1)); terms wrong by 3k u, their sum by 4
#   TERMS u, what follows is below 2^61/61!! * 2 < 1e-23; phi by 12 u + ULPS units. The product is at most
#   1/2: ABSOLUTE.
NCDF_SERIES_TERMS = 30
RELATIVE = 3e-13
ABSOLUTE = 4e-14
UNDERFLOW = 1e-290  # Phi(-38) < 3e-316


def ncdf(x: Span) -> Span:
    ends = ncdf_ends(np.stack(np.broadcast_arrays(x.low, x.high)))
    low, high = ends[0][0], ends[1][1]
    low_open = x.low_open | (low == 0)  # Phi is never 0 nor 1
    return pair(low, high, low_open, x.high_open | (high == 1), x.defined, x.limit)


def ncdf_ends(x: Any) -> tuple[Any, Any]:
    """[low, high] around Phi(x), elementwise."""
    size = np.abs(x)
    low, high = tail_ends(size)
    up_low = np.where(x == 0, 0.5, np.where(x > 0, np.nextafter(1 - high, 0), low))
    up_high = np.where(x == 0, 0.5, np.where(x > 0, np.minimum(np.nextafter(1 - low, 2), 1), high))
    up_low = np.where(np.isposinf(x), 1.0, up_low)
    return up_low, np.where(np.isneginf(x), 0.0, up_high)


def tail_ends(y: Any) -> tuple[Any, Any]:
    """[low, high] around Phi(-y), for y >= 0, elementwise."""
    low, high = np.empty(np.shape(y)), np.empty(np.shape(y))
    near = y <= 2
    low[near], high[near] = near_tail(y[near])
    low[~near], high[~near] = far_tail(y[~near])
    return low, high


def near_tail(y: Any) -> tuple[Any, Any]:
    term = y
    total = y
    for k in range(1, NCDF_SERIES_TERMS + 1):
        term = term * y * y / (2 * k + 1)
        total = total + term
    middle = 0.5 - np.exp(-y * y / 2) * 0.3989422804014327 * total
    return middle - ABSOLUTE, middle + ABSOLUTE


def far_tail(y: Any) -> tuple[Any, Any]:
    far = np.clip(y, 2, 38)
    even, odd = convergent(far, 40), convergent(far, 41)
    weight = np.exp(-far * far / 2) * 0.3989422804014327
    far_low, far_high = weight * even * (1 - RELATIVE), weight * odd * (1 + RELATIVE)
    far_low = np.where((y > 37.5) | (far_low < UNDERFLOW), 0.0, far_low)
    return far_low, np.maximum(far_high, UNDERFLOW)


def convergent(y: Any, levels: int) -> Any:
    """1/(y + 1/(y + 2/(... + (levels - 1)/y))): above Mills' ratio for odd levels, below for even ones."""
    tail = y.copy()
    for k in range(levels - 1, 0, -1):
        np.divide(k, tail, out=tail)
        tail += y
    return 1 / tail


def span_maximum(a: Span, b: Span) -> Span:
    low_open = np.where(a.low == b.low, a.low_open | b.low_open, np.where(a.low > b.low, a.low_open, b.low_open))
    high_open = np.where(
        a.high == b.high, a.high_open & b.high_open, np.where(a.high > b.high, a.high_open, b.high_open)
    )
    defined = np.minimum(a.defined, b.defined)
    low, high = np.maximum(a.low, b.low), np.maximum(a.high, b.high)
    return Span(low, high, low_open, high_open, defined, a.limit | b.limit)


def powered(base: Span, exponent: Any) -> Any:
    """base ** exponent: whole-number powers of anything, also where each box has another one, and other powers of
    base >= 0; 0 ** exponent is 0 where exponent > 0."""
    whole = whole_number(exponent)
    if whole is not None:
        return inverse(span_whole_power(base, -whole)) if whole < 0 else span_whole_power(base, whole)
    if not isinstance(exponent, Span) and exactly(exponent) == Fraction(1, 2):
        return sqrt(base)
    exponent = span(exponent)
    single = (exponent.low == exponent.high) & np.isfinite(exponent.low) & (np.floor(exponent.low) == exponent.low)
    signed = single & (base.low < 0)
    power = by_logarithm(base, exponent)
    return select_spans(signed, by_sign(base, exponent), power) if np.any(signed) else power


def by_sign(base: Span, exponent: Span) -> Span:
    """base ** exponent where the exponent is one whole number on each box: powers of |base|, and their signs."""
    times = span_maximum(exponent, negated(exponent))
    even = by_logarithm(clipped(span_maximum(base, negated(base)), base), times)
    (low, _), (_, high) = (signed_power(end, times) for end in (base.low, base.high))
    odd = pair(low, high, base.low_open, base.high_open, even.defined, even.limit)
    power = select_spans(times.low % 2 == 0, even, odd)
    return select_spans(exponent.low < 0, inverse(power), power)


def signed_power(x: Any, times: Span) -> tuple[Any, Any]:
    """Below and above x to an odd power."""
    closed = np.zeros(np.shape(x), dtype=bool)
    power = by_logarithm(Span(np.abs(x), np.abs(x), closed, closed, np.int8(2)), times)
    return np.where(x < 0, -power.high, power.low), np.where(x < 0, -power.low, power.high)


def by_logarithm(base: Span, exponent: Span) -> Span:
    """base ** exponent for base >= 0; where base may be negative, nothing is known of it."""
    power = exp(span_product(exponent, log(base)))
    negative, positive = base.low < 0, exponent.low > 0
    # A negative number has whole powers, which the logarithm does not see: its powers may be defined.
    sometimes = negative & (np.floor(exponent.high) >= exponent.low)
    defined = np.where(sometimes, np.minimum(np.minimum(base.defined, exponent.defined), 1), power.defined)
    low, high = np.where(sometimes, -inf, power.low), np.where(sometimes, inf, power.high)
    # Nor does it see 0, whose positive powers are 0, and whose power 0 is 1.
    zero = ~sometimes & (base.low <= 0) & ((base.high > 0) | ((base.high == 0) & ~base.high_open))
    zero = zero & (exponent.high >= 0) & (negative | ~base.low_open)
    known = np.minimum(np.minimum(base.defined, exponent.defined), np.where(positive & ~negative, 2, 1))
    defined = np.where(zero, known, defined).astype(np.int8)
    low, high = np.where(zero & positive, 0.0, low), np.where(zero & positive & (base.high == 0), 0.0, high)
    return pair(low, high, power.low_open & ~zero, power.high_open & ~zero, defined, power.limit)


def whole_number(exponent: Any) -> int | None:
    """The whole number that an exponent is on every box; None for any other exponent."""
    if isinstance(exponent, Span):
        if np.ndim(exponent.low) or exponent.low != exponent.high or np.isinf(exponent.low):
            return None
        if np.any(exponent.defined != 2):
            return None
        exponent = float(exponent.low)
    exact = exactly(exponent)
    return exact.numerator if exact.denominator == 1 else None


def span_whole_power(base: Span, n: int) -> Span:
    """n >= 0. Even powers through |base|, so that squares are not negative."""
    if n == 0:
        one = constant_span(Fraction(1))
        return replace(one, defined=base.defined, limit=base.limit)  # 1, wherever the base is defined
    if n == 1:
        return base
    if n % 2 == 0:
        size = clipped(span_maximum(base, negated(base)), base)
        half = span_whole_power(size, n // 2)
        return span_product(half, half)
    return span_product(base, span_whole_power(base, n - 1)) if np.all(base.low >= 0) else odd_power(base, n)


def clipped(size: Span, base: Span) -> Span:
    """|base|: its low end is 0 where base contains 0."""
    inside = (base.low < 0) & (base.high > 0)
    return replace(size, low=np.where(inside, 0.0, size.low), low_open=np.where(inside, False, size.low_open))


def odd_power(base: Span, n: int) -> Span:
    """By monotonicity: the power of each end."""
    low, high = end_power(base.low, n)[0], end_power(base.high, n)[1]
    return pair(low, high, base.low_open, base.high_open, base.defined, base.limit)


def end_power(x: Any, n: int) -> tuple[Any, Any]:
    closed = np.zeros(np.shape(x), dtype=bool)
    size = np.abs(x)
    power = span_whole_power(Span(size, size, closed, closed, np.int8(2)), n)
    return np.where(x < 0, -power.high, power.low), np.where(x < 0, -power.low, power.high)


def select_spans(where: Any, a: Span, b: Span) -> Span:
    """Box by box, the one or the other."""
    return Span(
        np.where(where, a.low, b.low),
        np.where(where, a.high, b.high),
        np.where(where, a.low_open, b.low_open),
        np.where(where, a.high_open, b.high_open),
        np.where(where, a.defined, b.defined),
        np.where(where, a.limit, b.limit),
    )


def hull(a: Span, b: Span) -> Span:
    """What encloses both."""
    return Span(
        np.minimum(a.low, b.low),
        np.maximum(a.high, b.high),
        a.low_open & b.low_open,
        a.high_open & b.high_open,
        np.minimum(a.defined, b.defined),
        a.limit | b.limit,
    )


class Boxes:
    """The vocabulary on spans."""

    name = "boxes"

    def __init__(self) -> None:
        self.pi = Span(np.float64(np.pi), np.float64(nextafter(np.pi, 4)), np.True_, np.True_, np.int8(2))

    def number(self, value: Any) -> Span:
        return constant_span(exactly(value))

    def exp(self, x: Any) -> Span:
        return exp(span(x))

    def log(self, x: Any) -> Span:
        return log(span(x))

    def sqrt(self, x: Any) -> Span:
        return sqrt(span(x))

    def ncdf(self, x: Any) -> Span:
        return ncdf(span(x))

    def floor(self, x: Any) -> Span:
        x = span(x)
        # floor(high) is not reached from below an open whole number; keeping it is still an enclosure.
        low, high = np.floor(x.low), np.floor(x.high)
        return pair(low, high, x.low_open & False, x.high_open & False, x.defined, x.limit)

    def ceil(self, x: Any) -> Span:
        return negated(self.floor(negated(span(x))))

    def maximum(self, *values: Any) -> Any:
        return reduce(span_maximum, [span(value) for value in values])

    def minimum(self, *values: Any) -> Span:
        return negated(reduce(span_maximum, [negated(span(value)) for value in values]))


boxes = Boxes()
