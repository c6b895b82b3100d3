"""Noisy sums of Bernoulli rewards, Y = B + Z: their distribution function, in logarithms, in every tail.

Rounding: every logarithm is taken to be good to SLACK, of which a binomial law takes most (10^6 units of a logarithm of
factorials), the recursions of n terms 2 n units, and differences of neighbouring values are taken with both ends moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy  # whose submodules are imported where they are first used

from dpbandits.reference.bandits.noise import Array

SLACK = 1e-7  # of every logarithm
NOTHING = -np.inf


class Between(NamedTuple):
    """The logarithm of a chance, at least and at most."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Noisy:
    """B + Z, by the logarithms of what its distribution function is made of, at the integers from -1 to n + 1.

    left[k]: sum_{b <= k} p_b e^(-eps (k - b)). right[k]: sum_{b > k} p_b e^(-eps (b - k)). below, above: P(B <= k),
    P(B > k). Index 0 is k = -1.
    """

    eps: float
    n: int
    left: Array
    right: Array
    below: Array
    above: Array
    log_p: Array  # log P(B = k) for k = 0, ..., n

    def logs(self, x: Array) -> tuple[Array, Array]:
        """log P(Y <= x), log P(Y > x); x: any shape, infinite allowed."""
        k = np.clip(np.floor(x), -1, self.n + 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            place = (k + 1).astype(np.int64)
            away = np.where(np.isfinite(x), x - k, np.where(x > 0, np.inf, -np.inf))
            # For x < -1, all of B lies above; e^(-eps (b - x)) = e^(-eps (b - k)) e^(eps (x - k)).
            left, right = self.left[place] - self.eps * away, self.right[place] + self.eps * away
            left, right = np.where(np.isnan(left), NOTHING, left), np.where(np.isnan(right), NOTHING, right)
            half = np.log(2.0)
            under = self.below[place] + np.log1p(-np.exp(np.minimum(left - self.below[place], 0.0)) / 2)
            over = self.above[place] + np.log1p(-np.exp(np.minimum(right - self.above[place], 0.0)) / 2)
            under, over = np.where(np.isnan(under), NOTHING, under), np.where(np.isnan(over), NOTHING, over)
            return np.minimum(np.logaddexp(under, right - half), 0.0), np.minimum(np.logaddexp(over, left - half), 0.0)

    def window(self, low: Array, high: Array) -> tuple[Array, Array]:
        """log P(low < Y <= high) at least and at most; -inf where high <= low."""
        (f_low, s_low), (f_high, s_high) = self.logs(low), self.logs(high)
        upper = s_low < f_high  # the smaller pair loses less
        big, small = np.where(upper, s_low, f_high), np.where(upper, s_high, f_low)
        found = []
        for way in (-1, 1):
            with np.errstate(invalid="ignore", divide="ignore"):
                gap = small - big - 2 * way * SLACK
                value = big + way * SLACK + np.log(-np.expm1(np.minimum(gap, 0.0)))
            found.append(np.where((high > low) & (big > NOTHING), np.nan_to_num(value, nan=NOTHING), NOTHING))
        return found[0], found[1]


@lru_cache(maxsize=64)
def noisy(n: int, mean: float, eps: float) -> Noisy:
    """The noisy sum of n rewards of Ber(mean)."""
    b = np.arange(-1, n + 2)
    log_p = np.where((b >= 0) & (b <= n), scipy.stats.binom.logpmf(np.clip(b, 0, n), n, mean), NOTHING)

    def decayed(values: Array, rate: float) -> Array:
        """log sum_{j <= k} e^(values_j - rate (k - j)), by accumulation."""
        tilt = rate * np.arange(len(values))
        return np.asarray(np.logaddexp.accumulate(values + tilt) - tilt)

    shifted = np.append(log_p[1:], NOTHING)
    return Noisy(
        eps,
        n,
        decayed(log_p, eps),
        decayed(shifted[::-1], eps)[::-1] - eps,
        np.minimum(decayed(log_p, 0.0), 0.0),
        np.minimum(decayed(shifted[::-1], 0.0)[::-1], 0.0),
        log_p[1:-1],
    )


def total(logs: Array) -> float:
    """log of a sum; a sum of n terms is good to n units, which SLACK has room for."""
    peak = float(np.max(logs, initial=NOTHING))
    return peak if peak == NOTHING else peak + float(np.log(np.exp(logs - peak).sum()))


def both(parts: Sequence[Between]) -> Between:
    return Between(total(np.array([each.low for each in parts])), total(np.array([each.high for each in parts])))


def cells(sums: Sequence[Noisy], fine: int) -> Array:
    """Ends of the cells: fine to a unit and to a scale, from where e^-eps x is below all that counts; and infinite."""
    eps, n = sums[0].eps, sums[0].n
    far = (n + 60) / eps if eps > 1 else n + 60 / eps
    step = min(1.0, 1 / eps) / fine
    middle = np.arange(-far, n + far + step, step)
    return np.concatenate([[-np.inf], middle, [np.inf]])
