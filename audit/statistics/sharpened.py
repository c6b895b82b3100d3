"""E-values of sharpened laws: whether a policy explores more, or less, than its law states.

Let p be the law of the next arm given the past, and q_b(a) = p(a)^b / sum_c p(c)^b the law sharpened by b. With b > 1
the sharpened law explores less, with b < 1 more, as less or more noise does. The factor of a pull of arm A is q_b(A) /
p(A). Given the past it has expectation sum_a p(a) q_b(a) / p(a) = 1, so the product of the factors along the runs is a
martingale with initial value 1: an e-value. b may vary between steps, if it is known before the pull: here it depends
on the step's place and on the largest probability of the law, in bins that are fixed beforehand. For each choice of a b
for every bin, the product is a martingale. So is the mean over all choices: the product over the bins of the means over
b. This applies to releases of one arm; in steps in which several arms may be pulled, the factor is 1. If p is known
only up to an error s, the factor is q_b(A) / (max(p(A), s) + s), with q_b computed from max(p, s): its expectation is
at most sum_a q_b(a) = 1 for every law within s of p.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.statistics.along import ReferenceStep, left_to_chance
from dpbandits.audit.statistics.e_values import EvidenceGroup
from dpbandits.reference.bandits.noise import Array

EXPONENTS = np.array([0.5, 0.7, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25, 1.5, 2.0])  # b
SHARE = 0.1  # of the weights of all e-values of a comparison
STEP_BINS, CHANCE_BINS = 64, 5  # two bins each time that the step doubles; of the largest probability
WAYS = (
    "all steps",
    "all steps, with an exponent for each range of steps",
    "all steps, with an exponent for each range of steps and of the largest probability",
)


def log_factors_by_bin(steps: Sequence[ReferenceStep]) -> Array:
    """Returns the logarithm of the product of all bets' factors, (STEP_BINS, CHANCE_BINS, exponents).
    There is one for each bin of steps, each bin of probabilities and each exponent. The steps of several environments
    may be concatenated, because their runs are independent."""
    found = np.zeros((STEP_BINS, CHANCE_BINS, len(EXPONENTS)))
    for step in steps:
        rows = compared_rows(step)
        if not rows.any():
            continue
        known = np.maximum(step.law[rows], step.slack)
        place = min(STEP_BINS - 1, int(2 * np.log2(step.t)))
        chance = np.minimum((known.max(axis=1) * CHANCE_BINS).astype(np.int64), CHANCE_BINS - 1)
        logs, released = np.log(known), step.released[rows]
        for k, exponent in enumerate(EXPONENTS):
            sharp = exponent * logs
            top = sharp.max(axis=1, keepdims=True)
            normal = top + np.log(np.exp(sharp - top).sum(axis=1, keepdims=True))
            factor = (released * (sharp - normal - np.log(known + step.slack))).sum(axis=1)
            found[place, :, k] += np.bincount(chance, factor, CHANCE_BINS)
    return found


def compared_rows(step: ReferenceStep) -> NDArray[np.bool_]:
    """Marks the pasts after which the release is random and pulls exactly one arm, (m,)."""
    return np.asarray(left_to_chance(step.law).any(axis=1) & step.single)


def log_means(factors: Array) -> Array:
    """Returns the logarithms of the three e-values, in the order of WAYS."""
    by_step = factors.sum(axis=1)
    return np.array([log_mean(each).sum() for each in (by_step.sum(axis=0), by_step, factors)])


def log_mean(logs: Array) -> Array:
    """Returns the logarithm of the mean over the exponents, which are the last axis."""
    return np.asarray(np.logaddexp.reduce(logs, axis=-1) - np.log(len(EXPONENTS)))


def with_sharpened(groups: Sequence[EvidenceGroup], steps: Sequence[ReferenceStep]) -> list[EvidenceGroup]:
    """The groups, and groups of the e-values of three sharpened laws, which have the share SHARE of all weights.
    steps: of all environments."""
    names = [f"{way}, against the law sharpened or flattened" for way in WAYS]
    return with_share(groups, SHARE, names, log_means(log_factors_by_bin(steps)).tolist(), steps)


def with_share(
    groups: Sequence[EvidenceGroup],
    share: float,
    names: Sequence[str],
    evidence: Sequence[float],
    steps: Sequence[ReferenceStep],
) -> list[EvidenceGroup]:
    """The groups with weights scaled by 1 - share, and a group for each e-value over all steps, of total weight share.
    An added group displays the likeliest arm: how often it was pulled, and the expected number. names, evidence: of the
    e-values, and their logarithms."""
    scaled = [group._replace(log_weight=group.log_weight + float(np.log1p(-share))) for group in groups]
    visits = released = due = 0.0
    for step in steps:
        rows = compared_rows(step)
        likeliest, many = step.law[rows].argmax(axis=1)[:, None], step.visits[rows]
        visits += float(many.sum())
        released += float(np.take_along_axis(step.released[rows], likeliest, axis=1).sum())
        due += float((many * step.law[rows].max(axis=1)).sum())
    log_weight = float(np.log(share)) - float(np.log(len(names)))
    return scaled + [
        EvidenceGroup(
            partial(label, f"{name} (shown for its likeliest arm)"), np.array([visits]), np.array([[released]]),
            np.array([[due]]), np.array([[log]]), np.array([[-np.inf]]), log_weight,
        )
        for name, log in zip(names, evidence, strict=True)
    ]  # fmt: skip


def label(text: str, _: int) -> str:
    """Returns the text unchanged: the label of a group of evidence, which does not depend on the group's index."""
    return text
