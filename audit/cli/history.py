"""`dpbandits diff` and `dpbandits history`: differences between two findings.json, and between releases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpbandits.audit.cli.selecting import ledger_with, paged, selected_claims
from dpbandits.audit.cli_shared.endings import as_trouble, example_lines, exit_with_status, say
from dpbandits.audit.cli_shared.json_files import load_json
from dpbandits.audit.cli_shared.options import FILE

if TYPE_CHECKING:
    from dpbandits.reference.claims.records import StageRecord


@click.command(
    epilog=example_lines(
        "dpbandits history ou24/lemma-12", "dpbandits history 'ou24/theorem-7*' --findings reports/out/findings.json"
    )
)
@click.argument("globs", nargs=-1, required=True, metavar="ID...")
@click.option(
    "--findings",
    multiple=True,
    type=FILE,
    metavar="FILE",
    help="Add a findings.json after the releases. May be repeated, oldest first.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object with one list for each claim.")
@paged
def history(globs: tuple[str, ...], findings: tuple[Path, ...], as_json: bool, pages: tuple[str, ...]) -> None:
    """Show the verdicts of claims in each release.

    ID is the id of a claim, or a pattern of ids. For each release the command prints the verdict, what changed since
    the previous one, and why. The records of all releases are installed with the package.

    Exit status: 0, or 2 if a claim is in no release and no file, or after an error."""
    from dpbandits.audit.runner.changes import histories, release_records
    from dpbandits.audit.runner.documents import escape_lone_surrogates

    wanted = [claim.id for claim in selected_claims(ledger_with(pages), globs)]
    with as_trouble():
        known = histories([*release_records(), *((str(path), load_json(path)) for path in findings)])
    found = {name: known[name] for name in wanted if name in known}
    if as_json:
        click.echo(escape_lone_surrogates(json.dumps(found, indent=1, ensure_ascii=False)))
    else:
        for name, stages in found.items():
            say("\n".join([name, *(line for stage in stages for line in stage_lines(stage))]))
    missing = [name for name in wanted if name not in found]
    for name in missing:
        say(f"error: {name}: is in no release; name a findings.json that contains it with --findings", aside=True)
    exit_with_status(2 if missing else 0)


def stage_lines(stage: StageRecord) -> list[str]:
    """Returns lines of text on a release or run in which a claim was checked: verdict, changes and summary."""
    changed = f"; changed: {', '.join(stage['kinds'])}" if stage["kinds"] else ""
    run = f"{stage['source']} {stage['version']} ({stage['profile']}, seed {stage['seed']})"
    lines = [f"  {run}: {stage['verdict']}{changed}"]
    lines += [f"    why: {stage['why']}"] if stage["why"] else []
    return [*lines, f"    {stage['summary']}"]


@click.command(
    epilog=example_lines(
        "dpbandits diff last-week/findings.json reports/out/findings.json",
        "dpbandits diff --markdown docs/ledger/0.9.0.json reports/out/findings.json",
    )
)
@click.argument("old", type=FILE, metavar="OLD.json")
@click.argument("new", type=FILE, metavar="NEW.json")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown for a changelog.")
def diff(old: Path, new: Path, form: str | None) -> None:
    """List the differences between two findings.json.

    The list is sorted: changed verdicts, added and removed claims, numbers, wording, statements, expected verdicts,
    evidence. A record of a release (docs/ledger) is a findings.json with fewer fields; common fields are compared.

    Exit status: 0 if no claim differs, 1 if one does, 2 if a file cannot be read."""
    from dpbandits.audit.runner import changes
    from dpbandits.audit.runner.documents import escape_lone_surrogates

    before, after = load_json(old), load_json(new)
    with as_trouble():
        found = changes.compare_documents(before, after, (str(old), str(new)))
    if form == "json":
        click.echo(escape_lone_surrogates(json.dumps(changes.changes_as_json(found), indent=1, ensure_ascii=False)))
    else:
        say(changes.as_markdown(found) if form == "markdown" else changes.as_text(found))
    exit_with_status(1 if found.changes else 0)
