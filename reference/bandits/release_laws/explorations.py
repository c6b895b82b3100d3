"""Laws of policies that explore by a formula: epsilon-greedy, softmax and EXP3's mixture, inverse gap weighting.

All take scores of shape (states, arms) and pull one arm. `ties` determines which of several arms with the best score
counts as the best, as in `ties.largest`: "first" (the default, like argmax), "last", "shared", or "any" if this is left
open.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import positive, reals
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Law, one_arm
from dpbandits.reference.bandits.recommendations import unit
from dpbandits.reference.bandits.release_laws.ties import best_arms
from dpbandits.reference.bandits.release_laws.winners import law_from_logarithms


def epsilon_greedy(scores: ArrayLike, epsilon: float, ties: str = "first") -> Law:
    """The law of the best arm with probability 1 - epsilon, and otherwise a uniformly random arm. epsilon: in [0, 1].
    ties: which of several best arms counts as the best."""
    values, epsilon = (
        finite_scores("epsilon_greedy", scores),
        checked_exploration_probability("epsilon_greedy", epsilon),
    )
    each = epsilon / values.shape[1]
    best = best_arms(values, ties)
    chance = np.where(best.share == 1, 1 - epsilon + each, (1 - epsilon) * best.share + each)
    return one_arm(chance, 1, 4 * UNIT_ROUNDOFF, 0.0)._replace(open=best.open, scores=values)


def softmax(scores: ArrayLike, temperature: float, uniform: float = 0.0) -> Law:
    """The law with probability (1 - g) e^(s_a/tau) / sum_b e^(s_b/tau) + g/K for arm a.

    temperature: tau > 0. uniform: g in [0, 1], 0 for Boltzmann exploration; EXP3 (Auer, Cesa-Bianchi, Freund and
    Schapire 2002, Figure 1) has s_a/tau = log w_a. Logarithms have a relative error however small the probability.
    """
    values, share = finite_scores("softmax", scores), checked_exploration_probability("softmax", uniform)
    positive("softmax: tau (temperature)", temperature)
    with np.errstate(over="ignore"):
        below = finite_gaps("softmax", (values - values.max(axis=1, keepdims=True)) / temperature, values)
    log = below - el.log(el.exp(below).sum(axis=1, keepdims=True))
    if share > 0:
        with np.errstate(divide="ignore"):
            log = np.logaddexp(log + el.log1p(-share), el.log(share / values.shape[1]))
    error = UNIT_ROUNDOFF * (4 * np.abs(below) + 4 * np.abs(log) + values.shape[1] + 16)
    return law_from_logarithms(unit(log.shape[1]), log, error)


def inverse_gap_weighting(scores: ArrayLike, gamma: float, ties: str = "first") -> Law:
    """The law with probability 1/(K + gamma (s_best - s_a)) for every arm a except the best one, which gets the rest.

    gamma: >= 0, the learning rate of SquareCB (Foster and Rakhlin 2020, Algorithm 1, with mu = K). ties: which of
    several best arms counts as the best.
    """
    values = finite_scores("inverse_gap_weighting", scores)
    if not (np.isfinite(gamma) and gamma >= 0):
        raise ValueError(f"inverse_gap_weighting: gamma is {gamma!r}; it must be a finite number, at least 0")
    arms, found = values.shape[1], best_arms(values, ties)
    best = found.share == found.share.max(axis=1, keepdims=True)
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = finite_gaps("inverse_gap_weighting", gamma * (values.max(axis=1, keepdims=True) - values), values)
    others = np.where(best, 0.0, 1 / (arms + gaps))
    # Each of the others is at most 1/K, so that what is left is at least 1/K, and its rounding K + 4 units of 1.
    chance = np.where(best, (1 - others.sum(axis=1, keepdims=True)) / best.sum(axis=1, keepdims=True), others)
    law = one_arm(chance, 1, UNIT_ROUNDOFF * (arms * (arms + 4) + 8), 0.0)
    return law._replace(open=found.open, scores=values)


def finite_scores(error_prefix: str, scores: ArrayLike) -> Array:
    """The scores as doubles. Raises ValueError for another shape, or an entry that is not finite."""
    values = reals(f"{error_prefix}: scores", scores)
    if values.ndim != 2:
        raise ValueError(f"{error_prefix}: scores have shape {values.shape}; they must have shape (states, arms)")
    if not (finite := np.isfinite(values)).all():
        state, arm = np.argwhere(~finite)[0]
        raise ValueError(
            f"{error_prefix}: the score of arm {arm} in state {state} is {values[state, arm]}; give finite numbers"
        )
    return values


def finite_gaps(error_prefix: str, gaps: Array, scores: Array) -> Array:
    """Returns `gaps` unchanged. Raises ValueError if a gap to the best score is too large for a double."""
    if not (finite := np.isfinite(gaps)).all():
        state, arm = np.argwhere(~finite)[0]
        raise ValueError(
            f"{error_prefix}: in state {state}, the score {scores[state, arm]:g} of arm {arm} is too far below the "
            f"largest score, {scores[state].max():g}, for doubles; rescale the scores"
        )
    return gaps


def checked_exploration_probability(error_prefix: str, probability: float) -> float:
    """Returns the probability of exploring as a float. Raises ValueError unless it is in [0, 1]."""
    if not 0 <= probability <= 1:
        raise ValueError(f"{error_prefix}: the exploration probability is {probability!r}; it must lie in [0, 1]")
    return float(probability)
