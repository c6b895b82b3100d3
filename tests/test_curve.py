"""Certified points: the limits are Clopper and Pearson's, the conversions exact, the alarms as rare as promised."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import beta as beta_law
from scipy.stats import binom

from dpbandits import Approximate, Gaussian, Seeded, Verdict
from dpbandits.audit.privacy.evidence import ALPHAS, resolved_errors, result_figures
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.statistics.events import CertifiedTrials, certify_tests, plan_tests_by_scores
from dpbandits.audit.statistics.region import CertifiedPoint, Excess, Region, excess_at_errors, probability_upper_limit
from dpbandits.audit.statistics.resolution import Resolution
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.claims.text import instance_resolution
from dpbandits.reference.curves import Family, derived, gaussian_delta
from dpbandits.reference.curves.conversions import delta_lower, eps_lower, mu_lower
from dpbandits.reference.curves.curve import Bounds

ROUNDING = 1e-9  # of a handful of operations on doubles, with room
SURE = 1e-6  # how improbable a failure of a statistical test here is, if the code is right


def laplace_curve(m, delta):
    """(eps, delta) for pure 1-DP: the same eps at every delta."""
    return m.number(1) + 0 * delta


@pytest.mark.parametrize("count", [0, 1, 17, 99, 100])
def test_the_limit_is_the_inverse_of_the_binomial(count):
    """At the upper limit, a count this small has exactly the probability `level` (for count = n: the limit is 1)."""
    limit = float(probability_upper_limit(count, 100, 0.01))
    if count == 100:
        assert limit == 1.0
    else:
        assert binom.cdf(count, 100, limit) == pytest.approx(0.01, rel=1e-6)  # the beta quantile's own precision


@pytest.mark.parametrize("level", [0.05, 1e-9, 1e-15])
def test_the_limit_is_the_one_that_others_compute(level):
    """statsmodels' alpha is two-sided, it leaves alpha/2 on either side. Two routines for a beta quantile, each good
    to some 1e-10 of it."""
    from statsmodels.stats.proportion import proportion_confint  # which loads pandas: not in every process

    counts = np.array([0, 1, 30, 1_500, 2_999, 3_000])
    _, theirs = proportion_confint(counts, 3_000, alpha=2 * level, method="beta")
    assert probability_upper_limit(counts, 3_000, level) == pytest.approx(theirs, rel=1e-8)


@pytest.mark.parametrize("trials", [7, 15_000, 1_500_000])
@pytest.mark.parametrize("level", [0.04, 1e-9, 1e-13])
def test_at_the_limit_so_few_errors_have_probability_level(trials, level):
    counts = np.unique(np.array([0, 1, 5, trials // 1000, trials // 3, trials - 1]))
    limit = probability_upper_limit(counts, trials, level)
    # binom.cdf's own precision in its far tail; and a last bit of the limit, which counts next to 1.
    bit = np.spacing(limit) * beta_law.pdf(limit, counts + 1, trials - counts)
    assert (np.abs(binom.cdf(counts, trials, limit) - level) <= 1e-5 * level + bit).all()
    assert (bit[:-1] < 1e-5 * level).all()


def test_no_errors_leave_the_rule_of_the_power():
    """P(no error in n) = (1 - p)^n = level gives p = 1 - level^(1/n)."""
    assert float(probability_upper_limit(0, 1000, 1e-8)) == pytest.approx(1 - 1e-8 ** (1 / 1000), rel=1e-9)


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
    assert float(mu_lower(0.0, 1.0)) == 0  # always "left": no errors there, and nothing else here
    assert float(eps_lower(0.0, 0.5, 0.0)) == np.inf
    assert float(eps_lower(1.0, 1.0, 0.0)) == 0


def test_unequal_errors_show_what_the_definition_says():
    """(0.5, 0.001): half of the left is called right, hardly any right is called left, so that the complement is an
    event of 0.5 on the left and of 0.001 on the right: log(0.5/0.001). With delta, what is left of the 0.5."""
    assert float(eps_lower(0.5, 0.001, 0.0)) == pytest.approx(np.log(500), rel=1e-12)
    assert float(eps_lower(0.5, 0.001, 0.1)) == pytest.approx(np.log(400), rel=1e-12)
    assert float(delta_lower(0.5, 0.001, 1.0)) == pytest.approx(0.5 - np.e * 0.001, rel=1e-12)


@pytest.mark.parametrize("delta", [0.0, 0.05, 0.3])
def test_which_side_is_called_left_does_not_matter(delta):
    """Both errors swapped is the complementary event on swapped sides. The definition: the largest eps at which an
    event or its complement has more than e^eps times the other side's probability, plus delta."""
    errors = np.array([0.001, 0.02, 0.2, 0.5, 0.9])
    alpha, beta = (grid.ravel() for grid in np.meshgrid(errors, errors))
    assert eps_lower(alpha, beta, delta) == pytest.approx(eps_lower(beta, alpha, delta), rel=1e-12)
    assert mu_lower(alpha, beta) == pytest.approx(mu_lower(beta, alpha), rel=1e-9)
    for a, b, found in zip(alpha, beta, eps_lower(alpha, beta, delta), strict=True):
        ratios = [(1 - b - delta) / a, (1 - a - delta) / b]
        assert found == pytest.approx(max(0.0, np.log(max(1e-9, *ratios))), rel=1e-12)


