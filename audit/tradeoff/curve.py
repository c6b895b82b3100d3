"""Certified points of an empirical trade-off curve, and what they say about a claimed one.

A test that tells "left" from "right" makes errors of two kinds: alpha is the probability of saying "right" on the
left, beta of saying "left" on the right. Clopper-Pearson turns error counts on fresh trials into upper bounds of
both, and this rectangle is all that is ever concluded from samples: every epsilon, delta and mu below holds with
the confidence of the rectangle, for all claims and in both directions at once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainccinv, ndtr, ndtri

from dpbandits.proofs_checks.vocabulary.contexts import fp
from dpbandits.reference.curves import Approximate, Curve, Family, Gaussian, gaussian_delta

DELTAS = 241  # how many deltas of a Family are looked at; more would only find more


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


def mu_lower(alpha: Any, beta: Any) -> Any:
    """The mu below which no mu-GDP mechanism allows a test with errors alpha and beta; at least 0."""
    with np.errstate(invalid="ignore"):  # an error of 0 beside one of 1 says nothing, and inf - inf says nan
        return np.where(np.add(alpha, beta) < 1, np.maximum(0.0, -ndtri(alpha) - ndtri(beta)), 0.0)


def delta_lower(alpha: Any, beta: Any, eps: Any) -> Any:
    """The delta below which no (eps, delta)-DP mechanism allows a test with these errors; at least 0."""
    one = 1 - beta - np.exp(eps) * alpha
    other = 1 - alpha - np.exp(eps) * beta
    return np.maximum(0.0, np.maximum(one, other))


def eps_lower(alpha: Any, beta: Any, delta: Any) -> Any:
    """The eps below which no (eps, delta)-DP mechanism allows a test with these errors; at least 0, maybe inf."""
    with np.errstate(divide="ignore"):
        one = np.log(np.maximum(0.0, 1 - beta - delta)) - np.log(alpha)
        other = np.log(np.maximum(0.0, 1 - alpha - delta)) - np.log(beta)
    return np.nan_to_num(np.maximum(0.0, np.maximum(one, other)), nan=0.0, posinf=np.inf)


# -- what a claimed curve makes of errors ------------------------------------------------------------------------


class Excess(NamedTuple):
    """By how much errors contradict a claim (positive: they do), at which delta, in the claim's own number."""

    amount: Any  # in mu, or in eps at this delta
    shown: Any  # the certified lower bound: of mu, or of eps at this delta
    delta: Any  # nan for a Gaussian claim


def excess(curve: Curve, alpha: Any, beta: Any) -> Excess:
    """What a test with errors (at most) alpha and beta says about the claim; arrays welcome.

    A Gaussian claim is compared in mu. A Family is compared in eps at the delta where it suffers most.
    Raises TypeError for a curve that errors alone cannot contradict (Renyi).
    """
    alpha, beta = np.broadcast_arrays(np.asarray(alpha, float), np.asarray(beta, float))
    if isinstance(curve, Gaussian):
        shown = mu_lower(alpha, beta)
        return Excess(shown - curve.mu, shown, np.full(alpha.shape, np.nan))
    if isinstance(curve, Approximate):
        shown = eps_lower(alpha, beta, curve.delta)
        return Excess(shown - curve.eps, shown, np.full(alpha.shape, curve.delta))
    if isinstance(curve, Family):
        deltas, eps = family_points(curve)
        shown = eps_lower(alpha[..., None], beta[..., None], deltas)
        worst = (shown - eps).argmax(axis=-1)
        shown = np.take_along_axis(shown, worst[..., None], axis=-1)[..., 0]
        return Excess(shown - eps[worst], shown, deltas[worst])
    raise TypeError(f"errors of a test say nothing about {type(curve).__name__}")


@lru_cache(maxsize=64)
def family_points(curve: Family) -> tuple[Any, Any]:
    """Deltas over the family's range, dense at both ends, and their eps; only those where eps is a number >= 0."""
    width = curve.high - curve.low
    small = np.geomspace(1e-12, 0.5, DELTAS // 2 + 1)
    share = np.unique(np.concatenate([[0.0], small, 1 - small, [1.0]]))
    deltas = curve.low + width * share
    eps = []
    for delta in deltas:
        try:
            with np.errstate(all="ignore"):
                eps.append(float(curve.eps(fp, float(delta))))
        except (ValueError, ZeroDivisionError, OverflowError):
            eps.append(np.nan)
    values = np.asarray(eps)
    good = np.isfinite(values) & (values >= 0) & (deltas >= 0) & (deltas < 1)
    return deltas[good], values[good]


def claimed_delta(curve: Curve, eps: Any) -> Any:
    """The smallest delta that the claim promises at each eps, (m,); 1 where it promises nothing."""
    eps = np.asarray(eps, dtype=np.float64)
    if isinstance(curve, Gaussian):
        if curve.mu <= 0:
            return np.zeros(eps.shape)
        return np.maximum(0.0, np.asarray(gaussian_delta(fp, eps, curve.mu)))
    if isinstance(curve, Approximate):
        # (eps0, delta0)-DP also promises delta0 + (1 - delta0)(e^eps0 - e^eps)/(1 + e^eps0) below eps0.
        below = np.maximum(0.0, 1 - np.exp(eps - curve.eps)) / (1 + np.exp(-curve.eps))
        return curve.delta + (1 - curve.delta) * below
    if isinstance(curve, Family):
        deltas, promised = family_points(curve)
        return np.array([min([1.0, *deltas[promised <= e]]) for e in eps])
    raise TypeError(f"no profile for {type(curve).__name__}")


def claimed_beta(curve: Curve, alpha: Any) -> Any:
    """The smallest type II error that the claim allows at each type I error, (m,)."""
    alpha = np.asarray(alpha, dtype=np.float64)
    if isinstance(curve, Gaussian):
        return ndtr(-ndtri(alpha) - curve.mu)
    if isinstance(curve, Approximate):
        deltas, eps = np.array([curve.delta]), np.array([curve.eps])
    elif isinstance(curve, Family):
        deltas, eps = family_points(curve)
    else:
        raise TypeError(f"no trade-off function for {type(curve).__name__}")
    if not len(deltas):
        return np.zeros(alpha.shape)
    low = 1 - deltas - np.exp(eps) * alpha[:, None]
    high = np.exp(-eps) * (1 - deltas - alpha[:, None])
    return np.maximum(0.0, np.maximum(low, high).max(axis=1))
