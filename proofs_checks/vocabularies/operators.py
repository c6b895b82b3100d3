"""Helpers to define operators of values that are not Python numbers: an operator and its reflected version, or one that
raises TypeError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")
Method = Callable[[Any, Any], Result]


def operator_methods(meant: Callable[[Any, Any, Any], Result], operation: Any) -> tuple[Method[Result], Method[Result]]:
    """The methods of an operator, such as __sub__ and __rsub__: meant(operation, a, b) for a - b."""

    def forward(self: Any, other: Any) -> Result:
        return meant(operation, self, other)

    def reflected(self: Any, other: Any) -> Result:
        return meant(operation, other, self)

    return forward, reflected


def raises_type_error(message: str) -> Callable[..., Any]:
    """A method that raises TypeError with this message, for values that formulas must not compare or test for truth."""

    def refused(self: Any, *others: Any) -> Any:
        raise TypeError(message)

    return refused
