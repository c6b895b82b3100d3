"""Many arms from below: what is certified of the arm that stays alone, against the law of all transcripts."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import log_ndtr, ndtr

from dpbandits import Sampler
from dpbandits.extensions.thompson.bound import certified_curve
from dpbandits.extensions.thompson.single_pull_attack import (
    RISK,
    WRONG,
    attack_of_log_weights,
    best_cutoffs,
    simulate_log_weights,
    single_pull_attack,
)
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.release_laws.argmax_law import argmax_law


def law(sampler: Sampler, relation: str, first: float) -> dict[tuple[int, ...], float]:
    """The chance of every transcript. first: what the changed arm's first pull pays; all else pays 1."""
    T, K, _, c = sampler
    assert K is not None
    found = {}
    for arms in product(range(K), repeat=T):
        changed = arms[0] if relation == "round" else 0
        chance, pulls, sums = 1.0, np.zeros(K), np.zeros(K)
        for arm in arms:
            chance *= chances(tuple(pulls), tuple(sums), c)[arm]
            sums[arm] += first if arm == changed and pulls[arm] == 0 else 1.0
            pulls[arm] += 1
        found[arms] = chance
    return found


@cache
def chances(pulls: tuple[float, ...], sums: tuple[float, ...], c: float) -> Array:
    counts = np.array([pulls]) + 1
    return argmax_law(np.array([sums]) / counts, np.sqrt(c / counts))[0]


@pytest.mark.parametrize("relation", ["round", "pull"])
@pytest.mark.first(1)
def test_what_is_certified_against_the_law_of_all_transcripts(relation: str) -> None:
    sampler = Sampler(5, 3, variance=0.8)
    low, high = (law(sampler, relation, first) for first in (0.0, 1.0))
    event = [arms for arms in low if arms.count(arms[0] if relation == "round" else 0) == 1]
    left, right = (sum(side[arms] for arms in event) for side in (low, high))
    logs = simulate_log_weights(
        sampler, relation, 3, 40_000
    )  # with fewer, other pulls than the law says would not be seen
    found = np.exp(logs[0])
    assert found.mean() == pytest.approx(left, abs=4 * found.std() / 200)
    assert found.std() < 2 * left
    assert np.exp(logs[1]).max() > right
    told = single_pull_attack(sampler, relation, left / 4)
    true = sum(max(low[arms] - np.exp(told.eps) * high[arms], 0.0) for arms in low)
    assert true > left / 4
    assert told.left < np.log(left)
    assert (told.eps > 0.1) == (relation == "round")  # in five rounds, waiting for the first pull takes all there is


def test_one_round_by_hand() -> None:
    """Three arms, two rounds: after the first one, two others with samples N(0, 1) beside N(0, 1/2) or N(1/2, 1/2)."""
    logs = simulate_log_weights(Sampler(3, 3), "round", 0, 8)
    first = argmax_law(np.zeros((1, 3)), np.sqrt(np.array([[0.5, 1, 1]])))[0, 0]
    changed = argmax_law(np.array([[0.5, 0, 0]]), np.sqrt(np.array([[0.5, 1, 1]])))[0, 0]
    later = argmax_law(np.array([[0.0, 0.5, 0]]), np.sqrt(np.array([[0.5, 0.5, 1]])))[0, 0]
    later_changed = argmax_law(np.array([[0.5, 0.5, 0]]), np.sqrt(np.array([[0.5, 0.5, 1]])))[0, 0]
    assert np.exp(logs[0]) == pytest.approx((1 - first) * (1 - later), abs=1e-9)
    assert np.exp(logs[1]) == pytest.approx((1 - changed) * (1 - later_changed), abs=1e-9)
    assert WRONG == 1e-11


class Led:
    """Draws after which the first of the other arms is pulled in every round."""

    def standard_normal(self, size: int | tuple[int, int]) -> Array:
        return np.full(size, -9.0) if isinstance(size, int) else np.tile(np.arange(size[1]) == 0, (size[0], 1)) * 9.0


