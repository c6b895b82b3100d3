"""One pull count of the threshold game on its grid: what is looked at, how its ratios move, and where it begins."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from dpbandits.proofs_checks.game import ratios as module
from dpbandits.proofs_checks.game.coins import NEAR, around
from dpbandits.proofs_checks.game.ratios import Grid, Kept, Level, outcomes, played, reached, taps
from dpbandits.proofs_checks.game.rules import Round

GRID = Grid(0.125, 60, 40)
RULE = Round(*(np.array([x]) for x in (0.6, np.inf, np.inf)))


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
    level.deal(39)
    found = level.step(9, SAME, MORE)
    assert (level.near, level.drift, found.offset) == (NEAR, 0.0, SAME.offset)
    found = level.step(8, SAME, MORE)
    dealt = outcomes(around(RULE, 0.2, NEAR), higher)
    coins = taps(dealt, GRID, SAME.offset, MORE.offset, SAME.offset)
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
    moved = taps(dealt, GRID, found.offset, MORE.offset, SAME.offset)
    assert np.array_equal(found.values, GRID.padded(reached(GRID, moved, SAME.values, MORE.values, GRID.below)[0]))
    assert (module.LOOK, module.MORE) == (8, 0.3)
    level.deal(7)  # from now on with tangents where they are played
    assert level.outcomes.at.tolist() == outcomes(around(RULE, 0.2, level.near), higher).at.tolist()


def test_values_below_where_a_round_begins_are_the_first_one() -> None:
    coins = taps(outcomes(around(RULE, 0.3, NEAR), "right"), GRID, 0.01, MORE.offset, SAME.offset)
    every = played(GRID, coins, SAME.values, MORE.values)
    for lowest in (1, 17, GRID.size - 1):
        some = played(GRID, coins, SAME.values, MORE.values, lowest)
        assert some[lowest:] == pytest.approx(every[lowest:], rel=1e-12, abs=0)
        assert some[:lowest] == pytest.approx(np.full(lowest, every[lowest]), rel=1e-12, abs=0)
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


@pytest.mark.parametrize("floor", [0.0, 1e-4, 0.02, 0.9])
def test_a_round_begins_where_values_are_not_told_apart(floor: float) -> None:
    """From where the round after it began downwards, by a fiftieth of the grid and one at a time."""
    grid = GRID._replace(floor=floor)
    coins = taps(outcomes(around(RULE, 0.3, NEAR), "right"), grid, 0.01, MORE.offset, SAME.offset)
    every = played(grid, coins, SAME.values, MORE.values)
    values, lowest = reached(grid, coins, SAME.values, MORE.values, grid.below)
    wanted = grid.below
    while wanted > 0 and every[wanted] > floor:
        wanted = max(wanted - 1 - grid.size // 50, 0)
    assert lowest == wanted
    assert (lowest == 0) == (floor == 0.0)
    assert (lowest == grid.below) == (floor == 0.9)
    assert values == pytest.approx(np.maximum(every, every[lowest]), rel=1e-12, abs=0)


def test_a_grid_s_chords_are_those_of_masses() -> None:
    """A loss of nothing and a coin that tells nothing leave g as it is; one that tells all leaves what P is worth."""
    coins = taps(module.Outcomes(np.zeros((2, 1)), np.array([[0.25], [0.75]]), np.zeros(1)), GRID, 0.05, 0.05, 0.05)
    kept = rising(2.0, 0.05)
    found = played(GRID, coins, kept.values, kept.values)
    assert found == pytest.approx(kept.values[GRID.size : 2 * GRID.size], rel=1e-11, abs=0)
    tells = module.Outcomes(np.array([[np.inf], [-np.inf]]), np.array([[0.25], [0.0]]), np.zeros(1))
    found = played(GRID, taps(tells, GRID, 0.0, 0.0, 0.0), kept.values, kept.values)
    assert found == pytest.approx(np.full(GRID.size, 0.25), rel=1e-11, abs=0)
    assert kept.values[GRID.size] == pytest.approx(1 / (1 + exp(2 * 7.5)), rel=1e-12, abs=0)
