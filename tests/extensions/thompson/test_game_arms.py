"""The game of ratios for a given number of arms above two: how often a threshold may be exceeded."""

from __future__ import annotations

import numpy as np
import pytest
from checked_states import worst_excess
from scipy.special import ndtr

from dpbandits import Sampler, thompson_privacy
from dpbandits.extensions.thompson import ratios, rival_thresholds
from dpbandits.extensions.thompson.answer_words import answer_text
from dpbandits.extensions.thompson.best_coins import Taps, value_before_round
from dpbandits.extensions.thompson.bound import Upper, certified_curve
from dpbandits.extensions.thompson.coins import Coins, around_each, tangent_thresholds
from dpbandits.extensions.thompson.grids import Grid
from dpbandits.extensions.thompson.moments import moments
from dpbandits.extensions.thompson.rival_thresholds import chance_above, chances_above, weighed_corners
from dpbandits.extensions.thompson.rules import any_arms

NEAR = (-1.0, 3.5)


@pytest.mark.parametrize("sampler", [Sampler(40, 3), Sampler(40, 5, 2, 4.0), Sampler(30, 3, 0, 0.3)])
def test_no_means_and_pulls_of_the_others_exceed_a_threshold_more_often(sampler: Sampler) -> None:
    """Over pulls of the others that have the sum that they must have, rewards all 1: one of the laws is above at every
    threshold, and near it where all but one have few."""
    random, (_, arms, b, c) = np.random.default_rng(3), sampler
    assert arms is not None
    x = np.linspace(-4.0, 6.0, 21)
    nearest = np.zeros(x.size)
    for pulls, rivals in ((max(b, 1), b * (arms - 1) + 3), (max(b, 1), 20), (max(b, 1) + 4, 15)):
        total = pulls + rivals
        bound = chance_above(sampler, pulls, total, x)
        laws = chances_above(sampler, np.array([[pulls]]), range(total + 1, total - 2, -1), x[None])[:, 0]
        assert (np.diff(laws) <= 0).all()
        for spread in (0.2, 1.0, 5.0) * 15:
            share = random.dirichlet(np.full(arms - 1, spread))
            counts = b + random.multinomial(rivals - b * (arms - 1), share)
            mean = counts / (counts + 1)
            level = x[:, None] * np.sqrt(c / (pulls + 1))
            above = 1 - ndtr((level - mean) * np.sqrt((counts + 1) / c)).prod(axis=1)
            serves = (above <= laws * (1 + 1e-12) + 1e-14).all(axis=1)
            assert serves.any()
            assert (above <= bound * (1 + 1e-12) + 1e-14).all()
            nearest = np.maximum(nearest, above / laws[serves].min(axis=0))
    assert (nearest > 0.6).all()


def convex_values(coins: Coins, planes: np.ndarray) -> np.ndarray:
    """The largest of several linear functions of (p, q), one row of `planes` a random function: (functions, coins)."""
    found = planes[..., 0, None] * coins.p + planes[..., 1, None] * coins.q + planes[..., 2, None]
    return np.asarray(found.max(axis=1))


@pytest.mark.first(1)
@pytest.mark.parametrize("change", [1.0, 0.6, 0.0])
def test_weighed_corners_bound_the_mean_over_what_the_others_show(change: float) -> None:
    """Of any convex function of the coin: the mean over the best of two others' samples, drawn by quadrature, at any
    lower mean of the changed arm and any change up to 1, is at most the sum of weights times the best corner so far."""
    sampler, pulls, total = Sampler(30, 3, 0, 2.0), 2, 9
    random = np.random.default_rng(11)
    planes = random.normal(size=(300, 4, 3))
    limits = any_arms(sampler, np.array([float(pulls)]))
    edges = tangent_thresholds(0.3, NEAR, shift=float(limits.shift[0]))
    laws = chances_above(sampler, np.array([[pulls]]), range(total, total - 1, -1), edges[None, :-1])[:, 0]
    coins, weights = weighed_corners(around_each([limits], 0.3, [NEAR])[0], edges[:-1], laws)
    best = np.maximum.accumulate(convex_values(coins, planes), axis=1)
    bound, scale = (best @ weights.T).max(axis=1), np.abs(planes).sum(axis=(1, 2))
    assert weights.sum(axis=1) == pytest.approx(1, rel=1e-11)
    deviation, margin = np.sqrt(2.0 / (pulls + 1)), np.inf
    level = np.linspace(-11.0, 11.0, 2001)
    middle = (level[1:] + level[:-1]) / 2
    for first in (0, 1, 3, 7):
        counts = np.array([first, total - pulls - first])
        chances = np.diff(ndtr((level[:, None] - counts / (counts + 1)) * np.sqrt((counts + 1) / 2.0)).prod(axis=1))
        for lower in (0.0, 0.3):
            x, shift = (middle - lower) / deviation, change / (pulls + 1) / deviation
            true = Coins(ndtr(-x), ndtr(x), ndtr(shift - x), ndtr(x - shift))
            margin = min(margin, float(((bound - convex_values(true, planes) @ chances) / scale).min()))
    assert -1e-5 < margin < 1e-3


