"""What the constructors ask of their numbers: errors name the value, its place, and what would be right."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np


def at_least(name: str, value: Any, low: int) -> None:
    """ValueError unless the value is an integer of at least `low`."""
    if isinstance(value, bool) or not (isinstance(value, int | np.integer) and value >= low):
        raise ValueError(f"{name} is {value!r}; it must be an integer of at least {low}")


def whole(value: Any, name: str, least: int, most: int) -> int:
    """The whole number. Raises ValueError for anything else, or one out of range."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or not least <= value <= most:
        raise ValueError(f"{name}={value!r}: choose a whole number from {least} to {most}")
    return int(value)


def is_number(value: Any) -> bool:
    """Whether the value is a single real number, and not nan; infinities are numbers."""
    return isinstance(value, Real) and not isinstance(value, bool) and value == value


def positive(name: str, value: Any) -> None:
    """ValueError unless the value is a number above 0, and finite."""
    if not (is_number(value) and 0 < value < np.inf):
        raise ValueError(f"{name} is {value!r}; it must be positive and finite")


def not_negative(name: str, value: Any) -> None:
    """ValueError unless the value is a number of at least 0, and finite."""
    if not (is_number(value) and 0 <= value < np.inf):
        raise ValueError(f"{name} is {value!r}; it must be a finite number of at least 0")


def inside(name: str, value: Any, low: float, high: float) -> None:
    """ValueError unless the value is a number in [low, high]."""
    if not (is_number(value) and low <= value <= high):
        raise ValueError(f"{name} is {value!r}; it must lie in [{low:g}, {high:g}]")


def within(name: str, value: Any, low: float, high: float) -> None:
    """ValueError unless the value is a number in (low, high)."""
    if not (is_number(value) and low < value < high):
        raise ValueError(f"{name} is {value!r}; it must lie strictly between {low:g} and {high:g}")


def function(name: str, value: Any) -> None:
    """ValueError unless the value can be called."""
    if not callable(value):
        raise ValueError(f"{name} is {value!r}; it must be a function")
