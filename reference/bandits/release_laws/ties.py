"""The law of pulling an arm with the largest score, with rules for ties.

ties="shared"  each of the tied arms is as likely as the others
ties="first"   the tied arm with the lowest index
ties="last"    the tied arm with the highest index
ties="any"     any of the tied arms: the paper leaves it open, and no choice among them is wrong

Scores with a relative difference of at most NEAR are equal up to rounding, which depends on the order of additions. If
such scores are not exactly equal, any of these arms is accepted, whatever `ties` is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbandits.reference.arithmetic.checks import reals
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Law
from dpbandits.reference.bandits.recommendations import unit

TIES = ("shared", "first", "last", "any")
NEAR = 1e-9  # of the largest score, or of 1 where that is smaller


class BestArms(NamedTuple):
    """The arms with the largest score. share: the probability that each arm is taken as the best one, (states, arms).
    tied: the arms whose scores are equal up to NEAR, (states, arms). open: those among which any choice is accepted;
    empty if a single arm is best, or if `ties` decides."""

    share: Array
    tied: NDArray[np.bool_]
    open: NDArray[np.bool_]


def best_arms(scores: Array, ties: str) -> BestArms:
    """The arms with the largest score in each state. scores: (states, arms); inf is larger than all finite scores.
    Raises ValueError if `ties` is none of TIES."""
    if ties not in TIES:
        raise ValueError(f"ties is {ties!r}; choose one of {', '.join(map(repr, TIES))}")
    best = scores.max(axis=1, keepdims=True)
    equal = scores == best
    with np.errstate(invalid="ignore", over="ignore"):  # inf - inf, and differences that no double holds
        tied = equal | (best - scores <= NEAR * np.maximum(1.0, np.abs(best)))
    tied &= equal | np.isfinite(best)
    share = equal / equal.sum(axis=1, keepdims=True)
    if ties != "shared":
        order = equal if ties != "last" else equal[:, ::-1]
        place = order.argmax(axis=1)
        share = unit(scores.shape[1])[place if ties != "last" else scores.shape[1] - 1 - place].astype(np.float64)
    left_open = tied.sum(axis=1) > (1 if ties == "any" else equal.sum(axis=1))
    return BestArms(np.asarray(share), tied, tied & left_open[:, None])


def largest(scores: ArrayLike, ties: str = "any") -> Law:
    """The law of a policy that pulls the arm with the largest score, once, without other randomness.

    scores: (states, arms); inf for an arm that has to be pulled first. ties: "shared", "first", "last" or "any". With
    "any", the exact engine uses the first of several tied arms, like numpy's argmax, and `follows_law` accepts all tied
    arms. Raises ValueError for another shape, and for scores that are nan.
    """
    values = reals("largest: scores", scores)
    if values.ndim != 2:
        raise ValueError(f"largest: scores have shape {values.shape}; they must have shape (states, arms)")
    if np.isnan(values).any():
        raise ValueError("largest: a score is nan; scores must be numbers, or inf for an arm that must be pulled first")
    best = best_arms(values, ties)
    arms = values.shape[1]
    counts = np.broadcast_to(unit(arms), (len(values), arms, arms))
    error = 2.0**-53 if ties == "shared" else 0.0
    return Law(counts, best.share, None, error, 0.0, None, best.open, values)