def curves():
    mu = 0.9
    return [
        (Gaussian(mu), lambda a: ndtr(-ndtri(a) - mu)),
        (Approximate(1.0, 0.05), lambda a: Approximate(1.0, 0.05).beta_at(a)),
        (Family(laplace_curve, 0.0, 0.5), lambda a: Approximate(1.0, 0.0).beta_at(a)),
    ]


@pytest.mark.parametrize(("curve", "attained"), curves())
def test_a_mechanism_that_attains_its_claim_never_exceeds_it(curve, attained):
    """Nowhere on the attained curve is there an excess; just below it there is."""
    alpha = np.linspace(0.02, 0.9, 45)
    beta = np.asarray(attained(alpha))
    assert (excess_at_errors(curve, alpha, beta).amount <= ROUNDING).all()
    inside = beta > 0.02
    assert (excess_at_errors(curve, alpha[inside], beta[inside] - 0.01).amount > 0).any()


def test_the_profile_and_the_trade_off_of_a_claim_are_dual():
    """beta(alpha) = sup over eps of 1 - delta(eps) - e^eps alpha, for alpha left of the diagonal."""
    eps = np.linspace(0, 12, 20_001)
    for curve in (Gaussian(1.3), Approximate(0.7, 0.02)):
        delta = curve.delta_at(eps)
        for alpha in (0.01, 0.05, 0.2):
            dual = max(0.0, float((1 - delta - np.exp(eps) * alpha).max()))
            # The grid of eps misses the supremum by at most its step times the slope, below 12/20 000.
            assert float(derived.beta_at(curve, [alpha])[0]) == pytest.approx(dual, abs=6e-4)


@pytest.mark.parametrize("curve", [Approximate(1.0), Approximate(5.0), Approximate(20.0, 0.01), Approximate(1.8, 1e-6)])
def test_the_picture_of_a_promise_is_not_drawn_over_its_bend(curve):
    """Between two of its points, where delta is positive, the straight line of a logarithmic axis is the curve's own
    value up to a twelfth, and nowhere above it."""
    eps, delta = derived.profile(curve, np.linspace(0, 1.5 * curve.eps, 81))
    assert curve.eps in eps
    middle = curve.delta_at((eps[1:] + eps[:-1]) / 2)
    drawn = np.sqrt(delta[1:] * delta[:-1])[middle > 0]
    assert (drawn <= middle[middle > 0] * (1 + ROUNDING)).all()
    assert (drawn >= middle[middle > 0] * 11 / 12).sum() >= len(drawn) - 1  # its last one may end at zero


def test_a_family_that_does_not_fall_is_drawn_as_stairs():
    rising = Family(lambda m, delta: 1 + delta, 0.1, 0.5)
    eps, delta = rising.profile(np.linspace(0, 3, 7))
    assert eps[:3].tolist() == pytest.approx([0, 1.1, 1.1])
    assert delta.tolist() == pytest.approx([1, 1, 0.1, 0.1])


