"""The attacks of the game at their full strength: the truth of short runs, and searches that go where they say."""

from __future__ import annotations

from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr, ndtri
from test_game import law

from dpbandits import Pair, Sampler, flipped
from dpbandits.extensions.thompson import worst_coins
from dpbandits.extensions.thompson.ascent import approximate_eps, climb_tables
from dpbandits.extensions.thompson.attack import (
    COMPILED_MASSES,
    Attack,
    Losses,
    attack,
    law_error,
    means,
    spread_kernel,
)
from dpbandits.extensions.thompson.blocks import BLOCKS_PER_BATCH, factors, fitted, of_lengths, single, thin
from dpbandits.extensions.thompson.bound import (
    Asked,
    Upper,
    certified_curve,
    left_reach,
    left_side_ahead,
    with_left_side,
    with_right_side,
)
from dpbandits.extensions.thompson.grids import Grid, Kept, at_stored_ratios, readings, stored_eps
from dpbandits.extensions.thompson.initial_tables import (
    TableShape,
    first_shapes,
    followed_pulls,
    local_maximum,
    pair_of_shape,
    rounded_reward,
)
from dpbandits.extensions.thompson.many_arm_attack import many_arm_attack, sorted_rivals
from dpbandits.extensions.thompson.moments import Moments
from dpbandits.extensions.thompson.ratios import COMPILED_WAITS, Layer, Waiting, wait_kernel
from dpbandits.extensions.thompson.rules import two_arms
from dpbandits.extensions.thompson.track import MAX_INTEGRAL_NODES, Orders, Track, fit_track
from dpbandits.extensions.thompson.worst_coins import WorstCoins, followable, pair_of_coins, search_worst_coins
from dpbandits.proofs_checks.exact.engine import LAW_ERROR
from dpbandits.proofs_checks.exact.gaussian_profile import log_gaussian_delta
from dpbandits.proofs_checks.exact.privacy_profile import MeasurePair, SortedAtoms
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.release_laws.argmax_law import ERROR

EPS = (0.0, 0.3, 1.0, 2.0)


def told(low: Array, high: Array, eps: float) -> float:
    return float(np.maximum(low - np.exp(eps) * high, 0).sum())


# -- what an attack achieves ---------------------------------------------------------------------------------------


def planted(drift: float = 0.0) -> Attack:
    """Three transcripts: of losses log 9, 0 and -log 7."""
    return Attack(SortedAtoms(MeasurePair(np.array([0.09, 0.3, 0.1]), np.array([0.01, 0.3, 0.69]))), drift)


def assert_same_bits(kernel: Any, reach: tuple[float, float], rounds: int) -> Losses:
    """Of a kernel and of numpy, also where masses leave the window on either side, where rows begin empty, and where
    there are too few rows."""
    by_numpy, compiled = (Losses(0.05, reach, 12, 1e-9) for _ in range(2))
    compiled.kernel = kernel
    assert by_numpy.kernel is None
    for each in (by_numpy, compiled):
        each.start(0)
    rng = np.random.default_rng(5)
    for total in range(rounds):
        low, shift = rng.normal(-1.0, 1.0, 13), rng.random(13)
        for each in (by_numpy, compiled):
            each.move(np.arange(13), low, low + shift)
            each.clean()
        assert np.array_equal(by_numpy.masses, compiled.masses), total
        assert np.array_equal(by_numpy.offset, compiled.offset), total
    return by_numpy


