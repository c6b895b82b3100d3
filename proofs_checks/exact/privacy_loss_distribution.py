"""The distribution of the privacy loss over the transcripts of a policy, kept on a grid of losses for every reachable
state.

An atom (p, q) is a set of transcripts with probability p on the left side and q on the right; its loss is log(p/q). A
row (`StateLosses`) belongs to one state and holds cells at the losses offset + grid * 0, 1, 2, ...:

- of the dominating pair one number m = sqrt(p q) per cell, because p and q follow from it and the cell's exact loss l:
  p = m exp(l/2), q = m exp(-l/2). An atom that falls between two cells, at fraction f, is split over both with the
  factors sinh((1-f) grid/2)/sinh(grid/2) and sinh(f grid/2)/sinh(grid/2), the only solution of the two equations "p
  stays" and "q stays". The original is a post-processing of the split pair (merge the halves), so the split pair is at
  least as easy to distinguish, in both directions and at every eps at once.
- of the dominated pair p and q per cell: atoms are merged into the nearest cell. That is a post-processing, so the
  merged pair is at most as easy to distinguish.

Rows move along paths of several steps at once. A path multiplies a whole row by constants and shifts its loss by one
constant, whatever its steps are, so nothing is regridded on the way. At its end it is split like an atom: a row and a
path are independent, and what holds for each atom of their product holds for the product. The heaviest path into a
state keeps its cells and passes on its shifted offset. So the error of both pairs grows with the number of paths in a
transcript (order grid**2 each), not with its number of steps.

`ForwardPass` goes through the layers of a `StateGraph` and accounts for everything that is pruned. A deep pass also
keeps the moments sum_x P(x)^alpha Q(x)^(1-alpha) over all transcripts x, one number per state and order
(`TailMoments`). They follow from step to step, because they are linear in the transcripts that meet in a state, and
they bound the deep tail of the profile, of which a pass with pruning knows nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile, MeasurePair, TailBound, relative_to_log_error
from dpbandits.proofs_checks.exact.state_graph import Layer, PairTransitions, StateGraph, select_states
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.elementary import SMALLEST_DOUBLE, UNIT_ROUNDOFF
from dpbandits.reference.arithmetic.linear import matrix_product
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

# No product may leave the range in which doubles keep their relative precision (2e-308): that of a cell's
# m >= LEAST_CELL with a path's sqrt(p q), which is at least LEAST_PATH before its last move, and that is at least
# MIN_MOVE_CHANCE.
MIN_MOVE_CHANCE = 1e-20
LEAST_PATH = 1e-60
LEAST_CELL = 1e-220
NARROW_ROW = 128  # cells of a row on average, below which all rows at once are added faster than one by one
FINAL_GRID_REFINEMENT = 4  # the final grid is finer by this factor, so that joining the rows adds little


class Paths(NamedTuple):
    """All paths of some consecutive steps: where each begins and ends, and its probabilities."""

    source: Ints  # (paths,): which row
    target: Ints  # (paths,): which state after the last step; every state has one
    left: Array  # (paths,)
    right: Array  # (paths,)

    def extended_by(self, moves: PairTransitions) -> Paths:
        """All extensions of the paths by one transition. moves: the transitions from the states where paths end."""
        order = np.argsort(moves.source, kind="stable")
        first = np.searchsorted(moves.source[order], np.arange(int(self.target.max()) + 2))
        many = np.diff(first)[self.target]
        path = np.repeat(np.arange(len(many)), many)
        within = np.arange(len(path)) - np.repeat(np.cumsum(many) - many, many)
        move = order[first[self.target][path] + within]
        left, right = self.left[path] * moves.left[move], self.right[path] * moves.right[move]
        return Paths(self.source[path], moves.target[move], left, right)

    @property
    def root(self) -> Array:
        """sqrt(p q) of every path, (paths,), for its probabilities p on the left and q on the right."""
        return np.sqrt(self.left) * np.sqrt(self.right)


def empty_paths(rows: int) -> Paths:
    """Paths of length 0, one for each row."""
    return Paths(np.arange(rows), np.arange(rows), np.ones(rows), np.ones(rows))


def split_weights(part: Any, grid: float) -> tuple[Any, Any]:
    """The weights that split an atom's mass m = sqrt(p q) between two neighbouring cells.
    With these weights, p and q both stay the same. part: the distance of the atom from the lower cell, in units of the
    grid, in [0, 1]."""
    return el.sinh((1 - part) * grid / 2) / el.sinh(grid / 2), el.sinh(part * grid / 2) / el.sinh(grid / 2)


class PrunedCells(NamedTuple):
    """The cells that were pruned from the ends of rows, in order."""

    row: Ints  # the row of each cell
    place: Ints  # indices; neighbouring cells of a row have neighbouring indices
    m: Array
    loss: Array
    below: MeasurePair  # their masses in the dominated pair

    def above(self) -> MeasurePair:
        """The masses of the pruned cells in the dominating pair, (left, right)."""
        return MeasurePair(self.m * el.exp(self.loss / 2), self.m * el.exp(-self.loss / 2))


class StateLosses:
    """The privacy losses of some states, one row each; the cells of all rows lie in three long arrays."""

    def __init__(self, grid: float) -> None:
        """Prepares one state with mass 1 and privacy loss 0. grid: the distance of neighbouring cells of losses."""
        self.grid = grid
        self.cells: tuple[Array, Array, Array] = (np.ones(1), np.ones(1), np.ones(1))  # m, and the dominated p and q
        self.begin: Ints = np.zeros(1, dtype=np.int64)  # (rows,): where each one's cells begin
        self.widths: Ints = np.ones(1, dtype=np.int64)  # (rows,): how many they are
        self.offset: Array = np.zeros(1)  # (rows,): the loss of its first cell
        self.widest = 0.0  # the largest absolute loss that was ever represented

    def __len__(self) -> int:
        """The number of states (rows)."""
        return len(self.begin)

    def move(self, paths: Paths, weight: Array, narrow: int = NARROW_ROW) -> int:
        """Moves the privacy losses along the paths, so that each row describes the state where a path ends.
        Returns the largest number of roundings of a cell on the way. weight: (rows, 2), the masses of the rows on
        either side, to find the heaviest path into each state. narrow: rows of fewer cells on average are added all at
        once, wider ones one by one."""
        order = np.argsort(paths.target, kind="stable")
        paths = Paths(paths.source[order], paths.target[order], paths.left[order], paths.right[order])
        landing = self.offset[paths.source] + el.log(paths.left / paths.right)
        offset = landing[heaviest_paths(paths, weight)]
        above, below = path_transfers(paths, (landing - offset[paths.target]) / self.grid, self.grid)
        begin, end = self.cell_ranges(len(offset), (above, below))
        starts = np.concatenate([[0], np.cumsum(end - begin)])
        self.cells = self.summed_cells(above, below, starts, begin, narrow)
        self.begin, self.widths = starts[:-1], end - begin
        self.offset = offset + begin * self.grid
        return max(found.most for found in (above, below))

    def cell_ranges(self, states: int, landings: tuple[CellTransfers, ...]) -> tuple[Ints, Ints]:
        """The first cell and the end of the cells of each state after a move, two arrays (states,)."""
        begin, end = np.zeros(states, dtype=np.int64), np.zeros(states, dtype=np.int64)
        for found in landings:
            np.minimum.at(begin, found.target, found.place)
            np.maximum.at(end, found.target, found.place + self.widths[found.source])
        return begin, end

    def summed_cells(
        self, above: CellTransfers, below: CellTransfers, starts: Ints, begin: Ints, narrow: int
    ) -> tuple[Array, Array, Array]:
        """The cells of all states after a move: m of the dominating pair, and p and q of the dominated pair.
        starts: the index at which the cells of each state start, and the end of the last ones; begin: from
        `cell_ranges`; narrow: as in `move`."""
        new = (np.zeros(starts[-1]), np.zeros(starts[-1]), np.zeros(starts[-1]))
        for found, sides in ((above, (0,)), (below, (1, 2))):
            place = starts[found.target] + found.place - begin[found.target]
            whence, wide = self.begin[found.source], self.widths[found.source]
            if wide.sum() < narrow * len(wide):
                ends = np.cumsum(wide)
                step = np.arange(ends[-1]) - np.repeat(ends - wide, wide)
                cell, to = np.repeat(whence, wide) + step, np.repeat(place, wide) + step
                for side, scale in zip(sides, found.scales, strict=True):
                    new[side][:] = np.bincount(to, np.repeat(scale, wide) * self.cells[side][cell], len(new[side]))
                continue
            each = list(zip(whence.tolist(), wide.tolist(), place.tolist(), strict=True))
            for side, scale in zip(sides, found.scales, strict=True):
                old, sums = self.cells[side], new[side]
                for (at, length, to), factor in zip(each, scale.tolist(), strict=True):
                    sums[to : to + length] += factor * old[at : at + length]
        return new

    def row_cells(self, side: int, row: int) -> Array:
        """The cells of one row: m of the dominating pair (side 0), or p (1) or q (2) of the dominated pair."""
        return self.cells[side][self.begin[row] : self.begin[row] + self.widths[row]]

    def prune_ends(self, min_mass: Any) -> tuple[Ints, PrunedCells]:
        """Prunes the ends of all rows, and entire rows.
        Returns the indices of the rows that remain, and the pruned cells.

        min_mass: a function from losses, increasing by one grid step each, to the smallest m that is kept there; losses
        are met within half a grid step.
        """
        base = float(self.offset.min())
        nearest = np.rint((self.offset - base) / self.grid).astype(np.int64)
        wanted = np.maximum(min_mass(base + self.grid * np.arange(int((nearest + self.widths).max()))), LEAST_CELL)
        away = np.abs(self.offset).max() + self.grid * self.widths.max()
        self.widest = max(self.widest, float(away))
        start, stop = [], []
        m = self.cells[0]
        for at, wide, place in zip(self.begin.tolist(), self.widths.tolist(), nearest.tolist(), strict=True):
            heavy = m[at : at + wide] > wanted[place : place + wide]
            low = int(heavy.argmax())
            some = bool(heavy[low])
            start.append(at + low if some else at)
            stop.append(at + wide - int(heavy[::-1].argmax()) if some else at)
        begin, end = np.array(start), np.array(stop)
        gone = self.cells_outside(begin, end)
        row = np.searchsorted(self.begin + self.widths, gone, side="right")
        loss = self.offset[row] + self.grid * (gone - self.begin[row])
        cut = PrunedCells(row, gone, m[gone], loss, MeasurePair(self.cells[1][gone], self.cells[2][gone]))
        stays = np.flatnonzero(end > begin)
        self.offset = (self.offset + self.grid * (begin - self.begin))[stays]
        self.begin, self.widths = begin[stays], (end - begin)[stays]
        return stays, cut

    def cells_outside(self, begin: Ints, end: Ints) -> Ints:
        """The indices of all cells outside the ranges begin[row], ..., end[row] - 1."""
        inside = np.zeros(len(self.cells[0]) + 1, dtype=np.int8)
        some = end > begin
        inside[begin[some]] += 1
        inside[end[some]] -= 1  # where one part ends and the next begins, nothing changes
        return np.flatnonzero(np.cumsum(inside[:-1], dtype=np.int8) == 0)

    def joined(self) -> tuple[MeasurePair, MeasurePair]:
        """The atoms of the dominating pair and of the dominated pair: all rows, added up on one finer grid."""
        fine = self.grid / FINAL_GRID_REFINEMENT
        base = float(self.offset.min())
        size = (
            int(np.ceil((float((self.offset + self.grid * self.widths).max()) - base) / fine))
            + 2 * FINAL_GRID_REFINEMENT
        )
        upper, lower = np.zeros(size), np.zeros((2, 3 * size))
        for row, (wide, offset) in enumerate(zip(self.widths.tolist(), self.offset.tolist(), strict=True)):
            m, p, q = (self.row_cells(side, row) for side in range(3))
            away = (offset - base) / fine
            at, part = int(away), away - int(away)
            last = at + FINAL_GRID_REFINEMENT * (wide - 1) + 1
            low, high = split_weights(part, fine)
            upper[at:last:FINAL_GRID_REFINEMENT] += m * low
            upper[at + 1 : last + 1 : FINAL_GRID_REFINEMENT] += m * high
            # The dominated pair is joined by the cells' actual losses, which have drifted from the nominal ones.
            some = (p > 0) & (q > 0)
            loss = np.zeros(wide)
            loss[some] = el.log(p[some] / q[some])
            index = np.clip(np.round((loss - base) / fine).astype(int) + size, 0, 3 * size - 1)
            for sums, side in zip(lower, (p, q), strict=True):
                sums += np.bincount(index, side, 3 * size)
        half = el.exp((base + fine * np.arange(size)) / 2)
        return MeasurePair(upper * half, upper / half), MeasurePair(lower[0], lower[1])


class CellTransfers(NamedTuple):
    """Which rows are added to which states, where, and with which factors. most: the largest number of terms added to
    one cell.
    """

    source: Ints
    target: Ints
    place: Ints  # of the source's first cell, relative to the offset of the target's heaviest path
    scales: list[Array]
    most: int


def group_transfers(source: Ints, target: Ints, place: Ints, scales: list[Array]) -> CellTransfers:
    """Combines transfers of mass from one row to the same cell of a state; returns them sorted by target and source."""
    low, high = int(place.min()), int(place.max()) + 1
    rows = int(source.max()) + 1
    key, kind = np.unique((target * rows + source) * (high - low) + place - low, return_inverse=True)
    sums = [np.asarray(np.bincount(kind, scale, len(key)), dtype=np.float64) for scale in scales]
    pair, where = np.divmod(key, high - low)
    most = int(np.bincount(kind).max()) + int(np.bincount(pair // rows).max())
    return CellTransfers(pair % rows, pair // rows, where + low, sums, most)


def heaviest_paths(paths: Paths, weight: Array) -> Ints:
    """The index of the heaviest path into each state, (states,); the first one if several are equally heavy.
    paths: sorted by target. weight: (rows, 2), the masses of the rows on either side."""
    first = np.flatnonzero(np.diff(paths.target, prepend=-1))
    flow = weight[paths.source, 0] * paths.left + weight[paths.source, 1] * paths.right
    most = np.maximum.reduceat(flow, first)
    at = np.flatnonzero(flow == most[paths.target])
    return np.asarray(at[np.flatnonzero(np.diff(paths.target[at], prepend=-1))])


def path_transfers(paths: Paths, away: Array, grid: float) -> tuple[CellTransfers, CellTransfers]:
    """Computes which masses move from rows to cells of states, for the dominating and for the dominated pair.
    For the dominating pair, whose masses are split between both neighbouring cells, and for the dominated pair, whose
    masses go to the nearer cell. away: (paths,), how many cells each path ends above the heaviest one into its
    state."""
    down = np.floor(away)
    part = away - down
    low, high = (paths.root * factor for factor in split_weights(part, grid))
    down = down.astype(np.int64)
    up = np.flatnonzero(part > 0)
    several, both = np.concatenate([np.arange(len(away)), up]), np.concatenate([down, down[up] + 1])
    above = group_transfers(paths.source[several], paths.target[several], both, [np.concatenate([low, high[up]])])
    below = group_transfers(paths.source, paths.target, down + (part >= 0.5), [paths.left, paths.right])
    return above, below


class LogTransitions(NamedTuple):
    """The logarithms of a step's probabilities, and where the groups of equal targets begin."""

    moves: PairTransitions
    left: Array
    right: Array
    first: Ints

    def loss(self) -> Array:
        """The privacy loss of every transition, (transitions,)."""
        return self.left - self.right

    def log_moment_factors(self, orders: Array) -> Array:
        """The log of p^alpha q^(1-alpha) for every order alpha and transition, (orders, transitions)."""
        with np.errstate(invalid="ignore"):
            log = orders[:, None] * self.left + (1 - orders[:, None]) * self.right
        impossible = np.isinf(self.left) | np.isinf(self.right)  # on one side only: infinitely revealing
        if impossible.any():
            log[:, impossible] = np.inf
            log[np.ix_(orders == 1, impossible)] = self.left[impossible]
            log[np.ix_(orders == 0, impossible)] = self.right[impossible]
        return log

    def log_sum_by_target(self, values: Array) -> Array:
        """The log of the sum of exp(values) over the transitions into each target state.
        values: (orders, transitions)."""
        return log_sum_by_group(values, self.first, self.moves.target)

    @property
    def rounding(self) -> float:
        """A bound on the rounding error of the logarithms of this step's probabilities, and of sums with them.
        Some units of the largest one."""
        if self.moves.log is None:
            deepest = el.log(max(min(self.moves.left.min(), self.moves.right.min()), SMALLEST_DOUBLE))
        else:
            deepest = self.moves.log.min(initial=0.0, where=self.moves.log > -np.inf)
        return UNIT_ROUNDOFF * (8 + 8 * max(-float(deepest), 1.0))


