"""Noisy maxima and shifted noise: exact in every tail, whichever the kind."""

from __future__ import annotations

from itertools import product
from math import comb, exp, expm1, log

import mpmath
import numpy as np
import pytest
from audit_targets import audit_as
from scipy.integrate import quad

from dpbandits import QUICK, Approximate, Gaussian, GaussianNoisyMax, ReportNoisyMax, Step, Verdict
from dpbandits.audit.judges.effort import RISK, Run
from dpbandits.proofs_checks.exact.engine import step_profile
from dpbandits.proofs_checks.exact.shifted_noise import shifted_noise_profile
from dpbandits.reference.claims.model import Private

RUN = Run(QUICK, 0, RISK / 100)


@pytest.mark.parametrize("gap", [0.0, 0.2, 3.0, 40.0, 100.0])
def test_the_law_of_laplace_maxima_is_exact_in_every_tail(gap):
    """Two queries in closed form, and a third one far below, which changes nothing that is larger than its tail."""
    mechanism = ReportNoisyMax(2.0)
    with mpmath.workdps(50):
        far = mpmath.exp(-gap) * (mpmath.mpf(1) / 2 + mpmath.mpf(gap) / 4)
        for values, arm in (([0.0, 2 * gap], 0), ([2 * gap, 0.0], 1), ([2 * gap, 0.0, -600.0], 1)):
            error, absolute_error = mechanism.accuracy(values)
            assert absolute_error == 0
            assert error < 1e-10
            assert abs(mpmath.mpf(float(mechanism.law(values)[arm])) / far - 1) <= max(error, 1e-13)


def test_beyond_the_range_of_doubles_a_law_is_blurred():
    law, (_, absolute_error) = ReportNoisyMax(1.0).law([0.0, 900.0]), ReportNoisyMax(1.0).accuracy([0.0, 900.0])
    assert law.tolist() == [0.0, 1.0]
    assert 0 < absolute_error < 1e-300
    assert GaussianNoisyMax((1.0, 1.0)).law([0.0, 90.0]).tolist() == [0.0, 1.0]
    assert 0 < GaussianNoisyMax((1.0, 1.0)).accuracy([0.0, 90.0]).absolute_error < 1e-300
    assert GaussianNoisyMax((1.0, 1e-3, 1.0)).accuracy([0.0, 0.0, 9.0]).absolute_error > 0


@pytest.mark.parametrize("mechanism", [ReportNoisyMax(1.0), GaussianNoisyMax((1.0, 1.0, 1.0))])
def test_three_queries_have_an_exact_profile(mechanism):
    """At delta 0 as well: eps of a query that moves by 1 stays below 1 for Laplace noise, and nears it in the tail."""
    profile = step_profile(Step(mechanism, (0.0, 9.0, 9.0), (1.0, 9.0, 9.0), (1.0, 1.0, 1.0)))
    low, high = profile.eps(0.0)
    assert profile.step_absolute_error == 0
    assert high - low < 1e-6
    assert (0.9 < low <= high < 1.0) == isinstance(mechanism, ReportNoisyMax)


def test_another_mechanism_with_a_scale_is_no_noisy_maximum():
    class Mine:
        scale, scales = 1.0, (1.0, 1.0)

        def release(self, values, noise, index=0):
            return ReportNoisyMax(1.0).release(values, noise, index)

    step = Step(Mine(), (0.0, 0.0), (1.0, 0.0), (1.0, 0.0))
    with pytest.raises(TypeError, match="no method law"):
        step_profile(step)
    said = audit_as(step, Private("query", "samples", Approximate(1.0)), Approximate(1.0), RUN, ("x", "mine"))
    assert "does not say what its noisy values are" in said.idle


# -- shifted noise -------------------------------------------------------------------------------------------------


def one_value(size: float, eps: float) -> float:
    return max(0.0, 1 - exp((eps - size) / 2))


def several(sizes: tuple[float, ...], eps: float) -> float:
    """The same of several values, one after another: the first one's loss is integrated, which leaves eps less it."""
    size, *others = sizes
    if not others:
        return -expm1(eps) if eps < -size else one_value(size, eps)
    rest = tuple(others)
    kinks = [x for x in ((size - eps + sign * sum(rest)) / 2 for sign in (-1, 1)) if 0 < x < size]
    between = quad(lambda x: exp(-x) * several(rest, eps - size + 2 * x), 0, size, points=kinks or None, epsabs=1e-12)
    return (several(rest, eps - size) + exp(-size) * several(rest, eps + size) + float(between[0])) / 2


