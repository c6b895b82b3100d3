"""Estimates, from runs of many neighbouring pairs at once, by how much each pair violates a claim.

A likelihood ratio is learned for every pair on half of its runs and scores the other half, and vice versa. So all runs
count, and no run is scored by a ratio that was learned from it. The estimated violation is the largest z, over
thresholds of the score, of (f(alpha) - beta) / its standard deviation: f is the claimed trade-off curve, alpha and beta
the errors of the test "right if the score is at least the threshold". The estimate only ranks pairs.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.transcripts import Transcripts
from dpbandits.audit.privacy.scores import contexts
from dpbandits.audit.privacy.scores.learning import LEANS, estimated_ratios, taught
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints
from dpbandits.reference.curves import Curve, derived

MAX_RATIO = 600.0  # of a log-likelihood ratio that is told from infinity
EXACT_GRID = 4096  # steps of alpha between which the claimed curve is interpolated
CHAIN = ("step", "changed arm", "counts", "counts, last", "all")  # contexts of the learnt ratio, from coarse to fine


class Scores(NamedTuple):
    """The scores of the runs on the left and on the right side of every pair, (pairs, runs) each. exact: whether they
    are the log-likelihood ratio log P_right/P_left itself."""

    left: Array
    right: Array
    exact: bool = False


def cross_fitted_scores(sides: tuple[Transcripts, Transcripts], relation: str, arm: Ints, place: Ints) -> list[Scores]:
    """Returns the learned scores of the runs of several pairs, one set for every depth of the chain of contexts.
    Each half of the runs is scored by what the other half teaches. sides: padded to equal lengths; trial i belongs to
    pair i modulo the number of pairs. arm, place: of the change in each pair, (pairs,)."""
    pairs = len(arm)
    cut = sides[0].trials // pairs // 2 * pairs
    halves = [[side.part(0, cut) for side in sides], [side.part(cut, side.trials) for side in sides]]
    cells = [cells_of_pairs(side, relation, arm, place) for half in halves for side in half]
    first_left, first_right, second_left, second_right = contexts.number_cells(cells)
    ways = [
        estimated_ratios([taught(*teachers, name) for name in CHAIN], asked, LEANS[-1])
        for teachers, asked in (
            ((first_left, first_right), (second_left, second_right)),
            ((second_left, second_right), (first_left, first_right)),
        )
    ]
    found = []
    for one, other in zip(*ways, strict=True):
        left, right = (np.concatenate(both).reshape(-1, pairs).T for both in zip(one, other, strict=True))
        found.append(Scores(left, right))
    return found


def cells_of_pairs(seen: Transcripts, relation: str, arm: Ints, place: Ints) -> contexts.Cells:
    """Returns the cells of runs of several pairs, as `contexts.cells` does for one pair.
    Contexts of different pairs never share a cell."""
    pairs, ODD = len(arm), contexts.ODD
    which = np.arange(seen.trials) % pairs
    mark = contexts.mixed_bits(np.arange(1, pairs + 1, dtype=np.uint64) * ODD)[which][:, None]
    words = contexts.symbols(seen)
    own = contexts.sums_before(pulls_of_arms(seen, arm[which]))
    made = own if relation == "pull" else contexts.sums_before(seen.sizes.astype(np.int64))
    paid = made > (place[which] - (relation == "user"))[:, None]  # whose context is seen before the round's release
    step = contexts.mixed_bits(np.arange(1, words.shape[1] + 1, dtype=np.uint64) * ODD)[None, :] ^ mark
    at = np.nonzero(paid)
    steps = step[at]
    counts = contexts.mixed_bits(contexts.sums_before(words) ^ step)
    last = contexts.released_before(words, 1)
    makers = {
        "step": lambda: steps,
        "changed arm": lambda: contexts.mixed_bits(own[at].astype(np.uint64) * ODD) ^ steps,
        "counts": lambda: counts[at],
        "counts, last": lambda: contexts.mixed_bits((counts + last)[at]),
        "all": lambda: contexts.mixed_bits((contexts.whole_pasts(words) ^ step)[at]),
    }
    return contexts.Cells(len(words), at[0], words[at], makers)


def pulls_of_arms(seen: Transcripts, arm: Ints) -> NDArray[np.int64]:
    """Returns how often each step of each trial pulled the trial's arm, (trials, steps).
    arm: of each trial. Each trial has its own arm."""
    if seen.counts.shape[1]:
        return np.take_along_axis(seen.counts, arm[:, None, None], 2)[:, :, 0].astype(np.int64)
    return np.where(seen.arms == arm[:, None], seen.sizes, 0).astype(np.int64)


def violations(curve: Curve, scores: Scores) -> Array:
    """Estimates the violation of every pair, (pairs,); the result is at least 0."""
    return violations_by_ratios(curve, scores) if scores.exact else violations_by_counts(curve, scores)


def violations_by_counts(curve: Curve, scores: Scores) -> Array:
    """Estimates the violation of every pair, (pairs,), in standard deviations, from counts of errors.
    Errors are counted at every threshold. Both variances are estimated with one more error and one more success than
    observed."""
    runs = scores.left.shape[1]
    both = np.concatenate(scores[:2], axis=1)
    order = np.argsort(both, axis=1, kind="stable")
    below_left = np.cumsum(order < runs, axis=1)
    below_right = np.arange(1, 2 * runs + 1) - below_left
    grid = np.arange(runs + 1) / runs
    f, slope = claimed_errors(curve, runs)
    at = runs - below_left
    share_left, share_right = (at + 1) / (runs + 2), (below_right + 1) / (runs + 2)
    variance = (slope[at] ** 2 * share_left * (1 - share_left) + share_right * (1 - share_right)) / runs
    z = (f[at] - grid[below_right]) / np.sqrt(variance)
    z = np.where(ends_of_ties(np.take_along_axis(both, order, axis=1)), z, 0.0)
    return np.asarray(np.maximum(z.max(axis=1), 0.0))


def violations_by_ratios(curve: Curve, scores: Scores) -> Array:
    """Estimates the violation of every pair, (pairs,), from the likelihood ratios of its runs.
    Each error is estimated from the runs of both sides: a run has the weight of its side's probability in the average
    of both. This takes far fewer runs than counting errors."""
    runs = scores.left.shape[1]
    value = np.sort(np.concatenate(scores[:2], axis=1), axis=1)
    right = 2 / (1 + el.exp(-np.clip(value, -MAX_RATIO, MAX_RATIO)))
    left = 2 - right
    beta, beta_squares = (np.cumsum(part, axis=1) / (2 * runs) for part in (right, right**2))
    alpha, alpha_squares = (
        np.maximum(part.sum(axis=1, keepdims=True) - np.cumsum(part, axis=1), 0.0) / (2 * runs)
        for part in (left, left**2)
    )
    f, slope = claimed_errors(curve, EXACT_GRID)
    place = np.clip(alpha, 0, 1) * EXACT_GRID
    promised, steep = (np.interp(place, np.arange(EXACT_GRID + 1), each) for each in (f, slope))
    mean = beta - steep * alpha
    variance = np.maximum(beta_squares + steep**2 * alpha_squares - mean**2, 0.0) / (2 * runs)
    floor = (1 + steep**2) / (2 * runs) ** 2  # of what no run has shown
    z = (promised - beta) / np.sqrt(variance + floor)
    return np.asarray(np.maximum(np.where(ends_of_ties(value), z, 0.0).max(axis=1), 0.0))


def ends_of_ties(values: Array) -> NDArray[np.bool_]:
    """Marks the last of equal values in sorted rows, (pairs, n); no threshold lies between equal values."""
    ends = np.ones(values.shape, dtype=bool)
    ends[:, :-1] = values[:, 1:] > values[:, :-1]
    return ends


@lru_cache(maxsize=64)
def claimed_errors(curve: Curve, runs: int) -> tuple[Array, Array]:
    """The claimed trade-off curve at 0, 1/runs, ..., 1, and its slope there.
    Interpolated, because evaluating a curve may be slow."""
    tails = el.geometric(1e-4, 0.5, 120)
    knots = np.unique(np.concatenate([tails, 1 - tails, [0.0, 1.0]]))
    grid = np.arange(runs + 1) / runs
    f = np.interp(grid, knots, np.clip(derived.beta_at(curve, knots), 0.0, 1.0))
    return f, np.gradient(f, grid)


def separations(scores: Scores) -> Array:
    """Returns how far right scores exceed left scores, in [-1, 1], for each pair, (pairs,).
    It is the probability that a right score exceeds a left score, minus the probability that it is smaller."""
    runs = scores.left.shape[1]
    both = np.concatenate(scores[:2], axis=1)
    order = np.argsort(both, axis=1, kind="stable")
    value = np.take_along_axis(both, order, axis=1)
    is_left = order < runs
    # Of equal scores, half of the left ones count as below: the mean of both cumulative counts at their ends.
    starts = np.ones(order.shape, dtype=bool)
    starts[:, 1:] = value[:, 1:] > value[:, :-1]
    below = np.cumsum(is_left, axis=1)
    first = np.maximum.accumulate(np.where(starts, np.arange(2 * runs), 0), axis=1)
    last = np.minimum.accumulate(np.where(ends_of_ties(value), np.arange(2 * runs), 2 * runs)[:, ::-1], axis=1)[:, ::-1]
    under = np.take_along_axis(below - is_left, first, axis=1)
    upto = np.take_along_axis(below, last, axis=1)
    return np.asarray(np.where(is_left, 0, under + upto).sum(axis=1) / runs**2 - 1)
