"""Operators of values that are no Python numbers: both methods of each, from the function that it means, or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")
Method = Callable[[Any, Any], Result]


def from_both_sides(meant: Callable[[Any, Any, Any], Result], operation: Any) -> tuple[Method[Result], Method[Result]]:
    """The methods of an operator, such as __sub__ and __rsub__: meant(operation, a, b) for a - b."""

    def forward(self: Any, other: Any) -> Result:
        return meant(operation, self, other)

    def reflected(self: Any, other: Any) -> Result:
        return meant(operation, other, self)

    return forward, reflected


def refuses(message: str) -> Callable[..., Any]:
    """A method that raises TypeError, of values that formulas must not compare, or ask for the truth."""

    def refused(self: Any, *others: Any) -> Any:
        raise TypeError(message)

    return refused
