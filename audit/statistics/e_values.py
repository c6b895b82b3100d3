"""E-values of releases against a law: evidence that needs no approximation and no correction for multiple tests.

If a policy follows the reference's law, the next releases of runs with the same past are independent draws from this
law. So, for every set of (run, step) pairs whose membership depends only on the past, every arm and every number s, the
product over the set of

    exp(s [this arm was pulled]) / (1 + p (exp(s) - 1)),        p the reference's probability of pulling this arm,

has expectation one: an e-value. A mean of e-values is also an e-value, whatever their dependence; by Markov's
inequality it exceeds 1/level with probability at most `level`. The weights of the mean are fixed beforehand: those of
e-values of a single step before this step's releases, by the horizon and by the possible next releases (`log_weights`),
so that they add up to at most one whatever the number of steps; all others before the first release.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp, ndtri

from dpbandits.audit.statistics.along import ReferenceStep, left_to_chance
from dpbandits.audit.statistics.resolution import RESOLUTION_POWER
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints
from dpbandits.reference.claims.findings import CheckFound, Side, nearest, stored, table_item
from dpbandits.reference.claims.model import Finding, Verdict
from dpbandits.reference.claims.records import Table

TILTS = np.array([s * sign for s in (0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 8.0) for sign in (1, -1)])  # s
CHANCE_BINS = 10  # of the reference's probability, in the check that odds are what they should be
MAX_EVIDENCE_ROWS = 8  # rows of evidence
GROUPINGS_OVER_STATES = 4  # as `groups_over_states` makes them: by step, all steps, by the last arm, by chance
GROUPINGS = GROUPINGS_OVER_STATES + 2  # and by state, and those of `pasts`
MAX_FACTORS_AT_ONCE = 1 << 22  # factors that are held at once
FIRST_LOOK_SIZE = 64
StepWeights = Callable[[Sequence[ReferenceStep]], Array]  # the logarithms of the steps' weights, (steps,)


class EvidenceGroup(NamedTuple):
    """Sets of (run, step) pairs, each compared with the law for every arm; they share a weight. n sets."""

    name: Callable[[int], str]  # what the pairs of set k have in common
    visits: Array  # (n,): how many pairs
    released: Array  # (n, arms): how often they released the arm
    due: Array  # (n, arms): how often they should have
    log_evidence: Array  # (n, arms): log of the mean e-value over TILTS
    log_most: Array  # (n, arms): the same, had all pairs that are left to chance released the arm, or none of them
    log_weight: float  # of every one of these e-values in the mean of all, known before the releases


class StackedPasts(NamedTuple):
    """The pasts of all steps, concatenated, M of them."""

    step: Ints  # (M,): which of the steps, from 0
    last: Ints  # (M,): the last arm, -1 before the first pull
    visits: Array  # (M,)
    released: Array  # (M, arms)
    law: Array  # (M, arms)
    slack: Array  # (M,)

    def part(self, rows: slice) -> StackedPasts:
        """Returns the rows of the table that the slice `rows` selects."""
        return StackedPasts(*(values[rows] for values in self))  # type: ignore[arg-type]  # in the order of the fields


def doubling_looks(total: int) -> list[int]:
    """The sample sizes after which a test that may stop early looks at its evidence.
    FIRST_LOOK_SIZE, twice as many, and so on below `total`, and `total` itself."""
    sizes = [FIRST_LOOK_SIZE * 2**k for k in range(total.bit_length()) if FIRST_LOOK_SIZE * 2**k < total]
    return [*sizes, total]


def first_decided(total: int, unit: str, finding_from: Callable[[int], Finding]) -> Finding:
    """Tests growing numbers of observations; returns the first finding that decides, otherwise the last one.
    A finding decides if it is REFUTED or NOT_APPLICABLE. finding_from: makes the finding from the first so many
    observations. unit: the observations, in words."""
    for many in doubling_looks(total):
        finding = finding_from(many)
        if finding.verdict in (Verdict.REFUTED, Verdict.NOT_APPLICABLE):
            break
    return replace(finding, summary=f"stopped after {many} of {total} {unit}: {finding.summary}")


def stack_pasts(steps: Sequence[ReferenceStep]) -> StackedPasts:
    """The histories of all steps in one table; each row states to which step it belongs."""
    heights = [len(step.visits) for step in steps]
    step, slack = np.repeat(np.arange(len(steps)), heights), np.repeat([step.slack for step in steps], heights)
    last, visits, released, law = (
        np.concatenate([getattr(each, name) for each in steps]) for name in ("last", "visits", "released", "law")
    )
    return StackedPasts(step, last, visits.astype(np.float64), released.astype(np.float64), law, slack)


def evidence_groups(steps: Sequence[ReferenceStep], name: str, log_share: float) -> list[EvidenceGroup]:
    """Returns the evidence from all steps in one environment, as groups with total weight at most exp(log_share)."""
    share = log_share - np.log(GROUPINGS)
    groups = []
    for step, weight in zip(steps, log_weights(steps), strict=True):
        past = [f"{name}: step {step.t}{f', after{p}' if p else ''}" for p in step.past]
        each = np.arange(len(step.visits))
        groups += groups_by_label(stack_pasts([step]), [(each, past.__getitem__, len(past))], share + float(weight))
    return groups + groups_over_states(steps, name, share)


def log_weights(steps: Sequence[ReferenceStep]) -> Array:
    """Returns the logarithms of the steps' weights, (steps,).
    Each is known before the step's release, and together the weights are at most 1 whatever is released. While every
    run makes one pull in each step, all steps have the same weight, for as many steps as the horizon allows. From the
    first step on in which a run may make another number of pulls, the remaining weight is divided again: half of it
    equally among as many steps as there are pulls left, half of it as 1/(k (k + 1)) for the k-th of them, because there
    may be few steps."""
    whole = steps[0].left
    weights = np.full(len(steps), 1 / whole)
    first = next((number for number, step in enumerate(steps) if not step.even), len(steps))
    if first < len(steps):
        left, k = steps[first].left, np.arange(1.0, len(steps) - first + 1)
        weights[first:] = (1 - first / whole) * ((k <= left) / left + 1 / (k * (k + 1))) / 2
    return np.asarray(np.log(weights))


def log_weights_of_growing(steps: Sequence[ReferenceStep]) -> Array:
    """Returns the logarithms of weights that are known before any run, (steps,), together at most 1.
    Half equally among all possible pulls of a run, half as 1/(k (k + 1)) for the k-th step, because there may be few
    steps."""
    most, k = steps[0].left, np.arange(1.0, len(steps) + 1)
    return np.asarray(np.log(((k <= most) / most + 1 / (k * (k + 1))) / 2))


def groups_over_states(
    steps: Sequence[ReferenceStep], name: str, share: float, weigh: StepWeights = log_weights
) -> list[EvidenceGroup]:
    """Returns the evidence of four ways to group the states of all steps.
    The weights of each grouping add up to at most exp(share). weigh: the logarithms of the steps' weights."""
    rows = stack_pasts(steps)
    arms = rows.law.shape[1]
    after = [f"{name}: the first step", *(f"{name}: steps after a pull of arm {arm}" for arm in range(arms))]
    single, *groups = groups_by_label(
        rows,
        [
            (rows.step, str, len(steps)),
            (np.zeros_like(rows.step), lambda _: f"{name}: all steps", 1),
            (rows.last + 1, after.__getitem__, len(after)),
        ],
        share,
    )
    weights = share - np.log(arms) + weigh(steps)
    groups = [*one_group_per_set(single, [f"{name}: step {step.t}" for step in steps], weights), *groups]
    odds = [
        (
            np.minimum((rows.law[:, arm] * CHANCE_BINS).astype(np.int64), CHANCE_BINS - 1),
            partial(chance_bin_label, name, arm),
            CHANCE_BINS,
        )
        for arm in range(arms)
    ]
    return groups + groups_by_label(rows, odds, share - float(np.log(arms)))


