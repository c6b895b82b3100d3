"""The `dpbandits` command: audit the ledger, list it, verify certificates, make a report.

Imports are lazy, so that `--help` is quick. Exit status: 0 all as expected; 1 a surprise, or a certificate that is
rejected or not about its claim; 2 everything else, and before 1: what is incomplete is no verdict. Ended by Ctrl-C
it is 130, by SIGTERM 143.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dpbandits.audit.implementations.command import check

if TYPE_CHECKING:
    from dpbandits.reference.ledger import Claim
    from dpbandits.reference.library import Ledger

INTERRUPTED, TERMINATED = 130, 143  # what shells expect after Ctrl-C and SIGTERM
LARGEST = 16_000_000  # bytes of a file that is read
TRACEBACK = "DPBANDITS_TRACEBACK"  # this environment variable set, an internal error shows where it happened


class NamedPath(click.Path):
    """A path that is not empty: Path('') would be the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value).strip() or "\0" in str(value):
            self.fail("the name is empty, or none that a file can have; name a file or folder", param, ctx)
        return super().convert(value, param, ctx)


FILE = NamedPath(path_type=Path)


class Trouble(click.ClickException):
    """An error with a remedy; exit status 2, so that nobody takes it for a verdict."""

    exit_code = 2

    def format_message(self) -> str:
        return "\n".join(map(printable, self.message.split("\n")))


def printable(text: Any) -> str:
    from dpbandits.audit.run.store import printable as escaped

    return escaped(text)


@contextmanager
def guarded() -> Iterator[None]:
    """Whatever is thrown ends with a sentence and a status that is no verdict."""
    try:
        yield
        sys.stdout.flush()
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has seen enough
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        sys.exit(2)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise Trouble(f"internal error\n{traceback_of(error)}") from None
        text = f"{type(error).__name__}: {error}"[:500]
        raise Trouble(f"internal error ({text}); set {TRACEBACK}=1 to see where, and report it") from None


def traceback_of(error: BaseException) -> str:
    from traceback import format_exception

    return "".join(format_exception(error))


class Guarded(click.Group):
    """The commands, none of which ends in a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        with guarded():
            return super().invoke(ctx)


class Stopped(KeyboardInterrupt):
    """SIGTERM, on its way through what Ctrl-C goes through as well."""


@contextmanager
def stoppable() -> Iterator[None]:
    """SIGTERM ends the run as Ctrl-C does: workers end, and what is finished is kept."""

    def stop(number: int, frame: Any) -> None:
        raise Stopped

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not the main thread: signals go elsewhere
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def paged(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--page FILE`, as often as you like."""
    return click.option(
        "--page",
        "pages",
        multiple=True,
        type=NamedPath(),
        metavar="FILE",
        help="Also a page that has not joined the ledger: a .py file, or a package folder.",
    )(command)


