"""The threshold game on its grid: outcomes that are split, what is looked at, how ratios move, where a round begins."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from checked_states import worst_excess
from scipy.special import ndtr

from dpbandits import Sampler
from dpbandits.extensions.thompson import grids, potential
from dpbandits.extensions.thompson import pull_levels as module
from dpbandits.extensions.thompson import ratios as ratios_module
from dpbandits.extensions.thompson.best_coins import (
    COMPILED_FROM,
    LEAST_SINGLE,
    Taps,
    in_single_precision,
    reached_rows,
    rows_by_size,
    value_before_round,
    values_before_round,
)
from dpbandits.extensions.thompson.coins import DENSE_THRESHOLD_RANGE, THRESHOLD_RANGE, around_each, coins_at
from dpbandits.extensions.thompson.grids import COMPILED_ROWS, Grid, Kept, at_stored_ratios
from dpbandits.extensions.thompson.moments import moments
from dpbandits.extensions.thompson.pull_levels import (
    COIN_ROUNDING,
    Level,
    Outcomes,
    bounds_before_round,
    outcomes,
    renew_coins,
    shifted_rows,
    shifted_rows_kernel,
    shifts_on_one_grid,
)
from dpbandits.extensions.thompson.ratios import layers, ratios
from dpbandits.extensions.thompson.rules import RoundLimits

GRID = Grid(0.125, 60, 40)
RULE = RoundLimits(*(np.array([x]) for x in (0.6, np.inf, np.inf)))


def rising(steep: float, offset: float) -> Kept:
    """A g that rises from next to nothing to 1."""
    return Kept(GRID.padded(1 / (1 + np.exp(-steep * GRID.ratios))), offset)


SAME, MORE = rising(2.0, 0.05), rising(1.6, 0.02)


@pytest.mark.parametrize("higher", ["right", "left"])
def test_a_count_looks_at_what_is_played_at_the_goals_and_moves_along(higher: str) -> None:
    """At the ratios where g is what should be left of the goals at this time, the best coins: tangents are close from
    the lowest of their thresholds to the highest, and 0.3 beyond; ratios move by what no pull tells, under the middle
    one. So in every eighth round."""
    level = Level(lambda total: RULE, 40, higher, 0.2, GRID)
    renew_coins([level], 39)
    found = bounds_before_round([level], 9, [SAME, MORE])[0]
    assert (level.near, level.drift, found.offset) == (DENSE_THRESHOLD_RANGE, 0.0, SAME.offset)
    found = bounds_before_round([level], 8, [SAME, MORE])[0]
    dealt = outcomes(around_each([RULE], 0.2, [DENSE_THRESHOLD_RANGE])[0], higher)
    coins = shifted_rows(dealt, GRID, SAME.offset, MORE.offset, SAME.offset)
    values, best = SAME.values[GRID.size : 2 * GRID.size], []
    for goal in (1e-3, 1e-6, 1e-9):
        left = goal ** (1 - 8 / 40)
        start = next(i for i in range(GRID.size) if values[i] >= left)
        worth = [
            sum(
                side[coins.places[k, coin] + start + high] * coins.kernels[k, coin, high]
                for k, side in enumerate((MORE.values, SAME.values))
                for high in (0, 1)
            )
            for coin in range(dealt.at.size)
        ]
        best.append(int(np.argmax(worth)))
    assert higher == "left" or best[0] != best[1] != best[2]
    thresholds = dealt.at[best]
    assert level.near == pytest.approx((thresholds.min() - 0.3, thresholds.max() + 0.3), rel=1e-12)
    assert level.drift == dealt.losses[1, best[1]]
    assert abs(level.drift) > 1e-3
    assert found.offset == pytest.approx((SAME.offset - level.drift) % GRID.step, rel=1e-12)
    moved = shifted_rows(dealt, GRID, found.offset, MORE.offset, SAME.offset)
    assert np.array_equal(
        found.values, values_before_round(moved, SAME.values, MORE.values, GRID.size, 0.0, GRID.below)[0]
    )
    assert (module.LOOK_INTERVAL_ROUNDS, module.SHORT_RUN_TANGENTS.margin) == (8, 0.3)
    large = Level(lambda total: RULE, 40, higher, 0.2, GRID._replace(goal=0))  # in long runs, under the first one
    renew_coins([large], 39)
    bounds_before_round([large], 8, [SAME, MORE])
    assert large.drift == dealt.losses[1, best[0]]
    renew_coins([level], 7)  # from now on with tangents where they are played
    assert level.outcomes.at.tolist() == outcomes(around_each([RULE], 0.2, [level.near])[0], higher).at.tolist()


def test_long_runs_look_no_higher_than_where_much_is_left() -> None:
    """Five rounds before the end 0.97 of delta and more should be left, at ratios where nearly every coin will do; the
    looks are at 0.3, which is one ratio for all goals."""
    level = Level(lambda total: RULE, 2000, "right", 0.2, GRID)
    renew_coins([level], 1999)
    bounds_before_round([level], 1995, [SAME, MORE])
    dealt = outcomes(around_each([RULE], 0.1, [DENSE_THRESHOLD_RANGE], 1.2, 3.0)[0], "right")
    coins = shifted_rows(dealt, GRID, SAME.offset, MORE.offset, SAME.offset)
    start = int(np.argmax(SAME.values[GRID.size : 2 * GRID.size] >= 0.3))
    sides = enumerate((MORE.values, SAME.values))
    worth = sum(coins.kernels[k, :, h] * side[coins.places[k] + start + h] for k, side in sides for h in (0, 1))
    best = int(np.argmax(worth))
    assert level.near == pytest.approx((dealt.at[best] - 0.1, dealt.at[best] + 0.1), rel=1e-12)
    assert level.drift == dealt.losses[1, best]


def drawn(grid: Grid) -> Taps:
    dealt = outcomes(around_each([RULE], 0.3, [DENSE_THRESHOLD_RANGE])[0], "right")
    return shifted_rows(dealt, grid, 0.01, MORE.offset, SAME.offset)


def flattened(floor: float) -> list[np.ndarray]:
    """Values that were kept down to just above the floor, below which they are flat."""
    return [np.maximum(each.values, floor * (1 + 1e-9)) for each in (SAME, MORE)]


def test_values_that_rounding_lifts_above_the_floor_are_not_looked_for_all_the_way_down() -> None:
    """Below the last value that is told apart all are equal: another stretch shows that, and is forgotten. One that
    falls is kept."""
    floor = 1e-3
    coins = drawn(GRID)
    same, more = flattened(floor)
    flat_below = int(np.argmax(value_before_round(coins, same, more, 0, GRID.size) > (1 + 1e-8) * floor))
    found, lowest = values_before_round(coins, same, more, GRID.size, floor, flat_below - 3)
    assert lowest == flat_below - 3
    assert (found[: GRID.size + lowest] == found[GRID.size + lowest]).all()
    assert floor < found[0] < (1 + 1e-8) * floor
    assert values_before_round(coins, same, more, GRID.size, floor, flat_below + 8)[1] in range(
        flat_below - 3, flat_below + 1
    )
    whole = [each.values for each in (SAME, MORE)]
    start = int(np.argmax(value_before_round(coins, *whole, 0, GRID.size) > 1.2 * floor))
    assert values_before_round(coins, *whole, GRID.size, floor, start)[1] < start  # where it still falls


def test_values_from_where_a_round_begins_are_those_of_the_whole_grid() -> None:
    coins = drawn(GRID)
    every = value_before_round(coins, SAME.values, MORE.values, 0, GRID.size)
    for lowest in (1, 17, GRID.size - 1):
        some = value_before_round(coins, SAME.values, MORE.values, lowest, GRID.size)
        assert some == pytest.approx(every[lowest:], rel=1e-12, abs=0)
    best = 0.0  # one ratio by hand, coin by coin
    for coin in range(coins.places.shape[1]):
        parts = [
            coins.kernels[k, coin, high] * side[coins.places[k, coin] + 33 + high]
            for k, side in enumerate((MORE.values, SAME.values))
            for high in (0, 1)
        ]
        best = max(best, sum(parts))
    assert every[33] == pytest.approx(best * (1 + 1e-12), rel=1e-14, abs=0)
    assert every[33] >= best


def test_single_precision_rounds_up() -> None:
    """What it has keeps, what it has not goes to the next number that it has, what is tiny to its least."""
    exact = np.array([1.0, 0.75, 2.0**-99, 1 + 2.0**-23, 3 * LEAST_SINGLE])
    between = np.concatenate([np.nextafter(exact, 9), np.random.default_rng(5).random(40), [1 / 3, 1e-20]])
    assert in_single_precision(exact).dtype == np.float32
    assert np.array_equal(in_single_precision(exact), exact)
    found = in_single_precision(between).astype(np.float64)
    assert (found >= between).all()
    assert (np.nextafter(in_single_precision(between), np.float32(0)) < between).all()
    assert (in_single_precision(np.array([0.0, 1e-300, LEAST_SINGLE / 2])) == LEAST_SINGLE).all()


def test_a_round_in_single_precision_is_no_smaller_and_hardly_larger() -> None:
    """Than in doubles, from the same values and coins, at every ratio. Three products and sums of parts of 2^24, a
    factor of 1 + 3 2^-23 for them, and coins that were rounded up."""
    single = GRID._replace(single=True)
    dealt = outcomes(around_each([RULE], 0.07, [(0.5, 1.5)])[0], "left")
    more, same = (in_single_precision(each.values) for each in (MORE, SAME))
    values = more.astype(np.float64), same.astype(np.float64)
    coins, rounded = (shifted_rows(dealt, each, 0.01, MORE.offset, SAME.offset) for each in (GRID, single))
    assert rounded.kernels.dtype == more.dtype == np.float32
    found = value_before_round(rounded, same, more, 0, GRID.size)
    wanted = value_before_round(coins, values[1], values[0], 0, GRID.size)
    assert found.dtype == np.float32
    share = found / wanted
    assert 1 + 2 * 2.0**-24 < share.min() < 1 + 4e-7  # six parts are added, four at most are lost
    assert share.max() < 1 + 8e-7


@pytest.mark.first(1)
@pytest.mark.parametrize(("weighed", "single"), [(True, False), (False, False), (False, True)])
def test_compiled_rounds_have_the_same_bits(weighed: bool, single: bool) -> None:
    """With the best coin, and with weights; in doubles, and in single precision. At several counts, round after round,
    of which the last but one is still there; from values of one's own, and from those of the round before beside a new
    last one; and after a count has gone."""
    pytest.importorskip("numba")
    grid = GRID._replace(single=single)
    compiled = rows_by_size(COMPILED_FROM, grid.digits)
    dealt = [outcomes(around_each([RULE], spread, [(0.5, 1.5)])[0], "left") for spread in (0.3, 0.07)]
    stops = np.cumsum([each.at.size for each in dealt])
    every = Outcomes(*(np.concatenate(parts, axis=-1) for parts in zip(*dealt, strict=True)))
    if weighed:
        weights = np.random.default_rng(2).dirichlet(np.ones(stops[-1]), 3) * 2  # by three laws
        weights[:, 5:9], weights[1, ::3] = 0.0, 0.0
        every = every._replace(weights=weights)
    coins, begins = shifted_rows(every, grid, 0.01, MORE.offset, SAME.offset), [GRID.below] * 2
    start = [SAME, MORE, rising(1.1, 0.0)]
    kept = mine = [in_single_precision(each.values) if single else each.values for each in start]
    last = kept[1]
    for floor, many in ((0.0, 2), (0.0, 2), (0.02, 2), (0.0, 2), (0.02, 1)):
        some = slice(stops[many - 1])
        given = module.Taps(coins.places[:, some], coins.kernels[:, some], coins.weights[:, some]), stops[:many]
        before = mine
        mine, found = compiled(*given, mine[: many + 1], GRID.size, floor, begins[:many])
        wanted, expected = reached_rows(*given, kept[: many + 1], GRID.size, floor, begins[:many])
        assert (found, len(mine)) == (expected, many)
        whole = slice(GRID.size - 1, None)  # what lies below the grid is written down where it is asked for
        assert all(np.array_equal(one[whole], other[whole]) for one, other in zip(mine, wanted, strict=True))
        assert all(np.array_equal(one[whole], other[whole]) for one, other in zip(before, kept, strict=True))
        assert all(np.shares_memory(each, compiled.together(many)[row]) for row, each in enumerate(mine))
        mine, kept = [*mine, last], [*wanted, last]
    lifted = [each.astype(grid.digits) for each in (*flattened(0.02), SAME.values)]
    begins = [int(np.argmax(each > 0.021)) - GRID.size for each in lifted[:2]]
    mine, found = compiled(coins, stops, lifted, GRID.size, 0.02, begins)
    wanted, expected = reached_rows(coins, stops, lifted, GRID.size, 0.02, begins)
    assert found == expected
    assert all(np.array_equal(one[whole], other[whole]) for one, other in zip(mine, wanted, strict=True))
    assert compiled is not reached_rows
    assert rows_by_size(COMPILED_FROM / 2) is reached_rows


@pytest.mark.first(1)
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("step", [1e-3, 0.02, 0.125, 0.49])
def test_compiled_coins_have_the_same_bits(step: float, single: bool) -> None:
    """At counts with offsets of their own: what tells all, nothing, next to nothing, and just a step; no mass too."""
    pytest.importorskip("numba")
    grid = Grid(step, 60, 40, single=single)
    dealt = [
        outcomes(around_each([RULE], spread, [(0.5, 1.5)])[0], side)
        for spread in (0.3, 0.07)
        for side in ("left", "right")
    ]
    losses = [[np.inf, -np.inf, 0.0, 1e-9, -1e-9], [-np.inf, np.inf, -0.0, step, step * (1 - 1e-16)]]
    dealt.append(Outcomes(np.array(losses), np.array([[0.3, 0.2, 1e-40, 0.0, 0.5]] * 2), np.zeros(5)))
    every = Outcomes(*(np.concatenate(parts, axis=-1) for parts in zip(*dealt, strict=True)))
    here, there = np.random.default_rng(1).random((2, 6)) * step
    here[0] = there[0] = 0.0
    stops, kept = np.cumsum([each.at.size for each in dealt]), [Kept(SAME.values, offset) for offset in there]
    given = grid, every, stops, here[:5].tolist(), kept
    found, wanted = shifts_on_one_grid(*given, shifted_rows_kernel(grid.digits)), shifts_on_one_grid(*given)
    assert np.array_equal(found.places, wanted.places)
    assert np.array_equal(found.kernels, wanted.kernels)
    assert found.kernels.dtype == wanted.kernels.dtype == grid.digits


@pytest.mark.first(1)
@pytest.mark.parametrize(("begin", "single"), [(0, False), (3, False), (3, True)])
def test_compiled_curves_have_the_same_bits(begin: int, single: bool) -> None:
    """As curves of so few pull counts that nothing is compiled for them."""
    pytest.importorskip("numba")
    grid, steeps = Grid(0.125, 60 + begin, 40, shown=13, single=single), np.linspace(0, 2.2, COMPILED_ROWS)
    kept = [Kept(grid.padded(1 / (1 + np.exp(-steep * grid.ratios))), steep / 20) for steep in steeps.tolist()]
    by_numpy = np.concatenate([at_stored_ratios(grid, [each]) for each in kept])
    assert np.array_equal(at_stored_ratios(grid, kept), by_numpy)
    assert by_numpy.shape == (COMPILED_ROWS, grids.stored_eps(grid).size)


@pytest.mark.parametrize("floor", [0.0, 1e-4, 0.02, 0.9])
def test_a_round_begins_where_values_are_not_told_apart(floor: float) -> None:
    """From where the round after it began downwards, by a fiftieth of the grid and one at a time."""
    grid = GRID._replace(floor=floor)
    coins = drawn(grid)
    every = value_before_round(coins, SAME.values, MORE.values, 0, grid.size)
    padded, lowest = values_before_round(coins, SAME.values, MORE.values, grid.size, floor, grid.below)
    assert np.array_equal(padded, grid.padded(values := padded[grid.size : 2 * grid.size]))
    wanted = grid.below
    while wanted > 0 and every[wanted] > floor:
        wanted = max(wanted - 1 - grid.size // 50, 0)
    assert lowest == wanted
    assert (lowest == 0) == (floor == 0.0)
    assert (lowest == grid.below) == (floor == 0.9)
    assert values == pytest.approx(np.maximum(every, every[lowest]), rel=1e-12, abs=0)


def test_a_coin_that_tells_nothing_and_one_that_tells_all() -> None:
    """A loss of nothing and a coin that tells nothing leave g as it is; one that tells all leaves what P is worth."""
    coins = shifted_rows(
        module.Outcomes(np.zeros((2, 1)), np.array([[0.25], [0.75]]), np.zeros(1)), GRID, 0.05, 0.05, 0.05
    )
    kept = rising(2.0, 0.05)
    found = value_before_round(coins, kept.values, kept.values, 0, GRID.size)
    assert found == pytest.approx(kept.values[GRID.size : 2 * GRID.size], rel=1e-11, abs=0)
    tells = module.Outcomes(np.array([[np.inf], [-np.inf]]), np.array([[0.25], [0.0]]), np.zeros(1))
    found = value_before_round(shifted_rows(tells, GRID, 0.0, 0.0, 0.0), kept.values, kept.values, 0, GRID.size)
    assert found == pytest.approx(np.full(GRID.size, 0.25), rel=1e-11, abs=0)
    assert kept.values[GRID.size] == pytest.approx(1 / (1 + exp(2 * 7.5)), rel=1e-12, abs=0)


@pytest.mark.parametrize("offsets", [(0.0, 0.0, 0.0), (0.03, 0.11, 0.02), (0.12, 0.0, 0.07)])
def test_an_outcome_is_split_over_two_points_with_both_of_its_masses(offsets: tuple[float, float, float]) -> None:
    """From ratio r + here by its loss, to the ratios around it that have offsets of their own: together they have the
    mass P, and as much Q = P exp(-ratio). What leaves the grid by more than its size stays beyond it."""
    grid = Grid(0.125, 40, 24)
    here, more, same = offsets
    losses = np.array([[-0.4, 0.0, 0.31, 2.0], [0.1, -0.02, -1.3, 0.5]])
    masses = np.array([[0.2, 0.5, 0.01, 0.3], [0.8, 0.5, 0.99, 0.7]])
    found = shifted_rows(Outcomes(losses, masses, np.zeros(4)), grid, here, more, same)
    for k, there in enumerate((more, same)):
        for coin in range(4):
            low, high = found.kernels[k, coin]
            at = (found.places[k, coin] - grid.size + np.arange(2)) * grid.step + there
            moved = losses[k, coin] + here
            assert at[0] <= moved + 1e-12 < at[1] + 2e-12
            assert low + high == pytest.approx(masses[k, coin], rel=1e-12, abs=0)
            assert low * exp(-at[0]) + high * exp(-at[1]) == pytest.approx(
                masses[k, coin] * exp(-moved), rel=1e-11, abs=0
            )
            assert min(low, high) > -1e-12
    far = shifted_rows(Outcomes(np.array([[np.inf], [-np.inf]]), np.ones((2, 1)), np.zeros(1)), grid, here, more, same)
    assert far.places.tolist() == [[2 * grid.size], [0]]
    assert far.kernels.tolist() == [[[1.0, 0.0]], [[1.0, 0.0]]]


@pytest.mark.parametrize("higher", ["right", "left"])
def test_outcomes_are_seen_from_the_side_where_the_arm_pays_less_or_more(higher: str) -> None:
    """The left side's masses and losses, rounded up; and the thresholds that have about the coin's chance."""
    x = np.array([-0.5, 1.25])
    coins = coins_at(x, x - 0.4)
    found = outcomes(coins, higher)
    left, right = ((ndtr(-x), ndtr(x)), (ndtr(0.4 - x), ndtr(x - 0.4)))
    if higher == "left":
        left, right = right, left
    for k in (0, 1):
        assert found.masses[k] == pytest.approx(left[k] * (1 + COIN_ROUNDING), rel=1e-14, abs=0)
        assert found.losses[k] == pytest.approx(np.log(left[k] / right[k]) + COIN_ROUNDING, rel=1e-12, abs=0)
    assert found.at == pytest.approx(x, rel=1e-12)
    assert COIN_ROUNDING == 1e-10
    assert outcomes(coins_at(np.array([-20.0, 20.0]), np.array([-20.0, 20.0])), higher).at.tolist() == list(
        THRESHOLD_RANGE
    )


@pytest.mark.parametrize("sampler", [Sampler(9, 2), Sampler(9, 2, 2), Sampler(9), Sampler(9, 3, 2)])
def test_a_layer_has_the_pull_counts_that_a_run_can_have(sampler: Sampler) -> None:
    """From the first one that reads the changed reward to the last one before `edge`; with two arms the other one has
    had its pulls in advance, and so have a given number of others."""
    grid, b = Grid(0.25, 12, 8), sampler.prepulls
    rare = moments(sampler, "right", 8, sampler.first + 4)
    found = list(layers(sampler, "right", grid, 4, 0.5, rare))
    assert [layer.total for layer in found] == list(range(9, 9 - sampler.rounds - 1, -1))
    first, last = max(b, 1), max(b, 1) + 4
    assert sorted(found[0].game) == list(range(first, last))
    for layer in found[1:]:
        most = layer.total - b * ((sampler.arms or 2) - 1)
        assert sorted(layer.game) == list(range(first, min(last - 1, most) + 1))
        assert layer.edge == pytest.approx(
            np.exp(rare.log_curve(rare.edge[layer.total], -grid.ratios)), rel=1e-14, abs=0
        )
    gain = [max(0.0, 1 - exp(-ratio)) for ratio in grid.ratios]  # (P - Q)_+ at P = 1
    shown_gain = at_stored_ratios(grid, list(found[0].game.values()))
    assert shown_gain == pytest.approx(np.tile(gain[grid.below :: -1], (4, 1)), rel=1e-12, abs=0)


@pytest.fixture
def as_in_long_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The game is computed as in long runs, whose own lengths take minutes."""
    monkeypatch.setattr(potential, "LONG_RUN_ROUNDS", 0)
    monkeypatch.setattr(potential, "MAX_PLAYED_POWERS", 0)