def groups_by_rank(steps: Sequence[ReferenceStep], name: str, share: float) -> list[EvidenceGroup]:
    """Returns the evidence of all steps in one set, where arm k is the one with the k-th largest probability."""
    rows = stack_pasts(steps)
    order = np.argsort(-rows.law, axis=1, kind="stable")
    law, released = (np.take_along_axis(each, order, axis=1) for each in (rows.law, rows.released))
    told = f"{name}: all steps, where arms are numbered by their chances, from the largest"
    return groups_by_label(
        rows._replace(law=law, released=released), [(np.zeros_like(rows.step), lambda _: told, 1)], share
    )


def one_group_per_set(group: EvidenceGroup, names: Sequence[str], log_weights: Array) -> list[EvidenceGroup]:
    """Divides a group of several sets into one group for each set, with these names and weights."""
    found = []
    for k, weight in enumerate(log_weights):
        visits, released, due, evidence, most = (each[k : k + 1] for each in group[1:6])
        found.append(EvidenceGroup(names[k : k + 1].__getitem__, visits, released, due, evidence, most, float(weight)))
    return found


def chance_bin_label(name: str, arm: int, k: int) -> str:
    """The label of the steps in which the probability of an arm lies in the k-th bin."""
    return f"{name}: steps where arm {arm} has a chance of {k / CHANCE_BINS} to {(k + 1) / CHANCE_BINS}"


