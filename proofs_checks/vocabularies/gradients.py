"""Derivatives of a formula over boxes: a value is a span together with the spans of its partial derivatives.

If the enclosure of a derivative has one sign, the formula is monotone in that variable over the whole box, and its
extremes lie on a face. This proves inequalities that are tight at the edge of their domain, which enclosures of the
values alone never do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import inf
from typing import Any, ClassVar

import numpy as np

from dpbandits.proofs_checks.vocabularies.boxes import (
    Span,
    as_span,
    boxes,
    constant_span,
    select_spans,
    span_hull,
    span_power,
    whole_exponent,
)
from dpbandits.proofs_checks.vocabularies.decimals import exact_fraction
from dpbandits.proofs_checks.vocabularies.operators import raises_type_error

ZERO_SPAN = constant_span(Fraction(0))


@dataclass(frozen=True, eq=False)
class Gradient:
    """A value over boxes and its partial derivatives by the variables' names; a missing one is 0."""

    value: Span
    parts: Mapping[str, Span]

    __array_ufunc__: ClassVar[None] = None

    def __add__(self, other: Any) -> Any:
        if (other := as_gradient(other)) is None:
            return NotImplemented
        return Gradient(self.value + other.value, sum_of_partials(self.parts, other.parts))

    def __sub__(self, other: Any) -> Any:
        return self + (-other) if (other := as_gradient(other)) is not None else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return other + (-self) if (other := as_gradient(other)) is not None else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if (other := as_gradient(other)) is None:
            return NotImplemented
        parts = sum_of_partials(scale_partials(self.parts, other.value), scale_partials(other.parts, self.value))
        return Gradient(self.value * other.value, parts)

    def __truediv__(self, other: Any) -> Any:
        if (other := as_gradient(other)) is None:
            return NotImplemented
        quotient, over = self.value / other.value, 1 / other.value
        return Gradient(
            quotient, sum_of_partials(scale_partials(self.parts, over), scale_partials(other.parts, -quotient * over))
        )

    def __rtruediv__(self, other: Any) -> Any:
        return other / self if (other := as_gradient(other)) is not None else NotImplemented

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Gradient:
        return Gradient(-self.value, {name: -part for name, part in self.parts.items()})

    def __pos__(self) -> Gradient:
        return self

    def __abs__(self) -> Gradient:
        return gradient_maximum(self, -self)

    def __pow__(self, exponent: Any) -> Gradient:
        if isinstance(exponent, Gradient):
            if exponent.parts:
                return power_with_variable_exponent(self, exponent)
            exponent = exponent.value
        whole = whole_exponent(exponent)
        if whole is not None or not isinstance(exponent, Span):
            exponent = exact_fraction(exponent) if whole is None else Fraction(whole)
        outer = exponent * span_power(self.value, exponent - 1)
        return Gradient(span_power(self.value, exponent), scale_partials(self.parts, outer))

    def __rpow__(self, base: Any) -> Gradient:
        return power_with_variable_exponent(as_gradient(base), self)

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = raises_type_error(
        "values over boxes are not compared; use m.maximum and m.minimum in formulas"
    )
    __bool__ = raises_type_error("a value over boxes is neither true nor false; formulas must not branch on it")
    __hash__ = object.__hash__


def power_with_variable_exponent(base: Gradient, exponent: Gradient) -> Gradient:
    """A power whose exponent has a slope, by logarithms: where base may be negative, it has values alone."""
    return Gradient(span_power(base.value, exponent.value), gradients.exp(exponent * gradients.log(base)).parts)


def as_gradient(value: Any) -> Any:
    """A slope as it is; a span or a number as a value with slope 0; None for anything else."""
    if isinstance(value, Gradient):
        return value
    plain = as_span(value)
    return None if plain is None else Gradient(plain, {})


def sum_of_partials(a: Mapping[str, Span], b: Mapping[str, Span]) -> dict[str, Span]:
    """The sum of two gradients."""
    out = dict(a)
    for name, part in b.items():
        out[name] = out[name] + part if name in out else part
    return out


def scale_partials(parts: Mapping[str, Span], factor: Span) -> dict[str, Span]:
    return {name: part * factor for name, part in parts.items()}


def gradient_maximum(a: Gradient, b: Gradient) -> Gradient:
    """The maximum; where it is not clear which one it is, its slope is one of both (or between them)."""
    parts: dict[str, Span] = {}
    first, second = a.value.low >= b.value.high, b.value.low >= a.value.high
    for name in {**a.parts, **b.parts}:
        p, q = a.parts.get(name, ZERO_SPAN), b.parts.get(name, ZERO_SPAN)
        parts[name] = select_spans(first, p, select_spans(second, q, span_hull(p, q)))
    return Gradient(boxes.maximum(a.value, b.value), parts)


def gradient_of_step_function(x: Gradient, value: Span) -> Gradient:
    """floor or ceil: flat where the value is constant over the box, else anything (and not continuous)."""
    flat = np.asarray(value.low == value.high)
    size, sure = np.where(flat, 0.0, inf), np.where(flat, 2, 1).astype(np.int8)
    part = Span(-size, size, ~flat, ~flat, sure)
    return Gradient(value, dict.fromkeys(x.parts, part))


class Gradients:
    """The vocabulary on slopes."""

    pi = boxes.pi

    def number(self, value: Any) -> Span:
        return boxes.number(value)

    def exp(self, x: Any) -> Gradient:
        x = as_gradient(x)
        value = boxes.exp(x.value)
        return Gradient(value, scale_partials(x.parts, value))

    def log(self, x: Any) -> Gradient:
        x = as_gradient(x)
        return Gradient(boxes.log(x.value), scale_partials(x.parts, 1 / x.value))

    def sqrt(self, x: Any) -> Gradient:
        x = as_gradient(x)
        value = boxes.sqrt(x.value)
        return Gradient(value, scale_partials(x.parts, 1 / (2 * value)))

    def power(self, base: Any, exponent: Any) -> Gradient:
        return as_gradient(base) ** exponent  # type: ignore[no-any-return]

    def ncdf(self, x: Any) -> Gradient:
        x = as_gradient(x)
        density = boxes.exp(-(x.value**2) / 2) / boxes.sqrt(2 * boxes.pi)
        return Gradient(boxes.ncdf(x.value), scale_partials(x.parts, density))

    def floor(self, x: Any) -> Gradient:
        x = as_gradient(x)
        return gradient_of_step_function(x, boxes.floor(x.value))

    def ceil(self, x: Any) -> Gradient:
        x = as_gradient(x)
        return gradient_of_step_function(x, boxes.ceil(x.value))

    def maximum(self, *values: Any) -> Any:
        return reduce(gradient_maximum, [as_gradient(value) for value in values])

    def minimum(self, *values: Any) -> Any:
        return -reduce(gradient_maximum, [-as_gradient(value) for value in values])


gradients = Gradients()
