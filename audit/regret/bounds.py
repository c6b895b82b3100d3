"""The judge of bounds on an expected regret, and what is measured of a run.

A bound is refuted only through Anderson's (1969) limits: E[X] = low + integral of P(X > x), and by the inequality of
Dvoretzky, Kiefer and Wolfowitz (with Massart's constant) the true P(X > x) lies nowhere below its estimate from n
runs minus sqrt(log(1/level)/(2n)), except with probability `level`; nor, by the same inequality, anywhere above the
estimate plus this. That takes nothing but the range of X: no normal approximation has to be believed at levels like
1e-8. `orderings` compares settings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.claims.spelling import json_number, spelt
from dpbandits.audit.effort import Run
from dpbandits.audit.play.runs import Runs, side_by_side
from dpbandits.reference.ledger import AtLeast, AtMost, Basis, Claim, Finding, Verdict
from dpbandits.reference.noise import Array, address
from dpbandits.reference.policy import Ints

ROUNDING = 1e-9  # relative; sums over 1e6 rounds err by less than 1e-12


class Limits(NamedTuple):
    """A mean, and limits that hold each with probability 1 - level."""

    mean: float
    low: float
    high: float


def allowance(n: int, level: float) -> float:
    """How far the estimate of P(X > x) from n runs may lie on one side of the truth, at any x, but for probability
    `level`. Massart's constant is proved for levels up to 1/2; beyond, and for few runs, nothing is known: 1."""
    return min(1.0, float(np.sqrt(np.log(1 / level) / (2 * n)))) if level <= 0.5 else 1.0


def anderson(values: Array, low: float, high: float, level: float) -> Limits:
    """Limits for the mean of variables with values in [low, high]. values: (n,).

    Raises ValueError for no values, and for one that is no number or lies outside of the range by more than rounding:
    the limits rest on the range.
    """
    if not len(values):
        raise ValueError("no values: at least one run is needed")
    slack = ROUNDING * max(abs(low), abs(high), 1.0)
    bad = np.flatnonzero(~((values >= low - slack) & (values <= high + slack)))
    if len(bad):
        raise ValueError(
            f"run {bad[0]} came out at {values[bad[0]]}, outside of [{low:.6g}, {high:.6g}], which no run leaves"
        )
    ordered = np.clip(np.sort(values), low, high)
    n = len(ordered)
    shift = allowance(n, level)
    share = np.arange(n, 0, -1) / n  # P(X >= ordered[i]), estimated
    widths = np.diff(np.concatenate([[low], ordered, [high]]))
    above = np.concatenate([share, [0.0]])
    least = low + float(np.maximum(0.0, above - shift) @ widths)
    most = low + float(np.minimum(1.0, above + shift) @ widths)
    return Limits(float(values.mean()), least, most)


# -- quantities --------------------------------------------------------------------------------------------------


def gaps(environment: Any) -> Array:
    means = np.asarray(environment.means, dtype=np.float64)
    return np.asarray(means.max() - means)


def weighted(pulls: Ints, environment: Any) -> Array:
    """sum_i gap_i n_i, row by row: the same pulls give the same number wherever they stand, which a matrix product
    does not promise, and which ties between settings need."""
    return np.asarray((pulls * gaps(environment)).sum(axis=1))


def pseudo_regret(policy: Any, environment: Any, runs: Runs) -> Array:
    """sum_i gap_i n_i: the regret in expected rewards."""
    return weighted(runs.pulls, environment)


def realised_regret(policy: Any, environment: Any, runs: Runs) -> Array:
    """max mean times T minus the rewards that were paid."""
    return np.asarray(max(environment.means) * runs.pulls.sum(axis=1) - runs.sums.sum(axis=1))


def prepull_regret(policy: Any, environment: Any, runs: Runs) -> Array:
    """The pseudo-regret of the pre-pulls, which is no random number: b times the sum of the gaps."""
    return weighted(np.full_like(runs.pulls, policy.prepulls), environment)


