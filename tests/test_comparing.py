"""Comparisons of hidden values, exactly: against closed forms, against sums over cases, and against samples."""

from __future__ import annotations

from math import exp, inf, log

import numpy as np
import pytest
from fits import LEVEL, chi_square

from dpbandits import Pulls
from dpbandits.proofs_checks.papers import comparing
from dpbandits.proofs_checks.papers.by_comparisons import (
    ByComparisons,
    comparison_chance,
    hidden_after_step,
    interval,
    past_of,
)
from dpbandits.proofs_checks.papers.comparing import (
    HiddenValue,
    chance,
    density,
    distribution,
    redraw_value,
    restrict_difference,
    start_hidden,
)
from dpbandits.reference.bandits.release_laws.declared_steps import Comparing
from dpbandits.reference.papers.hu21 import AnytimeLazyUCB

PAIR = start_hidden(HiddenValue(0.0, 1.0), HiddenValue(0.0, 1.0))


@pytest.mark.parametrize("gap", [0.0, 0.5, 3.0, 40.0, 700.0])
def test_one_comparison_of_equal_scales(gap):
    """P(X_0 - X_1 > d) = (1/2 + d/4) e^-d, in every tail."""
    ball = chance(restrict_difference(PAIR, gap, inf))
    assert float(ball.rad() / ball.mid()) < 1e-30
    assert log(float(ball.mid())) == pytest.approx(log(0.5 + gap / 4) - gap, rel=1e-14, abs=0)
    other = chance(restrict_difference(PAIR, -inf, gap))
    assert float(other.mid()) == pytest.approx(1 - (0.5 + gap / 4) * exp(-gap), rel=1e-15, abs=0)


@pytest.mark.parametrize("gap", [0.25, 6.0])
def test_one_comparison_of_unequal_scales(gap):
    """With scales s > r the tail is (s^2 e^(-d/s) - r^2 e^(-d/r))/(2 (s^2 - r^2)), by partial fractions."""
    s, r = 2.0, 0.5
    wanted = (s**2 * exp(-gap / s) - r**2 * exp(-gap / r)) / (2 * (s**2 - r**2))
    for first, second in ((s, r), (r, s)):
        pair = start_hidden(HiddenValue(1.0, first), HiddenValue(1.0, second))
        assert float(chance(restrict_difference(pair, gap, inf)).mid()) == pytest.approx(wanted, rel=1e-14, abs=0)
        assert float(chance(restrict_difference(pair, -inf, -gap)).mid()) == pytest.approx(wanted, rel=1e-14, abs=0)


@pytest.mark.parametrize("bits", [320, comparing.PRECISION])
@pytest.mark.parametrize("share", [0.6, 0.7])
def test_a_ball_holds_the_chance_of_what_hardly_ever_happens(share, bits, monkeypatch):
    """Down to 1e-245, where what is left of terms of size 1 is nearly 0, and counts. The same with many more bits."""
    found = []
    for precision in (bits, 6000):
        monkeypatch.setattr(comparing, "PRECISION", precision)
        density.cache_clear()
        distribution.cache_clear()
        state = start_hidden(HiddenValue(293.93 * share, 1.0), HiddenValue(314.72 * share, 0.5))
        state = redraw_value(
            restrict_difference(state, -128.2 * share, 379.85 * share), 1, HiddenValue(546.92 * share, 0.5)
        )
        state = redraw_value(
            restrict_difference(state, 288.31 * share, 348.55 * share), 0, HiddenValue(278.57 * share, 1.0)
        )
        found.append(chance(restrict_difference(state, 0.0, inf)))
    density.cache_clear()
    distribution.cache_clear()
    assert found[0].overlaps(found[1])
    assert bits == 320 or found[0].rad() < 1e-13 * found[0].mid()


def simulated(shows, trials=400_000):
    """Whether each of the trials shows everything, by drawing it. shows: ("drawn", arm, value) or (low, high)."""
    source, kept = np.random.default_rng(0), np.ones(trials, dtype=bool)
    x = source.laplace(size=(2, trials))
    for each in shows:
        if each[0] == "drawn":
            _, arm, value = each
            x[arm] = value.centre + value.scale * source.laplace(size=trials)
        else:
            kept &= (x[0] - x[1] > each[0]) & (x[0] - x[1] < each[1])
    return kept.sum()


