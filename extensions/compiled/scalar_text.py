"""Rewrites the source of a policy's functions for numba: they compute with single numbers instead of arrays.

Policies compute with arrays. If a computation is about one arm, it acts on each element separately, so the same source
is also correct for a single number. Functions that the policy calls are compiled as well: methods, functions of its
module and of modules that it imports, constants that a cached function without arguments makes.
"""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from dpbandits.audit.play.fastest import NotPlayed
from dpbandits.proofs_checks.compiled_cache import is_scalar_function, names_in_code
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.policy import Policy

OUR_MODULES = "dpbandits."  # modules of which functions are compiled


class NotCompiled(NotPlayed):
    """Raised, with the reason, for runs that cannot be compiled; then the numpy policy plays everything."""


Compiled = Callable[..., Any]  # a function that numba compiles: what it takes and returns, each call decides
TupleType = type[tuple[Any, ...]]  # a named tuple of numbers, or of arrays


def compiled(function: Compiled, within: bool = False) -> Compiled:
    """Returns the function compiled by numba. A division by zero gives infinity, as in numpy, and no error.
    within: whether to inline the function into its callers."""
    from numba import njit

    made: Compiled = njit(error_model="numpy", forceinline=within)(function)
    return made


@lru_cache(maxsize=256)
def compiled_text(function: Callable[..., object]) -> Compiled:
    """Compiles a function of a policy together with everything that it calls."""
    return compiled(with_compilable_globals(function))


def with_compilable_globals(function: Callable[..., object]) -> FunctionType:
    """Returns a copy of the function in which everything that it calls is replaced by compilable functions."""
    known = dict(function.__globals__)
    for name in names_in_code(function.__code__) & known.keys():
        known[name] = compilable_version(known[name], function.__code__)
    copy = FunctionType(function.__code__, known, function.__name__, function.__defaults__, function.__closure__)
    copy.__qualname__ = function.__qualname__
    return copy


def compilable_version(value: Any, code: CodeType) -> Any:
    """Returns what replaces a global name of a policy's source in compiled code.
    For example scalar functions for numpy."""
    value = is_scalar_function(value)
    if value is np:
        return numpy_of_numbers()
    if value is doubles:
        return vocabulary_of_numbers()
    if isinstance(value, FunctionType) and value.__module__.startswith(OUR_MODULES):
        return compiled_text(value)
    if hasattr(value, "cache_parameters"):
        return constant_function(value)
    if isinstance(value, ModuleType) and value.__name__.startswith(OUR_MODULES):
        module = ModuleType(value.__name__)
        vars(module).update(
            {name: compilable_version(vars(value)[name], code) for name in names_in_code(code) & vars(value).keys()}
        )
        return module
    return value


@lru_cache(maxsize=1)
def vocabulary_of_numbers() -> ModuleType:
    """Returns a module with exp, log, power, sqrt, floor and ceil of single doubles.
    It replaces the module `doubles` in compiled code."""
    module = ModuleType("doubles")
    vars(module).update(exp=compiled_text(el.exp_of_one), log=compiled_text(el.log_of_one))
    vars(module).update(power=compiled_text(el.power))
    vars(module).update(sqrt=np.sqrt, floor=np.floor, ceil=np.ceil)
    return module


@lru_cache(maxsize=1)
def numpy_of_numbers() -> ModuleType:
    """Returns a replacement for numpy whose `where`, `any` and `clip` take single numbers.
    (The `where` of numba makes an array.)"""

    def where(condition: bool, this: float, other: float) -> float:
        """`this` if the condition is true, otherwise `other`; for single numbers."""
        return this if condition else other

    def other_than_zero(value: float) -> bool:
        """Whether the number is not 0: `any` of one number."""
        return value != 0

    def clip(value: float, lower: float, upper: float) -> float:
        """The number, moved into the interval [lower, upper]."""
        return np.minimum(np.maximum(value, lower), upper)  # type: ignore[no-any-return]

    module = ModuleType("numpy")
    vars(module).update({name: value for name, value in vars(np).items() if not name.startswith("__")})
    vars(module).update(where=compiled(where), any=compiled(other_than_zero), clip=compiled(clip))
    return module


def constant_function(function: Callable[[], tuple[Any, ...]]) -> Callable[[], object]:
    """Returns a compiled function without arguments that returns the same constant as the cached function `function`.
    Lists become arrays. A function with arguments is returned unchanged."""
    if inspect.signature(function).parameters:
        return function
    value = function()
    fixed = tuple(np.array(part) if isinstance(part, list) else part for part in value)
    fixed = type(value)(*fixed) if hasattr(value, "_fields") else fixed
    return compiled(lambda: fixed)


# -- a policy --------------------------------------------------------------------------------------------------------