@pytest.mark.parametrize("mu", [0.7, 2.9, 4.0, 7.0])
def test_the_picture_of_a_trade_off_is_not_drawn_over_its_bend(mu):
    """On linear axes, straight lines from point to point are off by less than 1/500 of the axis, and on logarithmic
    ones by less than 1/50 of a decade, of which they show five or more, wherever their ends can be told apart."""
    beta, middle = Gaussian(mu).beta_at(ALPHAS), (ALPHAS[1:] + ALPHAS[:-1]) / 2
    chord = (beta[1:] + beta[:-1]) / 2 - Gaussian(mu).beta_at(middle)
    assert np.abs(chord[middle > 1e-3]).max() < 1 / 500
    alphas, betas = ALPHAS[1:-1], beta[1:-1]
    apart = np.diff(np.log10(alphas)) > 1e-3
    ratio = np.sqrt(betas[1:] * betas[:-1]) / Gaussian(mu).beta_at(np.sqrt(alphas[1:] * alphas[:-1]))
    assert np.abs(np.log10(ratio[apart])).max() < 1 / 50


def test_a_violation_that_was_found_lies_in_no_blind_spot():
    """The band of what a run may not see is drawn where nothing was found, not around a certified point."""
    seen = Resolution(2.0, nan, "Gaussian")
    for shown, drawn in ((0.9, True), (1.5, False)):
        point = CertifiedPoint(0.1, 0.1, Region(np.array([0.2]), np.array([0.2])))
        sampled = CertifiedTrials((), point, Excess(shown - 1.0, shown, nan), (seen,), 1000, 1e-9)
        outcome = Result("a", Gaussian(1.0), sampled=sampled)
        assert (outcome.verdict is Verdict.REFUTED) is not drawn
        assert bool(result_figures(outcome)[0]["resolved"]) is drawn
        alpha, beta = resolved_errors(outcome)
        assert bool(alpha.size) is drawn
    alpha, beta = resolved_errors(outcome._replace(sampled=sampled._replace(excess=Excess(-0.1, 0.9, nan))))
    assert (alpha[0], alpha[-1], beta[0], beta[-1]) == (0, 1, 1, 0)
    assert beta == pytest.approx(ndtr(-ndtri(alpha) - 2.0), abs=1e-9)


def test_the_picture_of_a_profile_shows_the_most_that_is_certified_at_each_eps():
    """Of the tests the one that shows most; of a test's region the corner that shows least; a 0 is not drawn."""
    first = CertifiedPoint(0.1, 0.1, Region(np.array([0.2, 0.01]), np.array([0.1, 0.3])))
    second = CertifiedPoint(0.0, 0.7, Region(np.array([1e-3]), np.array([0.8])))
    point_of = Resolution(2.0, 0.01, "Gaussian")
    sampled = CertifiedTrials((first, second), first, Excess(-1.0, 3.0, 0.01), (point_of,), 1000, 1e-9)
    item = result_figures(Result("a", Approximate(4.0, 0.01), sampled=sampled))[0]
    assert item["kind"] == "profile"

    def shows(alpha, beta, eps):  # of either event, the sides in either order
        return max(1 - beta - np.exp(eps) * alpha, 1 - alpha - np.exp(eps) * beta)

    def most(eps):
        return max(min(shows(0.2, 0.1, eps), shows(0.01, 0.3, eps)), shows(1e-3, 0.8, eps))

    drawn = {one["eps"]: one["delta_lower"] for one in item["points"]}
    assert drawn == pytest.approx({eps: most(eps) for eps in drawn}, rel=1e-12)
    assert (min(drawn), len(drawn)) == (0, np.searchsorted(np.linspace(0, 6, 21), np.log(200)))  # up to where it ends


def test_whatever_is_refuted_has_its_errors_drawn():
    """Also a guarantee that is drawn as a profile; its certified point lies below the claimed curve."""
    point = CertifiedPoint(0.1, 0.1, Region(np.array([0.05]), np.array([0.05])))
    refuting = CertifiedTrials((point,), point, Excess(1.0, 3.0, 0.0), (), 1000, 1e-9)
    passing = refuting._replace(excess=Excess(-1.0, 0.5, 0.0))
    for curve, first in ((Approximate(1.0, 0.01), "profile"), (Gaussian(1.0), "tradeoff")):
        found = Result("a", curve, sampled=refuting)
        assert found.verdict is Verdict.REFUTED
        items = result_figures(found)
        assert [item["kind"] for item in items] == list(dict.fromkeys([first, "tradeoff"]))
        assert len({item["title"] for item in items}) == len(items)
        (drawn,) = items[-1]["points"]
        claimed = np.array(items[-1]["claimed"])
        assert drawn["beta_upper"] < np.interp(drawn["alpha_upper"], *claimed.T)
        assert [item["kind"] for item in result_figures(found._replace(sampled=passing))] == [first]


