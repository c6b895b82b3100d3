"""Checks printed orderings: which of two settings of an experiment has the smaller regret (or other quantity) in most
repetitions?

A figure of a paper shows averages of a few runs. Such averages do not determine expectations: the mean of a skewed
regret may depend on runs that ten repetitions never contain, so that confidence bounds for it at levels like 1e-9 need
very many runs. What can be certified exactly is the sign of a difference. One repetition plays fresh runs of every
setting, as many as the claim averages. If the opposite order came up in at most half of all repetitions, then
`critical_count(n, level)` of n repetitions would show it with probability at most `level`, by the binomial distribution
(the sign test). Ties count for neither order.

Most repetitions may go one way and the average another, where a few runs are very bad. Such a result neither confirms
nor refutes a sentence about averages, so an order is certified only if the averages over all repetitions agree with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from dpbandits.audit.judges.effort import PROFILES, Profile, Run
from dpbandits.audit.judges.judge_registry import Work
from dpbandits.audit.play.runs import RunBatch, batches, gather_runs, steps_of
from dpbandits.audit.statistics.resolution import RESOLUTION_POWER
from dpbandits.reference.bandits.environments import Environment
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.bandits.policy import Ints, Policy
from dpbandits.reference.bandits.quantities import Quantity, Runs
from dpbandits.reference.claims import text
from dpbandits.reference.claims.findings import Needs, Order, OrderFound, Setting, Side, rounded
from dpbandits.reference.claims.model import Basis, Claim, DifferenceLabel, Finding, Ordering, Verdict
from dpbandits.reference.claims.records import Item, SeriesRecord

MAX_CHEAP_STEPS = 10_000  # an experiment whose runs have at most so many steps gets more runs
CHEAP_RUN_FACTOR = 5  # namely so many times as many
TIE = 1e-12  # per round: a smaller difference is rounding

SettingsKey = tuple[tuple[str, tuple[Any, Any]], ...]  # an experiment's settings as a hashable value
BatchResult = tuple[Ints, Runs]  # the policy of each run of a batch, and the runs
RunsBySetting = dict[tuple[Policy, Environment], Runs]


def judge_ordering(claim: Claim, run: Run) -> Finding:
    """The finding about an `Ordering`: for every pair of settings, which one has the smaller quantity?

    REFUTED if the opposite order is certified for some pair: it holds strictly in more than half of all repetitions.
    CONSISTENT otherwise; the summary counts the pairs that are certified as claimed and those that stay undecided.
    NOT_EXERCISED, without playing, if a run of some setting has more steps than the profile plays, or if the
    repetitions are so few that not even a unanimous outcome would certify an order.
    Raises ValueError for a pair that names no setting, and for a quantity that is no number in some run.
    """
    runs = planned_runs(claim, run)
    if isinstance(runs, Finding):
        return runs
    says = ordering_of(claim)
    settings = tuple(says.settings.items())
    return finding_of_values(
        claim, run, quantity_values(settings, says.quantity, cached_runs(settings, runs, run.seed))
    )


def split_ordering(claim: Claim, run: Run) -> Work[BatchResult]:
    """The audit of an `Ordering` as tasks: one for each batch of the experiment's runs; none if nothing is played.
    All claims about one experiment have the same tasks."""
    runs = planned_runs(claim, run)
    if isinstance(runs, Finding):
        return Work([], lambda _, unplayed=runs: unplayed)  # type: ignore[misc]
    says = ordering_of(claim)
    settings = tuple(says.settings.items())
    groups = policies_by_environment(settings, runs, run.seed)

    def merge(results: Sequence[BatchResult]) -> Finding:
        """Returns the finding about the ordering, made from the results of all batches of runs."""
        values = quantity_values(settings, says.quantity, runs_by_setting(groups, runs, results))
        return finding_of_values(claim, run, values)

    return Work([batch.played for group in groups for batch in group.batches], merge)


def ordering_of(claim: Claim) -> Ordering:
    """Returns the claim's statement about an ordering. Raises TypeError for a statement of another kind."""
    if not isinstance(claim.says, Ordering):
        raise TypeError(
            f"{claim.id}: the statement has type {type(claim.says).__name__}, but judge_ordering checks only "
            "statements of type Ordering"
        )
    return claim.says


# -- how many runs -----------------------------------------------------------------------------------------------------


