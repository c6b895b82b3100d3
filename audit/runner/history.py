"""What became of claims from one findings document to the next, such as the records of releases."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dpbandits.audit.runner.changes import by_claim, change, document_header, run_changes
from dpbandits.audit.runner.documents import SHIPPED

RECORDS = SHIPPED / "records"  # a file a release


class Stage(NamedTuple):
    """What one document says of a claim. source: its name. kinds, why: how that differs from what the document before
    it says that knows the claim, as of `changes`; empty where it does not, and in the first one."""

    source: str
    version: str
    profile: str
    seed: int | None
    verdict: str
    summary: str
    kinds: tuple[str, ...] = ()
    why: str = ""


def release_records(folder: Path = RECORDS) -> list[tuple[str, Any]]:
    """The records of all releases, the oldest first, each named so."""
    paths = sorted(folder.glob("*.json"), key=lambda path: [int(part) for part in path.stem.split(".")])
    return [("release", json.loads(path.read_text(encoding="utf-8"))) for path in paths]


def histories(documents: Sequence[tuple[str, Any]]) -> dict[str, tuple[Stage, ...]]:
    """Of every claim, what each document says that knows it, in their order. documents: with their names. A claim that
    a document leaves out may have been judged elsewhere: that is no change. Raises ValueError, by its name, where one
    is no findings document, and no record made of one."""
    found: dict[str, tuple[Stage, ...]] = {}
    latest: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {}  # the entry, and its document
    for name, document in documents:
        entries = by_claim(document, name)
        others = {claim for claim, (before, _) in latest.items() if said(before) != said(entries.get(claim, before))}
        for claim, entry in entries.items():
            before, of = latest.get(claim, (entry, document))
            settings = [] if of is document else run_changes(of, document)
            became = change(claim, before, entry, settings, others)
            run = document_header(document, entries)
            stage = Stage(name, run["version"], run["profile"], run["seed"], said(entry), str(entry.get("summary", "")))
            if became.kinds:
                stage = stage._replace(kinds=became.kinds, why=became.why)
            found[claim] = (*found.get(claim, ()), stage)
            latest[claim] = entry, document
    return found


def said(entry: Mapping[str, Any]) -> str:
    return str(entry["verdict"])


def with_histories(document: dict[str, Any]) -> dict[str, Any]:
    """The document, each of whose findings says what the records of releases said of its claim."""
    known = histories([*release_records(), ("this run", document)])
    findings = [
        {**finding, "history": [stage._asdict() for stage in known[finding["id"]]]} for finding in document["findings"]
    ]
    return {**document, "findings": findings}
