"""The judges of regret: bounds on an expectation, and which of two settings has the smaller mean.

A bound is refuted only through Anderson's (1969) limits: E[X] = low + integral of P(X > x), and by the inequality of
Dvoretzky, Kiefer and Wolfowitz (with Massart's constant) the true P(X > x) lies nowhere below its estimate from n
runs minus sqrt(log(1/level)/(2n)), except with probability `level`. This needs nothing but the range of X: no normal
approximation has to be believed at levels like 1e-8.

Orderings compare means of experiments that the paper ran ten times. Their limits are Student's, with Welch's
degrees of freedom: a run's regret is a sum over very many rounds, close to normal, and the level only widens it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from dpbandits.audit.privacy import json_number, spelt
from dpbandits.audit.profile import Run
from dpbandits.audit.runs import Runs, side_by_side
from dpbandits.reference.ledger import AtLeast, AtMost, Claim, Finding, Ordering, Verdict
from dpbandits.reference.noise import Array, address


class Limits(NamedTuple):
    """A mean, and limits that hold each with probability 1 - level."""

    mean: float
    low: float
    high: float


def anderson(values: Array, low: float, high: float, level: float) -> Limits:
    """Limits for the mean of variables with values in [low, high]. values: (n,)."""
    ordered = np.clip(np.sort(values), low, high)
    n = len(ordered)
    shift = min(1.0, float(np.sqrt(np.log(1 / level) / (2 * n)))) if level < 0.5 else 1.0
    share = np.arange(n, 0, -1) / n  # P(X >= ordered[i]), estimated
    gaps = np.diff(np.concatenate([[low], ordered, [high]]))
    above = np.concatenate([share, [0.0]])
    least = low + float(np.maximum(0.0, above - shift) @ gaps)
    most = low + float(np.minimum(1.0, above + shift) @ gaps)
    return Limits(float(values.mean()), least, most)


# -- quantities --------------------------------------------------------------------------------------------------


def gaps(environment: Any) -> Array:
    means = np.asarray(environment.means, dtype=np.float64)
    return np.asarray(means.max() - means)


def pseudo_regret(policy: Any, environment: Any, runs: Runs) -> Array:
    """sum_i gap_i n_i: the regret in expected rewards."""
    return np.asarray(runs.pulls @ gaps(environment))


def realised_regret(policy: Any, environment: Any, runs: Runs) -> Array:
    """max mean times T minus the rewards that were paid."""
    return np.asarray(max(environment.means) * runs.pulls.sum(axis=1) - runs.sums.sum(axis=1))


def prepull_regret(policy: Any, environment: Any, runs: Runs) -> Array:
    """The pseudo-regret of the pre-pulls, which is no random number: b times the sum of the gaps."""
    return np.full(len(runs.pulls), policy.prepulls * gaps(environment).sum())


def later_regret(policy: Any, environment: Any, runs: Runs) -> Array:
    """The pseudo-regret per round after the pre-pulls."""
    rounds = policy.horizon - policy.prepulls * policy.arms
    if rounds < 1:
        raise ValueError(f"{policy}: no rounds are left after the pre-pulls")
    total = pseudo_regret(policy, environment, runs)
    return np.asarray((total - prepull_regret(policy, environment, runs)) / rounds)


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

    A bound beyond what any policy can suffer holds trivially: PROVED, and the summary says so. REFUTED where
    Anderson's limit passes the bound, NOT_EXERCISED where no outcome of so many runs could have made it.
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
    return concluded(claim, results, run)


def checked(claim: Claim, says: AtMost | AtLeast, policy: Any, environment: Any, run: Run, label: str) -> Checked:
    bound = says.bound(policy, environment)
    low, high = span(says.quantity, policy, environment)
    upper = isinstance(says, AtMost)
    ceiling = float(policy.horizon * gaps(environment).max())
    if bound is None:
        return Checked(label, Verdict.NOT_APPLICABLE, None, ceiling, None, np.inf)
    bound = float(bound)
    if not np.isfinite(bound) and bound != np.inf:
        raise ValueError(f"{claim.id}, {label}: the bound is {bound}; a precondition should have excluded this")
    if (upper and bound >= ceiling) or (not upper and bound <= 0):
        return Checked(label, Verdict.PROVED, bound, ceiling, None, np.inf)
    runs = side_by_side((policy,), environment, run.profile.regret_runs, address(run.seed, claim.id, label))[0]
    values = measured(says.quantity)(policy, environment, runs)
    limits = anderson(values, low, high, run.level)
    refuted = limits.low > bound if upper else limits.high < bound
    shift = float(np.sqrt(np.log(1 / run.level) / (2 * len(values))))
    reach = (low if upper else high) + (bound - (low if upper else high)) / max(1e-12, 1 - shift)
    reach = reach if shift < 1 and low <= reach <= high else np.inf
    held = Verdict.CONSISTENT if np.isfinite(reach) else Verdict.NOT_EXERCISED
    return Checked(label, Verdict.REFUTED if refuted else held, bound, ceiling, limits, reach)


def concluded(claim: Claim, results: list[Checked], run: Run) -> Finding:
    verdicts = [each.verdict for each in results]
    order = (
        Verdict.REFUTED,
        Verdict.CONSISTENT,
        Verdict.NOT_EXERCISED,
        Verdict.PROVED,
        Verdict.NOT_APPLICABLE,
    )
    verdict = next(kind for kind in order if kind in verdicts)
    says = claim.says
    assert isinstance(says, AtMost | AtLeast)
    rows = [row(each, run.profile.regret_runs) for each in results]
    played = [each for each in results if each.limits is not None and each.bound is not None]
    if verdict is Verdict.PROVED:
        text = "Holds trivially: " + (
            f"the bound ({results[0].bound:.4g}) is at least T times the largest gap ({results[0].ceiling:.4g}), "
            "which no policy's expected regret exceeds"
            if isinstance(says, AtMost)
            else f"the bound ({results[0].bound:.4g}) is not positive"
        )
        text += f"; so at all {len(results)} instances." if len(results) > 1 else "."
    elif verdict is Verdict.NOT_APPLICABLE:
        text = "A precondition is false at every instance."
    else:
        hardest = max(played, key=lambda each: tightness(each, isinstance(says, AtMost)))
        assert hardest.limits is not None
        assert hardest.bound is not None
        trivial = verdicts.count(Verdict.PROVED)
        text = (
            f"{hardest.label}: mean {says.quantity} {hardest.limits.mean:.6g} over {run.profile.regret_runs} runs, "
            f"certified at {'least' if isinstance(says, AtMost) else 'most'} "
            f"{hardest.limits.low if isinstance(says, AtMost) else hardest.limits.high:.6g}, "
            f"bound {hardest.bound:.6g}."
        )
        text += f" {trivial} of {len(results)} instances hold trivially." if trivial else ""
    evidence = ({"kind": "regret", "title": f"{says.quantity} and its bound", "rows": rows},)
    return Finding(claim.id, verdict, text, evidence, resolved(played, says, run))


def tightness(each: Checked, upper: bool) -> float:
    assert each.limits is not None
    assert each.bound is not None
    ratio = each.limits.mean / each.bound if each.bound else np.inf
    return ratio if upper else -ratio


def resolved(played: list[Checked], says: AtMost | AtLeast, run: Run) -> str:
    beyond = "above" if isinstance(says, AtMost) else "below"
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


# -- orderings ---------------------------------------------------------------------------------------------------


def judge_ordering(claim: Claim, run: Run) -> Finding:
    """Judge which of two settings has the smaller mean, for every pair of the claim.

    REFUTED where the opposite order is certified for some pair. CONSISTENT otherwise; the summary says how many
    pairs are confirmed (certified as claimed) and how many are undecided. The resolution is each pair's half width.
    NOT_EXERCISED where a setting's horizon is longer than the profile plays.
    """
    says = claim.says
    if not isinstance(says, Ordering):
        raise TypeError(f"{claim.id}: judge_ordering judges Ordering, not {type(says).__name__}")
    longest = max(horizon(policy) for policy, _ in says.settings.values())
    if longest > run.profile.experiment_horizon:
        return Finding(
            claim.id,
            Verdict.NOT_EXERCISED,
            f"The experiment plays {longest} rounds; the profile {run.profile.name!r} plays experiments of at most "
            f"{run.profile.experiment_horizon}.",
        )
    values = experiment(tuple(says.settings.items()), says.quantity, run.profile.experiment_runs, run.seed)
    compared = [compare(smaller, larger, values, run.level) for smaller, larger in says.pairs]
    wrong = [each for each in compared if each.difference.high < 0]
    right = [each for each in compared if each.difference.low > 0]
    verdict = Verdict.REFUTED if wrong else Verdict.CONSISTENT
    open_ = len(compared) - len(wrong) - len(right)
    runs = run.profile.experiment_runs
    text = (
        f"Of {len(compared)} comparisons of mean {says.quantity} over {runs} runs each, {len(right)} are certified as "
        f"claimed, {len(wrong)} the other way round, {open_} stay undecided."
    )
    if wrong:
        worst = min(wrong, key=lambda each: each.difference.high)
        text += f" {worst.smaller} exceeds {worst.larger} by {-worst.difference.mean:.5g}."
    width = max(each.difference.mean - each.difference.low for each in compared)
    resolution = (
        f"an opposite difference of more than {2 * width:.4g} in {says.quantity} would have been certified for every "
        f"pair (risk {run.level:.2g} each, Student's limits)"
    )
    return Finding(claim.id, verdict, text, ordering_evidence(says, compared, values), resolution)


def horizon(policy: Any) -> int:
    """The horizon of a setting; a pair of policies stands for a difference."""
    return max(horizon(each) for each in policy) if isinstance(policy, tuple) else int(policy.horizon)


class Compared(NamedTuple):
    """larger minus smaller: positive as claimed."""

    smaller: str
    larger: str
    difference: Limits


def compare(smaller: str, larger: str, values: Mapping[str, Array], level: float) -> Compared:
    return Compared(smaller, larger, welch(values[larger], values[smaller], level))


def welch(one: Array, other: Array, level: float) -> Limits:
    """Limits for the difference of means, each side at level/2. Two numbers without variance compare exactly."""
    parts = [float(side.var(ddof=1)) / len(side) for side in (one, other)]
    mean, error = float(one.mean() - other.mean()), float(np.sqrt(sum(parts)))
    if error <= 1e-12 * max(abs(mean), 1.0):  # no variance but that of rounding
        return Limits(mean, mean, mean)
    freedom = sum(parts) ** 2 / sum(p * p / (len(side) - 1) for p, side in zip(parts, (one, other), strict=True))
    width = float(stats.t.isf(level / 2, freedom)) * error
    return Limits(mean, mean - width, mean + width)


def ordering_evidence(
    says: Ordering, compared: list[Compared], values: Mapping[str, Array]
) -> tuple[dict[str, Any], ...]:
    used = list(dict.fromkeys(label for each in compared for label in (each.smaller, each.larger)))
    spread = {label: float(values[label].std(ddof=1)) for label in used}
    settings = [[label, float(values[label].mean()), spread[label], len(values[label])] for label in used]
    pairs = [
        [each.smaller, each.larger, each.difference.mean, each.difference.low, each.difference.high]
        for each in compared
    ]
    return (
        {
            "kind": "table",
            "title": f"Mean {says.quantity} of every setting",
            "columns": ["setting", "mean", "standard deviation of one run", "runs"],
            "rows": settings,
        },
        {
            "kind": "table",
            "title": "Every comparison: larger minus smaller, as claimed",
            "columns": ["claimed smaller", "claimed larger", "difference", "at least", "at most"],
            "rows": pairs,
        },
    )


@lru_cache(maxsize=64)
def experiment(
    settings: tuple[tuple[str, tuple[Any, Any]], ...], quantity: str, runs: int, seed: int
) -> dict[str, Array]:
    """The quantity in every run of every setting, by label: a pure function of its arguments, remembered because
    several claims speak of one experiment. A setting whose policy is a pair of policies stands for the difference
    (first minus second)."""
    found: dict[str, Array] = {}
    played = played_settings(settings, runs, seed)
    of = measured(quantity)
    for label, (policy, environment) in settings:
        if isinstance(policy, tuple):
            one, other = (of(each, environment, played[each, environment]) for each in policy)
            found[label] = one - other
        else:
            found[label] = of(policy, environment, played[policy, environment])
    return found


@lru_cache(maxsize=8)
def played_settings(
    settings: tuple[tuple[str, tuple[Any, Any]], ...], runs: int, seed: int
) -> dict[tuple[Any, Any], Runs]:
    """The runs of every (policy, environment) in the settings; those of one environment are played side by side."""
    by_environment: dict[Any, list[Any]] = {}
    for _, (policy, environment) in settings:
        chosen = by_environment.setdefault(environment, [])
        chosen += [each for each in (policy if isinstance(policy, tuple) else (policy,)) if each not in chosen]
    out: dict[tuple[Any, Any], Runs] = {}
    for number, (environment, policies) in enumerate(by_environment.items()):
        played = side_by_side(tuple(policies), environment, runs, address(seed, "experiment", number))
        out |= {(policy, environment): each for policy, each in zip(policies, played, strict=True)}
    return out
