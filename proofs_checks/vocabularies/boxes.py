"""Interval arithmetic on many boxes at once, in arrays of doubles: the vocabulary that branch and bound uses.

A `Span` contains arrays of lower and upper ends, and every operation rounds them outwards. It also records whether the
ends are attained: with x in (1, 2], the span of x - 1 is (0, 1], and log(x - 1) is defined everywhere on it. `defined`
is 2, 1 or 0: defined everywhere, possibly somewhere, nowhere (see `intervals.Defined`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from math import inf, nextafter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpbandits.proofs_checks.vocabularies.decimals import exact_fraction
from dpbandits.proofs_checks.vocabularies.operators import operator_methods, raises_type_error
from dpbandits.proofs_checks.vocabularies.rounded_doubles import (
    Flags,
    Floats,
    corner_open,
    double_above,
    double_below,
    exp_ends,
    inverse_ends,
    log_ends,
    ncdf_ends,
    product_below,
    product_ends,
    sqrt_ends,
    sum_below,
)

Marks = NDArray[np.int8]  # 2 everywhere, 1 perhaps, 0 nowhere
EVERYWHERE: Marks = np.array(2, dtype=np.int8)


def as_span(value: object) -> Span:
    """The value as a span: a span unchanged, a number (read exactly) as the tightest span.
    Raises TypeError for anything else."""
    return value if isinstance(value, Span) else constant_span(exact_fraction(value))


def as_exponent(value: object) -> Span | Fraction:
    """The exponent: a span unchanged, a number as an exact fraction, so that large integers stay integers.
    Raises TypeError for anything else."""
    return value if isinstance(value, Span) else exact_fraction(value)


def constant_span(exact: Fraction) -> Span:
    """The tightest span around a number, the same in all boxes."""
    low, high = double_below(exact), double_above(exact)
    opened = np.array(low != high)
    return Span(np.array(low), np.array(high), opened, opened, EVERYWHERE)


def span_operation(operation: Callable[[Span, Span], Span], a: object, b: object) -> Span:
    """The result of a binary operation on two spans, or on a span and a number."""
    try:
        p, q = as_span(a), as_span(b)
    except TypeError:
        return NotImplemented  # type: ignore[no-any-return]
    return operation(p, q)


def make_span(low: Floats, high: Floats, low_open: Flags, high_open: Flags, defined: Marks, limit: Flags) -> Span:
    """A span with these ends. Infinite ends count as not attained; nan ends become infinite."""
    if np.isfinite(low).all() and np.isfinite(high).all():  # as mostly
        return Span(low, high, low_open, high_open, defined, limit)
    low, high = np.where(np.isnan(low), -inf, low), np.where(np.isnan(high), inf, high)
    return Span(low, high, low_open | np.isinf(low), high_open | np.isinf(high), defined, limit)


def span_negative(a: Span) -> Span:
    """The enclosure of -a on every box."""
    return Span(-a.high, -a.low, a.high_open, a.low_open, a.defined, a.limit)


def span_sum(a: Span, b: Span) -> Span:
    """The enclosure of a + b on every box."""
    low, high = sum_below(a.low, b.low), -sum_below(-a.high, -b.high)
    defined = np.minimum(a.defined, b.defined)
    return make_span(low, high, a.low_open | b.low_open, a.high_open | b.high_open, defined, a.limit | b.limit)


def span_product(a: Span, b: Span) -> Span:
    """The enclosure of a b on every box.
    Ends at infinity are never attained, so 0 times such an end is 0; but 0 times an infinite limit may be anything."""
    defined, limit = np.minimum(a.defined, b.defined), a.limit | b.limit
    endless = may_be_infinite(a), may_be_infinite(b)
    if np.any(endless[0]) or np.any(endless[1]):
        unknown = (endless[0] & (b.low <= 0) & (b.high >= 0)) | (endless[1] & (a.low <= 0) & (a.high >= 0))
        defined = np.where(unknown, np.minimum(defined, 1), defined).astype(np.int8)
    if np.all(a.low >= 0) and np.all(b.low >= 0):
        low, high = product_below(a.low, b.low), -product_below(-a.high, b.high)
        low_open = corner_open(a.low, a.low_open, b.low, b.low_open)
        return make_span(low, high, low_open, corner_open(a.high, a.high_open, b.high, b.high_open), defined, limit)
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
    return make_span(low, high, low_open, high_open, defined, limit)


def may_be_infinite(a: Span) -> Flags:
    """Whether infinity is a possible value of a, as a limit, on each box."""
    found: Flags = (np.isinf(a.low) | np.isinf(a.high)) & (a.limit | (a.low == a.high))
    return found


def span_inverse(b: Span) -> Span:
    """The enclosure of 1/b on every box.
    If 0 is inside b, nothing is known; if 0 is an end of b, the other end still gives a bound."""
    low, high = inverse_ends(b.low, b.high)
    touches = (b.low <= 0) & (b.high >= 0)
    at_low, at_high = (b.low == 0), (b.high == 0)
    never_zero = ~touches | (at_low & b.low_open & ~at_high) | (at_high & b.high_open & ~at_low)
    defined = np.where(never_zero, b.defined, np.where(at_low & at_high, 0, np.minimum(b.defined, 1)))
    return make_span(low, high, b.high_open, b.low_open, defined.astype(np.int8), b.limit)


@dataclass(frozen=True, eq=False)
class Span:
    """Arrays [low, high]; open ends are never attained; defined: int8, 2 everywhere, 1 possibly, 0 nowhere.

    limit: the values are limits, because some variable was set to infinity, so an infinite end may be a value;
    otherwise all values are real numbers, and an infinite end only means that there is no bound.
    """

    low: Floats
    high: Floats
    low_open: Flags
    high_open: Flags
    defined: Marks
    limit: Flags = field(default_factory=lambda: np.array(False))

    __array_ufunc__: ClassVar[None] = None

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The fields of the span as a tuple of arrays."""
        return self.low, self.high, self.low_open, self.high_open, self.defined, self.limit

    def __neg__(self) -> Span:
        """The enclosure of -self on every box."""
        return span_negative(self)

    def __pos__(self) -> Span:
        """The enclosure itself, unchanged."""
        return self

    def __abs__(self) -> Span:
        """The enclosure of |self| on every box."""
        return span_maximum(self, span_negative(self))

    __add__, __radd__ = operator_methods(span_operation, span_sum)
    __sub__, __rsub__ = operator_methods(span_operation, lambda a, b: span_sum(a, span_negative(b)))
    __mul__, __rmul__ = operator_methods(span_operation, span_product)
    __truediv__, __rtruediv__ = operator_methods(span_operation, lambda a, b: span_product(a, span_inverse(b)))

    def __pow__(self, exponent: object) -> Span:
        """The enclosure of self ** exponent on every box."""
        try:
            known = as_exponent(exponent)
        except TypeError:
            return NotImplemented
        return span_power(self, known)

    def __rpow__(self, base: object) -> Span:
        """The enclosure of base ** self on every box."""
        return span_operation(span_power, base, self)

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = raises_type_error(
        "spans are not compared; use m.maximum and m.minimum in formulas"
    )
    __bool__ = raises_type_error("a span is neither true nor false; formulas must not branch on a value")
    __hash__ = object.__hash__


