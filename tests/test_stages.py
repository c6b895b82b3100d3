"""Certification in stages: levels, when it goes on, and how often a mechanism that attains its claim is refuted."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpbandits import Approximate, Gaussian
from dpbandits.audit.statistics.events import CertifiedTrials, Event, ScoredTrials, certify_tests
from dpbandits.audit.statistics.region import Excess, certify_point
from dpbandits.audit.statistics.stages import STAGES, certify_in_stages, deviations_beyond

FIRST = 400  # fresh trials of the first stage
EXP = float(np.exp(1.0))


def coin(rng: np.random.Generator, trials: int, level: float, right: float) -> ScoredTrials:
    """Scores of 1 with probability `right` on the right side, and as often 0 on the left: randomised response."""
    sides = [(rng.random(trials) < chance).astype(float) for chance in (1 - right, right)]
    return ScoredTrials(sides[0], sides[1], (Event(0.5, level),))


def stages_of(rng: np.random.Generator, right: float, played: list[Any], level: float) -> Any:
    """The first stage of randomised response, and what plays the later ones."""

    def next_stage(number: int, own: float) -> ScoredTrials:
        played.append((number, own))
        return coin(rng, FIRST * STAGES[number].factor, own, right)

    return coin(rng, FIRST, level * STAGES[0].share, right), next_stage


def test_the_shares_of_the_level_sum_to_one() -> None:
    assert sum(stage.share for stage in STAGES) == 1
    assert STAGES[0].factor == 1


@pytest.mark.first(2)
@pytest.mark.parametrize("go_on", [2.5, -np.inf, 0.0])
def test_a_mechanism_that_attains_its_claim_is_refuted_no_more_often_than_the_level_says(go_on: float) -> None:
    """Whenever it goes on: the level is spent whether it does or not. Four standard deviations of 600 audits."""
    rng, level, audits = np.random.default_rng(7), 0.2, 600
    refuted, longer = 0, 0
    for _ in range(audits):
        played: list[Any] = []
        first, next_stage = stages_of(rng, EXP / (1 + EXP), played, level)
        found = certify_in_stages(first, Approximate(1.0), level, next_stage, go_on)
        refuted += found.excess.amount > 0
        longer += bool(played)
        assert found.stages == tuple(FIRST * stage.factor for stage in STAGES[: 1 + len(played)])
    assert refuted <= level * audits + 4 * np.sqrt(audits * level * (1 - level))
    if go_on == 2.5:
        assert longer <= 0.03 * audits
    if go_on == -np.inf:
        assert longer > audits / 2


def test_a_violation_that_the_first_stage_cannot_certify_is_certified_by_a_later_one() -> None:
    """eps is log 4 = 1.386 where 1 is claimed; 400 trials are too few at a level of 1e-9, and 2400 are not."""
    rng, level, found = np.random.default_rng(3), 1e-9, []
    for _ in range(40):
        played: list[Any] = []
        first, next_stage = stages_of(rng, 0.8, played, level)
        result = certify_in_stages(first, Approximate(1.0), level, next_stage)
        alone = certify_tests(*first, Approximate(1.0), level * STAGES[0].share)
        assert result.resolutions == alone.resolutions
        assert result.level == level
        assert [own for _, own in played] == [level * stage.share for stage in STAGES[1 : 1 + len(played)]]
        found.append((alone.excess.amount > 0, result.excess.amount > 0))
        if result.excess.amount > 0:
            assert result.trials == result.stages[-1]
    alone_refutes, refutes = np.sum(found, axis=0)
    assert alone_refutes == 0
    assert refutes >= 20


def test_what_is_refuted_at_once_goes_no_further() -> None:
    def never(number: int, level: float) -> ScoredTrials:
        raise AssertionError("a later stage was played")

    rng = np.random.default_rng(1)
    found = certify_in_stages(coin(rng, FIRST, 5e-10, 0.99), Approximate(1.0), 1e-9, never)
    assert found.excess.amount > 0
    within = certify_in_stages(coin(rng, FIRST, 5e-10, 0.6), Approximate(1.0), 1e-9, never)
    assert within.excess.amount < 0
    assert within.stages == (FIRST,)


@pytest.mark.parametrize(
    ("curve", "alpha", "beta", "promised", "slope"),
    [(Approximate(1.0), 0.1, 0.7, 1 - 0.1 * EXP, -EXP), (Gaussian(1.0), 0.3085, 0.28, 0.3086, -1.0)],
    ids=["eps", "mu"],
)
def test_deviations_beyond_the_claim(curve: Any, alpha: float, beta: float, promised: float, slope: float) -> None:
    """By hand: for eps = 1, and for mu = 1 next to the symmetric point alpha = beta = Phi(-1/2) = 0.30854."""
    trials = 10_000
    by_hand = (promised - beta) / np.sqrt((slope**2 * alpha * (1 - alpha) + beta * (1 - beta)) / trials)
    left, right = (np.arange(trials) < round(share * trials) for share in (1 - alpha, beta))
    scored = ScoredTrials((~left).astype(float), (~right).astype(float), (Event(0.5, 1e-3),))
    assert deviations_beyond(curve, certify_tests(*scored, curve, 1e-3)) == pytest.approx(by_hand, rel=5e-3)


@pytest.mark.parametrize(("trials", "alpha", "beta"), [(4, 0.0, 0.5), (10, 0.1, 0.7), (1_000, 0.1, 0.7)])
def test_deviations_of_few_trials_have_one_more_error_and_one_more_success(
    trials: int, alpha: float, beta: float
) -> None:
    """The claimed curve is the line 1 - e alpha, so that only the two variances are estimated."""
    point = certify_point(round(alpha * trials), round(beta * trials), trials, 1e-3)
    certified = CertifiedTrials((point,), point, Excess(0.0, 0.0, 0.0), (), trials, 1e-3)
    a, b = (Fraction(round(share * trials) + 1, trials + 2) for share in (alpha, beta))
    variance = (EXP**2 * float(a * (1 - a)) + float(b * (1 - b))) / trials
    found = deviations_beyond(Approximate(1.0), certified)
    assert found == pytest.approx((1 - EXP * alpha - beta) / np.sqrt(variance), rel=1e-8)
