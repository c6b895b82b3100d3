"""The static potential: its numbers pay for every coin, it bounds the policy itself, and forged prices are refused."""

from __future__ import annotations

import copy
import math
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr
from test_game import worst

from dpbandits import Pair, Sampler
from dpbandits.audit.cli.verifying import outcome_of
from dpbandits.extensions.thompson import ceiling as maker
from dpbandits.extensions.thompson import potential, potential_arms, rival_thresholds
from dpbandits.extensions.thompson.attack import attack
from dpbandits.extensions.thompson.ceilings import prices as checker
from dpbandits.extensions.thompson.ceilings import verification as ceiling_verification
from dpbandits.extensions.thompson.ceilings.numbers import FIXED_POINT_ONE, POINT
from dpbandits.extensions.thompson.ceilings.sampler import Rejected
from dpbandits.extensions.thompson.ceilings.sampler import Sampler as CeilingSampler
from dpbandits.extensions.thompson.least_noise import potential_eps
from dpbandits.extensions.thompson.rules import any_arms, two_arms

SAMPLERS = (Sampler(40, 2), Sampler(40, variance=0.7), Sampler(50_000, 2, 3, 2.0), Sampler(10**9))


def left_side(sampler: Sampler, n: float, total: int, x: Any, lam: float, higher: str) -> tuple[Any, Any]:
    """Logs of the two powers at thresholds x, without polygons."""
    rule = two_arms(sampler, np.array([n]), total) if sampler.arms == 2 else any_arms(sampler, np.array([n]))
    x = np.minimum(x, rule.high) if sampler.arms == 2 else x
    chances = log_ndtr(-x), log_ndtr(rule.shift - x)
    tails = log_ndtr(x), log_ndtr(x - rule.shift)
    if higher == "left":
        chances, tails = chances[::-1], tails[::-1]
    return tuple((1 + lam) * p - lam * q for p, q in (chances, tails))


@pytest.mark.parametrize("higher", ["right", "left"])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_numbers_pay_for_every_coin(sampler: Sampler, higher: str) -> None:
    """Any threshold, any round, any pull count of a group: in the defining inequality nothing is gained."""
    generator = np.random.Generator(np.random.Philox(3))
    coins, (begin, end) = potential.static_coins(sampler, higher), potential.count_groups(sampler)
    assert begin[0] == sampler.first
    assert coins.many.sum() == sampler.rounds
    cheap = [(0.2, 0.1)] if sampler.arms == 2 else []  # thresholds are as large there as the means allow
    for lam, spent in ((0.02, 40.0), (0.3, 9.0), *cheap):
        price = min(spent / sampler.rounds, 0.05)
        pulled, other = potential.powers_of(coins, lam)
        steps = potential.least_steps(np.exp(pulled), other, lam, price)
        assert (steps >= 0).all()
        bounded = np.flatnonzero(np.isfinite(steps))  # else nothing is said
        assert bounded.size > 3
        tight = 0
        for group in generator.choice(bounded, size=30):
            n = float(generator.integers(begin[group], end[group] + 1))
            total = int(generator.integers(n, sampler.horizon)) if sampler.arms == 2 else 0
            x = np.linspace(-9, 10, 2001)
            up, down = left_side(sampler, n, total, x, lam, higher)
            gained = np.expm1(down) + np.exp(up - steps[group]) - np.expm1(lam * price)
            assert gained.max() <= 1e-15
            up, down = left_side(sampler, begin[group], sampler.horizon - 1, x, lam, higher)
            tight += (np.expm1(down) + np.exp(up - 0.9 * steps[group]) > np.expm1(lam * price)).any()
        assert tight > 0  # with a tenth less something would be


@pytest.mark.parametrize("relation", ["pull", "round"])
def test_the_potential_is_above_all_tables_and_not_far(relation: str) -> None:
    for sampler in (Sampler(4, 2), Sampler(4, 2, variance=0.5)):
        sides = [potential.static_moments(sampler, side) for side in ("right", "left")]
        delta = float(worst(sampler, relation, [1.0])[0])
        assert 1.0 <= max(side.eps(delta) for side in sides) <= 2.6


