"""The privacy profile of mu-GDP and its tangents in logarithms, far into the tail: what lies below which."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from dpbandits.proofs_checks.exact.moments import UNIT_ROUNDOFF
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

SMALLEST_MU = 1e-6  # below it, the two terms of a Gaussian's delta cancel too far to say more than "small"
PRECISION = 1e-12  # to which the mu of a Gaussian that touches a curve is found, relatively
# The relative rounding error of a Gaussian's delta stays below this for mu >= SMALLEST_MU
GAUSSIAN_DELTA_ROUNDING = 1e-9


def log_gaussian_delta(eps: Array, mu: Any) -> Array:
    """The log of the privacy profile of mu-GDP, safe in the deep tail."""
    return log_tangent(eps, eps, mu)[0]


def log_tangent(touch: Array, eps: Array, mu: Any) -> tuple[Array, Array]:
    """The log at eps of the tangent, at `touch`, to the Gaussian's delta; and the share of it that cancels.

    -inf where the tangent is negative. The share x says that the two terms are 1 and x: with x near 1 the
    relative error grows by 1/(1-x).
    """
    first, second = log_ndtr(mu / 2 - touch / mu), log_ndtr(-mu / 2 - touch / mu) + eps
    share = el.exp(np.minimum(second - first, 0.0))
    with np.errstate(divide="ignore"):
        return np.asarray(first + el.log1p(-share)), np.asarray(share)


def tangent_error(touch: Array, eps: Array, mu: Any, share: Array) -> Array:
    """What `log_tangent` may be off by: log_ndtr and the differences of logs by a few units of the size of their terms;
    inf where all of it cancels."""
    with np.errstate(divide="ignore"):
        return np.asarray(32 * UNIT_ROUNDOFF * (1 + eps + (mu / 2 + touch / mu) ** 2) / (1 - share))


def dominated(stretches: Array, mu: float) -> NDArray[np.bool_]:
    """For each stretch, a column (eps on the left, eps on the right, the log deltas there): whether some tangent of the
    Gaussian's delta lies above it.
    """
    left, right, high_left, high_right = stretches
    good = np.zeros(left.shape, dtype=bool)
    for share_of_way in (0.0, 1.0, 0.5):
        rest = ~good
        start, stop = left[rest], right[rest]
        touch = start + share_of_way * (stop - start)
        above = np.ones(start.shape, dtype=bool)
        for end, value in ((start, high_left[rest]), (stop, high_right[rest])):
            log, share = log_tangent(touch, end, mu)
            with np.errstate(invalid="ignore"):
                enough = log - tangent_error(touch, end, mu, share) >= value
            above &= np.where(value == -np.inf, share < 1 - 1e-12, enough)
        good[rest] = above
    return good


def least_mu(eps: Array, low: Array) -> float:
    """The largest mu whose Gaussian touches a point: at eps, delta is at least exp(low), (n,), finite; 0 for none."""
    if not eps.size:
        return 0.0
    inside, outside = SMALLEST_MU, 2.0  # around the largest of all points' values: one bisection, of ever fewer
    while (short := log_gaussian_delta(eps, outside) < low).any():
        eps, low, outside = eps[short], low[short], 2 * outside
        if outside > 1e6:
            return float(np.inf)
    while outside - inside > PRECISION * outside:
        middle = (inside + outside) / 2
        if (below := log_gaussian_delta(eps, middle) < low).any():
            eps, low, inside = eps[below], low[below], middle
        else:
            outside = middle
    return inside * (1 - GAUSSIAN_DELTA_ROUNDING) if inside > 2 * SMALLEST_MU else 0.0
