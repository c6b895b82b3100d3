"""Certified points: the limits are Clopper and Pearson's, the conversions exact, the alarms as rare as promised."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from dpbandits.audit.curve import (
    POWER,
    certified,
    claimed_beta,
    claimed_delta,
    delta_lower,
    eps_lower,
    excess,
    family_points,
    likely_upper,
    mu_lower,
    resolution,
    upper_limit,
)
from dpbandits.audit.events import EVENTS, certify, thresholds
from dpbandits.proofs_checks.contexts import fp
from dpbandits.reference.curves import Approximate, Family, Gaussian, Renyi, gaussian_delta
from dpbandits.reference.noise import Seeded, address

ROUNDING = 1e-9  # of a handful of operations on doubles, with room
SURE = 1e-6  # how improbable a failure of a statistical test here is, if the code is right


def laplace_curve(m, delta):
    """(eps, delta) for pure 1-DP: the same eps at every delta."""
    return m.number(1) + 0 * delta


@pytest.mark.parametrize("count", [0, 1, 17, 99, 100])
def test_the_limit_is_the_inverse_of_the_binomial(count):
    """At the upper limit, a count this small has exactly the probability `level` (for count = n: the limit is 1)."""
    limit = float(upper_limit(count, 100, 0.01))
    if count == 100:
        assert limit == 1.0
    else:
        assert binom.cdf(count, 100, limit) == pytest.approx(0.01, rel=1e-6)  # the beta quantile's own precision


def test_no_errors_leave_the_rule_of_the_power():
    """P(no error in n) = (1 - p)^n = level gives p = 1 - level^(1/n)."""
    assert float(upper_limit(0, 1000, 1e-8)) == pytest.approx(1 - 1e-8 ** (1 / 1000), rel=1e-9)


def test_a_point_spends_half_of_its_level_on_either_error():
    point = certified(10, 20, 500, 0.02)
    assert point.alpha_upper == float(upper_limit(10, 500, 0.01))
    assert point.beta_upper == float(upper_limit(20, 500, 0.01))
    assert (point.alpha, point.beta) == (0.02, 0.04)


@pytest.mark.parametrize("mu", [0.1, 1.0, 4.0])
def test_points_on_a_gaussian_curve_give_its_parameter_back(mu):
    alpha = np.linspace(0.01, 0.99, 21)
    beta = ndtr(-ndtri(alpha) - mu)
    assert mu_lower(alpha, beta) == pytest.approx(mu, abs=ROUNDING)


def test_randomised_response_gives_its_eps_back():
    """Its one test has errors 1/(1 + e^eps) both."""
    error = 1 / (1 + np.exp(1.5))
    assert float(eps_lower(error, error, 0.0)) == pytest.approx(1.5, abs=ROUNDING)
    assert float(delta_lower(error, error, 1.5)) == pytest.approx(0.0, abs=ROUNDING)
    assert float(delta_lower(error, error, 0.0)) == pytest.approx(1 - 2 * error, abs=ROUNDING)


def test_errors_that_say_nothing_give_zero_and_impossible_ones_infinity():
    assert float(eps_lower(0.5, 0.5, 0.0)) == 0
    assert float(mu_lower(0.7, 0.7)) == 0
    assert float(eps_lower(0.0, 0.5, 0.0)) == np.inf
    assert float(eps_lower(1.0, 1.0, 0.0)) == 0


def curves():
    mu = 0.9
    return [
        (Gaussian(mu), lambda a: ndtr(-ndtri(a) - mu)),
        (Approximate(1.0, 0.05), lambda a: claimed_beta(Approximate(1.0, 0.05), a)),
        (Family(laplace_curve, 0.0, 0.5), lambda a: claimed_beta(Approximate(1.0, 0.0), a)),
    ]


@pytest.mark.parametrize(("curve", "attained"), curves())
def test_a_mechanism_that_attains_its_claim_never_exceeds_it(curve, attained):
    """Nowhere on the attained curve is there an excess; just below it there is."""
    alpha = np.linspace(0.02, 0.9, 45)
    beta = np.asarray(attained(alpha))
    assert (excess(curve, alpha, beta).amount <= ROUNDING).all()
    inside = beta > 0.02
    assert (excess(curve, alpha[inside], beta[inside] - 0.01).amount > 0).any()


def test_the_profile_and_the_trade_off_of_a_claim_are_dual():
    """beta(alpha) = sup over eps of 1 - delta(eps) - e^eps alpha, for alpha left of the diagonal."""
    eps = np.linspace(0, 12, 20_001)
    for curve in (Gaussian(1.3), Approximate(0.7, 0.02)):
        delta = claimed_delta(curve, eps)
        for alpha in (0.01, 0.05, 0.2):
            dual = max(0.0, float((1 - delta - np.exp(eps) * alpha).max()))
            # The grid of eps misses the supremum by at most its step times the slope, below 12/20 000.
            assert float(claimed_beta(curve, [alpha])[0]) == pytest.approx(dual, abs=6e-4)


def test_the_gaussian_profile_is_the_papers():
    assert claimed_delta(Gaussian(2.0), [0.5]) == pytest.approx([gaussian_delta(fp, 0.5, 2.0)], abs=ROUNDING)
    assert claimed_delta(Gaussian(0.0), [0.0]) == [0.0]


def test_a_family_is_looked_at_only_where_it_is_a_number():
    """sqrt(log(1/(2 delta))) is none beyond delta = 1/2."""
    deltas, eps = family_points(Family(lambda m, delta: m.sqrt(m.log(1 / (2 * delta))), 1e-6, 0.9))
    assert deltas.max() <= 0.5
    assert np.isfinite(eps).all()


def test_a_renyi_claim_has_no_excess():
    with pytest.raises(TypeError, match="Renyi"):
        excess(Renyi(lambda m, alpha: alpha), 0.1, 0.1)


# -- alarms ------------------------------------------------------------------------------------------------------


def shifted(mu, trials, seed):
    """Scores of N(0, 1) against N(mu, 1), which is exactly mu-GDP."""
    left, right = (Seeded(address(seed, side), trials).normal("x", 0) for side in ("left", "right"))
    return left, right + mu


def alarms(truth, claimed, level, audits, trials=2_000):
    """In how many audits a mechanism that is exactly `truth`-GDP is found to break `claimed`-GDP."""
    caught = 0
    for seed in range(audits):
        left, right = shifted(truth, trials, seed)
        few = trials // 4
        cuts = thresholds(left[:few], right[:few], Gaussian(claimed), trials - few, level / EVENTS)
        caught += float(certify(left[few:], right[few:], cuts, Gaussian(claimed), level).excess.amount) > 0
    return caught


def test_a_tight_claim_alarms_no_more_often_than_allowed():
    """The mechanism attains its claim, and the level is large enough for alarms to be counted: 5 %."""
    audits = 200
    assert alarms(1.0, 1.0, 0.05, audits) <= binom.ppf(1 - SURE, audits, 0.05)


def test_a_clear_violation_always_alarms():
    """So that the test above could have failed: mu = 1.5 stands six standard errors above 1."""
    assert alarms(1.5, 1.0, 0.05, 40) == 40


@pytest.mark.parametrize(("claimed", "trials"), [(0.7, 4_000), (2.5, 4_000)])
def test_the_resolution_is_caught_with_the_promised_power(claimed, trials):
    """A mechanism at the resolution, at the resolution's best threshold, is caught in at least 90 % of audits."""
    level, audits = 1e-6, 300
    truth = resolution(Gaussian(claimed), trials, level).value
    grid = truth / 2 + np.linspace(-3, 3, 61)
    errors = ndtr(-grid), ndtr(grid - truth)
    likely = [likely_upper(error, trials, level) for error in errors]
    best = grid[int(np.argmax(mu_lower(*likely)))]
    caught = 0
    for seed in range(audits):
        left, right = shifted(truth, trials, seed)
        point = certified(int((left >= best).sum()), int((right < best).sum()), trials, level)
        caught += float(mu_lower(point.alpha_upper, point.beta_upper)) > claimed
    assert caught >= binom.ppf(SURE, audits, POWER)


def test_what_no_count_can_show_has_no_resolution():
    """With no errors at all, mu is at most -2 Phi^-1(1 - level'^(1/n)): beyond it nothing can be caught."""
    most = -2 * ndtri(float(upper_limit(0, 1_000, 0.5e-6)))
    assert np.isinf(resolution(Gaussian(most + 0.01), 1_000, 1e-6).value)
    assert np.isfinite(resolution(Gaussian(most - 0.5), 1_000, 1e-6).value)


def test_the_resolution_of_pairs_exceeds_the_claim_and_shrinks_with_trials():
    few, many = (resolution(Approximate(1.0, 1e-3), n, 1e-6).value for n in (2_000, 200_000))
    assert 1.0 < many < few
    assert resolution(Family(laplace_curve, 0.0, 0.5), 200_000, 1e-6).value > 1.0
