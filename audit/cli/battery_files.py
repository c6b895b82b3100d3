"""What a battery leaves in the files that were asked for: report, findings, JUnit's XML, badge; or why it came to no
end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dpbandits.audit.cli.composing import Battery
from dpbandits.audit.fronts.endings import Trouble
from dpbandits.audit.fronts.files import write_output
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
    """The findings document, and the badge, in the files that were asked for, by their options: in all that can be
    written, before an error tells of one that cannot."""
    from dpbandits.audit.implementations.badge import FORMS
    from dpbandits.audit.runner import documents
    from dpbandits.audit.runner.junit import as_junit

    texts: dict[str, Callable[[], str]] = {
        "--html": lambda: documents.page(content),
        "--json": lambda: documents.serialised(content),
        "--junit": lambda: as_junit(content, about),
        "--badge": lambda: FORMS[files["--badge"].suffix](drawn),
    }
    troubles = list[Trouble]()
    for option, path in files.items():
        try:
            write_output(option, path, texts[option]())
        except Trouble as trouble:
            troubles.append(trouble)
    if troubles:
        raise troubles[0]


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
