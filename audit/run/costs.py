"""What a run will cost, in seconds of one core, before it starts: as measured in an earlier run, else estimated.

An estimate counts steps: trials times steps of a run, at the pace of one core of a common server. It is good to a
factor of three or so for single claims, and for planning, nothing else: no verdict depends on it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, inf, sqrt
from pathlib import Path
from typing import Any, NamedTuple

from dpbandits.audit.effort import PROFILES, QUICK, Profile, Run
from dpbandits.audit.play.runs import TOGETHER
from dpbandits.audit.privacy.samples import MORE, trials_of
from dpbandits.audit.regret.orderings import horizon, runs_of
from dpbandits.audit.run.dispatch import proof_of
from dpbandits.audit.run.fingerprint import described
from dpbandits.audit.run.plan import Plan
from dpbandits.reference.ledger import AtLeast, AtMost, Claim, Ordering, Private

LONG = 60.0  # estimated core seconds from which a claim, or the claims about one experiment, are divided
FORMULA = 0.1  # seconds of a claim that draws no samples, in the quick profile
BLOCKS = 500  # steps of a run that pulls in blocks
STEP = 8e-5  # of a step of a batch, however small
PULL = 3.5e-8  # of a step of one run, for each arm
AUDITED = 1.2e-6  # the same in a privacy audit: two sides, played, searched, held against a law, and scored
SAMPLED = 2.7e-7  # the same of all that is drawn, for each arm and MORE: no law is asked
LOOKS = 20_000  # trials, of a search for a pair about which all that is drawn says most
AUDIT = 0.3  # of an instance of a privacy claim, whatever it plays
BATCH = 10_000  # numbers in a batch


@dataclass
class Shared:
    """The experiments that some claim has paid for: who else speaks of one gets it for nothing."""

    paid: set[tuple[str, str]] = field(default_factory=set)

    def first(self, what: str, profile: str) -> bool:
        new = (what, profile) not in self.paid
        self.paid.add((what, profile))
        return new


def estimated(claim: Claim, run: Run, shared: Shared) -> float:
    """Seconds of one core, about. shared: of the claims before this one."""
    return sum(parts(claim, run, shared))


def parts(claim: Claim, run: Run, shared: Shared) -> list[float]:
    """Seconds of one core, about, of every piece that the claim's work may be divided into: instances, their blocks,
    batches. What cannot even be looked at costs next to nothing: its judge will say what is wrong, in its turn."""
    try:
        return looked_at(claim, run, shared)
    except Exception:
        return [FORMULA]


def looked_at(claim: Claim, run: Run, shared: Shared) -> list[float]:
    """The same; raises what the claim's own code raises."""
    says, profile = claim.says, run.profile
    if proof_of(claim) is None and isinstance(says, Ordering):
        return ordering(says, profile) if shared.first(described(says.settings), profile.name) else [FORMULA]
    if proof_of(claim) is None and isinstance(says, AtMost | AtLeast) and claim.subject is not None:
        return [FORMULA, *(bounded(says, claim.subject, dict(one), profile) for one in claim.params)]
    if proof_of(claim) is None and isinstance(says, Private) and claim.subject is not None:
        return [cost for one in claim.params or ({},) for cost in auditing(says, claim.subject(**one), profile)]
    return [FORMULA * sqrt(profile.effort.points / QUICK.effort.points)]


def ordering(says: Ordering, profile: Profile) -> list[float]:
    """The batches of an experiment, which all claims about it share."""
    every = {policy for policy, _ in says.settings.values() if not isinstance(policy, tuple)}
    if not every:
        return [FORMULA]
    runs = runs_of(profile, max(horizon(policy) for policy in every))
    alone = [playing(policy, runs, profile.experiment_horizon) for policy in every]
    # Side by side, the steps of one batch are those of all.
    total = FORMULA + sum(each.pulls for each in alone) + max(each.steps for each in alone)
    many = ceil(sum(runs * policy.arms for policy in every) / TOGETHER)
    return [total / many] * many