def test_variance_and_prepulls_count_for_what_they_are() -> None:
    """Where one round is left the bound is close: a little more noise, or one pre-pull more of each arm, and it would
    lie below what all 0/1 tables show."""
    sampler, eps = Sampler(7, 2, 3, 0.16), 2.0
    delta = float(worst(sampler, "pull", [eps])[0])
    assert eps <= potential_eps(sampler, delta) <= 1.1 * eps
    for quieter in (sampler._replace(variance=1.15 * 0.16), sampler._replace(prepulls=4, horizon=9)):
        assert potential_eps(quieter, delta) < eps


@pytest.mark.parametrize("sampler", [Sampler(100, 2, 5, 4.0), Sampler(60, 2, 3, 30.0)])
def test_it_is_above_an_attack_on_variance_and_prepulls_and_not_far(sampler: Sampler) -> None:
    """The potential knows no transcripts: over runs of this length it loses up to two thirds."""
    left = np.ones((2, sampler.horizon))
    left[0] = 0.5
    right = left.copy()
    left[0, 0], right[0, 0] = 0.0, 1.0
    shown = attack(sampler, Pair("pull", left, right)).eps(1e-3)
    assert shown < potential_eps(sampler, 1e-3) < potential_eps(sampler._replace(arms=3), 1e-3) < 1.8 * shown


def test_samples_of_arms_with_few_pulls_are_paid_for() -> None:
    """Thresholds up to 1 + G/sqrt(l+1) and beyond 1 + g are worth no more than the worst of those up to 1 + g, with the
    number of such an arm."""
    sampler, lam, gap, deviations = Sampler(3000, 5), 0.2, 0.3, 6.0
    coins, weights = potential_arms.arm_coins(sampler)
    begin, price = potential.count_groups(sampler)[0], 10 / sampler.rounds
    at_order = potential_arms.ordered_coins(coins, weights, lam)
    steps, largest = potential_arms.least_average_steps(at_order, price, gap)
    paid = potential_arms.waiting_terms(at_order.log_pulled - steps[:, None], at_order.other, largest)
    dearest = 0.0
    for few in (0, 1, 5, 30):
        reached = 1 + deviations / (few + 1) ** 0.5
        wait = paid[coins.reach < reached].max()
        for group in (0, 1, 5, 20):
            n = begin[group]
            x = np.linspace(-9, reached * (n + 1) ** 0.5, 3000)
            up, down = left_side(sampler, n, 0, x, lam, "right")
            gained = np.exp(up - steps[group]) + np.exp(down - wait) - 1 - largest[group]
            assert gained.max() <= 1e-12
            dearest = max(dearest, float((np.exp(up - steps[group]) + np.expm1(down) - largest[group]).max()))
    assert dearest > 1e-4  # without it something is gained
    ordered = np.argsort(coins.reach, axis=None, kind="stable")
    found = potential_arms.log_start(sampler, at_order, ordered, price, gap, deviations)
    reached = 1 + deviations / np.sqrt(np.arange(1, 1000))
    waited = sum(paid[coins.reach < each].max() for each in reached[reached > 1 + gap])
    assert found == pytest.approx(10 * lam + (coins.many * steps).sum() + 4 * waited, rel=1e-9)


def test_the_chance_that_many_arms_exceed_a_threshold_is_not_rounded_down() -> None:
    """Phi next to 1, to a large power."""
    sampler, rivals, n = Sampler(2000, 10**20, 0, 0.05), 10**20 - 1, 1
    m, x = np.linspace(-1.0, 4.0, 501), np.sqrt(np.arange(1, sampler.horizon + 1))
    lead = ((m[:, None] - 1) * x + 1 / x).min(axis=1) / sampler.variance**0.5  # over all pull counts of another arm
    exact = -np.expm1(rivals * log_ndtr(lead))
    found = rival_thresholds.chance_above(sampler, n, n, m * ((n + 1) / sampler.variance) ** 0.5)
    assert (found >= exact).all()
    assert (found[found < 1] < 1.5 * exact[found < 1]).all()
    assert found[-1] < 1e-8


def test_weights_serve_for_all_counts_of_a_group() -> None:
    """Above 0 the last count has the most high thresholds, below 0 the first one."""
    sampler = Sampler(5000, 3, 0, 1e4)
    weights = potential_arms.arm_coins(sampler)[1]
    first, last = potential.count_groups(sampler)
    begins = potential.static_coins(sampler, "right").reach[0, 1:-1] * ((last[0] + 1) / sampler.variance) ** 0.5
    cells = np.argsort(rival_thresholds.corner_order(begins.size)[0])[: begins.size]
    beyond = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1][:, cells]
    for n in (first[:, None], last[:, None]):
        above = rival_thresholds.chance_above(sampler, n, n, begins)
        assert (above <= beyond * (1 + 1e-12)).all()
        assert above.max() > 0.9


