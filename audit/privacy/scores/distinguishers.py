"""Likelihood ratios of released transcripts by a policy's law: the most powerful distinguisher (Neyman and Pearson)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from dpbandits.audit.play.many import both_tables
from dpbandits.audit.play.transcripts import Transcripts
from dpbandits.proofs_checks.exact.follow_transcripts import TranscriptStep, follow_transcripts
from dpbandits.proofs_checks.exact.state_graph import (
    StateGraph,
    Transitions,
    last_differing_context,
    state_graph,
    sums_error,
)
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import HasLaw

MIN_LOG_ARGUMENT = 1e-300  # stands for probability 0 in a logarithm
UNITS = 2.0**30  # scores are multiples of 1/UNITS: which of two alike is the larger is no matter of rounding
DEEPEST = -1e12  # and for the logarithm of 0 among others that are said at any depth


def log_likelihood_ratio(policy: HasLaw, pair: Pair, seen: Transcripts) -> Array:
    """Returns log P_right(transcript)/P_left(transcript), (trials,), exactly by the policy's law.

    A transcript that is impossible on one side only gets a huge value; one that is impossible on both sides gets nan.
    """
    return scores_along(follow_transcripts(state_graph(policy, pair), seen.released), seen.trials)


def scores_of_pairs(policy: HasLaw, pairs: Sequence[Pair], seen: Transcripts) -> Array:
    """Returns the `log_likelihood_ratio` of transcripts of several pairs, (trials,).
    Transcript i belongs to pair i modulo the number of pairs."""
    slack = max(sums_error(policy, pair) for pair in pairs)
    walk_of_all = StateGraph(
        policy, both_tables(pairs), slack, len(pairs), last_context_difference=max(map(last_differing_context, pairs))
    )
    return scores_along(
        follow_transcripts(walk_of_all, seen.released, tables=np.arange(seen.trials) % len(pairs)), seen.trials
    )


def scores_along(visits: Iterable[TranscriptStep], trials: int) -> Array:
    """Returns log p_right/p_left of every transcript, (trials,), rounded to multiples of 1/UNITS.
    nan for one that the law excludes."""
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
    """Returns the logarithms of the probabilities of all transitions, (sides, transitions).
    They are finite also where a probability is 0."""
    if offers.log is None:
        return np.asarray(el.log(np.maximum(offers.chance, MIN_LOG_ARGUMENT)))
    return np.asarray(np.maximum(offers.log, DEEPEST))


def probabilities(policy: HasLaw, pair: Pair, seen: Transcripts) -> Array:
    """The probability of each transcript on either table, by the policy's law, (2, trials)."""
    chances = np.ones((2, seen.trials))
    for visit in follow_transcripts(state_graph(policy, pair), seen.released):
        chances[:, visit.trial] *= np.where(visit.way >= 0, visit.transitions.chance[:, visit.way], 0.0)
    return chances
