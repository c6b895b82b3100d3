"""Goodness of fit for tests with fixed seeds."""

from __future__ import annotations

import numpy as np
from scipy import stats

LEVEL = 1e-6  # a statistical test that holds fails with this probability over the choice of its (fixed) seed


def chi_square(observed, expected) -> float:
    """The p-value of counts against expected counts of the same total; cells with fewer than 10 expected are put
    together, as the approximation wants. 0 where something was observed that cannot happen."""
    observed, expected = np.asarray(observed, float), np.asarray(expected, float)
    if observed[expected == 0].any():
        return 0.0
    small = expected < 10
    observed = np.append(observed[~small], observed[small].sum())
    expected = np.append(expected[~small], expected[small].sum())
    observed, expected = observed[expected > 0], expected[expected > 0]
    if len(expected) == 1:
        return 1.0
    return float(stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue)


def laplace_sum_tail(n: int, x) -> np.ndarray:
    """P(S > x) of the sum S of n standard Laplace numbers, a difference of two Gamma(n, 1): of two Poisson processes,
    each point belongs to either with chance 1/2, and k of the one come before the n-th of the other. For x >= 0, it is
    sum_{k < n} C(n-1+k, k) 2^-(n+k) P(Poisson(x) < n - k), whose terms are positive."""
    k = np.arange(n)
    above = stats.nbinom.pmf(k, n, 0.5) @ stats.poisson.cdf(n - k[:, None] - 1, np.abs(x).ravel())
    return np.where(np.ravel(x) >= 0, above, 1 - above).reshape(np.shape(x))