def log_transitions(moves: PairTransitions) -> LogTransitions:
    """The transitions of a step together with the logarithms of their probabilities on both sides."""
    with np.errstate(divide="ignore"):
        left, right = el.log([moves.left, moves.right]) if moves.log is None else moves.log
    return LogTransitions(moves, left, right, np.nonzero(np.diff(moves.target, prepend=-1))[0])


class LossRange(NamedTuple):
    """The smallest and the largest loss log(P/Q) of the transcripts that reach each state, (states,)."""

    low: Array
    high: Array

    def after_step(self, step: LogTransitions) -> LossRange:
        """The smallest and the largest privacy loss of the paths into each state, after one more step."""
        source, loss = step.moves.source, step.loss()
        with np.errstate(invalid="ignore"):
            low, high = self.low[source] + loss, self.high[source] + loss
        # inf - inf: a transcript that is impossible on the left and on the right does not count.
        low, high = np.where(np.isnan(low), np.inf, low), np.where(np.isnan(high), -np.inf, high)
        return LossRange(np.minimum.reduceat(low, step.first), np.maximum.reduceat(high, step.first))


def log_sum_by_group(log: Array, first: Ints, group: Ints) -> Array:
    """log sum exp over the columns of each group, (orders, groups).
    log: (orders, n), sorted by group; group: of each column, 0, 1, ...; first: where each group begins."""
    top = np.maximum.reduceat(log, first, axis=1)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(over="ignore", divide="ignore"):
        sums = np.add.reduceat(el.exp(log - safe[:, group]), first, axis=1)
        return np.asarray(np.where(top == np.inf, np.inf, safe + el.log(sums)))


