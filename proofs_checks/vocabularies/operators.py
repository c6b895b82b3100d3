"""Operators of values that are no Python numbers: both methods of each, from the function that it means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Method = Callable[[Any, Any], Any]


def from_both_sides(meant: Callable[[Any, Any, Any], Any], operation: Any) -> tuple[Method, Method]:
    """The methods of an operator, such as __sub__ and __rsub__: meant(operation, a, b) for a - b."""

    def forward(self: Any, other: Any) -> Any:
        return meant(operation, self, other)

    def reflected(self: Any, other: Any) -> Any:
        return meant(operation, other, self)

    return forward, reflected
