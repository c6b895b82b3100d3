"""Sums of Laplace numbers: one draw for many."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from fits import laplace_sum_tail
from scipy import stats
from scipy.special import gammaincinv

from dpbandits import Seeded
from dpbandits.reference.papers.tao22.algorithms.laplace_sums import laplace_sum

LEVEL = 1e-9


def tail(n: int, x: float) -> mpmath.mpf:
    """P(S > x) by the poles of the characteristic function 1/(1 + s^2)^n: with 1/(2 + u)^n expanded around u = 0, the
    residue of e^-(1 + u)x/((1 + u) u^n (2 + u)^n) at 0, which alternates in sign: so in 50 digits and more."""
    y = mpmath.mpf(x)
    decay = [(-y) ** k / mpmath.factorial(k) for k in range(n)]
    inverse = [mpmath.mpf(-1) ** k for k in range(n)]
    half = [mpmath.binomial(n + k - 1, k) * mpmath.mpf(-1) ** k / mpmath.mpf(2) ** (n + k) for k in range(n)]
    both = [mpmath.fdot(decay[: k + 1], inverse[k::-1]) for k in range(n)]
    return abs(mpmath.exp(-y) * mpmath.fdot(both, half[::-1]))


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_the_tail_is_that_of_fifty_digits(n):
    x = np.array([0.0, 1e-9, 0.3, 5.0, 40.0, 300.0])
    with mpmath.workdps(50 + 4 * n + 20):
        assert laplace_sum_tail(n, x) == pytest.approx([float(tail(n, each)) for each in x], rel=1e-11, abs=0)
    assert laplace_sum_tail(n, -x) == pytest.approx(1 - laplace_sum_tail(n, x), rel=1e-15, abs=0)


@pytest.mark.parametrize("n", [1, 3, 50, 1000])
@pytest.mark.parametrize("u", [2.0**-53, 1e-9, 0.5, 1 - 2.0**-53])
def test_quantiles_of_gamma_are_right_in_either_tail(n, u):
    """What `laplace_sum` draws with, from the smallest to the largest uniform that there is."""
    with mpmath.workdps(50):
        below = mpmath.gammainc(n, 0, mpmath.mpf(float(gammaincinv(n, u))), regularized=True)
        share, true = (below, mpmath.mpf(u)) if u < 0.5 else (1 - below, 1 - mpmath.mpf(u))
        assert abs(share / true - 1) <= 1e-11


@pytest.mark.parametrize("n", [1, 3, 50])
@pytest.mark.first(1)
def test_one_draw_has_the_law_of_the_sum(n):
    draws = laplace_sum(1, np.full((4000, 1), float(n)), Seeded(2, 4000)).ravel()
    found = stats.kstest(draws, lambda x: 1 - laplace_sum_tail(n, x))
    assert found.pvalue > LEVEL
    forgotten = np.sqrt(0.5) * draws  # sqrt(G) for sqrt(2 G)
    assert stats.kstest(forgotten, lambda x: 1 - laplace_sum_tail(n, x)).pvalue < LEVEL
