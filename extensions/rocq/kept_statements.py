"""Finds the stored text of the Rocq theorem that proves a claim, so that its statement can be shown without coqc."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

KEPT = Path(__file__).resolve().parent / "statements"
CARRIES = re.compile(r"^It carries (.*)\.$", re.MULTILINE)


def statement_page(claim: str) -> str:
    """The stored page about the theorem that proves the claim with this id.
    Its statement, all definitions of this project on which it depends, a lemma that its hypotheses are satisfiable, and
    its axioms. "" if there is none."""
    file = stored_pages().get(claim)
    return file.read_text(encoding="utf-8") if file is not None else ""


@cache
def stored_pages() -> Mapping[str, Path]:
    """The files of the stored statement pages, by the ids of the claims that their theorems prove."""
    found: dict[str, Path] = {}
    for file in sorted(KEPT.rglob("*.txt")):
        carried = CARRIES.search(file.read_text(encoding="utf-8"))
        found |= dict.fromkeys(carried[1].split(", ") if carried else (), file)
    return found
