"""`dpbandits show`: what was found about single claims, in the terminal."""

from __future__ import annotations

from pathlib import Path

import click

from dpbandits.audit.cli.epilogs import example_lines
from dpbandits.audit.cli.selecting import ledger_with, paged, selected_claims
from dpbandits.audit.fronts.endings import Trouble, exit_with_status, printable, say
from dpbandits.audit.fronts.files import FILE, loaded


@click.command(
    epilog=example_lines(
        "dpbandits show ou24/lemma-12", "dpbandits show 'ou24/theorem-7*' --findings reports/out/findings.json"
    )
)
@click.argument("globs", nargs=-1, required=True, metavar="ID...")
@click.option("--findings", type=FILE, metavar="FILE", help="A findings.json: shows what it holds, and judges nothing.")
@paged
def show(globs: tuple[str, ...], findings: Path | None, pages: tuple[str, ...]) -> None:
    """Show single claims: what is said, the verdict and why, a counterexample, what breaks, what holds instead.

    ID is a claim's id, or a pattern of ids. Without --findings the claims are judged first, as `audit` does with its
    profile quick, and nothing is written.

    Exit status: 0, or 2 if a judge failed, or for anything else."""
    from dpbandits.audit.judges.effort import QUICK
    from dpbandits.audit.runner import cases
    from dpbandits.reports.document import validate_document
    from dpbandits.reports.terminal import finding_text

    ledger = ledger_with(pages)
    wanted = selected_claims(ledger, globs)
    try:
        document = validate_document(loaded(findings)) if findings else cases.audit(wanted, QUICK, ledger=ledger)
    except ValueError as error:
        raise Trouble(f"{printable(findings)}: {error}" if findings else str(error)) from None
    known = {finding["id"]: finding for finding in document["findings"]}
    failed = {each["id"]: each["error"] for each in document["errors"]}
    missing = 0
    for claim in wanted:
        if claim.id in known:
            say(finding_text(known[claim.id], document["findings"], document["papers"]))
        else:
            missing += 1
            said = failed.get(claim.id, f"is not in {findings}; leave --findings out to have it judged")
            say(f"error: {claim.id}: {said}", aside=True)
    exit_with_status(2 if missing else 0)
