"""Enclosures of real numbers: intervals at 60 digits whose ends stay between 2^-MAX_BINARY_EXPONENT and
2^MAX_BINARY_EXPONENT."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import mpmath
from mpmath.ctx_iv import MPIntervalContext

from .untrusted import LARGEST_EXPONENT, ExtendedRational, Rejected, spend_effort

WORK_DIGITS = 60
# Intervals stay between 2^-MAX_BINARY_EXPONENT and its inverse, or are 0: so each can be written out exactly.
MAX_BINARY_EXPONENT = 2**19
work = MPIntervalContext()
work.dps = WORK_DIGITS
Interval = Any  # an interval of `work`
ExactOrInterval = Any  # an Interval, or an exact Fraction


def interval(value: Fraction) -> Interval:
    """The interval around an exact number, as narrow as 60 digits allow."""
    return work.mpf(value.numerator) / work.mpf(value.denominator)


def low(x: ExactOrInterval) -> ExtendedRational:
    """The low end of a number or interval, as an exact rational or an infinite float."""
    return x if isinstance(x, Fraction) else exact_end(x._mpi_[0])


def high(x: ExactOrInterval) -> ExtendedRational:
    """The high end of a number or interval, as an exact rational or an infinite float."""
    return x if isinstance(x, Fraction) else exact_end(x._mpi_[1])


def as_interval(x: ExactOrInterval) -> Interval:
    """The number or interval as an interval."""
    return interval(x) if isinstance(x, Fraction) else x


def exact_end(end: Any) -> ExtendedRational:
    """An end of an interval as an exact rational, or an infinite float."""
    sign, mantissa, exponent, bits = (int(part) for part in end)
    if not mantissa and exponent:
        return float(mpmath.libmp.to_float(end))
    if abs(exponent + bits) > 2 * MAX_BINARY_EXPONENT:
        raise Rejected(
            f"the absolute value of a number is above 2^{2 * MAX_BINARY_EXPONENT} or below "
            f"2^-{2 * MAX_BINARY_EXPONENT}, which the checker does not support"
        )
    size = Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)
    return -size if sign else size


def low_mpf(x: Interval) -> Any:
    """The low end of the interval as a binary number of mpmath.
    Comparisons of such numbers with each other, an int or a float are exact and fast. (mpmath 1.3 cannot compare them
    with a Fraction.)"""
    return mpmath.mp.make_mpf(x._mpi_[0])


def high_mpf(x: Interval) -> Any:
    """The high end of the interval as a binary number of mpmath; see `low_mpf`."""
    return mpmath.mp.make_mpf(x._mpi_[1])


def checked_magnitude(x: ExactOrInterval) -> ExactOrInterval:
    """The value, unchanged. Raises Rejected if it is not finite, or if its exponent is too large."""
    for end in () if isinstance(x, Fraction) else x._mpi_:
        _, mantissa, exponent, bits = (int(part) for part in end)
        size = abs(exponent + bits)
        if (not mantissa and exponent) or size > MAX_BINARY_EXPONENT:
            raise Rejected(
                "the checker does not support a value that is infinite, or whose absolute value is above "
                f"2^{MAX_BINARY_EXPONENT}, or below 2^-{MAX_BINARY_EXPONENT} but not 0"
            )
        spend_effort(size / 1000)
    return x


def from_ends(a: Interval, b: Interval) -> Interval:
    """The interval from the low end of one interval to the high end of another."""
    return work.make_mpf((a._mpi_[0], b._mpi_[1]))


def checked_quotient(a: Interval, b: Interval) -> Interval:
    """The quotient a / b of two intervals. Raises Rejected if b may be 0."""
    if low_mpf(b) <= 0 <= high_mpf(b):
        raise Rejected("the expression divides by a value that may be 0")
    return a / b


def interval_exp(x: Interval) -> Interval:
    """The interval of e^x. Raises Rejected for values too large to be written out."""
    spend_effort(12)
    if high_mpf(x) > TAIL_CUTOFF**2:
        raise Rejected("the expression contains an exponential above exp(160000)")
    if low_mpf(x) < -(TAIL_CUTOFF**2):  # numbers stay small enough to be written out
        return from_ends(
            work.mpf(0), widen_by_units(work.exp(interval_maximum(ends_of(x)[1], work.mpf(-(TAIL_CUTOFF**2)))))
        )
    return widen_by_units(work.exp(x)) if not low_mpf(x) == high_mpf(x) == 0 else work.mpf(1)


def interval_log(x: Interval) -> Interval:
    """The interval of log x. Raises Rejected unless x is certainly positive."""
    spend_effort(12)
    if low_mpf(x) <= 0:
        raise Rejected("the expression contains the logarithm of a value that may be 0 or negative")
    return widen_by_units(work.log(x)) if not low_mpf(x) == high_mpf(x) == 1 else work.mpf(0)


def widen_by_units(x: Interval) -> Interval:
    """The interval, widened by ten units in the last place at both ends, to cover mpmath's rounding errors.
    Mpmath rounds exp and log correctly, except in rare cases."""
    slack = work.ldexp(work.mpf([-1, 1]), 4 - work.prec)
    return x * (1 + slack)


def interval_sqrt(x: Interval) -> Interval:
    """The interval of the square root of x. Raises Rejected for a value that may be negative."""
    spend_effort(12)
    if low_mpf(x) < 0:
        raise Rejected("the expression contains the square root of a value that may be negative")
    return work.sqrt(x)


def real_power(base: Interval, exponent: Interval) -> Interval:
    """base^exponent; exact for exponents that are multiples of 1/2 wherever the root is exact."""
    spend_effort(4)
    n = low_mpf(2 * exponent)  # exactly
    if n == high_mpf(2 * exponent) and abs(n) <= 2 * LARGEST_EXPONENT and n == int(n):
        times = abs(int(n))  # roots are taken exactly where they are exact: 4^(3/2) is 8
        raised = whole_power(interval_sqrt(base), times) if times % 2 else whole_power(base, times // 2)
        return raised if n >= 0 else checked_quotient(work.mpf(1), raised)
    if low_mpf(base) == high_mpf(base) == 0 < n:
        return work.mpf(0)
    return interval_exp(exponent * interval_log(base))


def whole_power(base: Interval, n: int) -> Interval:
    """base^n for n >= 0. An even power is the square of a power, and a square is not negative."""
    spend_effort(2)
    if n == 0:
        return work.mpf(1)
    if n % 2:
        return monotone_odd(base, n) if low_mpf(base) < 0 < high_mpf(base) else base * whole_power(base, n - 1)
    half = whole_power(base, n // 2)
    square = checked_magnitude(half * half)
    return from_ends(work.mpf(0), square) if low_mpf(half) < 0 < high_mpf(half) else square


def monotone_odd(base: Interval, n: int) -> Interval:
    """base^n for an odd n: from the power of the low end to that of the high end, because odd powers increase."""
    a, b = ends_of(base)
    return from_ends(a * whole_power(a, n - 1), b * whole_power(b, n - 1))


def ends_of(x: Interval) -> tuple[Interval, Interval]:
    """The two ends of an interval, each as an interval without width."""
    a, b = x._mpi_
    return work.make_mpf((a, a)), work.make_mpf((b, b))


def interval_maximum(*values: Interval) -> Interval:
    """interval_maximum(a, b, ...): an enclosure of the largest of its arguments, which are intervals."""
    return from_ends(max(values, key=low_mpf), max(values, key=high_mpf))


def interval_minimum(*values: Interval) -> Interval:
    """interval_minimum(a, b, ...): an enclosure of the smallest of its arguments, which are intervals."""
    return from_ends(min(values, key=low_mpf), min(values, key=high_mpf))


def rounded_down(x: Interval) -> Interval:
    """An enclosure of floor(x): the floors of both ends."""
    spend_effort(100)
    a, b = Fraction(low(x)), Fraction(high(x))
    return from_ends(work.mpf(a.numerator // a.denominator), work.mpf(b.numerator // b.denominator))


def rounded_up(x: Interval) -> Interval:
    """An enclosure of ceil(x): the ceilings of both ends."""
    return -rounded_down(-x)


TAIL_CUTOFF = 400  # beyond, the tail is between 0 and its value here, below 1e-34000


def sum_of_intervals(values: Iterable[Interval]) -> Interval:
    """The interval of the sum of the given intervals."""
    return sum(values, work.mpf(0))
