"""A Sphinx extension: public names stand for the modules that hold them.

A signature says `dpbandits.reference.neighbours.Pair`, for that is where the class is. Readers know it as
`dpbandits.Pair`, and links lead there. What is no name of ours, such as numpy's, is text without a link.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

import dpbandits

MODULES = ("dpbandits", "dpbandits.laws", "dpbandits.games", "dpbandits.pages")


def names() -> dict[str, str]:
    """Where each public class or function is, and the shortest name by which users import it."""
    found: dict[str, str] = {}
    for module in MODULES:
        room = import_module(module)
        for name in dpbandits.__all__ if module == "dpbandits" else vars(room):
            value = getattr(room, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                found.setdefault(f"{value.__module__}.{value.__qualname__}", f"{module}.{name}")
    return found


def resolved(app: Sphinx, env: Any, node: Any, contnode: nodes.Element) -> nodes.Element | None:
    """What Sphinx found no target for: the public name where there is one; of other libraries, plain text."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py":
        return None
    if public := PUBLIC.get(target):
        domain = env.get_domain("py")
        return domain.resolve_xref(env, node["refdoc"], app.builder, node["reftype"], public, node, contnode)
    return None if target.startswith("dpbandits") else contnode


PUBLIC = names()


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("missing-reference", resolved)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