def selecting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the ways to select claims: `--claims GLOB`, as often as you like, or just GLOBs, also of a `--page FILE`."""
    command = click.argument("more", nargs=-1, metavar="[GLOB]...")(paged(command))
    return click.option(
        "--claims",
        "globs",
        multiple=True,
        metavar="GLOB",
        help="Only claims whose id matches, e.g. 'ou24/*'.",
    )(command)


@click.group(cls=Guarded, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dpbandits")
def main() -> None:
    """Check what papers claim about differentially private bandits."""


@main.command()
@selecting
@click.option(
    "--profile",
    type=click.Choice(["quick", "ci", "deep"]),
    default="quick",
    show_default=True,
    help="How hard to look.",
)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Processes; the findings do not depend on it.",
)
@click.option(
    "--out",
    type=FILE,
    default=Path("dpbandits-report"),
    show_default=True,
    help="Folder for the report and all data.",
)
@click.option("--force", is_flag=True, help="Also into a folder that holds files of others; most of them stay.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def audit(
    globs: tuple[str, ...],
    more: tuple[str, ...],
    pages: tuple[str, ...],
    profile: str,
    seed: int,
    jobs: int,
    out: Path,
    force: bool,
    quiet: bool,
) -> None:
    """Judge the claims, write a report. An interrupted run goes on where it stopped.

    With --page and no GLOB, the claims of that page alone.

    Exit status: 0 if every verdict was expected, 1 if one was a surprise, 2 if a judge failed, or anything else."""
    from dpbandits.audit.effort import PROFILES
    from dpbandits.audit.run import cases, documents, store

    ledger = ledger_with(pages)
    claims = chosen(ledger, globs + more)
    try:
        with stoppable():
            document = cases.audit(claims, PROFILES[profile], seed, jobs, out, not quiet, force, ledger)
    except KeyboardInterrupt as stop:
        click.echo(
            f"\ninterrupted; what is finished stays in {printable(out / 'cases')}: the same command goes on from there",
            err=True,
        )
        sys.exit(TERMINATED if isinstance(stop, Stopped) else INTERRUPTED)
    except store.Refused as refused:
        raise Trouble(str(refused)) from None
    except OSError as error:
        raise Trouble(
            f"{out}: cannot write the report ({error.strerror or error}); what was there before is untouched: make "
            "room, or choose another folder with --out"
        ) from None
    except (ValueError, cases.WorkerKilled) as error:
        raise Trouble(str(error)) from None
    if not quiet:
        click.echo(table(document))
        click.echo(f"report: {printable(out / 'index.html')}")
    for failed in document["errors"]:
        click.echo(f"error: {failed['id']}: {failed['error']}".rstrip(), err=True)
    sys.exit(documents.status(document))


def ledger_with(pages: tuple[str, ...]) -> Ledger:
    """The pages that joined, and these. The one ledger of the command."""
    from dpbandits.reference import library

    try:
        return library.opened(pages) if pages else library.ledger()
    except ValueError as error:
        raise Trouble(str(error)) from None


def chosen(ledger: Ledger, globs: tuple[str, ...]) -> tuple[Claim, ...]:
    from dpbandits.audit.run.selection import selected

    try:
        return selected(ledger, globs)
    except ValueError as error:
        raise Trouble(str(error)) from None


def table(document: Mapping[str, Any]) -> str:
    """The summary: how many findings carry each verdict, and a line for each that deserves a look."""
    from dpbandits.audit.run.documents import tally
    from dpbandits.reference.ledger import Verdict

    counts = tally(document)
    lines = [f"{counts[verdict]:6d}  {verdict}" for verdict in Verdict if counts[verdict]]
    surprises = sum(found["surprise"] for found in document["findings"])
    lines.append(f"{len(document['findings']):6d}  claims, {surprises} with a surprising verdict")
    if document["errors"]:
        lines.append(f"{len(document['errors']):6d}  without a verdict: their judge failed")
    for found in document["findings"]:
        if found["verdict"] == Verdict.REFUTED and not found["surprise"]:
            lines.append(f"refuted, as expected   {found['id']}  {found['where']}")
    for found in document["findings"]:
        if found["surprise"]:
            wanted = " or ".join(found["expect"])
            lines.append(f"SURPRISE  {found['id']}  {found['where']}: {found['verdict']}, expected {wanted}")
            lines.append(f"          {found['summary']}")
            lines.append(f"          {found['repro']}")
    return "\n".join(lines)


@main.command()
@selecting
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
def claims(globs: tuple[str, ...], more: tuple[str, ...], pages: tuple[str, ...], as_json: bool) -> None:
    """List the ledger: what the papers claim, and what we expect of it."""
    from dpbandits.audit.run.documents import described, read_as

    listed = [described(claim) for claim in chosen(ledger_with(pages), globs + more)]
    if as_json:
        click.echo(json.dumps(listed, indent=1, ensure_ascii=False))
        return
    for claim in listed:
        click.echo(f"{claim['id']}  ({claim['paper']}, {claim['where']}; {read_as(claim)})")
        click.echo(f"    {claim['statement']}")
        click.echo(f"    expected: {' or '.join(claim['expect'])}" + (f". {claim['note']}" if claim["note"] else ""))


main.add_command(check)


@main.group()
def privacy() -> None:
    """How private a policy is, between a proof and an attack."""


@privacy.command()
@click.option("--horizon", type=click.IntRange(1), required=True, help="T, pre-pulls included.")
@click.option("--delta", type=click.FloatRange(0, 1, min_open=True, max_open=True), required=True)
@click.option("--arms", type=click.IntRange(2), help="How many; without it, a bound for any number.")
@click.option("--prepulls", type=click.IntRange(0), default=0, show_default=True, help="b of Algorithm 2.")
@click.option("--variance", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True, help="c.")
@click.option("--relation", type=click.Choice(["pull", "round"]), default="pull", show_default=True)
@click.option("--reach", type=click.FloatRange(0, min_open=True), help="Also: which c, which b reach this eps?")
@click.option("--picture", type=FILE, help="Write the curves as an HTML page.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def thompson(horizon: int, delta: float, arms: int | None, prepulls: int, variance: float, **options: Any) -> None:
    """Thompson sampling with Gaussian priors: what the paper promises, what is certified, what an attack achieves."""
    from dpbandits.audit import thompson as game
    from dpbandits.proofs_checks.game.rules import Sampler

    sampler, relation, reach = Sampler(horizon, arms, prepulls, variance), options["relation"], options["reach"]
    try:
        found = game.answer(sampler, delta, relation)
        remedies = game.remedies(sampler, delta, reach, relation) if reach else ()
    except ValueError as error:
        raise Trouble(str(error)) from None
    click.echo(json.dumps(game.as_json(found), indent=1) if options["as_json"] else game.table(found))
    if remedies:
        click.echo(game.remedy_table(remedies, reach))
    if options["picture"]:
        from dpbandits.reports.alone import page

        write(options["picture"], page(game.picture_item(found), game.table(found)))


def write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Trouble(f"{path}: cannot be written ({error.strerror}); choose another file") from None
    click.echo(f"picture: {path}")


@main.command()
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--strict", is_flag=True, help="Reject a certificate that is about no claim of the ledger.")
@paged
def verify(files: tuple[Path, ...], strict: bool, pages: tuple[str, ...]) -> None:
    """Check certificates again, independently of how they were found.

    FILE is a certificate, or a findings.json: all certificates in it. First the arithmetic, by a checker that knows
    no ledger; then whether the certificate is about the claim that it names. A claim that is not in the ledger, such
    as your own, leaves the arithmetic alone to be checked.

    Exit status: 2 if a file cannot be read; else 1 if a certificate is rejected, or is not about its claim."""
    ledger = ledger_with(pages).by_id
    wrong = unread = 0
    for path in files:
        try:
            found = certificates_in(path)
        except Trouble as trouble:
            unread += 1
            trouble.show()
            continue
        for name, certificate in found:
            outcome = outcome_of(certificate, ledger, strict)
            wrong += not outcome.good
            click.echo(printable(f"{name}: {outcome.headline}"))
            for line in outcome.lines:
                click.echo(f"    {printable(line)}")
    sys.exit(2 if unread else 1 if wrong else 0)


class Outcome(NamedTuple):
    """What is said about one certificate."""

    good: bool
    headline: str
    lines: tuple[str, ...] = ()


def outcome_of(certificate: Any, ledger: Mapping[str, Any], strict: bool) -> Outcome:
    """The arithmetic first; then whether it is about the ledger's claim."""
    from dpbandits.audit.claims.statements import statement
    from dpbandits.audit.verify.binding import binding
    from dpbandits.proofs_checks.certificates import verify as checked

    checking = checked(certificate)
    if not checking.ok:
        return Outcome(False, f"rejected: {'; '.join(checking.lines)}")
    found, name = binding(certificate, ledger), certificate["claim"]
    if not found.known:
        headline = "the arithmetic is right, but" if strict else "verified, the arithmetic only:"
        return Outcome(not strict, f"{headline} {found.why}", checking.lines)
    claimed = f"the claim: {statement(ledger[name])}"
    if not found.about:
        headline = f"the arithmetic is right, but it is not about claim {name}: {found.why}"
        return Outcome(False, headline, (*checking.lines, claimed))
    warning = (found.why,) if found.why else ()
    return Outcome(True, f"verified, and about claim {name}", (*warning, *checking.lines, claimed))


