"""The files that `dpbandits check` writes: the results of its checks, in the format of the findings document of
`dpbandits audit`, from which a report can be made; or the reason why a check did not finish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from dpbandits.audit.claims.statements import words_part
from dpbandits.audit.cli_shared.endings import Trouble
from dpbandits.audit.cli_shared.outputs import document_texts, write_outputs
from dpbandits.audit.judges.effort import Plan, Profile
from dpbandits.audit.runner import documents, entries
from dpbandits.audit.runner.store import earlier_text
from dpbandits.extensions.conformance.battery import Judged
from dpbandits.extensions.conformance.composing import Battery
from dpbandits.extensions.conformance.given import CHECK_OUTPUTS, repeat_command
from dpbandits.extensions.conformance.results_text import FAILED, FORMS, Badge
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import HOLDS, Claim, Source, Stated, Verdict
from dpbandits.reference.claims.records import Document, Entry, ErrorRecord


def document(
    subject_name: str, checks: Iterable[tuple[Judged, str, float | None]], plan: Plan, repeat: str = ""
) -> Document:
    """Returns the results of checks as a document in the form of `findings.json`. subject_name: the subject.
    checks: for each check, its result, the kind of error that it detects, in words, and its seconds. repeat: the
    command line of the run; "" for the one that each finding contains."""
    return documents.assemble_document([check_entry(subject_name, *each, repeat) for each in checks], [], plan)


def battery_document(
    subject_name: str, battery: Battery, results: Sequence[Judged], seconds: Sequence[float], repeat: str, seed: int
) -> Document:
    """Returns the results of a battery as a document in the form of `findings.json`. subject_name: the subject's name.
    seconds: of each check. repeat: the command that was run."""
    sees = {check.name: check.sees for check in battery.checks}
    checks = [(each, sees[each.name], round(took, 2)) for each, took in zip(results, seconds, strict=True)]
    return document(subject_name, checks, Plan(ledger(), battery.profile, seed), repeat)


def check_entry(subject_name: str, judged: Judged, sees: str, seconds: float | None, repeat: str) -> Entry:
    """Returns the result of one check in the form of a finding, for the claim that the subject passes it.
    The arguments are those of `document`."""
    says = Stated(f"{subject_name} passes the check {judged.name}")
    claim = Claim(
        "_".join(f"{subject_name}/{judged.name}".split()),
        Source("own", subject_name, f"It looks for {sees}."),
        says,
        expect=Verdict.REFUTED if judged.reason else Verdict.CONSISTENT,
        note=f"expected to fail: {judged.reason}" if judged.reason else "",
    )
    wanted = [Verdict.REFUTED] if judged.reason else sorted(HOLDS)
    made = entries.finding_entry(claim, replace(judged.finding, claim=claim.id), "quick")
    made["repro"] = repeat or made["repro"]
    made["statement"], made["parts"] = says.words, [words_part(says.words)]
    made["expect"], made["surprise"] = [str(each) for each in wanted], judged.surprise
    made["own"] = {
        "test": judged.name,
        "subject": subject_name,
        "file": "",
        "line": None,
        "seconds": seconds,
        "check": True,
    }
    return made


def write_files(files: Mapping[str, Path], content: Document, subject_name: str, badge: Badge) -> None:
    """Writes the findings document, and the badge, to the requested files, which are given by option.
    An HTML report that already exists is replaced, and the new one also shows the results of earlier runs."""
    texts = {**document_texts(content, subject_name), "--badge": lambda: FORMS[files["--badge"].suffix](badge)}
    if "--html" in files:
        from dpbandits.reports.own import with_earlier

        known = with_earlier(content, earlier_text(files["--html"]))
        texts["--html"] = document_texts(known, subject_name)["--html"]
    write_outputs(files, texts, outputs=CHECK_OUTPUTS)


@contextmanager
def errors_in_files(
    files: Mapping[str, Path], subject_name: str, page: str, profile: Profile, seed: int
) -> Iterator[None]:
    """A context manager that records in the output files that an exception or an interrupt ended the checks.
    So none of them contains the result of an earlier run."""
    try:
        yield
    except BaseException as error:
        if files:
            words = "interrupted" if isinstance(error, KeyboardInterrupt) else f"{type(error).__name__}: {error}"
            if isinstance(error, click.ClickException):
                words = error.format_message()
            repeat = repeat_command(click.get_current_context())
            failed: ErrorRecord = {"id": "_".join(f"own/{subject_name}".split()), "error": words, "repro": repeat}
            content = documents.assemble_document([], [failed], Plan(ledger(), profile, seed))
            content["judgements"] = [f"{subject_name} was not compared with {page}: the battery came to no end"]
            try:
                write_files(files, content, subject_name, FAILED)
            except Trouble as trouble:
                trouble.show()
        raise
