"""Checks of constructor arguments: each error names the argument, its value, and what is accepted."""

from __future__ import annotations

from dataclasses import fields
from numbers import Real
from operator import index
from typing import Any, SupportsIndex, TypeGuard

import numpy as np
from numpy.typing import NDArray

SMALLEST_NORMAL = float(np.finfo(np.float64).smallest_normal)  # below it a tenth may be 0, and one over it infinite


class NoLaw(ValueError):
    """Raised by a law that cannot be computed for this state."""


def at_least(name: str, value: object, low: int) -> None:
    """Raises ValueError unless the value is an integer of at least `low`."""
    if isinstance(value, bool) or not (isinstance(value, int | np.integer) and value >= low):
        raise ValueError(f"{name} is {value!r}; it must be an integer of at least {low}")


def checked_integer(value: object, name: str, lower: int, upper: int) -> int:
    """Returns the value as an int. Raises ValueError unless it is an integer from `lower` to `upper`."""
    if isinstance(value, SupportsIndex) and not isinstance(value, bool | np.ndarray) and lower <= index(value) <= upper:
        return index(value)
    raise ValueError(f"{name} = {value!r}; it must be an integer from {lower} to {upper}")


def reals(name: str, values: object) -> NDArray[np.float64]:
    """A copy of the values as doubles.
    Raises ValueError for values that are not real numbers: a complex number would be cut to its real part, and a text
    read as a number."""
    unmasked(name, values)
    try:
        given = np.array(values)
        objects = given.flat if given.dtype.kind == "O" else ()  # fractions, long integers
        if given.dtype.kind in "biufO" and all(hasattr(each, "__float__") for each in objects):
            return given.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{name}: {describe_given(values)} is not an array of real numbers")


def precise(name: str, values: object, *stated: object) -> None:
    """Raises ValueError for numbers of less than double precision, because error bounds assume doubles.
    Multiples of 2^-6, such as halves and quarters, are exact in any precision, and are accepted."""
    given = np.asarray(values)
    if given.dtype.kind != "f" or given.dtype.itemsize >= 8:
        return
    within = max(filter(is_number, stated), default=0.0)
    if within >= np.finfo(given.dtype).eps:
        return
    finite = given[np.isfinite(given)].astype(np.float64)
    if (np.mod(finite * 2.0**6, 1) != 0).any():
        kind, off = given.dtype, np.finfo(given.dtype).eps
        raise ValueError(
            f"{name}: numbers of type {kind} have a relative error of {off:.2g}, but the error may be at most "
            f"{within:.2g}; compute them in double precision (float64), or state a larger error"
        )


def unmasked(name: str, values: object) -> None:
    """Raises ValueError for a masked array, because masked values would be used as values."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(
            f"{name} is a masked array; replace the masked entries by numbers, for example by values.filled(0)"
        )


def describe_given(values: object) -> str:
    """The given object in words, for an error: an array by its type."""
    return f"an array of type {values.dtype}" if isinstance(values, np.ndarray) else repr(values)


def is_number(value: object) -> TypeGuard[float]:
    """Whether the value is a single real number within the range of doubles, and not nan; infinities are numbers."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        double = float(value)
    except OverflowError:
        return False
    return abs(double) < np.inf or double == value


def normalize_numeric_fields(owner: Any) -> None:
    """Converts the numbers in the fields of a frozen dataclass to Python's int and float, and their rows to tuples.
    numpy's integers, Fractions and floats of any precision. Values that are not numbers are unchanged, for later
    checks."""
    for field in fields(owner):
        value = getattr(owner, field.name)
        if is_number(value):
            object.__setattr__(owner, field.name, python_number(value))
        elif type(value) in (tuple, list, np.ndarray) and np.iterable(value) and all(map(is_number, value)):
            object.__setattr__(owner, field.name, tuple(map(python_number, value)))


def python_number(number: float) -> int | float:
    """The number as a Python number: an int if it is an integer type, a double otherwise."""
    return int(number) if isinstance(number, int | np.integer) else float(number)


def positive(name: str, value: object) -> None:
    """Raises ValueError unless the value is a finite number above 0 whose inverse is finite.
    Noise is scaled by the inverse."""
    if not (is_number(value) and 0 < value < np.inf):
        raise ValueError(f"{name} is {value!r}; it must be positive and finite")
    if value < SMALLEST_NORMAL:
        raise ValueError(
            f"{name} is {value!r}; it must be at least {SMALLEST_NORMAL:.2g}, because smaller doubles have fewer digits"
        )


def not_negative(name: str, value: object) -> None:
    """Raises ValueError unless the value is a finite number of at least 0."""
    if not (is_number(value) and 0 <= value < np.inf):
        raise ValueError(f"{name} is {value!r}; it must be a finite number of at least 0")


def require_in_closed_interval(name: str, value: object, low: float, high: float) -> None:
    """Raises ValueError unless the value is a number in [low, high]."""
    if not (is_number(value) and low <= value <= high):
        raise ValueError(f"{name} is {value!r}; it must lie in [{low:g}, {high:g}]")


def require_in_open_interval(name: str, value: object, low: float, high: float) -> None:
    """Raises ValueError unless the value is a number in (low, high)."""
    if not (is_number(value) and low < value < high):
        raise ValueError(f"{name} is {value!r}; it must lie strictly between {low:g} and {high:g}")


def require_flag(name: str, value: object) -> None:
    """Raises ValueError unless the value is True or False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} is {value!r}; it must be True or False")


def require_callable(name: str, value: object) -> None:
    """Raises ValueError unless the value can be called."""
    if not callable(value):
        raise ValueError(f"{name} is {value!r}; it must be a function")
