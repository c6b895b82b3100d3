"""E-values of releases against a law: evidence that needs no approximation, and no count of tests to correct for.

Where a policy conforms, what runs with the same past release next are independent draws from the reference's law. So,
for every set of (run, step) pairs whose membership depends on the past alone, every arm and every number s, the product
over the set of

    exp(s [this arm was pulled]) / (1 + p (exp(s) - 1)),        p the reference's probability of pulling this arm,

has expectation one: an e-value. A mean of e-values is one as well, however they depend on each other; by Markov's
inequality it passes 1/level with probability at most `level`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp, ndtri

from dpbandits.audit.conformance.along import Step
from dpbandits.audit.conformance.games import Ints
from dpbandits.reference.noise import Array

TILTS = np.array([s * sign for s in (0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 8.0) for sign in (1, -1)])  # s
BINS = 10  # of the reference's probability, in the check that odds are what they should be
SHOWN = 8  # rows of evidence
POWER = 0.9  # a resolution is what a run catches with this probability


class Group(NamedTuple):
    """Sets of (run, step) pairs, each compared with the law for every arm; they share a weight. n sets."""

    name: Callable[[int], str]  # what the pairs of set k have in common
    visits: Array  # (n,): how many pairs
    released: Array  # (n, arms): how often they released the arm
    due: Array  # (n, arms): how often they should have
    log_evidence: Array  # (n, arms): log of the mean e-value over TILTS
    log_weight: float  # of every one of these e-values in the mean of all


def compared(steps: Sequence[Step], name: str, log_share: float) -> list[Group]:
    """All groups of one environment; the weights of their e-values add up to exp(log_share)."""
    share = log_share - np.log(5)  # there are five ways of grouping
    factors = [log_factors(step) for step in steps]
    groups = []
    for step, factor in zip(steps, factors, strict=True):
        past = [f"{name}: step {step.t}{f', after{p}' if p else ''}" for p in step.past]
        each = np.arange(len(step.visits))
        groups.append(gathered([step], [factor], [each], past, share - np.log(len(steps))))
    return groups + pooled(steps, factors, name, share)


def pooled(steps: Sequence[Step], factors: Sequence[Array], name: str, share: float) -> list[Group]:
    """Four ways of grouping that look past single states; each one's weights add up to exp(share)."""
    arms = steps[0].law.shape[1]
    alike = [np.zeros(len(step.visits), dtype=np.int64) for step in steps]
    groups = [
        gathered([step], [factor], [one], [f"{name}: step {step.t}"], share - float(np.log(len(steps))))
        for step, factor, one in zip(steps, factors, alike, strict=True)
    ]
    groups.append(gathered(steps, factors, alike, [f"{name}: all steps"], share))
    after = [f"{name}: the first step", *(f"{name}: steps after a pull of arm {arm}" for arm in range(arms))]
    groups.append(gathered(steps, factors, [step.last + 1 for step in steps], after, share))
    for arm in range(arms):
        tenth = [np.minimum((step.law[:, arm] * BINS).astype(np.int64), BINS - 1) for step in steps]
        odds = [f"{name}: steps where arm {arm} has a chance of {k / BINS} to {(k + 1) / BINS}" for k in range(BINS)]
        groups.append(gathered(steps, factors, tenth, odds, share - float(np.log(arms))))
    return groups


def gathered(
    steps: Sequence[Step],
    factors: Sequence[Array],
    labels: Sequence[Ints],
    names: list[str],
    log_share: float,
) -> Group:
    """One set of (run, step) pairs for each name: those whose past has the label, in all the steps given."""
    sets, arms = len(names), steps[0].law.shape[1]
    visits, log = np.zeros(sets), np.zeros((sets, arms, len(TILTS)))
    released, due = np.zeros((sets, arms)), np.zeros((sets, arms))
    for step, factor, label in zip(steps, factors, labels, strict=True):
        visits += added(step.visits, label, sets)
        released += added(step.released, label, sets)
        due += added(step.visits[:, None] * step.law, label, sets)
        log += added(factor, label, sets)
    mean = logsumexp(log, axis=2) - np.log(len(TILTS))
    return Group(names.__getitem__, visits, released, due, mean, log_share - float(np.log(sets * arms)))


def added(values: Any, label: Ints, sets: int) -> Array:
    """The sums of the values of each label along the first axis."""
    if len(values) == sets and np.array_equal(label, np.arange(sets)):
        return np.asarray(values, dtype=np.float64)
    return np.stack([values[label == k].sum(axis=0) for k in range(sets)]).astype(np.float64)


def log_factors(step: Step) -> Array:
    """log of the product over all visits of a past, (m, arms, tilts)."""
    grown = np.expm1(TILTS)
    # Where the law may be off by the slack, the denominator errs on the policy's side.
    chance = np.clip(step.law[:, :, None] + np.where(grown > 0, step.slack, -step.slack), 0.0, 1.0)
    return np.asarray(step.released[:, :, None] * TILTS - step.visits[:, None, None] * np.log1p(chance * grown))


def worst(groups: Sequence[Group]) -> list[list[Any]]:
    """The rows of the sets that speak loudest against the policy."""
    found = []
    for group in groups:
        for flat in np.argsort(-group.log_evidence, axis=None)[:SHOWN]:
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
        for log, group, k, arm in found[:SHOWN]
    ]


def resolution(trials: int, environments: int, steps: int, arms: int, level: float) -> str:
    """By how much a chance of about one half would have to be off in one step of all runs, or in all steps."""
    weight = -float(np.log(environments * 5 * arms))  # as in `compared`
    one, every = (
        shift(trials, weight - float(np.log(steps)), level),
        shift(trials * steps, weight, level),
    )
    return (
        f"caught with probability {POWER}: in one environment, a chance off by about {one:.2g} in one step of all "
        f"{trials} runs, or by {every:.2g} in all {steps} steps"
    )


def shift(visits: int, log_weight: float, level: float) -> float:
    """The shift of a chance of one half that passes the threshold: with z its standard errors, the evidence at the
    best tilt is about z^2/2 and varies by z; a tilt within a factor 3/2 of the best, one of all, keeps 3/4 of it."""
    bar = -np.log(level) - log_weight + np.log(len(TILTS))
    swing = float(ndtri(POWER))
    z = swing + np.sqrt(swing**2 + 2 * bar / 0.75)
    return float(min(0.5, z * 0.5 / np.sqrt(visits)))