@pytest.mark.thorough
@pytest.mark.parametrize("reach", [(-4.0, 5.0), (-0.5, 0.5)])
def test_compiled_attacks_have_the_same_bits(reach: tuple[float, float]) -> None:
    pytest.importorskip("numba")
    kernel = spread_kernel()
    by_numpy = assert_same_bits(kernel, reach, 60)
    assert by_numpy.masses.any() == (reach[0] < -1)  # else all have left it
    assert Losses(0.05, (0.0, 50.0), int(COMPILED_MASSES) // 2000, 1e-9).kernel is kernel


@pytest.mark.parametrize(("reach", "rounds"), [((-4.0, 5.0), 12), ((-0.5, 0.5), 2)])
def test_the_text_that_is_compiled_has_the_same_bits(
    reach: tuple[float, float], rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Python runs it, which raises where a compiled loop would read beyond an array."""
    numba = pytest.importorskip("numba")
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    by_numpy = assert_same_bits(spread_kernel.__wrapped__(), reach, rounds)
    assert by_numpy.masses.any()


def test_an_attack_shows_the_best_of_its_events() -> None:
    found = planted()
    assert found.delta(0.0) == pytest.approx(0.08, rel=1e-9)
    assert found.delta(1.0) == pytest.approx(0.09 - np.exp(1) * 0.01, rel=1e-9)
    assert found.delta(5.0) == 0
    for delta, eps in ((0.01, np.log(0.08 / 0.01)), (0.0899, 0.0), (0.05, np.log(4.0)), (0.5, 0.0)):
        assert found.eps(delta) == pytest.approx(eps, abs=1e-9)
    # The two tests that say "left" are wrong about the right in 1 and 31 of 100, about the left in 91 and 61.
    shown = [-ndtri(first) - ndtri(second) for first, second in ((0.01, 0.91), (0.31, 0.61))]
    assert found.mu(1e-6) == pytest.approx(max(shown), rel=1e-9)
    assert found.mu(0.2) == pytest.approx(shown[1], rel=1e-9)
    assert found.mu(0.4) == 0


def test_drift_takes_from_what_an_attack_shows() -> None:
    """Every probability may be wrong by a factor e^r on either side: exactly so much is given up."""
    r, found = 0.02, planted(0.02)
    low, high = 0.09 * np.exp(-r), 0.01 * np.exp(r)
    assert found.delta(1.0) == pytest.approx(np.exp(-r) * (0.09 - np.exp(1 + 2 * r) * 0.01), rel=1e-9)
    assert found.eps(0.01) == pytest.approx(np.log((low - 0.01) / high), rel=1e-9)
    assert found.mu(1e-6) == pytest.approx(-ndtri(high) - ndtri(1 - low), rel=1e-9)


def test_the_drift_counts_the_law_and_the_rounding_of_every_round() -> None:
    table = np.full((2, 9), 0.25)
    whole, rough = flipped("pull", table, 0, 0, 1.0), flipped("pull", table + 0.1, 0, 0, 1.0)
    assert law_error(whole, 9) == LAW_ERROR
    assert law_error(rough, 9) == pytest.approx(LAW_ERROR * 4, rel=1e-9, abs=0)
    fine = flipped("pull", table + 2.0**-20, 0, 0, 1.0), flipped("pull", table + 2.0**-21, 0, 0, 1.0)
    assert [law_error(pair, 9) == LAW_ERROR for pair in fine] == [True, False]
    one_side = Pair("pull", table, table + 0.1 * (np.arange(9) == 0) * np.array([[1], [0]]))
    assert law_error(one_side, 9) > LAW_ERROR
    assert attack(Sampler(9, 2), whole).drift == pytest.approx(9 * (LAW_ERROR + 24 * 2.0**-53), rel=1e-9, abs=0)


def test_running_means_divide_by_one_more_than_the_pulls() -> None:
    assert means(np.array([1.0, 0.0, 0.5, 9.0]), 3) == pytest.approx([0, 1 / 2, 1 / 3, 1.5 / 4])


CASES = [
    (Sampler(6, 2), 0, 0, 6),
    (Sampler(6, 2), 1, 2, 6),
    (Sampler(6, 2), 0, 0, 2),  # no more than two pulls of the changed arm are followed
    (Sampler(6, 2, variance=0.4), 1, 1, 3),
    (Sampler(7, 2, 1), 0, 0, 7),
    (Sampler(7, 2, 1, 2.5), 1, 1, 3),
]


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(("sampler", "arm", "place", "levels"), CASES)
def test_the_attack_on_a_short_run_is_the_law_of_its_transcripts(
    sampler: Sampler, arm: int, place: int, levels: int, swapped: bool
) -> None:
    """One way of the privacy profile: the changed arm pays less on the side that the adversary says."""
    T, _, b, _ = sampler
    left = np.round(np.random.default_rng(T + arm).random((2, T)) * 8) / 8
    left[arm, place] = 0
    pair = flipped("pull", left, arm, place, 1.0)
    laws = law(sampler, np.stack([pair.left, pair.right]), "pull")
    few = np.array([b + released.count(arm) <= levels for released in product(range(2), repeat=T - 2 * b)])
    found = attack(sampler, pair.swapped() if swapped else pair, 0.001, levels, (-9.0, 9.0))
    for eps in EPS:
        truth = told(*laws[:, few], eps)
        assert truth * (1 - 1e-3) - 1e-9 <= found.delta(eps) <= truth + 1e-12
    assert told(*laws[:, few], 0.3) > 1e-3


def test_who_asks_about_a_tiny_delta_sees_fainter_transcripts() -> None:
    """Of 14 rounds with little noise, by all their transcripts: what is fainter than usual shows the most."""
    sampler, delta = Sampler(14, 2, 0, 0.03), 1e-36
    left = np.repeat([[1.0], [0.0]], 14, axis=1)
    left[0, 1] = 0.0
    pair = flipped("pull", left, 0, 1, 1.0)
    p, q = every_transcript(sampler, pair)
    order = np.argsort(q - p)
    p, q = np.cumsum(np.exp(p[order])), np.cumsum(np.exp(q[order]))
    truth = float(np.log((p - delta)[p > delta] / q[p > delta]).max())
    usual, faint = (attack(sampler, pair, reach=(-12, 240), smallest=smallest).eps(delta) for smallest in (1.0, delta))
    assert usual < 0.9 * truth
    assert truth * (1 - 1e-9) <= faint <= truth


@pytest.mark.thorough
def test_no_transcript_that_was_left_out_comes_back_as_a_larger_loss() -> None:
    sampler = Sampler(100, 2)
    pair, bound = (
        pair_of_shape(sampler, TableShape(0.1, 1.0, 0.1, 0.0, 0.0)),
        certified_curve(sampler, smallest=1e-33).eps(1e-30),
    )
    rough, fine = (attack(sampler, pair, reach=(-12, 140), smallest=delta) for delta in (1.0, 1e-30))
    assert rough.eps(1e-30) < fine.eps(1e-30) <= bound
    assert 0 < rough.eps(1e-6) == pytest.approx(fine.eps(1e-6), rel=1e-6)


def every_transcript(sampler: Sampler, pair: Pair) -> tuple[Array, Array]:
    """The logarithms of the chances of all transcripts on either side, (transcripts,) each."""
    T, counts = sampler.horizon, np.arange(1, sampler.horizon + 2)
    own, other = ([np.append(0.0, np.cumsum(side[arm])) / counts for side in (pair.left, pair.right)] for arm in (0, 1))
    chances = {0: np.zeros((2, 1))}  # by pulls of arm 0
    for t in range(T):
        after: dict[int, list[Array]] = {}
        for n, chance in chances.items():
            deviation = np.sqrt(sampler.variance * (1 / (n + 1) + 1 / (t - n + 1)))
            lead = np.array([[(own[side][n] - other[side][t - n]) / deviation] for side in (0, 1)])
            after.setdefault(n + 1, []).append(chance + log_ndtr(lead))
            after.setdefault(n, []).append(chance + log_ndtr(-lead))
        chances = {n: np.concatenate(parts, axis=1) for n, parts in after.items()}
    left, right = np.concatenate(list(chances.values()), axis=1)
    return left, right


@pytest.mark.parametrize("levels", [1, 3])
def test_a_crowd_s_attack_follows_so_many_pulls_of_arm_0(levels: int) -> None:
    sampler = Sampler(5, 3, variance=0.7)
    left = np.full((3, 5), 0.75)
    left[0] = [0, 0.25, 0.5, 0.25, 0]
    pair = flipped("pull", left, 0, 0, 1.0)
    laws = law(sampler, np.stack([pair.left, pair.right]), "pull")
    few = np.array([released.count(0) <= levels for released in product(range(3), repeat=5)])
    found = many_arm_attack(sampler, pair, levels, 0.002, (-9.0, 9.0))
    for eps in EPS:
        truth = told(*laws[:, few], eps)
        assert truth * (1 - 1e-3) - 1e-9 <= found.delta(eps) <= truth + 1e-9


def test_arms_that_pay_alike_are_put_in_order() -> None:
    """By counts, then by totals on the left, then on the right."""
    states = np.array([[[3, 1, 1], [0, 5, 2], [9, 0, 0]], [[1, 1, 1], [4, 4, 2], [6, 3, 9]]])
    wanted = [[[1, 1, 3], [2, 5, 0], [0, 0, 9]], [[1, 1, 1], [2, 4, 4], [9, 3, 6]]]
    assert sorted_rivals(states).tolist() == wanted


# -- initial tables ------------------------------------------------------------------------------------------------


def test_the_tables_of_a_shape() -> None:
    """Arm 0's mean stays so many deviations below the level, where rewards in [0, 1] can bring it there."""
    sampler, shape = Sampler(12, 2, variance=0.5), TableShape(0.75, 0.4, 0.25, 0.8, -0.3)
    pair = pair_of_shape(sampler, shape)
    assert pair.left[1].tolist() == 4 * [0.75] + 8 * [0.25]
    assert (pair.left[0, 0], pair.right[0, 0]) == (0.0, 1.0)
    total = 0.0
    for n in range(2, 13):
        wanted = (n + 1) * max(0.75 - (0.8 - 0.3 * np.log(n)) * np.sqrt(0.5 / (n + 1)), 0.0)
        reward = min(max(wanted - total, 0.0), 1.0)
        assert pair.left[0, n - 1] == round(64 * reward) / 64
        total += pair.left[0, n - 1]
    assert rounded_reward(0.7) == 45 / 64


def test_a_search_moves_one_number_at_a_time_and_halves_its_steps() -> None:
    asked: list[tuple[float, ...]] = []

    def value(point: Any) -> float:
        asked.append(tuple(point))
        return 10 - (point[0] - 0.8) ** 2 - (point[1] + 1.0) ** 2

    best, point, tried = local_maximum(value, (0.0, 0.0), (0.4, 0.5), ((0.0, 1.0), (-0.75, 2.0)), 100)
    assert point == pytest.approx((0.8, -0.75))
    assert best == pytest.approx(10 - 0.0625)
    assert tried == len(asked)
    # From the start: right (better), not left beyond the limit, up (worse), down (better); then again.
    assert asked[:5] == [(0.0, 0.0), (0.4, 0.0), (0.0, 0.0), (0.4, 0.5), (0.4, -0.5)]
    smallest = min(abs(one[0] - other[0]) for one in asked for other in asked if one[0] != other[0])
    assert smallest == pytest.approx(0.4 / 8)  # four lengths: 1, 1/2, 1/4, 1/8
    for most in (1, 2, 7):
        asked.clear()
        assert local_maximum(value, (0.0, 0.0), (0.4, 0.5), ((0.0, 1.0), (-0.75, 2.0)), most)[2] == most == len(asked)


def test_a_rise_by_less_than_a_thousandth_is_none() -> None:
    for rise, moves in ((0.9e-3, False), (1.1e-3, True)):
        _, point, _ = local_maximum(
            lambda point, rise=rise: 1 + rise * (point[0] > 0), (0.0,), (1.0,), ((0.0, 1.0),), 50
        )
        assert (point[0] > 0) == moves


def test_shapes_to_start_from_let_the_arm_be_pulled_so_rarely_that_never_has_a_chance_of_delta() -> None:
    rare = -ndtri(np.log(1e6) / 99)
    shapes = first_shapes(Sampler(100, 2), 1e-6)
    assert [shape.threshold for shape in shapes[:2]] == pytest.approx([rare, rare - 0.5])
    assert first_shapes(Sampler(3, 2), 1e-6)[0].threshold == pytest.approx(-ndtri(0.4))
    assert [len(first_shapes(Sampler(T, 2), 1e-6)) for T in (300, 301)] == [5, 2]
    for shape in shapes:
        assert all(0 <= each <= 1 for each in shape[:3])


def test_an_attack_follows_so_many_pulls() -> None:
    assert [followed_pulls(T) for T in (10, 100, 10_000)] == [22, 40, 265]
    assert [followed_pulls(T, worst_coins.RIVAL_PULL_FACTOR) for T in (10, 100, 10_000)] == [17, 22, 85]


# -- ascent ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampler", [Sampler(6, 2), Sampler(8, 2, 1, 0.5)])
def test_the_moments_of_the_loss_are_those_of_all_transcripts(sampler: Sampler) -> None:
    T, _, b, _ = sampler
    generator = np.random.default_rng(T)
    first, second = generator.random((2, T))
    first[0] = 0
    pair = flipped("pull", np.stack([first, second]), 0, 0, 1.0)
    low, high = law(sampler, np.stack([pair.left, pair.right]), "pull")
    orders = np.array([0.04, 0.5, 1.0])
    for levels in (T, 3):
        few = np.array([b + released.count(0) <= levels for released in product(range(2), repeat=T - 2 * b)])
        track = Track(sampler, 1e-3, levels)
        found = track.backward_pass(track.lead(first, second), orders)[0][0]
        assert found == pytest.approx([(low[few] * (low[few] / high[few]) ** z).sum() for z in orders], rel=1e-9)


def test_nodes_of_the_integral() -> None:
    """delta(eps) of two outcomes, by the integral over its nodes: of a loss of log 3 with probability 3/4."""
    orders = Orders(0.5, 0.05, 9.0)
    assert orders.nodes == pytest.approx(0.5 + 0.05j * np.arange(36))
    many = Orders(0.5, 2 * np.pi / 60, 9.0)
    mass = 0.75 * 3.0**many.nodes + 0.25 * 3.0 ** (-many.nodes)
    assert MAX_INTEGRAL_NODES == 36
    # The integrand falls like 1/w^2, and the nodes end at w = 3.7: what is beyond is the error, 2/(pi w) at most.
    for eps in (0.0, 0.5):
        value = float((many.share(eps) * mass).sum().real)
        truth = 0.75 - np.exp(eps) * 0.25
        assert abs(value - truth) < 2 * abs(mass[-1] * np.exp(-0.5 * eps)) / (np.pi * 3.7)
    assert many.share(1.0)[0] == pytest.approx(np.exp(-0.5) / 0.75 * many.step / np.pi / 2)
    assert many.share(1.0)[1] == pytest.approx(
        np.exp(-many.nodes[1]) / (many.nodes[1] * (many.nodes[1] + 1)) * many.step / np.pi
    )


def test_the_order_is_the_one_with_the_least_chernoff_bound() -> None:
    sampler = Sampler(24, 2, variance=0.8)
    track = Track(sampler, 1e-3, 20)
    first, second = np.full(24, 0.3), np.full(24, 0.75)
    first[0] = 0
    lead = track.lead(first, second)
    real = np.geomspace(0.04, 1.0, 16)
    mass = np.log(track.backward_pass(lead, real)[0][0])
    bounds = [
        (value + z * np.log(z) - (1 + z) * np.log(1 + z) - np.log(1e-3)) / z
        for z, value in zip(real, mass, strict=True)
    ]
    found = track.orders(lead)
    assert found.start == pytest.approx(real[int(np.argmin(bounds))])
    assert found.largest == pytest.approx(1.4 * max(min(bounds), 1.0))
    assert found.step == pytest.approx(2 * np.pi / (2.2 * max(min(bounds), 1.0) + 25))


def test_the_pieces_of_a_table_grow_longer() -> None:
    """By a fifth, up to a sixtieth of the rounds."""
    pieces = Track(Sampler(600, 2), 1e-3, 20).pieces
    lengths = np.diff(np.append(pieces, 600)).tolist()
    assert pieces[0] == 0
    assert lengths[:11] == [1] * 10 + [2]
    assert lengths[-2] == max(lengths) == 10 >= lengths[-1]
    assert (np.diff(lengths[:-1]) >= 0).all()
    assert np.diff(Track(Sampler(50, 2), 1e-3, 20).pieces).tolist() == [1] * 49


def test_blocks_follow_one_another() -> None:
    """Also after pre-pulls; the longer the later, and no longer than their law and their place allow."""
    sampler = Sampler(500, 2, 2)
    rounds = sampler.horizon - 4
    for blocks in (single(sampler, 7), thin(sampler, 7)):
        assert blocks.begins[0] == 4
        assert (blocks.begins[1:] == blocks.begins[:-1] + blocks.lengths[:-1]).all()
        assert blocks.lengths.sum() == rounds
        assert (blocks.rows == 7).all()
    assert thin(sampler, 7).lengths.max() == 2
    known = thin(sampler, 40)
    law = np.zeros((known.begins.size, 40))
    law[:, 0], law[:, 12] = 1 - 1e-7, 1e-7
    law[:, 20] = 1e-10
    rare, often = (fitted(sampler, known, law, np.full(law.shape, ndtri(chance))) for chance in (0.039, 0.25))
    assert (often.lengths == 1).all()
    assert rare.lengths.sum() == often.lengths.sum() == rounds
    assert rare.lengths.max() == 10  # 0.4 pulls
    assert (rare.lengths <= np.maximum((rare.begins + rare.lengths) / 30, 1)).all()
    assert set(rare.rows.tolist()) == {int(1.3 * 12 + 8)}
    assert [rows for _, rows in rare.groups()] == [23] * len(list(rare.groups()))


def test_a_block_is_its_rounds() -> None:
    """At one and the same lead, up to three pulls are counted exactly; more of them are left out."""
    sampler, z = Sampler(40, 2), np.array([0.04, 0.3])
    low = np.full((1, 12), -0.8)
    high = low + 0.2
    (stay,), (pull,) = (each[:, 0] for each in factors(np.array([1]), low, high, z))
    for length in (1, 2, 3, 8):
        found = factors(np.array([length]), low, high, z)
        assert len(found) == min(length, 3) + 1
        for k, each in enumerate(found):
            assert each.shape == (1, 12 - k, 2)
            assert each[0, 0] == pytest.approx(comb(length, k) * pull**k * stay ** (length - k), rel=1e-12, abs=0)
    both = factors(np.array([1, 3]), np.tile(low, (2, 1)), np.tile(high, (2, 1)), z)
    assert [float(np.abs(each[0]).max()) for each in both[2:]] == [0, 0]
    assert sampler.rounds == 39


@pytest.mark.thorough
def test_tables_that_are_left_too_soon_show_nothing() -> None:
    """More pulls than are followed are so sure that doubles hold no chance of fewer: another shape is the start."""
    sampler = Sampler(3000, 2)
    equal = flipped("pull", np.full((2, 3000), 0.5), 0, 0, 1.0)
    assert approximate_eps(sampler, equal, 1e-6, 8) == 0.0
    assert (
        Track(sampler, 1e-6, 8, thin(sampler, 9)).law(np.full((thin(sampler, 9).begins.size, 9), 40.0), 0.35).min()
        == 1 / 9
    )


@pytest.mark.parametrize("sampler", [Sampler(73, 2, variance=0.8), Sampler(75, 2, 1)])
@pytest.mark.first(1)
def test_the_slope_is_that_of_the_blocks(sampler: Sampler) -> None:
    """With blocks of many lengths, more pull counts the later, and groups of blocks that differ in both."""
    b = sampler.prepulls
    lengths = [*[1] * BLOCKS_PER_BATCH, 2, 2, 3, 4, 5, 7]
    rows = np.minimum(5 + np.arange(len(lengths)) // 9, 11)
    track = Track(sampler, 1e-2, 10 + b, of_lengths(sampler, np.array(lengths), rows))
    tables = np.random.default_rng(1).random((2, sampler.horizon)) * np.array([[0.4], [1.0]])
    tables[0, 0] = 0
    orders = track.orders(track.lead(*tables))
    found = track.derivatives_by_reward(track.eps(track.lead(*tables), orders)[1])
    for arm, place in ((0, 1), (0, 4), (0, 9), (1, 0), (1, 7), (1, 30), (1, 50)):
        moved = [tables.copy(), tables.copy()]
        moved[0][arm, place] -= 1e-3
        moved[1][arm, place] += 1e-3
        low, high = (track.eps(track.lead(*each), orders)[0] for each in moved)
        assert abs(found[arm][place]) > 1e-5
        assert found[arm][place] == pytest.approx((high - low) / 2e-3, rel=3e-3, abs=2e-6)


def test_blocks_that_fit_say_what_the_rounds_say() -> None:
    """At T = 400 a third of the work; the nodes that are left out add nothing."""
    sampler, delta, levels = Sampler(400, 2), 1e-4, 40
    first, second = pair_of_shape(sampler, TableShape(1.0, 0.5, 0.6, 2.0, 0.0)).left
    track = fit_track(sampler, delta, levels, first, second, 0.35)
    assert track.blocks.begins.size < 250
    lead = track.lead(first, second)
    orders = track.orders(lead)
    few = track.without_negligible_nodes(lead, orders)
    assert few.many < orders.many == MAX_INTEGRAL_NODES
    every = Track(sampler, delta, levels)
    exact = every.eps(every.lead(first, second), orders)[0]
    assert exact > 20
    for some in (orders, few):
        assert track.eps(lead, some)[0] == pytest.approx(exact, rel=4e-3)
    law = track.law(lead, 0.35)
    assert law.sum(axis=1) == pytest.approx(1)
    assert law[0].tolist() == [1.0] + [0.0] * levels


def test_the_tables_that_are_climbed_to_change_arm_0_s_first_reward_and_have_exact_sums() -> None:
    sampler = Sampler(24, 2, variance=0.8)
    start = flipped("pull", np.array([[0.0] + [0.3] * 23, [0.75] * 24]), 0, 0, 1.0)
    found = climb_tables(sampler, start, 1e-2, 6, 12)
    assert (found.left[0, 0], found.right[0, 0]) == (0.0, 1.0)
    assert (found.left * 1024 == np.round(found.left * 1024)).all()
    assert found.left[0, 6:].tolist() == [round(0.3 * 1024) / 1024] * 18  # beyond the pulls that are followed
    track = Track(sampler, 1e-2, 6)
    values = [
        track.eps(track.lead(pair.left[0], pair.left[1]), track.orders(track.lead(start.left[0], start.left[1])))[0]
        for pair in (start, found)
    ]
    assert values[1] > 1.05 * values[0]


# -- rivals ------------------------------------------------------------------------------------------------------------


def test_how_many_rounds_are_followed_by_arms() -> None:
    for arms, most in ((None, 1000), (2, 1000), (3, 100), (4, 30), (5, 15), (6, 10)):
        assert followable(Sampler(most, arms))
        assert not followable(Sampler(most + 1, arms))
    assert not followable(Sampler(8, 7))
    assert not followable(Sampler(8, 2, 1))


def test_the_tables_of_a_crowd_are_those_of_two_arms_with_the_second_several_times() -> None:
    values = (0.75, 0.5, 0.25, 0.3, -0.2)
    two, four = (pair_of_coins(Sampler(10, arms), "pull", values).left for arms in (2, 4))
    assert two.tolist() == pair_of_shape(Sampler(10, 2), TableShape(*values)).left.tolist()
    assert four.tolist() == [two[0].tolist(), *3 * [two[1].tolist()]]


@pytest.mark.parametrize("relation", ["pull", "round"])
def test_a_search_over_crowds_is_coarse_and_its_pair_certified_finely(relation: str) -> None:
    """Several proposals, of which the best pair is followed again with finer losses, up to 10 above the largest eps."""
    sampler = Sampler(6, 2)
    found: WorstCoins = search_worst_coins(sampler, relation, 1e-3, 20.0, 9)
    first = search_worst_coins(sampler, relation, 1e-3, 20.0, 1)
    assert found.attack.eps(1e-3) > first.attack.eps(1e-3)
    again = many_arm_attack(sampler, found.pair, 6, 0.1, (-8.0, 30.0))
    assert found.attack.eps(1e-3) == again.eps(1e-3)
    assert found.attack.eps(1e-3) <= certified_curve(sampler, relation, smallest=1e-5).eps(1e-3)


@pytest.mark.parametrize(("horizon", "same"), [(30, False), (201, True)])
def test_in_far_runs_the_others_are_paid_the_same_all_the_time(horizon: int, same: bool) -> None:
    pair = search_worst_coins(Sampler(horizon, 2), "round", 1e-4, 2.0, 1).pair
    assert (pair.left[1:] == pair.left[1:, :1]).all() == same


def test_the_words_of_a_crowd() -> None:
    first = "other arms pay 0.75, 0.5 from {} 6 on; arm 0 pays 0 (changed to 1), "
    assert (
        worst_coins.tables_in_words("round", (0.75, 0.5, 0.5, 0.25), 10)
        == first.format("round") + "in round 1, then 0.25"
    )
    assert worst_coins.tables_in_words("pull", (0.75, 0.5, 0.5, 0.3, -0.2), 10) == (
        first.format("pull") + "and then keeps its mean 0.3 -0.2 log n deviations below the others'"
    )
    for values in ((0.75, 1.0, 0.5, 0.25), (0.75, 0.5, 0.75, 0.25)):
        assert worst_coins.tables_in_words("round", values, 10).startswith("other arms pay 0.75; arm 0")


# -- the bound from above --------------------------------------------------------------------------------------------


def curved(eps: Array, delta: Array) -> Upper:
    nothing = Moments(np.array([2.0]), np.array([np.inf]), np.zeros((1, 1)))
    return Upper(Sampler(9), "pull", {"right": nothing}, {"right": (eps, delta)})


def test_between_points_a_bound_is_the_chord_over_the_exponential() -> None:
    """delta is convex in e^eps: of a line in it, nothing is lost; beyond the last point it stays."""
    eps = np.array([0.0, 1.0, 2.5])
    delta = 0.5 - 0.02 * np.exp(eps)
    bound = curved(eps, delta)
    for at in (0.0, 0.4, 1.0, 1.7, 2.5):
        assert float(bound.delta(at)) == pytest.approx(0.5 - 0.02 * np.exp(at), rel=1e-9)
        assert float(bound.delta(at)) >= 0.5 - 0.02 * np.exp(at)
    assert float(bound.delta(9.0)) == pytest.approx(delta[-1], rel=1e-9)
    for wanted in (0.45, 0.4, 0.3):
        found = bound.eps(wanted)
        assert found == pytest.approx(np.log((0.5 - wanted) / 0.02), rel=1e-8)
        assert float(bound.delta(found)) <= wanted
    assert bound.eps(0.49) == 0
    with np.errstate(over="ignore"):
        assert bound.eps(0.1) == float("inf")


@pytest.mark.parametrize(
    ("horizon", "counts", "right", "left"),
    [
        (4, 2.5, 3, 3),
        (30, 2.5, 26, 26),
        (200, 2.5, 35, 26),
        (400, 2.5, 50, 26),
        (400, 1.5, 30, 26),
        (400, 3.5, 70, 35),
        (400, 0.1, 26, 26),
        (1001, 2.5, 197, 39),
        (12_000, 2.5, 625, 125),
        (12_000, 3.5, 875, 175),
    ],
)
def test_how_many_pull_counts_a_bound_follows(horizon: int, counts: float, right: int, left: int) -> None:
    """counts times sqrt(T), 26 at least, 250 at most unless more are asked for, and no more than there are rounds; of
    long runs, on the right, 2.5 times as many in the last rounds; half of that on the side that seldom counts."""
    assert Asked(Sampler(horizon, 2), counts=counts).followed == {"right": right, "left": left}


@pytest.mark.parametrize(
    ("asked", "eps", "mu"),
    [
        (Asked(Sampler(4, 2), smallest=1e-6), 1.401946841739118, 0.633791428141808),
        (Asked(Sampler(9, 2), smallest=1e-6), 4.458318468183279, 1.1760454184450515),
        (Asked(Sampler(12), smallest=1e-6), 9.331799238920212, 1.6868834972104674),
        (Asked(Sampler(16, 2, 3), smallest=1e-6), 4.536886520683765, 0.9665403333906615),
        (Asked(Sampler(9, 2), smallest=1e-4, fineness=2.0), 4.453823026269674, 1.1753412582116212),
    ],
)
def test_bounds_are_as_sharp_as_before(asked: Asked, eps: float, mu: float) -> None:
    """Numbers of an earlier version, at delta = 1e-5 and among tests with errors of a thousandth."""
    bound = certified_curve(*asked)
    assert (bound.eps(1e-5), bound.mu(1e-3)) == pytest.approx((eps, mu), rel=1e-9)


def test_the_left_side_reaches_as_far_as_it_may_count() -> None:
    """In long runs to a thousandth of the delta at which it counts, or of 0.2."""
    for horizon, at, reach in ((1000, 0.9, 1e-6), (1001, 0.9, 2e-4), (1001, 0.1, 1e-4), (1001, 1e-6, 1e-6)):
        assert left_reach(Asked(Sampler(horizon, 2), smallest=1e-6), at) == pytest.approx(reach, rel=1e-12, abs=0)


def test_the_left_side_ahead_is_what_the_whole_bound_has_first() -> None:
    asked = Asked(Sampler(9, 2), smallest=1e-6)
    whole = certified_curve(*asked)
    ahead = with_left_side(with_right_side(asked), asked, left_side_ahead(asked))
    for found, wanted in zip(ahead.curves["left"], whole.curves["left"], strict=True):
        assert np.array_equal(found, wanted)


def test_a_test_s_gaussian_number_is_bounded_by_its_curve() -> None:
    """Of the exact curve of mu-GDP it is mu, and a little more for what lies between two alphas."""
    for mu, error in ((0.8, 1e-3), (2.0, 0.05), (2.0, 1e-6)):
        eps = np.linspace(0, 40, 8000)
        delta = np.exp(log_gaussian_delta(eps, mu))
        assert mu <= curved(eps, delta).mu(error) < mu + 0.01


@pytest.mark.parametrize("sampler", [Sampler(5, 2, variance=0.8), Sampler(7, 2, 1, 0.5)])
def test_the_slope_in_every_reward_is_a_difference(sampler: Sampler) -> None:
    """Also in those that count only where one arm is never pulled, or not after its pulls in advance."""
    T = sampler.horizon
    tables = np.random.default_rng(T).random((2, T))
    tables[0, 0] = 0
    track = Track(sampler, 1e-2, T)
    orders = track.orders(track.lead(*tables))
    found = track.derivatives_by_reward(track.eps(track.lead(*tables), orders)[1])
    for arm, place in product((0, 1), range(1, T)):
        moved = [tables.copy(), tables.copy()]
        moved[0][arm, place] -= 1e-4
        moved[1][arm, place] += 1e-4
        low, high = (track.eps(track.lead(*each), orders)[0] for each in moved)
        assert found[arm][place] == pytest.approx((high - low) / 2e-4, rel=2e-3, abs=2e-5)


def test_who_waits_is_led_to_the_worse_end_of_what_the_means_allow() -> None:
    """Of three pull counts, after five pulls: each end of the range of chances, by hand, and the larger value."""
    sampler = Sampler(9, 2, variance=0.7)
    final = np.array([0.3, 0.6])
    game = np.array([[0.1, 0.9], [0.5, 0.2]])
    for started in (np.zeros((4, 2)), np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.7], [0.1, 0.1]])):
        waiting = Waiting(sampler, 3, final)
        assert waiting.values.tolist() == 4 * [final.tolist()]
        waiting.started = started.copy()
        waiting.step(5, 1, game, np.array([0.7, 0.8]), 3)
        rules = two_arms(sampler, np.arange(3.0), 5)
        for n in range(3):
            ends = [ndtr(-rules.high[n]), ndtr(rules.low[n])]
            wanted = np.max([a * started[n + 1] + (1 - a) * final for a in ends], axis=0)
            assert waiting.values[n] == pytest.approx(wanted, rel=1e-11)
            assert (waiting.values[n] > wanted).all()
            assert waiting.started[n] == pytest.approx(np.maximum(wanted, game[n - 1] if n else wanted), rel=1e-11)
        assert waiting.values[3].tolist() == [0.7, 0.8]
        assert waiting.bound_at_start().tolist() == waiting.started[0].tolist()
        waiting.step(4, 1, game, np.array([0.75, 0.85]), 2)  # fewer counts are followed now
        assert waiting.values[2:].tolist() == waiting.started[2:].tolist() == 2 * [[0.75, 0.85]]


