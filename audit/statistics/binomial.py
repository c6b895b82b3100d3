"""Tails and quantiles of binomial counts, by the incomplete beta function. `scipy.stats` has the same functions, but
importing it takes longer than many audits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, ndtri

from dpbandits.reference.bandits.noise import Array


def binomial_tail(count: ArrayLike, trials: ArrayLike, probability: ArrayLike) -> Array:
    """P(X >= count) of a binomial X, for integer counts."""
    count, trials, probability = np.broadcast_arrays(
        *(np.asarray(each, dtype=float) for each in (count, trials, probability))
    )
    inside = np.clip(count, 1, np.maximum(trials, 1))
    tail = betainc(inside, np.maximum(trials - inside + 1, 1), probability)
    return np.where(count <= 0, 1.0, np.where(count > trials, 0.0, tail))


def binomial_cdf(count: ArrayLike, trials: ArrayLike, probability: ArrayLike) -> Array:
    """P(X <= count) of a binomial X, for integer counts."""
    return binomial_tail(np.asarray(trials) - np.asarray(count), trials, 1 - np.asarray(probability, dtype=float))


def binomial_quantile(share: float, trials: int, probability: ArrayLike) -> Array:
    """The smallest count k with P(X <= k) >= share, for share in (0, 1); nan for a probability outside [0, 1]."""
    probability = np.asarray(probability, dtype=float)
    inner = (probability > 0) & (probability < 1)
    certain = np.where(probability == 1, float(trials), np.where(probability == 0, 0.0, np.nan))
    p = probability[inner]
    low, high = np.full(p.shape, -1.0), np.full(p.shape, float(trials))  # P(X <= low) < share <= P(X <= high)
    # A normal variable of the same mean, variance and skewness is near, mostly to within one. From there the steps
    # double until the answer lies between two of them.
    z, spread = ndtri(share), np.sqrt(trials * p * (1 - p))
    middle = np.clip(np.ceil(trials * p + z * spread + (1 - 2 * p) * (z * z - 1) / 6 - 0.5), 0, trials)
    step = 1.0
    while (open_ := high - low > 1).any():
        enough = binomial_cdf(middle, trials, p) >= share
        low, high = np.where(open_ & ~enough, middle, low), np.where(open_ & enough, middle, high)
        beside = np.where(enough, middle - step, middle + step)
        middle = np.where((beside > low) & (beside < high), beside, np.floor((low + high) / 2))
        middle, step = np.where(high - low > 1, middle, high), 2 * step
    found = certain.copy()
    found[inner] = high
    return found