@pytest.mark.parametrize(("gap", "share"), [(0.3, 0.9), (math.inf, 0.8)])
def test_thresholds_that_must_be_rare_are_paid_for_on_average(gap: float, share: float) -> None:
    """The defining inequality over a threshold that is as high as often as it can be, and the worst below; those that
    are beyond 1 + gap count as what is there. One threshold alone breaks it."""
    sampler, lam, alone = Sampler(3000, 3), 0.2, 0.0
    coins, weights = potential_arms.arm_coins(sampler)
    begin, price = potential.count_groups(sampler)[0], 10 / sampler.rounds
    sharp = np.zeros_like(weights)
    sharp[:, -1] = 1.0
    steps, plain = (
        potential_arms.least_average_steps(potential_arms.ordered_coins(coins, each, lam), price, gap)[0]
        for each in (weights, sharp)
    )
    for group in (0, 1, 3, 5):
        n = int(begin[group])
        x = np.arange(-6, 8.9, 0.01)
        x = x[x < (1 + gap) * (n + 1) ** 0.5]
        up, down = left_side(sampler, n, 0, x, lam, "right")
        value, no_change = np.exp(up - steps[group]) + np.expm1(down), -np.expm1(-steps[group]) * ndtr(-x)
        best = np.maximum.accumulate(np.maximum(value, -no_change))
        above = rival_thresholds.chance_above(sampler, n, n, x)
        often = np.append(above[:-1] - above[1:], above[-1])
        assert (1 - above[0]) * best[0] + (often * best).sum() <= np.expm1(lam * price)
        alone = max(alone, float(value.max() - np.expm1(lam * price)))
    assert alone > 1e-4
    assert (coins.many * steps).sum() < share * (coins.many * plain).sum()


def test_an_arc_that_ends_within_a_cell_is_paid_for() -> None:
    """With one pull, thresholds up to just before the next tangent: its crossing with the one after it counts."""
    lam, price, sampler = 0.2, 0.002, Sampler(3000, 5)
    coins = potential.static_coins(sampler, "right")
    pulled, other = potential.powers_of(coins, lam)
    edges = potential.tangent_thresholds(potential.STATIC_WIDTH, potential.STATIC_NEAR)
    for end in edges[(edges > 1.5) & (edges < 2.5)] * (1 - 1e-9):
        free = coins.reach < end / 2**0.5
        step = potential.least_steps(np.where(free, np.exp(pulled), 0.0), np.where(free, other, -1.0), lam, price)[0]
        up, down = left_side(sampler, 1.0, 0, np.array([end]), lam, "right")
        assert np.exp(up - step) + np.expm1(down) <= np.expm1(lam * price) + 1e-15


def test_a_given_number_of_arms_lies_between_two_and_any() -> None:
    two, any_number = (potential.static_moments(Sampler(10**5, arms), "right").eps(1e-6) for arms in (2, None))
    few, many = (potential_arms.arm_moments(Sampler(10**5, arms), 1e-7) for arms in (3, 100))
    assert few.lost == pytest.approx(1e-8)
    assert two < few.eps(1e-6) < many.eps(1e-6) < any_number
    exceeded = 2 * (10**5 - 1) * ndtr(-potential_arms.rare_deviations(Sampler(10**5, 3), few.lost))  # of two arms
    assert 0.99 * few.lost < exceeded <= few.lost


# -- the checker -----------------------------------------------------------------------------------------------------


PLAIN = Sampler(6, 2)


@pytest.fixture(autouse=True)
def few_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, orders in ((potential, "STATIC", (0.1, 0.3, 1.6)), (potential_arms, "ARM", (0.1, 0.2))):
        monkeypatch.setattr(module, f"{name}_ORDERS", np.array(orders))
    monkeypatch.setattr(potential_arms, "FREE_GAPS", (0.3, 0.7))
    for module, single, group in ((potential, "SINGLE_COUNTS", "COUNT_GROUP"), (checker, "SINGLE", "GROUP")):
        monkeypatch.setattr(module, single, 2)  # groups begin early, and grow fast
        monkeypatch.setattr(module, group, Fraction(4, 3))