def log_sum_over_states(log: Array) -> Array:
    """log sum exp over the states, (orders,). log: (orders, states)."""
    top = log.max(axis=1)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(over="ignore", divide="ignore"):
        return np.asarray(np.where(top == np.inf, np.inf, safe + el.log(el.exp(log - safe[:, None]).sum(axis=1))))


LEAST_PROBABILITY = 1e-290  # a probability below it has lost its relative precision
LEAST_DEEP_MASS = 1e-150
MIN_ERROR_MULTIPLE = 1e5  # of a followed probability over its absolute error: its log error is below 1e-5 a step
KEPT_ORDERS = np.array([-4.0, -2.0, -1.0, -0.5, 0.0, 1.0, 1.5, 2.0, 3.0, 5.0])  # see TailMoments
OVERFLOW_EXPONENT = 700.0  # exp of more overflows
MAX_PATHS_PER_ROW = 64  # paths from a row before its cells move: six steps of two arms, three of three


class TailMoments:
    """The moments of all transcripts and of the pruned ones, for every state.

    A cell is kept if it matters to the moment of any order in KEPT_ORDERS: so the rows follow rare transcripts of high
    loss, which decide Gaussian privacy (orders above 1 weigh left's tail, orders below 0 right's).
    """

    def __init__(self, orders: Array) -> None:
        """Prepares the moments of the privacy loss of these orders, before the first step."""
        self.orders = np.union1d(orders, KEPT_ORDERS)
        self.some = np.searchsorted(self.orders, KEPT_ORDERS)
        self.total: Array = np.zeros((self.orders.size, 1))
        self.lost: Array = np.full((self.orders.size, 1), -np.inf)
        self.extremes = LossRange(np.zeros(1), np.zeros(1))
        self.sum: Array = np.zeros(self.orders.size)
        self.least, self.rounding, self.sharp = 1.0, 0.0, True

    def move(self, moves: PairTransitions, pruned: Array) -> None:
        """Updates the moments of the privacy loss by one step. pruned: (transitions,), which of them are pruned."""
        step = log_transitions(moves)
        factor = step.log_moment_factors(self.orders)
        total = self.total[:, moves.source] + factor
        with np.errstate(invalid="ignore"):
            lost = np.where(pruned, total, np.minimum(self.lost[:, moves.source] + factor, total))
        self.total, self.lost = step.log_sum_by_target(total), step.log_sum_by_target(lost)
        self.extremes = self.extremes.after_step(step)
        self.sum = log_sum_over_states(self.total)
        self.least = float(min(moves.left.min(), moves.right.min()))
        self.sharp &= self.least > LEAST_PROBABILITY or moves.log is not None
        self.rounding += step.rounding

    def min_kept_mass(self, max_share: float, loss: Array) -> Array:
        """Returns the largest mass of a cell that may be pruned, for each of these losses.
        max_share: the share of every moment that may be lost in a cell."""
        log = el.log(max_share) + self.sum[self.some, None] - (KEPT_ORDERS[:, None] - 0.5) * loss
        return np.asarray(el.exp(np.clip(log.min(axis=0), -OVERFLOW_EXPONENT, OVERFLOW_EXPONENT)))

    def tail(self, drift: float) -> TailBound:
        """The bound on the tail of the privacy loss after all steps.
        drift: the error of the logarithms of the probabilities."""
        lost = np.minimum(log_sum_over_states(self.lost), self.sum)
        low, high = float(self.extremes.low.min()), float(self.extremes.high.max())
        return TailBound(self.orders, lost, self.sum, low, high, drift + self.rounding, self.sharp)

    def add_pruned_cells(self, cut: PrunedCells, states: Ints, grid: float) -> None:
        """Adds the masses of pruned cells to the moments of the pruned part.
        states: the state of each row; grid: the distance of neighbouring losses."""
        if not cut.row.size:
            return
        # Pieces of neighbours, so short that no order's factor leaves the range of doubles within one.
        power = self.orders - 0.5
        most = max(1, min(64, int(300 / (grid * np.abs(power).max()))))
        apart = (np.diff(cut.place, prepend=-2) != 1) | (np.diff(cut.row, prepend=-1) != 0)
        since = np.arange(len(apart)) - np.flatnonzero(apart)[np.cumsum(apart) - 1]
        begins = since % most == 0
        piece, head = np.cumsum(begins) - 1, np.flatnonzero(begins)
        cells = np.zeros((len(head), most))
        cells[piece, since % most] = cut.m
        top = np.maximum(cells.max(axis=1, keepdims=True), SMALLEST_DOUBLE)
        sums = matrix_product(el.exp(power[:, None] * (grid * np.arange(most))), (cells / top).T)
        with np.errstate(divide="ignore"):
            log = el.log(sums) + el.log(top[:, 0]) + power[:, None] * cut.loss[head]
        row = cut.row[head]
        first = np.flatnonzero(np.diff(row, prepend=-1))
        group = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(row))))
        at = states[row[first]]
        self.lost[:, at] = np.logaddexp(self.lost[:, at], log_sum_by_group(log, first, group))


