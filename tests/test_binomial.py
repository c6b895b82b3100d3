"""Binomial tails and quantiles against scipy.stats, and against exact sums."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import binom

from dpbandits.audit.statistics.binomial import binomial_cdf, binomial_quantile, binomial_tail

CHANCES = np.array([0.0, 1e-300, 1e-12, 1e-4, 0.1, 0.3, 0.5, 0.9, 0.999, 1 - 1e-9, 1.0])


@pytest.mark.parametrize("trials", [1, 2, 7, 100, 15_000])
def test_tails_are_those_of_scipy(trials):
    counts = np.unique(np.linspace(-1, trials + 1, 60).astype(int))[:, None]
    assert binomial_tail(counts, trials, CHANCES) == pytest.approx(
        binom.sf(counts - 1, trials, CHANCES), rel=1e-10, abs=0
    )
    assert binomial_cdf(counts, trials, CHANCES[3:-2]) == pytest.approx(
        binom.cdf(counts, trials, CHANCES[3:-2]), rel=1e-9, abs=0
    )


def test_tails_are_exact_sums():
    n, p = 12, Fraction(3, 16)
    for count in range(n + 1):
        exact = sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(count, n + 1))
        assert float(binomial_tail(count, n, float(p))) == pytest.approx(float(exact), rel=1e-13, abs=0)
        below = sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(count + 1))
        assert float(binomial_cdf(count, n, float(p))) == pytest.approx(float(below), rel=1e-13, abs=0)


@pytest.mark.parametrize("trials", [1, 3, 50, 12_000, 10**9, 10**12])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_quantiles_are_those_of_scipy(trials, share):
    inner = np.array([1e-4, 0.03, 0.1, 0.25, 0.5, 0.9, 0.999])
    found = binomial_quantile(share, trials, inner.reshape(7, 1))
    assert found.shape == (7, 1)
    if trials <= 10**9:
        assert found[:, 0].tolist() == binom.ppf(share, trials, inner).tolist()
    assert (binomial_cdf(found[:, 0], trials, inner) >= share).all()
    assert (binomial_cdf(found[:, 0] - 1, trials, inner) < share).all()


def test_quantiles_of_what_is_certain():
    found = binomial_quantile(0.95, 10, np.array([0.0, 1.0, np.nan, 1e-300]))
    assert found.tolist()[:2] == [0.0, 10.0]
    assert np.isnan(found[2])
    assert found[3] == 0.0
