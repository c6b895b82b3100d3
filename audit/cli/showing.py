"""`dpbandits claims` and `dpbandits show`: claims, their expected verdicts, and findings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from dpbandits.audit.cli.selecting import ledger_with, paged, selected_claims, selecting
from dpbandits.audit.cli_shared.endings import Trouble, as_trouble, example_lines, exit_with_status, printable, say
from dpbandits.audit.cli_shared.json_files import load_json
from dpbandits.audit.cli_shared.options import DEFAULT_OUT, FILE
from dpbandits.reference.claims.model import Claim
from dpbandits.reference.claims.records import ClaimRecord
from dpbandits.reference.claims.text import note_in_full

SAME_CLAIM = ("statement", "reading", "scope", "given", "quote", "seen_in")  # else a finding is about another wording


@click.command(
    epilog=example_lines(
        "dpbandits claims 'ou24/theorem-*'",
        "dpbandits claims --json 'tao22/*' --findings reports/out/findings.json",
        "dpbandits claims --page examples/skeleton",
    )
)
@selecting
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.option(
    "--findings",
    type=FILE,
    metavar="FILE",
    help=f"A findings.json with the verdicts to list. Default: {DEFAULT_OUT}/findings.json, if it exists.",
)
def claims(
    globs: tuple[str, ...], more: tuple[str, ...], pages: tuple[str, ...], as_json: bool, findings: Path | None
) -> None:
    """List the claims of the ledger.

    Each claim is listed with its statement, its expected verdict, and its verdict in the last run. Nothing is checked.
    A claim that the run left out, or whose wording has changed since, has no verdict (null in JSON). The name of the
    file with the verdicts is printed to standard error."""
    from dpbandits.audit.runner.documents import escape_lone_surrogates
    from dpbandits.audit.runner.entries import claim_as_data
    from dpbandits.reports.glossary import read_as

    listed = [claim_as_data(claim) for claim in selected_claims(ledger_with(pages), globs + more)]
    path = findings or DEFAULT_OUT / "findings.json"
    found = verdicts_in(path, listed) if findings or path.is_file() else None
    if as_json:
        nothing = {"verdict": None, "surprise": None, "summary": None}
        told = [{**claim, **(found or {}).get(claim["id"], nothing)} for claim in listed]
        click.echo(escape_lone_surrogates(json.dumps(told, indent=1, ensure_ascii=False)))
    else:
        for claim in listed:
            say(f"{claim['id']}  ({claim['paper']}, {claim['where']}; {read_as(claim)})")
            say(f"    {claim['statement']}")
            note = note_in_full(claim)
            say(f"    expected: {' or '.join(claim['expect'])}" + (f". {note}" if note else ""))
            if one := (found or {}).get(claim["id"]):
                say(f"    found: {one['verdict']}{' (unexpected)' if one['surprise'] else ''}. {one['summary']}")
    if found is not None:
        say(f"verdicts: {len(found)} of {len(listed)}, from {path}", aside=True)
    elif as_json:
        say("verdicts: none, because there is no findings.json here; name one with --findings", aside=True)


def verdicts_in(path: Path, listed: Sequence[ClaimRecord]) -> dict[str, dict[str, object]]:
    """Returns the stored verdicts of the listed claims, by claim id.
    Each entry contains the verdict, whether it is unexpected, and the summary. Claims that the file lacks, or contains
    in another wording, are left out."""
    from dpbandits.audit.runner.changes import by_claim, stored_fields

    with as_trouble():
        known = {name: stored_fields(entry) for name, entry in by_claim(load_json(path), printable(path)).items()}
    found = {}
    for claim in listed:
        entry, said = known.get(claim["id"]), dict(claim)
        if entry is not None and all(entry.get(name, said[name]) == said[name] for name in SAME_CLAIM):
            found[claim["id"]] = {name: entry.get(name) for name in ("verdict", "surprise", "summary")}
    return found


@click.command(
    epilog=example_lines(
        "dpbandits show ou24/lemma-12",
        "dpbandits show 'ou24/theorem-7*' --findings reports/out/findings.json",
        "dpbandits show --theorem ou24/lemma-3/every-run",
    )
)
@click.argument("globs", nargs=-1, required=True, metavar="ID...")
@click.option("--findings", type=FILE, metavar="FILE", help="Show the findings in this file, and check nothing.")
@click.option(
    "--theorem",
    "theorems",
    is_flag=True,
    help="Show the theorem of Rocq that proves each claim: its statement with every definition it uses, a witness that "
    "its hypotheses can hold together, and its axioms. Checks nothing, and needs no coqc.",
)
@paged
def show(globs: tuple[str, ...], findings: Path | None, theorems: bool, pages: tuple[str, ...]) -> None:
    """Show claims with verdicts and counterexamples.

    ID is the id of a claim, or a pattern of ids. For each claim the command prints the quoted sentence, the verdict and
    its reason, a counterexample, what the error breaks, and what holds instead. Without --findings the claims are
    checked first, in the profile quick, and nothing is written.

    Exit status: 0, or 2 after an error."""
    from dpbandits.audit.judges.effort import QUICK
    from dpbandits.audit.runner import run_claims
    from dpbandits.reports.document import validate_document
    from dpbandits.reports.terminal import finding_text

    ledger = ledger_with(pages)
    wanted = selected_claims(ledger, globs)
    if theorems:
        exit_with_status(show_theorems(wanted))
    try:
        document = (
            validate_document(load_json(findings)) if findings else run_claims.audit(wanted, QUICK, ledger=ledger)
        )
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
            said = failed.get(claim.id, f"is not in {findings}; omit --findings to check it now")
            say(f"error: {claim.id}: {said}", aside=True)
    exit_with_status(2 if missing else 0)


def show_theorems(wanted: Sequence[Claim]) -> int:
    """Prints, for each claim, its sentence and the stored statement page of the theorem that proves it.
    Returns the exit status, 2 if a claim has no theorem."""
    from dpbandits.audit.claims.proofs import theorem_of
    from dpbandits.audit.runner.entries import claim_as_data
    from dpbandits.reports.glossary import statement_page

    missing = 0
    for claim in wanted:
        theorem = theorem_of(claim)
        page = statement_page(claim.id) if theorem else ""
        if not theorem or not page:
            missing += 1
            say(f"error: {claim.id}: no theorem of Rocq carries this claim", aside=True)
            continue
        said = claim_as_data(claim)
        say(f"{claim.id}: {said['statement']}")
        say(f'    {said["where"]}: "{said["quote"]}"')
        say(f"    how the theorem is the claim: {theorem.says}")
        say("")
        say(page)
    return 2 if missing else 0
