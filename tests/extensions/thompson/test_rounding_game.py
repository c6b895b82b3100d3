"""What the game's bounds and attacks allow for roundings: against the worst that is allowed, or a second derivation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from scipy.special import ndtr, ndtri

from dpbandits import Pair, Sampler, flipped
from dpbandits.extensions.thompson import best_coins as best_coins_module
from dpbandits.extensions.thompson import moments as moments_module
from dpbandits.extensions.thompson import ratios as waiting_module
from dpbandits.extensions.thompson.attack import (
    LEAST_MASS,
    LEAST_SHOWN,
    MIN_ROUND_CHANCE,
    Attack,
    Losses,
    attack,
    law_error,
    means,
)
from dpbandits.extensions.thompson.best_coins import value_before_round
from dpbandits.extensions.thompson.bound import ALPHAS, Upper
from dpbandits.extensions.thompson.coins import Coins
from dpbandits.extensions.thompson.grids import Grid
from dpbandits.extensions.thompson.many_arm_attack import MIN_ROUND_CHANCE as LEAST_CHANCE
from dpbandits.extensions.thompson.many_arm_attack import many_arm_attack
from dpbandits.extensions.thompson.moments import LOG_ROUNDING, Moments, moments
from dpbandits.extensions.thompson.pull_levels import COIN_ROUNDING, outcomes, shifted_rows
from dpbandits.extensions.thompson.ratios import Waiting
from dpbandits.proofs_checks.exact.engine import LAW_ERROR
from dpbandits.proofs_checks.exact.privacy_profile import MeasurePair, SortedAtoms
from dpbandits.reference.bandits.release_laws.argmax_law import ERROR

U = 2.0**-53
LEFT, RIGHT = np.array([0.5, 0.3, 0.2 - 1e-5, 1e-5]), np.array([0.25, 0.35, 0.4 - 1e-9, 1e-9])


def two_arms(horizon: int, reward: float = 0.0) -> Pair:
    return flipped("pull", np.full((2, horizon), reward), 0, 0, 1.0)


# -- attacks ---------------------------------------------------------------------------------------------------------


def known(drift: float) -> Attack:
    return Attack(SortedAtoms(MeasurePair(LEFT, RIGHT)), drift)


@pytest.mark.parametrize("drift", [0.0, 1e-9, 1e-2])
@pytest.mark.parametrize("eps", [0.0, 0.4, 0.69, 2.5])
def test_an_attack_s_delta_is_that_of_the_worst_law_within_its_drift(drift: float, eps: float) -> None:
    atoms = known(drift).atoms
    with mpmath.workdps(40):
        grow = mpmath.exp(drift)
        sides = [(mpf(p) / grow, mpf(q) * grow * mpmath.exp(eps)) for p, q in zip(LEFT, RIGHT, strict=True)]
        worst = mpmath.fsum(max(mpf(0), p - q) for p, q in sides)
        error = float(atoms.delta(np.asarray(eps + 2 * drift))[1])
        assert 0.4 * error <= worst - mpf(known(drift).delta(eps)) <= 2 * error


@pytest.mark.parametrize("drift", [0.0, 1e-9, 1e-2])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.1])
def test_an_attack_s_eps_is_that_of_its_best_event(drift: float, delta: float) -> None:
    """Of the events of the largest losses, log((P - delta)/Q) for P and Q at their worst, and a trillionth less."""
    atoms, order = known(drift).atoms, np.argsort(RIGHT / LEFT)
    with mpmath.workdps(40):
        events = [(mpmath.fsum(LEFT[order][:k]), mpmath.fsum(RIGHT[order][:k])) for k in range(1, 5)]
        moved = [(p * mpmath.exp(-drift), q * mpmath.exp(drift)) for p, q in events]
        best, left = max((mpmath.log((p - delta) / q), p / (p - delta)) for p, q in moved if p > delta)
        counted = (1 + left) * atoms.error + 1e-12 * best  # of P, magnified by what delta takes of it, and of Q
        assert 0.8 * counted <= best - mpf(known(drift).eps(delta)) <= 1.2 * counted
    assert known(drift).eps(1.0) == 0
    assert Attack(SortedAtoms(MeasurePair(RIGHT[:1], LEFT[:1])), drift).eps(delta) == 0


@pytest.mark.parametrize("drift", [0.0, 1e-9, 1e-2])
@pytest.mark.parametrize("error", [1e-10, 1e-6, 0.2])
def test_an_attack_s_mu_is_that_of_its_best_test(drift: float, error: float) -> None:
    """Rejecting the right side on the event: the errors are Q and 1 - P at their worst, and a rounding of 1 - P."""
    order = np.argsort(RIGHT / LEFT)
    with mpmath.workdps(40):
        best, slope = mpf(0), mpf(0)
        for k in range(1, 4):
            first = mpmath.fsum(RIGHT[order][:k]) * mpmath.exp(drift)
            second = 1 - mpmath.fsum(LEFT[order][:k]) * mpmath.exp(-drift)
            if min(first, second) >= error:
                points = [mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * x) for x in (first, second)]
                if sum(points) > best:
                    rates = [x / mpmath.npdf(z) for x, z in zip((first, 1 - second), points, strict=True)]
                    best, slope = sum(points), sum(rates) + 1e-15 / known(0).atoms.error / mpmath.npdf(points[1])
        counted = slope * known(0).atoms.error + 1e-12 * best
        assert 0.8 * counted <= best - mpf(known(drift).mu(error)) <= 1.2 * counted + 4 * U
    assert known(drift).mu(0.7) == 0


@pytest.mark.parametrize(("drift", "error"), [(0.0, 0.0), (0.02, 0.0), (0.0, 0.03), (0.02, 0.03)])
def test_an_attack_s_numbers_are_those_of_masses_at_their_worst(drift: float, error: float) -> None:
    """Sums over atoms that are off by so much that it shows: P is smaller, and Q larger, by both kinds of error; and of
    events some have no mass on one side, or all of it, and are no use."""
    left, right = np.array([1.0, 0.95, 0.6, 0.3, 0.1, 0.0]), np.array([1.0, 0.4, 0.2, 0.01, 0.0, 0.0])
    atoms: Any = SimpleNamespace(
        mass_from=(left, right), error=error, delta=lambda eps: (0.4 - 0.1 * eps, np.asarray(0.01 + error))
    )
    found = Attack(atoms, drift)
    low, high = left * (1 - error) * np.exp(-drift), right * (1 + error) * np.exp(drift)
    assert found.delta(0.7) == pytest.approx(
        np.exp(-drift) * (0.4 - 0.1 * (0.7 + 2 * drift) - 0.01 - error), rel=1e-12, abs=0
    )
    for delta in (0.0, 0.05, 0.35):
        assert found.eps(delta) == pytest.approx(np.log((low[:4] - delta).clip(1e-9) / high[:4]).max(), rel=1e-9, abs=0)
    for least in (0.005, 0.03, 0.15):
        tests = [(q, 1 - p) for p, q in zip(low, high, strict=True) if least <= q < 1 and least <= 1 - p < 1]
        assert found.mu(least) == pytest.approx(max(-ndtri(a) - ndtri(b) for a, b in tests), rel=1e-9, abs=0)
    assert found.mu(0.45) == 0


def test_the_drift_of_an_attack_counts_every_round() -> None:
    """Per round the law, and 24 roundings of a mass: ndtr's product, and sums of up to a dozen terms."""
    horizon = 30
    for reward, error in ((0.0, LAW_ERROR), (0.375, LAW_ERROR), (0.3, LAW_ERROR * (1 + 30 / 3))):
        found = attack(Sampler(horizon, 2), two_arms(horizon, reward))
        assert found.drift == pytest.approx(horizon * (error + 24 * U), rel=1e-12, abs=0)
    assert law_error(two_arms(3, 2.0**-20), 300) == LAW_ERROR
    assert law_error(two_arms(3, 2.0**-21), 300) == LAW_ERROR * 101
    assert means(np.array([1.0, 0.0, 0.5, 0.5]), 3).tolist() == [0.0, 0.5, 1 / 3, 1.5 / 4]


