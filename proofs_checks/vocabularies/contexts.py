"""One vocabulary with four meanings: doubles (fp), 50 digits (mp), intervals (iv), and text.

A formula `f(m, **variables)` is written once. With `fp` it is fast and accepts numpy arrays, with `mp` it has 50
digits, with `iv` it is an enclosure, and with `text` it becomes an expression that the certificate checker evaluates
without importing any of this.

The vocabulary is that of `reference.arithmetic.vocabulary`: exp log sqrt power ncdf maximum minimum floor ceil number
pi. Write constants that are not doubles as m.number("0.1"): every context then means the same number.
"""

from __future__ import annotations

from functools import reduce
from math import inf, log2
from typing import Any

import mpmath
from flint import arb, ctx

from dpbandits.proofs_checks.vocabularies import intervals
from dpbandits.proofs_checks.vocabularies.decimals import decimal_text, exact_fraction
from dpbandits.proofs_checks.vocabularies.expressions import Text, text
from dpbandits.proofs_checks.vocabularies.intervals import (
    INF,
    NEG_INF,
    Interval,
    certainly_at_most,
    certainly_less,
    interval_maximum,
    interval_of_number,
    interval_step_function,
    monotone_ends,
    rational_below,
)
from dpbandits.reference.arithmetic.vocabulary import doubles

__all__ = ["Interval", "Text", "certainly_at_most", "certainly_less", "fp", "iv", "mp", "text"]

CONTEXT_DIGITS = 50
SPARE = 16  # bits that roundings may cost an interval
WRITTEN_OUT = 16_300  # the largest binary exponent that is written as a decimal


class Precise:
    """The vocabulary at a fixed number of digits, in an mpmath context of its own (no global state).

    Raises ValueError where a real function is not defined.
    """

    name = "mp"

    def __init__(self, digits: int = CONTEXT_DIGITS):
        self.context = mpmath.MPContext()
        self.context.dps = digits
        self.pi = +self.context.pi

    def number(self, value: Any) -> Any:
        exact = exact_fraction(value)
        return self.context.mpf(exact.numerator) / exact.denominator

    def of(self, value: Any) -> Any:
        """Numbers of any kind, infinities included, as this context's."""
        if isinstance(value, float) and abs(value) == inf:
            return self.context.mpf(value)
        return value if isinstance(value, self.context.mpf) else self.number(value)

    def exp(self, x: Any) -> Any:
        return self.context.exp(self.of(x))

    def log(self, x: Any) -> Any:
        x = self.of(x)
        if x < 0:
            raise ValueError(f"log({self.context.nstr(x, 6)}): the argument must not be negative")
        return self.context.log(x) if x else self.context.mpf("-inf")

    def sqrt(self, x: Any) -> Any:
        x = self.of(x)
        if x < 0:
            raise ValueError(f"sqrt({self.context.nstr(x, 6)}): the argument must not be negative")
        return self.context.sqrt(x)

    def power(self, base: Any, exponent: Any) -> Any:
        return self.exp(self.of(exponent) * self.log(base))

    def ncdf(self, x: Any) -> Any:
        return self.context.ncdf(self.of(x))

    def floor(self, x: Any) -> Any:
        return self.context.floor(self.of(x))

    def ceil(self, x: Any) -> Any:
        return self.context.ceil(self.of(x))

    def maximum(self, *values: Any) -> Any:
        return max(self.of(value) for value in values)

    def minimum(self, *values: Any) -> Any:
        return min(self.of(value) for value in values)


class Intervals:
    """The vocabulary on enclosures (see `intervals.Interval`), with at least so many digits: whole words of bits."""

    name = "iv"

    def __init__(self, digits: int = CONTEXT_DIGITS):
        self.prec = 64 * (int(digits * log2(10) + SPARE) // 64 + 1)
        with ctx.workprec(self.prec):
            self.pi = Interval(monotone_ends(arb.pi(), arb.pi()), self.prec)

    def number(self, value: Any) -> Interval:
        """The tightest enclosure of an exactly read number."""
        return interval_of_number(exact_fraction(value), self.prec)

    def between(self, low: Any, high: Any) -> Interval:
        """[low, high]: numbers read exactly, or infinities. Raises ValueError unless low <= high, and some number
        lies between."""
        ends = self.end(low, 0), self.end(high, 1)
        if ends[0] > ends[1] or ends[0] == INF or ends[1] == NEG_INF:
            raise ValueError(f"between({low!r}, {high!r}): the ends are in the wrong order, or hold no number")
        return Interval(ends, self.prec)

    def end(self, value: Any, side: int) -> arb:
        if isinstance(value, float) and abs(value) == inf:
            return INF if value > 0 else NEG_INF
        return self.number(value).ends[side]

    def of(self, value: Any) -> Interval:
        return value if isinstance(value, Interval) else self.number(value)

    def exp(self, x: Any) -> Interval:
        return intervals.interval_exp(self.of(x))

    def log(self, x: Any) -> Interval:
        return intervals.interval_log(self.of(x))

    def sqrt(self, x: Any) -> Interval:
        return intervals.interval_sqrt(self.of(x))

    def power(self, base: Any, exponent: Any) -> Interval:
        return self.of(base) ** self.of(exponent)

    def ncdf(self, x: Any) -> Interval:
        return intervals.interval_ncdf(self.of(x))

    def floor(self, x: Any) -> Interval:
        return interval_step_function(self.of(x), arb.floor)

    def ceil(self, x: Any) -> Interval:
        return interval_step_function(self.of(x), arb.ceil)

    def maximum(self, *values: Any) -> Interval:
        return reduce(interval_maximum, map(self.of, values))

    def minimum(self, *values: Any) -> Interval:
        return -self.maximum(*(-self.of(value) for value in values))

    def enclosure(self, x: Any, digits: int = 25) -> list[str]:
        """[low, high] as decimal strings, rounded outwards to so many digits, and to 0 and inf beyond
        10^+-4900."""
        x = self.of(x)
        low, high = (rational_below(end, WRITTEN_OUT) for end in (x.ends[0], (-x).ends[0]))
        return [decimal_text(low, digits, up=False), decimal_text(-high, digits, up=True)]


fp = doubles
mp = Precise()
iv = Intervals()
