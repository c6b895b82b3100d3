"""`dpbandits audit`: checks claims, and writes a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpbandits import registry
from dpbandits.audit.cli.selecting import ledger_with, selected_claims, selecting
from dpbandits.audit.cli_shared import INTERRUPTED, TERMINATED, endings
from dpbandits.audit.cli_shared.options import DEFAULT_OUT, FILE, GroupedCommand, WholeOption
from dpbandits.audit.cli_shared.outputs import (
    asked_outputs,
    claim_outputs,
    document_options,
    document_texts,
    output_options,
    write_outputs,
    write_trouble,
)
from dpbandits.reference.claims.records import Document

if TYPE_CHECKING:
    from dpbandits.audit.judges.effort import Profile
    from dpbandits.audit.runner.run_claims import ShardOutcome
    from dpbandits.audit.runner.timings import Shard
    from dpbandits.reference.claims.ledger import Ledger
    from dpbandits.reference.claims.model import Claim


@click.command(
    cls=GroupedCommand,
    groups={
        "What to check": ("--claims", "--page", "--rocq"),
        "Effort and reproducibility": ("--profile", "--seed", "--jobs"),
        "Output": ("--out", "--force", *document_options(beside_folder=True), "--quiet", "--plan"),
        "Several machines": ("--shard", "--backend", "--scheduler"),
    },
    epilog=endings.example_lines(
        "dpbandits audit --out report",
        "dpbandits audit 'ou24/lemma-*' 'tao22/*' --profile ci --jobs 8",
        "dpbandits audit --plan",
        "dpbandits audit 'chen24/lemma-j*' --rocq",
        "dpbandits audit --page examples/skeleton --out skeleton-report",
    ),
)
@selecting
@click.option(
    "--profile",
    type=click.Choice(["quick", "ci", "deep"]),
    default="quick",
    show_default=True,
    help="Amount of computation: a larger profile detects smaller violations.",
)
@click.option("--seed", type=WholeOption(0, 2**64 - 1), default=0, show_default=True, help="Seed of all samples.")
@click.option(
    "--jobs",
    type=WholeOption(1),
    default=1,
    show_default=True,
    help="Number of processes. The findings do not depend on it.",
)
@click.option(
    "--out",
    type=FILE,
    default=DEFAULT_OUT,
    show_default=True,
    help="Folder for all output.",
)
@click.option("--force", is_flag=True, help="Allow a folder with other files; those in the way are overwritten.")
@output_options(beside_folder=True)
@click.option("--quiet", is_flag=True, help="Print errors only.")
@click.option(
    "--rocq/--no-rocq",
    default=None,
    help="Let Rocq's kernel check machine-checked proofs. Needs coqc. Default: only in the profile deep.",
)
@click.option("--plan", is_flag=True, help="Print how long each claim took in the last run, and check nothing.")
@click.option(
    "--shard",
    metavar="I/N",
    default="",
    help="Check the I-th of N parts. All parts use the same --out; the last one writes the report.",
)
@click.option(
    "--backend",
    type=click.Choice(["loky", "dask"]),
    default="loky",
    show_default=True,
    help="Processes on this machine (loky) or a dask cluster.",
)
@click.option("--scheduler", metavar="ADDRESS", default="", help="Scheduler of the dask cluster, e.g. tcp://host:8786.")
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
    rocq: bool | None,
    plan: bool,
    shard: str,
    backend: str,
    scheduler: str,
    **outputs: Path | None,
) -> None:
    """Check claims and write a report.

    GLOB selects claims by id, for example 'ou24/*'; without it, all claims are checked. With --page and no GLOB, only
    the claims of that page are checked. An interrupted run continues where it stopped.

    Exit status: 0 if all verdicts are as expected, 1 if one is not, 2 after an error. A shard that is not the last to
    finish knows no verdicts and ends with 0 or 2."""
    from dpbandits.audit.judges.effort import PROFILES, asking_kernel
    from dpbandits.audit.runner import documents, run_claims
    from dpbandits.audit.runner.workers import Workers

    chosen = asking_kernel(PROFILES[profile], rocq)
    ledger = ledger_with(pages)
    claims = selected_claims(ledger, globs + more)
    part = requested_shard(shard, backend, scheduler, jobs)
    if plan:
        click.echo(run_plan_text(ledger, claims, chosen, seed, jobs, out))
        return
    files = asked_outputs(outputs)
    claim_outputs(files)
    with ending_in_words(out):
        if part is not None:
            outcome = run_claims.audit_shard(
                claims, chosen, part, out, seed=seed, jobs=jobs, progress=not quiet, force=force, ledger=ledger
            )
            document = whole_of(outcome, part, quiet)
        else:
            workers = Workers(jobs, backend, scheduler)
            document = run_claims.audit(
                claims, chosen, seed, out=out, progress=not quiet, force=force, ledger=ledger, workers=workers
            )
    tell_outcome(document, out, files, quiet)
    endings.exit_with_status(documents.exit_status(document))


def requested_shard(shard: str, backend: str, scheduler: str, jobs: int) -> Shard | None:
    """The shard that the option --shard requests; None without this option.
    Raises Trouble if options exclude each other."""
    from dpbandits.audit.runner.timings import parse_shard
    from dpbandits.audit.runner.workers import Unavailable, Workers

    try:
        Workers(1, backend, scheduler).require_scheduler()
    except Unavailable as error:
        raise endings.Trouble(str(error)) from None
    if backend == "loky" and scheduler:
        raise endings.Trouble(f"--scheduler {scheduler} needs --backend dask")
    if backend != "loky" and jobs != 1:
        raise endings.Trouble(
            f"--jobs {jobs} cannot be combined with --backend: the cluster determines the number of workers"
        )
    if not shard:
        return None
    if backend != "loky":
        raise endings.Trouble("--shard cannot be combined with --backend dask: the cluster divides the run itself")
    with endings.as_trouble():
        return parse_shard(shard)


def run_plan_text(ledger: Ledger, claims: Sequence[Claim], profile: Profile, seed: int, jobs: int, out: Path) -> str:
    """Returns the output of `--plan`: the expected seconds of the claims and of their premises.
    The seconds are those of the last run into this folder, or else those of the installed timings."""
    from dpbandits.audit.claims.deduction import premises_first
    from dpbandits.audit.judges.effort import Plan
    from dpbandits.audit.runner.run_claims import stored_cases
    from dpbandits.audit.runner.timings import plan_text, read_timings, shipped_timings, updated

    ordered = premises_first(claims, ledger.by_id)
    timings = dict(shipped_timings())
    for name, seconds in read_timings(out / "timings.json").items():
        timings = updated(timings, name, seconds)
    return plan_text(ordered, profile, jobs, timings, stored_cases(ordered, Plan(ledger, profile, seed), out / "cases"))


def whole_of(part: ShardOutcome, shard: Shard, quiet: bool) -> Document:
    """Returns the whole audit's document if this shard finished last; otherwise reports what is missing, and exits."""
    if part.document is not None:
        return part.document
    if not quiet:
        rest = f"{part.missing} are missing" if part.missing else "another shard is still running and writes the report"
        click.echo(f"shard {shard}: {part.judged} claims checked; of all claims, {rest}")
    for name, error in part.failed.items():
        endings.say(f"error: {name}: {error}".rstrip(), aside=True)
    for name in part.unread:
        endings.say(
            f"error: {name}: the finding in the folder's cases/ was changed after it was written, so it counts as "
            "missing. Possible reasons: another program writes there, or the code changed. Run this shard again",
            aside=True,
        )
    by_difference: dict[str, list[str]] = {}
    for name, differs in part.elsewhere.items():
        by_difference.setdefault(differs, []).append(name)
    for differs, names in by_difference.items():
        endings.say(
            f"error: {names[0]}{f' and {len(names) - 1} more' * (len(names) > 1)}: kept by another environment: "
            f"{differs}. Findings of different environments are not combined. Use the same versions on all machines, "
            "or another --out; if the finding is from an earlier run, run its shard again here",
            aside=True,
        )
    endings.exit_with_status(2 if part.failed or part.unread or part.elsewhere else 0)