def test_the_drift_of_a_crowd_counts_every_round() -> None:
    """With three arms a chance is off by ERROR, and it is LEAST_MOVE at least as computed: so much of the true one."""
    for arms, error in ((2, LAW_ERROR), (3, ERROR / (LEAST_CHANCE - ERROR))):
        pair = flipped("pull", np.zeros((arms, 4)), 0, 0, 1.0)
        found = many_arm_attack(Sampler(4, arms), pair, 4)
        assert found.drift == pytest.approx(4 * (error + 24 * U), rel=1e-12, abs=0)


def test_what_an_attack_leaves_out_is_small_and_only_left_out() -> None:
    """Masses below LEAST_MASS, and on the side that shows them LEAST_SHOWN; rounds below LEAST_MOVE, losses out of the
    window."""
    losses = Losses(0.5, (-2.0, 2.0), 3)
    losses.start(1)
    assert losses.masses.sum() == 2
    assert (losses.masses[:, 1, 4] == 1).all()
    few = Losses(0.5, (-2.0, 2.0), 3)
    few.masses[:, 1, 3:7] = [
        [1.0, 1.0, LEAST_SHOWN * 0.9, LEAST_SHOWN * 1.1],
        [LEAST_MASS * 0.9, LEAST_MASS * 1.1, 1, 1],
    ]
    few.clean()
    assert few.masses[:, 1, 3:7].tolist() == [[0, 1, 0, LEAST_SHOWN * 1.1], [0, LEAST_MASS * 1.1, 0, 1]]
    assert few.some == slice(1, 2)
    for seldom, left in ((MIN_ROUND_CHANCE * 0.5, 0.0), (MIN_ROUND_CHANCE * 4, 1.0)):
        one = Losses(0.5, (-2.0, 2.0), 2)
        one.start(0)
        at = ndtri(np.array([seldom]))
        one.move(np.array([0]), at, at)
        assert one.masses[:, 1].sum() == pytest.approx(2 * seldom * left, rel=1e-6, abs=0)
    shifted = Losses(0.5, (-2.0, 2.0), 1)
    shifted.add(0, np.ones((2, 8)), 3)
    shifted.add(0, np.ones((2, 8)), -7)
    for far in (8, -8, 9, -9, 20):
        shifted.add(0, np.ones((2, 8)), far)
    assert shifted.masses[0, 0].tolist() == [1.0, 0, 0, 1, 1, 1, 1, 1]


