"""How long regret claims and experiments take, in seconds of one core: steps, at the pace of a common server."""

from __future__ import annotations

from math import ceil, inf
from typing import Any, NamedTuple

from dpbandits.audit.judges.effort import Profile
from dpbandits.audit.judges.kinds import FORMULA_SECONDS
from dpbandits.audit.play.runs import BATCH_NUMBERS
from dpbandits.audit.regret.orderings import horizon, runs_of
from dpbandits.reference.claims.model import AtLeast, AtMost, Claim, Ordering

BLOCK_STEPS = 500  # steps of a run that pulls in blocks
BATCH_STEP_SECONDS = 8e-5  # of a step of a batch, however small
PULL = 3.5e-8  # of a step of one run, for each arm
BATCH = 10_000  # numbers in a batch


def ordering_seconds(claim: Claim, profile: Profile) -> list[float]:
    """The batches of an experiment, which all claims about it share."""
    assert isinstance(claim.says, Ordering)
    every = {policy for policy, _ in claim.says.settings.values() if not isinstance(policy, tuple)}
    if not every:
        return [FORMULA_SECONDS]
    runs = runs_of(profile, max(horizon(policy) for policy in every))
    alone = [playing(policy, runs, profile.experiment_horizon) for policy in every]
    # Side by side, the steps of one batch are those of all.
    total = FORMULA_SECONDS + sum(each.pulls for each in alone) + max(each.steps for each in alone)
    many = ceil(sum(runs * policy.arms for policy in every) / BATCH_NUMBERS)
    return [total / many] * many


def bound_seconds(claim: Claim, profile: Profile) -> list[float]:
    """The instances of a bound on an expectation."""
    says, subject = claim.says, claim.subject
    assert isinstance(says, AtMost | AtLeast)
    if subject is None:
        return []
    return [seconds_of_bound(says, subject, dict(one), profile) for one in claim.params]


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