def min_heavy_mass(min_probability: float, loss: Array) -> Array:
    """The smallest m = sqrt(p q) with p or q at least `min_probability`, for a cell with this privacy loss."""
    return np.asarray(min_probability * el.exp(-np.abs(loss) / 2))


class PrunedTransitions(NamedTuple):
    """Which transitions of a step are followed.

    carried: (2, transitions), the mass that each carries on either side. at_most: an upper bound on it, with the error
    of the law. followed: (transitions,), whether the rows follow it. telling: whether it is pruned although it
    distinguishes the sides, because it is impossible on one side. certain: (2, transitions), a lower bound on the mass
    of those.
    """

    carried: Array
    at_most: Array
    followed: Any
    telling: Any
    certain: Array


def prune_transitions(moves: PairTransitions, before: Array, least_flow: float) -> PrunedTransitions:
    """Returns which transitions are followed and which are pruned because their mass is too small.
    before: (2, transitions), the masses of their sources. least_flow: a followed transition carries more than this on
    some side."""
    sides = np.stack([moves.left, moves.right])
    carried = before * sides
    # A move that is impossible on one side only, or that carries next to nothing, is pruned.
    followed = (sides.min(axis=0) > LEAST_PROBABILITY) & (carried.max(axis=0) > least_flow)
    followed &= np.sqrt(sides[0]) * np.sqrt(sides[1]) > MIN_MOVE_CHANCE
    followed &= sides.min(axis=0) > MIN_ERROR_MULTIPLE * moves.absolute_error
    # What is possible, but too improbable for a double, is no more than the least one that is trusted.
    underflow = 0.0 if moves.log is None else LEAST_PROBABILITY * (moves.log > -np.inf)
    at_most = carried + moves.absolute_error * before + underflow
    # What is impossible on one side only tells the sides apart: the dominated pair keeps it. Its mass there is not
    # exactly 0, but below what the law may be wrong by, or what a double can hold; and on the other side it may be less
    # by as much. By logarithms, what no double holds to all of its digits is taken for as much.
    excluded = sides.min(axis=0) <= (0 if moves.log is None else LEAST_PROBABILITY)
    telling = (
        ~followed
        & excluded
        & (sides.max(axis=0) > (2 * moves.absolute_error if moves.log is None else LEAST_PROBABILITY))
    )
    least = np.where(
        sides > 0,
        np.maximum(sides - moves.absolute_error, LEAST_PROBABILITY),
        max(moves.absolute_error, LEAST_PROBABILITY),
    )
    return PrunedTransitions(carried, at_most, followed, telling, before * least)