def later_regret(policy: Any, environment: Any, runs: Runs) -> Array:
    """The pseudo-regret per round after the pre-pulls."""
    rounds = policy.horizon - policy.prepulls * policy.arms
    if rounds < 1:
        raise ValueError(f"{policy}: no rounds are left after the pre-pulls")
    return np.asarray(weighted(runs.pulls - policy.prepulls, environment) / rounds)


QUANTITIES: Mapping[str, Callable[[Any, Any, Runs], Array]] = {
    "pseudo-regret": pseudo_regret,
    "regret": realised_regret,
    "regret of the pre-pulls": prepull_regret,
    "pseudo-regret per later round": later_regret,
}


def measured(name: str) -> Callable[[Any, Any, Runs], Array]:
    if name not in QUANTITIES:
        raise ValueError(f"unknown quantity {name!r}; know {', '.join(QUANTITIES)}")
    return QUANTITIES[name]


def span(name: str, policy: Any, environment: Any) -> tuple[float, float]:
    """Where the quantity must lie, whatever the policy does."""
    if name == "pseudo-regret":
        return 0.0, float(policy.horizon * gaps(environment).max())
    if name == "regret":  # rewards lie in [0, 1]
        best = max(environment.means)
        return float((best - 1) * policy.horizon), float(best * policy.horizon)
    raise ValueError(f"no range is known for {name!r}; bounds are judged for pseudo-regret and regret")


# -- bounds ------------------------------------------------------------------------------------------------------


class Checked(NamedTuple):
    """One instance of a bound. bound None: a precondition is false. limits None: nothing had to be simulated."""

    label: str
    verdict: Verdict
    bound: float | None
    ceiling: float  # the largest expectation any policy can have
    limits: Limits | None
    reach: float  # runs that all lie beyond this would have refuted the bound; inf: no runs could


def judge_regret(claim: Claim, run: Run, subject: Any = None) -> Finding:
    """Judge a bound on an expected regret at every instance; the instance's "environment" is played against.

    REFUTED where Anderson's limit passes the bound. NOT_EXERCISED where no outcome of so many runs could have made it,
    and where the bound is beyond what any policy can suffer: that says nothing about the claim's other instances, and
    the summary says that it holds trivially.
    Raises ValueError for an instance without environment.
    """
    says = claim.says
    if not isinstance(says, AtMost | AtLeast):
        raise TypeError(f"{claim.id}: judge_regret judges AtMost and AtLeast, not {type(says).__name__}")
    results = []
    for instance in claim.params:
        if "environment" not in instance:
            raise ValueError(f'{claim.id}: instance {spelt(instance)} has no "environment" to play against')
        environment = instance["environment"]
        rest = {name: value for name, value in instance.items() if name != "environment"}
        if subject is None and claim.subject is None:
            raise ValueError(f"{claim.id}: a regret bound needs a subject; give the claim one, or the judge")
        policy = subject if subject is not None else claim.subject(**rest)  # type: ignore[misc]
        results.append(checked(claim, says, policy, environment, run, spelt(instance)))
    if not results:
        return Finding(claim.id, Verdict.UNSUPPORTED, "the claim has no instances to play")
    return concluded(claim, says, results, run)


def checked(claim: Claim, says: AtMost | AtLeast, policy: Any, environment: Any, run: Run, label: str) -> Checked:
    bound = says.bound(policy, environment)
    low, high = span(says.quantity, policy, environment)
    upper = says.sign == "<="
    ceiling = float(policy.horizon * gaps(environment).max())
    if bound is None:
        return Checked(label, Verdict.NOT_APPLICABLE, None, ceiling, None, np.inf)
    bound = float(bound)
    if not np.isfinite(bound) and bound != np.inf:
        raise ValueError(f"{claim.id}, {label}: the bound is {bound}; a precondition should have excluded this")
    if (upper and bound >= ceiling) or (not upper and bound <= 0):
        return Checked(label, Verdict.NOT_EXERCISED, bound, ceiling, None, np.inf)
    runs = side_by_side((policy,), environment, run.profile.regret_runs, address(run.seed, claim.id, label))[0]
    values = measured(says.quantity)(policy, environment, runs)
    limits = anderson(values, low, high, run.level)
    slack = ROUNDING * max(abs(low), abs(high), 1.0)
    refuted = limits.low > bound + slack if upper else limits.high < bound - slack
    shift = allowance(len(values), run.level)
    reach = (low if upper else high) + (bound - (low if upper else high)) / max(1e-12, 1 - shift)
    reach = reach if shift < 1 and low <= reach <= high else np.inf
    held = Verdict.CONSISTENT if np.isfinite(reach) else Verdict.NOT_EXERCISED
    return Checked(label, Verdict.REFUTED if refuted else held, bound, ceiling, limits, reach)


