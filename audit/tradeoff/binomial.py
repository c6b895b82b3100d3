"""Tails and quantiles of binomial counts, by the incomplete beta function: `scipy.stats` says the same, but takes
longer to import than many an audit."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import bdtrik, betainc

from dpbandits.reference.noise import Array


def at_least(count: Any, trials: Any, chance: Any) -> Array:
    """P(X >= count) of a binomial X, for whole counts."""
    count, trials, chance = np.broadcast_arrays(*(np.asarray(each, dtype=float) for each in (count, trials, chance)))
    inside = np.clip(count, 1, np.maximum(trials, 1))
    tail = betainc(inside, np.maximum(trials - inside + 1, 1), chance)
    return np.where(count <= 0, 1.0, np.where(count > trials, 0.0, tail))


def at_most(count: Any, trials: Any, chance: Any) -> Array:
    """P(X <= count): so many others, at least, are none of them."""
    return at_least(np.asarray(trials) - np.asarray(count), trials, 1 - np.asarray(chance, dtype=float))


def quantile(share: float, trials: int, chance: Any) -> Array:
    """The smallest count k with P(X <= k) >= share, for share in (0, 1); nan for a chance that is none."""
    chance = np.asarray(chance, dtype=float)
    inner = (chance > 0) & (chance < 1)
    certain = np.where(chance == 1, float(trials), np.where(chance == 0, 0.0, np.nan))
    p = chance[inner]
    low, high = np.full(p.shape, -1.0), np.full(p.shape, float(trials))  # P(X <= low) < share <= P(X <= high)
    near = np.nan_to_num(np.ceil(bdtrik(share, trials, p)), nan=0.0)
    middle = np.clip(near, low, high)
    for _ in range(2):  # the guess, and its neighbour on the side where the answer is
        enough = (middle >= 0) & (at_most(middle, trials, p) >= share)
        low, high = np.where(enough, low, np.maximum(low, middle)), np.where(enough, np.minimum(high, middle), high)
        middle = np.clip(np.where(enough, near - 1, near + 1), low, high)
    while (open_ := high - low > 1).any():
        middle = np.where(open_, np.floor((low + high) / 2), high)
        enough = at_most(middle, trials, p) >= share
        low, high = np.where(open_ & ~enough, middle, low), np.where(open_ & enough, middle, high)
    found = certain.copy()
    found[inner] = high
    return found
