"""Rows of values of the threshold game on a grid of likelihood ratios: each row is stored in one large integer. This
module adds, shifts and compares rows.

A row contains the values V(1, Q) of one state at Q = theta R^(below - i), i = 0, 1, .... All of them are packed into
one large integer, with a block of bits for each i. So the product of a row and a weight, a shift of a row, and the
maximum of two rows take a few operations on integers of some 10 000 digits. Values above the grid count as 1; those
below it as its lowest value.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from .numbers import FIXED_POINT_ONE, POINT, exponential
from .sampler import Rejected
from .statement import REACH

VALUE_BITS = 62  # bits of a kept value: 1 is 2^VALUE_BITS
WEIGHT_BITS = 60  # bits of a weight
# Of a cell: weights add up to little more than 2, and the highest bit is for comparisons
CELL_BITS = VALUE_BITS + WEIGHT_BITS + 4


class ValueRow(NamedTuple):
    """The packed values at Q = theta R^(below - i), in units of 2^-VALUE_BITS: blocks of CELL_BITS bits, the lowest one
    first. theta is in units of 2^-POINT."""

    cells: int
    theta: int


class Tap(NamedTuple):
    """A row of values shifted by k cells: the new cell i is first times cell i + k, plus second times cell i + k + 1.
    Weights are in units of 2^-WEIGHT_BITS."""

    k: int
    first: int
    second: int


class Grid:
    """The arithmetic of rows: every operation returns an upper bound."""

    def __init__(self, ratio: Fraction, below: int, above: int) -> None:
        """A grid of below + above + 1 cells with this ratio. Raises Rejected if it reaches beyond e^REACH."""
        self.ratio, self.below, self.size = ratio, below, below + above + 1
        self.log = math.log(ratio)
        if self.size * self.log > REACH:
            raise Rejected(
                f"ratio: {self.size} cells with this ratio reach beyond e^{REACH}; use fewer cells, or a smaller ratio"
            )
        bits = CELL_BITS * self.size
        self.mask = (1 << bits) - 1
        self.units = self.mask // ((1 << CELL_BITS) - 1)  # 1 in every cell
        self.ones, self.guards = self.units << VALUE_BITS, self.units << CELL_BITS - 1
        self.kept = self.units * ((1 << CELL_BITS - WEIGHT_BITS) - 1)
        self.powers = {0: FIXED_POINT_ONE}  # R^k, rounded down
        over, under = ratio.as_integer_ratio()
        for k in range(self.size):
            self.powers[k + 1] = self.powers[k] * over // under
            self.powers[-k - 1] = self.powers[-k] * under // over

    def end(self) -> ValueRow:
        """The row of values (1 - Q)_+ after the last round, on the grid with theta = 1."""
        values = [max(FIXED_POINT_ONE - self.powers[self.below - i], 0) for i in range(self.size)]
        rounded = (-(-value >> POINT - VALUE_BITS) for value in values)
        return ValueRow(sum(value << CELL_BITS * i for i, value in enumerate(rounded)), FIXED_POINT_ONE)

    def tap(self, here: int, there: int, left: int, right: int) -> Tap:
        """Returns the shift and the two weights with which the next round's row contributes to the row before it.
        It is added to this row for an outcome with mass at most `left` under P and at least `right` under Q. This row
        has theta `here`, the next row has theta `there`.

        V(left, right Q) = left V(1, z R^-i) with z = right here/(left there); z is rounded down, and split: z = w R^-k
        + w' R^-(k + 1), w + w' = 1, where V is at most the chord.
        """
        most, z = self.size, ((right * here) << POINT) // (left * there)
        about = math.floor((POINT * math.log(2) - math.log(z)) / self.log) if z > 0 else most
        k = min(max(about - 1, -most), most)
        while k < most and about > -most - 2 and z * self.powers[k] * self.ratio < FIXED_POINT_ONE * FIXED_POINT_ONE:
            k += 1
        if abs(k) == most:  # all of the row is beyond the grid
            return Tap(k, mass_rounded_up(left), 0)
        y = min(z * self.powers[k] >> POINT, FIXED_POINT_ONE)
        share = math.ceil((FIXED_POINT_ONE - y) / (1 - 1 / self.ratio))
        return Tap(
            k,
            mass_rounded_up(-(-left * (FIXED_POINT_ONE - share) >> POINT)),
            mass_rounded_up(-(-left * share >> POINT)),
        )

    def scaled_into_range(self, theta: int) -> int:
        """Returns theta times a power of the grid's ratio R, so that it lies between 1/R and R.
        R is the ratio of the grid. The bound is valid for any theta."""
        over, under = self.ratio.as_integer_ratio()
        while theta * under > FIXED_POINT_ONE * over:
            theta = theta * under // over
        while theta * over < FIXED_POINT_ONE * under:
            theta = theta * over // under
        return theta

    def at(self, row: ValueRow, eps: Fraction) -> Fraction:
        """Reads an upper bound on the game's value at Q = e^eps from a row."""
        tap = self.tap(exponential(eps).low, row.theta, FIXED_POINT_ONE, FIXED_POINT_ONE)
        place = min(max(self.below + tap.k, 0), self.size - 1)
        if self.below + tap.k + 1 >= self.size:
            return Fraction(1)
        first, second = (
            (row.cells >> CELL_BITS * i) & ((1 << CELL_BITS) - 1)
            for i in (place, place + 1 if tap.k >= -self.below else place)
        )
        return Fraction(first * tap.first + second * tap.second, 1 << VALUE_BITS + WEIGHT_BITS)

    def moved(self, row: int, tap: Tap) -> int:
        """Returns a row after the shift and the weights of `tap`, in units of 2^-(VALUE_BITS + WEIGHT_BITS)."""
        k, first, second = tap
        lowest = row & ((1 << CELL_BITS) - 1)
        if k >= self.size:
            return self.ones * first
        if k <= -self.size:
            return self.units * (lowest * first)
        row |= 1 << CELL_BITS * self.size + VALUE_BITS
        sums = (row * first + (row * second >> CELL_BITS)) & self.mask
        if k > 0:
            high = CELL_BITS * (self.size - k)
            return (sums >> CELL_BITS * k) | ((self.ones >> high << high) * (first + second))
        low = CELL_BITS * -k
        return ((sums << low) & self.mask) | ((self.units & ((1 << low) - 1)) * (lowest * (first + second)))

    def larger(self, a: int, b: int) -> int:
        """The larger value of the rows a and b in every cell."""
        keep = ((a | self.guards) - b) & self.guards
        return b ^ ((a ^ b) & (keep - (keep >> CELL_BITS - 1)))

    def rounded(self, sums: int) -> int:
        """Converts a row of sums from units of 2^-(VALUE_BITS + WEIGHT_BITS) to 2^-VALUE_BITS, rounded up.
        Values above 1 become 1."""
        values = (sums + self.units * ((1 << WEIGHT_BITS) - 1)) >> WEIGHT_BITS & self.kept
        return values ^ self.ones ^ self.larger(values, self.ones)


def mass_rounded_up(mass: int) -> int:
    """Converts a mass from units of 2^-POINT to 2^-WEIGHT_BITS, rounded up."""
    return -(-mass >> POINT - WEIGHT_BITS)
