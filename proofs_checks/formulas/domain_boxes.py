"""The boxes into which branch and bound divides a domain: the initial ones, and how they are halved."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.proofs_checks.formulas.domains import Axis
from dpbandits.proofs_checks.vocabularies.boxes import Span
from dpbandits.proofs_checks.vocabularies.rounded_doubles import Flags, Floats, double_below
from dpbandits.reference.bandits.noise import Ints

WHOLE = 2.0**53  # whole numbers of at most this size are doubles


@dataclass(frozen=True)
class BoxBatch:
    """Boxes as arrays (boxes, axes): the ends, whether they are attained, and how often each axis was halved."""

    low: Floats
    high: Floats
    low_open: Flags
    high_open: Flags
    depth: Floats

    def __len__(self) -> int:
        return len(self.low)

    def take(self, which: slice | Flags | Ints) -> BoxBatch:
        return BoxBatch(*(array[which] for array in self.arrays))

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        return self.low, self.high, self.low_open, self.high_open, self.depth

    @staticmethod
    def joined(parts: list[BoxBatch]) -> BoxBatch:
        return BoxBatch(*(np.concatenate(arrays) for arrays in zip(*(part.arrays for part in parts), strict=True)))

    def spans(self, axes: list[Axis]) -> dict[str, Span]:
        """The boxes as values of the variables, by name."""
        sure = np.full(len(self), 2, dtype=np.int8)
        limit = (self.low == self.high) & np.isinf(self.low)
        low, high, low_open, high_open = self.low.T, self.high.T, self.low_open.T, self.high_open.T
        return {
            axis.name: Span(low[i], high[i], low_open[i], high_open[i], sure, limit[:, i])
            for i, axis in enumerate(axes)
        }


def initial_boxes(axes: list[Axis]) -> BoxBatch:
    """The domain itself: one box, or one for every combination of listed values."""
    low, high, low_open, high_open = (np.zeros((1, 0)) for _ in range(4))
    for axis in axes:
        if axis.values:
            column = [Axis(axis.name, value, value, True).ends for value in axis.values]
            # a listed value that is no double lies inside its box, at neither end
            opened = [(a != b, a != b) for a, b in column]
        else:
            column = [axis.ends]
            opened = [(not axis.low_closed, not axis.high_closed)]
        count = len(low)
        tile = np.repeat(np.arange(len(column)), count)
        pick = np.tile(np.arange(count), len(column))
        ends, flags = np.array(column)[tile], np.array(opened)[tile]
        low, high = np.column_stack([low[pick], ends[:, 0]]), np.column_stack([high[pick], ends[:, 1]])
        low_open = np.column_stack([low_open[pick], flags[:, 0] | np.isinf(ends[:, 0])])
        high_open = np.column_stack([high_open[pick], flags[:, 1] | np.isinf(ends[:, 1])])
    return BoxBatch(low, high, low_open.astype(bool), high_open.astype(bool), np.zeros(low.shape))


def points_of_ends(row: Floats, axes: list[Axis]) -> list[dict[str, Fraction]]:
    """The points of the domain that single ends represent: a listed value is identified by the double below it, which
    several values may share."""
    choices = [
        [value for value in axis.values if double_below(value) == low] or [Fraction(float(low))]
        for axis, low in zip(axes, row, strict=True)
    ]
    return [dict(zip([axis.name for axis in axes], choice, strict=True)) for choice in product(*choices)]


def halve_boxes(batch: BoxBatch, axes: list[Axis]) -> tuple[BoxBatch, int]:
    """Each box cut in two along the axis that was cut least often (in the order of the domain among equals); and the
    number of boxes that doubles cannot cut any further."""
    if not len(batch):
        return batch, 0
    rows = np.arange(len(batch))
    cut = np.stack([cut_points(batch.low[:, i], batch.high[:, i], axis.whole) for i, axis in enumerate(axes)], axis=1)
    can = (batch.low < batch.high) & (batch.low <= cut) & (cut <= batch.high)
    # Whole numbers beyond 2^53 are cut like real ones: not all of them are doubles, nor is the one after the cut.
    real = np.array([not axis.whole for axis in axes]) | (np.abs(cut) >= WHOLE)
    can &= ~np.array([bool(axis.values) for axis in axes])
    can &= np.where(real, batch.low < cut, cut + 1 > batch.low) & (cut < batch.high)  # both parts are smaller
    axis_of = np.where(can, batch.depth, inf).argmin(axis=1)
    stuck = ~np.asarray(can.any(axis=1))
    at = cut[rows, axis_of]
    depth = batch.depth.copy()
    depth[rows, axis_of] += 1
    left_high, left_open = batch.high.copy(), batch.high_open.copy()
    right_low, right_open = batch.low.copy(), batch.low_open.copy()
    left_high[rows, axis_of], left_open[rows, axis_of] = at, False
    right_low[rows, axis_of], right_open[rows, axis_of] = np.where(real[rows, axis_of], at, at + 1), False
    left = BoxBatch(batch.low, left_high, batch.low_open, left_open, depth).take(~stuck)
    right = BoxBatch(right_low, batch.high, right_open, batch.high_open, depth).take(~stuck)
    return BoxBatch.joined([left, right]), int(stuck.sum())


def cut_points(low: Floats, high: Floats, whole: bool) -> Floats:
    """The points at which to cut [low, high]: in the middle on a scale that suits its magnitudes, including infinite
    ones.

    Near 0 and infinity, cuts go by squares (1, 1/2, 1/4, 1/16, 1/256, ...), so that a few of them reach any magnitude;
    between positive ends of different magnitude by the geometric mean.
    """
    negative = high <= 0
    a, b = np.where(negative, -high, low), np.where(negative, -low, high)  # mirrored to the positive side
    with np.errstate(all="ignore"):
        out = a / 2 + b / 2
        spread_out = (a > 0) & (b > 4 * a)
        out = np.where(spread_out & np.isfinite(b), np.sqrt(a) * np.sqrt(b), out)
        out = np.where(
            (a == 0) & np.isfinite(b), np.where(b >= 1, np.minimum(b / 2, 0.5), b * np.maximum(b, 1e-8)), out
        )
        out = np.where(
            np.isposinf(b) & (a >= 0),
            np.where(a < 1, a + 1, np.minimum(2 * a * np.maximum(a / 2, 1), 1e300)),
            out,
        )
        out = np.where((a < 0) & (b > 0), 0.0, out)
    out = np.where(negative, -out, out)
    return np.floor(out) if whole else out
