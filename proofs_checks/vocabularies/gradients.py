"""Encloses a formula's partial derivatives on boxes: a value is an interval on each box, together with the intervals of
its partial derivatives.

If the enclosure of a derivative has one sign, the formula is monotone in that variable over the whole box, and its
extremes lie on a face. This proves inequalities that are tight at the edge of their domain, which enclosures of the
values alone never do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import inf
from typing import ClassVar

import numpy as np

from dpbandits.proofs_checks.vocabularies.boxes import (
    Span,
    as_exponent,
    as_span,
    boxes,
    constant_span,
    select_spans,
    span_hull,
    span_power,
    whole_exponent,
)
from dpbandits.proofs_checks.vocabularies.operators import operator_methods, raises_type_error

ZERO_SPAN = constant_span(Fraction(0))


def power_with_variable_exponent(base: Gradient, exponent: Gradient) -> Gradient:
    """The power of two gradients whose exponent is not constant, with its partial derivatives.
    If the base may be negative, only the values are known."""
    return Gradient(span_power(base.value, exponent.value), gradients.exp(exponent * gradients.log(base)).parts)


def as_gradient(value: object) -> Gradient:
    """The value as a gradient: a gradient unchanged, a span or number with derivatives 0.
    Raises TypeError for anything else."""
    return value if isinstance(value, Gradient) else Gradient(as_span(value), {})


def gradient_operation(operation: Callable[[Gradient, Gradient], Gradient], a: object, b: object) -> Gradient:
    """The result of a binary operation on two gradients, or on a gradient and a span or number."""
    try:
        p, q = as_gradient(a), as_gradient(b)
    except TypeError:
        return NotImplemented  # type: ignore[no-any-return]
    return operation(p, q)


def gradient_sum(a: Gradient, b: Gradient) -> Gradient:
    """The sum a + b, with its partial derivatives."""
    return Gradient(a.value + b.value, sum_of_partials(a.parts, b.parts))


def gradient_product(a: Gradient, b: Gradient) -> Gradient:
    """The product a b, with its partial derivatives."""
    parts = sum_of_partials(scale_partials(a.parts, b.value), scale_partials(b.parts, a.value))
    return Gradient(a.value * b.value, parts)


def gradient_quotient(a: Gradient, b: Gradient) -> Gradient:
    """The quotient a/b, with its partial derivatives."""
    quotient, over = a.value / b.value, 1 / b.value
    parts = sum_of_partials(scale_partials(a.parts, over), scale_partials(b.parts, -quotient * over))
    return Gradient(quotient, parts)


def sum_of_partials(a: Mapping[str, Span], b: Mapping[str, Span]) -> dict[str, Span]:
    """Adds two sets of partial derivatives, {name of a variable: derivative}."""
    out = dict(a)
    for name, part in b.items():
        out[name] = out[name] + part if name in out else part
    return out


def scale_partials(parts: Mapping[str, Span], factor: Span) -> dict[str, Span]:
    """Multiplies partial derivatives, {name of a variable: derivative}, by a factor."""
    return {name: part * factor for name, part in parts.items()}


def gradient_maximum(a: Gradient, b: Gradient) -> Gradient:
    """The maximum of two gradients. If it is not clear which one is larger, the slope is enclosed by both slopes."""
    parts: dict[str, Span] = {}
    first, second = a.value.low >= b.value.high, b.value.low >= a.value.high
    for name in {**a.parts, **b.parts}:
        p, q = a.parts.get(name, ZERO_SPAN), b.parts.get(name, ZERO_SPAN)
        parts[name] = select_spans(first, p, select_spans(second, q, span_hull(p, q)))
    return Gradient(boxes.maximum(a.value, b.value), parts)


def gradient_of_step_function(x: Gradient, value: Span) -> Gradient:
    """The gradient of floor(x) or ceil(x), whose values are given as `value`.
    The slope is 0 if the value is constant over the box, otherwise unknown (and the function not continuous)."""
    flat = np.asarray(value.low == value.high)
    size, sure = np.where(flat, 0.0, inf), np.where(flat, 2, 1).astype(np.int8)
    part = Span(-size, size, ~flat, ~flat, sure)
    return Gradient(value, dict.fromkeys(x.parts, part))


@dataclass(frozen=True, eq=False)
class Gradient:
    """A value over boxes and its partial derivatives by the variables' names; a missing one is 0."""

    value: Span
    parts: Mapping[str, Span]

    __array_ufunc__: ClassVar[None] = None

    def __neg__(self) -> Gradient:
        """The gradient of -self: its value and partial derivatives with the opposite sign."""
        return Gradient(-self.value, {name: -part for name, part in self.parts.items()})

    def __pos__(self) -> Gradient:
        """The gradient itself, unchanged."""
        return self

    def __abs__(self) -> Gradient:
        """The gradient of |self|, as that of max(self, -self)."""
        return gradient_maximum(self, -self)

    __add__, __radd__ = operator_methods(gradient_operation, gradient_sum)
    __sub__, __rsub__ = operator_methods(gradient_operation, lambda a, b: gradient_sum(a, -b))
    __mul__, __rmul__ = operator_methods(gradient_operation, gradient_product)
    __truediv__, __rtruediv__ = operator_methods(gradient_operation, gradient_quotient)

    def __pow__(self, exponent: object) -> Gradient:
        """The value self ** exponent, with its partial derivatives."""
        if isinstance(exponent, Gradient):
            if exponent.parts:
                return power_with_variable_exponent(self, exponent)
            exponent = exponent.value
        known = as_exponent(exponent)
        if (whole := whole_exponent(known)) is not None:
            known = Fraction(whole)
        outer = known * span_power(self.value, as_exponent(known - 1))
        return Gradient(span_power(self.value, known), scale_partials(self.parts, outer))

    def __rpow__(self, base: object) -> Gradient:
        """The value base ** self, with its partial derivatives."""
        return power_with_variable_exponent(as_gradient(base), self)

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = raises_type_error(
        "values over boxes are not compared; use m.maximum and m.minimum in formulas"
    )
    __bool__ = raises_type_error("a value over boxes is neither true nor false; formulas must not branch on it")
    __hash__ = object.__hash__