def bounded(says: AtMost | AtLeast, subject: Any, instance: dict[str, Any], profile: Profile) -> float:
    """One instance of a bound; what no policy can break is not played."""
    environment = instance.pop("environment", None)
    policy = subject(**instance)
    bound = None if environment is None else says.bound(policy, environment)
    if bound is None or trivial(says, bound, policy, environment):
        return 0.0
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
    steps = steps if steps <= long else BLOCKS
    return Playing(STEP * steps * max(1.0, runs * policy.arms / BATCH), PULL * steps * runs * policy.arms)


def auditing(says: Private, subject: Any, profile: Profile) -> list[float]:
    """One instance of a privacy claim; where its trials have blocks, its beginning, and each of them."""
    steps, arms = max(1, int(getattr(subject, "horizon", 1))), int(getattr(subject, "arms", 2))
    if says.view == "samples":
        trials, a_trial = trials_of(steps, profile), SAMPLED * steps * (arms + MORE)
        begun, all_blocks = AUDIT + a_trial * min(LOOKS, trials), a_trial * trials
        return [begun + all_blocks]
    trials = min(profile.trials, profile.steps // steps)
    return [AUDIT * (1 + profile.pair_tries / QUICK.pair_tries / 20) + AUDITED * trials * steps * arms]


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
    the estimates), "estimate", or "kept" for what is finished. piece: of its seconds, what must be done in one go."""

    claim: str
    seconds: float
    source: str
    piece: float


def costs(claims: Sequence[Claim], plan: Plan, known: Measured, kept: Iterable[str] = ()) -> list[Cost]:
    """The cost of every claim in the plan's profile. kept: claims that are finished."""
    finished, found = set(kept), []
    every = {
        name: Plan(plan.ledger, profile, 0) for name, profile in (PROFILES | {plan.profile.name: plan.profile}).items()
    }
    shared = {name: Shared() for name in every}
    here = plan.profile.name
    for claim in claims:
        pieces = {name: parts(claim, each.run(claim), shared[name]) for name, each in every.items()}
        about = {name: sum(each) for name, each in pieces.items()}
        seen = {name: known[name][claim.id] for name in every if claim.id in known.get(name, {})}
        seconds, source = about[here], "estimate"
        if claim.id in finished:
            seconds, source = 0.0, "kept"
        elif here in seen:
            seconds, source = seen[here], "measured"
        elif seen:
            other = next(iter(seen))
            seconds, source = seen[other] * about[here] / about[other], f"scaled from {other}"
        share = max(pieces[here]) / about[here] if about[here] >= LONG else 1.0
        found.append(Cost(claim.id, seconds, source, share * seconds))
    return found


NONE = Cost("", 0.0, "", 0.0)
SHOWN = 30  # claims that a plan lists, the dearest ones


def told(claims: Sequence[Claim], plan: Plan, jobs: int, out: Path, kept: Iterable[str] = ()) -> str:
    """What `--plan` prints: the dearest claims in the plan's profile, and what every profile takes. kept: claims that
    are finished in this profile, with this seed."""
    known, lines = measured(out), []
    chosen = sorted(costs(claims, plan, known, kept), key=lambda cost: -cost.seconds)
    lines.append(f"{'core seconds':>14}  {'':18}  claim, in the profile {plan.profile.name}")
    lines += [f"{cost.seconds:14.1f}  {cost.source:18}  {cost.claim}" for cost in chosen[:SHOWN]]
    if len(chosen) > SHOWN:
        rest = sum(cost.seconds for cost in chosen[SHOWN:])
        lines.append(f"{rest:14.1f}  {'':18}  {len(chosen) - SHOWN} more claims together")
    for name, profile in PROFILES.items():
        here = chosen if name == plan.profile.name else costs(claims, replace(plan, profile=profile), known)
        total, dearest = sum(cost.seconds for cost in here), max(here, key=lambda cost: cost.piece, default=NONE)
        sources = Counter(cost.source for cost in here)
        said = ", ".join(f"{count} {source}" for source, count in sorted(sources.items()))
        wall = max(total / jobs, dearest.piece)
        lines.append(f"profile {name}: {total:.0f} core seconds, {spoken(wall)} with --jobs {jobs} ({said})")
        if dearest.piece > 0:
            busy = f"{total / dearest.piece:.0f} workers at most are kept busy"
            lines.append(f"  {busy}: {dearest.claim} has a piece of {spoken(dearest.piece)}")
    return "\n".join(lines)


def spoken(seconds: float) -> str:
    """A duration as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
