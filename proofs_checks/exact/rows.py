"""Rows of privacy losses: what is known of the transcripts that meet in a state, kept on a grid of losses.

An atom (p, q) is a set of transcripts with probability p on the left side and q on the right; its loss is log(p/q). A
row holds cells at the losses offset + grid * 0, 1, 2, ...:

- of the dominating pair one number m = sqrt(p q) per cell, for p and q follow from it and the cell's exact loss l:
  p = m exp(l/2), q = m exp(-l/2). An atom that falls between two cells, at fraction f, is split over both with the
  factors sinh((1-f) grid/2)/sinh(grid/2) and sinh(f grid/2)/sinh(grid/2): the two equations "p stays" and "q stays"
  have this one solution. The original is a post-processing of the split pair (merge the halves), so the split pair is
  at least as easy to tell apart, in both directions and at every eps at once.
- of the dominated pair p and q per cell: atoms are merged into the nearest cell, which is a post-processing, so the
  merged pair is at most as easy to tell apart.

Rows move along paths of several steps at once. A path multiplies a whole row by constants and shifts its loss by one
constant, whatever its steps are, so nothing is regridded on the way. At its end it is split as an atom is: a row and a
path are independent, and what holds of each atom of their product holds of the product. The heaviest path into a state
keeps its cells and passes on its shifted offset. So the error of both pairs grows with the number of paths that a
transcript is made of (order grid**2 each), and not with the number of its steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.walk import Moves
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

# No product may leave the range in which doubles keep their relative precision (2e-308): that of a cell's
# m >= LEAST_CELL with a path's sqrt(p q), which is at least LEAST_PATH before its last move, and that is at least
# MIN_MOVE_CHANCE.
MIN_MOVE_CHANCE = 1e-20
LEAST_PATH = 1e-60
LEAST_CELL = 1e-220
NARROW = 128  # cells of a row, on average: so narrow ones are added faster all at once than one by one
FINER = 4  # the final grid is finer by this factor, so that joining the rows adds little


class Masses(NamedTuple):
    """A pair of finite measures as atoms: their masses on either side."""

    left: Array
    right: Array


class Paths(NamedTuple):
    """All ways of some steps in a row, each on its own: where they begin and end, and their probabilities."""

    source: Ints  # (paths,): which row
    target: Ints  # (paths,): which state after the last step; every state has one
    left: Array  # (paths,)
    right: Array  # (paths,)

    def followed(self, moves: Moves) -> Paths:
        """One step longer. moves: from the states where the paths end."""
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
        """sqrt(p q) of every path."""
        return np.sqrt(self.left) * np.sqrt(self.right)


def empty_paths(rows: int) -> Paths:
    """The paths of no step."""
    return Paths(np.arange(rows), np.arange(rows), np.ones(rows), np.ones(rows))


def split_weights(part: Any, grid: float) -> tuple[Any, Any]:
    """How much of m = sqrt(p q) goes to the lower and to the upper cell, so that both p and q stay.

    part: how far the atom lies above the lower cell, in [0, 1] cells of width grid.
    """
    return el.sinh((1 - part) * grid / 2) / el.sinh(grid / 2), el.sinh(part * grid / 2) / el.sinh(grid / 2)


class Cut(NamedTuple):
    """The cells that were pruned from the ends of rows, in order: their m and the loss that belongs to it."""

    row: Ints  # of which row each is
    place: Ints  # neighbours in a row have neighbouring places
    m: Array
    loss: Array
    below: Masses  # their masses in the dominated pair

    def above(self) -> Masses:
        """The masses in the dominating pair."""
        return Masses(self.m * el.exp(self.loss / 2), self.m * el.exp(-self.loss / 2))


class LossRows:
    """The rows of some states. Their cells lie one after another in three long arrays."""

    def __init__(self, grid: float) -> None:
        self.grid = grid
        self.cells: tuple[Array, Array, Array] = (np.ones(1), np.ones(1), np.ones(1))  # m, and the dominated p and q
        self.begin: Ints = np.zeros(1, dtype=np.int64)  # (rows,): where each one's cells begin
        self.wide: Ints = np.ones(1, dtype=np.int64)  # (rows,): how many they are
        self.offset: Array = np.zeros(1)  # (rows,): the loss of its first cell
        self.widest = 0.0  # the largest absolute loss that was ever represented

    def __len__(self) -> int:
        return len(self.begin)

    def move(self, paths: Paths, weight: Array) -> int:
        """Follow the paths. weight: (rows, 2), what the rows weigh on either side, to find the heaviest path into each
        state. Returns how often a cell was rounded on the way at most."""
        order = np.argsort(paths.target, kind="stable")
        paths = Paths(paths.source[order], paths.target[order], paths.left[order], paths.right[order])
        landing = self.offset[paths.source] + el.log(paths.left / paths.right)
        offset = landing[heaviest(paths, weight)]
        above, below = landed(paths, (landing - offset[paths.target]) / self.grid, self.grid)
        begin, end = self.reach(len(offset), (above, below))
        starts = np.concatenate([[0], np.cumsum(end - begin)])
        self.cells = self.summed(above, below, starts, begin)
        self.begin, self.wide = starts[:-1], end - begin
        self.offset = offset + begin * self.grid
        return max(found.most for found in (above, below))

    def reach(self, states: int, landings: tuple[RowTransfers, ...]) -> tuple[Ints, Ints]:
        """Where the cells of each state begin and end, relative to the offset of the heaviest path into it."""
        begin, end = np.zeros(states, dtype=np.int64), np.zeros(states, dtype=np.int64)
        for found in landings:
            np.minimum.at(begin, found.target, found.place)
            np.maximum.at(end, found.target, found.place + self.wide[found.source])
        return begin, end

    def summed(self, above: RowTransfers, below: RowTransfers, starts: Ints, begin: Ints) -> tuple[Array, Array, Array]:
        """The cells of all states: m of the dominating pair, p and q of the dominated one. starts: where those of each
        state start, and where the last ones end; begin: as `reach` says it."""
        new = (np.zeros(starts[-1]), np.zeros(starts[-1]), np.zeros(starts[-1]))
        for found, sides in ((above, (0,)), (below, (1, 2))):
            place = starts[found.target] + found.place - begin[found.target]
            whence, wide = self.begin[found.source], self.wide[found.source]
            if wide.sum() < NARROW * len(wide):
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

    def part(self, side: int, row: int) -> Array:
        """A row's cells: m (side 0), or p (1) or q (2) of the dominated pair."""
        return self.cells[side][self.begin[row] : self.begin[row] + self.wide[row]]

    def trim(self, least: Any) -> tuple[Ints, Cut]:
        """Prune the ends of all rows, and rows that are negligible as a whole. Returns which rows stay, and what went.

        least: from losses, increasing by one grid each, to the m that matters there; what a cell within half a grid
        needs.
        """
        base = float(self.offset.min())
        nearest = np.rint((self.offset - base) / self.grid).astype(np.int64)
        wanted = np.maximum(least(base + self.grid * np.arange(int((nearest + self.wide).max()))), LEAST_CELL)
        away = np.abs(self.offset).max() + self.grid * self.wide.max()
        self.widest = max(self.widest, float(away))
        start, stop = [], []
        m = self.cells[0]
        for at, wide, place in zip(self.begin.tolist(), self.wide.tolist(), nearest.tolist(), strict=True):
            heavy = m[at : at + wide] > wanted[place : place + wide]
            low = int(heavy.argmax())
            some = bool(heavy[low])
            start.append(at + low if some else at)
            stop.append(at + wide - int(heavy[::-1].argmax()) if some else at)
        begin, end = np.array(start), np.array(stop)
        gone = self.outside(begin, end)
        row = np.searchsorted(self.begin + self.wide, gone, side="right")
        loss = self.offset[row] + self.grid * (gone - self.begin[row])
        cut = Cut(row, gone, m[gone], loss, Masses(self.cells[1][gone], self.cells[2][gone]))
        stays = np.flatnonzero(end > begin)
        self.offset = (self.offset + self.grid * (begin - self.begin))[stays]
        self.begin, self.wide = begin[stays], (end - begin)[stays]
        return stays, cut

    def outside(self, begin: Ints, end: Ints) -> Ints:
        """The places of all cells that lie in none of these parts of the rows."""
        inside = np.zeros(len(self.cells[0]) + 1, dtype=np.int8)
        some = end > begin
        inside[begin[some]] += 1
        inside[end[some]] -= 1  # where one part ends and the next begins, nothing changes
        return np.flatnonzero(np.cumsum(inside[:-1], dtype=np.int8) == 0)

    def joined(self) -> tuple[Masses, Masses]:
        """All rows on one finer grid: the atoms of the dominating and of the dominated pair."""
        fine = self.grid / FINER
        base = float(self.offset.min())
        size = int(np.ceil((float((self.offset + self.grid * self.wide).max()) - base) / fine)) + 2 * FINER
        upper, lower = np.zeros(size), np.zeros((2, 3 * size))
        for row, (wide, offset) in enumerate(zip(self.wide.tolist(), self.offset.tolist(), strict=True)):
            m, p, q = (self.part(side, row) for side in range(3))
            away = (offset - base) / fine
            at, part = int(away), away - int(away)
            last = at + FINER * (wide - 1) + 1
            low, high = split_weights(part, fine)
            upper[at:last:FINER] += m * low
            upper[at + 1 : last + 1 : FINER] += m * high
            # The dominated pair is joined by the cells' actual losses, which have drifted from the nominal ones.
            some = (p > 0) & (q > 0)
            loss = np.zeros(wide)
            loss[some] = el.log(p[some] / q[some])
            index = np.clip(np.round((loss - base) / fine).astype(int) + size, 0, 3 * size - 1)
            for sums, side in zip(lower, (p, q), strict=True):
                sums += np.bincount(index, side, 3 * size)
        half = el.exp((base + fine * np.arange(size)) / 2)
        return Masses(upper * half, upper / half), Masses(lower[0], lower[1])


