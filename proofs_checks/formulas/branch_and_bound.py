"""Branch and bound: proves inequalities over a whole domain by subdividing it into boxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.proofs_checks.formulas.domains import Axis
from dpbandits.proofs_checks.vocabularies.boxes import EVERYWHERE, Span, boxes
from dpbandits.proofs_checks.vocabularies.gradients import Gradient, as_gradient, gradients
from dpbandits.proofs_checks.vocabularies.rounded_doubles import Flags, Floats, double_below
from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
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
        """The number of boxes."""
        return len(self.low)

    def take(self, which: slice | Flags | Ints) -> BoxBatch:
        """A batch of the boxes with these indices."""
        return BoxBatch(*(array[which] for array in self.arrays))

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The fields of the batch as a tuple of arrays, in the order of the constructor."""
        return self.low, self.high, self.low_open, self.high_open, self.depth

    @staticmethod
    def joined(parts: list[BoxBatch]) -> BoxBatch:
        """All boxes of these batches, one batch after another."""
        return BoxBatch(*(np.concatenate(arrays) for arrays in zip(*(part.arrays for part in parts), strict=True)))

    def spans(self, axes: list[Axis]) -> dict[str, Span]:
        """The interval of each variable in every box, {name: span}."""
        sure = np.full(len(self), 2, dtype=np.int8)
        limit = (self.low == self.high) & np.isinf(self.low)
        low, high, low_open, high_open = self.low.T, self.high.T, self.low_open.T, self.high_open.T
        return {
            axis.name: Span(low[i], high[i], low_open[i], high_open[i], sure, limit[:, i])
            for i, axis in enumerate(axes)
        }


def initial_boxes(axes: list[Axis]) -> BoxBatch:
    """The boxes with which the subdivision starts.
    One for the whole domain, or one for every combination of listed values."""
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
    """The points of the domain that belong to a box without width. row: its low ends.
    A listed value is identified by the double below it, which several values may share."""
    choices = [
        [value for value in axis.values if double_below(value) == low] or [Fraction(float(low))]
        for axis, low in zip(axes, row, strict=True)
    ]
    return [dict(zip([axis.name for axis in axes], choice, strict=True)) for choice in product(*choices)]


