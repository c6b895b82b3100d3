"""What a run will cost, in seconds of one core, before it starts: as measured in an earlier run, else estimated; and
how it is dealt out to machines that share nothing but a folder.

An estimate counts steps, by what `kinds` names beside each judge that plays. It is good to a factor of three or so for
single claims, and for planning, nothing else: no verdict depends on it.

Of shards, claims about one experiment stay together. Who gets which depends on the claims, the profile and the number
of shards, and on nothing that was measured or is already finished: every shard comes to the same division by itself.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from dpbandits.audit.claims.proofs import proof_of, theorem_of
from dpbandits.audit.judges.effort import PROFILES, QUICK, Profile, asking_kernel, kernel_option
from dpbandits.audit.judges.kinds import FORMULA_SECONDS, UNJUDGED_MODULE, row_of
from dpbandits.audit.runner.selection import by_experiment
from dpbandits.reference.claims.model import Claim

PROOF_SECONDS = 0.35  # a proof of a page's own, on average, in the quick profile; some take a minute
NOTHING_SECONDS = 1e-3  # a claim that nothing judges, or what it follows from
Measured = Mapping[str, Mapping[str, float]]  # seconds by profile and claim
LISTED_CLAIMS = 30  # claims that a plan lists, the dearest ones
MAX_SHARDS = 100_000


class Estimate(NamedTuple):
    """tasks: seconds of one core, about, of every task that the claim's work can be divided into: instances, or batches
    of an experiment. error: why nothing can be said; then the claim counts as a formula."""

    tasks: list[float]
    error: str = ""

    @property
    def seconds(self) -> float:
        return sum(self.tasks)


def estimate(claim: Claim, profile: Profile) -> Estimate:
    """What the claim costs, if nobody has played its experiment yet."""
    try:
        return Estimate(task_seconds(claim, profile))
    except Exception as error:  # of the claim's own code: its judge says it in full, in its turn, and `--plan` in short
        return Estimate([FORMULA_SECONDS], f"{type(error).__name__}: {error}")


def group_seconds(group: Sequence[Claim], profile: Profile) -> float:
    """What claims about one experiment, or a single one, cost together: the first plays it, the others look at it."""
    first, *others = group
    return estimate(first, profile).seconds + FORMULA_SECONDS * len(others)


def task_seconds(claim: Claim, profile: Profile) -> list[float]:
    """`Estimate.tasks`. Raises what the claim's own code raises."""
    row = row_of(claim)
    if row.module == UNJUDGED_MODULE and proof_of(claim) is None:
        return [NOTHING_SECONDS]
    larger = sqrt(profile.effort.points / QUICK.effort.points)
    if proof_of(claim) is not None:
        theorem = theorem_of(claim) if profile.effort.kernel else None
        return [PROOF_SECONDS * sqrt(larger) + (theorem.seconds if theorem else 0.0)]
    if row.seconds is None:
        return [FORMULA_SECONDS * larger]
    module, name = row.seconds
    tasks: list[float] = getattr(import_module(module), name)(claim, profile)
    return tasks or [FORMULA_SECONDS]


# -- what is known from earlier runs -----------------------------------------------------------------------------------


def measured(out: Path) -> dict[str, dict[str, float]]:
    """The seconds of every claim, by profile, that earlier runs into this folder took; empty where there were none."""
    try:
        content = json.loads((out / "timings.json").read_text(encoding="utf-8"))
        every = content.get("profiles", {})
        return {
            str(profile): {str(claim): float(value) for claim, value in seconds.items()}
            for profile, seconds in every.items()
        }
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def timed_as(profile: Profile) -> str:
    """The name under which the seconds of a run are remembered: whether Rocq's kernel is asked is part of it."""
    return f"{profile.name}{kernel_option(profile)}"


class Cost(NamedTuple):
    """What a claim costs in one profile. source: "measured", "scaled" (measured in another profile, times the ratio of
    the estimates), "estimate", "kept" for what is finished, or why there is no estimate. longest: of its seconds, those
    of the longest task."""

    claim: str
    seconds: float
    source: str
    longest: float