def tell_outcome(document: Document, out: Path, files: Mapping[str, Path], quiet: bool) -> None:
    """Prints the summary, the location of the report, and errors; writes the requested files."""
    if not quiet:
        endings.say(summary_table(document))
        click.echo(f"report: {endings.printable(out / 'index.html')}")
    write_outputs(files, document_texts(document, "dpbandits audit"), quiet)
    for failed in document["errors"]:
        endings.say(f"error: {failed['id']}: {failed['error']}".rstrip(), aside=True)


def install_words(missing: Exception) -> str:
    """Returns which parts of the installation Rocq's kernel lacks, and how to install them. missing: a NotInstalled."""
    known = registry.added().kernel
    return f"--rocq: {missing}" if known is None else str(registry.loaded(known.install_words)(missing))


@contextmanager
def ending_in_words(out: Path) -> Iterator[None]:
    """Turns every cause that ends a run early into one message: what happened, and which results are kept."""
    from dpbandits.audit.runner import run_claims, store
    from dpbandits.audit.runner.workers import Unavailable
    from dpbandits.proofs_checks.formulas.theorems import NotInstalled

    try:
        yield
    except KeyboardInterrupt as stop:
        kept = endings.printable(out / "cases")
        click.echo(f"\ninterrupted; finished claims are kept in {kept}. Repeat the command to continue", err=True)
        endings.exit_with_status(TERMINATED if isinstance(stop, endings.Stopped) else INTERRUPTED)
    except store.Refused as refused:
        raise endings.Trouble(endings.printable(refused)) from None
    except OSError as error:
        untouched = "nothing was changed there; move the file that is in the way, or choose another folder with --out"
        raise write_trouble(out, "the report", error, untouched) from None
    except NotInstalled as missing:
        raise endings.Trouble(
            f"{install_words(missing)}. Or use --no-rocq: the verdict on claims with a machine-checked proof is then "
            "ARGUED"
        ) from None
    except (ValueError, run_claims.WorkerKilled, Unavailable) as error:
        raise endings.Trouble(str(error)) from None


def summary_table(document: Document) -> str:
    """The summary: the number of findings with each verdict, unexpected verdicts, and expected refutations."""
    from dpbandits.reference.claims.model import Verdict

    counts = Counter(found["verdict"] for found in document["findings"])
    many, surprises = len(document["findings"]), [found for found in document["findings"] if found["surprise"]]
    result = f"{len(surprises)} unexpected" if surprises else "all as expected"
    lines = [f"{many} {'claim' if many == 1 else 'claims'} checked, {result}"]
    lines += [f"{counts[verdict]:6d}  {verdict}" for verdict in Verdict if counts[verdict]]
    if document["errors"]:
        lines.append(f"{len(document['errors']):6d}  without a verdict, because of an error")
    for found in surprises:
        wanted = " or ".join(found["expect"])
        lines.append(f"UNEXPECTED  {found['id']}  {found['where']}: {found['verdict']}, expected {wanted}")
        lines.append(f"            {found['summary']}")
        lines.append(f"            repeat: {found['repro']}")
    for found in document["findings"]:
        if found["verdict"] == Verdict.REFUTED and not found["surprise"]:
            lines.append(f"refuted, as expected   {found['id']}  {found['where']}")
    return "\n".join(lines)