@pytest.mark.usefixtures("as_in_long_runs")
def test_fewer_counts_in_early_rounds_bound_no_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not followed has the static potential's value, round by round that of its own first count; who waits may
    start there as well. So the curves lie above those that follow all counts."""
    sampler, grid = Sampler(14, 2), Grid(0.1, 80, 60)
    lasts = potential.last_counts(sampler, "right", 8)
    assert (lasts[0], lasts[7], lasts[14]) == (5, 7, 9)
    assert set(potential.last_counts(sampler, "left", 8).tolist()) == {9}
    rare = potential.priced_moments(sampler, "right", lasts)
    for layer in layers(sampler, "right", grid, 8, 0.3, rare):
        assert layer.last == lasts[layer.total]
        assert max(layer.game) == min(layer.last - 1, layer.total or 1, 8)
        assert layer.edge == pytest.approx(
            np.exp(rare.log_curve(rare.edge[layer.total], -grid.ratios)), rel=1e-14, abs=0
        )
    found = ratios(sampler, "right", grid, 8, 0.3, rare)
    monkeypatch.setattr(potential, "EARLY_SHARE", 1.0)
    every = ratios(sampler, "right", grid, 13, 0.3, potential.priced_moments(sampler, "right", np.full(15, 14)))
    for some, all_of_them in zip(found, every, strict=True):
        assert (some >= all_of_them * (1 - 1e-9)).all()
    assert (found.pull > every.pull * 1.0005).any()


def test_a_game_in_single_precision_says_hardly_more() -> None:
    """Than in doubles: no less, and less than 8e-7 of delta a round more, for either relation; with looks and a
    floor. Independently of doubles, no state says less than the best coin from the states after it: the nearest one by
    the six parts of 2^24 that are added, of which rounding takes four at most, and rounding up adds less than that."""
    sampler, grid = Sampler(14, 2), Grid(0.1, 80, 60, 1e-6)
    rare = moments(sampler, "right", 12, 7)
    found, wanted = (ratios(sampler, "right", grid._replace(single=each), 6, 0.3, rare) for each in (True, False))
    for single, double in zip(found, wanted, strict=True):
        assert (single > double).all()
        assert (single < double * (1 + 13 * 8e-7)).all()
    excess = worst_excess(sampler, "right", grid._replace(single=True), 6, 0.02, rare, 8, 2)
    assert excess.states == 6
    assert -8e-7 < excess.excess < -2 * 2.0**-24


@pytest.mark.usefixtures("as_in_long_runs")
def test_long_runs_draw_wider_polygons_at_many_pulls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times as wide from two fifths of the counts on, so that fewer coins are tried, and a bound no smaller."""
    sampler, grid = Sampler(14, 2), Grid(0.1, 80, 60)
    lasts = potential.last_counts(sampler, "right", 8)
    rare = potential.priced_moments(sampler, "right", lasts)
    levels = next(layers(sampler, "right", grid, 8, 0.3, rare)).levels
    assert {n: level.width for n, level in levels.items()} == {n: 0.3 * (4 if n >= 5 else 1) for n in range(1, 9)}
    found = ratios(sampler, "right", grid, 8, 0.3, rare).pull
    monkeypatch.setattr(ratios_module, "FAR_WIDTH", 1.0)
    narrow = ratios(sampler, "right", grid, 8, 0.3, rare).pull
    assert (found >= narrow * (1 - 1e-9)).all()
    assert (found > narrow * 1.00001).any()


@pytest.mark.thorough
@pytest.mark.usefixtures("as_in_long_runs")
def test_where_a_count_is_followed_no_more_its_own_values_still_count() -> None:
    """Where a round follows fewer counts than the next one, its last count is led to by values, and no potential."""
    sampler, grid = Sampler(12, 2), Grid(0.1, 60, 40)
    lasts = potential.last_counts(sampler, "right", 8)
    assert lasts[9] < lasts[10]
    rare = potential.priced_moments(sampler, "right", lasts)
    rare = rare._replace(edge=np.full_like(rare.edge, -1e3))  # as if counts beyond were worth nothing
    found = worst_excess(sampler, "right", grid, 8, 0.3, rare, 9, 3)
    assert found.states == 9
    assert found.excess <= 0
