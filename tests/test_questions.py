"""The programs of the documentation's gallery, without running them: `make docs` runs them all."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

QUESTIONS = sorted((Path(__file__).parents[1] / "docs" / "questions").glob("*.py"))


def imported(tree: ast.Module) -> list[tuple[str, str]]:
    """The names that a program imports from dpbandits, each with its module."""
    found = []
    for node in ast.walk(tree):
        assert not (isinstance(node, ast.Import) and any("dpbandits" in name.name for name in node.names))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dpbandits"):
            found += [(str(node.module), name.name) for name in node.names]
    return found


def test_there_are_ten() -> None:
    assert len(QUESTIONS) >= 10


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.stem)
def test_a_page_asks_draws_and_answers(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    title, underline = (ast.get_docstring(tree) or "\n").splitlines()[:2]
    assert title.endswith("?")
    assert underline == "=" * len(title)
    assert text.count("plt.show()") == 1
    answer = text.split("# The answer\n# ----------\n")[1]
    assert re.search(r"\{\w", answer), "the answer is computed"


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.stem)
def test_it_imports_what_is_public(path: Path) -> None:
    for module, name in imported(ast.parse(path.read_text(encoding="utf-8"))):
        assert re.fullmatch(r"dpbandits(\.(games|laws|pages|papers(\.\w+)?))?", module)
        assert hasattr(import_module(module), name), f"{module} has no {name}"
