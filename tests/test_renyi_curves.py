"""Renyi and zero-concentrated privacy: what errors show of them, what they promise, and an audit from end to end."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from dpbandits import QUICK, GaussianNoisyMax, Pair, Step, Verdict
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.matching.binding import binding_of
from dpbandits.audit.privacy.black_box import without_law
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.statistics.region import excess_at_errors
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.shifted_noise import NormalShift
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.claims.model import Claim, Private, Source
from dpbandits.reference.curves import Concentrated, Curve, Family, Renyi, derived, gaussian_delta, renyi_delta
from dpbandits.reference.curves.conversions import renyi_lower
from dpbandits.reference.curves.renyi import RENYI_ORDERS
from dpbandits.reference.papers.ou24 import ThompsonSampling

RHO = 0.4
LINE = Renyi(lambda m, alpha: m.number(RHO) * alpha)  # as far as order 100, where zCDP knows no end
CURVES = [LINE, Concentrated(RHO)]
RUN = Run(replace(QUICK, trials=6_000, steps=120_000), seed=0, level=1e-6)


@pytest.mark.parametrize(("alpha", "beta"), [(0.1, 0.2), (0.4, 0.55), (1e-6, 0.3)])
@pytest.mark.parametrize("order", [1.001, 2.0, 30.0])
def test_what_errors_show_is_the_divergence_of_the_outcome(alpha: float, beta: float, order: float) -> None:
    """By the definition, sum p^a q^(1 - a) over the two outcomes, at 40 digits; the larger of both directions."""
    with mpmath.workdps(40):
        a, right, left = mpmath.mpf(order), (1 - mpmath.mpf(beta), mpmath.mpf(beta)), (alpha, 1 - mpmath.mpf(alpha))
        ways = [
            mpmath.log(sum(p**a * q ** (1 - a) for p, q in zip(*sides, strict=True))) / (a - 1)
            for sides in ((right, left), (left, right))
        ]
    assert float(renyi_lower(alpha, beta, order)) == pytest.approx(float(max(ways)), rel=1e-11)


def test_errors_at_the_ends() -> None:
    assert float(renyi_lower(0.0, 0.5, 2.0)) == np.inf  # an event that only the right side has
    assert float(renyi_lower(0.5, 0.5, 2.0)) == 0
    assert float(renyi_lower(0.7, 0.6, 2.0)) == 0
    assert float(renyi_lower(0.0, 1.0, 2.0)) == 0  # always "left"


@pytest.mark.parametrize(("low", "high"), [(2e4, 1e6), (2e4, 20_001.0), (1e12, 1e13), (1.0, 1.0005), (9e3, 1e300)])
def test_no_order_outside_of_the_range_is_looked_at(low: float, high: float) -> None:
    """Of the orders below it nothing is promised: a formula that is small there promises no small divergence."""
    gamma, orders = Renyi(lambda m, alpha: alpha, low, high).claimed_parameters()
    assert len(orders) > 1
    assert ((low < orders) & (orders <= high)).all()
    assert (gamma == orders).all()


def test_a_formula_that_reads_what_changes_is_asked_again() -> None:
    """The same function in two claims, and the number that it reads changed between: two promises."""
    rho = [0.1]

    def line(m, alpha):
        return alpha * rho[0]

    def eps(m, delta):
        return rho[0] - delta

    first = Renyi(line).claimed_parameters()[0], Family(eps, 0.0, 0.05).claimed_parameters()[0]
    rho[0] = 1.0
    second = Renyi(line).claimed_parameters()[0], Family(eps, 0.0, 0.05).claimed_parameters()[0]
    assert second[0] == pytest.approx(10 * first[0])
    assert second[1] == pytest.approx(first[1] + 0.9)


def test_a_formula_may_be_an_object_without_a_hash() -> None:
    class Line:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, m, alpha):
            return alpha

    gamma, orders = Renyi(Line()).claimed_parameters()
    assert (gamma == orders).all()


@pytest.mark.parametrize(
    "curve", [Renyi(lambda m, alpha: -alpha), Family(lambda m, delta: m.log(delta), 1e-6, 0.1)], ids=["Renyi", "Family"]
)
@pytest.mark.parametrize("policy", [ThompsonSampling(2, 2), without_law(ThompsonSampling(2, 2))])
def test_an_audit_of_a_promise_of_nothing_is_none(curve: Curve, policy: Any) -> None:
    """A formula with a wrong sign is no number >= 0 anywhere: nothing is promised, so that nothing could be found."""
    claim = Claim(
        "own/nothing",
        Source("own", "Here", "nothing"),
        Private("pull", "arms", lambda _: curve),
        expect=Verdict.CONSISTENT,
    )
    finding = judge_private(claim, RUN, subject=policy)
    assert finding.verdict is Verdict.NOT_EXERCISED
    assert "the claim guarantees nothing" in finding.summary


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: derived.guarantee_name(curve))
def test_the_boundary_of_a_promise_is_kept_and_nothing_below_it(curve: Curve) -> None:
    alpha = np.linspace(0.02, 0.9, 23)
    beta = derived.beta_at(curve, alpha)
    assert (excess_at_errors(curve, alpha, beta).amount <= 1e-9).all()
    assert (excess_at_errors(curve, alpha, beta * 0.999).amount > 0).all()


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: derived.guarantee_name(curve))
def test_the_gaussian_mechanism_keeps_it(curve: Curve) -> None:
    """mu^2/2 = rho: its tests and its profile never contradict the promise, and no promise says less than trivial."""
    mu, alpha, eps = sqrt(2 * RHO), np.linspace(0.001, 0.999, 41), np.linspace(0, 6, 25)
    assert (derived.beta_at(curve, alpha) <= ndtr(-ndtri(alpha) - mu) + 1e-12).all()
    assert (excess_at_errors(curve, alpha, ndtr(-ndtri(alpha) - mu)).amount <= 1e-12).all()
    promised = curve.delta_at(eps)
    assert (promised >= gaussian_delta(doubles, eps, mu)).all()
    assert (promised[eps > RHO] < 1).all()
    found = curve.bounds(NormalShift(mu))
    assert not found.refutes
    assert found.low == pytest.approx(found.claimed, rel=1e-9)  # at every order the mechanism has just so much
    assert curve.bounds(NormalShift(mu * 1.001)).refutes


@pytest.mark.thorough
def test_between_the_orders_rho_is_bounded() -> None:
    """The upper end covers orders that were not looked at: it lies above the truth, mu^2/2, by less than the steps."""
    low, high, _, _ = Concentrated(1.0).bounds(NormalShift(1.0))
    assert low <= 0.5 <= high
    assert np.isinf(high)  # normal noise has no largest loss, so beyond the largest order nothing is known
    policy = ThompsonSampling(2, 3)
    pair = Pair("pull", np.zeros((2, 3)), np.array([[1.0, 0, 0], [0, 0, 0]]))
    exact = exact_profile(policy, pair, 0.02)
    low, high, _, _ = Concentrated(1.0).bounds(exact)
    fine = max(side.renyi(order)[0] / order for order in 1 + np.geomspace(1e-3, 1e4, 1999) for side in (exact,))
    assert 0 < low <= fine <= high < 1.3 * low
    assert low <= exact.mu()[1] ** 2 / 2  # mu-GDP implies mu^2/2-zCDP


def test_the_conversion_is_no_better_than_what_it_converts() -> None:
    """At every order it lies above the Gaussian mechanism's own delta, and below Mironov's e^{(a-1)(g-eps)}."""
    for order in RENYI_ORDERS[::10]:
        for eps in (0.1, 1.0, 5.0):
            gamma = order / 2
            with np.errstate(over="ignore"):
                own, told = gaussian_delta(doubles, eps, 1.0), renyi_delta(doubles, eps, order, gamma)
                assert own <= told * (1 + 1e-12)
                assert told <= np.exp((order - 1) * (gamma - eps)) * max(1.0, 1 / (order - 1))


def noisy_max(curve: Curve) -> Claim:
    """Two noisy queries, the larger one released: between (0, 0) and (1, 0), sqrt(1/2)-GDP and no better."""
    says = Private("query", "arms", lambda step: curve)
    return Claim(
        "toy/claim",
        Source("toy", "Lemma 1", "so it is"),
        says,
        subject=lambda left, right: Step(GaussianNoisyMax((1.0, 1.0)), left, right, (1.0, 0.0)),
        params=({"left": (0.0, 0.0), "right": (1.0, 0.0)},),
        expect=Verdict.CONSISTENT,
    )


@pytest.mark.parametrize("make", [Concentrated, lambda rho: Renyi(lambda m, alpha: m.number(str(rho)) * alpha)])
@pytest.mark.thorough
def test_an_audit_from_end_to_end(make) -> None:
    """What is true survives with a resolution; what is not is refuted by its law, with a certificate that is about
    the claim, and about no weaker one."""
    kept = judge_private(noisy_max(make(0.25)), RUN)  # mu^2/2 at mu = sqrt(1/2)
    assert kept.verdict is Verdict.CONSISTENT
    assert "Gaussian mechanism that is exactly" in kept.resolution
    claim = noisy_max(make(0.001))
    broken = judge_private(claim, RUN)
    assert broken.verdict is Verdict.REFUTED
    (certificate,) = [each["certificate"] for each in broken.evidence if each["kind"] == "certificate"]
    assert verify(certificate).ok
    assert binding_of(certificate, {claim.id: claim}).about
    weaker = noisy_max(make(0.25))
    assert not binding_of(certificate, {weaker.id: weaker}).about
