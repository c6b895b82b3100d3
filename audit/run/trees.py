"""What the text of a module says: its syntax tree, as digests, what it imports, and what it may reach beside that.

Reading three hundred modules is most of what a run costs that finds everything kept; so a tree is gone through once.
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

# Names by which code gets at what no import shows.
RUNS = frozenset({"__import__", "exec", "eval", "compile", "globals", "__builtins__"})
REACHES = frozenset(
    {"import_module", "find_spec", "environ", "getenv", "subprocess", "runpy", "pkgutil", "builtins", "getsource"}
)
PLAIN = frozenset({"importlib.resources", "importlib.metadata"})  # read files and versions, no code
# Names by which code reads files.
READS = frozenset(
    {"open", "read_text", "read_bytes", "load", "loadtxt", "genfromtxt", "fromfile", "memmap", "read_csv", "get_data"}
)
WORDS = frozenset({"__doc__", "getdoc", "cleandoc"})
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Parsed(NamedTuple):
    """What the text of a module says. bare: its tree's digest, without docstrings. whole: with them. functions: the
    lines on which they begin, decorators included. imports: (level, module, names) as written. words: whether it reads
    docstrings. unseen: whether it reaches what no import shows. reads: whether it reads files. texts: its string
    constants, where it does."""

    bare: bytes
    whole: bytes
    functions: tuple[int, ...]
    imports: tuple[tuple[int, str, tuple[str, ...]], ...]
    words: bool
    unseen: bool
    reads: bool
    texts: frozenset[str]


@lru_cache(maxsize=2048)
def parsed(content: bytes) -> Parsed:
    """Raises SyntaxError for what is no Python."""
    with uncollected():
        laid = laid_out(ast.parse(content))
    imports: list[tuple[int, str, tuple[str, ...]]] = []
    names: set[str] = set()
    texts = set(laid.docstrings)
    functions: list[int] = []
    unseen = False
    for node in laid.nodes:
        if isinstance(node, ast.Name):
            names.add(node.id)
            unseen |= node.id in RUNS
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
            unseen |= node.attr == "modules" and isinstance(node.value, ast.Name) and node.value.id == "sys"
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                texts.add(node.value)
        elif isinstance(node, ast.Import):
            imports += [(0, alias.name, ()) for alias in node.names]
            unseen |= any(by_name(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module, taken = node.module or "", tuple(alias.name for alias in node.names)
            imports.append((node.level, module, taken))
            names |= set(taken)
            unseen |= not node.level and any(by_name(f"{module}.{name}") for name in taken)
            unseen |= module == "sys" and "modules" in taken
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append(min(part.lineno for part in (node, *node.decorator_list)))
    reads = bool(names & READS)
    bare = digest_of(laid.text.encode())
    return Parsed(
        bare,
        digest_of(bare + repr(laid.docstrings).encode()),
        tuple(sorted(functions)),
        tuple(imports),
        bool(names & WORDS),
        bool(unseen or names & REACHES),
        reads,
        frozenset(texts) if reads else frozenset(),
    )


class Laid(NamedTuple):
    """A syntax tree, laid out. nodes: those that have something in them, parents first. text: that no other tree has,
    where neither positions nor docstrings count, but whether there is a docstring does."""

    nodes: list[ast.AST]
    text: str
    docstrings: list[str]


def laid_out(tree: ast.Module) -> Laid:
    """The tree in the order of its levels. Every docstring in it is empty from now on."""
    nodes: list[ast.AST] = [tree]
    docstrings: list[str] = []
    parts: list[str] = []
    for node in nodes:  # which grow meanwhile
        if isinstance(node, DOCUMENTED):
            for constant in docstring(node):
                docstrings.append(str(constant.value))
                constant.value = ""
        parts.append(type(node).__name__)
        for name in node._fields:
            value: Any = getattr(node, name, None)
            several = type(value) is list
            if several:
                parts.append(f"[{len(value)}")
            for each in value if several else (value,):
                if not isinstance(each, ast.AST):
                    parts.append(repr(each))
                elif each._fields:
                    parts.append(".")
                    nodes.append(each)
                else:  # an operator, or whether a name is read or written
                    parts.append(type(each).__name__)
    return Laid(nodes, " ".join(parts), docstrings)


@contextmanager
def uncollected() -> Iterator[None]:
    """Nobody looks for cycles meanwhile: a tree is many objects and no cycle, and the looking was most of the time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def by_name(module: str) -> bool:
    """Whether the import gives the means to import by name."""
    return module.partition(".")[0] == "importlib" and ".".join(module.split(".")[:2]) not in PLAIN


def docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.Constant]:
    """Its docstring, in a list, which is empty where there is none."""
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return [first.value]
    return []


def digest_of(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()