class Gradients:
    """The vocabulary of formulas on gradients."""

    pi = boxes.pi

    def number(self, value: object) -> Span:
        """The number as a span; its derivatives are 0."""
        return boxes.number(value)

    def exp(self, x: object) -> Gradient:
        """The value e^x, with its partial derivatives."""
        known = as_gradient(x)
        value = boxes.exp(known.value)
        return Gradient(value, scale_partials(known.parts, value))

    def log(self, x: object) -> Gradient:
        """The natural logarithm of x, with its partial derivatives."""
        known = as_gradient(x)
        return Gradient(boxes.log(known.value), scale_partials(known.parts, 1 / known.value))

    def sqrt(self, x: object) -> Gradient:
        """The square root of x, with its partial derivatives."""
        known = as_gradient(x)
        value = boxes.sqrt(known.value)
        return Gradient(value, scale_partials(known.parts, 1 / (2 * value)))

    def power(self, base: object, exponent: object) -> Gradient:
        """The value base ** exponent, with its partial derivatives."""
        return as_gradient(base) ** exponent

    def ncdf(self, x: object) -> Gradient:
        """Phi(x), the standard normal distribution function, with its partial derivatives."""
        known = as_gradient(x)
        density = boxes.exp(-(known.value**2) / 2) / boxes.sqrt(2 * boxes.pi)
        return Gradient(boxes.ncdf(known.value), scale_partials(known.parts, density))

    def floor(self, x: object) -> Gradient:
        """The value floor(x), with enclosures of its slopes."""
        known = as_gradient(x)
        return gradient_of_step_function(known, boxes.floor(known.value))

    def ceil(self, x: object) -> Gradient:
        """The value ceil(x), with enclosures of its slopes."""
        known = as_gradient(x)
        return gradient_of_step_function(known, boxes.ceil(known.value))

    def maximum(self, *values: object) -> Gradient:
        """maximum(a, b, ...): the largest of its arguments, with its partial derivatives."""
        return reduce(gradient_maximum, [as_gradient(value) for value in values])

    def minimum(self, *values: object) -> Gradient:
        """minimum(a, b, ...): the smallest of its arguments, with its partial derivatives."""
        return -self.maximum(*(-as_gradient(value) for value in values))


gradients = Gradients()