class RowTransfers(NamedTuple):
    """Which rows are added to which, where, and times what. most: the most that are added to one cell."""

    source: Ints
    target: Ints
    place: Ints  # of the source's first cell, relative to the offset of the target's heaviest path
    scales: list[Array]
    most: int


def terms(source: Ints, target: Ints, place: Ints, scales: list[Array]) -> RowTransfers:
    """Paths from one row to one state that land in the same place are one term, sorted by target and source."""
    low, high = int(place.min()), int(place.max()) + 1
    rows = int(source.max()) + 1
    key, kind = np.unique((target * rows + source) * (high - low) + place - low, return_inverse=True)
    sums = [np.asarray(np.bincount(kind, scale, len(key)), dtype=np.float64) for scale in scales]
    pair, where = np.divmod(key, high - low)
    most = int(np.bincount(kind).max()) + int(np.bincount(pair // rows).max())
    return RowTransfers(pair % rows, pair // rows, where + low, sums, most)


def heaviest(paths: Paths, weight: Array) -> Ints:
    """The heaviest path into each state, the first of equal ones; paths: sorted by their targets. weight: (rows, 2)."""
    first = np.flatnonzero(np.diff(paths.target, prepend=-1))
    flow = weight[paths.source, 0] * paths.left + weight[paths.source, 1] * paths.right
    most = np.maximum.reduceat(flow, first)
    at = np.flatnonzero(flow == most[paths.target])
    return np.asarray(at[np.flatnonzero(np.diff(paths.target[at], prepend=-1))])


def landed(paths: Paths, away: Array, grid: float) -> tuple[RowTransfers, RowTransfers]:
    """Where rows land, of the dominating and of the dominated pair. away: (paths,), how many cells each path ends
    above the heaviest one into its state: between two cells, the dominating pair is split over both, and the dominated
    one is merged into the nearer."""
    down = np.floor(away)
    part = away - down
    low, high = (paths.root * factor for factor in split_weights(part, grid))
    down = down.astype(np.int64)
    up = np.flatnonzero(part > 0)
    several, both = np.concatenate([np.arange(len(away)), up]), np.concatenate([down, down[up] + 1])
    above = terms(paths.source[several], paths.target[several], both, [np.concatenate([low, high[up]])])
    below = terms(paths.source, paths.target, down + (part >= 0.5), [paths.left, paths.right])
    return above, below
