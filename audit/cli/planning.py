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
        help="Whether Rocq's kernel checks the theorems that carry claims; it needs coqc. If neither is given: in the "
        "profile deep alone.",
    ),
    click.option("--plan", is_flag=True, help="Judge nothing: say what the run would cost, claim by claim."),
    click.option(
        "--shard",
        metavar="I/N",
        default="",
        help="The I-th of N parts; all of them with one --out, on any machines. Who finishes last writes the report.",
    ),
    click.option(
        "--backend",
        type=click.Choice(["loky", "dask"]),
        default="loky",
        show_default=True,
        help="Who judges: --jobs processes here, or a cluster.",
    ),
    click.option("--scheduler", metavar="ADDRESS", default="", help="Of the cluster, such as tcp://host:8786."),
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
        raise Trouble(f"--scheduler {where['scheduler']}: of which cluster? Add --backend dask")
    if where["backend"] != "loky" and jobs != 1:
        raise Trouble(f"--jobs {jobs}: the cluster has its own number of workers; leave --jobs out with --backend")
    if not where["shard"]:
        return None
    if where["backend"] != "loky":
        raise Trouble("--shard divides a run by hand, --backend leaves that to a cluster: choose one of them")
    with as_trouble():
        return parse_shard(where["shard"])


def run_plan_text(ledger: Ledger, claims: Sequence[Claim], profile: Profile, seed: int, jobs: int, out: Path) -> str:
    """What `--plan` prints: the seconds that the claims and their premises took in the last run into this folder, or in
    the installed timings."""
    from dpbandits.audit.claims.deduction import premises_first
    from dpbandits.audit.judges.run_settings import Plan
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
        rest = f"{part.missing} are missing" if part.missing else "another shard is still at work, and will finish it"
        click.echo(f"shard {shard}: {part.judged} claims judged; of all claims, {rest}")
    for name, error in part.failed.items():
        say(f"error: {name}: {error}".rstrip(), aside=True)
    for name in part.unread:
        say(
            f"error: {name}: judged and kept, but what stands in the folder's cases/ is not what was kept, so that "
            "every shard takes it for missing; does somebody else write there, or has the code changed meanwhile? "
            "Run this shard again",
            aside=True,
        )
    for differs, names in by_difference(part.elsewhere).items():
        say(
            f"error: {names[0]}{f' and {len(names) - 1} more' * (len(names) > 1)}: kept by another environment: "
            f"{differs}. What that machine finds does not count here, nor what this one finds there. Use the same "
            "versions on all machines, or another --out; if it is left from an earlier run, run its shard again here",
            aside=True,
        )
    exit_with_status(2 if part.failed or part.unread or part.elsewhere else 0)


def by_difference(elsewhere: Mapping[str, str]) -> dict[str, list[str]]:
    """The claims by the words about what differs."""
    found: dict[str, list[str]] = {}
    for name, differs in elsewhere.items():
        found.setdefault(differs, []).append(name)
    return found