@pytest.mark.parametrize("higher", ["right", "left"])
def test_values_obey_the_rules_of_three_arms(higher: str) -> None:
    sampler, grid = Sampler(10, 3, 0, 4.0), Grid(0.125, 60, 40)
    found = worst_excess(sampler, higher, grid, 2, 0.3, moments(sampler, higher, 10, 3), 6, 4)
    assert found.states == 4
    assert -0.02 < found.excess <= 0


def test_weights_that_are_turned_around_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def turned(*given: object) -> tuple[Coins, np.ndarray]:
        coins, weights = true(*given)  # type: ignore[arg-type]
        return coins, weights[..., ::-1]

    true = rival_thresholds.weighed_corners
    monkeypatch.setattr(rival_thresholds, "weighed_corners", turned)
    sampler, grid = Sampler(10, 3, 0, 4.0), Grid(0.125, 60, 40)
    assert worst_excess(sampler, "right", grid, 2, 0.3, moments(sampler, "right", 10, 3), 6, 4).excess > 0


def test_a_round_is_worth_the_weighed_best_so_far() -> None:
    """By hand: three coins that lead to constants, and two laws of thresholds."""
    coins = Taps(
        np.zeros((2, 3), dtype=np.int64),
        np.array([[[0.2, 0.0], [0.1, 0.0], [0.6, 0.0]]] * 2),
        np.array([[0.9, 0.1, 0.0], [0.5, 0.2, 0.3]]),
    )
    values = np.ones(10)
    assert value_before_round(coins, values, values, 0, 3) == pytest.approx([0.7 * 0.4 + 0.3 * 1.2] * 3, rel=1e-11)


def test_three_arms_are_bounded_by_less_than_any_number() -> None:
    """Where noise is large, so that what is worth waiting for is too rare."""
    grid, bounds = Grid(0.05, 60, 100), []
    for arms in (3, 6, None):
        sampler = Sampler(30, arms, 0, 16.0)
        bounds.append(ratios.ratios(sampler, "right", grid, 5, 0.3, moments(sampler, "right", 20, 6)).pull[20])

    assert bounds[0] < 0.97 * bounds[1] < 0.97 * bounds[2]


def test_what_holds_for_any_number_of_arms_holds_for_eight_and_is_cited() -> None:
    """In so short a run thresholds are never rare: the game for eight arms loses more by its corners than it gains."""
    eight, free = certified_curve(Sampler(8, 8)), certified_curve(Sampler(8))
    alone = Upper(eight.sampler, "pull", eight.powers, eight.curves)
    for delta, told in ((1e-1, 8), (1e-3, None)):
        assert eight.arms_told(delta) == told
        assert eight.eps(delta) <= min(alone.eps(delta), free.eps(delta)) * (1 + 1e-8)
    assert free.eps(1e-3) < alone.eps(1e-3) - 1e-6
    assert eight.eps(1e-1) < free.eps(1e-1) - 1e-3
    found = thompson_privacy(Sampler(8, 8), 1e-1, seek=False)._replace(upper=eight)
    assert "   threshold game, by ratios" in answer_text(found)
    assert "   threshold game of any number of arms, by ratios" in answer_text(found._replace(delta=1e-3))


@pytest.mark.thorough
def test_what_is_cited_for_any_number_of_arms_is_that() -> None:
    """Where pre-pulls take rounds away, of which two arms lose fewer: a thousand arms are bounded by less."""
    many = Sampler(30_000, 1000, 29)
    bound, free = certified_curve(many), certified_curve(many._replace(arms=None))
    assert bound.any_number is not None
    assert bound.any_number.eps(1e-3) == free.eps(1e-3) > 2 * bound.eps(1e-3)
    assert bound.arms_told(1e-3) == 1000


@pytest.mark.parametrize("second", [0, 1])
def test_high_thresholds_are_exceeded_as_often_as_said_where_the_pulls_of_both_others_are_known(second: int) -> None:
    """One of the others has had no pull, or one, and the last one the rest; with all rewards 1, the law is attained."""
    sampler, pulls, rivals, x = Sampler(40, 3), 3, 17, np.linspace(3.0, 6.0, 7)
    total = pulls + rivals
    law = chances_above(sampler, np.array([[pulls]]), range(total, total - 1, -1), x[None])[second, 0]
    counts, level = np.array([second, rivals - second]), x[:, None] * np.sqrt(sampler.variance / (pulls + 1))
    below = ndtr((level - counts / (counts + 1)) * np.sqrt((counts + 1) / sampler.variance))
    assert law == pytest.approx(1 - below.prod(axis=1), rel=1e-6, abs=0)
