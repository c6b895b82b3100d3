"""Defines arithmetic operators for values that are not Python numbers: a method together with its reflected version, or
methods that raise TypeError."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

Operation = TypeVar("Operation")
Result = TypeVar("Result")
BinaryOperator = Callable[[Any, Any], Any]  # such as operator.add, on whichever numbers
Method = Callable[[object, object], Result]


def operator_methods(
    meant: Callable[[Operation, object, object], Result], operation: Operation
) -> tuple[Method[Result], Method[Result]]:
    """Returns the two methods of an operator, such as __sub__ and __rsub__.
    They return meant(operation, a, b), where a - b is to be computed."""

    def forward(self: object, other: object) -> Result:
        """The result of the operation with self as the left operand."""
        return meant(operation, self, other)

    def reflected(self: object, other: object) -> Result:
        """The result of the operation with self as the right operand."""
        return meant(operation, other, self)

    return forward, reflected


def raises_type_error(message: str) -> Callable[..., NoReturn]:
    """A method that raises TypeError with this message, for values that formulas must not compare or test for truth."""

    def refused(self: object, *others: object) -> NoReturn:
        """Raises TypeError with the message that `raises_type_error` was given."""
        raise TypeError(message)

    return refused
