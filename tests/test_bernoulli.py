"""Thompson sampling for the Bernoulli bandit: its law is exact, its draws follow it, and it takes no other rewards."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
from mpmath import exp, loggamma, mpf, workdps
from numpy.polynomial import Polynomial

from dpbandits import Pulls, Seeded, Verdict, follows_law, replay
from dpbandits.extensions.conformance.games import probes
from dpbandits.extensions.conformance.given import reference_policy
from dpbandits.reference.bandits.beta_thompson import (
    COARSE_BLUR,
    ERROR,
    FAINT_BLUR,
    MAX_EXACT_PULLS,
    MAX_UNBLURRED_BITS,
    ORDER_MULTIPLE,
    State,
    ThompsonSampling,
    argmax_chances,
    nodes,
)
from dpbandits.reference.bandits.policy import RELATIVE
from dpbandits.reference.papers import ou24


def density(a, b):
    """Of Beta(a, b), as the coefficients of a polynomial in fractions."""
    whole = Fraction(factorial(a + b - 1), factorial(a - 1) * factorial(b - 1))
    return Polynomial([Fraction(0)] * (a - 1) + [whole * comb(b - 1, k) * (-1) ** k for k in range(b)])


def integral(polynomial):
    return Polynomial([Fraction(0), *(c / (k + 1) for k, c in enumerate(polynomial.coef))])


def exactly(a, b):
    """The naive twin of `largest`, in fractions."""
    found = []
    for arm in range(len(a)):
        product = density(a[arm], b[arm])
        for other in set(range(len(a))) - {arm}:
            product *= integral(density(a[other], b[other]))
        found.append(sum(integral(product).coef))
    return found


@pytest.mark.parametrize(
    ("a", "b"),
    [((1, 1), (1, 1)), ((2, 1), (1, 2)), ((1, 60), (60, 1)), ((1, 1, 25), (30, 12, 1)), ((7, 3, 5, 9), (2, 8, 5, 4))],
)
def test_the_law_is_exact_in_fractions(a, b):
    wanted = exactly(a, b)
    assert sum(wanted) == 1
    for chance, exact in zip(argmax_chances(np.array([a]), np.array([b]))[0], wanted, strict=True):
        assert abs(Fraction(float(chance)) / exact - 1) < ERROR * (sum(a) + sum(b))


def test_two_arms_far_apart_by_a_closed_form():
    """P(X > Y) = B(m + n, m)/B(m, m) for X ~ Beta(m, m) and Y ~ Beta(n, 1); the least chance of so many pulls is above
    2^-(T + K)."""
    m, n = 30, 60
    exact = Fraction(factorial(2 * m - 1) * factorial(m + n - 1), factorial(m - 1) * factorial(2 * m + n - 1))
    chance = argmax_chances(np.array([[n, m]]), np.array([[1, m]]))[0, 1]
    assert abs(Fraction(float(chance)) / exact - 1) < ERROR * (2 * m + n + 1)
    worst = argmax_chances(np.array([[1, 451]]), np.array([[451, 1]]))[0, 0]
    assert FAINT_BLUR < worst < 1e-260
    short, far = ThompsonSampling(2, MAX_UNBLURRED_BITS - 2), State(np.array([[0, 450]]), np.array([[450, 0]]))
    assert (
        short.law(900, far).chance[0].tolist() == argmax_chances(np.array([[1, 451]]), np.array([[451, 1]]))[0].tolist()
    )
    assert short.law(1, ThompsonSampling(2, 9).init(1)).absolute_error == 0
    assert ThompsonSampling(2, MAX_UNBLURRED_BITS).law(1, ThompsonSampling(2, 9).init(1)).absolute_error == FAINT_BLUR
    for size, absolute_error in ((MAX_EXACT_PULLS, FAINT_BLUR), (MAX_EXACT_PULLS + 1, COARSE_BLUR)):
        law = ThompsonSampling(2, size - 2).law(900, far)
        assert law.absolute_error == absolute_error
        assert (law.chance[0].tolist() == short.law(900, far).chance[0].tolist()) is (absolute_error == FAINT_BLUR)


def beaten(a, b, c, d):
    """P(X > Y) for X ~ Beta(a, b) and Y ~ Beta(c, d), by a sum of a positive terms, each from the one before."""
    log_beta = lambda one, other: loggamma(one) + loggamma(other) - loggamma(one + other)  # noqa: E731
    with workdps(40):
        term = exp(log_beta(c, b + d) - log_beta(c, d))
        total = mpf(0)
        for i in range(a):
            total += term
            term *= mpf((c + i) * (b + i)) / ((c + i + b + d) * (i + 1))
        return total


@pytest.mark.parametrize(
    ("a", "b", "c", "d"),
    [(1, 1, 9000, 1000), (400, 500, 3000, 4000), (250, 250, 2510, 2490), (1, 5, 9990, 6), (2000, 30, 10, 1)],
)
@pytest.mark.first(2)
def test_ten_thousand_pulls_are_integrated_within_the_blur(a, b, c, d):
    for x, y in (((a, b), (c, d)), ((b, a), (d, c))):
        exact = beaten(*x, *y)
        state = State(*(np.array([each]) - 1 for each in zip(x, y, strict=True)))
        law = ThompsonSampling(2, MAX_EXACT_PULLS + a + b + c + d).law(1, state)
        assert abs(mpf(float(law.chance[0, 0])) - exact) < COARSE_BLUR + exact * ERROR * (a + b + c + d)
        assert law.absolute_error == COARSE_BLUR
        assert law.error == pytest.approx(
            ERROR * (2 + MAX_EXACT_PULLS + a + b + c + d), abs=0
        )  # for each pull and each arm
    assert nodes(a + b + c + d - 3, COARSE_BLUR) < 0.6 * MAX_EXACT_PULLS < nodes(2 * MAX_EXACT_PULLS, 0.0)


@pytest.mark.parametrize("arms", [1, 2, 4])
@pytest.mark.parametrize("absolute_error", [0.5, 1e-2, 1e-4, 1e-8])
def test_a_blur_is_kept(arms, absolute_error):
    """At orders that are not rounded up, and by states of all kinds, lopsided ones above all."""
    pulls = 58
    cuts = np.sort(np.floor((pulls + 1) * np.random.default_rng(arms).beta(0.3, 0.3, (300, 2 * arms - 1))), axis=1)
    a, b = np.diff(cuts, prepend=0, append=pulls, axis=1).reshape(-1, arms, 2).transpose(2, 0, 1).astype(np.int64) + 1
    few, all_ = nodes(pulls + arms - 1, absolute_error), nodes(pulls + arms - 1, 0.0)
    assert few < all_ <= ORDER_MULTIPLE
    off = np.abs(argmax_chances(a, b, absolute_error) - argmax_chances(a, b)).max()
    least = 0 if absolute_error == 1e-8 else 1e-14  # the fewer nodes for so small a blur are exact to roundoff
    assert least < off <= absolute_error


@pytest.mark.thorough
def test_it_follows_its_law_and_replays():
    for policy in (ThompsonSampling(2, 8), ThompsonSampling(3, 4)):
        assert follows_law(policy, policy, trials=500).verdict == Verdict.CONSISTENT
        assert replay(policy, policy, trials=50).verdict == Verdict.CONSISTENT
        assert policy.law(1, policy.init(2)).error == RELATIVE


class Forgetful(ThompsonSampling):
    """The first failure of each arm is forgotten: Beta(1 + s, max(1, f))."""

    def act(self, t, state, noise):
        failures = np.maximum(state.failures - 1, 0)
        return super().act(t, state._replace(failures=failures), noise)


@pytest.mark.planted
def test_a_first_failure_that_is_forgotten_is_seen():
    finding = follows_law(Forgetful(2, 6), ThompsonSampling(2, 6), trials=500)
    assert finding.verdict == Verdict.REFUTED


def test_rewards_are_zero_or_one():
    policy = ThompsonSampling(2, 5)
    assert set(np.unique(probes(policy)["uneven rewards"].rewards)) == {0.0, 1.0}
    assert len(np.unique(probes(ou24.ThompsonSampling(2, 5))["uneven rewards"].rewards)) > 2
    state, noise = policy.init(1), Seeded(0, 1)
    state = policy.learn(1, state, Pulls(np.array([[3, 0]])), np.array([[2.0, 0.0]]), noise)
    assert (state.successes.tolist(), state.failures.tolist()) == ([[2, 0]], [[1, 0]])
    for counts, sums in (
        ([[1, 0]], [[0.5, 0]]),
        ([[1, 0]], [[2.0, 0]]),
        ([[0, 1]], [[0, -1.0]]),
        ([[0, 1]], [[1.0, 0]]),
    ):
        with pytest.raises(ValueError, match="Beta posteriors need rewards of 0 or 1"):
            policy.learn(2, state, Pulls(np.array(counts)), np.array(sums), noise)
    for arms, horizon in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="at least 1"):
            ThompsonSampling(arms, horizon)


def test_the_command_knows_it():
    assert reference_policy("bernoulli.ThompsonSampling") is ThompsonSampling
