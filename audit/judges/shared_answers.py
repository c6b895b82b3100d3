"""Results of computations that several claims about the same policy share within one process.

A result may be shared if it depends on nothing but the function's arguments. Arguments are compared by everything that
they contain, because two policies with equal fields may behave differently.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any, NamedTuple, Protocol, TypeVar, TypeVarTuple

import numpy as np

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Answer(Protocol):
    """A function such as `shared_answer` or `unshared_answer`."""

    def __call__(self, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """Computes `function` at the given arguments, or returns the stored value."""


class Question(NamedTuple):
    """A call of a function. Questions with the same key have the same answer, see `content_key`."""

    key: Hashable
    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        """Whether both objects are questions about the same function and about arguments with the same content."""
        return isinstance(other, Question) and (self.key, self.function) == (other.key, other.function)

    def __hash__(self) -> int:
        """The hash of the function and of the key of its arguments' content."""
        return hash((self.key, self.function))


def shared_answer(function: Callable[[*Ts], T], *arguments: *Ts) -> T:
    """Computes the function at these arguments once, and shares the value among all arguments with the same content.
    If an argument contains something that may change, the value is computed again."""
    key = content_key(arguments)
    if key is None:
        return function(*arguments)
    answer: T = remembered_answer(Question(key, function, arguments))
    return answer


def unshared_answer(function: Callable[[*Ts], T], *arguments: *Ts) -> T:
    """Computes the function at these arguments anew, without storing the value."""
    return function(*arguments)


@lru_cache(maxsize=512)
def remembered_answer(question: Question) -> Any:
    """Computes the question's function at its arguments; equal questions get the value that was computed first."""
    return question.function(*question.arguments)


def forget_answers() -> None:
    """Frees the memory of all shared answers."""
    remembered_answer.cache_clear()


def content_key(value: object) -> Hashable:
    """Returns a key that is equal for values with equal content, which behave alike and do not change.
    The content includes parts that `==` does not compare. None for a value that may change or hide something: any
    object other than numbers, strings, arrays, functions without closures, and frozen dataclasses and tuples of
    these."""
    if value is None or isinstance(value, bool | int | float | str | np.generic):
        return type(value), repr(value)
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, FunctionType) and value.__closure__ is None and not vars(value):
        return value, content_key((value.__defaults__, tuple((value.__kwdefaults__ or {}).items())))
    if isinstance(value, tuple):
        every = [content_key(each) for each in value]
    elif is_dataclass(value) and type(value).__dataclass_params__.frozen:  # type: ignore[union-attr]
        names = sorted({each.name for each in fields(value)} | set(getattr(value, "__dict__", ())))
        every = [content_key((name, getattr(value, name))) for name in names]
    else:
        return None
    return None if None in every else (type(value), *every)