@pytest.mark.parametrize(("shown", "told"), [(1.99, True), (1.81, True), (1.7, False), (2.01, False), (0.0, False)])
def test_what_comes_near_the_claim_is_told(shown, told):
    """By samples alone, and below the claim: 9/10 of it, or more."""
    seen = Resolution(2.2, nan, "Gaussian")
    point = CertifiedPoint(0.1, 0.1, Region(np.array([0.2]), np.array([0.2])))
    sampled = CertifiedTrials((), point, Excess(shown - 2.0, shown, nan), (seen,), 1000, 1e-9)
    outcome = Result("a", Gaussian(2.0), sampled=sampled)
    assert ("distinguish these two cases" in instance_resolution(outcome.instance)) is told
    lawful = outcome._replace(bounds=Bounds(1.99, 2.0, 2.0, nan))
    assert "more trials" not in instance_resolution(lawful.instance)


def test_a_promise_at_the_ends_of_the_doubles():
    """e^800 is no double, and a tenth of the least one is 0."""
    assert Approximate(800.0, 0.25).beta_at([0.0, 0.5, 1.0]).tolist() == [0.75, 0.0, 0.0]
    eps, delta = Approximate(1.0, 5e-324).profile(np.array([0.0, 0.5, 2.0]))
    assert (np.diff(delta) <= 0).all()
    assert (eps[-1], delta[-1]) == (2.0, 5e-324)


def test_the_gaussian_profile_is_the_papers():
    assert Gaussian(2.0).delta_at([0.5]) == pytest.approx([gaussian_delta(doubles, 0.5, 2.0)], abs=ROUNDING)
    assert Gaussian(0.0).delta_at([0.0]) == [0.0]


def test_a_family_is_looked_at_only_where_it_is_a_number():
    """sqrt(log(1/(2 delta))) is none beyond delta = 1/2."""
    eps, deltas = Family(lambda m, delta: m.sqrt(m.log(1 / (2 * delta))), 1e-6, 0.9).claimed_parameters()
    assert deltas.max() <= 0.5
    assert np.isfinite(eps).all()
    eps, deltas = Family(lambda m, delta: 2 - delta, 0.0, 1.0).claimed_parameters()
    assert (eps[0], deltas[0]) == (2, 0)
    assert 0.999999 < deltas[-1] < 1


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
        cuts = plan_tests_by_scores(left[:few], right[:few], Gaussian(claimed), trials - few, level)
        caught += float(certify_tests(left[few:], right[few:], cuts, Gaussian(claimed), level).excess.amount) > 0
    return caught


@pytest.mark.planted
def test_a_tight_claim_alarms_no_more_often_than_allowed():
    """The mechanism attains its claim, and the level is large enough for alarms to be counted: 5 %."""
    audits = 200
    assert alarms(1.0, 1.0, 0.05, audits) <= binom.ppf(1 - SURE, audits, 0.05)


@pytest.mark.planted
def test_a_clear_violation_always_alarms():
    """So that the test above could have failed: mu = 1.5 stands six standard errors above 1."""
    assert alarms(1.5, 1.0, 0.05, 40) == 40


def test_a_family_is_compared_where_it_suffers_most():
    """Among all deltas of the family the reported excess is the largest, and it is reported where it is."""
    curve = Family(lambda m, delta: 1 + 0.5 * m.log(1 / delta), 1e-6, 0.5)
    promised, deltas = curve.claimed_parameters()
    for alpha, beta in ((0.001, 0.2), (0.05, 0.05), (0.2, 0.6)):
        amounts = eps_lower(alpha, beta, deltas) - promised
        found = excess_at_errors(curve, alpha, beta)
        assert float(found.amount) == amounts.max()
        assert float(found.at) == deltas[amounts.argmax()]


def test_who_promises_nothing_suffers_nowhere_whatever_the_shape_of_the_errors():
    curve = Family(lambda m, delta: m.number(-1), 0.1, 0.2)
    assert not len(curve.claimed_parameters()[0])
    for shape in ((), (2,), (2, 3)):
        found = excess_at_errors(curve, np.full(shape, 0.1), np.full(shape, 0.2))
        assert found.amount.shape == found.shown.shape == found.at.shape == shape
        assert (found.amount == -np.inf).all()
