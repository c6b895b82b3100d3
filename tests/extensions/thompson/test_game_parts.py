"""Parts of the threshold game one by one: samplers, coins, powers, values between the grid's points, and refusals."""

from __future__ import annotations

from itertools import pairwise
from math import exp, log
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr

from dpbandits import Pair, Sampler, flipped
from dpbandits.extensions.thompson import ceiling, single_pull_attack, worst_coins
from dpbandits.extensions.thompson.attack import attack
from dpbandits.extensions.thompson.bound import Upper, certified_curve
from dpbandits.extensions.thompson.ceilings import rounds as ceiling_rounds
from dpbandits.extensions.thompson.coins import (
    DENSE_THRESHOLD_RANGE,
    MAX_ELLIPSE_EXCESS,
    MAX_TANGENT_GAP,
    NARROW_RULES,
    RULE_ORDER,
    STEEPEST,
    THRESHOLD_RANGE,
    around_each,
    coins_at,
    crossing_averages,
    node_counts,
    node_sums,
    rule,
    subdivided_cells,
    tangent_thresholds,
)
from dpbandits.extensions.thompson.grids import Grid, Kept, at_stored_ratios, stored_eps
from dpbandits.extensions.thompson.many_arm_attack import many_arm_attack
from dpbandits.extensions.thompson.moments import (
    MOMENT_ORDERS,
    THRESHOLDS,
    Moments,
    moment_factors,
    moments,
    power_products,
    rounds_at,
)
from dpbandits.extensions.thompson.potential import priced_moments
from dpbandits.extensions.thompson.rules import RoundLimits, any_arms, checked_sampler
from dpbandits.extensions.thompson.worst_coins import followable

# -- samplers --------------------------------------------------------------------------------------------------------


def test_rounds_begin_after_the_pulls_in_advance_or_the_first_one() -> None:
    """The first round reads no reward, and neither does a pull in advance; of arms there are two at least."""
    for sampler, fixed, first, rounds in (
        (Sampler(9), 0, 1, 8),
        (Sampler(9, 3), 0, 1, 8),
        (Sampler(9, 3, 2), 6, 2, 3),
        (Sampler(9, None, 3), 6, 3, 3),
        (Sampler(9, 2, 1), 2, 1, 7),
    ):
        assert (sampler.fixed, sampler.first, sampler.rounds) == (fixed, first, rounds)


@pytest.mark.parametrize("sampler", [Sampler(1), Sampler(1, 2), Sampler(6, 3, 2), Sampler(6, None, 3), Sampler(3, 3)])
def test_the_least_samplers_that_there_are(sampler: Sampler) -> None:
    assert checked_sampler(sampler) is sampler


