"""Curves and conversions against integrals and direct definitions, in every context they are written for."""

from __future__ import annotations

import itertools
from math import log, sqrt

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from vacuity import nonvacuous_if

from dpbandits import Approximate, Gaussian
from dpbandits.proofs_checks.vocabularies.intervals import iv
from dpbandits.proofs_checks.vocabularies.precise import mp
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.curves import (
    Family,
    advanced_composition,
    compose_gdp,
    eps_from_renyi,
    gaussian_delta,
    gaussian_renyi,
)
from dpbandits.reference.curves.extremal_mechanisms import gaussian_mu

EPS = (0.0, 0.1, 1.0, 5.0, 40.0)
MU = (0.01, 0.5, 1.0, 4.0, 12.0)


def hockey_stick(eps, mu):
    """The integral of max(0, p - e^eps q) for p = N(mu, 1) and q = N(0, 1), whose integrand is positive right of
    x = eps/mu + mu/2: delta by its definition, at 30 digits."""
    with mpmath.workdps(30):
        eps, mu = mpmath.mpf(eps), mpmath.mpf(mu)
        start = eps / mu + mu / 2
        ends = [start, start + 1, start + 4, start + 12, start + 40]
        return mpmath.quad(lambda x: mpmath.npdf(x - mu) - mpmath.exp(eps) * mpmath.npdf(x), ends)


@pytest.mark.parametrize(("eps", "mu"), list(itertools.product(EPS, MU)))
@pytest.mark.first(3)
def test_the_gaussian_profile_is_a_hockey_stick(eps, mu):
    exact = hockey_stick(eps, mu)
    # Doubles: a difference of two numbers below 1, each good to a few units of 1e-16 times its argument's size,
    # which eps/mu of up to 4000 only reaches where both are 0.
    assert abs(gaussian_delta(doubles, eps, mu) - float(exact)) <= 1e-14
    assert abs(gaussian_delta(mp, mp.number(eps), mp.number(mu)) - exact) <= mpmath.mpf(10) ** -25


@pytest.mark.parametrize(("eps", "mu"), [(1.0, 0.5), (500.0, 15.0), (700.0, 33.0), (800.0, 36.0), (5000.0, 100.0)])
def test_a_gaussian_curve_knows_no_largest_eps(eps, mu):
    """e^eps overflows beyond 709, and the probability beside it underflows before: 17 per cent too much at 700."""
    exact = float(gaussian_delta(mp, mp.number(eps), mp.number(mu)))
    assert Gaussian(mu).delta_at([eps]) == pytest.approx(exact, rel=1e-9, abs=0)
    assert gaussian_mu(np.array([eps]), np.array([exact])) == pytest.approx(mu, rel=1e-6)


# Beyond eps = 37 mu delta is below 1e-300.
CLOSE = [(shift * mu, mu) for mu in (1e-300, 1e-12, 1e-6, 0.01, 0.3, 0.99) for shift in (0.0, 1.0, 19.9, 20.1, 36.0)]


@pytest.mark.parametrize(("eps", "mu"), [*((eps, mu) for eps, mu in CLOSE if eps == 0 or mu > 1e-200), (0.0, 1.01)])
@pytest.mark.first(4)
def test_a_small_gaussian_curve_keeps_its_digits(eps, mu):
    """The two terms of the formula agree in as many digits as mu is small."""
    with mpmath.workdps(700):
        left, right = (mpmath.ncdf(-mpmath.mpf(eps) / mu + sign * mpmath.mpf(mu) / 2) for sign in (1, -1))
        exact = float(left - mpmath.exp(eps) * right)
    assert Gaussian(mu).delta_at([eps]) == pytest.approx(exact, rel=1e-11, abs=0)
    assert gaussian_mu(np.array([eps]), np.array([exact])) == pytest.approx(mu, rel=1e-11, abs=0)


def test_no_gaussian_curve_has_no_delta_or_an_infinite_eps():
    assert gaussian_mu(np.array([0.0, 1.0, np.inf]), np.array([0.0, 0.0, 0.1])).tolist() == [0, 0, 0]


@pytest.mark.parametrize(("eps", "mu"), list(itertools.product(EPS, MU)))
@pytest.mark.first(12)
def test_the_interval_profile_holds_the_exact_one(eps, mu):
    exact = gaussian_delta(mp, mp.number(eps), mp.number(mu))
    enclosure = gaussian_delta(iv, iv.number(eps), iv.number(mu))
    low, high = mp.number(enclosure.low), mp.number(enclosure.high)
    assert low - mpmath.mpf(10) ** -40 <= exact <= high + mpmath.mpf(10) ** -40  # exact itself has 50 digits


