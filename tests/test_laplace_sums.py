"""Sums of Laplace numbers: one draw for many, relatively exact in every tail."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaincinv, gammaln

from dpbandits import Seeded
from dpbandits.reference.bandits.release_laws.selections import laplace_sum, laplace_sum_tail
from dpbandits.reference.bandits.release_laws.selections.noises import UNIT_ROUNDOFF
from dpbandits.reference.bandits.release_laws.selections.sums import LGAMMA, MAX_SUM_TERMS, upper

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
@pytest.mark.parametrize("x", [0.0, 1e-9, 0.3, 5.0, 40.0, 300.0, 5000.0])
def test_the_tail_is_exact_in_fifty_digits(n, x):
    with mpmath.workdps(50 + 4 * n + 20):
        upper, (log, off) = tail(n, x), laplace_sum_tail(n, [x, -x])
        assert off.max() < 1e-14 * (400 + 4 * n + x)
        for found, true, error in zip(log, (upper, 1 - upper), off, strict=True):
            assert abs(mpmath.expm1(mpmath.mpf(float(found)) - mpmath.log(true))) <= error


def test_long_sums_are_nearly_normal_and_refusals_say_why():
    n, x = MAX_SUM_TERMS, 2000.0
    log, off = laplace_sum_tail(n, x)
    assert float(log) == pytest.approx(stats.norm.logsf(x / np.sqrt(2 * n)), rel=1e-5)
    assert off < 1e-6
    for many in (0, 10**6 + 1, 2.5, True):
        with pytest.raises(ValueError, match="choose a whole number from 1 to"):
            laplace_sum_tail(many, 1.0)
    with pytest.raises(ValueError, match="it must be finite"):
        laplace_sum_tail(3, [0.0, np.inf])


def test_scipys_log_gamma_is_within_what_is_taken_for_granted():
    for n in (1, 2, 3, 10, 171, 10**4, 2 * 10**6):
        with mpmath.workdps(30):
            off = abs(mpmath.mpf(float(gammaln(n))) - mpmath.loggamma(n))
            assert off <= LGAMMA * UNIT_ROUNDOFF * (1 + abs(mpmath.loggamma(n)))


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
    found = stats.kstest(draws, lambda x: -np.expm1(laplace_sum_tail(n, x)[0]))
    assert found.pvalue > LEVEL
    forgotten = np.sqrt(0.5) * draws  # sqrt(G) for sqrt(2 G)
    assert stats.kstest(forgotten, lambda x: -np.expm1(laplace_sum_tail(n, x)[0])).pvalue < LEVEL


@pytest.mark.parametrize("x", [0.4, 2.5, 60.0])
def test_a_sum_of_terms_is_off_by_the_parts_of_its_worst_one_that_counts(x):
    """The parts of a term are j log x, log j! by eight units of one and of itself, and all of it; each is rounded in
    two ways. Of n terms the sum, and 4 units of the peak, of x and of the result; a term e^-800 below is none."""
    weights = np.array([-0.5, -1.5, -2.0, -0.25])
    log_x, factorials = np.log(x), np.log([1.0, 1.0, 2.0, 6.0])
    terms = [weights[j] + j * log_x - factorials[j] for j in range(4)]
    parts = [abs(j * log_x) + 8 * (1 + factorials[j]) + abs(terms[j]) for j in range(4)]
    for lowered, worst in ((0, max(parts)), (5000, max(parts[:3]))):
        given = weights - np.array([0, 0, 0, lowered])
        log, off = upper(x, given, np.arange(4))
        total = np.log(np.exp(terms if lowered == 0 else terms[:3]).sum()) - x
        assert log == pytest.approx(total, rel=1e-13, abs=0)
        peak = max(terms if lowered == 0 else terms[:3])
        assert off == pytest.approx(UNIT_ROUNDOFF * (2 * worst + 4 + 4 * (abs(peak) + x + abs(total))), rel=1e-9, abs=0)
