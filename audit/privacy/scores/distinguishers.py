"""Distinguishers: numbers computed from a released transcript that are large on the right and small on the left.

Any score is fair game, for a certified point needs nothing of it. The log-likelihood ratio is the best there is
(Neyman and Pearson), where the policy knows its law; elsewhere a score is learnt on the search half, by logistic
regression: a few steps of Newton's method, the same bits on every processor.

The curvature's sums over trials, which are many, are left to BLAS, which takes them in an order of its own, for they
are exact in any order: entries and chances are rounded so far that a sum of so many products fits a double. What the
curvature is off by costs a fraction of a step, and nothing of the optimum, which the slope decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from dpbandits.audit.play.many import both_tables
from dpbandits.audit.play.transcripts import Transcripts, features
from dpbandits.proofs_checks.exact.follow_transcripts import TranscriptStep, follow_transcripts
from dpbandits.proofs_checks.exact.state_graph import (
    StateGraph,
    Transitions,
    last_differing_context,
    state_graph,
    sums_error,
)
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.linear import matrix_product, solve_linear_system
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import HasLaw

MIN_LOG_ARGUMENT = 1e-300  # stands for probability 0 in a logarithm
UNITS = 2.0**30  # scores are multiples of 1/UNITS: which of two alike is the larger is no matter of rounding
DEEPEST = -1e12  # and for the logarithm of 0 among others that are said at any depth
LOGISTIC_STEPS = 8
MAX_LOGIT = 30.0  # logits
# A column's squares add up to the trials n, so that by Cauchy and Schwarz the parts of sums of x_i x_j w with w <= 1/4
# are at most n/4: in multiples of 2^-32 they are whole numbers below 2^53 for n < 2^23.
ENTRY, CURVE = 2.0**10, 2.0**12


def log_likelihood_ratio(policy: HasLaw, pair: Pair, seen: Transcripts) -> Array:
    """log P_right(transcript)/P_left(transcript), (trials,), exactly as the policy's law says.

    A transcript that is impossible on one side only gets a huge number; one that is impossible on both gets nan.
    """
    return scores_along(follow_transcripts(state_graph(policy, pair), seen.released), seen.trials)


def scores_of_pairs(policy: HasLaw, pairs: Sequence[Pair], seen: Transcripts) -> Array:
    """`log_likelihood_ratio` of transcripts that play in turn on so many pairs: transcript i on pair i modulo their
    number. One walk serves all pairs, for most of what a step costs it costs once."""
    slack = max(sums_error(policy, pair) for pair in pairs)
    walk_of_all = StateGraph(
        policy, both_tables(pairs), slack, len(pairs), last_context_difference=max(map(last_differing_context, pairs))
    )
    return scores_along(
        follow_transcripts(walk_of_all, seen.released, of=np.arange(seen.trials) % len(pairs)), seen.trials
    )


def scores_along(visits: Iterable[TranscriptStep], trials: int) -> Array:
    total = np.zeros(trials)
    for visit in visits:
        left, right = logarithms(visit.transitions)
        ratio = right - left
        if ratio.any():
            total[visit.trial] += ratio[visit.way]
        if (lost := visit.way < 0).any():
            total[np.arange(trials)[visit.trial][lost]] = np.nan
    return np.asarray(np.rint(total * UNITS) / UNITS)


def logarithms(offers: Transitions) -> Array:
    """Of the chances of all ways, (sides, ways), finite where one is 0."""
    if offers.log is None:
        return np.asarray(el.log(np.maximum(offers.chance, MIN_LOG_ARGUMENT)))
    return np.asarray(np.maximum(offers.log, DEEPEST))


def probabilities(policy: HasLaw, pair: Pair, seen: Transcripts) -> Array:
    """The probability of each transcript on either table, by the policy's law, (2, trials)."""
    chances = np.ones((2, seen.trials))
    for visit in follow_transcripts(state_graph(policy, pair), seen.released):
        chances[:, visit.trial] *= np.where(visit.way >= 0, visit.transitions.chance[:, visit.way], 0.0)
    return chances


class Learnt(NamedTuple):
    """A logistic score: standardise the features, then one linear form."""

    centre: Array
    scale: Array
    weights: Array

    def __call__(self, seen: Transcripts) -> Array:
        return np.asarray(matrix_product((features(seen) - self.centre) / self.scale, self.weights))


def learn_linear_score(left: Transcripts, right: Transcripts) -> Learnt:
    """The score that logistic regression finds on search transcripts of both sides, by a few Newton steps.

    A ridge of 1 keeps separable features finite; more steps would hardly move the order of the scores.
    """
    raw = np.concatenate([features(left), features(right)])
    centre, spread = raw.mean(axis=0), raw.std(axis=0)
    scale = np.where(spread > 1e-12, spread, np.inf)  # constant features count for nothing
    x = (raw - centre) / scale
    label = np.repeat([0.0, 1.0], [left.trials, right.trials])
    return Learnt(centre, scale, newton(x, label, 1.0))


def coarse(values: Array, unit: float) -> Array:
    """Rounded to multiples of 1/unit."""
    return np.asarray(np.rint(values * unit) / unit)


def newton(x: Array, label: Array, ridge: float) -> Array:
    """The weights, (columns,), of the logit that tells label 1 from 0. x: (trials, columns), each column of mean 0
    and variance 1, or 0. ridge: keeps what separates the labels finite."""
    rough, weights = coarse(x, ENTRY), np.zeros(x.shape[1])
    for _ in range(LOGISTIC_STEPS):
        chance = 1 / (1 + el.exp(-np.clip(matrix_product(x, weights), -MAX_LOGIT, MAX_LOGIT)))
        slope = (x * (label - chance)[:, None]).sum(axis=0) - ridge * weights
        curvature = (rough * coarse(chance * (1 - chance), CURVE)[:, None]).T @ rough + ridge * np.eye(x.shape[1])
        weights = weights + solve_linear_system(curvature, slope)
    return weights
