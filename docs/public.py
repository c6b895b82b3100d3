"""A Sphinx extension: the public names, as users import them, and their docstrings, which are plain text.

A signature says `dpbandits.reference.bandits.adjacency.Pair`, for that is where the class is. Readers know it as
`dpbandits.Pair`, and links lead there. A docstring says "trials: the batch size. keep: ..." in running text; here that
becomes a list of parameters, and "Raises ValueError for ..." a line of its own.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from enum import EnumType
from importlib import import_module
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

import dpbandits

MODULES = ("dpbandits", "dpbandits.laws", "dpbandits.games", "dpbandits.pages", "dpbandits.proofs")
CODE = re.compile(r"(`[^`]+`)")
SPECIAL = re.compile(r"([\\*|_])")
LAST = ("Returns ", "Raises ")  # what a sentence begins with that is about no parameter


def names() -> dict[str, str]:
    """Where each public class or function is, and the shortest name by which users import it."""
    found: dict[str, str] = {}
    for module in MODULES:
        room = import_module(module)
        for name in dpbandits.__all__ if module == "dpbandits" else vars(room):
            value = getattr(room, name)
            ours = getattr(value, "__module__", "").startswith("dpbandits.")
            if ours and (inspect.isclass(value) or inspect.isfunction(value)):
                found.setdefault(f"{value.__module__}.{value.__qualname__}", f"{module}.{name}")
    return found


PUBLIC = names()


def resolved(app: Sphinx, env: Any, node: Any, contnode: nodes.Element) -> nodes.Element | None:
    """What Sphinx found no target for: the public name, where there is one; of other libraries, text without a link."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py":
        return None
    if public := PUBLIC.get(target):
        domain = env.get_domain("py")
        found: nodes.Element | None = domain.resolve_xref(
            env, node["refdoc"], app.builder, "obj", public, node, contnode
        )
        return found
    return None if target.startswith("dpbandits") else contnode


def tidy(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """A docstring of ours as reStructuredText, in place."""
    known = parameters(thing)
    paragraphs = "\n".join(lines).strip().split("\n\n")
    made: list[str] = []
    for paragraph in paragraphs:
        made += [*parted(" ".join(paragraph.split()), known), ""]
    lines[:] = made


def signed(*event: Any) -> tuple[str, str | None] | None:
    """A protocol and an enum are not called: they have no signature. An alias within a union is its name as well."""
    _, _, _, thing, _, signature, returned = event
    if getattr(thing, "_is_protocol", False) or isinstance(thing, EnumType):
        return "", ""
    if signature is None:
        return None
    taken, made = (re.sub(r"TypeAliasForwardRef\('([\w.]+)'\)", r"\1", part or "") for part in (signature, returned))
    return taken, made or None


def parameters(thing: Any) -> tuple[str, ...]:
    """The names that a docstring may explain: of parameters, or of fields."""
    if getattr(thing, "_is_protocol", False):
        own = {name: value for name, value in vars(thing).items() if not name.startswith("_")}
        methods = (inspect.signature(value) for value in own.values() if inspect.isfunction(value))
        return (*own, *(name for method in methods for name in method.parameters if name not in ("self", *own)))
    try:
        return tuple(inspect.signature(thing).parameters)
    except (TypeError, ValueError):
        return ()


def parted(text: str, known: tuple[str, ...]) -> Iterator[str]:
    """A paragraph: what stands before the first "name: ", what the names mean, what comes back, what is raised."""
    name = (
        rf"(?:{'|'.join(sorted(map(re.escape, known), key=len, reverse=True)) or '(?!)'})(?: \([^)]*\)|\([^)]*\)|=\w+)?"
    )
    begins = rf"(?:^|(?<=[.;] ))(?:{name}(?:(?:, or |, | and | or ){name})*:|{'|'.join(LAST)})"
    places = [found.start() for found in re.finditer(begins, text)]
    if before := text[: places[0] if places else len(text)].strip():
        yield escaped(before.removesuffix(";"))
        yield ""
    parts = [text[first:last].strip() for first, last in zip(places, [*places[1:], len(text)], strict=False)]
    if explained := [part for part in parts if not part.startswith(LAST)]:
        yield ":Where:"
        for part in explained:
            head, _, rest = part.partition(":")
            bold = re.sub(rf"\b(?:{'|'.join(map(re.escape, known))})\b", lambda found: rf"**{found[0]}**\ ", head)
            yield f"   - {bold}: {escaped(rest.strip())}"
        yield ""
    for part in parts:
        if part.startswith(LAST):
            word, _, rest = part.partition(" ")
            yield f":{word}: {escaped(rest)}"


def escaped(text: str) -> str:
    """Plain text with `code` in it: nothing else in it is markup."""
    return "".join(part if CODE.fullmatch(part) else SPECIAL.sub(r"\\\1", part) for part in CODE.split(text))


def typed(app: Sphinx, context: Any, lines: list[str]) -> None:
    """The examples of a command's help, as they are typed."""
    examples = [line.strip().removeprefix("| ") for line in lines if line.strip().removeprefix("| ")]
    if examples and examples[0] == "Examples:":
        lines[:] = [
            "",
            ".. rubric:: Examples",
            "",
            ".. code-block:: console",
            "",
            *(f"   $ {line.strip()}" for line in examples[1:]),
            "",
        ]


def plain(app: Sphinx, context: Any, lines: list[str]) -> None:
    """A default that is a path, as it is typed; and a star is a star."""
    lines[:] = [re.sub(r"(?:Posix|Windows)Path\((.*?)\)", r"\1", line).replace("*", r"\*") for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx_click")
    app.connect("sphinx-click-process-options", plain)
    app.connect("sphinx-click-process-epilog", typed)
    app.connect("missing-reference", resolved)
    app.connect("autodoc-process-docstring", tidy)
    app.connect("autodoc-process-signature", signed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