@pytest.mark.parametrize(
    ("sampler", "words"),
    [
        (
            Sampler(0),
            "horizon must be an integer of at least 1, arms None or",
        ),
        (
            Sampler(4, 1),
            "arms None or an integer of at least 2, prepulls",
        ),
        (
            Sampler(4, 2, -1),
            "prepulls an integer of at least 0, and variance",
        ),
        (Sampler(4, 2, 0, 0.0), "variance positive and finite"),
        (Sampler(4, 2, 0, float("inf")), "variance positive and finite"),
        (Sampler(4, 2, 0, float("nan")), "variance positive and finite"),
        (Sampler(5, 3, 2), r"b K = 2 \* 3 pre-pulls exceed T = 5"),
        (Sampler(5, None, 3), r"b K = 3 \* 2 pre-pulls exceed T = 5"),
    ],
)
def test_samplers_that_there_are_not(sampler: Sampler, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        checked_sampler(sampler)


def test_the_rounds_of_any_number_of_arms() -> None:
    """The mean of n pulls moves by 1/(n + 1), in units of sqrt(c/(n + 1)); nothing bounds the threshold."""
    shift, low, high = any_arms(Sampler(9, variance=0.7), np.array([2.0, 8.0]))
    assert shift == pytest.approx([1 / 3 / (0.7 / 3) ** 0.5, 1 / 9 / (0.7 / 9) ** 0.5], rel=1e-14, abs=0)
    assert low.tolist() == high.tolist() == [np.inf, np.inf]


# -- coins -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "near"), [(0.1, (-1.0, 3.5)), (0.37, (0.2, 0.9)), (2.0, (-20.0, 30.0))])
def test_tangents_are_close_where_thresholds_matter_and_farther_apart_elsewhere(
    width: float, near: tuple[float, float]
) -> None:
    """By a third of how far away they are, and WIDEST at most; over all that has any probability."""
    x = tangent_thresholds(width, near)
    assert x[0] <= THRESHOLD_RANGE[0]
    assert x[-1] >= THRESHOLD_RANGE[1]
    assert (x[1] > THRESHOLD_RANGE[0]) or x[0] == THRESHOLD_RANGE[0]
    assert (x[-2] < THRESHOLD_RANGE[1]) or x[-1] == THRESHOLD_RANGE[1]
    first, last = max(near[0], THRESHOLD_RANGE[0]), min(near[1], THRESHOLD_RANGE[1])
    for left, right in pairwise(x):
        if right <= first + 1e-9:
            assert right - left == pytest.approx(min(width + (first - right) / 3, MAX_TANGENT_GAP), rel=1e-9)
        elif left >= last - 1e-9:
            assert right - left == pytest.approx(min(width + (left - last) / 3, MAX_TANGENT_GAP), rel=1e-9)
        else:
            inside = int(np.ceil((last - first) / min(width, MAX_TANGENT_GAP)))
            assert right - left == pytest.approx((last - first) / inside, rel=1e-9)


def test_cells_are_divided_where_they_are_wide_or_far_out() -> None:
    """Into equal parts, as many as there are WIDESTs in them; beyond 9 or below -9 by so much more as they are far."""
    edges = np.array([-36.0, -34.5, 0.0, 1.0, 1.5, 4.0, 18.0])
    cell, begins, ends = subdivided_cells(edges[:-1], edges[1:], MAX_TANGENT_GAP)
    found = np.append(begins, 18.0)
    assert found[1:].tolist() == ends.tolist()
    assert (np.diff(cell) == np.isin(ends, edges)[:-1]).all()
    for left, right, many in ((-36, -34.5, 6), (0, 1, 1), (1, 1.5, 1), (1.5, 4, 3), (4, 18, 28)):
        inside = found[(found >= left) & (found <= right)]
        assert inside == pytest.approx(np.linspace(left, right, many + 1), rel=1e-12)
    assert ((found > -34.5) & (found <= 0)).sum() == int(np.ceil(34.5 * 34.5 / 9))


@pytest.mark.parametrize(
    ("r", "nodes", "half", "steepest"),
    [(8, RULE_ORDER, 1 / 2, STEEPEST), (64, *NARROW_RULES[0])],
)
def test_the_rules_for_averages_are_exact_to_roundoff_by_their_own_argument(
    r: int, nodes: int, half: float, steepest: float
) -> None:
    """The bound of the module's text, with its numbers."""
    wide, tall = (r + 1 / r) / 2, (r - 1 / r) / 2
    assert half * (wide - 1) <= MAX_ELLIPSE_EXCESS
    grown = exp((half * tall) ** 2 / 2 + steepest * (wide - 1)) * 2 * steepest / (1 - exp(-2 * steepest))
    assert 4 * r ** (1 - 2 * nodes) / (r - 1) * grown < 1e-15


@pytest.mark.parametrize("shift", [0.1, 0.7, 3.0, 50.0])
@pytest.mark.parametrize(
    ("left", "right"),
    [(-8.9, -7.9), (0.0, 0.1), (2.0, 7.5), (8.1, 9.1), (0.3, 0.3), (1.0, 1.0625), (0.0, 0.25), (5.0, 5.06)],
)
def test_cells_are_integrated_in_parts_that_are_narrow_enough(shift: float, left: float, right: float) -> None:
    few, nodes = node_counts(np.array([shift / 2, shift]), *np.array([[left] * 2, [right] * 2])).tolist()
    assert few <= nodes
    limits = {n: (half, steep) for n, half, steep in ((RULE_ORDER, 0.5, STEEPEST), *NARROW_RULES)}
    most, steepest = limits[min(nodes, RULE_ORDER)]
    parts = max(nodes // RULE_ORDER, 1)
    half, far = (right - left) / 2 / parts, max(-left, right) + MAX_ELLIPSE_EXCESS
    assert half <= most + 1e-9
    assert half * (shift + far + 1) <= steepest * (1 + 1e-9)
    node, share = rule(nodes)
    assert [float(share @ node**k) / parts for k in (0, 1, 2)] == pytest.approx([2, 0, 2 / 3], abs=1e-14)
    assert (np.sort(node) == node).all()
    assert (nodes <= RULE_ORDER) or shift >= 1 or right - left > 1


def test_narrow_cells_have_the_averages_of_many_nodes() -> None:
    """At the edges of what their rules are for, and for small shifts and large ones. But for the rounding of what Phi
    is asked for, z: it moves log Phi by at most |z| (|z| + 1) 2^-53."""
    for nodes, half, steepest in NARROW_RULES:
        for left in (-8.0, 0.0, 1.5, 3.0, 8.0):
            shift = min(steepest / half - max(-left, left + 2 * half) - 1 - MAX_ELLIPSE_EXCESS, 20.0) * (1 - 1e-9)
            for one in (shift, shift / 9):
                cell = [np.array([each]) for each in (one, left, left + 2 * half)]
                assert node_counts(*cell).tolist() == [nodes]
                for few, many in zip(
                    crossing_averages(*cell, nodes), crossing_averages(*cell, 2 * RULE_ORDER), strict=True
                ):
                    rounding = (1 + (abs(left) + one + 1) ** 2) * 2.0**-51
                    assert float(few[0]) == pytest.approx(float(many[0]), rel=rounding, abs=0)


@pytest.mark.parametrize("nodes", [6, 8, RULE_ORDER, 2 * RULE_ORDER, 8 * RULE_ORDER])
def test_sums_over_nodes_are_those_of_numpy_to_the_last_bit(nodes: int) -> None:
    values = np.exp(np.random.default_rng(1).normal(size=(nodes, 50)))
    assert node_sums(values).tobytes() == np.ascontiguousarray(values.T).sum(axis=1).tobytes()


def test_a_shift_beyond_the_range_of_doubles_is_refused() -> None:
    with pytest.raises(ValueError, match="change a sample by 701 standard deviations; at most 700"):
        node_counts(np.array([1.0, 701.0]), np.array(0.0), np.array(0.1))


def test_what_lies_beyond_the_last_tangents_is_enclosed_by_two_coins() -> None:
    """Without bounds: (Phi(-x), 1) at the first tangent x and (0, Phi(s - x)) at the last one. With bounds: the ends of
    the arc, and those of the diagonal."""
    free = around_each([RoundLimits(*(np.array([x]) for x in (0.7, np.inf, np.inf)))], 0.1, [DENSE_THRESHOLD_RANGE])[0]
    x = tangent_thresholds(0.1, (-1.0, 3.5))
    ends = [[part[-2], part[-1]] for part in free]
    wanted = coins_at(np.array([x[0], np.inf]), np.array([-np.inf, x[-1] - 0.7]))
    assert ends == [part.tolist() for part in wanted]
    bounded = around_each([RoundLimits(*(np.array([x]) for x in (0.4, 0.9, 1.3)))], 0.1, [DENSE_THRESHOLD_RANGE])[0]
    u, v = np.array([0.4 - 0.9, 1.3, -0.9, 1.3]), np.array([-0.9, 1.3 - 0.4, -0.9, 1.3])
    for found, exact in zip(bounded, (ndtr(-u), ndtr(u), ndtr(-v), ndtr(v)), strict=True):
        assert found[-4:] == pytest.approx(exact, rel=1e-14, abs=0)
    steep = around_each([RoundLimits(*(np.array([x]) for x in (4.0, np.inf, np.inf)))], 0.1, [DENSE_THRESHOLD_RANGE])[0]
    assert steep.p.size == tangent_thresholds(0.1 / 4, (-1.0, 3.5)).size - 1 + 2  # a large shift wants more of them


# -- powers ----------------------------------------------------------------------------------------------------------


def test_powers_of_probabilities() -> None:
    found = power_products(np.array([0.3, 0.01]), np.array([0.2, 0.5]), np.array([1.5, 4.0]))
    wanted = [[p**a * q ** (1 - a) for a in (1.5, 4.0)] for p, q in ((0.3, 0.2), (0.01, 0.5))]
    assert found == pytest.approx(np.array(wanted), rel=1e-12, abs=0)


@pytest.mark.parametrize("shift", [0.05, 0.7])
def test_the_powers_beyond_the_first_and_the_last_tangent(shift: float) -> None:
    """The coins (Phi(-x), 1) and (0, Phi(s - x)), each outcome at its worst: a power that falls out there counts as at
    the tangent itself, one that cannot exceed P or 1 as that."""
    orders = np.array([1.3, 2.0])
    x, y = THRESHOLDS[0], THRESHOLDS[-1]
    right = [part[:, 0] for part in moment_factors(np.array([shift]), "right", orders, THRESHOLDS)]
    left = [part[:, 0] for part in moment_factors(np.array([shift]), "left", orders, THRESHOLDS)]
    for k, a in enumerate(orders):
        low, high = ndtr(x), ndtr(x - shift)
        wanted = [[1.0, low**a * high ** (1 - a)], [ndtr(-y), (ndtr(y) / ndtr(y - shift)) ** (a - 1)]]
        assert np.stack(right, axis=1)[-2:, :, k] == pytest.approx(np.array(wanted), rel=1e-10, abs=0)
        low, high = ndtr(shift - y), ndtr(-y)
        wanted = [[(ndtr(shift - x) / ndtr(-x)) ** (a - 1), ndtr(x - shift)], [low**a * high ** (1 - a), 1.0]]
        assert np.stack(left, axis=1)[-2:, :, k] == pytest.approx(np.array(wanted), rel=1e-10, abs=0)


@pytest.mark.parametrize("higher", ["right", "left"])
@pytest.mark.parametrize("levels", [2, 5])
def test_the_game_for_powers_count_by_count(higher: str, levels: int) -> None:
    """M_N(n) from the round after it, in plain loops; counts from the last level on are one. Three rounds follow the
    first of four, with any number of arms."""
    sampler, orders = Sampler(4, variance=0.8), np.array([1.2, 2.5])
    found = moments(sampler, higher, levels, 2, orders)
    after = {n: [1.0, 1.0] for n in range(1, levels + 1)}
    kept = {4: [0.0, 0.0]}
    for total in (3, 2, 1):
        before = {}
        for n in range(1, levels + 1):
            shift = any_arms(sampler, np.array([float(n)])).shift
            pulled, stays = (part[:, 0] for part in moment_factors(shift, higher, orders, THRESHOLDS))
            more = after[min(n + 1, levels)]
            before[n] = [
                max(pulled[x, k] * more[k] + stays[x, k] * after[n][k] for x in range(len(pulled))) for k in (0, 1)
            ]
        after = before
        kept[total] = np.log(after[2]).tolist()
    assert found.orders.tolist() == orders.tolist()
    assert found.start == pytest.approx(np.log(after[1]), rel=1e-9, abs=0)
    assert found.edge.shape == (5, 2)
    for total, value in kept.items():
        assert found.edge[total] == pytest.approx(value, rel=1e-9, abs=0)
    assert (found.start > found.edge[1]).all()  # the earlier pull reveals more


def test_orders_whose_tails_grow_beyond_the_tangents_are_left_out() -> None:
    """A tail's power falls beyond the first tangent, or the last, as long as (a - 1) s reaches neither."""
    for variance in (0.02, 0.1, 1.0):
        steep = (1 / (2 * variance)) ** 0.5
        kept = [a for a in MOMENT_ORDERS if (a - 1) * steep <= 8 and steep + (a - 1) * steep <= 9.5]
        assert moments(Sampler(3, variance=variance), "right", 3, 1).orders.tolist() == kept
    assert 0 < len(kept) < MOMENT_ORDERS.size
    assert (THRESHOLDS[0], THRESHOLDS[-1]) == (-8, 9.5)


def test_powers_that_leave_the_doubles_bound_nothing() -> None:
    """Of many rounds with little noise: the logarithm of M is inf, not a wrong number."""
    found = moments(Sampler(700, variance=0.2), "right", 2, 2)
    assert (found.start[np.isfinite(found.start)] < log(1e250)).all()
    assert np.isinf(found.start).any()
    assert np.isfinite(found.start).any()


@pytest.mark.parametrize("arms", [None, 2])
@pytest.mark.parametrize("higher", ["right", "left"])
def test_powers_with_prices_are_above_the_game_for_powers(arms: int | None, higher: str) -> None:
    """That game with thresholds on a grid alone, in every state from the watched count on and at the start."""
    sampler, watched = Sampler(12, arms), 3
    found = priced_moments(sampler, higher, np.full(13, watched))
    growing = priced_moments(sampler, higher, np.arange(13) // 4 + 1).edge
    for total in (4, 8):  # where other counts are watched, the others' numbers
        fixed = priced_moments(sampler, higher, np.full(13, total // 4 + 1)).edge
        assert np.array_equal(growing[total], fixed[total])
    powers = found.orders[:, None]
    value = np.ones((13, found.orders.size))
    for total in range(11, 0, -1):
        for n in range(1, total + 1):
            shift, low, high = (float(x[0]) for x in rounds_at(sampler, np.array([float(n)]), total))
            x = np.linspace(max(-6.0, shift - low), min(6.0, high), 40)
            sides = [np.stack([ndtr(-x), ndtr(shift - x)]), np.stack([ndtr(x), ndtr(x - shift)])]
            left, right = (0, 1) if higher == "right" else (1, 0)
            pulled, other = (side[left] ** powers * side[right] ** (1 - powers) for side in sides)
            value[n] = (pulled * value[n + 1][:, None] + other * value[n][:, None]).max(axis=1)
        assert total < watched or (np.log(value[watched]) <= found.edge[total]).all()
    assert (np.log(value[1]) <= found.start).all()
    assert (found.start <= 2.5 * np.log(value[1]))[found.orders < 2].all()


# -- the grid --------------------------------------------------------------------------------------------------------


def test_values_at_moved_ratios_are_read_at_the_grid_s_own_by_chords() -> None:
    """Straight in exp(-ratio) between two of them, which lie `offset` above the grid's; below all is the lowest value,
    and above them 1."""
    grid = Grid(0.125, 4, 3)
    assert grid.size == 8
    assert grid.ratios.tolist() == [-0.5, -0.375, -0.25, -0.125, 0.0, 0.125, 0.25, 0.375]
    values = np.array([0.1, 0.15, 0.3, 0.35, 0.5, 0.6, 0.7, 0.95])
    padded = grid.padded(values)
    assert padded.tolist() == [*8 * [0.1], *values.tolist(), *9 * [1.0]]
    assert at_stored_ratios(grid, [Kept(padded, 0.0)]).tolist() == [values[4::-1].tolist()]
    assert stored_eps(grid).tolist() == [0.0, 0.125, 0.25, 0.375, 0.5]
    for offset in (1e-3, 0.05, 0.12):
        found = at_stored_ratios(grid, [Kept(padded, 0.0), Kept(padded, offset)])[1, ::-1]
        for i, ratio in enumerate(grid.ratios[:5]):
            low, high = (exp(-(ratio + offset + step)) for step in (-0.125, 0.0))
            share = (low - exp(-ratio)) / (low - high)
            below, above = (values[0], values[0]) if i == 0 else values[[i - 1, i]]
            assert found[i] == pytest.approx((1 - share) * below + share * above, rel=1e-10, abs=0)
            assert found[i] >= (1 - share) * below + share * above


@pytest.mark.parametrize(
    "wrong",
    [
        {"smallest": 0.0},
        {"smallest": 1.0},
        {"fineness": 0.0},
        {"fineness": float("inf")},
        {"counts": 0.0},
        {"counts": float("inf")},
    ],
)
def test_bounds_that_cannot_be_asked_for(wrong: Any) -> None:
    ((name, value),) = wrong.items()
    accepted = "; smallest must lie strictly between 0 and 1, and fineness and counts must be positive and finite$"
    with pytest.raises(ValueError, match=rf"\b{name} = {value}\b.*{accepted}"):
        certified_curve(Sampler(4, 2), **wrong)


@pytest.mark.parametrize(("horizon", "method"), [(20_000, "ratios"), (20_001, "potential")])
def test_runs_up_to_the_longest_have_ratios(horizon: int, method: str) -> None:
    curve = np.array([0.0, 1.0]), np.array([0.1, 0.1])
    assert Upper(Sampler(horizon, 2), "pull", {}, {"right": curve}).method == method
    assert Upper(Sampler(horizon, 2), "pull", {}, {}).method == "potential"


def test_the_log_of_no_reward_s_powers_is_nothing() -> None:
    """M = 1 at every order: delta(0) is at most the least w_a, rounded up, and so less than 1."""
    orders = np.array([1.1, 2.0, 9.0])
    nothing = Moments(orders, np.zeros(3), np.zeros((1, 3)))
    with mpmath.workdps(30):
        least = min((a - 1) ** (a - 1) / a**a for a in map(mpmath.mpf, orders.tolist()))
    assert exp(float(nothing.log_curve(nothing.start, np.asarray(0.0)))) == pytest.approx(float(least), rel=2e-9)


# -- what attacks do not follow --------------------------------------------------------------------------------------


def test_attacks_on_two_arms_say_what_they_want() -> None:
    table = np.full((2, 5), 0.5)
    pair = flipped("pull", table, 0, 0, 1.0)
    assert attack(Sampler(5, 2), pair).eps(1e-3) > 0
    three = flipped("pull", np.full((3, 5), 0.5), 0, 0, 1.0)
    for sampler, wrong in (
        (Sampler(6, 2), pair),
        (Sampler(5, 3), three),
        (Sampler(5, 2), Pair("round", pair.left, pair.right)),
    ):
        with pytest.raises(ValueError, match="it needs relation 'pull', two arms and at least"):
            attack(sampler, wrong)
    with pytest.raises(ValueError, match="attack: the two reward tables of the pair are equal"):
        attack(Sampler(5, 2), Pair("pull", table, table))
    with pytest.raises(ValueError, match="attack: levels is 2; it must be at least 3, the number of pre-pulls"):
        attack(Sampler(9, 2, 3), flipped("pull", np.full((2, 9), 0.5), 0, 0, 1.0), levels=2)


def test_attacks_follow_pulls_after_many_pre_pulls() -> None:
    """More of them than pulls that are followed. With one round left, the law is a coin on either side."""
    sampler, rewards = Sampler(91, 2, 45), np.full((2, 91), 0.5)
    pair = flipped("pull", rewards, 0, 0, 1.0)
    shift = 0.5 / 46 / (2 / 46) ** 0.5  # of the means, in deviations of the samples' difference
    assert attack(sampler, pair, reach=(-2.0, 2.0)).delta(0.0) == pytest.approx(ndtr(shift) - 0.5, rel=1e-7)


def test_attacks_on_a_crowd_say_what_they_want() -> None:
    pair = flipped("pull", np.full((3, 5), 0.5), 0, 0, 1.0)
    for sampler in (Sampler(6, 3), Sampler(5, 2), Sampler(5, 4)):
        with pytest.raises(
            ValueError, match=rf"must differ and have shape \({sampler.arms}, at least {sampler.horizon}\)"
        ):
            many_arm_attack(sampler, pair, 5)


def test_rivals_are_followed_up_to_so_many_rounds() -> None:
    for arms, longest in worst_coins.MAX_ROUNDS_BY_ARMS.items():
        assert followable(Sampler(longest, arms))
        assert not followable(Sampler(longest + 1, arms))
    assert followable(Sampler(1000))
    assert not followable(Sampler(1001))


def test_waiting_for_a_lonely_arm_chooses_on_a_quarter_of_the_runs() -> None:
    """And counts on the others; where none of these has the event, nothing is shown. Three rounds are enough."""
    logs = np.log(np.full((2, 40), [[0.5], [0.01]]))
    for hit, shows in ((slice(0, 0), True), (slice(10, 40), False), (slice(9, 10), True)):
        given = logs.copy()
        given[0, hit] -= 3
        found = single_pull_attack.attack_of_log_weights(given, 1e-6, 1e-3)
        if shows:  # thirty of thirty runs
            assert found.left == pytest.approx(log(0.5) + log(1e-3) / 30, rel=1e-6)
        else:
            assert found == single_pull_attack.SinglePullAttack(0.0, -np.inf, 0.0)
    for sampler in (Sampler(2, 3), Sampler(9, 2)):
        with pytest.raises(ValueError, match="T >= 3"):
            single_pull_attack.single_pull_attack(sampler, "round", 1e-3)


# -- what the checker of upper ends is told --------------------------------------------------------------------------


def test_a_level_s_choices_are_told_in_the_checker_s_units() -> None:
    """Thresholds in 1/64 deviations from -8 to 9, and by what a round without a pull multiplies P/Q, at most 4."""
    for near, drift, wanted in (
        ((-0.5, 2.26), 0.01, [-32, 145, "1.010050"]),
        ((-8.5, 9.5), -0.3, [-512, 576, "0.740818"]),
        ((-1.0, 3.5), 1.3863, [-64, 224, "4.000000"]),
    ):
        assert ceiling.coin_row(SimpleNamespace(near=near, drift=drift)) == wanted
    assert (ceiling_rounds.PART, ceiling_rounds.FIRST_THRESHOLD, ceiling_rounds.LAST_THRESHOLD) == (64, -8 * 64, 9 * 64)


@pytest.mark.parametrize("nodes", [6, RULE_ORDER, 2 * RULE_ORDER, 5 * RULE_ORDER])
def test_a_rule_integrates_polynomials_exactly_on_each_of_its_parts(nodes: int) -> None:
    """As Gauss's rule does up to degree 2 n - 1, for n nodes in each part."""
    places, weights = rule(nodes)
    parts = max(1, nodes // RULE_ORDER)
    order, ends = nodes // parts, np.linspace(-1, 1, parts + 1)
    assert len(places) == len(weights) == nodes
    assert (places == -places[::-1]).all()  # so that one exponential serves both averages
    assert (weights == weights[::-1]).all()
    assert (np.diff(np.sort(places)) > 0).all()
    for low, high in pairwise(ends):
        here = (places > low) & (places < high)
        assert here.sum() == order
        for degree in range(2 * order):
            exact = (1 - (-1) ** (degree + 1)) / (degree + 1)
            x = (2 * places[here] - low - high) / (high - low)
            assert (weights[here] * x**degree).sum() == pytest.approx(exact, abs=1e-13)