def certificates_in(path: Path) -> list[tuple[str, Any]]:
    """(what to call it, certificate) for each certificate in the file. None at all is an error: a
    verification that looked at nothing must not succeed."""
    from dpbandits.audit.run.documents import certificates

    content = loaded(path)
    if isinstance(content, dict) and "findings" in content:
        try:
            found = list(certificates(content).items())
        except (KeyError, TypeError, AttributeError):
            raise Trouble(f"{path}: no findings document; `dpbandits audit` writes one as findings.json") from None
        if not found:
            raise Trouble(f"{path}: none of its findings carries a certificate, so there is nothing to verify")
        return [(f"{path}: {name}", certificate) for name, certificate in found]
    return [(str(path), content)]


@main.command()
@click.argument("findings", type=FILE, metavar="FINDINGS.json")
@click.option("--out", type=FILE, help="The HTML file; index.html beside the findings by default.")
@click.option("--force", is_flag=True, help="Overwrite a file that is no report.")
def report(findings: Path, out: Path | None, force: bool) -> None:
    """Make the HTML report of a findings document: the page, and beside it those that it leads to."""
    from dpbandits.audit.run import store
    from dpbandits.reports import pages

    content = loaded(findings)
    target = out or findings.with_name("index.html")
    try:
        made = {target.parent / name: page for name, page in pages(content, target.name).items()}
    except ValueError as error:
        raise Trouble(f"{findings}: {error}") from None
    try:
        for path in made:
            store.claim_file(path, force)
        store.publish(made)
    except store.Refused as refused:
        raise Trouble(str(refused)) from None
    except OSError as error:
        raise Trouble(f"{target}: cannot write the report ({error.strerror}); choose another file with --out") from None
    click.echo(f"report: {printable(target)}")