class ForwardPass:
    """A forward pass in progress: the states that are followed, their privacy losses, and everything pruned so far."""

    def __init__(self, graph: StateGraph, grid: float, tiny: float, deep: TailMoments | None) -> None:
        """Prepares a forward pass through the steps of a state graph, before the first step."""
        self.graph, self.grid, self.tiny, self.deep = graph, grid, tiny, deep
        self.layer, self.rows, self.step = graph.first_layer(), StateLosses(grid), 0
        self.going, self.empty = graph.has_steps_left(self.layer), False
        # The states that are followed: which of the layer they are, and what they weigh on either side, at most.
        self.followed: Ints = np.zeros(1, dtype=np.int64)
        self.mass: Array = np.ones((2, 1))
        self.paths, self.weight = empty_paths(1), self.mass.T  # since the rows moved, and what these weighed then
        self.log_error = 0.0  # of the masses of what is followed
        self.log_error_of_all = 0.0  # of the masses of all transcripts, the pruned ones included (of a deep pass)
        self.absolute_error = 0.0  # of the probabilities of a step, the largest
        self.rounded = 0  # how often a cell was rounded at most
        self.telling: list[Array] = []  # atoms (2, n) of moves that are impossible on one side
        self.lost, self.missing = np.zeros(2), np.zeros(2)

    def advance(self, known: tuple[PairTransitions, Layer] | None) -> None:
        """Plays one step: follows or prunes its transitions. known: the transitions and the next layer, if computed.
        Raises ValueError if everything was pruned and nothing distinguished the sides."""
        self.step += 1
        place = np.full(len(self.layer.pulls), -1)
        place[self.followed] = np.arange(self.followed.size)
        moves, self.layer = self.graph.pair_step(self.step, self.layer) if known is None else known
        before = np.where(place[moves.source] >= 0, self.mass[:, place[moves.source]], 0.0)
        found = prune_transitions(moves, before, self.tiny if self.deep is None else LEAST_DEEP_MASS)
        self.prune(moves, found)
        if found.followed.any():
            self.follow(moves, found, place)
            return
        if not found.telling.any():
            raise ValueError(f"step {self.step}: all transitions were pruned; lower `prune`")
        self.going, self.empty = False, True
        self.log_error += moves.error

    def prune(self, moves: PairTransitions, found: PrunedTransitions) -> None:
        """Adds the mass of all transitions that are not followed to the pruned masses of the pass."""
        self.lost += found.at_most[:, ~found.followed].sum(axis=1)
        self.absolute_error = max(self.absolute_error, moves.absolute_error)
        self.telling.append(found.certain[:, found.telling])
        self.missing += found.at_most[:, ~found.followed & ~found.telling].sum(axis=1)
        if self.deep is not None:
            self.deep.move(moves, ~found.followed)
            self.log_error_of_all += moves.error + relative_to_log_error(moves.absolute_error, self.deep.least)

    def follow(self, moves: PairTransitions, found: PrunedTransitions, place: Ints) -> None:
        """Extends the paths of the pass by all transitions that are followed.
        place: for each state of the previous layer, its index among the followed ones."""
        keep = found.followed
        reached, target = np.unique(moves.target[keep], return_inverse=True)
        left, right = moves.left[keep], moves.right[keep]
        self.log_error += moves.error + relative_to_log_error(moves.absolute_error, float(min(left.min(), right.min())))
        self.paths = self.paths.extended_by(PairTransitions(place[moves.source[keep]], target, left, right))
        self.mass = np.stack([np.bincount(target, side) for side in found.carried[:, keep]])
        if self.deep is None:
            self.layer, reached = select_states(self.layer, reached), np.arange(reached.size)
        self.followed, self.going = reached, self.graph.has_steps_left(self.layer)

    def must_move_rows(self) -> bool:
        """Whether the rows must be moved along the paths: at the end of the run, or because the paths are so many or so
        improbable."""
        many = len(self.paths.source) > MAX_PATHS_PER_ROW // 2 * len(self.rows)
        return not self.going or many or bool(self.paths.root.min() < LEAST_PATH)

    def move_rows(self) -> None:
        """Moves the rows along the paths, and prunes their ends."""
        self.rounded += self.rows.move(self.paths, self.weight)
        matters = min_heavy_mass if self.deep is None else self.deep.min_kept_mass
        stays, cut = self.rows.prune_ends(partial(matters, self.tiny))
        self.lost = self.lost + [side.sum() for side in cut.above()]
        self.missing = self.missing + [side.sum() for side in cut.below]
        if self.deep is not None:
            self.deep.add_pruned_cells(cut, self.followed, self.grid)
        self.followed, self.mass = self.followed[stays], self.mass[:, stays]
        self.paths, self.weight = empty_paths(len(self.rows)), self.mass.T
        if self.deep is None and self.followed.size < len(self.layer.pulls):
            self.layer, self.followed = select_states(self.layer, self.followed), np.arange(self.followed.size)

    def profile(self) -> ExactProfile:
        """The privacy profile of the run, from all cells and pruned masses, after all steps."""
        lost, missing = ((float(left), float(right)) for left, right in (self.lost, self.missing))
        if self.empty:
            told = MeasurePair(*np.concatenate(self.telling, axis=1))
            return ExactProfile(
                MeasurePair(*np.zeros((2, 1))),
                told,
                lost,
                missing,
                self.log_error,
                step_absolute_error=self.absolute_error,
            )
        drift = self.log_error + UNIT_ROUNDOFF * (self.step * (24 + 8 * self.rows.widest) + self.rounded)
        upper, lower = self.rows.joined()
        lower = MeasurePair(*(np.concatenate(side) for side in zip(lower, *self.telling, strict=True)))
        tail = None
        if self.deep is not None and self.log_error_of_all != np.inf:
            tail = self.deep.tail(self.log_error_of_all)
        return ExactProfile(upper, lower, lost, missing, drift, step_absolute_error=self.absolute_error, tail=tail)


def privacy_loss_distribution(
    graph: StateGraph,
    grid: float,
    tiny: float,
    orders: Array | None,
    steps: Sequence[tuple[PairTransitions, Layer]] | None = None,
) -> ExactProfile:
    """The privacy profile of a state graph after all steps, computed in one forward pass.
    grid, tiny, orders, and the bound on the log error: see `engine`. steps: all steps of the graph if they are known,
    for a deep pass, which leaves out no state."""
    forward = ForwardPass(graph, grid, tiny, None if orders is None else TailMoments(orders))
    while forward.going:
        forward.advance(None if steps is None else steps[forward.step])
        if not forward.empty and forward.must_move_rows():
            forward.move_rows()
    return forward.profile()
