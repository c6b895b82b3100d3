"""Checks claimed bounds on the expectation of a quantity, usually regret. The module `orderings` compares settings.

For certified bounds and power see `audit.statistics.expectation`; for the quantities see
`reference.bandits.quantities`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from dpbandits.audit.judges.effort import Run
from dpbandits.audit.judges.judge_registry import Work
from dpbandits.audit.play.probes import constant_table, probe
from dpbandits.audit.play.runs import side_by_side, steps_of
from dpbandits.audit.statistics.expectation import mean_method, quantity_range
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.quantities import HasMeans, Quantity
from dpbandits.reference.claims import text
from dpbandits.reference.claims.findings import BoundedMean, RegretFound, Side, rounded, stored
from dpbandits.reference.claims.model import AtLeast, AtMost, Basis, Claim, Finding, Verdict
from dpbandits.reference.claims.text import instance_parameters, instance_text

# The claim's verdict is the first of these that some instance has.
VERDICT_ORDER = (Verdict.REFUTED, Verdict.CONSISTENT, Verdict.NOT_EXERCISED, Verdict.NOT_APPLICABLE)


def judge_regret(claim: Claim, run: Run, subject: Policy | None = None) -> Finding:
    """Checks a bound on an expectation at every instance, against the instance's "environment".

    REFUTED if the certified confidence bound of the quantity exceeds the claimed bound. NOT_EXERCISED if no outcome of
    this many runs could refute the bound, or if no policy at all could exceed it; the latter says nothing about the
    claim's other instances, and the summary states that the bound holds trivially. NOT_APPLICABLE to a given subject
    whose runs depend on each other or use their own randomness, which runs may share, because the confidence bounds
    require independent runs. Raises ValueError for an instance without environment.
    """
    if subject is not None and (fault := probe(subject, constant_table(subject), address(run.seed, claim.id, "probe"))):
        return Finding(claim.id, Verdict.NOT_APPLICABLE, f"{fault}.")
    return split_regret(claim, run, subject).finding()


def split_regret(claim: Claim, run: Run, subject: Policy | None = None) -> Work[BoundedMean]:
    """Divides the check of a bound on an expectation into tasks, one for each instance.
    Raises ValueError for an instance without an environment."""
    says = claim.says
    if not isinstance(says, AtMost | AtLeast):
        raise TypeError(
            f"{claim.id}: the statement has type {type(says).__name__}, but judge_regret checks only statements of "
            "type AtMost or AtLeast"
        )
    todo = []
    for instance in claim.params:
        if "environment" not in instance:
            raise ValueError(
                f'{claim.id}: the instance {instance_text(instance)} has no "environment"; give it one, such as '
                "Bernoulli((0.5, 0.25))"
            )
        environment = instance["environment"]
        rest = {name: value for name, value in instance.items() if name != "environment"}
        if subject is None and claim.subject is None:
            raise ValueError(f"{claim.id}: a bound on regret needs a subject (a policy); give subject= to the claim")
        policy = subject if subject is not None else claim.subject(**rest)  # type: ignore[misc]
        todo.append(partial(check_instance, claim, says, policy, environment, run, instance))
    return Work(todo, lambda results: bound_finding(claim, says, results, run))


def check_instance(
    claim: Claim,
    statement: AtMost | AtLeast,
    policy: Policy,
    environment: HasMeans,
    run: Run,
    instance: Mapping[str, object],
) -> BoundedMean:
    """Compares, for one instance, the certified confidence limits of a mean with the claimed bound.
    As many runs are played as the profile allows; none if the claimed bound does not apply, or holds for every policy.
    instance: its parameters."""
    label, parameters = instance_text(instance), instance_parameters(instance)
    bound, quantity = statement.bound(policy, environment), statement.quantity
    low, high = quantity_range(quantity, policy, environment)
    upper = statement.sign == "<="
    ceiling = quantity.means(policy, environment) if quantity.means is not None else (low, high)
    ends = stored(float(ceiling[0])), stored(float(ceiling[1]))
    if bound is None:
        return BoundedMean(label, str(Verdict.NOT_APPLICABLE), None, *ends, parameters=parameters)
    bound = float(bound)
    if not np.isfinite(bound) and bound != np.inf:
        raise ValueError(
            f"{claim.id}, {label}: the bound is {bound}; it must be a finite number. Return None from the "
            "statement if a precondition is false"
        )
    if (upper and bound >= ceiling[1]) or (not upper and bound <= ceiling[0]):
        return BoundedMean(label, str(Verdict.NOT_EXERCISED), stored(bound), *ends, parameters=parameters)
    many = affordable_runs(quantity, policy, environment, run)
    runs = side_by_side((policy,), environment, many, address(run.seed, claim.id, label))[0]
    values, method = quantity.of(policy, environment, runs), mean_method(quantity)
    limits = method.limits(values, low, high, run.level)
    slack = method.slack(bound, low, high)
    refuted = limits.low > bound + slack if upper else limits.high < bound - slack
    asked = len(values), bound, low, high, run.level, upper
    could = np.isfinite(method.reach(*asked))
    held = Verdict.CONSISTENT if could else Verdict.NOT_EXERCISED
    return BoundedMean(
        label,
        str(Verdict.REFUTED if refuted else held),
        stored(bound),
        *ends,
        stored(float(limits.mean)),
        stored(float(limits.low), Side.BELOW),
        stored(float(limits.high), Side.ABOVE),
        stored(float(limits.mean) / bound) if bound else None,
        many,
        method.refuting(*asked) if could else None,
        parameters,
    )


def affordable_runs(quantity: Quantity, policy: Policy, environment: HasMeans, run: Run) -> int:
    """The number of runs of one instance.
    For a quantity with two values, as many as the profile's steps allow, because few runs say little about a
    probability."""
    most = run.profile.steps // run.profile.regret_runs  # steps of a run that allows no more runs
    if not quantity.two_valued or (steps := steps_of(policy, environment, most)) > most:
        return run.profile.regret_runs
    return min(run.profile.trials, run.profile.steps // steps)


def bound_finding(claim: Claim, statement: AtMost | AtLeast, results: Sequence[BoundedMean], run: Run) -> Finding:
    """Combines the results of all instances: REFUTED if one is, CONSISTENT if one was played and none is refuted.
    Its text is about the instance that is closest to its bound."""
    if not results:
        return Finding(claim.id, Verdict.UNSUPPORTED, "the claim has no instances to play")
    verdict = next(kind for kind in VERDICT_ORDER if any(each.verdict == kind for each in results))
    upper = statement.sign == "<="
    played = [place for place, each in enumerate(results) if each.mean is not None]
    hardest = max(played, key=lambda place: tightness(results[place], upper), default=None)
    body = RegretFound(str(statement.quantity), upper, tuple(results), hardest, rounded(run.level, Side.NEAREST))
    decided = (Basis.SAMPLES,) if verdict in (Verdict.REFUTED, Verdict.CONSISTENT) else ()
    return text.finding_of(claim.id, verdict, body, rests_on=decided)


def tightness(instance: BoundedMean, upper: bool) -> float:
    """Returns how close the mean of a played instance is to its bound; larger is closer. upper: the kind of bound."""
    ratio = instance.ratio if instance.ratio is not None else np.inf
    return ratio if upper else -ratio
