"""Detects values that a policy stores outside the state that is passed to it: in attributes, closures, default
arguments and globals.

A policy that changes any of these during a run may behave differently in states that look the same. `stored_values`
records their content, and `what_changed` compares two records. This covers data that Python code can reach by names,
including modules and caches of `functools`. Files and clocks are refused by `executed_code`.
"""

from __future__ import annotations

import gc
import sysconfig
from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache, partial
from inspect import getattr_static
from random import Random
from types import BuiltinFunctionType, CodeType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

import numpy as np

from dpbandits.proofs_checks.alignment.forms import Form
from dpbandits.reference.bandits.policy import Policy

MOST = 20_000  # values that are noted
DEPTH = 12
CACHED = " (cached)"
CACHE = type(lru_cache(lambda: None))
LIBRARIES = tuple({sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})
PLAIN = (str, bytes, int, float, complex, type(None), np.generic)
Notes = dict[str, str]  # of places such as "learn.closure.seen", what is there


def stored_values(policy: Policy) -> Notes:
    """The content of every value that can be reached from a policy by names: {name: text}.
    A text changes whenever the value does."""
    notes: Notes = {}
    seen: dict[int, object] = {}  # the objects themselves: what is freed could give its id to another one
    waiting: list[tuple[str, object, int]] = [(type(policy).__name__, policy, 0)]
    while waiting and len(notes) < MOST:
        name, value, depth = waiting.pop()
        text, parts = value_note(value, seen)
        notes[name] = text
        if depth < DEPTH:
            waiting += [(f"{name}.{part}", each, depth + 1) for part, each in parts]
    return notes


def what_changed(before: Notes, after: Notes) -> str:
    """The name of the first value that has changed, is new or is gone; "" if there is none.
    A cached property may be new or gone, because it is computed when it is first needed."""
    for name, text in after.items():
        if before.get(name) != text and (name in before or not is_new_cache(name, before)):
            return name
    return next((name for name in before if name not in after and CACHED not in name), "")


def objection_to_memory(before: Notes, after: Notes) -> str:
    """A sentence that the policy changed a value which it stores outside its state; "" if it changed none.
    before, after: as of `stored_values`."""
    changed = what_changed(before, after)
    return f"the policy keeps values outside of its state: {changed}" if changed else ""


def is_new_cache(name: str, before: Notes) -> bool:
    """Whether this name of a stored value belongs to a cached property that was first computed after `before`."""
    property_name, mark, _ = name.partition(CACHED)
    return bool(mark) and property_name + mark not in before


def value_note(value: object, seen: dict[int, object]) -> tuple[str, list[tuple[str, object]]]:
    """Returns a value's own content as text, and its parts as pairs (name, part), which are recorded separately."""
    if type(value) is Form:  # which passes as a float
        return f"form {value.coefficients} {value.constant}", []
    if isinstance(value, PLAIN):
        return repr(value), []
    if id(value) in seen or isinstance(value, ModuleType | BuiltinFunctionType):
        return type(value).__name__, []
    seen[id(value)] = value
    if isinstance(value, bytearray | memoryview | array):
        return f"{type(value).__name__} {bytes(value)!r}", []
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return f"array {value.shape}", list(named_parts(enumerate(value.ravel().tolist())))
        return f"array {value.dtype} {value.shape} {value.tobytes()!r}", []
    if isinstance(value, Mapping):
        return f"{type(value).__name__} of {len(value)}", list(named_parts(value.items()))
    if isinstance(value, list | tuple | set | frozenset):
        return f"{type(value).__name__} of {len(value)}", list(named_parts(enumerate(value)))
    if isinstance(value, FunctionType):
        return "function", list(of_function(value))
    if isinstance(value, type):
        return "class", list(of_class(value))
    return state_of(value), list(of_object(value))


def named_parts(items: Iterable[tuple[object, object]]) -> Iterator[tuple[str, object]]:
    """The parts with their names as text, cut to 80 characters."""
    for key, value in items:
        yield str(key)[:80], value


