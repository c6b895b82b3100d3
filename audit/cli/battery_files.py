"""What a battery leaves in the files that were asked for: what it found, or why it came to no end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dpbandits.audit.cli.composing import Battery
from dpbandits.audit.fronts.endings import Trouble
from dpbandits.audit.fronts.outputs import document_texts, write_outputs
from dpbandits.audit.implementations.given import repeating

if TYPE_CHECKING:
    from dpbandits.audit.implementations.badge import Badge
    from dpbandits.audit.implementations.battery import Judged
    from dpbandits.audit.judges.effort import Profile


class Report(NamedTuple):
    """What the files of a battery are made of. about: the subject's name. seconds: of each check. repeat: the command
    that was run. closing: the sentence about all of it."""

    about: str
    battery: Battery
    found: list[Judged]
    seconds: list[float]
    repeat: str
    seed: int
    closing: str


def write_files(files: Mapping[str, Path], content: dict[str, Any], about: str, drawn: Badge) -> None:
    """Writes the findings document, and the badge, to the files that were asked for, by their options."""
    from dpbandits.audit.implementations.badge import FORMS

    write_outputs(files, {**document_texts(content, about), "--badge": lambda: FORMS[files["--badge"].suffix](drawn)})


def document_of(report: Report) -> dict[str, Any]:
    """The battery as a findings document."""
    from dpbandits.audit.implementations.document import Shown, document
    from dpbandits.audit.judges.run_settings import Plan
    from dpbandits.reference.claims.ledger import ledger

    sees = {check.name: check.sees for check in report.battery.checks}
    shown = [
        Shown(
            report.about, each.name, sees[each.name], each.finding, each.reason, each.surprise, round(took, 2),
            report.repeat,
        )
        for each, took in zip(report.found, report.seconds, strict=True)
    ]  # fmt: skip
    return document(shown, Plan(ledger(), report.battery.profile, report.seed)) | {"judgements": [report.closing]}


@contextmanager
def errors_in_files(files: Mapping[str, Path], about: str, page: str, profile: Profile, seed: int) -> Iterator[None]:
    """What ends a battery, an interrupt as well, is the result that its files then hold: none of them may show what an
    earlier run found."""
    try:
        yield
    except BaseException as error:
        if files:
            from dpbandits.audit.implementations.badge import FAILED
            from dpbandits.audit.implementations.document import document_of_error
            from dpbandits.audit.judges.run_settings import Plan
            from dpbandits.reference.claims.ledger import ledger

            words = "interrupted" if isinstance(error, KeyboardInterrupt) else f"{type(error).__name__}: {error}"
            if isinstance(error, click.ClickException):
                words = error.format_message()
            repeat = repeating(click.get_current_context())
            content = document_of_error(about, page, words, repeat, Plan(ledger(), profile, seed))
            try:
                write_files(files, content, about, FAILED)
            except Trouble as trouble:
                trouble.show()
        raise
