"""The tables and bounds of the normal distribution from which corners for Rocq's kernel are made, in 50 digits."""

from __future__ import annotations

import mpmath
import numpy as np

from dpbandits.extensions.thompson.theorems import game_corners as corners

UNIT = corners.TABLE_UNIT
PLACES = range(-corners.TABLED, corners.TABLED + 1)  # in 1/64


def test_every_entry_is_around_the_truth_and_tight() -> None:
    with mpmath.workdps(50):
        for k in PLACES:
            low, high, least, most = corners.entry_at(k)
            place, room = mpmath.mpf(k) / 64, 4 * (abs(k) + 2)
            assert low <= mpmath.ncdf(place) * UNIT <= high <= low + room
            assert least <= mpmath.npdf(place) * UNIT <= most <= least + 4
    assert corners.entry_at(0)[:2] == (UNIT // 2, UNIT // 2)


def test_beyond_the_table_the_bounds_are_trivial() -> None:
    for k in (PLACES[0] - 1, PLACES[-1] + 1):
        assert corners.entry_at(k) == (0, UNIT, 0, UNIT)
    end = corners.TABLED * corners.PLACE
    for y in (end + 1, -end - 1):
        assert (corners.phi_down(y), corners.phi_up(y)) == (0, UNIT)
    for y in (end, -end):
        assert (corners.phi_down(y), corners.phi_up(y)) != (0, UNIT)


def test_between_entries_both_bounds_are_near_the_truth() -> None:
    draws = np.random.default_rng(7).integers(-corners.FARTHEST * corners.PLACE, corners.FARTHEST * corners.PLACE, 300)
    with mpmath.workdps(50):
        for y in [*draws.tolist(), 0, 1, -1, corners.PLACE, 1 - corners.PLACE]:
            true = mpmath.ncdf(mpmath.mpf(y) / corners.STEP_UNIT) * UNIT
            low, high = corners.phi_down(y), corners.phi_up(y)
            assert low <= true <= high
            assert high - low <= UNIT * 2e-6