@given(eps=st.floats(0, 10), mu=st.floats(0.01, 5), more=st.floats(0, 2))
@pytest.mark.nonvacuous(12)
def test_the_gaussian_profile_is_a_profile(eps, mu, more):
    """Between 0 and 1, falling in eps, growing in mu; at eps = 0 the total variation 2 Phi(mu/2) - 1."""
    value = gaussian_delta(doubles, eps, mu)
    nonvacuous_if(more > 0 and 0 < value < 1)
    assert -1e-14 <= value <= 1
    assert gaussian_delta(doubles, eps + more, mu) <= value + 1e-14
    assert gaussian_delta(doubles, eps, mu + more) >= value - 1e-14
    assert gaussian_delta(doubles, 0.0, mu) == pytest.approx(2 * doubles.ncdf(mu / 2) - 1, abs=1e-14)


def test_the_gaussian_profile_takes_arrays():
    eps = np.array([0.0, 1.0, 2.0])
    assert np.array_equal(gaussian_delta(doubles, eps, 1.5), [gaussian_delta(doubles, e, 1.5) for e in eps])


@given(st.lists(st.floats(0, 10), max_size=6))
@pytest.mark.nonvacuous(8)
def test_composition_is_the_length_of_the_vector(etas):
    nonvacuous_if(sum(eta > 0 for eta in etas) > 1)
    assert compose_gdp(doubles, etas) == pytest.approx(np.linalg.norm(etas), rel=1e-14, abs=1e-300)


def test_composition_of_t_equal_steps():
    """Lemma 3's arithmetic: T rounds of sqrt(1/2) are sqrt(T/2)."""
    for rounds in (1, 2, 100):
        step = mp.sqrt(mp.number("0.5"))
        assert abs(compose_gdp(mp, [step] * rounds) ** 2 - mp.number(rounds) / 2) < mpmath.mpf(10) ** -40
    assert compose_gdp(mp, []) == 0


@pytest.mark.parametrize(("alpha", "mu"), [(1.5, 0.5), (2.0, 1.0), (8.0, 0.3)])
@pytest.mark.first(1)
def test_the_renyi_divergence_of_normals_at_a_distance(alpha, mu):
    with mpmath.workdps(30):
        integral = mpmath.quad(
            lambda x: mpmath.npdf(x - mu) ** alpha * mpmath.npdf(x) ** (1 - mpmath.mpf(alpha)), np.arange(-30, 31, 3)
        )
        assert float(mpmath.log(integral) / (alpha - 1)) == pytest.approx(gaussian_renyi(doubles, alpha, mu), rel=1e-12)


@given(order=st.floats(0.3, 3), mu=st.floats(0.05, 4), delta=st.floats(1e-9, 0.5))
@pytest.mark.nonvacuous(8)
def test_the_conversion_from_renyi_is_valid_for_normals(order, mu, delta):
    """Mironov's eps promises delta: the exact profile at this eps is at most delta. order: as a share of the best one,
    1 + sqrt(2 log(1/delta))/mu; of much smaller and larger ones eps is so large that the profile is 0 in doubles."""
    alpha = 1 + order * sqrt(2 * log(1 / delta)) / mu
    eps = eps_from_renyi(doubles, gaussian_renyi(doubles, alpha, mu), alpha, delta)
    nonvacuous_if(gaussian_delta(doubles, eps, mu) > 1e-14)
    assert gaussian_delta(doubles, eps, mu) <= delta + 1e-14


def test_advanced_composition_as_printed():
    """eps sqrt(2 T log(1/delta')) + T eps (e^eps - 1) at numbers that can be checked by hand: T = 8,
    delta' = e^-4 gives sqrt(64) = 8, and eps = log 2 gives e^eps - 1 = 1."""
    value = advanced_composition(mp, mp.log(2), 8, mp.exp(-4))
    assert abs(value - 16 * mp.log(2)) < mpmath.mpf(10) ** -40


@pytest.mark.parametrize("eps", [0.0, 0.01, 0.6, 3.0])
def test_a_family_keeps_what_it_promises_however_little_it_is(eps):
    """The same eps at every delta in [0.1, 0.2]: the smallest delta promises all."""
    family = Family(lambda m, delta: m.number(eps), 0.1, 0.2)
    promised, deltas = family.claimed_parameters()
    assert set(promised) == {eps}
    assert (deltas.min(), deltas.max()) == (0.1, 0.2)
    alpha = np.array([0.0, 0.05])
    lines = 1 - 0.1 - np.exp(eps) * alpha, np.exp(-eps) * (1 - 0.1 - alpha)
    assert np.allclose(family.beta_at(alpha), np.maximum(*lines))


@pytest.mark.parametrize(("eps", "delta"), [(0.0, 5e-324), (1.0, 5e-324), (1e20, 1e-310), (1.0, 0.0), (1.0, 0.1)])
def test_the_smallest_delta_has_a_picture(eps, delta):
    places, deltas = Approximate(eps, delta).profile(np.array([0.0, eps, eps + 1]))
    assert (np.diff(deltas) <= 0).all()
    assert eps in places
    assert deltas[-1] == delta
