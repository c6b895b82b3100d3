"""Certified divergences: the limit lies below the truth, comes near to it, and refutes what two cells cannot."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from dpbandits import Gaussian, Verdict, audit_mechanism, audit_policy
from dpbandits.audit.privacy.own_claims import claimed_curve
from dpbandits.audit.statistics.events import (
    DIVERGENCE_SHARE,
    Witness,
    certified_divergence,
    certified_divergence_of_counts,
    certify_tests,
    mean_limit_by_bernstein,
    plan_tests_by_scores,
    plan_witness,
)
from dpbandits.pages import Concentrated, Family, Renyi
from dpbandits.papers.ou24 import ThompsonSampling

SURE = 1e-6


def of_order(order: float, gamma: float) -> Any:
    """A curve that speaks of the divergence of one order alone."""
    return SimpleNamespace(divergences=lambda: tuple(np.array([each]) for each in (order, gamma, 1.0, order)))


def renyi(p: Any, q: Any, order: float) -> float:
    return float(np.log((p**order * q ** (1 - order)).sum()) / (order - 1))


@pytest.mark.parametrize("order", [1.001, 2.0, 8.0])
def test_many_trials_show_the_whole_divergence_of_finite_laws_and_no_more(order: float) -> None:
    random = np.random.default_rng(3)
    for _ in range(5):
        p, q = random.dirichlet(np.ones(6), 2)
        gains = np.append(np.log(p / q), 0.0)
        witness = Witness(np.arange(5.0), gains, order, False, 1e-6, 0.0, 1.0, order)
        truth = renyi(p, q, order)
        shown = [
            float(certified_divergence_of_counts(witness, np.append(p, 0) * n, np.append(q, 0) * n, n).shown)
            for n in (10**4, 10**6, 10**11)
        ]
        assert shown == sorted(shown)
        assert shown[-1] == pytest.approx(truth, rel=1e-2, abs=1e-4)
        assert shown[-1] < truth


def test_limits_miss_the_mean_no_more_often_than_allowed() -> None:
    """A variable with three values, one of them rare, at a level of 10 % on either side."""
    random, chances, values = np.random.default_rng(1), np.array([0.6, 0.38, 0.02]), np.array([0.0, 0.2, 1.0])
    mean, runs = float(chances @ values), 4_000
    every = random.multinomial(300, chances, runs)
    for sign in (-1.0, 1.0):
        missed = sum(sign * (mean_limit_by_bernstein(values, counts, 300, 0.1, sign) - mean) < 0 for counts in every)
        assert missed <= binom.ppf(1 - SURE, runs, 0.1)
    variance, confidence = float(every[0] @ values**2) / 300 - (float(every[0] @ values) / 300) ** 2, np.log(20)
    wanted = np.sqrt(2 * variance * 300 / 299 * confidence / 300) + 7 * confidence / (3 * 299)  # a range of 1
    assert mean_limit_by_bernstein(values, every[0], 300, 0.1, 1.0) == pytest.approx(
        float(every[0] @ values) / 300 + wanted
    )
    assert 1e3 * mean_limit_by_bernstein(values / 1e3, every[0], 300, 0.1, 1.0) == pytest.approx(
        mean_limit_by_bernstein(values, every[0], 300, 0.1, 1.0)
    )


@pytest.mark.parametrize("order", [1.001, 2.0])
def test_true_divergences_alarm_no_more_often_than_allowed(order: float) -> None:
    """Normal laws that attain (order, order/2)-RDP, at a level of 30 %: alarms can be counted, and are seldom."""
    audits, alarms, curve = 150, 0, of_order(order, order / 2)
    for seed in range(audits):
        sides = np.random.default_rng(seed).normal(size=(2, 1_000)) + np.array([[0.0], [1.0]])
        witness = plan_witness(sides[0, :400], sides[1, :400], curve, 600, 0.3)
        assert witness is not None
        alarms += float(certified_divergence(sides[0, 400:], sides[1, 400:], witness).amount) > 0
    assert alarms <= binom.ppf(1 - SURE, audits, 0.3)


@pytest.mark.parametrize("turned", [False, True])
def test_either_direction_is_found(turned: bool) -> None:
    """A wide law against a narrow one: of order 3 the one divergence is infinite, the other small."""
    random = np.random.default_rng(5)
    sides = [random.normal(scale=2.0, size=20_000), random.normal(size=20_000)]
    left, right = sides[::-1] if turned else sides
    square = [np.square(side) for side in (left, right)]
    witness = plan_witness(square[0][:5_000], square[1][:5_000], of_order(3.0, 0.6), 15_000, 1e-6)
    assert witness is not None
    assert witness.swapped is not turned
    assert float(certified_divergence(square[0][5_000:], square[1][5_000:], witness).amount) > 0


@pytest.mark.parametrize(
    "curve", [lambda rho: Concentrated(rho), lambda rho: Renyi(lambda m, alpha: rho * alpha, 1.0, 10.0)]
)
def test_more_cells_refute_what_two_do_not(curve: Any) -> None:
    """A Gaussian mechanism is 0.5-zCDP; of two cells, no test shows more than 64 % of it at small orders."""
    random = np.random.default_rng(1)
    left, right = random.normal(size=40_000), random.normal(size=40_000) + 1
    found = {}
    for rho in (0.5, 0.4):
        tests = plan_tests_by_scores(left[:10_000], right[:10_000], curve(rho), 30_000, 1e-4)
        assert sum(each.level for each in tests) <= 1e-4 * (1 + 1e-9)
        assert tests[-1].level == pytest.approx(DIVERGENCE_SHARE * 1e-4)
        found[rho] = float(certify_tests(left[10_000:], right[10_000:], tests, curve(rho), 1e-4).excess.amount)
        assert float(certify_tests(left[10_000:], right[10_000:], tests[:-1], curve(rho), 1e-4).excess.amount) < 0
    assert found[0.5] < 0 < found[0.4]


def test_scores_that_are_no_numbers_say_nothing() -> None:
    random = np.random.default_rng(2)
    sides = random.normal(size=(2, 4_000)) + np.array([[0.0], [2.0]])
    holes = sides.copy()
    holes[:, ::10] = np.nan
    one_sided = np.array([sides[0], holes[1]])
    for used in (sides, holes, one_sided):
        witness = plan_witness(used[0, :2_000], used[1, :2_000], of_order(2.0, 0.5), 2_000, 1e-3)
        assert witness is not None
        assert witness.gains[-1] == 0 != witness.gains[-2]
        found = certified_divergence(used[0, 2_000:], used[1, 2_000:], witness)
        assert 0 < float(found.amount) < 4.0 - 0.5
    assert plan_witness(np.full(9, np.nan), np.full(9, np.nan), of_order(2.0, 0.5), 9, 0.1) is None
    assert plan_witness(sides[0], sides[1], Gaussian(1.0), 9, 0.1) is None


# -- any curve ---------------------------------------------------------------------------------------------------


def noisy(value: float, trials: int, seed: int) -> Any:
    return value + np.random.default_rng(seed).normal(size=trials)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "promise",
    [
        Concentrated,
        lambda rho: Renyi(lambda m, alpha: rho * alpha, 1.0, 10.0),
        lambda rho: Family(lambda m, delta: m.number(repr(rho)) + m.sqrt(4 * rho * m.log(1 / delta)), 1e-6, 0.1),
    ],
)
def test_every_curve_is_asked_of_mechanisms_and_policies(promise: Any) -> None:
    ask = partial(audit_mechanism, noisy, 0.0, 1.0, trials=60_000, floating_point="ignore")
    assert ask(curve=promise(0.5)).verdict is Verdict.CONSISTENT
    assert ask(curve=promise(0.05)).verdict is Verdict.REFUTED
    policy = ThompsonSampling(2, 2)
    for view in ("arms", "samples"):
        assert audit_policy(policy, curve=promise(1.0), view=view, trials=4_000).verdict is Verdict.CONSISTENT
    assert audit_policy(policy, curve=promise(1e-3), trials=4_000).verdict is Verdict.REFUTED


def test_a_curve_is_a_claim_by_itself() -> None:
    rho = Concentrated(0.5)
    assert claimed_curve(None, None, None, rho) is rho
    for numbers in ((1.0, None, None), (None, 0.1, None), (None, None, 1.0)):
        with pytest.raises(ValueError, match=r"mu= or curve="):
            claimed_curve(*numbers, rho)
    with pytest.raises(ValueError, match="is not a privacy curve, because it has no `claimed_parameters`"):
        claimed_curve(None, None, None, 0.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="curve guarantees nothing"):
        claimed_curve(None, None, None, Renyi(lambda m, alpha: -alpha))
