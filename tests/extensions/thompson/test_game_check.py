"""What recomputes the game's values from its rules: its coins, its chords, and the states that it looks at."""

from __future__ import annotations

import numpy as np
import pytest
from checked_states import CHECKED_THRESHOLDS, best_coin, chord
from scipy.special import ndtr

from dpbandits import Sampler
from dpbandits.extensions.thompson.grids import Grid, Kept

GRID = Grid(0.125, 40, 24)
RISING = np.sort(np.random.default_rng(8).random((2, GRID.size)), axis=1)
SAME, MORE = (Kept(GRID.padded(values), offset) for values, offset in zip(RISING, (0.03, 0.11), strict=True))


def on_the_line(kept: Kept, at: float) -> float:
    """A straight line in Q = exp(-ratio) between the points of the grid, flat below it and 1 above."""
    values, at = kept.values[GRID.size : 2 * GRID.size], at - kept.offset
    if at >= GRID.ratios[-1]:
        return 1.0
    return float(np.interp(np.exp(-at), np.exp(-GRID.ratios[::-1]), values[::-1]))


@pytest.mark.parametrize("at", [-9.0, -5.01, -4.99, -4.9, -1.3, 0.03, 0.031, 2.7, 3.02, 3.04, 5.0])
def test_between_the_grid_s_points_stands_the_chord(at: float) -> None:
    assert float(chord(GRID, SAME, at)) == pytest.approx(on_the_line(SAME, at), rel=1e-12, abs=0)


@pytest.mark.parametrize("higher", ["right", "left"])
@pytest.mark.parametrize(("arms", "total", "pulls"), [(2, 7, 2), (2, 3, 1), (None, 7, 2), (None, 7, 5)])
def test_the_best_coin_is_the_best_point_of_the_curve(arms: int | None, total: int, pulls: int, higher: str) -> None:
    """For two arms from where arm 0 pays nothing and the other all, to the contrary; for any number, all along."""
    c = 0.7
    own, other = c / (pulls + 1), c / (total - pulls + 1)
    if arms == 2:
        spread = np.sqrt(own + other)
        first, last = (1 - pulls) / (pulls + 1) / spread, (total - pulls) / (total - pulls + 1) / spread
        shift = 1 / (pulls + 1) / spread
        x = np.array([first, *(at for at in CHECKED_THRESHOLDS if first < at < last), last])
    else:
        x, shift = CHECKED_THRESHOLDS, 1 / (pulls + 1) / np.sqrt(own)
    for at in (-3.0, -0.4, 1.1):
        values = []
        for p, q, not_p, not_q in zip(ndtr(-x), ndtr(shift - x), ndtr(x), ndtr(x - shift), strict=True):
            if higher == "left":
                p, q, not_p, not_q = q, p, not_q, not_p
            pulled = p * on_the_line(MORE, at + np.log(p / q))
            stays = not_p * on_the_line(SAME, at + np.log(not_p / not_q))
            values.append(pulled + stays)
        found = best_coin(Sampler(12, arms, variance=c), higher, GRID, total, pulls, at, SAME, MORE)
        assert float(found) == pytest.approx(max(values), rel=1e-11, abs=0)
