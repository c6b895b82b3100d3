"""Propensities against quadrature, fractions and the law of the policy, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from test_argmax_law import quadrature
from test_bernoulli import beaten, exactly

from dpbandits import beta_propensities, propensities
from dpbandits.reference.bandits import propensities as module
from dpbandits.reference.bandits.release_laws.argmax_law import TAIL, TRAPEZOID, argmax_law

ERROR = 1e-12  # what the docstring states
RNG = np.random.default_rng(3)
MANY = (RNG.uniform(0, 1, 50), 1 / np.sqrt(RNG.integers(1, 3000, 50)))


@pytest.mark.parametrize(
    ("means", "deviations", "arms"),
    [
        ((0.0, 0.5, 0.5001), (1.0, 1e-4, 1.5e-4), (0, 1, 2)),  # two needles before a wide arm
        (*MANY, (0, int(MANY[0].argmax()))),
        ((1e15, 1e15 + 0.5, 1e15 - 0.25), (0.3, 0.4, 0.1), (0, 2)),  # taken from the largest
        ((-63.0, -63.5, -63.25), (1.0, 0.4, 0.001), (0, 1, 2)),  # just not
    ],
)
def test_normal_ones_against_quadrature(means, deviations, arms):
    found = propensities(means, deviations)
    assert max(float(abs(quadrature(means, deviations, arm) - float(found[arm])).upper()) for arm in arms) <= ERROR


def test_the_stated_error_adds_up():
    assert TRAPEZOID + 2e-15 + module.MAX_ARMS * 6e-16 <= ERROR
    assert np.abs(propensities(np.zeros(module.MAX_ARMS), 1.0) - 1 / module.MAX_ARMS).max() <= ERROR
    for tail in (TAIL, TAIL + 1):  # nothing that is divided by is 0
        assert module.ndtr(-tail) > 0


@pytest.mark.parametrize("arms", [2, 3])
def test_means_at_the_ends_of_doubles(arms):
    """Two that are as good, one of which is far away from what doubles tell from 0, and one that never wins."""
    means, deviations = [1e308, 1e308, -1e308][:arms], [1e-5] * arms
    assert propensities(means, deviations).tolist() == [0.5, 0.5, 0.0][:arms]
    assert propensities([1.7e308, 0.0], 1.7e308)[0] == pytest.approx(0.7602499389065, abs=ERROR)


def test_normal_ones_of_any_leading_axes_are_those_of_each_round():
    """Rounds of unlike ratios share a grid of points, and a long grid is summed in parts; one law serves all."""
    means = RNG.uniform(-1, 1, (3, 1, 200, 4))
    deviations = 10 ** RNG.uniform(-3, 0, (2, 200, 1)) * np.array([1.0, 0.5, 2.0, 1.5])
    found = propensities(means, deviations)
    assert found.shape == (3, 2, 200, 4)
    rows = (part.reshape(-1, 4) for part in np.broadcast_arrays(means, deviations))
    assert np.abs(found.reshape(-1, 4) - argmax_law(*rows)).max() <= ERROR
    assert propensities(np.zeros((0, 3)), 1.0).shape == (0, 3)


@pytest.mark.parametrize("unit", [1e-300, 1.6e307])
def test_the_unit_of_rewards_does_not_matter(unit):
    means, deviations = np.array([0.3, 0.2, 0.1, -9.0]), np.array([1.0, 0.5, 0.7, 1.0])
    assert propensities(unit * means[:2], unit * deviations[:2]) == pytest.approx(
        propensities(means[:2], deviations[:2]), abs=ERROR
    )
    assert propensities(unit * means, unit * deviations) == pytest.approx(propensities(means, deviations), abs=ERROR)


@pytest.mark.parametrize(("a", "b"), [((1, 1, 25), (30, 12, 1)), ((7, 3, 5, 9), (2, 8, 5, 4))])
def test_beta_ones_are_exact_in_fractions(a, b):
    found = beta_propensities([[a, a[::-1]]], [[b, b[::-1]]])
    assert found.shape == (1, 2, len(a))
    assert found[0, 0] == pytest.approx([float(each) for each in exactly(a, b)], abs=1e-13 * sum(a + b))
    assert found[0, 1] == pytest.approx(found[0, 0, ::-1], abs=1e-15)


def test_beta_ones_of_long_runs():
    """A short round beside a long one: each is integrated by a rule of its own."""
    found = beta_propensities([[3000, 20], [2, 1]], [[4000, 30], [1, 1]])
    exact = float(beaten(20, 30, 3000, 4000))
    assert found == pytest.approx(np.array([[1 - exact, exact], [2 / 3, 1 / 3]]), abs=1e-13 * 7050)


@pytest.mark.parametrize(
    ("chances", "first", "second", "message"),
    [
        (propensities, [0, np.nan], 1, r"propensities: means\[1\] is nan; it must be finite"),
        (propensities, [[0, 1], [0, 1]], [1, 0], r"deviations\[0, 1\] is 0; it must be positive and finite"),
        (propensities, [0, 1], [1, np.inf], r"deviations\[1\] is inf; it must be positive and finite"),
        (propensities, [0, 1], [1, 1, 1], r"means of shape \(2,\) and deviations of shape \(3,\) do not match"),
        (propensities, [[0]], 1, r"the last axis must be the arms, of which there may be 2 to 1000"),
        (propensities, 0, 1, r"means of shape \(\) and deviations of shape \(\); the last axis"),
        (propensities, np.zeros(1001), 1, r"the last axis must be the arms, of which there may be 2 to 1000"),
        (propensities, [0, 1, 2], [1, 9e-6, 1], r"deviations\[1\] is 9e-06; it must be at least 1/100000 of the larg"),
        (
            *(propensities, np.zeros(1000), [[1.0] * 1000, [1.0, *[1e-5] * 999]]),
            r"on the grid of a round\[1\] is .*e\+10; it must be at most 4.29497e\+09",
        ),
        (propensities, [0, 1], 1j, "deviations: 1j is not an array"),
        (beta_propensities, [1.5, 2], 1, r"beta_propensities: a\[0\] is 1.5; it must be a whole number from 1"),
        (beta_propensities, [1, 2], [1, 0], r"b\[1\] is 0; it must be a whole number from 1 to 1e\+06"),
        (beta_propensities, [1, np.nan], 1, r"a\[1\] is nan; it must be a whole number"),
        (beta_propensities, [[1, 1], [9e5, 9e5]], 1, r"the sum of all a and b\[1\] is 1800002; it must be at most"),
        (beta_propensities, [1], 1, r"the last axis must be the arms, of which there may be 2 to 1000"),
    ],
)
def test_what_is_refused(chances, first, second, message):
    with pytest.raises(ValueError, match=message):
        chances(first, second)