def concluded(claim: Claim, says: AtMost | AtLeast, results: list[Checked], run: Run) -> Finding:
    verdicts = [each.verdict for each in results]
    order = (
        Verdict.REFUTED,
        Verdict.CONSISTENT,
        Verdict.NOT_EXERCISED,
        Verdict.NOT_APPLICABLE,
    )
    verdict = next(kind for kind in order if kind in verdicts)
    upper = says.sign == "<="
    rows = [row(each, run.profile.regret_runs) for each in results]
    played = [each for each in results if each.limits is not None and each.bound is not None]
    trivial = [each for each in results if each.limits is None and each.bound is not None]
    if trivial and not played:
        text = "Holds trivially: " + (
            f"the bound ({trivial[0].bound:.4g}) is at least T times the largest gap ({trivial[0].ceiling:.4g}), "
            "which no policy's expected regret exceeds"
            if upper
            else f"the bound ({trivial[0].bound:.4g}) is not positive"
        )
        text += f"; so at all {len(trivial)} instances that it applies to." if len(trivial) > 1 else "."
    elif verdict is Verdict.NOT_APPLICABLE:
        text = "A precondition is false at every instance."
    else:
        hardest = max(played, key=lambda each: tightness(each, upper))
        assert hardest.limits is not None
        assert hardest.bound is not None
        text = (
            f"{hardest.label}: mean {says.quantity} {hardest.limits.mean:.6g} over {run.profile.regret_runs} runs, "
            f"certified at {'least' if upper else 'most'} "
            f"{hardest.limits.low if upper else hardest.limits.high:.6g}, "
            f"bound {hardest.bound:.6g}."
        )
        text += f" {len(trivial)} of {len(results)} instances hold trivially." if trivial else ""
    evidence = ({"kind": "regret", "title": f"{says.quantity} and its bound", "rows": rows},)
    decided = (Basis.SAMPLES,) if verdict in (Verdict.REFUTED, Verdict.CONSISTENT) else ()
    return Finding(claim.id, verdict, text, evidence, resolved(played, says, run), rests_on=decided)


def tightness(each: Checked, upper: bool) -> float:
    assert each.limits is not None
    assert each.bound is not None
    ratio = each.limits.mean / each.bound if each.bound else np.inf
    return ratio if upper else -ratio


def resolved(played: list[Checked], says: AtMost | AtLeast, run: Run) -> str:
    beyond = "above" if says.sign == "<=" else "below"
    parts = [
        f"{each.label}: runs that all came out {beyond} {each.reach:.6g} would have refuted the bound {each.bound:.6g}"
        if np.isfinite(each.reach)
        else f"{each.label}: no outcome of {run.profile.regret_runs} runs could have refuted the bound {each.bound:.6g}"
        for each in played
    ]
    return f"{'; '.join(parts)} (risk {run.level:.2g} each)" if parts else ""


def row(each: Checked, runs: int) -> dict[str, Any]:
    limits = each.limits
    ratio = limits.mean / each.bound if limits is not None and each.bound else None
    return {
        "label": each.label,
        "mean": json_number(limits.mean if limits else None),
        "low": json_number(limits.low if limits else None),
        "high": json_number(limits.high if limits else None),
        "bound": json_number(each.bound),
        "ratio": json_number(ratio),
        "trials": runs if limits else 0,
    }