def own_names(policy: Policy, methods: Iterable[str]) -> Iterator[str]:
    """Yields the names of all attributes that these methods of a policy use.
    Attributes that are used by methods that they call are included."""
    seen, ahead = set(), ["arms", *methods]  # numba passes no tuple without numbers
    while ahead:
        name = ahead.pop()
        if name in seen or not hasattr(policy, name):
            continue
        seen.add(name)
        yield name
        method = inspect.getattr_static(policy, name)
        if isinstance(method, FunctionType) and name not in vars(policy):
            ahead += sorted(names_in_code(method.__code__))


class Own:
    """A policy in a form that numba accepts: its numbers, one of each for every trial, and its methods. kind: a named
    tuple of the numbers, with the methods. values: (trials,) each."""

    def __init__(self, policy: Policy, methods: tuple[str, ...], trials: int) -> None:
        """Reads the fields and functions of a policy that its compiled methods use.
        Raises NotCompiled if a field is a callable object without source."""
        found = {name: getattr(policy, name) for name in sorted(set(own_names(policy, methods)))}
        functions = {name: value for name, value in found.items() if callable(value)}
        numbers = {
            name: np.asarray(value)
            for name, value in found.items()
            if name not in functions and np.asarray(value).dtype.kind in "iufb"
        }
        odd = [
            name for name, value in functions.items() if not isinstance(getattr(value, "__func__", value), FunctionType)
        ]
        if odd:
            raise NotCompiled(
                f"{type(policy).__name__} is not compiled, because these fields of it are callable objects: "
                f"{', '.join(odd)}. Only plain functions and lambdas, whose source is available, can be compiled"
            )
        texts = tuple((name, getattr(value, "__func__", value)) for name, value in functions.items())
        self.kind = kind_of(tuple(numbers), texts, tuple(hasattr(each, "__self__") for each in functions.values()))
        self.values = tuple(column(each, trials) for each in numbers.values())


def column(value: np.ndarray, trials: int) -> np.ndarray:
    """Returns a number, or an array (trials, 1), as an array (trials,)."""
    return np.array(np.broadcast_to(value.reshape(-1), (trials,)))


@lru_cache(maxsize=256)
def kind_of(numbers: tuple[str, ...], texts: tuple[tuple[str, Compiled], ...], bound: tuple[bool, ...]) -> TupleType:
    """Returns a named tuple type with these fields and methods, for numba.
    bound: for each method, whether its first argument is the policy itself."""
    methods = {
        name: with_compilable_globals(text) if own else staticmethod(text)
        for (name, text), own in zip(texts, bound, strict=True)
    }
    kind = type("Own", (namedtuple("Own", numbers),), {"__slots__": (), **methods})
    for (name, text), own in zip(texts, bound, strict=True):
        register_method(kind, name, methods[name] if own else ignoring_self(text))
    return kind


def ignoring_self(function: Compiled) -> Compiled:
    """Returns a method that ignores `self` and calls the function with the other arguments.
    For functions that are stored in fields of a policy. Raises NotCompiled unless the function has 1 or 2 arguments."""
    called = compiled_text(function)
    takes: dict[int, Compiled] = {1: lambda self, x: called(x), 2: lambda self, x, y: called(x, y)}
    many = len(inspect.signature(function).parameters)
    if many not in takes:
        raise NotCompiled(
            f"a field of the policy contains the function {function.__name__}, which has {many} parameters; only "
            "functions with 1 or 2 parameters can be compiled"
        )
    return takes[many]


OFFERED: dict[
    str, tuple[list[str], dict[TupleType, Compiled]]
] = {}  # by the name of a method: its parameters, texts by kind


def register_method(kind: TupleType, name: str, text: Compiled) -> None:
    """Makes numba accept a method of this named tuple type.
    Raises NotCompiled if another policy's method of the same name has other parameters, because numba uses one function
    for all methods of a name."""
    from numba import types
    from numba.core.registry import cpu_target
    from numba.extending import overload_method

    takes = list(inspect.signature(text).parameters)
    parameters, texts = OFFERED.setdefault(name, (takes, {}))
    if len(takes) != len(parameters):
        raise NotCompiled(
            f"the policy uses two methods called {name}, with the arguments ({', '.join(takes)}) and "
            f"({', '.join(parameters)}); rename one of them to have both compiled"
        )
    texts[kind] = text
    if len(texts) > 1:
        return

    def method(self, *_):  # type: ignore[no-untyped-def]
        """The source of the method for this type of tuple."""
        return texts.get(self.instance_class)

    vars(method)["__signature__"] = inspect.signature(text)
    # Of all such tuples, as fields are: what was there first is found first, and a state may have a field of this name.
    cpu_target.typing_context.refresh()  # now fields are there
    overload_method(types.BaseNamedTuple, name, strict=False)(method)
