"""Checks as a document of findings, like that of the ledger: so that a report can show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from dpbandits.audit.judges.run_settings import Plan
from dpbandits.audit.runner import documents
from dpbandits.reference.claims.model import HOLDS, Claim, Finding, Source, Stated, Verdict


class Shown(NamedTuple):
    """A finding to be shown. about: what was looked at. name: of the check. sees: what it could find, in words. reason:
    why a failure was expected, "" where none was. surprise: whether it came out otherwise. seconds: that it took.
    repeat: the command that was run, "" for what the finding itself says."""

    about: str
    name: str
    sees: str
    finding: Finding
    reason: str
    surprise: bool
    seconds: float | None = None
    repeat: str = ""


def document(shown: Iterable[Shown], plan: Plan) -> dict[str, Any]:
    """The document of these findings, as `findings.json` has it."""
    return documents.assembled([check_entry(each) for each in shown], [], plan)


def document_of_error(about: str, page: str, error: str, repeat: str, plan: Plan) -> dict[str, Any]:
    """The document of a battery that came to no end: no finding, and why."""
    errors = [{"id": "_".join(f"own/{about}".split()), "error": error, "repro": repeat}]
    said = f"{about} was not compared with {page}: the battery came to no end"
    return documents.assembled([], errors, plan) | {"judgements": [said]}


def check_entry(shown: Shown) -> dict[str, Any]:
    verdict = Verdict.REFUTED if shown.reason else Verdict.CONSISTENT
    claim = Claim(
        "_".join(f"{shown.about}/{shown.name}".split()),
        Source("own", shown.about, f"It looks for {shown.sees}."),
        Stated(f"{shown.about} passes the check {shown.name}"),
        expect=verdict,
        note=f"expected to fail: {shown.reason}" if shown.reason else "",
    )
    wanted = [Verdict.REFUTED] if shown.reason else sorted(HOLDS)
    made = documents.finding_entry(claim, replace(shown.finding, claim=claim.id), "quick")
    own = {"test": shown.name, "subject": shown.about, "file": "", "line": None, "seconds": shown.seconds}
    made["repro"] = shown.repeat or made["repro"]
    made["statement"] = made["statement"].removeprefix("no formula: ")  # nobody looks for one: it is about code
    made["parts"] = [{"kind": "words", "text": made["statement"]}]
    return made | {"expect": [str(each) for each in wanted], "surprise": shown.surprise, "own": own}
