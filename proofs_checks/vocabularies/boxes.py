"""The vocabulary on spans: intervals on many boxes at once, in doubles, where branch and bound spends its time."""

from __future__ import annotations

from functools import reduce
from math import nextafter
from typing import Any

import numpy as np

from dpbandits.proofs_checks.vocabularies.decimals import exactly
from dpbandits.proofs_checks.vocabularies.rounded_doubles import ncdf_ends
from dpbandits.proofs_checks.vocabularies.spans import (
    Span,
    constant_span,
    exp,
    log,
    negated,
    pair,
    powered,
    span,
    span_maximum,
    sqrt,
)


def ncdf(x: Span) -> Span:
    ends = ncdf_ends(np.stack(np.broadcast_arrays(x.low, x.high)))
    low, high = ends[0][0], ends[1][1]
    low_open = x.low_open | (low == 0)  # Phi is never 0 nor 1
    return pair(low, high, low_open, x.high_open | (high == 1), x.defined, x.limit)


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

    def power(self, base: Any, exponent: Any) -> Span:
        return powered(span(base), exponent)  # type: ignore[no-any-return]

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
