"""The judge of orderings: which of two settings comes out smaller in most repetitions of an experiment.

A figure shows averages of a few runs, and no expectation: the mean of a skewed regret can hang on runs that ten
repetitions never see, so that no limits for it hold at levels like 1e-9 without very many runs. What can be certified
exactly is how a repetition comes out. One repetition plays fresh runs of every setting (as many as the claim averages),
and the sign of the difference is a coin whose bias is asked for: if the opposite order came up in at most half of all
repetitions, then `critical_count(n, level)` of n would show it with probability at most `level`. This is the binomial
distribution and nothing else. Ties count for neither order.

Most repetitions may go one way and the average another, where a few runs are very bad. A sentence about averages is
then neither confirmed nor refuted by what most repetitions do: an order is certified only where the averages over all
repetitions agree with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dpbandits.audit.judges.effort import PROFILES, Profile, Run
from dpbandits.audit.judges.kinds import Work
from dpbandits.audit.play.runs import steps_of
from dpbandits.audit.regret.experiments import BatchRuns, experiment, gathered_runs, tables_of, values_of
from dpbandits.audit.regret.sign_test import Compared, averages, compare, confirmed, critical_count, found_at, opposed
from dpbandits.audit.statistics.resolution import RESOLUTION_POWER
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.quantities import Quantity
from dpbandits.reference.claims import text
from dpbandits.reference.claims.findings import Needs, Order, OrderFound, Setting, Side, rounded
from dpbandits.reference.claims.model import Basis, Claim, Finding, Ordering, Verdict

MAX_CHEAP_STEPS = 10_000  # up to so many steps there are more runs, because they cost little
CHEAP_RUN_FACTOR = 5  # so many times more
TIE = 1e-12  # a difference of less, per round, is rounding


def judge_ordering(claim: Claim, run: Run) -> Finding:
    """Judge for every pair of the claim which setting has the smaller quantity in most repetitions.

    REFUTED where the opposite order is certified for some pair: strictly the other way round in more than half of all
    repetitions. CONSISTENT otherwise; the summary says how many pairs are certified as claimed and how many stay
    undecided. NOT_EXERCISED, and nothing is played, where a setting's run has more steps than the profile plays, or
    where its runs make so few repetitions that not even a unanimous outcome would be certified.
    Raises ValueError for a pair whose label is no setting, and a value that is no number.
    """
    says, runs = ordering_of(claim), runs_played(claim, run)
    if isinstance(runs, Finding):
        return runs
    return compared_values(claim, run, experiment(tuple(says.settings.items()), says.quantity, runs, run.seed))


def split_ordering(claim: Claim, run: Run) -> Work[BatchRuns]:
    """The batches of the experiment's runs, each a task; none where nothing is played. Claims about one experiment have
    the same tasks."""
    says, runs = ordering_of(claim), runs_played(claim, run)
    if isinstance(runs, Finding):
        unplayed = runs
        return Work([], lambda _: unplayed)
    settings = tuple(says.settings.items())
    tables = tables_of(settings, runs, run.seed)

    def merge(parts: Sequence[BatchRuns]) -> Finding:
        return compared_values(claim, run, values_of(settings, says.quantity, gathered_runs(tables, runs, parts)))

    return Work([batch.played for table in tables for batch in table.batches], merge)


def ordering_of(claim: Claim) -> Ordering:
    """What the claim says. Raises TypeError for another kind of statement."""
    if not isinstance(claim.says, Ordering):
        raise TypeError(f"{claim.id}: judge_ordering judges Ordering, not {type(claim.says).__name__}")
    return claim.says


def runs_played(claim: Claim, run: Run) -> int | Finding:
    """How many runs of every setting are played; the finding where none are."""
    says = ordering_of(claim)
    rounds = longest(says)
    most = run.profile.experiment_horizon
    steps = rounds if rounds <= most else longest_run(says, most)
    if steps > most:
        others = [each for each in PROFILES.values() if each.name != run.profile.name]
        larger = next((each.name for each in others if each.experiment_horizon >= rounds), "")
        remedy = f"; --profile {larger} does" if larger else ""
        return Finding(
            claim.id,
            Verdict.NOT_EXERCISED,
            f"A run of the experiment, {rounds} rounds, takes more than {most} steps; the profile "
            f"{run.profile.name!r} plays no longer ones{remedy}.",
            needs=Needs(larger),
        )
    runs = runs_of(run.profile, steps)
    repetitions = runs // says.averaged
    if critical_count(repetitions, run.level) > repetitions:
        return Finding(
            claim.id,
            Verdict.NOT_EXERCISED,
            f"The profile {run.profile.name!r} plays {runs} runs of every setting, {repetitions} repetitions of "
            f"{says.averaged}: too few for any outcome to certify an order at a risk of {run.level:.2g}.",
            needs=Needs(),
        )
    return runs


def compared_values(claim: Claim, run: Run, values: Mapping[str, Array]) -> Finding:
    """The finding about the values of all settings, by label."""
    says = ordering_of(claim)
    repetitions = len(next(iter(values.values()))) // says.averaged
    means = {label: averages(values[label], says.averaged, label) for pair in says.pairs for label in pair}
    tie = TIE * longest(says)
    compared = [compare(smaller, larger, means, tie) for smaller, larger in says.pairs]
    return ordering_finding(claim.id, says, compared, means, critical_count(repetitions, run.level), run)


def longest(says: Ordering) -> int:
    """The longest horizon of the settings. ValueError where a pair names no setting."""
    missing = {label for pair in says.pairs for label in pair} - set(says.settings)
    if missing:
        raise ValueError(
            f"pairs name {', '.join(map(repr, sorted(missing)))}, which are no settings: add or rename them"
        )
    return max(horizon(policy) for policy, _ in says.settings.values())


def horizon(policy: Any) -> int:
    """The horizon of a setting; a pair of policies stands for a difference."""
    return max(horizon(each) for each in policy) if isinstance(policy, tuple) else int(policy.horizon)


steps_known = lru_cache(maxsize=256)(steps_of)  # several claims speak of one experiment, whose settings have a hash


def longest_run(says: Ordering, most: int) -> int:
    """The most steps that a run of a setting takes; most + 1 where one takes more than `most`."""
    steps = 0
    for policies, environment in says.settings.values():
        for policy in policies if isinstance(policies, tuple) else (policies,):
            long = policy.horizon > most
            steps = max(steps, steps_known(policy, environment, most) if long else policy.horizon)
            if steps > most:
                return steps
    return steps


def runs_of(profile: Profile, steps: int) -> int:
    """How many runs of each setting of an experiment the profile plays."""
    return profile.experiment_runs * (CHEAP_RUN_FACTOR if steps <= MAX_CHEAP_STEPS else 1)


# -- the finding -------------------------------------------------------------------------------------------------


def ordering_finding(
    claim: str, says: Ordering, compared: list[Compared], means: Mapping[str, Array], needed: int, run: Run
) -> Finding:
    """The finding of all comparisons. needed: repetitions that certify an order."""
    n = len(next(iter(means.values())))
    near = Side.NEAREST
    body = OrderFound(
        str(says.quantity),
        says.averaged,
        n,
        needed,
        rounded(run.level, Side.ABOVE),
        rounded(found_at(needed, n), Side.ABOVE),
        RESOLUTION_POWER,
        tuple(
            Setting(label, rounded(float(of.mean()), near), rounded(float(of.std(ddof=1)), near), len(of))
            for label, of in means.items()
        ),
        tuple(
            Order(*each[:5], rounded(float(each.difference), near), certified_order(each, needed)) for each in compared
        ),
    )
    verdict = Verdict.REFUTED if any(opposed(each, needed) for each in compared) else Verdict.CONSISTENT
    evidence = (*text.order_tables(body), *spread_picture(says.quantity, means))
    summary, resolution = text.order_summary(body), text.order_resolution(body)
    return Finding(claim, verdict, summary, evidence, resolution, rests_on=(Basis.SAMPLES,), body=body)


def certified_order(each: Compared, needed: int) -> str:
    """What so many repetitions certify of a comparison."""
    if confirmed(each, needed):
        return text.AS_CLAIMED
    return text.REVERSED if opposed(each, needed) else text.UNDECIDED


MAX_DRAWN_SETTINGS = 10  # settings: with more of them nobody tells the curves of a picture apart
SPREAD_POINTS = 21  # of a curve
LOG_AXIS_RATIO = 20.0  # from so large a ratio of values on, the axis is logarithmic


def spread_picture(quantity: Quantity, means: Mapping[str, Array]) -> tuple[dict[str, Any], ...]:
    """The picture of how the repetitions came out; none for many settings."""
    every = np.concatenate(list(means.values()))
    if len(means) > MAX_DRAWN_SETTINGS:
        return ()
    shares = np.linspace(0, 1, SPREAD_POINTS)
    series = [
        {
            "label": label,
            "points": np.column_stack([np.quantile(of, shares), shares]).tolist(),
            "style": "other",
        }
        for label, of in means.items()
    ]
    low, high = float(every.min()), float(every.max())
    return (
        {
            "kind": "lines",
            "title": f"How the repetitions came out: the share of them whose {quantity} is at most this",
            "x": str(quantity),
            "y": "share of the repetitions",
            "log_x": low > 0 and high > LOG_AXIS_RATIO * low,
            "log_y": False,
            "series": series,
        },
    )