def groups_by_label(
    rows: StackedPasts,
    ways: Sequence[tuple[Ints, Callable[[int], str], int]],
    log_share: float,
    at_once: int = MAX_FACTORS_AT_ONCE,
) -> list[EvidenceGroup]:
    """Returns the evidence against the law, one group for each way of grouping the rows.
    ways: for each grouping, the label of every row, a function that puts a label into words, and the number of possible
    labels. The weights of each grouping add up to exp(log_share). Rows are processed in parts of `at_once` factors,
    because the factors take 18 times their memory."""
    arms = rows.law.shape[1]
    logs = [np.zeros((sets, arms * len(TILTS))) for _, _, sets in ways]
    step = max(1, at_once // (arms * len(TILTS)))
    for first in range(0, len(rows.step), step):
        part = rows.part(slice(first, first + step))
        factor = log_factors(part).reshape(len(part.step), -1)
        for log, (label, _, _) in zip(logs, ways, strict=True):
            add_rows_by_label(log, factor, label[first : first + step])
    chance = left_to_chance(rows.law)
    groups = []
    for log, (label, named, sets) in zip(logs, ways, strict=True):
        visits, (released, due, more, less) = np.zeros((sets, 1)), np.zeros((4, sets, arms))
        add_rows_by_label(visits, rows.visits[:, None], label)
        add_rows_by_label(released, rows.released, label)
        add_rows_by_label(due, rows.visits[:, None] * rows.law, label)
        add_rows_by_label(more, (rows.visits[:, None] - rows.released) * chance, label)
        add_rows_by_label(less, -rows.released * chance, label)
        tilted = log.reshape(sets, arms, -1)
        most = np.maximum(*(log_mean_over_tilts(tilted + other[:, :, None] * TILTS) for other in (more, less)))
        weight = log_share - float(np.log(sets * arms))
        groups.append(EvidenceGroup(named, visits[:, 0], released, due, log_mean_over_tilts(tilted), most, weight))
    return groups


def log_mean_over_tilts(tilted: Array) -> Array:
    """Returns the log of the mean over TILTS, which are the last axis."""
    return np.asarray(np.logaddexp.reduce(tilted, axis=-1) - np.log(len(TILTS)))


def add_rows_by_label(sums: Array, values: Array, label: Ints) -> None:
    """Adds each row of the values, (m, columns), to the row of the sums that its label names."""
    low = int(label.min())
    for column, each in enumerate(values.T):
        found = np.bincount(label - low, each)
        sums[low : low + len(found), column] += found


def log_factors(rows: StackedPasts) -> Array:
    """Returns, for each past, arm and tilt, the log of the product of all visits' factors, (m, arms, tilts)."""
    grown = np.expm1(TILTS)
    # Where the law may be off by the slack, the denominator errs on the policy's side.
    chance = np.clip(rows.law[:, :, None] + np.where(grown > 0, 1, -1) * rows.slack[:, None, None], 0.0, 1.0)
    return np.asarray(rows.released[:, :, None] * TILTS - rows.visits[:, None, None] * np.log1p(chance * grown))


def log_mean_evidence(groups: Sequence[EvidenceGroup]) -> float:
    """Returns the log of the mean of the e-values of all groups."""
    return float(logsumexp(np.concatenate([(each.log_evidence + each.log_weight).ravel() for each in groups])))


def strongest_rows(groups: Sequence[EvidenceGroup]) -> list[list[Any]]:
    """The rows of the evidence table.
    The sets of runs with the strongest evidence against the policy, strongest first."""
    found = []
    for group in groups:
        for flat in np.argsort(-group.log_evidence, axis=None, kind="stable")[:MAX_EVIDENCE_ROWS]:
            k, arm = (int(i) for i in np.unravel_index(flat, group.log_evidence.shape))
            found.append((float(group.log_evidence[k, arm]) + group.log_weight, group, k, arm))
    found.sort(key=lambda each: -each[0])
    return [
        [
            group.name(k).strip(),
            arm,
            int(group.visits[k]),
            int(group.released[k, arm]),
            float(group.due[k, arm]),
            log / float(np.log(10)),
        ]
        for log, group, k, arm in found[:MAX_EVIDENCE_ROWS]
    ]


def max_log_evidence(groups: Sequence[EvidenceGroup]) -> tuple[float, str]:
    """Returns the logarithm of the largest weighted e-value that could have occurred in these runs.
    It depends on which of their releases were random. The second result describes the releases that would have given
    it."""
    most = [float(group.log_most.max()) + group.log_weight for group in groups]
    group = groups[int(np.argmax(most))]
    k, arm = (int(i) for i in np.unravel_index(group.log_most.argmax(), group.log_most.shape))
    visits, due = int(group.visits[k]), float(group.due[k, arm])
    told = f"{'always' if due < visits / 2 else 'never'} where it is left to chance, of {due:.3g} expected in {visits}"
    return max(most), f"{group.name(k).strip(' :')}: arm {arm} released {told}"


# -- in words, and the power -------------------------------------------------------------------------------------------


def evidence_table(groups: Sequence[EvidenceGroup], title: str) -> Table:
    """The sets with the strongest evidence against the law, as an item of a finding."""
    columns = ["where", "arm", "visits", nearest("released"), nearest("expected"), nearest("log10 of its evidence")]
    return table_item(title, columns, strongest_rows(groups))


def evidence_in_words(evidence: float, law: str, table: Table, done: str) -> str:
    """Returns a phrase with the e-value against the law, and where the evidence is strongest.
    evidence: the natural logarithm of the e-value. table: as `evidence_table` returns it. done: what happened to an
    arm, in words, such as "pulled"."""
    where, arm, visits, released, due, _ = table["rows"][0]
    return (
        f"an e-value of 10^{evidence / el.log(10):.1f} against {law}. The strongest evidence is in "
        f"{str(where).strip(': ')}: arm {arm} was {done} {released} of {visits} times, but the expected number is "
        f"{due:.1f}"
    )


def too_few_in_words(runs: str, max_log_e: float, strongest: str, level: float) -> str:
    """A sentence stating that so few runs could not have refuted anything, and why.
    runs: in words; max_log_e, strongest: the result of `max_log_evidence`."""
    return (
        f"{runs} are too few: even the releases that differ most from the law ({strongest}) would be evidence of only "
        f"10^{max_log_e / np.log(10):.1f}, but a refutation needs 10^{-np.log10(level):.1f}; give more runs"
    )


def caught_shifts(
    trials: int, environments: int, steps: int, arms: int, level: float, lightest: float, visits: int
) -> CheckFound:
    """The detectable errors of a probability of about one half.
    An error that occurs in one unknown step of all runs, and an error that occurs in all steps. steps: the number of
    steps of the longest runs. lightest: the smallest of all `log_weights`. visits: the smallest number of (run, step)
    pairs with random releases in any environment."""
    weight = -float(np.log(environments * GROUPINGS * arms))  # as in `evidence_groups`
    one, every = min_caught_shift(trials, weight + lightest, level), min_caught_shift(visits, weight, level)
    return CheckFound(None, trials, steps, stored(one, Side.ABOVE), stored(every, Side.ABOVE), RESOLUTION_POWER)


def min_caught_shift(visits: int, log_weight: float, level: float) -> float:
    """The smallest detected shift d of a probability of one half, at the best tilt s.
    In n visits, n (1/2 + d) release the arm, or fewer by some standard errors, and the evidence is s times this number
    minus n log(1 + (e^s - 1)/2). inf if there are so few visits that not even a certain release would reach the
    threshold."""
    bar = -np.log(level) - log_weight + np.log(len(TILTS))  # one tilt has to pass it for all of them
    tilts = TILTS[TILTS > 0]
    least = ((bar / visits + np.log1p(np.expm1(tilts) / 2)) / tilts).min() - 0.5
    return float(min(0.5, least + ndtri(RESOLUTION_POWER) * 0.5 / np.sqrt(visits))) if least <= 0.5 else inf