@pytest.mark.parametrize("size", [1e-9, 0.3, 1.0, 7.5, 60.0])
def test_one_laplace_value_has_the_profile_of_the_closed_form(size):
    profile = shifted_noise_profile("laplace", [0.0, size])
    low, high = profile.delta(np.linspace(0, 1.1 * size, 12))
    truth = [one_value(size, eps) for eps in np.linspace(0, 1.1 * size, 12)]
    assert (low <= truth).all()
    assert (truth <= high + 1e-18).all()
    assert (high - low).max() < max(1e-4 * min(size, 1), 1e-12)  # masses of size 1 are rounded
    at_zero = profile.eps(0.0)
    assert size * (1 - 1e-2 * (size < 1e-6)) - 1e-9 <= at_zero[0] <= size * (1 + 1e-12) <= at_zero[1]


@pytest.mark.parametrize("sizes", [(1.0, 1.0), (0.9, 0.4), (1.5, 0.05), (2.0, 30.0)])
def test_two_laplace_values_have_the_profile_of_the_integral(sizes):
    eps = np.linspace(0, 0.95 * sum(sizes), 6)
    truth = np.array([several(sizes, each) for each in eps])
    for profile in (shifted_noise_profile("laplace", sizes), shifted_noise_profile("laplace", sizes[::-1]).swapped):
        low, high = profile.delta(eps)
        assert (low <= truth + 1e-11).all()
        assert (truth <= high + 1e-11).all()
        assert (high <= low * (1 + 1e-3)).all()


def test_three_laplace_values_as_well():
    sizes = (0.2, 0.7, 0.4)
    low, high = shifted_noise_profile("laplace", sizes).delta(0.3)
    assert low - 1e-9 <= several(sizes, 0.3) <= high + 1e-9
    assert high - low < 1e-5


def test_many_laplace_values_add_up_in_closed_form():
    """Pure privacy adds up; and with k values of a large size, delta(0) is 1 minus the chance that no test errs."""
    profile = shifted_noise_profile("laplace", [0.1] * 40)
    assert profile.eps(0.0) == pytest.approx((4.0, 4.0), rel=1e-9)
    assert profile.mu()[1] < 40**0.5 * 0.13
    # A value of size log 3 is at least as hard to tell apart as 3-to-1 randomized response, and k of them so, too.
    k, size = 12, log(3.0)
    response = sum(
        comb(k, i) * max(0.0, 0.75**i * 0.25 ** (k - i) - exp(2.0) * 0.25**i * 0.75 ** (k - i)) for i in range(k + 1)
    )
    assert float(shifted_noise_profile("laplace", [size] * k).delta(2.0)[1]) < response


def test_normal_values_add_up_to_one():
    profile = shifted_noise_profile("normal", [3.0, 0.0, 4.0])
    assert profile.mu() == pytest.approx((5.0, 5.0), rel=1e-9)
    assert Gaussian(5.0).bounds(profile).refutes is False
    assert Gaussian(4.99).bounds(profile).refutes


def test_what_has_no_profile_says_so():
    assert shifted_noise_profile("laplace", []) is None
    assert shifted_noise_profile("laplace", [0.0]) is None
    assert shifted_noise_profile("laplace", [601.0]) is None
    assert shifted_noise_profile("laplace", [1e-3] * 1000) is None
    for kind, sizes in product(("normal", "laplace", "cauchy"), ([-1.0], [np.nan], [np.inf])):
        with pytest.raises(ValueError, match="and sizes must be finite and at least 0"):
            shifted_noise_profile(kind, sizes)


@pytest.mark.parametrize(("eps", "verdict"), [(2.0, Verdict.CONSISTENT), (1.9, Verdict.REFUTED)])
def test_the_noisy_values_of_a_laplace_maximum_are_judged_exactly(eps, verdict):
    """Two queries that move by 1 each: 2 eps together, however they move."""
    step = Step(ReportNoisyMax(1.0), (0.0, 0.0), (1.0, -1.0), (1.0, 1.0))
    curve = Approximate(eps)
    said = audit_as(step, Private("queries", "samples", curve), curve, RUN, ("x", "both"))
    assert said.verdict is verdict
    assert said.bounds.low == pytest.approx(2.0, rel=1e-9)
