"""The `dpbandits` command: audit the ledger, list it, verify certificates, make a report.

Imports are lazy, so that `--help` is quick. Exit status: 0 all as expected; 1 a surprise, or a certificate that is
rejected or not about its claim; 2 everything else, and before 1: what is incomplete is no verdict. Ended by Ctrl-C
it is 130, by SIGTERM 143, by a reader who closed the pipe 141; of `diff`, 1 says that something changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from dpbandits.audit.fronts.beginning import examples, new
from dpbandits.audit.fronts.certificates import certificates_in, outcome_of
from dpbandits.audit.fronts.diffing import diff
from dpbandits.audit.fronts.endings import (
    TERMINATED,
    Guarded,
    Stopped,
    Trouble,
    ended,
    printable,
    say,
)
from dpbandits.audit.fronts.epilogs import example_lines
from dpbandits.audit.fronts.files import FILE, apart, claimed, loaded, unwritten, written
from dpbandits.audit.fronts.numbers import NumberOption, WholeOption
from dpbandits.audit.fronts.planning import asked, planned, planning, whole_of
from dpbandits.audit.fronts.selecting import chosen, ledger_with, paged, selecting
from dpbandits.audit.fronts.showing import show
from dpbandits.audit.implementations.command import check, vectors
from dpbandits.audit.start import INTERRUPTED


@click.group(
    cls=Guarded,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=example_lines(
        "dpbandits audit 'ou24/theorem-7*'",
        "dpbandits check --reference ou24.ThompsonSampling -- ./my_policy",
        "dpbandits privacy thompson --horizon 100 --delta 1e-6 --arms 2",
    ),
)
@click.version_option(package_name="dpbandits")
def main() -> None:
    """Check what papers claim about differentially private bandits."""


@main.command(
    epilog=example_lines(
        "dpbandits audit --out report",
        "dpbandits audit 'ou24/lemma-*' 'tao22/*' --profile ci --jobs 8",
        "dpbandits audit --plan",
        "dpbandits audit --page examples/skeleton --out skeleton-report",
    )
)
@selecting
@click.option(
    "--profile",
    type=click.Choice(["quick", "ci", "deep"]),
    default="quick",
    show_default=True,
    help="How hard to look.",
)
@click.option("--seed", type=WholeOption(0, 2**64 - 1), default=0, show_default=True)
@click.option(
    "--jobs",
    type=WholeOption(1),
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
@click.option("--junit", type=FILE, metavar="FILE", help="Also write JUnit's XML, for a CI's display.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@planning
def audit(
    globs: tuple[str, ...],
    more: tuple[str, ...],
    pages: tuple[str, ...],
    profile: str,
    seed: int,
    jobs: int,
    out: Path,
    force: bool,
    junit: Path | None,
    quiet: bool,
    **where: Any,
) -> None:
    """Judge the claims, write a report. An interrupted run goes on where it stopped.

    With --page and no GLOB, the claims of that page alone.

    Exit status: 0 if every verdict was expected, 1 if one was a surprise, 2 if a judge failed, or anything else. A
    shard that is not the last to finish knows no verdicts, and ends with 0 or 2."""
    from dpbandits.audit.effort import PROFILES
    from dpbandits.audit.run import cases, documents, store
    from dpbandits.audit.run.workers import Unavailable, Workers

    ledger = ledger_with(pages)
    claims = chosen(ledger, globs + more)
    shard = asked(where, jobs)
    if where["plan"]:
        click.echo(planned(ledger, claims, PROFILES[profile], seed, jobs, out))
        return
    if junit is not None:
        claimed("--junit", junit)
    try:
        if shard is not None:
            settings = PROFILES[profile], shard, out, seed, jobs, not quiet, force, ledger
            document = whole_of(cases.audit_shard(claims, *settings), shard, quiet)
        else:
            workers = Workers(jobs, where["backend"], where["scheduler"])
            document = cases.audit(claims, PROFILES[profile], seed, jobs, out, not quiet, force, ledger, workers)
    except KeyboardInterrupt as stop:
        click.echo(
            f"\ninterrupted; what is finished stays in {printable(out / 'cases')}: the same command goes on from there",
            err=True,
        )
        ended(TERMINATED if isinstance(stop, Stopped) else INTERRUPTED)
    except store.Refused as refused:
        raise Trouble(printable(refused)) from None
    except OSError as error:
        untouched = "what was there before is untouched: move what is in the way, or choose another folder with --out"
        raise unwritten(out, "the report", error, untouched) from None
    except (ValueError, cases.WorkerKilled, Unavailable) as error:
        raise Trouble(str(error)) from None
    if not quiet:
        say(table(document))
        click.echo(f"report: {printable(out / 'index.html')}")
    if junit is not None:
        from dpbandits.audit.run.junit import as_junit

        written("--junit", junit, as_junit(document, "dpbandits audit"), quiet)
    for failed in document["errors"]:
        say(f"error: {failed['id']}: {failed['error']}".rstrip(), aside=True)
    ended(documents.status(document))


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


@main.command(
    epilog=example_lines(
        "dpbandits claims 'ou24/theorem-*'",
        "dpbandits claims --json 'tao22/*'",
        "dpbandits claims --page examples/skeleton",
    )
)
@selecting
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
def claims(globs: tuple[str, ...], more: tuple[str, ...], pages: tuple[str, ...], as_json: bool) -> None:
    """List the ledger: what the papers claim, and what we expect of it."""
    from dpbandits.audit.run.documents import described, read_as, told

    listed = [described(claim) for claim in chosen(ledger_with(pages), globs + more)]
    if as_json:
        click.echo(told(json.dumps(listed, indent=1, ensure_ascii=False)))
        return
    for claim in listed:
        say(f"{claim['id']}  ({claim['paper']}, {claim['where']}; {read_as(claim)})")
        say(f"    {claim['statement']}")
        say(f"    expected: {' or '.join(claim['expect'])}" + (f". {claim['note']}" if claim["note"] else ""))


for each in (show, check, vectors, diff, new, examples):
    main.add_command(each)


@main.group(epilog=example_lines("dpbandits privacy thompson --horizon 100 --delta 1e-6 --arms 2"))
def privacy() -> None:
    """How private a policy is, between a proof and an attack."""


@privacy.command(
    epilog=example_lines(
        "dpbandits privacy thompson --horizon 100 --delta 1e-6 --arms 2",
        "dpbandits privacy thompson --horizon 20 --delta 1e-6 --arms 2 --reach 5",
        "dpbandits privacy thompson --horizon 20 --delta 1e-6 --arms 2 --certificate attack.json",
        "dpbandits verify attack.json",
    )
)
@click.option("--horizon", type=WholeOption(1), required=True, help="T, pre-pulls included.")
@click.option("--delta", type=NumberOption(0, 1, min_open=True, max_open=True), required=True)
@click.option("--arms", type=WholeOption(2), help="How many; without it, a bound for any number.")
@click.option("--prepulls", type=WholeOption(0), default=0, show_default=True, help="b of Algorithm 2.")
@click.option("--variance", type=NumberOption(0, min_open=True), default=1.0, show_default=True, help="c.")
@click.option("--relation", type=click.Choice(["pull", "round"]), default="pull", show_default=True)
@click.option(
    "--reach", type=NumberOption(0, min_open=True), help="Also: which c, which b reach this eps? Needs --arms."
)
@click.option("--picture", type=FILE, help="Write the curves: as a drawing if FILE ends in .svg, else as an HTML page.")
@click.option("--certificate", type=FILE, help="Write the attack for `dpbandits verify`.")
@click.option("--ceiling", type=FILE, help="Write what `dpbandits verify` computes the certified eps from (T <= 1000).")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def thompson(horizon: int, delta: float, arms: int | None, prepulls: int, variance: float, **options: Any) -> None:
    """Thompson sampling with Gaussian priors: what the paper promises, what is certified, what an attack achieves."""
    from dpbandits.audit import remedies as against
    from dpbandits.audit import thompson as game
    from dpbandits.proofs_checks.game.rules import Sampler

    sampler, relation, reach = Sampler(horizon, arms, prepulls, variance), options["relation"], options["reach"]
    if reach and arms is None:
        raise click.UsageError("--reach needs --arms: pre-pulls and regret depend on how many there are")
    files = {name: options[name] for name in WRITTEN if options[name]}
    apart({f"--{name}": path for name, path in files.items()})
    for name, path in files.items():
        claimed(f"--{name}", path, WRITTEN[name])
    try:
        found = game.thompson_privacy(sampler, delta, relation)
        remedies = against.remedies(sampler, delta, reach, relation) if reach else ()
    except ValueError as error:
        raise Trouble(str(error)) from None
    except MemoryError:
        raise Trouble(f"{horizon} rounds need more memory than there is: lower --horizon") from None
    if options["as_json"]:
        click.echo(json.dumps(game.as_json(found) | against.as_json(remedies), indent=1))
    else:
        click.echo(game.table(found))
        if remedies:
            click.echo(against.remedy_table(remedies, reach))
    if options["picture"]:
        from dpbandits.reports import alone

        drawn = game.picture_item(found)
        text = alone.drawing(drawn) if options["picture"].suffix == ".svg" else alone.page(drawn, game.table(found))
        written("--picture", options["picture"], text, options["as_json"])
    if options["certificate"]:
        try:
            text = json.dumps(found.certificate, indent=1)
        except ValueError as error:
            raise Trouble(str(error)) from None
        written("--certificate", options["certificate"], text, options["as_json"])
    if options["ceiling"]:
        from dpbandits.proofs_checks.game.ceiling import ceiling

        try:
            text = json.dumps(ceiling(sampler, delta, relation))
        except ValueError as error:
            raise Trouble(str(error)) from None
        written("--ceiling", options["ceiling"], text, options["as_json"])


WRITTEN = {"picture": "report", "certificate": "certificate", "ceiling": "certificate"}  # options, and what they write


@main.command(
    epilog=example_lines(
        "dpbandits verify dpbandits-report/findings.json",
        "dpbandits verify --strict certificate.json",
    )
)
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
    ended(2 if unread else 1 if wrong else 0)


def draw(findings: Path, content: Any, picture: Path) -> None:
    """The picture with which the overview begins, light or dark as the reader's screen."""
    from dpbandits.reports import headline

    claimed("--picture", picture)
    try:
        drawn = headline(content)
    except ValueError as error:
        raise Trouble(f"{printable(findings)}: {error}") from None
    written("--picture", picture, drawn)


