"""The results of checks as a findings document, like that of the ledger, so that a report can show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dpbandits.audit.judges.effort import Plan
from dpbandits.audit.runner import documents, entries
from dpbandits.extensions.conformance.battery import Judged
from dpbandits.reference.claims.findings import Document, Entry
from dpbandits.reference.claims.model import HOLDS, Claim, Source, Stated, Verdict


def document(about: str, checks: Iterable[tuple[Judged, str, float | None]], plan: Plan, repeat: str = "") -> Document:
    """The document of a battery, in the form of `findings.json`. about: the subject. checks: for each, its outcome, the
    kind of error that it detects, in words, and its seconds. repeat: the command line of the run, "" for the one that
    each finding contains."""
    return documents.assembled([check_entry(about, *each, repeat) for each in checks], [], plan)


def document_of_error(about: str, page: str, error: str, repeat: str, plan: Plan) -> Document:
    """The document of a battery that did not finish: no findings, and the reason."""
    errors = [{"id": "_".join(f"own/{about}".split()), "error": error, "repro": repeat}]
    said = f"{about} was not compared with {page}: the battery came to no end"
    return documents.assembled([], errors, plan) | {"judgements": [said]}


def check_entry(about: str, judged: Judged, sees: str, seconds: float | None, repeat: str) -> Entry:
    """The outcome of one check as the entry of a claim about the subject; the arguments as for `document`."""
    says = Stated(f"{about} passes the check {judged.name}")
    claim = Claim(
        "_".join(f"{about}/{judged.name}".split()),
        Source("own", about, f"It looks for {sees}."),
        says,
        expect=Verdict.REFUTED if judged.reason else Verdict.CONSISTENT,
        note=f"expected to fail: {judged.reason}" if judged.reason else "",
    )
    wanted = [Verdict.REFUTED] if judged.reason else sorted(HOLDS)
    made = entries.finding_entry(claim, replace(judged.finding, claim=claim.id), "quick")
    own = {"test": judged.name, "subject": about, "file": "", "line": None, "seconds": seconds, "check": True}
    made["repro"] = repeat or made["repro"]
    made["statement"] = says.words
    made["parts"] = [{"kind": "words", "text": says.words}]
    return made | {"expect": [str(each) for each in wanted], "surprise": judged.surprise, "own": own}