@pytest.mark.parametrize("arm", [0, 1])
def test_values_that_stay_remember(arm):
    """Windows, redraws of either arm, and the same arm twice."""
    shows = [
        (-0.5, 2.0),
        ("drawn", arm, HiddenValue(0.3, 0.5)),
        (-1.0, inf),
        ("drawn", 1 - arm, HiddenValue(-0.2, 0.25)),
        (-inf, 0.9),
        ("drawn", 1 - arm, HiddenValue(0.1, 2.0)),
        (-2.0, 1.0),
    ]
    state = PAIR
    for each in shows:
        state = redraw_value(state, each[1], each[2]) if each[0] == "drawn" else restrict_difference(state, *each)
    p = float(chance(state).mid())
    hits, trials = simulated(shows), 400_000
    assert 0.05 < p < 0.95
    assert chi_square([hits, trials - hits], [trials * p, trials * (1 - p)]) > LEVEL


def test_the_past_is_all_that_was_drawn_and_shown_in_order():
    """Steps of a run, of which some draw nothing and some show nothing, beside the same by hand."""
    steps = (
        (0.0, 0.0, 0.0, 0.0, -inf, inf),
        (0.3, 0.1, 0.5, 1.0, -1.0, 0.75),
        (0.0, 0.0, 0.0, 0.0, -0.5, inf),
        (0.0, 0.4, 0.0, 0.25, -inf, inf),
        (0.2, 0.0, 2.0, 0.0, -inf, 1.5),
        (0.0, 0.0, 0.0, 0.0, -0.25, inf),
    )
    assert past_of(()) is past_of(steps[:1]) is None
    by_hand = restrict_difference(start_hidden(HiddenValue(0.3, 0.5), HiddenValue(0.1, 1.0)), -1.0, 0.75)
    before = float(chance(past_of(steps[:2])).mid())
    assert before == float(chance(by_hand).mid())
    by_hand = redraw_value(restrict_difference(by_hand, -0.5, inf), 1, HiddenValue(0.4, 0.25))
    by_hand = restrict_difference(
        restrict_difference(redraw_value(by_hand, 0, HiddenValue(0.2, 2.0)), -inf, 1.5), -0.25, inf
    )
    after = float(chance(past_of(steps)).mid())
    assert after == float(chance(by_hand).mid())
    assert 0.2 * before < after < 0.8 * before
    assert comparison_chance(past_of(steps), -inf, inf) == pytest.approx(after, rel=1e-14, abs=0)
    assert comparison_chance(past_of(steps), 2.0, inf) == 0
    assert comparison_chance(None, -inf, inf) == 1
    for low, high in ((0.0, inf), (-inf, 0.0)):
        with pytest.raises(ValueError, match="the release compares means that have no noise"):
            comparison_chance(None, low, high)
    assert hidden_after_step(None, steps[3]) is None


def test_what_cannot_be_shown_has_no_chance():
    assert chance(restrict_difference(restrict_difference(PAIR, 1.0, inf), -inf, 0.5)) == 0


def test_a_block_that_the_horizon_cuts_may_be_the_beginning_of_any_longer_one():
    counts = np.array([[[1, 0], [2, 0], [3, 0], [0, 1]]])
    ways = Comparing(counts, np.array([[2.0, 1.0, 0.5, -inf]]), np.array([[inf, 2.0, 1.0, 0.5]]))
    for pulls, low, high in (([1, 0], 2.0, inf), ([2, 0], 1.0, 2.0), ([0, 1], -inf, 0.5), ([7, 0], -inf, inf)):
        assert interval(ways, Pulls(np.array([pulls]))).tolist() == [[low, high]]
    without = Comparing(counts[:, 1:], ways.low[:, 1:], ways.high[:, 1:])
    assert interval(without, Pulls(np.array([[1, 0]]))).tolist() == [[0.5, 2.0]]


def test_two_arms_only():
    with pytest.raises(
        ValueError, match="has arms = 3; the exact law of comparisons of hidden means is available for 2"
    ):
        ByComparisons(AnytimeLazyUCB(3, 10))
