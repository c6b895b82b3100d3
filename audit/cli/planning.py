"""The options of an audit about where it is judged: shards, clusters, Rocq's kernel, and the plan of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpbandits.audit.cli_shared.endings import Trouble, as_trouble, exit_with_status, say

if TYPE_CHECKING:
    from dpbandits.audit.judges.effort import Profile
    from dpbandits.audit.runner.run_claims import ShardOutcome
    from dpbandits.audit.runner.timings import Shard
    from dpbandits.reference.claims.ledger import Ledger
    from dpbandits.reference.claims.model import Claim
OPTIONS = (
    click.option(
        "--rocq/--no-rocq",
        default=None,
        help="Let Rocq's kernel check machine-checked proofs. Needs coqc. Default: only in the profile deep.",
    ),
    click.option("--plan", is_flag=True, help="Print how long each claim took in the last run, and check nothing."),
    click.option(
        "--shard",
        metavar="I/N",
        default="",
        help="Check the I-th of N parts. All parts use the same --out; the last one writes the report.",
    ),
    click.option(
        "--backend",
        type=click.Choice(["loky", "dask"]),
        default="loky",
        show_default=True,
        help="Processes on this machine (loky) or a dask cluster.",
    ),
    click.option(
        "--scheduler", metavar="ADDRESS", default="", help="Scheduler of the dask cluster, e.g. tcp://host:8786."
    ),
)


def planning(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--rocq`, `--plan`, `--shard`, `--backend` and `--scheduler`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def requested_shard(where: Mapping[str, Any], jobs: int) -> Shard | None:
    """The shard that is asked for, if one is. Raises Trouble where options exclude each other."""
    from dpbandits.audit.runner.timings import parse_shard
    from dpbandits.audit.runner.workers import Unavailable, Workers

    try:
        Workers(1, where["backend"], where["scheduler"]).require_scheduler()
    except Unavailable as error:
        raise Trouble(str(error)) from None
    if where["backend"] == "loky" and where["scheduler"]:
        raise Trouble(f"--scheduler {where['scheduler']} needs --backend dask")
    if where["backend"] != "loky" and jobs != 1:
        raise Trouble(f"--jobs {jobs} cannot be combined with --backend: the cluster determines the number of workers")
    if not where["shard"]:
        return None
    if where["backend"] != "loky":
        raise Trouble("--shard cannot be combined with --backend dask: the cluster divides the run itself")
    with as_trouble():
        return parse_shard(where["shard"])


def run_plan_text(ledger: Ledger, claims: Sequence[Claim], profile: Profile, seed: int, jobs: int, out: Path) -> str:
    """What `--plan` prints: the seconds that the claims and their premises took in the last run into this folder, or in
    the installed timings."""
    from dpbandits.audit.claims.deduction import premises_first
    from dpbandits.audit.judges.effort import Plan
    from dpbandits.audit.runner.run_claims import finished
    from dpbandits.audit.runner.timings import plan_text, read_timings, shipped_timings, updated

    ordered = premises_first(claims, ledger.by_id)
    timings = dict(shipped_timings())
    for name, seconds in read_timings(out / "timings.json").items():
        timings = updated(timings, name, seconds)
    return plan_text(ordered, profile, jobs, timings, finished(ordered, Plan(ledger, profile, seed), out / "cases"))


def whole_of(part: ShardOutcome, shard: Shard, quiet: bool) -> dict[str, Any]:
    """The document, where this shard was the last to finish; else the command ends here."""
    if part.document is not None:
        return part.document
    if not quiet:
        rest = f"{part.missing} are missing" if part.missing else "another shard is still running and writes the report"
        click.echo(f"shard {shard}: {part.judged} claims checked; of all claims, {rest}")
    for name, error in part.failed.items():
        say(f"error: {name}: {error}".rstrip(), aside=True)
    for name in part.unread:
        say(
            f"error: {name}: the finding in the folder's cases/ was changed after it was written, so it counts as "
            "missing. Possible reasons: another program writes there, or the code changed. Run this shard again",
            aside=True,
        )
    for differs, names in by_difference(part.elsewhere).items():
        say(
            f"error: {names[0]}{f' and {len(names) - 1} more' * (len(names) > 1)}: kept by another environment: "
            f"{differs}. Findings of different environments are not combined. Use the same versions on all machines, "
            "or another --out; if the finding is from an earlier run, run its shard again here",
            aside=True,
        )
    exit_with_status(2 if part.failed or part.unread or part.elsewhere else 0)


def by_difference(elsewhere: Mapping[str, str]) -> dict[str, list[str]]:
    """The claims by the words about what differs."""
    found: dict[str, list[str]] = {}
    for name, differs in elsewhere.items():
        found.setdefault(differs, []).append(name)
    return found
