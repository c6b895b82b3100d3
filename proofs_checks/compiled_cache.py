"""A cache of code compiled by numba. Its file names are fingerprints of everything from which the code was made, so
stale code is never used."""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from importlib import metadata
from inspect import signature
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.vocabulary import doubles

COMPILERS = ("numba", "llvmlite", "numpy")  # a kernel depends on their versions
FOREIGN = ("numpy", "math")  # modules whose functions numba knows itself


class UnnamedCode(Exception):
    """Raised for a value that cannot be hashed."""


def cache_folder() -> Path:
    """The folder of the user's compiled code. It may be deleted at any time."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "dpbandits" / "compiled"


def cache_compiled(dispatcher: Any, parts: tuple[Any, ...]) -> None:
    """Lets a compiled function reuse the code of an earlier run.
    parts: what the code is made of; if it cannot be hashed, every process compiles the function."""
    with suppress(UnnamedCode):
        dispatcher._cache = CompiledCache(hash_of([*code_versions(), *value_fingerprint(parts, set())]))


def cached_kernel(types: str) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a function with numba for these types of arguments, and caches the code between runs.
    The decorated function is None if numba is not installed.

    As in numpy, division by zero gives infinity, and no product is fused with a sum.
    """

    def compiled_or_kept(function: Callable[..., Any]) -> Any:
        """The compiled function, from the cache if an earlier run compiled it; None if numba is not installed."""
        try:
            from numba import njit
        except ImportError:
            return None
        options = {"error_model": "numpy"}
        kernel = njit(**options)(function)
        if kernel is not function:  # which it is where numba is told not to compile
            cache_compiled(kernel, (function, repr(options)))
            kernel.compile(types)
            kernel.disable_compile()
        return kernel

    return compiled_or_kept


class CompiledCache:
    """One function's code, by the types of its arguments, with the interface that numba expects of a cache."""

    def __init__(self, name: str) -> None:
        """The cache of the code with this name."""
        self.name = name

    def path(self, signature: Any, codegen: Any) -> Path:
        """The file for the code that is compiled for this signature and processor."""
        return cache_folder() / f"{hash_of([self.name, str(signature), str(codegen.magic_tuple())])}.code"

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled code that the cache stores for this signature; None if there is none."""
        from numba.core.compiler import CompileResult

        target.refresh()
        with ignore_cache_errors():
            check, code = pickle.loads(self.path(signature, target.codegen()).read_bytes())
            return CompileResult._rebuild(target, *pickle.loads(code)) if check == checksum(code) else None
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Stores compiled code, unless the disk refuses."""
        from numba.core.serialize import dumps

        with ignore_cache_errors():
            path, code = self.path(signature, compiled.codegen), dumps(compiled._reduce())
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                pickle.dump((checksum(code), code), file)
            os.replace(file.name, path)  # at once: others may be reading


def checksum(code: bytes) -> bytes:
    """A digest of the compiled code, stored in front of it."""
    return blake2b(code, digest_size=16).digest()


@contextmanager
def ignore_cache_errors() -> Iterator[None]:
    """A context manager that suppresses all errors of the cache.
    Code that cannot be stored, or read back, is compiled, which is slow but never wrong."""
    with suppress(Exception):
        yield


# -- names -------------------------------------------------------------------------------------------------------------


def hash_of(parts: Any) -> str:
    """A hexadecimal hash of these texts."""
    return blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def code_versions() -> list[str]:
    """The versions of Python and of the compilers, which invalidate stored code."""
    return [sys.version, *(f"{name} {metadata.version(name)}" for name in COMPILERS)]


def names_in_code(code: CodeType) -> set[str]:
    """All names that a code object looks up, as globals or as attributes."""
    inner = (names_in_code(each) for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*inner)


def is_scalar_function(value: Any) -> Any:
    """Returns the scalar version of an elementwise function of this project, and any other value unchanged."""
    return value.__wrapped__ if getattr(value, "__code__", None) is el.log.__code__ else value  # type: ignore[attr-defined]


def value_fingerprint(value: Any, seen: set[int]) -> Iterator[str]:
    """Yields texts that change whenever compiled code that uses this value would have to change.
    seen: functions that were visited already. Raises UnnamedCode for a value that is no function, number, text, array,
    slice, named tuple, or a tuple of these."""
    value = is_scalar_function(getattr(value, "py_func", value))  # of what is itself compiled
    if value is doubles:
        value = (el.exp_of_one, el.log_of_one)
    if hasattr(value, "cache_parameters") and not signature(value).parameters:
        value = value()  # a constant
    if isinstance(value, FunctionType):
        if id(value) not in seen:
            seen.add(id(value))
            yield from function_fingerprint(value, seen)
    elif isinstance(value, CodeType):
        yield from (value.co_code.hex(), *map(repr, (value.co_names, value.co_varnames, value.co_freevars)))
        for each in value.co_consts:
            yield from value_fingerprint(each, seen)
    elif isinstance(value, BuiltinFunctionType) and value.__module__ in FOREIGN:
        yield f"{value.__module__}.{value.__name__}"
    elif isinstance(value, type) and hasattr(value, "_fields"):
        yield f"{value.__module__}.{value.__qualname__} {value._fields!r}"
    elif isinstance(value, tuple | list | frozenset):
        yield f"{type(value).__name__} {len(value)}"
        for each in value:
            yield from value_fingerprint(each, seen)
    elif isinstance(value, slice):  # a constant of functions from Python 3.14 on
        yield "slice"
        yield from value_fingerprint((value.start, value.stop, value.step), seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    elif isinstance(value, ModuleType) and value.__name__ in FOREIGN:
        yield value.__name__
    elif value is None or isinstance(value, str | bytes | int | float | complex | np.generic):
        yield f"{type(value).__name__} {value!r}"
    else:
        raise UnnamedCode(repr(value))


def function_fingerprint(function: FunctionType, seen: set[int]) -> Iterator[str]:
    """Yields texts that change whenever the function does.
    Its code, defaults, closure and the globals that it names."""
    yield from value_fingerprint(function.__code__, seen)
    yield from value_fingerprint((function.__defaults__, tuple((function.__kwdefaults__ or {}).items())), seen)
    for cell in function.__closure__ or ():
        yield from value_fingerprint(cell.cell_contents, seen)
    for name in sorted(names_in_code(function.__code__)):
        if name not in function.__globals__:
            continue  # an attribute, or what Python brings along
        value = function.__globals__[name]
        yield name
        if not isinstance(value, ModuleType):
            yield from value_fingerprint(value, seen)
        elif value.__name__.partition(".")[0] not in FOREIGN:
            for attribute in sorted(names_in_code(function.__code__) & vars(value).keys()):
                yield attribute
                yield from value_fingerprint(getattr(value, attribute), seen)
