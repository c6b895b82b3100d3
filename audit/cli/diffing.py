"""`dpbandits diff`: what changed from one findings.json to another."""

from __future__ import annotations

import json
from pathlib import Path

import click

from dpbandits.audit.cli.epilogs import example_lines
from dpbandits.audit.fronts.endings import Trouble, exit_with_status, printable, say
from dpbandits.audit.fronts.files import FILE, loaded


@click.command(
    epilog=example_lines(
        "dpbandits diff last-week/findings.json reports/out/findings.json",
        "dpbandits diff --markdown docs/ledger/0.9.0.json reports/out/findings.json",
    )
)
@click.argument("old", type=FILE, metavar="OLD.json")
@click.argument("new", type=FILE, metavar="NEW.json")
@click.option("--json", "form", flag_value="json", help="As JSON.")
@click.option("--markdown", "form", flag_value="markdown", help="As a part of a changelog.")
def diff(old: Path, new: Path, form: str | None) -> None:
    """What changed from one findings.json to another, claim by claim, and why.

    Verdicts first, then claims that are new or gone, numbers, wording, what is claimed, what is expected, evidence. A
    record of a release (docs/ledger) is a findings.json with fewer fields: what both have is compared.

    Exit status: 0 if no claim differs, 1 if one does, 2 if a file cannot be read."""
    from dpbandits.audit.runner import changes
    from dpbandits.audit.runner.documents import escape_lone_surrogates

    before, after = loaded(old), loaded(new)
    try:
        found = changes.compare_documents(before, after, (str(old), str(new)))
    except ValueError as error:
        raise Trouble(printable(error)) from None
    if form == "json":
        click.echo(escape_lone_surrogates(json.dumps(changes.changes_as_json(found), indent=1, ensure_ascii=False)))
    else:
        say(changes.as_markdown(found) if form == "markdown" else changes.as_text(found))
    exit_with_status(1 if found.changes else 0)
