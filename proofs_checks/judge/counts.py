"""Whole numbers for formulas that count with them: range(n), comb(n, k), means[arm].

A Count is an int as long as it meets ints. As soon as it meets anything else, or a quotient that is no
integer, it becomes a number of its context, so that 1/n is never rounded behind the context's back.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any


class Count(int):
    """An int that belongs to a context m."""

    m: Any

    def __new__(cls, value: int, m: Any) -> Count:
        count = super().__new__(cls, value)
        count.m = m
        return count

    def __neg__(self) -> Any:
        return Count(-int(self), self.m)

    def __truediv__(self, other: Any) -> Any:
        return quotient(self.m, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return quotient(self.m, other, self)

    def __pow__(self, other: Any, modulus: int | None = None) -> Any:  # type: ignore[override]
        return raised(self.m, self, other)

    def __rpow__(self, other: Any, modulus: int | None = None) -> Any:
        return raised(self.m, other, self)


def with_counts(m: Any, fixed: Mapping[str, Any], counts: Collection[str]) -> dict[str, Any]:
    """The fixed variables, those to count with as Counts of the context m."""
    return {name: Count(value, m) if name in counts else value for name, value in fixed.items()}


def quotient(m: Any, a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and b != 0:
        exact = Fraction(int(a), int(b))
        return Count(exact.numerator, m) if exact.denominator == 1 else m.number(exact)
    return number(m, a) / number(m, b)


def raised(m: Any, a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and b >= 0:
        return Count(int(a) ** int(b), m)
    return number(m, a) ** (int(b) if isinstance(b, int) else b)


def number(m: Any, value: Any) -> Any:
    return m.number(int(value)) if isinstance(value, int) else value


def either_way(operation: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """An operation that keeps ints whole and makes context numbers of everything else, and its mirror
    image."""

    def forward(self: Count, other: Any) -> Any:
        if isinstance(other, int):
            return Count(operation(int(self), int(other)), self.m)
        return operation(number(self.m, self), other)

    def backward(self: Count, other: Any) -> Any:
        if isinstance(other, int):
            return Count(operation(int(other), int(self)), self.m)
        return operation(other, number(self.m, self))

    return forward, backward


for _name, _operation in {"add": operator.add, "sub": operator.sub, "mul": operator.mul}.items():
    _forward, _backward = either_way(_operation)
    setattr(Count, f"__{_name}__", _forward)
    setattr(Count, f"__r{_name}__", _backward)
