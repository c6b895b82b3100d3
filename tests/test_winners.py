"""The law of the largest normal draw keeps its digits in every tail, and says how many."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from dpbandits import flipped
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.reference.bandits.release_laws.argmax_law import ERROR, argmax_law
from dpbandits.reference.bandits.release_laws.selections import NORMAL, top
from dpbandits.reference.bandits.release_laws.selections.laws import MAX_SELECTION_RATIO
from dpbandits.reference.bandits.release_laws.winners import (
    FAINT_CHANCE,
    MAX_INTEGRATED_ARMS,
    MIN_LOG_CHANCE,
    released,
    winner,
)
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling


def to_many_digits(means: list[float], scales: list[float], arm: int) -> mpmath.mpf:
    """P(the arm's draw is the largest), to 25 digits: the trapezoidal rule around the integrand's peak."""
    with mpmath.workdps(30):
        m, s = ([mpmath.mpf(x) for x in each] for each in (means, scales))
        others = [k for k in range(len(m)) if k != arm]

        def integrand(x: mpmath.mpf) -> mpmath.mpf:
            return mpmath.npdf(x) * mpmath.fprod(mpmath.ncdf((m[arm] + s[arm] * x - m[k]) / s[k]) for k in others)

        peak = max((mpmath.mpf(k) / 2 for k in range(-80, 81)), key=integrand)
        step = mpmath.mpf(1) / 8
        return step * sum(integrand(peak + step * k) for k in range(-72, 73))


@pytest.mark.parametrize("means", [[0.0, 3.0, 1.0], [0.0, 1.0, 30.0]])
@pytest.mark.first(1)
def test_every_chance_is_as_near_as_the_law_says(means):
    scales = [1.0, 0.7, 1.3]
    law = winner(np.array([means]), np.array([scales]))
    assert law.absolute_error == 0
    assert law.error <= 1e-10
    for arm in range(3):
        truth = to_many_digits(means, scales, arm)
        assert truth < 1e-1 or law.chance[0, arm] > 0
        assert abs(law.chance[0, arm] / truth - 1) <= law.error


def test_only_faint_chances_are_integrated_anew_and_many_arms_are_blurred():
    means, scales = np.array([[0.0, 0.1, 0.2], [0.0, 5.0, 0.2]]), np.ones((1, 3))
    law = winner(means, scales)
    assert np.array_equal(law.chance[0], argmax_law(means, scales)[0])
    assert law.chance[1].min() < FAINT_CHANCE
    assert winner(np.zeros((1, MAX_INTEGRATED_ARMS + 1)), np.ones((1, MAX_INTEGRATED_ARMS + 1))).absolute_error == ERROR
    assert winner(np.zeros((1, MAX_INTEGRATED_ARMS)), np.ones((1, MAX_INTEGRATED_ARMS))).absolute_error == 0
    assert winner(np.zeros((1, 3)), np.array([[1.0, 1.0, 1.1 * MAX_SELECTION_RATIO]])).absolute_error == ERROR
    assert winner(np.zeros((1, 2)), np.ones((1, 2))).absolute_error == 0


@pytest.mark.parametrize("gap", [37.0, 37.4, 38.3, 60.0])
@pytest.mark.parametrize("arms", [2, 3])
@pytest.mark.first(2)
def test_what_doubles_cannot_hold_is_not_said_to_be_impossible(arms, gap):
    """To the normal's tail by 50 digits: no chance is off by more than the law says, and none is 0 without a blur."""
    law = winner(np.array([[0.0, gap, gap][:arms]]), np.full((1, arms), 0.5**0.5))
    least = mpmath.ncdf(-mpmath.mpf(gap)) if arms == 2 else to_many_digits([0.0, gap, gap], [0.5**0.5] * 3, 0)
    assert abs(law.chance[0, 0] - least) <= law.error * least + law.absolute_error
    assert law.chance[0, 0] > 0 or law.absolute_error >= least
    assert law.absolute_error in (0.0, np.exp(MIN_LOG_CHANCE))
    assert (law.absolute_error > 0) == (least < np.exp(MIN_LOG_CHANCE)) == (law.chance[0, 0] == 0)


def test_three_arms_far_apart_have_a_profile():
    """Little noise: chances fall below 1e-13, the absolute error of `argmax_law`, which alone would bound nothing."""
    policy = ModifiedThompsonSampling(3, 6, variance=0.005)
    rewards = np.zeros((3, 6))
    rewards[1] = 1
    pair = flipped("pull", rewards, 0, 0, 1.0)
    low, high = exact_profile(policy, pair).eps(1e-6)
    assert 10 < low <= high < low * (1 + 1e-3)
    assert exact_profile(policy, pair).log_error < 1e-7


@pytest.mark.parametrize("often", [1.5, np.nan, "2"])
def test_counts_that_are_no_integers_are_refused(often):
    found = top(NORMAL, [[0.0, 1.0]], 1.0, 1)
    with pytest.raises(ValueError, match=r"counts have type .*; they must be integers"):
        released(found, np.full((2, 2), often))
