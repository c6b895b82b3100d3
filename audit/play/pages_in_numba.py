"""A page's own functions, as numba compiles them: on single numbers in the place of arrays, and with what they name."""

from __future__ import annotations

from collections import namedtuple
from functools import lru_cache
from types import FunctionType
from typing import Any

from dpbandits.audit.play.kept_code import names_in


def of_page(policy: type, numbers: tuple[str, ...], functions: dict[str, FunctionType]) -> Any:
    """What compiled functions take a policy for: its numbers, with those methods, properties and functions among its
    fields that they name."""
    from numba import njit

    made_of = namedtuple("Fields", numbers)  # type: ignore[misc]
    for name, (function, called) in named_in(policy, functions).items():
        compiled = njit(error_model="numpy")(function)
        ANSWERS[made_of, name] = compiled
        of_name(name, called)
    return made_of


ANSWERS: dict[tuple[Any, str], Any] = {}  # by what stands for the policy, and the name


def named_in(policy: type, functions: dict[str, FunctionType]) -> dict[str, tuple[FunctionType, str]]:
    """The functions that posterior and learn name, and those that these name: a "method", which takes the policy, a
    "field", which does not, or a "property"."""
    found: dict[str, tuple[FunctionType, str]] = {}
    waiting = [policy.posterior, policy.learn]  # type: ignore[attr-defined]
    while waiting:
        for name in names_in(waiting.pop().__code__):
            said = functions.get(name, getattr(policy, name, None))
            function = said.fget if isinstance(said, property) else said
            if name not in found and isinstance(function, FunctionType):
                how = "field" if name in functions else "property" if isinstance(said, property) else "method"
                found[name] = function, how
                waiting.append(function)
    return found


@lru_cache(maxsize=256)
def of_name(name: str, called: str) -> None:
    """From now on, what stands for a policy has this method, property, or function among its fields."""
    from numba import types
    from numba.extending import overload_attribute, overload_method

    def answer(self: Any) -> Any:
        return ANSWERS.get((getattr(self, "instance_class", None), name))

    def method(self, *given):  # type: ignore[no-untyped-def]
        function = answer(self)
        return (lambda self, *given: function(self, *given)) if function else None

    def field(self, *given):  # type: ignore[no-untyped-def]
        function = answer(self)
        return (lambda self, *given: function(*given)) if function else None

    def attribute(self):  # type: ignore[no-untyped-def]
        function = answer(self)
        return (lambda self: function(self)) if function else None

    if called == "property":
        overload_attribute(types.BaseNamedTuple, name)(attribute)
    else:
        overload_method(types.BaseNamedTuple, name)(method if called == "method" else field)


@lru_cache(maxsize=1)
def sample_of() -> Any:
    """What a posterior says in a step in which theta is sampled; else it says None, and compiled code raises."""
    from numba import types
    from numba.extending import overload
    from numba.typed.typedobjectutils import _nonoptional

    def sampled(said: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    @overload(sampled)
    def _(said):  # type: ignore[no-untyped-def]
        return (lambda said: _nonoptional(said)) if isinstance(said, types.Optional) else lambda said: said

    return sampled


@lru_cache(maxsize=1)
def of_each_array() -> tuple[Any, Any]:
    """How a kernel reads the numbers at a place from a tuple of arrays, and writes them."""
    from numba.extending import overload

    def numbers_at(arrays: Any, place: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    def put(arrays: Any, place: Any, new: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    @overload(numbers_at)
    def _(arrays, place):  # type: ignore[no-untyped-def]
        if not len(arrays):
            return lambda arrays, place: ()
        return lambda arrays, place: (arrays[0][place],) + numbers_at(arrays[1:], place)  # noqa: RUF005  not in numba

    @overload(put)
    def _(arrays, place, new):  # type: ignore[no-untyped-def]
        def rest(arrays, place, new):  # type: ignore[no-untyped-def]
            arrays[0][place] = new[0]
            put(arrays[1:], place, new[1:])

        return rest if len(arrays) else lambda arrays, place, new: None

    return numbers_at, put