def halve_boxes(batch: BoxBatch, axes: list[Axis]) -> tuple[BoxBatch, int]:
    """The two halves of each box, and the number of boxes that doubles cannot halve any further.
    A box is cut along the axis that was cut least often (in the order of the domain among equals)."""
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
    """The points at which intervals [low, high] are cut in two, in the middle on a suitable scale.
    A cut is in the middle on a scale that suits its magnitudes, including infinite ones.

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


# demands(m, variables): the pairs (left, right) with left <= right to be shown. The same for preconditions.
Demands = Callable[[Vocabulary, Mapping[str, Number]], list[Sides]]

BATCH = 4096
# Formulas that need plain numbers (range(n), float(x), a comparison) cannot be evaluated over boxes.
FAILURES = (TypeError, ValueError, AttributeError, ArithmeticError, NotImplementedError)


@dataclass(frozen=True)
class Proof:
    """The result of branch and bound. Shares are of the domain, where each halving of a range counts as one half.

    closed: share on which the inequality holds or a precondition fails. undefined: the share on which the statement is
    certainly undefined. complete: whether everything is shown. points: single points left open; but_points: whether
    everything except these points is shown. applied: whether the inequality itself closed a box, however small;
    otherwise it is only shown that preconditions fail. because: why nothing could be evaluated, or "".
    """

    closed: float
    undefined: float
    boxes: int
    complete: bool
    but_points: bool
    points: tuple[Mapping[str, Fraction], ...] = ()
    because: str = ""
    applied: bool = True


def prove_by_subdivision(demands: Demands, given: Demands, strict: bool, axes: list[Axis], limit: int) -> Proof:
    """Tries to prove the inequalities `demands` on the whole domain by subdivision; returns what is proved.
    It ends when every box is closed, or after `limit` boxes."""
    front = initial_boxes(axes)
    share = 1 / len(front)
    closed = undefined = 0.0
    seen = left_over = 0
    applied = False
    points: list[Mapping[str, Fraction]] = []
    while len(front) and seen < limit:
        batch, front = front.take(slice(0, BATCH)), front.take(slice(BATCH, None))
        seen += len(batch)
        weight = share * 2.0 ** -batch.depth.sum(axis=1)
        try:
            with np.errstate(all="ignore"):
                fails = certainly_excluded(given, batch, axes)
                holds, nowhere = certify_boxes(demands, batch.take(~fails), strict, axes)
        except FAILURES as error:
            because = f"the formula cannot be evaluated over boxes ({type(error).__name__}: {error})"
            return Proof(0.0, 0.0, 0, False, False, (), because)
        done = fails.copy()
        done[~fails] = holds
        applied |= bool(holds.any())
        closed += float(weight[done].sum())
        undefined += float(weight[~fails][nowhere].sum())
        lost = done.copy()
        lost[~fails] |= nowhere  # splitting does not make it defined
        rest = batch.take(~lost)
        listed = np.array([bool(axis.values) for axis in axes], dtype=bool)
        single = ((rest.low == rest.high) | listed).all(axis=1)
        points += [point for row in np.unique(rest.low[single], axis=0) for point in points_of_ends(row, axes)]
        children, stuck = halve_boxes(rest.take(~single), axes)
        left_over += stuck
        front = BoxBatch.joined([front, children])
    rest_closed = not len(front) and not left_over and undefined == 0
    complete = rest_closed and not points
    share_closed = 1.0 if complete else min(closed, 1.0)
    return Proof(share_closed, undefined, seen, complete, rest_closed, tuple(points), "", applied)


def certainly_excluded(given: Demands, batch: BoxBatch, axes: list[Axis]) -> Flags:
    """Whether a precondition certainly fails or is undefined on each whole box, (boxes,)."""
    out = np.zeros(len(batch), dtype=bool)
    for left, right in given(boxes, batch.spans(axes)):
        p, q = as_gradient(left).value, as_gradient(right).value
        apart = (p.low > q.high) | ((p.low == q.high) & (p.low_open | q.high_open))
        out |= (apart & (p.defined == 2) & (q.defined == 2)) | (p.defined == 0) | (q.defined == 0)
    return out


def certify_boxes(demands: Demands, batch: BoxBatch, strict: bool, axes: list[Axis]) -> tuple[Flags, Flags]:
    """Returns whether every demand certainly holds on the whole box, and whether a side is undefined, (boxes,).
    The second array is true where a side is certainly undefined everywhere on the box."""
    count = len(batch)
    holds, nowhere = np.ones(count, dtype=bool), np.zeros(count, dtype=bool)
    if not count:
        return holds, nowhere
    one = boxes.number(1)
    moving = [axis for i, axis in enumerate(axes) if (batch.low[:, i] != batch.high[:, i]).any()]
    spans = batch.spans(axes)
    variables = {**spans, **{axis.name: Gradient(spans[axis.name], {axis.name: one}) for axis in moving}}
    for number, (left, right) in enumerate(demands(gradients, variables)):
        p, q = as_gradient(left), as_gradient(right)
        gap = q - p
        nowhere |= (p.value.defined == 0) | (q.value.defined == 0)
        good = lies_below(p.value, q.value, strict) | has_certain_sign(gap.value, strict)
        good = broadcast_flags(good, count)
        todo = np.flatnonzero(~good & broadcast_flags(gap.value.defined == 2, count))
        if len(todo) and gap.parts:
            parts = {
                name: Span(*(np.broadcast_to(field, (count,))[todo] for field in part.arrays))
                for name, part in gap.parts.items()
            }
            good[todo] = proved_by_derivatives(demands, number, batch.take(todo), parts, strict, axes)
        holds &= good
    return holds & ~nowhere, nowhere


def broadcast_flags(flags: Flags, count: int) -> Flags:
    """A boolean, or an array of them, as an array with one entry for each of `count` boxes."""
    return np.array(np.broadcast_to(flags, (count,)))


def lies_below(p: Span, q: Span, strict: bool) -> Flags:
    """Whether p certainly lies below q on each box, (boxes,); unless strict, they may share one end."""
    touching = (p.high == q.low) & np.isfinite(p.high)
    if strict:
        touching = touching & (p.high_open | q.low_open)
    below: Flags = (np.minimum(p.defined, q.defined) == 2) & ((p.high < q.low) | touching)
    return below


def has_certain_sign(gap: Span, strict: bool) -> Flags:
    """Whether the gap right - left is certainly >= 0 (> 0 if strict) on each box, (boxes,)."""
    touching = (gap.low == 0) & gap.low_open if strict else gap.low == 0
    certain: Flags = (gap.defined == 2) & ((gap.low > 0) | touching)
    return certain


def proved_by_derivatives(
    demands: Demands, number: int, batch: BoxBatch, parts: Mapping[str, Span], strict: bool, axes: list[Axis]
) -> Flags:
    """Whether derivatives prove inequality `number` on each box: by monotonicity or the mean value form, (boxes,).

    The gap is continuous on the box (it is defined and has a slope on the whole box), so it is bounded below by its
    values, or limits, on the faces towards which it decreases, including infinite ones (see `boxes.span_product` for 0
    times infinity). If it increases strictly from a face that does not belong to the domain, a gap of 0 on that face is
    enough for a strict inequality.
    """
    faces, leaving = faces_of_minimum(batch, parts, axes)
    gap = gap_between_sides(demands, number, faces, axes)
    good = broadcast_flags((gap.defined == 2) & proves_inequality(gap, strict, leaving), len(batch))
    middle = np.where(faces.low == faces.high, faces.low, faces.low / 2 + faces.high / 2)
    finite = np.isfinite(middle).all(axis=1)
    if (finite & ~good).any():
        total, sure = mean_value_bound(demands, number, faces, np.where(np.isfinite(middle), middle, 0.0), parts, axes)
        good = good | (finite & sure & proves_inequality(total, strict, leaving))
    return broadcast_flags(good, len(batch))


def proves_inequality(gap: Span, strict: bool, zero_suffices: Flags) -> Flags:
    """Whether this lower bound on the gap between the sides proves the required inequality, (boxes,).
    An end of the domain that is infinite or excluded gives a limit: a limit of 0 does not make the gap positive, unless
    it increases strictly from there."""
    return np.where(strict & ~zero_suffices, gap.low > 0, gap.low >= 0)


def faces_of_minimum(batch: BoxBatch, parts: Mapping[str, Span], axes: list[Axis]) -> tuple[BoxBatch, Flags]:
    """For each box the face on which the gap is smallest, and whether a gap of 0 there suffices, (boxes,).
    The face is the box, reduced along every axis on which the gap is monotone. A gap of 0 suffices if the face is
    excluded from the domain and the gap increases strictly away from it."""
    low, high = batch.low.copy(), batch.high.copy()
    low_open, high_open = batch.low_open.copy(), batch.high_open.copy()
    leaving = np.zeros(len(batch), dtype=bool)
    for i, axis in enumerate(axes):
        part = parts.get(axis.name)
        if part is None:
            continue
        up = (part.defined == 2) & (part.low >= 0)
        down = (part.defined == 2) & (part.high <= 0) & ~up
        leaving |= up & ((part.low > 0) | part.low_open) & batch.low_open[:, i] & (low[:, i] != high[:, i])
        leaving |= down & ((part.high < 0) | part.high_open) & batch.high_open[:, i] & (low[:, i] != high[:, i])
        high[up, i], low[down, i] = low[up, i], high[down, i]
        low_open[up | down, i], high_open[up | down, i] = False, False
    return BoxBatch(low, high, low_open, high_open, batch.depth), leaving


def mean_value_bound(
    demands: Demands, number: int, faces: BoxBatch, middle: Floats, parts: Mapping[str, Span], axes: list[Axis]
) -> tuple[Span, Flags]:
    """The enclosure of the gap by the mean value form, and whether all of it is defined, (boxes,).
    The gap at the midpoint plus its slopes times the remaining widths of the box."""
    closed = np.zeros(middle.shape, dtype=bool)
    total = gap_between_sides(demands, number, BoxBatch(middle, middle, closed, closed, faces.depth), axes)
    spans, sure = faces.spans(axes), total.defined == 2
    for i, axis in enumerate(axes):
        part = parts.get(axis.name)
        if part is None:
            continue
        step = spans[axis.name] - Span(middle[:, i], middle[:, i], closed[:, i], closed[:, i], EVERYWHERE)
        fixed = faces.low[:, i] == faces.high[:, i]
        term = part * step
        low, high = np.where(fixed, 0.0, term.low), np.where(fixed, 0.0, term.high)
        total = total + Span(low, high, closed[:, i], closed[:, i], EVERYWHERE)
        sure = sure & (fixed | (part.defined == 2))
    return total, sure


def gap_between_sides(demands: Demands, number: int, batch: BoxBatch, axes: list[Axis]) -> Span:
    """The enclosure of right - left, for inequality number `number` of `demands`, on each box."""
    left, right = demands(boxes, batch.spans(axes))[number]
    gap: Span = (as_gradient(right) - as_gradient(left)).value
    return gap
