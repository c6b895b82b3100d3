"""What a run will cost, in seconds of one core, before it starts: as measured in an earlier run, else estimated.

An estimate counts steps: trials times steps of a run, at the pace of one core of a common server. It is good to a
factor of three or so for single claims, and for planning, nothing else: no verdict depends on it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, inf, sqrt
from pathlib import Path
from typing import Any, NamedTuple

from dpbandits.audit.judges.effort import PROFILES, QUICK, Profile
from dpbandits.audit.play.runs import BATCH_NUMBERS
from dpbandits.audit.privacy.samples import STEP_COST_IN_ARMS, trials_of
from dpbandits.audit.regret.orderings import horizon, runs_of
from dpbandits.audit.runner.dispatch import proof_of
from dpbandits.audit.runner.selection import by_experiment
from dpbandits.reference.claims.model import AtLeast, AtMost, Claim, Ordering, Private

FORMULA_SECONDS = 0.1  # seconds of a claim that draws no samples, in the quick profile
BLOCK_STEPS = 500  # steps of a run that pulls in blocks
BATCH_STEP_SECONDS = 8e-5  # of a step of a batch, however small
PULL = 3.5e-8  # of a step of one run, for each arm
AUDITED = 1.2e-6  # the same in a privacy audit: two sides, played, searched, held against a law, and scored
SAMPLED = 2.7e-7  # the same of all that is drawn, for each arm, and STEP_COST_IN_ARMS more: no law is asked
LOOKS = 20_000  # trials, of a search for a pair about which all that is drawn says most
AUDIT = 0.3  # of an instance of a privacy claim, whatever it plays
BATCH = 10_000  # numbers in a batch


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
    says, subject = claim.says, claim.subject
    if proof_of(claim) is None and isinstance(says, Ordering):
        return ordering(says, profile)
    if proof_of(claim) is None and isinstance(says, AtMost | AtLeast) and subject is not None:
        return [seconds_of_bound(says, subject, dict(one), profile) for one in claim.params] or [FORMULA_SECONDS]
    if proof_of(claim) is None and isinstance(says, Private) and subject is not None:
        return [auditing(says, subject(**one), profile) for one in claim.params or ({},)]
    return [FORMULA_SECONDS * sqrt(profile.effort.points / QUICK.effort.points)]


def ordering(says: Ordering, profile: Profile) -> list[float]:
    """The batches of an experiment, which all claims about it share."""
    every = {policy for policy, _ in says.settings.values() if not isinstance(policy, tuple)}
    if not every:
        return [FORMULA_SECONDS]
    runs = runs_of(profile, max(horizon(policy) for policy in every))
    alone = [playing(policy, runs, profile.experiment_horizon) for policy in every]
    # Side by side, the steps of one batch are those of all.
    total = FORMULA_SECONDS + sum(each.pulls for each in alone) + max(each.steps for each in alone)
    many = ceil(sum(runs * policy.arms for policy in every) / BATCH_NUMBERS)
    return [total / many] * many


def seconds_of_bound(says: AtMost | AtLeast, subject: Any, instance: dict[str, Any], profile: Profile) -> float:
    """One instance of a bound; what no policy can break is not played."""
    environment = instance.pop("environment", None)
    policy = subject(**instance)
    bound = None if environment is None else says.bound(policy, environment)
    if bound is None or trivial(says, bound, policy, environment):
        return FORMULA_SECONDS
    return sum(playing(policy, profile.regret_runs, profile.experiment_horizon))


def trivial(says: AtMost | AtLeast, bound: float, policy: Any, environment: Any) -> bool:
    within = says.quantity.means or says.quantity.span
    low, high = within(policy, environment) if within is not None else (-inf, inf)
    return bound >= high if says.sign == "<=" else bound <= low


class Playing(NamedTuple):
    """Seconds of a policy's runs: for the steps of their batches, and for what every run does in them."""

    steps: float
    pulls: float


def playing(policy: Any, runs: int, long: int) -> Playing:
    """So many runs of a policy. One with a horizon above `long` pulls in blocks, or is not played."""
    steps = int(getattr(policy, "steps", policy.horizon))
    steps = steps if steps <= long else BLOCK_STEPS
    return Playing(BATCH_STEP_SECONDS * steps * max(1.0, runs * policy.arms / BATCH), PULL * steps * runs * policy.arms)


def auditing(says: Private, subject: Any, profile: Profile) -> float:
    """One instance of a privacy claim."""
    steps, arms = max(1, int(getattr(subject, "horizon", 1))), int(getattr(subject, "arms", 2))
    if says.view == "samples":
        trials = trials_of(steps, profile)
        return AUDIT + SAMPLED * steps * (arms + STEP_COST_IN_ARMS) * (trials + min(LOOKS, trials))
    trials = min(profile.trials, profile.steps // steps)
    return AUDIT * (1 + profile.pair_tries / QUICK.pair_tries / 20) + AUDITED * trials * steps * arms


# -- what is known from earlier runs -----------------------------------------------------------------------------------


Measured = Mapping[str, Mapping[str, float]]  # seconds by profile and claim


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
    if profile.name in seen:
        seconds, source = seen[profile.name], "measured"
    elif other := next((one for one in PROFILES.values() if one.name in seen), None):
        seconds, source = seen[other.name] * about.seconds / estimated(other).seconds, f"scaled from {other.name}"
    return Cost(claim.id, seconds, source, seconds * max(about.tasks) / about.seconds)


NO_COST = Cost("", 0.0, "", 0.0)
LISTED_CLAIMS = 30  # claims that a plan lists, the dearest ones


def cost_table(claims: Sequence[Claim], profile: Profile, jobs: int, out: Path, kept: Iterable[str] = ()) -> str:
    """What `--plan` prints: the dearest claims in the profile, and what every profile takes. kept: claims that are
    finished in this profile, with this seed."""
    known, lines = measured(out), []
    chosen = sorted(costs(claims, profile, known, kept), key=lambda cost: -cost.seconds)
    lines.append(f"{'core seconds':>14}  {'':18}  claim, in the profile {profile.name}")
    lines += [f"{cost.seconds:14.1f}  {cost.source:18}  {cost.claim}" for cost in chosen[:LISTED_CLAIMS]]
    if len(chosen) > LISTED_CLAIMS:
        rest = sum(cost.seconds for cost in chosen[LISTED_CLAIMS:])
        lines.append(f"{rest:14.1f}  {'':18}  {len(chosen) - LISTED_CLAIMS} more claims together")
    for name, other in PROFILES.items():
        here = chosen if name == profile.name else costs(claims, other, known)
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
