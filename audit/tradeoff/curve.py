"""Certified points of an empirical trade-off curve, and what they say about a claimed one.

A test that tells "left" from "right" makes errors of two kinds: alpha is the probability of saying "right" on the
left, beta of saying "left" on the right. Clopper-Pearson turns error counts on fresh trials into upper bounds of
both, and this rectangle is all that is ever concluded from samples: every epsilon, delta and mu below holds with
the confidence of the rectangle, for all claims and in both directions at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainccinv

from dpbandits.reference.curves import Curve


def upper_limit(count: Any, trials: int, level: float) -> Any:
    """The one-sided Clopper-Pearson upper limit: exceeded by the truth with probability at most `level`.

    A quantile of Beta(count + 1, trials - count), taken from above, where a small level loses no digits. count:
    numbers or arrays, need not be whole (then it interpolates, which only planning may use).
    """
    count = np.asarray(count, dtype=np.float64)
    return np.where(count >= trials, 1.0, betainccinv(count + 1, np.maximum(trials - count, 1e-9), level))


class Point(NamedTuple):
    """One event's estimated errors, and their joint upper bounds."""

    alpha: float
    beta: float
    alpha_upper: float
    beta_upper: float


def certified(errors_left: int, errors_right: int, trials: int, level: float, share: float = 0.5) -> Point:
    """The point of a test with these error counts out of `trials` on each side; wrong with probability <= level.

    share: of the level, what alpha's limit spends; beta's spends the rest. Fixed before the counts are seen.
    """
    return Point(
        errors_left / trials,
        errors_right / trials,
        float(upper_limit(errors_left, trials, level * share)),
        float(upper_limit(errors_right, trials, level * (1 - share))),
    )


# -- what a claimed curve makes of errors ------------------------------------------------------------------------


class Excess(NamedTuple):
    """By how much errors contradict a claim (positive: they do), and where, in the claim's own number."""

    amount: Any
    shown: Any  # the certified lower bound
    at: Any  # the delta or the order; nan where the number says it all


def excess(curve: Curve, alpha: Any, beta: Any) -> Excess:
    """What a test with errors (at most) alpha and beta says about the claim, where it suffers most; arrays welcome."""
    alpha, beta = np.broadcast_arrays(np.asarray(alpha, float), np.asarray(beta, float))
    claimed, at = curve.points()
    if not len(claimed):  # it promises nothing
        return Excess(np.full(alpha.shape, -np.inf), np.zeros(alpha.shape), np.full(alpha.shape, np.nan))
    shown = curve.shown(alpha[..., None], beta[..., None], at)
    worst = (shown - claimed).argmax(axis=-1)
    shown = np.take_along_axis(shown, worst[..., None], axis=-1)[..., 0]
    return Excess(shown - claimed[worst], shown, at[worst])
