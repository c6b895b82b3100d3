"""What the two errors of a test show about privacy: alpha, the type I error, and beta, the type II error.

All of these fall as an error grows, so that upper limits of the errors give lower limits of what is shown; and none
changes when alpha and beta change places, which is the complementary event with the sides swapped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array


def mu_lower(alpha: Any, beta: Any) -> Any:
    """The mu below which no mu-GDP mechanism allows a test with errors alpha and beta; at least 0."""
    with np.errstate(invalid="ignore"):  # an error of 0 beside one of 1 says nothing, and inf - inf says nan
        return np.where(np.add(alpha, beta) < 1, np.maximum(0.0, -ndtri(alpha) - ndtri(beta)), 0.0)


def delta_lower(alpha: Any, beta: Any, eps: Any) -> Any:
    """The delta below which no (eps, delta)-DP mechanism allows a test with these errors; at least 0."""
    one = 1 - beta - el.exp(eps) * alpha
    other = 1 - alpha - el.exp(eps) * beta
    return np.maximum(0.0, np.maximum(one, other))


def eps_lower(alpha: Any, beta: Any, delta: Any) -> Any:
    """The eps below which no (eps, delta)-DP mechanism allows a test with these errors; at least 0, maybe inf."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one = el.log(np.maximum(0.0, 1 - beta - delta)) - el.log(alpha)
        other = el.log(np.maximum(0.0, 1 - alpha - delta)) - el.log(beta)
    return np.nan_to_num(np.maximum(0.0, np.maximum(one, other)), nan=0.0, posinf=np.inf)


def renyi_lower(alpha: Any, beta: Any, order: Any) -> Any:
    """The Renyi divergence of this order > 1 that a mechanism has at least, in one direction or the other, if it
    allows a test with these errors: that of the test's own outcome, by data processing. At least 0, maybe inf."""
    with np.errstate(divide="ignore", invalid="ignore"):
        right, left = el.log1p(-np.asarray(beta)), el.log(alpha)  # of "right" on the right, on the left
        other_right, other_left = el.log(beta), el.log1p(-np.asarray(alpha))
        one = np.logaddexp(log_renyi_term(right, left, order), log_renyi_term(other_right, other_left, order))
        other = np.logaddexp(log_renyi_term(left, right, order), log_renyi_term(other_left, other_right, order))
        shown = np.maximum(one, other) / (order - 1)
    return np.where(np.add(alpha, beta) < 1, np.maximum(0.0, shown), 0.0)


def log_renyi_term(p: Any, q: Any, order: Any) -> Any:
    """The log of p^order q^(1 - order), of the logs of two probabilities; what is impossible under p counts nothing."""
    return np.where(p == -np.inf, -np.inf, order * p + (1 - order) * q)


def least_beta(alpha: Any, eps: Any, delta: Any) -> Array:
    """The smallest type II error that (eps, delta)-DP for all of these pairs (m,) allows at each type I error; 0 where
    there are none."""
    alpha = np.asarray(alpha, dtype=np.float64)
    if not len(delta):
        return np.zeros(alpha.shape)
    with np.errstate(over="ignore", invalid="ignore"):  # e^eps may overflow, and no event has 0 times as much
        low = 1 - delta - np.where(alpha[:, None] > 0, el.exp(eps) * alpha[:, None], 0.0)
    high = el.exp(-eps) * (1 - delta - alpha[:, None])
    return np.asarray(np.maximum(0.0, np.maximum(low, high).max(axis=1)))
