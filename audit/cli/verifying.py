"""`dpbandits verify`: checks the arithmetic of certificates, and whether each is about the claim that it names."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

from dpbandits import registry
from dpbandits.audit.cli.selecting import ledger_with, paged
from dpbandits.audit.cli_shared.endings import Trouble, example_lines, exit_with_status, printable
from dpbandits.audit.cli_shared.json_files import load_json
from dpbandits.audit.cli_shared.options import FILE
from dpbandits.audit.matching import OWN_CLAIMS, not_in_ledger
from dpbandits.audit.runner.progress import duration_in_words, print_now_and_then

if TYPE_CHECKING:
    from dpbandits.reference.claims.records import Document

SLOW_SECONDS = 10  # a check that may take longer says so first
END_CHARACTERS = 150  # characters of either end of a long complaint that are shown


class Outcome(NamedTuple):
    """The result of checking one certificate."""

    good: bool
    headline: str
    lines: tuple[str, ...] = ()


def outcome_of(certificate: Any, pages: tuple[str, ...], strict: bool) -> Outcome:
    """Checks a certificate: its arithmetic, and whether it is about the claim that it names.
    The claim is one of the ledger or of these modules. Code that knows claims is loaded only if the arithmetic is right
    and the claim is not the user's own."""
    from dpbandits.proofs_checks.certificates import verify_any

    kind = certificate.get("type") if isinstance(certificate, dict) else None
    if isinstance(kind, str) and (duration := registry.added().durations.get(kind)) is not None:
        seconds = registry.loaded(duration)(certificate)
        if seconds > SLOW_SECONDS:
            click.echo(f"checking this {printable(kind)} takes up to about {duration_in_words(seconds)}", err=True)
    if isinstance(kind, str) and (of_kind := registry.added().outcomes.get(kind)) is not None:
        outcome: Outcome = registry.loaded(of_kind)(certificate, strict)
        return outcome
    checking = verify_any(certificate)
    if not checking.ok:
        return Outcome(False, f"rejected: {elide_middle('; '.join(checking.lines))}")
    name = certificate["claim"]
    if name.startswith(OWN_CLAIMS):
        return arithmetic_only(not_in_ledger(name), checking.lines, strict)

    from dpbandits.audit.claims.statements import statement
    from dpbandits.audit.matching.binding import binding_of

    ledger = ledger_with(pages).by_id
    found = binding_of(certificate, ledger)
    if not found.known:
        return arithmetic_only(found.why, checking.lines, strict)
    claimed = f"the claim: {statement(ledger[name])}"
    if not found.about:
        headline = f"the arithmetic is right, but it is not about claim {name}: {elide_middle(found.why)}"
        return Outcome(False, headline, (*checking.lines, claimed))
    warning = (found.why,) if found.why else ()
    return Outcome(True, f"verified, and about claim {name}", (*warning, *checking.lines, claimed))


def arithmetic_only(why: str, lines: tuple[str, ...], strict: bool) -> Outcome:
    """Returns the result for a correct certificate of an unknown claim. why: the reason why the claim is unknown."""
    headline = "the arithmetic is right, but" if strict else "verified, the arithmetic only:"
    return Outcome(not strict, f"{headline} {elide_middle(why)}", lines)


def elide_middle(text: str) -> str:
    """Shortens a long text to its beginning and its end, with the number of characters left out between them.
    Messages that quote a user's text say at their end what to do."""
    if len(text) <= 2 * END_CHARACTERS:
        return text
    return f"{text[:END_CHARACTERS]} [... {len(text) - 2 * END_CHARACTERS} characters ...] {text[-END_CHARACTERS:]}"


def certificates_in(path: Path) -> list[tuple[str, Any]]:
    """Returns the certificates in the file, each with its name in messages.
    A file without certificates is an error: a verification that looked at nothing must not succeed."""
    content = load_json(path)
    if isinstance(content, dict) and "findings" in content:
        from dpbandits.audit.runner.documents import certificates

        try:
            found = list(certificates(cast("Document", content)).items())
        except (KeyError, TypeError, AttributeError):
            raise Trouble(
                f"{printable(path)} is neither a certificate nor a findings.json that `dpbandits audit` wrote; give a "
                "file of one of these two kinds"
            ) from None
        if not found:
            raise Trouble(f"{printable(path)} contains no certificate, so there is nothing to verify")
        return [(f"{path}: {name}", certificate) for name, certificate in found]
    return [(str(path), content)]


@click.command(
    epilog=example_lines(
        "dpbandits verify dpbandits-report/findings.json",
        "dpbandits verify --strict certificate.json",
        "dpbandits verify --rocq findings.json ceiling.json",
    )
)
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--strict", is_flag=True, help="Reject certificates that are not about a claim of the ledger.")
@click.option("--rocq", is_flag=True, help="Also check with Rocq's kernel, if possible. Needs coqc; takes minutes.")
@paged
def verify(files: tuple[Path, ...], strict: bool, rocq: bool, pages: tuple[str, ...]) -> None:
    """Check certificates with an independent checker.

    FILE is a certificate, or a findings.json with certificates. The checker first recomputes the arithmetic of each
    certificate, and then tests whether it contradicts the claim that it names. For a claim outside the ledger, such as
    your own, only the arithmetic is checked.

    Exit status: 0 if all certificates are verified; 1 if one is rejected, is not about its claim, or is refused by
    Rocq's kernel; 2 if a file cannot be read."""
    if rocq:
        from dpbandits.proofs_checks.formulas.theorems import NotInstalled, kernel_evidence

        try:
            kernel_evidence("demand_compiler")()
        except NotInstalled as missing:
            raise Trouble(f"--rocq: {missing}") from None
    if pages:
        ledger_with(pages)  # so that a page with an error ends the command before anything is printed
    wrong = unread = 0
    found: list[tuple[str, Any]] = []
    for path in files:
        try:
            found += certificates_in(path)
        except Trouble as trouble:
            unread += 1
            trouble.show()
    every = [certificate for _, certificate in found]
    judge = partial(outcome_of, pages=pages, strict=strict)
    outcomes, counts = kernel_evidence("second_opinions")(every, judge, strict) if rocq else (map(judge, every), "")
    began, checked = monotonic(), 0
    with print_now_and_then(lambda: f"{monotonic() - began:.0f} seconds so far; {checked} of {len(found)} checked"):
        for checked, ((name, _), outcome) in enumerate(zip(found, outcomes, strict=True), 1):
            wrong += not outcome.good
            which = f"[{checked}/{len(found)}] " if len(found) > 1 else ""
            click.echo(printable(f"{which}{name}: {outcome.headline}"))
            for line in outcome.lines:
                click.echo(f"    {printable(line)}")
    if counts:
        click.echo(counts)
    exit_with_status(2 if unread else 1 if wrong else 0)
