"""`dpbandits history`: what became of single claims, from release to release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpbandits.audit.cli.epilogs import example_lines
from dpbandits.audit.cli.selecting import ledger_with, paged, selected_claims
from dpbandits.audit.fronts.endings import Trouble, exit_with_status, printable, say
from dpbandits.audit.fronts.files import FILE, loaded

if TYPE_CHECKING:
    from dpbandits.audit.runner.history import Stage


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
    help="Also a findings.json, after the releases; may be repeated, the oldest first.",
)
@click.option("--json", "as_json", is_flag=True, help="As a JSON object, a list for each claim.")
@paged
def history(globs: tuple[str, ...], findings: tuple[Path, ...], as_json: bool, pages: tuple[str, ...]) -> None:
    """Show what became of single claims: the verdict in each release, what changed, and why.

    ID is a claim's id, or a pattern of ids. Each release keeps a record of all verdicts, which is installed. What a
    later document says is compared with the one before it that knows the claim.

    Exit status: 0, or 2 if a claim is in no record and no file, or for anything else."""
    from dpbandits.audit.runner.documents import escape_lone_surrogates
    from dpbandits.audit.runner.history import histories, release_records, stage_as_json

    wanted = [claim.id for claim in selected_claims(ledger_with(pages), globs)]
    try:
        known = histories([*release_records(), *((str(path), loaded(path)) for path in findings)])
    except ValueError as error:
        raise Trouble(printable(error)) from None
    found = {name: known[name] for name in wanted if name in known}
    if as_json:
        content = {name: [stage_as_json(stage) for stage in stages] for name, stages in found.items()}
        click.echo(escape_lone_surrogates(json.dumps(content, indent=1, ensure_ascii=False)))
    else:
        for name, stages in found.items():
            say("\n".join([name, *(line for stage in stages for line in stage_lines(stage))]))
    missing = [name for name in wanted if name not in found]
    for name in missing:
        say(f"error: {name}: is in no release yet; give a findings.json that has it with --findings", aside=True)
    exit_with_status(2 if missing else 0)


def stage_lines(stage: Stage) -> list[str]:
    changed = f"; changed: {', '.join(stage.kinds)}" if stage.kinds else ""
    lines = [f"  {stage.source} {stage.version} ({stage.profile}, seed {stage.seed}): {stage.verdict}{changed}"]
    lines += [f"    why: {stage.why}"] if stage.why else []
    return [*lines, f"    {stage.summary}"]