@main.command(epilog=example_lines("dpbandits report dpbandits-report/findings.json --out index.html"))
@click.argument("findings", type=FILE, metavar="FINDINGS.json")
@click.option("--out", type=FILE, help="The HTML file; index.html beside the findings by default.")
@click.option("--picture", type=FILE, help="Write the overview's picture instead, as an SVG file; no pages.")
@click.option("--date", type=click.DateTime(["%Y-%m-%d"]), help="The day to print on every page; none by default.")
@click.option("--force", is_flag=True, help="Overwrite a file that is no report.")
def report(findings: Path, out: Path | None, picture: Path | None, date: datetime | None, force: bool) -> None:
    """Make the HTML report of a findings document: the page, and beside it those that it leads to, in folders named
    after it."""
    from dpbandits.audit.run import documents, store
    from dpbandits.reports import pages

    content = loaded(findings)
    if picture is not None:
        if out is not None:
            raise click.UsageError("--out, --picture: the picture is written without the pages; choose one of them")
        draw(findings, content, picture)
        return
    target = out or findings.with_name("index.html")
    try:
        day = f"{date:%Y-%m-%d}" if date else ""
        named = pages(content, target.name, date=day, **documents.extras())
        made = {target.parent / name: page for name, page in named.items()}
    except UnicodeEncodeError:
        raise Trouble(
            f"{printable(target)}: a name that is no UTF-8, by which its pages could not lead to one another; choose "
            "another file with --out"
        ) from None
    except ValueError as error:
        raise Trouble(f"{printable(findings)}: {error}") from None
    try:
        for path in made:
            store.claim_file(path, force)
        store.publish(made)
    except store.Refused as refused:
        raise Trouble(printable(refused)) from None
    except OSError as error:
        raise unwritten(target, "the report", error, "choose another file with --out") from None
    click.echo(f"report: {printable(target)}")