def costs(claims: Sequence[Claim], profile: Profile, known: Measured, kept: Iterable[str] = ()) -> list[Cost]:
    """The cost of every claim in a profile, in order. kept: claims that are finished."""
    finished, found = set(kept), dict[str, Cost]()
    for group in by_experiment(claims):
        for place, claim in enumerate(group):
            cost = cost_of(claim, profile, known, plays=place == 0)
            found[claim.id] = Cost(claim.id, 0.0, "kept", 0.0) if claim.id in finished else cost
    return [found[claim.id] for claim in claims]


def cost_of(claim: Claim, profile: Profile, known: Measured, plays: bool) -> Cost:
    """The cost of a claim. plays: whether it pays for its experiment, if it is about one."""

    def estimated(one: Profile) -> Estimate:
        return estimate(claim, one) if plays else Estimate([FORMULA_SECONDS])

    about = estimated(profile)
    seconds, source = about.seconds, f"none ({about.error})" if about.error else "estimate"
    seen = {name: times[claim.id] for name, times in known.items() if claim.id in times}
    if timed_as(profile) in seen:
        seconds, source = seen[timed_as(profile)], "measured"
    elif other := next((one for one in PROFILES.values() if one.name in seen), None):
        seconds, source = seen[other.name] * about.seconds / estimated(other).seconds, f"scaled from {other.name}"
    return Cost(claim.id, seconds, source, seconds * max(about.tasks) / about.seconds)


NO_COST = Cost("", 0.0, "", 0.0)


def cost_table(claims: Sequence[Claim], profile: Profile, jobs: int, out: Path, kept: Iterable[str] = ()) -> str:
    """What `--plan` prints: the dearest claims in the profile, and what every profile takes. kept: claims that are
    finished in this profile, with this seed."""
    known, lines = measured(out), []
    chosen = sorted(costs(claims, profile, known, kept), key=lambda cost: -cost.seconds)
    lines.append(f"{'core seconds':>14}  {'':18}  claim, in the profile {timed_as(profile)}")
    lines += [f"{cost.seconds:14.1f}  {cost.source:18}  {cost.claim}" for cost in chosen[:LISTED_CLAIMS]]
    if len(chosen) > LISTED_CLAIMS:
        rest = sum(cost.seconds for cost in chosen[LISTED_CLAIMS:])
        lines.append(f"{rest:14.1f}  {'':18}  {len(chosen) - LISTED_CLAIMS} more claims together")
    asked = profile.effort.kernel if kernel_option(profile) else None
    for name, other in PROFILES.items():
        here = chosen if name == profile.name else costs(claims, asking_kernel(other, asked), known)
        total, dearest = sum(cost.seconds for cost in here), max(here, key=lambda cost: cost.longest, default=NO_COST)
        sources = Counter(cost.source for cost in here)
        said = ", ".join(f"{count} {source}" for source, count in sorted(sources.items()))
        wall = max(total / jobs, dearest.longest)
        lines.append(f"profile {name}: {total:.0f} core seconds, {spoken_seconds(wall)} with --jobs {jobs} ({said})")
        if dearest.longest > 0:
            busy = f"{total / dearest.longest:.0f} workers at most are kept busy"
            lines.append(f"  {busy}: {dearest.claim} has a task of {spoken_seconds(dearest.longest)}")
    return "\n".join(lines)


def spoken_seconds(seconds: float) -> str:
    """A duration as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


class Shard(NamedTuple):
    """The `number`-th of `of` parts, counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def shard_of(text: str) -> Shard:
    """The shard that "2/5" names. Raises ValueError."""
    found = re.fullmatch(r"(\d+)/(\d+)", text.strip(), re.ASCII)
    if found and 1 <= int(found[1]) <= int(found[2]) <= MAX_SHARDS:
        return Shard(int(found[1]), int(found[2]))
    raise ValueError(f"--shard {text}: write i/n, the i-th of n parts, such as 1/4 to 4/4")


def deal(groups: Sequence[Sequence[Claim]], profile: Profile, shard: Shard) -> list[Claim]:
    """The claims of this shard: the dearest group first, each to the shard that has least so far."""
    costs = [group_seconds(group, profile) for group in groups]
    load = [0.0] * shard.of
    mine: list[Claim] = []
    for place in sorted(range(len(groups)), key=lambda place: (-costs[place], groups[place][0].id)):
        least = min(range(shard.of), key=lambda number: (load[number], number))
        load[least] += costs[place]
        mine += groups[place] if least == shard.number - 1 else []
    return mine