def planned_runs(claim: Claim, run: Run) -> int | Finding:
    """Returns the number of runs of every setting; or the finding NOT_EXERCISED, with the reason, if there are none."""
    says = ordering_of(claim)
    rounds = longest_horizon(says)
    most = run.profile.experiment_horizon
    steps = rounds if rounds <= most else longest_run(says, most)
    if steps > most:
        others = [each for each in PROFILES.values() if each.name != run.profile.name]
        larger = next((each.name for each in others if each.experiment_horizon >= rounds), "")
        remedy = f"; use `--profile {larger}`" if larger else ""
        return Finding(
            claim.id,
            Verdict.NOT_EXERCISED,
            f"This experiment was not run. Each run has {rounds} rounds and takes more than {most} steps, the limit of "
            f"the profile {run.profile.name!r}{remedy}.",
            needs=Needs(larger),
        )
    runs = runs_of(run.profile, steps)
    repetitions = runs // says.averaged
    if critical_count(repetitions, run.level) > repetitions:
        return Finding(
            claim.id,
            Verdict.NOT_EXERCISED,
            f"The profile {run.profile.name!r} plays {runs} runs of every setting ({repetitions} repetitions of "
            f"{text.counted(says.averaged, 'run', 'runs')} each). So few repetitions cannot certify any comparison at "
            f"error probability {run.level:.2g}, whatever their outcome.",
            needs=Needs(),
        )
    return runs


def runs_of(profile: Profile, steps: int) -> int:
    """The number of runs of each setting that the profile plays. steps: the number of steps of the longest run."""
    return profile.experiment_runs * (CHEAP_RUN_FACTOR if steps <= MAX_CHEAP_STEPS else 1)


def longest_horizon(ordering: Ordering) -> int:
    """The longest horizon of the settings, in rounds. Raises ValueError if a pair names no setting."""
    missing = {label for pair in ordering.pairs for label in pair} - set(ordering.settings)
    if missing:
        raise ValueError(
            f"pairs contains {', '.join(map(repr, sorted(missing)))}, but there is no setting with this name; add the "
            "setting, or correct pairs"
        )
    return max(int(policy.horizon) for policies, _ in ordering.settings.values() for policy in policies_of(policies))


def policies_of(setting: Any) -> tuple[Policy, ...]:
    """Returns the policies of a setting: one, or two if the setting is the difference between them."""
    return setting if isinstance(setting, tuple) else (setting,)


cached_steps_of = lru_cache(maxsize=256)(steps_of)  # several claims are about one experiment


def longest_run(ordering: Ordering, max_steps: int) -> int:
    """Returns the number of steps of the longest run in any setting; `max_steps` + 1 if it exceeds `max_steps`."""
    steps = 0
    for policies, environment in ordering.settings.values():
        for policy in policies_of(policies):
            own = cached_steps_of(policy, environment, max_steps) if policy.horizon > max_steps else policy.horizon  # type: ignore[arg-type]
            steps = max(steps, own)
            if steps > max_steps:
                return steps
    return steps


# -- the experiment ----------------------------------------------------------------------------------------------------


class PolicyGroup(NamedTuple):
    """The policies that are played side by side in one environment, and the batches of their runs."""

    environment: Environment
    policies: tuple[Policy, ...]
    batches: list[RunBatch]


def policies_by_environment(settings: SettingsKey, runs: int, seed: int) -> list[PolicyGroup]:
    """Returns, for each environment, the policies that are played in it, and the batches of their runs.
    Each policy of the settings occurs once in its environment."""
    chosen: dict[Environment, dict[Policy, None]] = {}
    for _, (policies, environment) in settings:
        chosen.setdefault(environment, {}).update(dict.fromkeys(policies_of(policies)))
    return [
        PolicyGroup(
            environment, (many := tuple(policies)), batches(many, environment, runs, address(seed, "experiment", k))
        )
        for k, (environment, policies) in enumerate(chosen.items())
    ]


def runs_by_setting(groups: Sequence[PolicyGroup], runs: int, results: Iterable[BatchResult]) -> RunsBySetting:
    """Puts the runs of every policy together, in order, from the results of all batches of its environment."""
    rest, found = iter(results), RunsBySetting()
    for group in groups:
        played = gather_runs(group.policies, [next(rest) for _ in group.batches], runs)
        found |= {(policy, group.environment): each for policy, each in zip(group.policies, played, strict=True)}
    return found


@lru_cache(maxsize=8)
def cached_runs(settings: SettingsKey, runs: int, seed: int) -> RunsBySetting:
    """Plays the runs of an experiment, or returns the stored runs if it was played before in this process.
    They depend only on the arguments, so several claims about one experiment share them."""
    groups = policies_by_environment(settings, runs, seed)
    return runs_by_setting(groups, runs, (batch.played() for group in groups for batch in group.batches))


def quantity_values(settings: SettingsKey, quantity: Quantity, played: RunsBySetting) -> dict[str, Array]:
    """Returns the quantity in every run of every setting, (runs,) each, by the setting's label.

    A setting of two policies has the difference, first minus second. Entry i of all settings belongs to repetition i;
    repetitions are independent.
    """
    found = dict[str, Array]()
    for label, (policies, environment) in settings:
        first, *second = (quantity.of(each, environment, played[each, environment]) for each in policies_of(policies))
        found[label] = first - second[0] if second else first
    return found