@pytest.mark.parametrize("compiles", [False, pytest.param(True, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("single", [False, True])
def test_compiled_waiting_has_the_same_bits(single: bool, compiles: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what is read off a table, and of the largest of that; while fewer and fewer counts are followed. Also the text
    that is compiled, as Python runs it."""
    numba = pytest.importorskip("numba")
    monkeypatch.setattr(numba.config, "DISABLE_JIT", not compiles)
    rng, sampler, grid = np.random.default_rng(3), Sampler(9, 2), Grid(0.125, 23, 9, shown=6, single=single)
    final = np.sort(rng.random(stored_eps(grid).size))
    by_numpy, compiled = (Waiting(sampler, 4, final) for _ in range(2))
    assert by_numpy.kernel is None
    compiled.kernel = wait_kernel(grid.digits) if compiles else wait_kernel.__wrapped__(grid.digits)
    largest, wanted, offsets = final / 2, final / 2, (0.0, 0.04, 0.12)
    for total, counts, last in ((8, range(1, 4), 4), (7, range(1, 4), 4), (6, range(1, 3), 3), (2, range(2, 3), 3)):
        kept = [Kept(grid.padded(np.sort(rng.random(grid.size))), offset) for offset in offsets[: len(counts)]]
        edge, table = rng.random(final.size), np.stack([each.values for each in kept])
        layer = Layer(total, last, dict(zip(counts, kept, strict=True)), edge, {}, table)
        compiled.read_and_step(layer, counts[0], readings(grid, kept), edge, largest)
        game = at_stored_ratios(grid, kept)
        by_numpy.step(total, counts[0], game, edge, last)
        wanted = np.maximum(wanted, game.max(axis=0))
        assert np.array_equal(by_numpy.values, compiled.values)
        assert np.array_equal(by_numpy.started, compiled.started)
        assert np.array_equal(largest, wanted)
    if compiles:
        assert Waiting(Sampler(int(COMPILED_WAITS) // 10, 2), 4, final, grid.digits).kernel is compiled.kernel


def test_the_drift_of_a_crowd_counts_what_its_chances_may_be_wrong_by() -> None:
    """Of two arms relatively; of more a chance of 1e-6 is good to 1e-13."""
    for arms, error in ((2, LAW_ERROR), (3, ERROR / (1e-6 - ERROR))):
        found = many_arm_attack(Sampler(4, arms), flipped("pull", np.full((arms, 4), 0.5), 0, 0, 1.0), 4, 0.1)
        assert found.drift == pytest.approx(4 * (error + 24 * 2.0**-53), rel=1e-9, abs=0)


def test_what_a_search_goes_by_is_near_what_an_attack_certifies() -> None:
    sampler = Sampler(24, 2, variance=0.8)
    pair = flipped("pull", np.array([[0.0] + [0.3] * 23, [0.75] * 24]), 0, 0, 1.0)
    wanted = attack(sampler, pair, levels=24).eps(1e-2)
    assert approximate_eps(sampler, pair, 1e-2, 24) == pytest.approx(wanted, rel=0.02)