def standing(losses: Losses, row: int) -> dict[float, tuple[float, ...]]:
    """The masses of a row, by the loss that their place stands for."""
    places = np.flatnonzero(losses.masses[0, row]).tolist()
    return {
        losses.least + losses.step * place + float(losses.offset[row]): tuple(losses.masses[:, row, place].tolist())
        for place in places
    }


def test_the_losses_of_an_attack_are_exact_but_where_two_ways_meet() -> None:
    """Two rounds and a third, with chances that differ from pull count to pull count: who comes first sets the place of
    a row, who comes later is moved by half a cell at most; the pull that leaves the rows is left out."""
    losses = Losses(0.25, (-4.0, 6.0), 4)
    losses.start(1)
    rounds = [([0.4], [-0.7]), ([-0.2, 1.1], [-1.9, 0.3]), ([0.1, -0.4, 0.2], [0.0, -1.5, -0.3])]
    pulled = [[ndtr(np.array(side)) for side in sides] for sides in rounds]
    for number, sides in enumerate(rounds[:2]):
        losses.move(np.arange(1, 2 + number), *map(np.array, sides))
        assert (np.abs(losses.offset) < losses.step).all()
        assert losses.some == slice(1, 3 + number)
    (one,), (two, three) = zip(*pulled[0], strict=True), zip(*pulled[1], strict=True)
    ways = {
        "stays": (1, [(1 - a) * (1 - b) for a, b in zip(one, two, strict=True)]),
        "first": (2, [a * (1 - b) for a, b in zip(one, three, strict=True)]),
        "later": (2, [(1 - a) * b for a, b in zip(one, two, strict=True)]),
        "both": (3, [a * b for a, b in zip(one, three, strict=True)]),
    }
    for name, (row, masses) in ways.items():
        loss = np.log(masses[0] / masses[1])
        near, found = min((abs(at - loss), mass) for at, mass in standing(losses, row).items())
        assert near <= (losses.step / 2 if name == "later" else 1e-12)
        assert found == pytest.approx(masses, rel=1e-12, abs=0)
    assert [len(standing(losses, row)) for row in range(4)] == [0, 1, 2, 1]
    before = losses.masses.sum(axis=2)
    losses.move(np.arange(1, 4), *map(np.array, rounds[2]))
    last = np.stack(pulled[2])
    after = before[:, 1:] * (1 - last)
    after[:, 1:] += before[:, 1:3] * last[:, :2]
    assert losses.masses.sum(axis=2)[:, 1:] == pytest.approx(after, rel=1e-12, abs=0)
    assert losses.some == slice(1, 4)