def is_foreign(function: FunctionType) -> bool:
    """Whether a function belongs to a library, whose own memory is ignored."""
    return function.__code__.co_filename.startswith((*LIBRARIES, "<frozen"))


def of_function(function: FunctionType) -> Iterator[tuple[str, object]]:
    """The values that a function can reach, as pairs (name, value).
    Its closure, default arguments, attributes, and the globals that it names."""
    if is_foreign(function):
        return
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield f"closure.{name}", cell.cell_contents
        except ValueError:  # an empty cell
            yield f"closure.{name}", None
    yield "defaults", function.__defaults__
    yield "kwdefaults", function.__kwdefaults__
    yield "attributes", {key: value for key, value in vars(function).items() if key != "__wrapped__"}
    for name in names_in(function.__code__):
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            yield from of_module(value, function)
        elif name in function.__globals__:
            yield f"global.{name}", value


def of_module(module: ModuleType, function: FunctionType) -> Iterator[tuple[str, object]]:
    """The named data of a module that the function's code mentions."""
    for name in names_in(function.__code__):
        value = vars(module).get(name)
        if name in vars(module) and not callable(value) and not isinstance(value, ModuleType):
            yield f"{module.__name__}.{name}", value


def names_in(code: CodeType) -> Iterator[str]:
    """The names that this code uses, including the functions defined inside it."""
    yield from code.co_names
    for each in code.co_consts:
        if hasattr(each, "co_names"):
            yield from names_in(each)


def of_class(kind: type) -> Iterator[tuple[str, object]]:
    """The named attributes and methods of a class, except those that a library defines."""
    for base in kind.__mro__:
        if base.__module__.split(".")[0] not in ("builtins", "typing", "abc", "enum", "collections", "numpy"):
            for name, value in vars(base).items():
                if not name.startswith("__") or isinstance(value, FunctionType):
                    yield name, value


def of_object(value: object) -> Iterator[tuple[str, object]]:
    """The named parts of an object that is no number, container, function or class."""
    if isinstance(value, MethodType):
        yield from (("function", value.__func__), ("self", value.__self__))
    elif isinstance(value, partial):
        yield from (("function", value.func), ("arguments", value.args), ("keywords", value.keywords))
    elif isinstance(value, property):
        yield from (("get", value.fget), ("set", value.fset))
    elif isinstance(value, cached_property):
        yield "function", value.func
    elif isinstance(value, CACHE):
        yield "function", value.__wrapped__
        yield from in_cache(value)
    elif isinstance(value, staticmethod | classmethod):
        yield "function", value.__func__
    elif isinstance(value, GeneratorType):
        yield "locals", value.gi_frame.f_locals if value.gi_frame is not None else None
    else:
        for name, part in getattr(value, "__dict__", {}).items():
            cached = isinstance(getattr_static(type(value), name, None), cached_property)
            yield name + CACHED * cached, part
        for base in type(value).__mro__:
            slots = vars(base).get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                yield name, getattr(value, name, None)
        yield "class", type(value)


def in_cache(cache: Any) -> Iterator[tuple[str, object]]:
    """The mutable results that a `functools` cache holds, each named by its identity."""
    for part in gc.get_referents(cache):
        for result in part.values() if type(part) is dict else (part,):
            if isinstance(result, list | dict | set | bytearray | np.ndarray | GeneratorType):
                yield f"result {id(result)}{CACHED}", result


def state_of(value: object) -> str:
    """The text of an object's own state, such as the bits of a random generator.
    Its other parts are recorded separately."""
    if isinstance(value, np.random.Generator):
        return repr(value.bit_generator.state)
    if isinstance(value, np.random.RandomState):
        return repr(value.get_state())
    if isinstance(value, Random):
        return str(hash(value.getstate()))
    if isinstance(value, GeneratorType):
        return f"generator at {value.gi_frame.f_lasti if value.gi_frame is not None else 'its end'}"
    if type(value).__module__ in ("itertools", "collections"):
        return repr(value)
    return type(value).__name__