@cache
def priced(sampler: Sampler) -> dict[str, Any]:
    return maker.priced_ceiling(sampler, 1e-3)


@pytest.mark.parametrize("sampler", [PLAIN, Sampler(7, variance=2.5)])
def test_the_checker_finds_what_the_bound_does(sampler: Sampler) -> None:
    found = priced(sampler)
    known = max(potential.static_moments(sampler, side).eps(1e-3) for side in ("right", "left"))
    assert 0.997 * known < float(found["eps"]) < 1.01 * known
    verdict = outcome_of(found, (), strict=False)
    assert verdict.good
    assert f"eps = {float(found['eps']):.4f}"[:9] in verdict.lines[1]


def test_forged_prices_are_refused() -> None:
    def refused(why: str, **changes: Any) -> None:
        found = copy.deepcopy(priced(PLAIN))
        for name, value in changes.items():
            target = found["prices"][0] if name in ("lam", "price") else found
            target[name] = value
        outcome = ceiling_verification.verify(found)
        assert not outcome.ok
        assert why in outcome.lines[0]

    assert ceiling_verification.verify(priced(PLAIN)).ok
    refused("more than eps", eps=f"{float(priced(PLAIN)['eps']) - 2e-6:.6f}")
    refused("more than eps", delta="1e-4")
    refused("more than eps", horizon=7)
    refused("price of a round is too low", arms="any")
    refused("more than eps", price="0.5")
    refused("the price of a round is too low", price="0")
    refused("lam must be from 1e-6", lam="0")
    refused("lam is too large for this sampler", lam="13", price="0.01")
    refused("there must be two entries", prices=priced(PLAIN)["prices"][:1])
    refused("there must be two entries", prices=[priced(PLAIN)["prices"][0]] * 2)
    refused("not an integer from 1 to 1000000000", horizon=10**9 + 1)
    refused("this field is missing, or has the wrong", prices="two")
    refused("variance must be from 0.01 to 10", eps="10001")


def test_logs_and_exponentials_of_the_checker_are_enclosed() -> None:
    with mpmath.workprec(400):
        for text in ("1e-40", "0.3", "0.99999999999", "1", "1.5", "12345.678"):
            units = int(Fraction(text) * FIXED_POINT_ONE)
            ends = checker.log_ends(units)
            assert ends.low <= mpmath.log(mpmath.mpf(units) / 2**POINT) * checker.UNIT <= ends.high
        for text in ("-80", "-63.9", "-1", "-1e-9", "0", "1e-30", "0.7", "1"):
            units = int(Fraction(text) * checker.UNIT)
            ends = checker.exponential_ends(units)
            assert ends.low <= mpmath.exp(mpmath.mpf(units) / checker.UNIT) * checker.UNIT <= ends.high
    with pytest.raises(Rejected, match=r"the check needs e\^x for an x above 1"):
        checker.exponential_ends(checker.UNIT + 1)


@pytest.mark.parametrize("higher", ["right", "left"])
def test_the_checker_s_numbers_pay_for_every_coin(higher: str) -> None:
    """Of groups of pull counts as well, and where means bound the thresholds."""
    two, many = CeilingSampler(12, True, 0, Fraction(1)), CeilingSampler(70, False, 20, Fraction(3))
    for sampler, paid in ((two, Fraction(1, 20)), (two, Fraction(1, 2000)), (many, Fraction(1, 500))):
        mine = Sampler(sampler.horizon, 2 if sampler.two else None, sampler.prepulls, float(sampler.variance))
        price = checker.Price(higher, Fraction(3, 10), paid)
        n = sampler.first
        for group in checker.coin_groups(sampler, sampler.horizon - sampler.begin):
            step = checker.least_step(group, price) / checker.UNIT
            if sampler.two or n < 30:
                last = n + group.many - 1
                up, down = left_side(
                    mine, float(last), sampler.horizon - 1, np.linspace(-9, 9.5, 3000), float(price.lam), higher
                )
                gained = np.exp(up - step) + np.expm1(down) - np.expm1(float(price.lam * price.price))
                assert gained.max() <= 1e-15
            n += group.many
        assert n == sampler.first + sampler.horizon - sampler.begin
