"""The privacy profile delta(eps) of mu-GDP and its tangents, computed as logarithms. They give bounds on mu from points
(eps, delta), also for very small delta.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.bandits.noise import Array

SMALLEST_MU = 1e-6  # below it, the two terms of a Gaussian's delta cancel too far to say more than "small"
PRECISION = 1e-12  # to which the mu of a Gaussian that touches a curve is found, relatively
# The relative rounding error of a Gaussian's delta stays below this for mu >= SMALLEST_MU
GAUSSIAN_DELTA_ROUNDING = 1e-9


def log_gaussian_delta(eps: Array, mu: float | Array) -> Array:
    """The logarithm of delta(eps) of mu-GDP (Dong, Roth and Su 2022, Corollary 2.13), accurate in the deep tail."""
    return log_gaussian_tangent(eps, eps, mu)[0]


def log_gaussian_tangent(touch: Array, eps: Array, mu: float | Array) -> tuple[Array, Array]:
    """The logarithm of a tangent to the delta curve of mu-GDP at `eps`, and how much its two terms cancel.
    The tangent touches at eps = `touch`, is linear in exp(eps), and is evaluated at `eps`.

    The log is -inf if the tangent is negative. A measure of x means that the two terms of the difference are 1 and x:
    for x near 1 the relative error grows by 1/(1-x).
    """
    first, second = log_ndtr(mu / 2 - touch / mu), log_ndtr(-mu / 2 - touch / mu) + eps
    share = el.exp(np.minimum(second - first, 0.0))
    with np.errstate(divide="ignore"):
        return np.asarray(first + el.log1p(-share)), np.asarray(share)


def log_tangent_error(touch: Array, eps: Array, mu: float | Array, share: Array) -> Array:
    """A bound on the error of `log_gaussian_tangent`.
    A few units of the size of each term, divided by the part that does not cancel; inf if everything cancels."""
    with np.errstate(divide="ignore"):
        return np.asarray(32 * UNIT_ROUNDOFF * (1 + eps + (mu / 2 + touch / mu) ** 2) / (1 - share))


def below_some_tangent(stretches: Array, mu: float) -> NDArray[np.bool_]:
    """Whether a tangent to the delta curve of mu-GDP lies above both ends of each interval, (intervals,).
    stretches: columns (left eps, right eps, log delta at the left, log delta at the right)."""
    left, right, high_left, high_right = stretches
    good = np.zeros(left.shape, dtype=bool)
    for share_of_way in (0.0, 1.0, 0.5):
        rest = ~good
        start, stop = left[rest], right[rest]
        touch = start + share_of_way * (stop - start)
        above = np.ones(start.shape, dtype=bool)
        for end, value in ((start, high_left[rest]), (stop, high_right[rest])):
            log, share = log_gaussian_tangent(touch, end, mu)
            with np.errstate(invalid="ignore"):
                enough = log - log_tangent_error(touch, end, mu, share) >= value
            above &= np.where(value == -np.inf, share < 1 - 1e-12, enough)
        good[rest] = above
    return good


def mu_lower_bound(eps: Array, log_deltas: Array) -> float:
    """A lower bound on the mu of a mechanism, from lower bounds on its delta (as logs) at some eps; 0 without bounds.
    For any smaller mu, the delta of mu-GDP is below one of these values. eps: (n,). log_deltas: the finite logarithms
    of the lower bounds on delta at these eps.
    """
    if not eps.size:
        return 0.0
    inside, outside = SMALLEST_MU, 2.0  # around the largest of all points' values: one bisection, of ever fewer
    while (short := log_gaussian_delta(eps, outside) < log_deltas).any():
        eps, log_deltas, outside = eps[short], log_deltas[short], 2 * outside
        if outside > 1e6:
            return float(np.inf)
    while outside - inside > PRECISION * outside:
        middle = (inside + outside) / 2
        if (below := log_gaussian_delta(eps, middle) < log_deltas).any():
            eps, log_deltas, inside = eps[below], log_deltas[below], middle
        else:
            outside = middle
    return inside * (1 - GAUSSIAN_DELTA_ROUNDING) if inside > 2 * SMALLEST_MU else 0.0
