"""The fingerprint of a finding: a text that tells apart whatever could lead to another finding.

It covers the claim, the judge or proof that decides it and all code that they may reach (see `sources`), what that
judge reads of the run, and the versions of what it computes with. It does not cover what cannot matter: comments, other
pages, other judges, and, for a formula, the level of a statistical test.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache, partial
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any
from uuid import uuid4

import numpy as np

from dpbandits.audit.claims import proofs
from dpbandits.audit.effort import Run
from dpbandits.audit.kinds import row_of
from dpbandits.audit.run import dispatch
from dpbandits.audit.run.sources import Sources
from dpbandits.audit.run.trees import parsed
from dpbandits.reference.ledger import Claim

NUMERICS = ("numpy", "scipy", "mpmath", "python-flint")  # a finding may depend on their versions


@cache
def sources() -> Sources:
    """The code as it stood on disk when this process first looked: not as somebody edits it while the process runs what
    it imported. Dispatch imports by name; fingerprints name what."""
    return Sources(alone=[dispatch.__name__, proofs.__name__])


def fingerprint(claim: Claim, run: Run, code: Sources) -> str:
    """A digest of everything a finding depends on; another one each time where that cannot be said."""
    row, proof = row_of(claim), dispatch.proof_of(claim)
    read = run if row.statistical and proof is None else (run.profile.name, run.profile.effort, run.seed)
    writer = Writer()
    try:
        text = writer.text((claim, read, proof, row.judge))
    except Exception:  # of code that a value brings along; its judge will say what is wrong, in its turn
        writer.whole, text = False, ""
    roots = {*writer.modules, dispatch.__name__, *([row.module] if proof is None else [])}
    digest = code.digest(roots) if writer.whole else None
    parts = (text, libraries(), digest or f"never the same: {uuid4()}")
    return blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()


@cache
def libraries() -> str:
    return "\n".join([sys.version, *(f"{name} {metadata.version(name)}" for name in NUMERICS)])


def described(value: Any) -> str:
    """A text that tells values apart, the same in every process: data by content, functions by their code."""
    return Writer().text(value)


class Writer:
    """Describes values, and remembers the modules whose code they carry. whole: whether that was all of it; what shows
    its address in memory, say, is another value in each process, and judged afresh each time: slow, but never wrong."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.whole = True
        self.open: list[int] = []  # what is being described, by identity: a function may close over itself

    def text(self, value: Any) -> str:
        if value is None or (isinstance(value, str | int | float | complex | bytes | Fraction) and plain(value)):
            return repr(value)
        if id(value) in self.open:
            return f"again({len(self.open) - self.open.index(id(value))})"
        self.open.append(id(value))
        try:
            return self.made(value)
        finally:
            self.open.pop()

    def made(self, value: Any) -> str:
        if isinstance(value, type):
            return self.kind(value)
        if isinstance(value, Enum):
            return f"{self.kind(type(value))}.{value.name}"
        if isinstance(value, Mapping):
            return f"{self.kind(type(value))}{{{self.joined(part for item in value.items() for part in item)}}}"
        if isinstance(value, frozenset | set):
            return f"{self.kind(type(value))}{{{','.join(sorted(map(self.text, value)))}}}"
        if isinstance(value, tuple | list):
            return f"{self.kind(type(value))}({self.joined(value)})"
        if isinstance(value, FunctionType):
            return self.function(value)
        if isinstance(value, MethodType):
            return f"method({self.joined((value.__func__, value.__self__))})"
        if isinstance(value, partial):
            return f"partial({self.joined((value.func, value.args, value.keywords))})"
        if isinstance(value, CodeType):
            return self.code(value)
        if isinstance(value, ModuleType):
            self.modules.add(value.__name__)
            return f"module {value.__name__}"
        if isinstance(value, np.ndarray):
            content = value.tolist() if value.dtype.hasobject else value.tobytes()
            return f"array({value.dtype},{value.shape},{self.text(content)})"
        if is_dataclass(value):
            return f"{self.kind(type(value))}({self.joined(getattr(value, field.name) for field in fields(value))})"
        if isinstance(value, BuiltinFunctionType | MethodWrapperType) and not isinstance(value.__self__, ModuleType):
            return f"method({value.__name__},{self.text(value.__self__)})"  # such as the `get` of a table
        if isinstance(value, np.generic | BuiltinFunctionType | range | slice):
            return f"{self.kind(type(value))} {value!r}"
        if isinstance(value, np.ufunc):
            self.whole &= "(vectorized)" not in repr(value)  # of numpy.frompyfunc: a function that nobody can see
            return f"{self.kind(type(value))} {value!r}"
        if hasattr(value, "__wrapped__"):  # such as a function with a cache
            return f"{self.kind(type(value))}({self.text(value.__wrapped__)})"
        return self.anything(value)

    def joined(self, values: Iterable[Any]) -> str:
        return ",".join(map(self.text, values))

    def kind(self, kind: type) -> str:
        """A class by its name; its module's code counts. One that was made inside a function is another each time."""
        for each in kind.__mro__:
            self.modules.add(each.__module__)
        self.whole &= "<locals>" not in kind.__qualname__
        return f"{kind.__module__}.{kind.__qualname__}"

    def function(self, value: FunctionType) -> str:
        """By its place among its module's functions, whose code counts; a lambda, of which several may stand on a line,
        by what it is compiled to."""
        self.modules.add(value.__module__)
        lambda_ = value.__code__.co_name == "<lambda>"
        place = None if lambda_ else rank(value)
        if not same_file(value) or (place is None and not lambda_):  # made by a decorator, or by running a text
            self.whole = False
        cells = tuple(cell.cell_contents for cell in value.__closure__ or ())
        code = value.__code__ if place is None else f"{value.__qualname__} {place}"
        parts = (code, value.__defaults__, value.__kwdefaults__, cells, vars(value))
        return f"function({value.__module__},{self.joined(parts)})"

    def code(self, value: CodeType) -> str:
        names = (value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars)
        counts = (value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount, value.co_flags)
        return f"code({self.joined((value.co_code, value.co_exceptiontable, value.co_consts, names, counts))})"

    def anything(self, value: Any) -> str:
        shown = repr(value)
        self.whole &= hex(id(value))[2:] not in shown.lower() and " at 0x" not in shown.lower()  # its own, or a part's
        slots = [(name, getattr(value, name)) for name in slots_of(type(value)) if hasattr(value, name)]
        return f"{self.kind(type(value))} {shown} {self.text((getattr(value, '__dict__', None), slots))}"


def slots_of(kind: type) -> Iterator[str]:
    """The names of what objects of a class hold outside of their `__dict__`."""
    for each in kind.__mro__:
        for name, member in vars(each).items():
            if isinstance(member, MemberDescriptorType) and each.__module__ != "builtins":
                yield name


def plain(value: Any) -> bool:
    """Whether the value is what its text says: not of a subclass with more in it."""
    return type(value).__module__ in ("builtins", "fractions")


def rank(function: FunctionType) -> int | None:
    """How many functions begin before this one in its file; None where none begins there."""
    try:
        return beginnings(function.__code__.co_filename).index(function.__code__.co_firstlineno)
    except (OSError, SyntaxError, ValueError):
        return None


@cache
def beginnings(file: str) -> tuple[int, ...]:
    return parsed(Path(file).read_bytes()).functions


def same_file(function: FunctionType) -> bool:
    """Whether the function stands in the module whose name it bears."""
    module = sys.modules.get(function.__module__)
    file = getattr(module, "__file__", None)
    return file is not None and resolved(file) == resolved(function.__code__.co_filename)


@cache
def resolved(file: str) -> Path:
    """Where the file stands when this process first looks: a ledger's functions come from few files."""
    return Path(file).resolve()
