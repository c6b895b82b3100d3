"""E-values of learned laws: whether releases follow another law, whose parameters are learned from earlier releases.

The module `sharpened` tries few laws that are fixed beforehand. But most faults change a law in a particular way. For
example, with 1/n instead of 1/(n + 1) a policy explores more, but only after few pulls, and a wrong prior favours arms
with few pulls. Let p be the law of the next arm given the past, x_a features of arm a that depend only on the past, and

    q(a) = p(a) exp(theta . x_a) / sum_c p(c) exp(theta . x_c).

theta is learned from earlier releases alone. So the factor q(A)/p(A) of a release has expectation sum_a q(a) = 1 given
everything earlier, and the product of the factors is a martingale with initial value 1: an e-value, however well or
badly theta was learned. theta is the maximum-likelihood value with a normal prior, learned again each time that the
number of releases has grown by a quarter. The loss against the best theta in hindsight is a few powers of ten.

Releases are put in the order of runs, if that is known (logs): runs that come later multiply the product, and change no
earlier factor, so that a growing log may be tested again. Otherwise, they are in the order of steps. A factor that is
learned from an earlier run requires that no reward of a run depends on the pulls of a later run.

As in `sharpened`, releases of several arms have the factor 1. If p is known only up to an error s, the factor is
q(A) / (max(p(A), s) + s), with q computed from max(p, s).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dpbandits.audit.statistics import sharpened
from dpbandits.audit.statistics.along import ReferenceStep
from dpbandits.audit.statistics.e_values import EvidenceGroup
from dpbandits.reference.arithmetic.linear import matrix_product, solve_linear_system
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

SHARE = 0.1  # of the weights of all e-values of a comparison, those of `sharpened` included
ALL_SHARE = 1 - (1 - sharpened.SHARE) * (1 - SHARE)  # of the weights: learned and sharpened laws together
FIRST_RELEASES, GROWTH = 32, 1.25  # theta is 0 for so many; it is learned again after so many times as many
MAX_CELLS = 1_000_000  # rows times arms whose features are held, and from the last of which theta is learned
PRIOR_DEVIATION, LARGEST = 0.5, 3.0  # of each coordinate of theta
NEWTON_STEPS = 2
LEAST_LOG = -12.0  # of the probabilities in features
FEATURES = (
    "the logarithm of its probability",
    "1/sqrt(n + 1), n its pulls",
    "the logarithm of its probability, times the largest 1/sqrt(n + 1) of all arms",
    "its mean reward",
    "its mean reward, times 1/sqrt(n + 1)",
    "whether it was never pulled, 1 or 0",
)
SETS = {  # how many of the features
    "all steps, against the law with a learned exponent": 1,
    "all steps, against the law with a learned bonus for few pulls": 2,
    "all steps, against a law learned from pulls and rewards": len(FEATURES),
}


class Rows(NamedTuple):
    """Releases in order, in rows with the same past. law, released, pulls, means: (rows, arms); visits, slack: (rows,).
    means: the mean rewards, sum/(n + 1), clipped to [-1, 1]; 0 if rewards are unknown."""

    law: Array
    released: Array
    pulls: Array
    means: Array
    visits: Array
    slack: Array

    def part(self, rows: slice) -> Rows:
        """Returns the rows that the slice `rows` selects."""
        return Rows(*(each[rows] for each in self))


def ordered_rows(steps: Sequence[ReferenceStep]) -> Rows | None:
    """Returns the random releases of one arm, in order, as rows; None if there are none.
    Releases of several environments may be concatenated."""
    parts, runs = list[Rows](), list[Ints]()
    for step in steps:
        some = sharpened.compared_rows(step)
        if some.any():
            law, visits = step.law[some], step.visits[some].astype(np.float64)
            pulls = np.zeros(law.shape) if step.pulls is None else step.pulls[some].astype(np.float64)
            paid = np.zeros(law.shape) if step.paid is None else step.paid[some]
            means = np.clip(paid / (pulls + 1), -1.0, 1.0)
            parts.append(
                Rows(law, step.released[some].astype(np.float64), pulls, means, visits, np.full(len(law), step.slack))
            )
            runs.append(np.zeros(len(law), dtype=np.int64) if step.runs is None else step.runs[some])
    if not parts:
        return None
    order = np.argsort(np.concatenate(runs), kind="stable")
    return Rows(*(np.concatenate(column)[order] for column in zip(*parts, strict=True)))


def features_of(rows: Rows, count: int) -> Array:
    """Returns the first `count` of FEATURES for every row and arm, (count, rows, arms)."""
    logs = np.maximum(np.log(np.maximum(rows.law, rows.slack[:, None])), LEAST_LOG)
    rare = 1 / np.sqrt(rows.pulls + 1)
    known = [logs, rare, logs * rare.max(axis=1, keepdims=True), rows.means, rows.means * rare, 1.0 * (rows.pulls == 0)]
    return np.stack(known[:count])


def tilted_logs(rows: Rows, features: Array, theta: Array) -> Array:
    """Returns the logarithms of the learned law, (rows, arms): the stated law, tilted by theta times the features."""
    logs = np.log(np.maximum(rows.law, rows.slack[:, None]))
    for weight, feature in zip(theta.tolist(), features, strict=True):
        logs = logs + weight * feature
    logs -= logs.max(axis=1, keepdims=True)
    return np.asarray(logs - np.log(np.exp(logs).sum(axis=1, keepdims=True)))


def learned_theta(rows: Rows, features: Array, theta: Array) -> Array:
    """Fits the parameters theta of the learned law to these rows by Newton steps that begin at the given theta."""
    many = len(theta)
    for _ in range(NEWTON_STEPS):
        law = np.exp(tilted_logs(rows, features, theta))
        due = rows.visits[:, None] * law
        apart = features - (law * features).sum(axis=2, keepdims=True)
        slope = ((rows.released - due) * features).sum(axis=(1, 2)) - theta / PRIOR_DEVIATION**2
        spread = matrix_product((due * apart).reshape(many, -1), np.ascontiguousarray(apart.reshape(many, -1).T))
        step = solve_linear_system(spread + np.eye(many) / PRIOR_DEVIATION**2, slope)
        theta = np.clip(theta + step, -LARGEST, LARGEST)
    return theta


def log_e_value(rows: Rows, features: int, first: int = FIRST_RELEASES, growth: float = GROWTH) -> float:
    """Returns the logarithm of the e-value of the learned law with the first `features` of FEATURES.

    first, growth: theta is 0 for the first so many releases, and is learned again after so many times as many, or so
    many more.
    """
    theta, found, begin, made = np.zeros(features), 0.0, 0, np.cumsum(rows.visits)
    limit, most = float(first), max(1, MAX_CELLS // rows.law.shape[1])
    while begin < len(made):
        # How many rows there are before theta is learned again depends on the visits of a row, and not on releases.
        end = min(max(int(np.searchsorted(made, limit, side="right")), begin + 1), begin + most)
        some = rows.part(slice(begin, end))
        logs = tilted_logs(some, features_of(some, features), theta)
        below = np.log(np.maximum(some.law, some.slack[:, None]) + some.slack[:, None])
        found += float((some.released * (logs - below)).sum())
        begin = end
        if begin < len(made) and made[begin] > limit:
            earlier = rows.part(slice(max(0, begin - most), begin))
            theta = learned_theta(earlier, features_of(earlier, features), theta)
            limit = max(growth * float(made[begin - 1]), float(made[begin - 1]) + first)
    return found


def with_learned(groups: Sequence[EvidenceGroup], steps: Sequence[ReferenceStep]) -> list[EvidenceGroup]:
    """The groups, and groups of the e-values of learned laws, which have the share SHARE of all weights.
    steps: of all environments."""
    rows = ordered_rows(steps)
    logs = [0.0 if rows is None else log_e_value(rows, many) for many in SETS.values()]
    return sharpened.with_share(groups, SHARE, list(SETS), logs, steps)


def with_other_laws(groups: Sequence[EvidenceGroup], steps: Sequence[ReferenceStep]) -> list[EvidenceGroup]:
    """Returns the groups, followed by groups of e-values of sharpened and of learned laws.
    The added groups together have weight ALL_SHARE; the weights of the given groups are reduced accordingly. steps: of
    all environments."""
    return with_learned(sharpened.with_sharpened(groups, steps), steps)