def test_chances_in_long_runs_are_as_exact_as_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The more pulls, the steeper the integrand, and the finer the step that it needs; against adaptive quadrature."""
    monkeypatch.setattr(np.random, "default_rng", lambda seed: Led())
    T, c = 80, 0.7
    deviation = (c / 2) ** 0.5

    def chance(m: int, mean: float) -> float:
        """That the changed arm wins against one of m pulls, which paid 1, and one of none."""

        def integrand(x: float) -> float:
            others = ndtr((x - m / (m + 1)) * ((m + 1) / c) ** 0.5) * ndtr(x / c**0.5)
            return float(np.exp(-(((x - mean) / deviation) ** 2) / 2) / (2 * np.pi) ** 0.5 / deviation * others)

        return float(quad(integrand, -8.0, 8.0, points=[0.0, m / (m + 1)], epsabs=1e-13, limit=200)[0])

    logs = simulate_log_weights(Sampler(T, 3, variance=c), "round", 0, 1)
    for side, mean in enumerate((0.0, 0.5)):
        exact = sum(np.log1p(-chance(m, mean)) for m in range(T - 1))
        assert logs[side, 0] == pytest.approx(exact, abs=2 * T * WRONG, rel=0)


@pytest.mark.parametrize("c", [0.006, 0.004, 1e-3])
def test_others_that_hardly_ever_win_are_rounded_against_the_attack(c: float) -> None:
    """With little noise, and the changed arm at 1/2, two others at 0 win as seldom as the integral's own error."""

    def others_win(x: float) -> float:
        at_least = -np.expm1(2 * log_ndtr((0.5 + x * (c / 2) ** 0.5) / c**0.5))
        return float(np.exp(-x * x / 2) / (2 * np.pi) ** 0.5 * at_least)

    exact = quad(others_win, -12.0, 12.0, points=[-6.0, -4.0], epsabs=0, epsrel=1e-12, limit=200)[0]
    (logs,) = simulate_log_weights(Sampler(2, 3, variance=c), "round", 0, 1).T
    assert np.log(exact) <= logs[1] < np.log(exact + 3 * WRONG)
    assert single_pull_attack(Sampler(3, 3, variance=c), "round", 1e-3).eps < np.log(1 / WRONG) + 1


def test_it_stays_below_the_bound_and_above_what_is_trivial() -> None:
    sampler = Sampler(16, 3)
    found = single_pull_attack(sampler, "round", 1e-2, paths=200)
    bound = certified_curve(sampler, smallest=1e-3, fineness=0.5).eps(1e-2)
    assert 0.2 * bound < found.eps <= bound
    assert single_pull_attack(sampler, "round", 1e-2, paths=200) == found
    assert single_pull_attack(sampler, "round", 0.9, paths=200).eps == 0
    assert RISK == 1e-9


def test_a_and_w_are_those_that_show_most() -> None:
    """Two kinds of runs: half of them likelier on the left, and half of all with a small product on the right."""
    logs = np.log(np.array([[0.5] * 10 + [0.1] * 10, [0.01] * 10 + [0.2] * 10]))
    assert best_cutoffs(logs, 0.05) == pytest.approx((np.log(0.5), np.log(0.01)))
    assert best_cutoffs(logs[:, ::-1], 0.05) == pytest.approx((np.log(0.5), np.log(0.01)))


@pytest.mark.parametrize(
    ("right", "delta", "shows"),
    [(0.01, 0.1, True), (0.9, 0.01, False), (0.01, 0.49, False)],  # as likely on the right; hardly beyond delta
)
def test_an_eps_is_never_negative(right: float, delta: float, shows: bool) -> None:
    found = attack_of_log_weights(np.log(np.full((2, 400), [[0.5], [right]])), delta)
    share = RISK ** (1 / 300)  # all of 300 runs: the chance of that is the risk
    assert found.eps == pytest.approx(np.log((0.5 * share - delta) / right) if shows else 0.0, abs=1e-8)
    assert found.left == pytest.approx(np.log(0.5 * share), abs=1e-8)
    assert found.right == pytest.approx(np.log(right), abs=1e-8)


@pytest.mark.parametrize(
    ("sampler", "relation"),
    [(Sampler(9, 2), "round"), (Sampler(9), "round"), (Sampler(9, 3, 1), "pull"), (Sampler(9, 3), "history")],
)
def test_bad_questions(sampler: Sampler, relation: str) -> None:
    with pytest.raises(ValueError, match="needs three arms or more"):
        single_pull_attack(sampler, relation, 1e-3)
