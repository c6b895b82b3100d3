"""Sums of independent standard Laplace numbers: a draw of many at once, and their tail.

A Laplace number is sqrt(2 E) Z with a standard exponential E and a standard normal Z, so that the sum of n is
sqrt(2 G) Z with G ~ Gamma(n, 1).

**The tail has positive terms alone.** The sum is G - G', a difference of two Gamma(n, 1): two Poisson processes of rate
1, of which each point belongs to either with chance 1/2. With k points of the one before the n-th of the other,
P(S > x) = sum_{k < n} C(n-1+k, k) 2^-(n+k) P(Poisson(x) < n - k) for x >= 0, which is e^-x sum_{j < n} x^j/j! w_j with
w_j the sum of the weights of k < n - j: nothing cancels, so that the error is relative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaincinv, gammaln

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import checked_integer, reals
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.release_laws.selections.noises import LOG_2, UNIT_ROUNDOFF

MAX_SUM_TERMS = 10**6  # numbers in a sum whose tail is computed: as many terms
LGAMMA = 8  # units of 1 + |log Gamma|, of scipy's gammaln; a test holds it to that


def laplace_sum(t: int, n: Any, noise: Noise) -> Array:
    """The sum of n standard Laplace variables as one draw at step t, (trials, arms). n: (trials, arms), at least 1."""
    arms = n.shape[1:]
    gamma = gammaincinv(n, noise.uniform("sum of Laplace: G", t, arms))
    return np.asarray(np.sqrt(2 * gamma) * noise.normal("sum of Laplace: Z", t, arms))


def laplace_sum_tail(n: int, x: Any) -> tuple[Array, Array]:
    """log P(S > x) of the sum S of n standard Laplace variables, and how far it may be off, both in x's shape.

    Raises ValueError unless n is a whole number from 1 to MAX_SUM_TERMS, and x made of finite real numbers.
    """
    n = checked_integer(n, "n", 1, MAX_SUM_TERMS)
    places = reals("laplace_sum_tail: x", x)
    if not np.isfinite(places).all():
        raise ValueError(f"laplace_sum_tail: x is {places[~np.isfinite(places)].flat[0]}; it must be finite")
    k = np.arange(n)
    ways = gammaln(n + k) - gammaln(k + 1) - gammaln(n)
    weights = np.logaddexp.accumulate(ways - (n + k) * LOG_2)[::-1]  # log w_j
    found = [upper(abs(float(each)), weights, k) for each in places.reshape(-1)]
    log, off = (np.array(part).reshape(places.shape) for part in zip(*found, strict=True))
    # Each weight is three logarithms of Gamma, a product, and a sum of at most n.
    off = off + UNIT_ROUNDOFF * (LGAMMA * (3 + 3 * abs(float(gammaln(2 * n)))) + 4 * n + 8)
    below = el.log(-el.expm1(np.minimum(log, -LOG_2)))  # log(1 - P) with P <= 1/2: off by no more than log P
    return np.where(places >= 0, log, below), off


def upper(x: float, weights: Array, j: Any) -> tuple[float, float]:
    """log P(S > x) for x >= 0, and what its own roundings are."""
    if x == 0:
        return -LOG_2, 0.0
    terms = j * el.log(x) - gammaln(j + 1) + weights
    peak = float(terms.max())
    log = peak + float(el.log(el.exp(terms - peak).sum())) - x
    sizes = np.abs(j * el.log(x)) + LGAMMA * (1 + gammaln(j + 1)) + np.abs(terms)
    # What is far below the peak counts for nothing, and no term is off by more than its parts.
    return log, UNIT_ROUNDOFF * (2 * float(sizes[terms > peak - 800].max()) + len(j) + 4 * (abs(peak) + x + abs(log)))
