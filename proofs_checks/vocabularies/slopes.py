"""Derivatives of a formula over boxes: a value is a span together with the spans of its partial derivatives.

Where the enclosure of a derivative has one sign, the formula is monotone in that variable over the whole box,
and its extremes lie on a face. This closes inequalities that are tight at the edge of their domain, which the
enclosure of the values alone never does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import inf
from typing import Any, ClassVar

import numpy as np

from dpbandits.proofs_checks.vocabularies.boxes import boxes, hull
from dpbandits.proofs_checks.vocabularies.decimals import exactly
from dpbandits.proofs_checks.vocabularies.operators import refuses
from dpbandits.proofs_checks.vocabularies.spans import Span, constant_span, powered, select_spans, span, whole_number

ZERO_SPAN = constant_span(Fraction(0))


@dataclass(frozen=True, eq=False)
class Slope:
    """A value over boxes and its partial derivatives by the variables' names; a missing one is 0."""

    value: Span
    parts: Mapping[str, Span]

    __array_ufunc__: ClassVar[None] = None

    def __add__(self, other: Any) -> Any:
        if (other := slope(other)) is None:
            return NotImplemented
        return Slope(self.value + other.value, both(self.parts, other.parts))

    def __sub__(self, other: Any) -> Any:
        return self + (-other) if (other := slope(other)) is not None else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return other + (-self) if (other := slope(other)) is not None else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if (other := slope(other)) is None:
            return NotImplemented
        parts = both(scaled(self.parts, other.value), scaled(other.parts, self.value))
        return Slope(self.value * other.value, parts)

    def __truediv__(self, other: Any) -> Any:
        if (other := slope(other)) is None:
            return NotImplemented
        quotient, over = self.value / other.value, 1 / other.value
        return Slope(quotient, both(scaled(self.parts, over), scaled(other.parts, -quotient * over)))

    def __rtruediv__(self, other: Any) -> Any:
        return other / self if (other := slope(other)) is not None else NotImplemented

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Slope:
        return Slope(-self.value, {name: -part for name, part in self.parts.items()})

    def __pos__(self) -> Slope:
        return self

    def __abs__(self) -> Slope:
        return slope_maximum(self, -self)

    def __pow__(self, exponent: Any) -> Slope:
        if isinstance(exponent, Slope):
            if exponent.parts:
                return moving_power(self, exponent)
            exponent = exponent.value
        whole = whole_number(exponent)
        if whole is not None or not isinstance(exponent, Span):
            exponent = exactly(exponent) if whole is None else Fraction(whole)
        outer = exponent * powered(self.value, exponent - 1)
        return Slope(powered(self.value, exponent), scaled(self.parts, outer))

    def __rpow__(self, base: Any) -> Slope:
        return moving_power(slope(base), self)

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = refuses(
        "values over boxes are not compared; use m.maximum and m.minimum in formulas"
    )
    __bool__ = refuses("a value over boxes is neither true nor false; formulas must not branch on it")
    __hash__ = object.__hash__


def moving_power(base: Slope, exponent: Slope) -> Slope:
    """A power whose exponent has a slope, by logarithms: where base may be negative, it has values alone."""
    return Slope(powered(base.value, exponent.value), slopes.exp(exponent * slopes.log(base)).parts)


def slope(value: Any) -> Any:
    """A slope as it is; a span or a number as a value with slope 0; None for anything else."""
    if isinstance(value, Slope):
        return value
    plain = span(value)
    return None if plain is None else Slope(plain, {})


def both(a: Mapping[str, Span], b: Mapping[str, Span]) -> dict[str, Span]:
    """The sum of two gradients."""
    out = dict(a)
    for name, part in b.items():
        out[name] = out[name] + part if name in out else part
    return out


def scaled(parts: Mapping[str, Span], factor: Span) -> dict[str, Span]:
    return {name: part * factor for name, part in parts.items()}


def slope_maximum(a: Slope, b: Slope) -> Slope:
    """The maximum; where it is not clear which one it is, its slope is one of both (or between them)."""
    parts: dict[str, Span] = {}
    first, second = a.value.low >= b.value.high, b.value.low >= a.value.high
    for name in {**a.parts, **b.parts}:
        p, q = a.parts.get(name, ZERO_SPAN), b.parts.get(name, ZERO_SPAN)
        parts[name] = select_spans(first, p, select_spans(second, q, hull(p, q)))
    return Slope(boxes.maximum(a.value, b.value), parts)


def step_function_slope(x: Slope, value: Span) -> Slope:
    """floor or ceil: flat where the value is constant over the box, else anything (and not continuous)."""
    flat = np.asarray(value.low == value.high)
    size, sure = np.where(flat, 0.0, inf), np.where(flat, 2, 1).astype(np.int8)
    part = Span(-size, size, ~flat, ~flat, sure)
    return Slope(value, dict.fromkeys(x.parts, part))


class Slopes:
    """The vocabulary on slopes."""

    name = "slopes"
    pi = boxes.pi

    def number(self, value: Any) -> Span:
        return boxes.number(value)

    def exp(self, x: Any) -> Slope:
        x = slope(x)
        value = boxes.exp(x.value)
        return Slope(value, scaled(x.parts, value))

    def log(self, x: Any) -> Slope:
        x = slope(x)
        return Slope(boxes.log(x.value), scaled(x.parts, 1 / x.value))

    def sqrt(self, x: Any) -> Slope:
        x = slope(x)
        value = boxes.sqrt(x.value)
        return Slope(value, scaled(x.parts, 1 / (2 * value)))

    def power(self, base: Any, exponent: Any) -> Slope:
        return slope(base) ** exponent  # type: ignore[no-any-return]

    def ncdf(self, x: Any) -> Slope:
        x = slope(x)
        density = boxes.exp(-(x.value**2) / 2) / boxes.sqrt(2 * boxes.pi)
        return Slope(boxes.ncdf(x.value), scaled(x.parts, density))

    def floor(self, x: Any) -> Slope:
        x = slope(x)
        return step_function_slope(x, boxes.floor(x.value))

    def ceil(self, x: Any) -> Slope:
        x = slope(x)
        return step_function_slope(x, boxes.ceil(x.value))

    def maximum(self, *values: Any) -> Any:
        return reduce(slope_maximum, [slope(value) for value in values])

    def minimum(self, *values: Any) -> Any:
        return -reduce(slope_maximum, [-slope(value) for value in values])


slopes = Slopes()
