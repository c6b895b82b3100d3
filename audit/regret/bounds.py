"""The judge of bounds on the expectation of a quantity, a regret above all. `orderings` compares settings.

How an expectation is certified, and what could be seen: `audit.statistics.expectation`; what is measured:
`reference.bandits.quantities`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.claims.spelling import json_number, spelt
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.judges.judge_registry import Work
from dpbandits.audit.play.probes import level_table, probe
from dpbandits.audit.play.runs import side_by_side, steps_of
from dpbandits.audit.statistics.expectation import MeanLimits, mean_method, quantity_range
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.bandits.quantities import Quantity
from dpbandits.reference.claims.model import AtLeast, AtMost, Basis, Claim, Finding, Verdict

# The claim's verdict is the first of these that some instance has.
VERDICT_ORDER = (Verdict.REFUTED, Verdict.CONSISTENT, Verdict.NOT_EXERCISED, Verdict.NOT_APPLICABLE)


class Checked(NamedTuple):
    """One instance of a bound. bound None: a precondition is false. limits None: nothing had to be simulated."""

    label: str
    verdict: Verdict
    bound: float | None
    ceiling: tuple[float, float]  # the smallest and the largest expectation that any policy can have
    limits: MeanLimits | None
    resolution: str  # which runs would have refuted the bound; empty: none could
    runs: int = 0  # that were played


def judge_regret(claim: Claim, run: Run, subject: Any = None) -> Finding:
    """Judge a bound on an expectation at every instance; the instance's "environment" is played against.

    REFUTED where the quantity's certified limit passes the bound. NOT_EXERCISED where no outcome of so many runs could
    have made it, and where the bound is beyond what any policy can have: that says nothing about the claim's other
    instances, and the summary says that it holds trivially. NOT_APPLICABLE to a given subject whose runs depend on each
    other, or have randomness of their own, which runs may share: the limits are those of independent runs.
    Raises ValueError for an instance without environment.
    """
    if subject is not None and (said := probe(subject, level_table(subject), address(run.seed, claim.id, "probe"))):
        return Finding(claim.id, Verdict.NOT_APPLICABLE, f"{'; '.join(said)}.")
    return split_regret(claim, run, subject).finding()


def split_regret(claim: Claim, run: Run, subject: Any = None) -> Work[Checked]:
    """The instances of a bound, each a task. Raises ValueError for one without an environment."""
    says = claim.says
    if not isinstance(says, AtMost | AtLeast):
        raise TypeError(f"{claim.id}: judge_regret judges AtMost and AtLeast, not {type(says).__name__}")
    todo = []
    for instance in claim.params:
        if "environment" not in instance:
            raise ValueError(f'{claim.id}: instance {spelt(instance)} has no "environment" to play against')
        environment = instance["environment"]
        rest = {name: value for name, value in instance.items() if name != "environment"}
        if subject is None and claim.subject is None:
            raise ValueError(f"{claim.id}: a regret bound needs a subject; give the claim one, or the judge")
        policy = subject if subject is not None else claim.subject(**rest)  # type: ignore[misc]
        todo.append(partial(check_instance, claim, says, policy, environment, run, spelt(instance)))
    return Work(todo, lambda results: bound_finding(claim, says, results, run))


def check_instance(
    claim: Claim, says: AtMost | AtLeast, policy: Any, environment: Any, run: Run, label: str
) -> Checked:
    """One instance: as many runs as the profile affords, and certified limits of the mean held against the bound; or,
    without runs, that the bound does not apply, or holds of whatever is played. label: the instance, in words."""
    bound, quantity = says.bound(policy, environment), says.quantity
    low, high = quantity_range(quantity, policy, environment)
    upper = says.sign == "<="
    ceiling = quantity.means(policy, environment) if quantity.means is not None else (low, high)
    if bound is None:
        return Checked(label, Verdict.NOT_APPLICABLE, None, ceiling, None, "")
    bound = float(bound)
    if not np.isfinite(bound) and bound != np.inf:
        raise ValueError(f"{claim.id}, {label}: the bound is {bound}; a precondition should have excluded this")
    if (upper and bound >= ceiling[1]) or (not upper and bound <= ceiling[0]):
        return Checked(label, Verdict.NOT_EXERCISED, bound, ceiling, None, "")
    many = affordable_runs(quantity, policy, environment, run)
    runs = side_by_side((policy,), environment, many, address(run.seed, claim.id, label))[0]
    values, method = quantity.of(policy, environment, runs), mean_method(quantity)
    limits = method.limits(values, low, high, run.level)
    slack = method.slack(bound, low, high)
    refuted = limits.low > bound + slack if upper else limits.high < bound - slack
    asked = len(values), bound, low, high, run.level, upper
    could = np.isfinite(method.reach(*asked))
    held = Verdict.CONSISTENT if could else Verdict.NOT_EXERCISED
    said = method.resolution(*asked) if could else ""
    return Checked(label, Verdict.REFUTED if refuted else held, bound, ceiling, limits, said, many)


def affordable_runs(quantity: Quantity, policy: Any, environment: Any, run: Run) -> int:
    """The runs of one instance: of a quantity with two values as many as the profile's steps allow, for few runs say
    little about a probability."""
    most = run.profile.steps // run.profile.regret_runs  # steps of a run that allows no more runs
    if not quantity.two_valued or (steps := steps_of(policy, environment, most)) > most:
        return run.profile.regret_runs
    return min(run.profile.trials, run.profile.steps // steps)


def bound_finding(claim: Claim, says: AtMost | AtLeast, results: Sequence[Checked], run: Run) -> Finding:
    """The finding of all instances: REFUTED where one is, CONSISTENT where one was played and none is; its words are
    about the instance that comes nearest to its bound."""
    if not results:
        return Finding(claim.id, Verdict.UNSUPPORTED, "the claim has no instances to play")
    verdicts = {each.verdict for each in results}
    verdict = next(kind for kind in VERDICT_ORDER if kind in verdicts)
    played = [each for each in results if each.limits is not None and each.bound is not None]
    trivial = [each for each in results if each.limits is None and each.bound is not None]
    if trivial and not played:
        text = trivial_bounds_in_words(says, trivial)
    elif verdict is Verdict.NOT_APPLICABLE:
        text = "A precondition is false at every instance."
    else:
        text = nearest_bound_in_words(says, played)
        text += f" {len(trivial)} of {len(results)} instances hold trivially." if trivial else ""
    rows = [regret_row(each) for each in results]
    evidence = ({"kind": "regret", "title": f"{says.quantity} and its bound", "rows": rows},)
    decided = (Basis.SAMPLES,) if verdict in (Verdict.REFUTED, Verdict.CONSISTENT) else ()
    return Finding(claim.id, verdict, text, evidence, resolution_of_bounds(played, run), rests_on=decided)


def trivial_bounds_in_words(says: AtMost | AtLeast, trivial: Sequence[Checked]) -> str:
    """Why nothing needs to be played: no policy gets beyond the bounds."""
    bound, (least, most) = trivial[0].bound, trivial[0].ceiling
    text = "Holds trivially: " + (
        f"the bound ({bound:.4g}) is at least {most:.4g}, which no policy's expected {says.quantity} exceeds"
        if says.sign == "<="
        else f"the bound ({bound:.4g}) is at most {least:.4g}, which every policy's expected {says.quantity} reaches"
    )
    return text + (f"; so at all {len(trivial)} instances that it applies to." if len(trivial) > 1 else ".")


def nearest_bound_in_words(says: AtMost | AtLeast, played: Sequence[Checked]) -> str:
    """What the instance that comes nearest to its bound has shown."""
    upper = says.sign == "<="
    hardest = max(played, key=lambda each: tightness(each, upper))
    assert hardest.limits is not None
    assert hardest.bound is not None
    certified = f"least {hardest.limits.low:.6g}" if upper else f"most {hardest.limits.high:.6g}"
    return (
        f"{hardest.label}: mean {says.quantity} {hardest.limits.mean:.6g} over {hardest.runs} runs, certified at "
        f"{certified}, bound {hardest.bound:.6g}."
    )


def tightness(each: Checked, upper: bool) -> float:
    assert each.limits is not None
    assert each.bound is not None
    ratio = each.limits.mean / each.bound if each.bound else np.inf
    return ratio if upper else -ratio


def resolution_of_bounds(played: list[Checked], run: Run) -> str:
    parts = [
        f"{each.label}: "
        + (each.resolution or f"no outcome of {each.runs} runs could have refuted the bound {each.bound:.6g}")
        for each in played
    ]
    return f"{'; '.join(parts)} (risk {run.level:.2g} each)" if parts else ""


def regret_row(each: Checked) -> dict[str, Any]:
    limits = each.limits
    ratio = limits.mean / each.bound if limits is not None and each.bound else None
    return {
        "label": each.label,
        "mean": json_number(limits.mean if limits else None),
        "low": json_number(limits.low if limits else None),
        "high": json_number(limits.high if limits else None),
        "bound": json_number(each.bound),
        "ratio": json_number(ratio),
        "trials": each.runs,
    }