def span_exp(x: Span) -> Span:
    """The enclosure of exp(x) on every box."""
    low, high = exp_ends(x.low, x.high)
    # exp is never 0: a low end of 0 is not attained.
    return make_span(low, high, x.low_open | (low == 0), x.high_open, x.defined, x.limit)


def span_log(x: Span) -> Span:
    """The enclosure of log(x) on every box, where it is defined."""
    low, high = log_ends(x.low, x.high)
    nowhere = (x.high < 0) | (x.high == 0)
    everywhere = (x.low > 0) | ((x.low == 0) & x.low_open)
    defined = np.where(nowhere, 0, np.where(everywhere, x.defined, np.minimum(x.defined, 1))).astype(np.int8)
    return make_span(low, np.where(nowhere, inf, high), x.low_open, x.high_open, defined, x.limit)


def span_sqrt(x: Span) -> Span:
    """The enclosure of sqrt(x) on every box, where it is defined."""
    low, high = sqrt_ends(np.maximum(x.low, 0), np.maximum(x.high, 0))
    nowhere = (x.high < 0) | ((x.high == 0) & x.high_open)
    defined = np.where(nowhere, 0, np.where(x.low >= 0, x.defined, np.minimum(x.defined, 1))).astype(np.int8)
    low_open = np.where(x.low < 0, False, x.low_open)
    return make_span(
        np.where(nowhere, -inf, low), np.where(nowhere, inf, high), low_open, x.high_open, defined, x.limit
    )


