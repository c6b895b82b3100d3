"""Distinguishers: numbers computed from a released transcript that are large on the right and small on the left.

Any score is fair game, for a certified point needs nothing of it. The log-likelihood ratio is the best there is
(Neyman and Pearson), where the policy knows its law; elsewhere a score is learnt on the search half.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.transcripts import Transcripts, features
from dpbandits.proofs_checks.exact.lattice import rows
from dpbandits.reference.laws import checked_law, checked_size
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array, Seeded, frozen
from dpbandits.reference.policy import HasLaw, Pulls, owned

LEAST = 1e-300  # stands for probability 0 in a logarithm


class Visit(NamedTuple):
    """One step of all transcripts, replayed against a pair of tables."""

    step: int
    size: int  # how many pulls this step makes
    node: NDArray[np.int64]  # (trials,): which of the m different states each trial is in
    left_law: Array  # (m, arms): the law of the step's arm on the left table
    right_law: Array  # (m, arms)


class Replay(NamedTuple):
    """The states that transcripts lead to, each only once. Private to `visits`."""

    made: NDArray[np.int64]  # (m, arms): the pulls so far
    paid: Array  # (m, 2, arms): the reward sums on either table
    left: Any  # the policy's state on the left table, first axis m
    right: Any


def visits(policy: HasLaw, pair: Pair, arms: NDArray[np.int16]) -> Iterator[Visit]:
    """Replay released arms (trials, steps) on both tables, step by step.

    A law's state is a function of pull counts and reward sums alone, so trials that agree in both share a node:
    for two arms there are at most t of them after t pulls, and a step costs one table look-up per trial.
    """
    left, right = pair.environments()
    node = np.zeros(len(arms), dtype=np.int64)
    now = Replay(
        np.zeros((1, policy.arms), np.int64), np.zeros((1, 2, policy.arms)), *(owned(policy.init(1)) for _ in "lr")
    )
    done = 0
    for step in range(1, arms.shape[1] + 1):
        size = min(checked_size(policy, step), policy.horizon - done)
        yield Visit(step, size, node, *both_laws(policy, step, now))
        edge = node * policy.arms + arms[:, step - 1]
        taken = np.flatnonzero(np.bincount(edge, minlength=len(now.made) * policy.arms))
        parent, arm = taken // policy.arms, taken % policy.arms
        pulls = Pulls(frozen(size * Pulls.one(arm, policy.arms).counts))
        blank = Seeded(0, len(arm))  # learn of a policy with a law draws nothing
        sums = [frozen(side.draw(step, now.made[parent], pulls.counts, None, blank)) for side in (left, right)]
        grown = Replay(
            now.made[parent] + pulls.counts,
            now.paid[parent] + np.stack(sums, axis=1),
            owned(policy.learn(step, rows(now.left, parent), pulls, sums[0], blank)),
            owned(policy.learn(step, rows(now.right, parent), pulls, sums[1], blank)),
        )
        first, merged = distinct(grown, pair.relation)
        now = Replay(*(rows(field, first) for field in grown))
        place = np.zeros(int(taken[-1]) + 1, dtype=np.int64)
        place[taken] = merged
        node = place[edge]
        done += size


def both_laws(policy: HasLaw, step: int, now: Replay) -> tuple[Array, Array]:
    """The laws of the states on either table. States with the same pulls and sums are the same (`HasLaw`), so that the
    right table is asked about only where it has paid something else."""
    left = checked_law(policy, step, now.left).chance
    other = np.flatnonzero((now.paid[:, 0] != now.paid[:, 1]).any(axis=1))
    if len(other) == len(left):
        return left, checked_law(policy, step, now.right).chance
    right = left.copy()
    if len(other):
        right[other] = checked_law(policy, step, rows(now.right, other)).chance
    return left, frozen(right)


def distinct(grown: Replay, relation: str) -> tuple[Any, Any]:
    """Which rows are the first of their kind, and of which kind each row is. On a pull-indexed table the counts
    determine the sums; on a stream they do not (sums are compared to 9 decimals: rounding must not split nodes)."""
    keys = grown.made.astype(float)
    if relation != "pull":
        keys = np.concatenate([keys, grown.paid.reshape(len(keys), -1).round(9) + 0.0], axis=1)
    _, first, merged = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first, merged.reshape(-1)


def log_likelihood_ratio(policy: HasLaw, pair: Pair, arms: NDArray[np.int16]) -> Array:
    """log P_right(transcript)/P_left(transcript), (trials,), exactly as the policy's law says.

    arms: released arms, (trials, steps), one arm per step. A transcript that is impossible on one side only gets a
    huge number.
    """
    total = np.zeros(len(arms))
    for visit in visits(policy, pair, arms):
        ratio = np.log(np.maximum(visit.right_law, LEAST)) - np.log(np.maximum(visit.left_law, LEAST))
        if ratio.any():
            total += ratio.reshape(-1)[visit.node * policy.arms + arms[:, visit.step - 1]]
    return total


def fits_law(policy: object, seen: Transcripts) -> bool:
    """Whether the release has the form that a law speaks of: one arm a step, as many pulls as `size` says."""
    if not isinstance(policy, HasLaw) or seen.counts.shape[1] or not seen.arms.size:
        return False
    done = 0
    for step in range(1, seen.arms.shape[1] + 1):
        size = min(checked_size(policy, step), policy.horizon - done)
        if (seen.arms[:, step - 1] < 0).any() or (seen.sizes[:, step - 1] != size).any():
            return False
        done += size
    return True


class Learnt(NamedTuple):
    """A logistic score: standardise the features, then one linear form."""

    centre: Array
    scale: Array
    weights: Array

    def __call__(self, seen: Transcripts) -> Array:
        return np.asarray(((features(seen) - self.centre) / self.scale) @ self.weights)


def learnt(left: Transcripts, right: Transcripts) -> Learnt:
    """The score that logistic regression finds on search transcripts of both sides, by a few Newton steps.

    A ridge of 1 keeps separable features finite; more steps would hardly move the order of the scores.
    """
    raw = np.concatenate([features(left), features(right)])
    centre, spread = raw.mean(axis=0), raw.std(axis=0)
    scale = np.where(spread > 1e-12, spread, np.inf)  # constant features count for nothing
    x = (raw - centre) / scale
    label = np.repeat([0.0, 1.0], [left.trials, right.trials])
    weights = np.zeros(x.shape[1])
    for _ in range(8):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (label - chance) - weights
        curvature = (x * (chance * (1 - chance))[:, None]).T @ x + np.eye(x.shape[1])
        weights = weights + np.linalg.solve(curvature, slope)
    return Learnt(centre, scale, weights)
