"""A certified curve as a privacy loss distribution: it dominates, alone and composed with what dp_accounting knows."""

from __future__ import annotations

from itertools import product
from math import erf, exp, inf, log, sqrt
from typing import Any

import numpy as np
import pytest

from dpbandits import Sampler
from dpbandits.extensions.thompson.loss_distribution import dominating_points, lower_hull
from dpbandits.games import certified_curve, loss_distribution


def transcripts(table: Any, variance: float) -> dict[tuple[int, ...], float]:
    """The law of the released arms of Thompson sampling on a table of two arms, by hand."""
    found = {(): 1.0}
    for _ in range(len(table[0])):
        after = {}
        for past, chance in found.items():
            pulls = (past.count(0), past.count(1))
            means = [sum(table[arm][:n]) / (n + 1) for arm, n in enumerate(pulls)]
            deviation = sqrt(variance * sum(1 / (n + 1) for n in pulls))
            first = 0.5 * (1 + erf((means[0] - means[1]) / deviation / sqrt(2)))
            after[(*past, 0)], after[(*past, 1)] = chance * first, chance * (1 - first)
        found = after
    return found


def pairs_of_laws(horizon: int, variance: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """The laws on both sides of every change of one reward of a 0/1 table, in both orders."""
    found = []
    for rewards in product((0, 1), repeat=2 * horizon):
        table = [list(rewards[:horizon]), list(rewards[horizon:])]
        for arm, place in product((0, 1), range(horizon)):
            other = [list(row) for row in table]
            other[arm][place] = 1 - other[arm][place]
            sides = [np.array(list(transcripts(each, variance).values())) for each in (table, other)]
            found.append((sides[0], sides[1]))
    return found


PAIRS = pairs_of_laws(3, 0.5)


def profile(points: tuple[np.ndarray, np.ndarray], interval: float, eps: float) -> float:
    """h at eps, between its points over e^eps."""
    places, deltas = points
    return float(np.interp(exp(eps), np.exp(places * interval), deltas, left=1.0))


def test_the_points_dominate_both_orders_of_every_pair() -> None:
    interval = 0.01
    points = dominating_points(certified_curve(Sampler(3, 2, 0, 0.5)), interval)
    places, deltas = points
    assert (np.diff(places) > 0).all()
    assert (np.diff(deltas) <= 0).all()
    assert (-places[0], deltas[0]) == (places[-1], pytest.approx(1 - exp(places[0] * interval), rel=1e-6))
    for eps in np.arange(-3, 3.01, 0.37):
        worst = max(float(np.maximum(left - exp(eps) * right, 0).sum()) for left, right in PAIRS)
        assert worst <= profile(points, interval, float(eps)) + 1e-15
        assert profile(points, interval, float(eps)) < 1.5 * worst + 0.1


def test_a_hull_has_no_corner_above_a_chord() -> None:
    eps = np.array([-1.0, -0.5, 0.0, 0.5, 1.0, 800.0])
    assert lower_hull(eps, np.array([0.9, 0.8, 0.1, 0.099, 0.01, 0.0])) == [0, 2, 4, 5]
    line = 1 - 0.1 * np.exp(eps[:5])
    assert lower_hull(eps[:5], line + np.array([0, 1e-9, 1e-9, 1e-9, 0])) == [0, 4]


@pytest.mark.parametrize("interval", [0.0, -1.0, inf, float("nan")])
def test_an_interval_that_is_none_is_refused(interval: float) -> None:
    with pytest.raises(ValueError, match=f"interval is {interval}; it must be positive and finite"):
        loss_distribution(certified_curve(Sampler(3, 2)), interval)


def composed_delta(left: np.ndarray, right: np.ndarray, other: Any, eps: float) -> float:
    """The exact delta(eps) of a release beside another mechanism with this profile, at any eps."""
    return sum(p * other(eps - log(p / q)) for p, q in zip(left.tolist(), right.tolist(), strict=True))


def gaussian_delta(eps: float, mu: float) -> float:
    def below(x: float) -> float:
        return 0.5 * (1 + erf(x / sqrt(2)))

    return below(mu / 2 - eps / mu) - exp(eps) * below(-mu / 2 - eps / mu)


def laplace_delta(eps: float, scale: float) -> float:
    if eps > 1 / scale:
        return 0.0
    return 1 - exp(eps) if eps < -1 / scale else 1 - exp((eps - 1 / scale) / 2)


def test_composed_with_gaussian_and_laplace_noise_it_stays_above_brute_force() -> None:
    known = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution", reason="make accounting installs it")

    interval = 1e-3
    ours = loss_distribution(certified_curve(Sampler(3, 2, 0, 0.5)), interval)
    gaussian = known.from_gaussian_mechanism(1.5, value_discretization_interval=interval)
    laplace = known.from_laplace_mechanism(2.0, value_discretization_interval=interval)
    for other, exact in ((gaussian, lambda e: gaussian_delta(e, 1 / 1.5)), (laplace, lambda e: laplace_delta(e, 2.0))):
        together = ours.compose(other)
        for eps in (0.0, 0.3, 1.0, 1.7):
            worst = max(composed_delta(left, right, exact, eps) for left, right in PAIRS)
            assert worst <= together.get_delta_for_epsilon(eps) < 1.3 * worst + 0.03
    twice = ours.compose(ours)
    for eps in (0.0, 0.5, 2.0):
        one, two = PAIRS[0], PAIRS[1]
        left, right = (np.multiply.outer(a, b) for a, b in zip(one, two, strict=True))
        assert np.maximum(left - exp(eps) * right, 0).sum() <= twice.get_delta_for_epsilon(eps)


def test_alone_it_is_the_hull_of_the_curve() -> None:
    pytest.importorskip("dp_accounting", reason="make accounting installs it")
    interval = 1e-3
    for sampler in (Sampler(20, 2), Sampler(12, 2, 0, 64.0)):
        curve = certified_curve(sampler)
        ours, points = loss_distribution(curve, interval), dominating_points(curve, interval)
        for delta in (1e-2, 1e-6, 1e-9):
            eps = curve.eps(delta)
            assert ours.get_delta_for_epsilon(eps) == pytest.approx(profile(points, interval, eps), rel=1e-6, abs=1e-15)
            assert 0.999 * eps <= ours.get_epsilon_for_delta(delta) < 1.01 * eps + 2 * interval