def loaded(path: Path) -> Any:
    """The JSON in a file; every way in which there is none is an error that names the file and a remedy."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe would keep us waiting, /dev/zero never end
            raise Trouble(f"{path}: no regular file; save what it says to one, and pass that")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise Trouble(f"{path}: more than {LARGEST // 10**6} MB; pass a file that dpbandits wrote")
        return json.loads(content.decode("utf-8"), object_pairs_hook=once, parse_constant=no_number)
    except OSError as error:
        raise Trouble(f"{path}: cannot be read ({error.strerror}); check the path") from None
    except UnicodeDecodeError as error:
        raise Trouble(f"{path}: not UTF-8 at byte {error.start}; pass the file that dpbandits wrote") from None
    except json.JSONDecodeError as error:
        raise Trouble(
            f"{path}: no valid JSON at line {error.lineno}, column {error.colno} ({error.msg}); "
            "mend it there, or make the file again with `dpbandits audit`"
        ) from None
    except ValueError as error:
        raise Trouble(
            f"{path}: no JSON that can be read ({str(error)[:200]}); pass the file that dpbandits wrote"
        ) from None
    except RecursionError:
        raise Trouble(f"{path}: JSON nested too deeply to be read; pass the file that dpbandits wrote") from None


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object, none of whose keys stands twice: else a reader and a program see two different files."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for place, (key, _) in enumerate(pairs) if key in dict(pairs[:place]))
        raise ValueError(f"the key {twice!a} stands twice in an object")
    return made


def no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
