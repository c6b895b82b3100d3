"""Scores of a mechanism's outputs, computed from the numbers or from their bits, and the tests that certify a violation
by these scores."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.judges.effort import RISK
from dpbandits.audit.play.calls import UNEVEN_CALLS, uneven_calls_p_value
from dpbandits.audit.privacy.mechanism_calls import MechanismAudit, why_constant
from dpbandits.audit.privacy.pipeline import Score
from dpbandits.audit.privacy.scores.bit_features import bit_scores, guess
from dpbandits.audit.privacy.scores.classifier import Learner, OutputScore, cautious_excess, choose_score
from dpbandits.audit.privacy.scores.output_features import learnt_scores, merge_rounded_outputs, rare_atoms
from dpbandits.audit.statistics.events import (
    Event,
    ScoredTrials,
    plan_tests_by_scores,
    require_finite,
    scored_by_search,
)
from dpbandits.reference.arithmetic.checks import reals
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves import Curve

SEARCH = 0.25  # the share of the trials that chooses score and threshold
BITS_SHARE = 0.1  # of the risk is the bits': they tell much or nothing, and numbers would pay for a larger share
ATOMS_SHARE = 0.1  # of the risk goes to rare outputs that come again, where there are any
BITS_LABEL = ", floating-point implementation"  # behind a mechanism's name
# A batch of another size may be rounded otherwise: in double precision by so much of a score, in single precision by so
# much of the scores' spread. Where such rounding decides, so many scores may come out otherwise.
SAME_SCORE, SAME_SINGLE, ODD_SCORES = 1e-12, 1e-5, 0.01


def score_outputs(settings: MechanismAudit, left: Array, right: Array, calls: int) -> Score:
    """The scores of the outputs as numbers, (trials, d), and the tests to certify.
    calls: the number of calls on either side."""
    search = int(settings.trials * SEARCH)
    if idle := why_constant(left, right):
        return Score(idle=idle)
    if settings.score is not None:
        every = [score_by_user(settings.score, side) for side in (left, right)]
        found = better_sign(every[0], every[1], search, settings.curve, settings.risk)
        return evenly_scored(Score(found, scored_by="the one that was given"), left, right, search, calls)
    rounded = merge_rounded_outputs(np.concatenate([left[:search], right[:search]]))
    return learnt_score(settings, rounded(left), rounded(right), calls, learnt_scores)


def score_bits(settings: MechanismAudit, left: Array, right: Array, calls: int) -> Score:
    """Scores of all trials, learned from the bits of the outputs (trials, d), and the tests to certify."""
    return learnt_score(settings, left, right, calls, learner_of_bits(settings, left[: int(settings.trials * SEARCH)]))


def learner_of_bits(settings: MechanismAudit, known: Array) -> Learner:
    """A function that learns scores of the bits of outputs.
    The centres and scales of the noise are guessed from known outputs on the left, (n, d)."""
    claimed, at = settings.curve.claimed_parameters()
    guessed = guess(settings.left, settings.right, known, float(claimed[0]), float(at[0])) if len(claimed) else None
    return partial(bit_scores, guessed=guessed)


def learnt_score(settings: MechanismAudit, left: Array, right: Array, calls: int, learn: Learner) -> Score:
    """Learns scores from the search trials, and returns the best score, evaluated on the fresh trials."""
    search = int(settings.trials * SEARCH)
    known = left[:search], right[:search]
    atoms = rare_atoms(*known)
    share = 0.0 if atoms is None else ATOMS_SHARE
    best = choose_score(*known, settings.curve, settings.trials - search, (1 - share) * settings.risk, learn)
    fresh = [require_finite(best.score(side[search:]), "a learnt score") for side in (left, right)]
    name = f"{best.name}, learnt and chosen on {search} trials a side"
    found = Score(ScoredTrials(fresh[0], fresh[1], best.events), learnt=True, scored_by=name)
    if atoms is not None:
        events = plan_tests_by_scores(
            atoms(known[0]), atoms(known[1]), settings.curve, settings.trials - search, share * settings.risk
        )
        also = ScoredTrials(atoms(left[search:]), atoms(right[search:]), events)
        name = f"{name}; and rare outputs that came again, with {ATOMS_SHARE:g} of the error probability"
        found = found._replace(also=also, scored_by=name)
    return evenly_scored(found, left, right, search, calls)


def evenly_scored(score: Score, left: Array, right: Array, search: int, calls: int) -> Score:
    """Returns the score unchanged if outputs and tests of it are about equally frequent in all calls of the mechanism.
    Otherwise the reason UNEVEN_CALLS why nothing can be certified."""
    assert score.scored is not None
    every = [each for each in (score.scored, score.also) if each is not None]
    for side, mine in ((left, [each.left for each in every]), (right, [each.right for each in every])):
        tests = [
            scores >= event.cut
            for scores, each in zip(mine, every, strict=True)
            for event in each.events
            if isinstance(event, Event)
        ]
        seen = [*output_events(side[:search], side[search:]), *tests]
        if uneven_calls_p_value(seen, search, calls) < RISK:
            return Score(unfit=UNEVEN_CALLS, scored_by=score.scored_by)
    return score


def better_sign(left: Array, right: Array, search: int, curve: Curve, level: float) -> ScoredTrials:
    """Returns the scores or their negatives, whichever certify more on the search trials.
    So an audit does not depend on which input is called left."""
    both = [scored_by_search(sign * left, sign * right, search, curve, level) for sign in (1, -1)]
    fresh = len(left) - search
    likely = [
        cautious_excess(sign * left[:search], sign * right[:search], each.events[0], curve, fresh)
        for sign, each in zip((1, -1), both, strict=True)
    ]
    return both[likely[1] > likely[0]]


def output_events(search: Array, fresh: Array) -> Iterator[NDArray[np.bool_]]:
    """Yields events of fresh trials, two for every number of an output.
    The number is finite, and it lies above the median of the search trials; (trials,) each, from outputs (trials,
    d)."""
    for known, column in zip(search.T, fresh.T, strict=True):
        yield np.isfinite(column)
        numbers = known[np.isfinite(known)]
        if len(numbers):
            middle = np.median(numbers)
            # An atom in the middle goes to the side that then comes nearer to a half.
            with_it = abs(np.mean(numbers >= middle) - 0.5) < abs(np.mean(numbers > middle) - 0.5)
            yield column >= middle if with_it else column > middle


def score_by_user(score: OutputScore, outputs: Array) -> Array:
    """Returns the scores that a user's function `score` gives to the outputs.
    Raises ValueError if it does not return one score for each trial, or if a trial's score depends on other trials.
    (The mean of a side, for example, differs between any two inputs although no single trial reveals anything.)"""
    scores = reals("the score", score(outputs.copy()))  # a copy: a score may well reuse its buffer
    if scores.shape != (len(outputs),):
        raise ValueError(
            f"the score of {len(outputs)} outputs has shape {scores.shape}; it must have shape "
            f"({len(outputs)},), one number for each trial"
        )
    bad = np.flatnonzero(np.isnan(scores))
    if len(bad):
        raise ValueError(
            f"the score of trial {int(bad[0])} of {len(outputs)} is nan; every score must be a number or +-inf"
        )
    few = len(outputs) // 2
    again, numbers = reals("the score", score(outputs[:few].copy())), scores[np.isfinite(scores)]
    spread = float(np.subtract(*np.quantile(numbers, [0.75, 0.25])) or np.ptp(numbers)) if len(numbers) else 0.0
    if (
        again.shape != (few,)
        or np.mean(~np.isclose(again, scores[:few], rtol=SAME_SCORE, atol=SAME_SINGLE * spread)) > ODD_SCORES
    ):
        raise ValueError(
            f"the score of the first {few} of {len(outputs)} outputs changes if the other outputs are left out; "
            "compute the score of a trial only from the outputs of this trial and from fixed numbers"
        )
    return scores