def span_maximum(a: Span, b: Span) -> Span:
    """The enclosure of max(a, b) on every box."""
    low_open = np.where(a.low == b.low, a.low_open | b.low_open, np.where(a.low > b.low, a.low_open, b.low_open))
    high_open = np.where(
        a.high == b.high, a.high_open & b.high_open, np.where(a.high > b.high, a.high_open, b.high_open)
    )
    defined = np.minimum(a.defined, b.defined)
    low, high = np.maximum(a.low, b.low), np.maximum(a.high, b.high)
    return Span(low, high, low_open, high_open, defined, a.limit | b.limit)


def span_power(base: Span, exponent: Span | Fraction) -> Span:
    """The enclosure of base ** exponent on every box.
    Integer powers of any base, even if the exponent differs between boxes, and other powers of base >= 0; 0 ** exponent
    is 0 if exponent > 0."""
    whole = whole_exponent(exponent)
    if whole is not None:
        return span_inverse(span_whole_power(base, -whole)) if whole < 0 else span_whole_power(base, whole)
    if isinstance(exponent, Fraction):
        if exponent == Fraction(1, 2):
            return span_sqrt(base)
        exponent = constant_span(exponent)
    single = (exponent.low == exponent.high) & np.isfinite(exponent.low) & (np.floor(exponent.low) == exponent.low)
    signed = single & (base.low < 0)
    power = span_power_by_logarithm(base, exponent)
    return select_spans(signed, span_power_of_negative(base, exponent), power) if np.any(signed) else power


def span_power_of_negative(base: Span, exponent: Span) -> Span:
    """The enclosure of base ** exponent for a base that may be negative.
    The exponent is one integer on each box; the signs are added to powers of |base|."""
    times = span_maximum(exponent, span_negative(exponent))
    even = span_power_by_logarithm(span_absolute_value(span_maximum(base, span_negative(base)), base), times)
    (low, _), (_, high) = (
        odd_power_of_end(end, lambda size: span_power_by_logarithm(size, times)) for end in (base.low, base.high)
    )
    odd = make_span(low, high, base.low_open, base.high_open, even.defined, even.limit)
    power = select_spans(times.low % 2 == 0, even, odd)
    return select_spans(exponent.low < 0, span_inverse(power), power)


def odd_power_of_end(x: Floats, power: Callable[[Span], Span]) -> tuple[Floats, Floats]:
    """Lower and upper bounds on an odd power of the numbers x. power: encloses that power of a nonnegative span."""
    closed, size = np.zeros(np.shape(x), dtype=bool), np.abs(x)
    found = power(Span(size, size, closed, closed, EVERYWHERE))
    return np.where(x < 0, -found.high, found.low), np.where(x < 0, -found.low, found.high)


def span_power_by_logarithm(base: Span, exponent: Span) -> Span:
    """The enclosure of base ** exponent for base >= 0, as exp(exponent log(base)).
    If base may be negative, nothing is known."""
    power = span_exp(span_product(exponent, span_log(base)))
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
    return make_span(low, high, power.low_open & ~zero, power.high_open & ~zero, defined, power.limit)


def whole_exponent(exponent: Span | Fraction) -> int | None:
    """The exponent as an int if it is the same integer on every box; otherwise None."""
    if isinstance(exponent, Span):
        if np.ndim(exponent.low) or exponent.low != exponent.high or np.isinf(exponent.low):
            return None
        if np.any(exponent.defined != 2):
            return None
        exponent = Fraction(float(exponent.low))
    return exponent.numerator if exponent.denominator == 1 else None


