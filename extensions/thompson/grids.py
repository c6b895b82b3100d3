"""Grids of likelihood ratios P/Q, the values of the threshold game on them, and the privacy curves delta(eps) that
follow from these values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dpbandits.extensions.thompson.best_coins import RATIO_ROUNDING, in_single_precision
from dpbandits.proofs_checks.compiled_cache import cached_kernel
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

GOALS = (1e-3, 1e-6, 1e-9)  # deltas at which rounds look at what is played, where they are not told others
MAX_SHOWN = 1200  # points of the curves at the start, about; between them lies a chord
COMPILED_ROWS = 90  # pull counts; with fewer, compiling takes longer than it saves


class Grid(NamedTuple):
    """Ratios log(P/Q) = step * i for -below <= i <= above. floor: smaller values of g are not distinguished. goal: the
    index of the goal with which the ratios move. shown: the approximate number of ratios at which curves are read off.
    single: whether values have single precision, which takes half the time. goals: the deltas at which rounds examine
    the optimal play."""

    step: float
    below: int
    above: int
    floor: float = 0.0
    goal: int = 1
    shown: int = MAX_SHOWN
    single: bool = False
    goals: tuple[float, ...] = GOALS

    @property
    def size(self) -> int:
        """The number of points of the grid."""
        return self.below + self.above + 1

    @property
    def ratios(self) -> Array:
        """The logarithms of P/Q at the points of the grid."""
        return np.asarray(self.step * np.arange(-self.below, self.above + 1))

    def padded(self, values: Array) -> Array:
        """Returns the values, extended beyond the grid by valid upper bounds.
        On the left the lowest value, on the right 1."""
        known = in_single_precision(values) if self.single else values
        found = np.ones(3 * self.size + 1, dtype=self.digits)
        found[: self.size], found[self.size : 2 * self.size] = known[0], known
        return found

    @property
    def digits(self) -> str:
        """The numpy type of the grid's values: "float32" or "float64"."""
        return "float32" if self.single else "float64"


class Kept(NamedTuple):
    """The stored bound at one pull count: padded values of g at the grid's ratios plus `offset`, from 0 to a step."""

    values: Array
    offset: float


class Readings(NamedTuple):
    """Where and with which weights curves are read from padded values: at every `stride`-th index from the last one
    down to `first`. high: the weight of the upper point of a chord; rounded: covers its rounding; (bounds,) each."""

    first: int
    stride: int
    high: Array
    rounded: Array


def readings(grid: Grid, bounds: Sequence[Kept]) -> Readings:
    """Returns the indices and weights for reading stored values at the ratios at which curves are stored."""
    begin, stride = stored_ratios_slice(grid)
    offsets = np.array([each.offset for each in bounds])
    high = np.where(offsets == 0, 1.0, el.expm1(offsets - grid.step) / el.expm1(-grid.step))
    return Readings(grid.size + begin, stride, high, np.where(offsets == 0, 1.0, 1 + RATIO_ROUNDING))


def at_stored_ratios(grid: Grid, bounds: Sequence[Kept], table: Array | None = None) -> Array:
    """Returns the bounds at the ratios at which curves are stored, from ratio 0 down, (bounds, ratios).
    table: the values as one array, if they are known in this form."""
    first, stride, high, rounded = read = readings(grid, bounds)
    table = np.stack([each.values for each in bounds]) if table is None else table
    kernel = stored_ratios_kernel(grid.digits) if table.shape[0] >= COMPILED_ROWS else None
    if kernel is None:
        last = grid.size + grid.below + 1
        above, below = (table[:, first + k : last + k : stride] for k in (0, -1))
        return np.asarray((below * (1 - high[:, None]) + above * high[:, None])[:, ::-1] * rounded[:, None])
    found = np.empty((table.shape[0], stored_eps(grid).size))
    kernel(table, *read, found)
    return found


def stored_ratios_slice(grid: Grid) -> tuple[int, int]:
    """The first index and the stride of the ratios at which curves are stored."""
    stride = max(grid.below // grid.shown, 1)
    return grid.below % stride, stride


def stored_eps(grid: Grid) -> Array:
    """The values of eps at which curves are stored."""
    begin, stride = stored_ratios_slice(grid)
    return np.asarray(-grid.ratios[begin : grid.below + 1 : stride][::-1])


def without_padding(grid: Grid, padded: Array) -> Array:
    """The values on the grid itself: the array `padded` without its padding."""
    return padded[grid.size : 2 * grid.size]


@lru_cache(maxsize=2)
def stored_ratios_kernel(digits: str = "float64") -> Any:
    """Returns the interpolation of `at_stored_ratios` compiled by numba, which fills its last argument.
    None if numba is not installed. digits: the type of the values."""

    @cached_kernel(f"void({digits}[:,::1],int64,int64,float64[:],float64[:],float64[:,::1])")
    def kernel(table, begin, stride, high, rounded, found):  # type: ignore[no-untyped-def]
        """Computes the interpolated values from ratio 0 down, and writes them into `found`."""
        one, many, apart = np.uint64(1), found.shape[1], np.uint64(stride)
        for row in range(found.shape[0]):
            values, shares = table[row, begin - 1 :], (1 - high[row], high[row])
            for i in range(many):
                place = np.uint64(i) * apart
                value = values[place] * shares[0] + values[place + one] * shares[1]
                found[row, np.uint64(many - 1 - i)] = value * rounded[row]

    return kernel