# -- the sign test -----------------------------------------------------------------------------------------------------


class Comparison(NamedTuple):
    """The result for one pair: the numbers of repetitions in which the order was as claimed, reversed, or a tie.
    difference: the average of larger minus smaller over all repetitions."""

    smaller: str
    larger: str
    as_claimed: int
    reversed: int
    tied: int
    difference: float

    def certified(self, needed: int) -> str:
        """The certified order, if an order needs at least `needed` repetitions in its favour.
        One of the words of `claims.text`."""
        if self.as_claimed >= needed and self.difference > 0:
            return text.AS_CLAIMED
        return text.REVERSED if self.reversed >= needed and self.difference < 0 else text.UNDECIDED


def compare(smaller: str, larger: str, means: Mapping[str, Array], tie: float) -> Comparison:
    """Counts the repetitions in which each of two settings has the larger mean, and the ties.
    The last result is the mean difference. means: by label, (repetitions,). tie: the largest difference that is a
    tie."""
    differences = means[larger] - means[smaller]
    as_claimed, opposite = int((differences > tie).sum()), int((differences < -tie).sum())
    tied = len(differences) - as_claimed - opposite
    return Comparison(smaller, larger, as_claimed, opposite, tied, float(differences.mean()))


@lru_cache(maxsize=64)
def critical_count(n: int, level: float) -> int:
    """The smallest k with P(Binomial(n, 1/2) >= k) <= level, in exact arithmetic; n + 1 if there is none."""
    allowed, tail, count = Fraction(level) * 2**n, 0, n + 1
    while count > 1 and tail + comb(n, count - 1) <= allowed:
        count -= 1
        tail += comb(n, count)
    return count


def detectable_share(needed: int, n: int) -> float:
    """The p with P(Binomial(n, p) >= needed) = RESOLUTION_POWER.
    An order that holds in this fraction of all repetitions is certified with this probability."""
    return float(special.betaincinv(needed, n - needed + 1, RESOLUTION_POWER))


def repetition_means(values: Array, averaged: int, label: str) -> Array:
    """The mean of each group of `averaged` consecutive runs, (repetitions,); runs that are left over are dropped.
    Raises ValueError if a value is not finite."""
    if not np.isfinite(values).all():
        raise ValueError(
            f"setting {label!r}: a run has the result {values[~np.isfinite(values)][0]}; results must be finite"
        )
    repetitions = len(values) // averaged
    return np.asarray(values[: repetitions * averaged].reshape(repetitions, averaged).mean(axis=1))


# -- the finding -------------------------------------------------------------------------------------------------------


def finding_of_values(claim: Claim, run: Run, values: Mapping[str, Array]) -> Finding:
    """The finding about the quantity's values in the runs of each setting, (runs,) by label."""
    says = ordering_of(claim)
    means = {label: repetition_means(values[label], says.averaged, label) for pair in says.pairs for label in pair}
    compared = [compare(smaller, larger, means, TIE * longest_horizon(says)) for smaller, larger in says.pairs]
    repetitions = len(next(iter(means.values())))
    needed = critical_count(repetitions, run.level)
    body = OrderFound(
        str(says.quantity),
        says.averaged,
        repetitions,
        needed,
        rounded(run.level, Side.ABOVE),
        rounded(detectable_share(needed, repetitions), Side.ABOVE),
        RESOLUTION_POWER,
        tuple(
            Setting(
                label,
                rounded(float(of.mean()), Side.NEAREST),
                rounded(float(of.std(ddof=1)), Side.NEAREST),
                len(of),
                text.label_parts(label),
                isinstance(label, DifferenceLabel),
            )
            for label, of in means.items()
        ),
        tuple(
            Order(*each[:5], rounded(float(each.difference), Side.NEAREST), each.certified(needed)) for each in compared
        ),
        says.figure,
    )
    refuted = any(each.certified(needed) == text.REVERSED for each in compared)
    verdict = Verdict.REFUTED if refuted else Verdict.CONSISTENT
    return text.finding_of(claim.id, verdict, body, spread_picture(says.quantity, means), (Basis.SAMPLES,))


MAX_DRAWN_SETTINGS = 10  # the curves of more settings cannot be told apart in a picture
SPREAD_POINTS = 21  # points of a curve
LOG_AXIS_RATIO = 20.0  # ratio of the largest to the smallest value above which the axis is logarithmic


def spread_picture(quantity: Quantity, means: Mapping[str, Array]) -> tuple[Item, ...]:
    """The empirical distribution function of every setting's repetitions, as an item of evidence.
    () for more than MAX_DRAWN_SETTINGS settings."""
    every = np.concatenate(list(means.values()))
    if len(means) > MAX_DRAWN_SETTINGS:
        return ()
    shares = np.linspace(0, 1, SPREAD_POINTS)
    series: list[SeriesRecord] = [
        {
            "label": text.printed_label(label),
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