# -- the upper bound -------------------------------------------------------------------------------------------------


def rounds_of(module: Any, name: str, monkeypatch: pytest.MonkeyPatch, value: Any) -> float:
    """By how much a module's rounding of this name raises a value: exp of so many roundings, if each counts once."""
    monkeypatch.setattr(module, name, 0.0)
    without = value()
    monkeypatch.setattr(module, name, 1e-6)
    return float(np.log(value() / without) / np.log1p(1e-6))


def test_every_round_of_the_game_for_powers_is_rounded_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sampler = Sampler(12, 3)
    assert moments_module.POWER_ROUNDING == 1e-11
    counted = rounds_of(
        moments_module, "POWER_ROUNDING", monkeypatch, lambda: np.exp(moments(sampler, "right", 13, 1).start[0])
    )
    assert counted == pytest.approx(sampler.rounds, rel=1e-4)


def test_a_log_curve_is_the_moment_s_line_rounded_up() -> None:
    """w M e^-(a - 1) eps, w = (a - 1)^(a - 1)/a^a; LOG_ROUNDING more; and delta is at most 1."""
    orders, log = np.array([1.5, 4.0]), np.array([-3.0, 2.0])
    at = np.array([2.0, 7.0])
    known = Moments(orders, log, np.zeros((1, 2)))
    with mpmath.workdps(30):
        for eps, found in zip(at, known.log_curve(log, at), strict=True):
            lines = [
                (a - 1) * mpmath.log(mpf(a - 1)) - a * mpmath.log(mpf(a)) + m - (a - 1) * eps
                for a, m in zip(orders, log, strict=True)
            ]
            assert mpf(float(found)) - min(lines) == pytest.approx(LOG_ROUNDING, rel=1e-4)
    assert LOG_ROUNDING == 1e-9
    assert known.log_curve(log + 50, at).tolist() == [0.0, 0.0]


def test_every_round_of_waiting_is_rounded_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sampler = Sampler(12, 2, 1)

    def value() -> float:
        wait = Waiting(sampler, 4, np.ones(3))
        wait.step(8, 1, np.ones((0, 3)), np.ones(3), 4)
        return float(wait.values[0][0])

    assert waiting_module.WAITING_ROUNDING == 1e-12
    assert rounds_of(waiting_module, "WAITING_ROUNDING", monkeypatch, value) == pytest.approx(1, rel=1e-4)


