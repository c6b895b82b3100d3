"""Stored texts of theorems, by claim, so that they can be shown without a compiler."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

KEPT = Path(__file__).resolve().parent / "statements"
CARRIES = re.compile(r"^It carries (.*)\.$", re.MULTILINE)


def statement_page(claim: str) -> str:
    """The page of the theorem that carries the claim with this id: its statement, all definitions of ours that it
    depends on, a lemma that its hypotheses can hold together, and its axioms. "" where none is kept."""
    file = kept_pages().get(claim)
    return file.read_text(encoding="utf-8") if file is not None else ""


@cache
def kept_pages() -> Mapping[str, Path]:
    """The files of the kept pages, by the ids of the claims that their theorems carry."""
    found: dict[str, Path] = {}
    for file in sorted(KEPT.rglob("*.txt")):
        carried = CARRIES.search(file.read_text(encoding="utf-8"))
        found |= dict.fromkeys(carried[1].split(", ") if carried else (), file)
    return found