def span_whole_power(base: Span, n: int) -> Span:
    """The enclosure of base ** n for an integer n >= 0.
    Even powers are computed from |base|, so that squares are nonnegative."""
    if n == 0:
        return replace(constant_span(Fraction(1)), defined=base.defined, limit=base.limit)  # where the base is
    if n == 1:
        return base
    if n % 2 == 0:
        size = span_absolute_value(span_maximum(base, span_negative(base)), base)
        half = span_whole_power(size, n // 2)
        return span_product(half, half)
    return span_product(base, span_whole_power(base, n - 1)) if np.all(base.low >= 0) else span_odd_power(base, n)


def span_absolute_value(size: Span, base: Span) -> Span:
    """The enclosure of |base|, with low end 0 if base contains 0. size: max(base, -base)."""
    inside = (base.low < 0) & (base.high > 0)
    return replace(size, low=np.where(inside, 0.0, size.low), low_open=np.where(inside, False, size.low_open))


def span_odd_power(base: Span, n: int) -> Span:
    """The enclosure of base ** n for an odd n, from the powers of the ends, because odd powers increase."""
    (low, _), (_, high) = (
        odd_power_of_end(end, lambda size: span_whole_power(size, n)) for end in (base.low, base.high)
    )
    return make_span(low, high, base.low_open, base.high_open, base.defined, base.limit)


def select_spans(where: Flags, a: Span, b: Span) -> Span:
    """The span that is a on boxes where `where` is true, and b on the other boxes."""
    return Span(*(np.where(where, one, other) for one, other in zip(a.arrays, b.arrays, strict=True)))


def span_ncdf(x: Span) -> Span:
    """The enclosure of Phi(x), the normal distribution function, on every box."""
    ends = ncdf_ends(np.stack(np.broadcast_arrays(x.low, x.high)))
    low, high = ends[0][0], ends[1][1]
    low_open = x.low_open | (low == 0)  # Phi is never 0 nor 1
    return make_span(low, high, low_open, x.high_open | (high == 1), x.defined, x.limit)


def span_hull(a: Span, b: Span) -> Span:
    """The smallest span that contains both a and b on every box."""
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

    def __init__(self) -> None:
        """Prepares the enclosure of pi."""
        opened = np.array(True)
        self.pi = Span(np.array(np.pi), np.array(nextafter(np.pi, 4)), opened, opened, EVERYWHERE)

    def number(self, value: object) -> Span:
        """The tightest span around a number that is read exactly."""
        return constant_span(exact_fraction(value))

    def exp(self, x: object) -> Span:
        """The enclosure of e^x on every box."""
        return span_exp(as_span(x))

    def log(self, x: object) -> Span:
        """The enclosure of the natural logarithm of x on every box, where it is defined."""
        return span_log(as_span(x))

    def sqrt(self, x: object) -> Span:
        """The enclosure of the square root of x on every box, where it is defined."""
        return span_sqrt(as_span(x))

    def power(self, base: object, exponent: object) -> Span:
        """The enclosure of base ** exponent on every box."""
        return span_power(as_span(base), as_exponent(exponent))

    def ncdf(self, x: object) -> Span:
        """The enclosure of Phi(x), the standard normal distribution function, on every box."""
        return span_ncdf(as_span(x))

    def floor(self, x: object) -> Span:
        """The enclosure of floor(x) on every box."""
        span = as_span(x)
        # floor(high) is not reached from below an open whole number; keeping it is still an enclosure.
        low, high = np.floor(span.low), np.floor(span.high)
        return make_span(low, high, span.low_open & False, span.high_open & False, span.defined, span.limit)

    def ceil(self, x: object) -> Span:
        """The enclosure of ceil(x) on every box."""
        return span_negative(self.floor(span_negative(as_span(x))))

    def maximum(self, *values: object) -> Span:
        """maximum(a, b, ...): the enclosure, on every box, of the largest of its arguments."""
        return reduce(span_maximum, [as_span(value) for value in values])

    def minimum(self, *values: object) -> Span:
        """minimum(a, b, ...): the enclosure, on every box, of the smallest of its arguments."""
        return span_negative(reduce(span_maximum, [span_negative(as_span(value)) for value in values]))


boxes = Boxes()