def test_every_round_of_the_game_on_a_grid_is_rounded_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outcomes of mass (left, right) and their losses by COIN_ROUNDING, and the sum by RATIO_ROUNDING."""
    grid = Grid(0.1, 30, 20)
    coins = Coins(*(np.array([part]) for part in (0.3, 0.7, 0.2, 0.8)))
    values = grid.padded(np.exp(grid.ratios - 3))

    def value() -> float:
        return float(
            value_before_round(
                shifted_rows(outcomes(coins, "right"), grid, 0.0, 0.0, 0.0), values, values, 0, grid.size
            )[25]
        )

    assert best_coins_module.RATIO_ROUNDING == 1e-12
    assert rounds_of(best_coins_module, "RATIO_ROUNDING", monkeypatch, value) == pytest.approx(1, rel=1e-4)
    monkeypatch.setattr(best_coins_module, "RATIO_ROUNDING", 0.0)
    with mpmath.workdps(30):
        total = mpf(0)
        for left, right in ((mpf(0.3), mpf(0.2)), (mpf(0.7), mpf(0.8))):
            loss = mpmath.log(left / right) + COIN_ROUNDING
            at = int(mpmath.floor(loss / mpf(grid.step)))
            low, high = (mpmath.exp(-mpf(grid.step) * (at + k)) for k in (0, 1))
            share = (low - mpmath.exp(-loss)) / (low - high)
            below, above = (mpf(float(values[grid.size + 25 + at + k])) for k in (0, 1))
            total += left * (1 + COIN_ROUNDING) * ((1 - share) * below + share * above)
        assert mpf(value()) == pytest.approx(total, rel=1e-13, abs=0)


class Flat(Upper):
    """A bound that is known without powers."""

    def __init__(self, at: Any, delta: Any) -> None:
        nothing = Moments(np.array([2.0]), np.array([500.0]), np.zeros((1, 1)))
        super().__init__(Sampler(4), "pull", {"right": nothing}, {"right": (np.asarray(at), np.asarray(delta))})


def test_between_its_points_a_curve_is_its_chord_over_odds_rounded_up() -> None:
    at, delta = np.array([0.0, 1.0, 1.5]), np.array([0.5, 0.1, 0.05])
    for eps in (0.0, 0.3, 0.999, 1.0, 1.2, 1.5, 9.0):
        with mpmath.workdps(30):
            k = 0 if eps < 1 else 1
            share = min((mpmath.exp(eps) - mpmath.exp(at[k])) / (mpmath.exp(at[k + 1]) - mpmath.exp(at[k])), 1)
            chord = (1 - share) * mpf(delta[k]) + share * mpf(delta[k + 1])
            assert float(Flat(at, delta).delta(eps)) == pytest.approx(float(chord * (1 + mpf(1e-12))), rel=2e-15, abs=0)
    assert Flat(at, delta).eps(0.1) == pytest.approx(1.0, rel=3e-9)
    assert Flat(at, delta).eps(0.1) >= 1
    assert Flat(at, delta).eps(0.6) == 0


def test_the_mu_of_an_upper_curve_is_rounded_up() -> None:
    """A delta that is constant, d: beta is 1 - d - alpha at least, less a trillionth, and not below the error; between
    the alphas of the grid it is that of the next one."""
    d = 0.3
    for error in (0.01, 1e-3):
        alpha = ndtr(np.linspace(1, -1, ALPHAS) * ndtri(error))
        beta = np.maximum(1 - d - alpha, error)
        found = Flat([0.0, 1.0, 2.0], [d, d, d]).mu(error)
        assert found >= (-ndtri(alpha) - ndtri(beta)).max()
        lower = np.maximum(beta - 1e-12, error)
        assert found == pytest.approx((-ndtri(alpha[:-1]) - ndtri(lower[1:])).max(), rel=1e-14, abs=0)
