"""How long regret claims and experiments take, in seconds of one core: steps, at the pace of a common server."""

from __future__ import annotations

from math import ceil, inf
from typing import Any, NamedTuple

from dpbandits.audit.judges.effort import Profile
from dpbandits.audit.judges.kinds import FORMULA_SECONDS
from dpbandits.audit.play.runs import BATCH_NUMBERS
from dpbandits.audit.play.soonest import law_of_samples
from dpbandits.audit.regret.orderings import cached_steps_of as steps_known
from dpbandits.audit.regret.orderings import runs_of
from dpbandits.reference.bandits.environments import TruncatedExponential
from dpbandits.reference.bandits.heavy_tails import Pareto, TwoPoint
from dpbandits.reference.claims.model import AtLeast, AtMost, Claim, Ordering

BLOCK_STEPS = 100  # steps of a run that pulls in blocks, at most
BATCH = 10_000  # numbers in a batch
COMPILED_STEPS = 4_000  # of a run: where there are as many, a policy that says its samples is played compiled


def ordering_seconds(claim: Claim, profile: Profile) -> list[float]:
    """The batches of an experiment, which all claims about it share."""
    assert isinstance(claim.says, Ordering)
    settings = claim.says.settings.values()
    played = ((each, where) for many, where in settings for each in (many if isinstance(many, tuple) else (many,)))
    every = list(dict.fromkeys(played))  # in order: shards must come to the same sums
    runs = runs_of(profile, max(policy.horizon for policy, _ in every))
    alone = [playing(policy, where, runs, profile.experiment_horizon) for policy, where in every]
    # Side by side, the steps of one batch are those of all.
    total = FORMULA_SECONDS + sum(each.pulls for each in alone) + max(each.steps for each in alone)
    many = ceil(sum(runs * policy.arms for policy, _ in every) / BATCH_NUMBERS)
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
    return sum(playing(policy, environment, profile.regret_runs, profile.experiment_horizon))


def trivial(says: AtMost | AtLeast, bound: float, policy: Any, environment: Any) -> bool:
    within = says.quantity.means or says.quantity.span
    low, high = within(policy, environment) if within is not None else (-inf, inf)
    return bound >= high if says.sign == "<=" else bound <= low


class Playing(NamedTuple):
    """Seconds of a policy's runs: for the steps of their batches, and for what every run does in them, arm by arm."""

    steps: float
    pulls: float


# Of a step, by whose samples they are; of a step of a batch, however small, and of a step of one run for each arm.
IN_NUMPY = {"": Playing(8e-5, 3.5e-8), "normal": Playing(8e-5, 3.5e-8), "beta": Playing(8e-5, 3e-7)}
COMPILED = {**IN_NUMPY, "normal": Playing(3e-6, 6.5e-9), "beta": Playing(3e-6, 4e-8)}  # wherever it is played
LOGARITHM = 5e-8  # of a step of one run: an exponential reward
HEAVY_REWARDS = 8.0  # times as dear in numpy: who expects heavy tails truncates, and takes powers


def playing(policy: Any, environment: Any, runs: int, long: int) -> Playing:
    """So many runs of a policy, of `long` steps at most: longer ones are not played."""
    law, steps = law_of_samples(policy), int(getattr(policy, "steps", policy.horizon))
    if not law and steps > BLOCK_STEPS and (blocks := steps_known(policy, environment, BLOCK_STEPS)) <= BLOCK_STEPS:
        steps = blocks
    steps = steps if steps <= long else 0
    pace = (COMPILED if steps >= COMPILED_STEPS else IN_NUMPY)[law]
    pulled = pace.pulls * policy.arms + LOGARITHM * isinstance(environment, TruncatedExponential)
    pulled *= HEAVY_REWARDS if not law and isinstance(environment, Pareto | TwoPoint) else 1.0
    return Playing(pace.steps * steps * max(1.0, runs * policy.arms / BATCH), pulled * steps * runs)
