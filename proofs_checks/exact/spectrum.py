"""Spectra: the distribution of the privacy loss over a policy's transcripts, kept on a grid of losses.

One row per state of the walk. An atom (p, q) is a set of transcripts with probability p on the left table
and q on the right; its loss is log(p/q). A row holds its cells at the losses offset + grid * 0, 1, 2, ...:

- cells[0], the dominating pair, one number m = sqrt(p q) per cell, for p and q follow from it and the cell's
  exact loss l: p = m exp(l/2), q = m exp(-l/2). An atom that falls between two cells, at fraction f, is split
  over both with the factors sinh((1-f) grid/2)/sinh(grid/2) and sinh(f grid/2)/sinh(grid/2): the two
  equations "p stays" and "q stays" have this one solution. The original is a post-processing of the split
  pair (merge the halves), so the split pair is at least as easy to tell apart, in both directions and at
  every eps at once.
- cells[1:], the dominated pair, p and q per cell: atoms are merged into the nearest cell, which is a
  post-processing, so the merged pair is at most as easy to tell apart.

A move multiplies a whole row by constants and shifts its loss by one constant. The heaviest move into a state
keeps its cells and passes on its shifted offset; only the lighter moves are regridded. So the error of both
pairs grows with the number of light moves that a transcript makes (order grid**2 each), not with the number
of steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.moments import UNIT, Extremes, flow, log_total, relative
from dpbandits.proofs_checks.exact.walk import Moves, Walk, kept
from dpbandits.reference.noise import Array
from dpbandits.reference.policy import Ints

# No product may leave the range in which doubles keep their relative precision (2e-308): not that of a cell's
# m >= LEAST_CELL with TRIM_EVERY moves of sqrt(p q) >= LEAST_MOVE, nor that of a row's mass with one of them.
LEAST_LAW = 1e-290
LEAST_MOVE = 1e-20
LEAST_CELL = 1e-220
LEAST_FLOW = 1e-150
DEEP = np.array([-4.0, -2.0, -1.0, -0.5, 0.0, 1.0, 1.5, 2.0, 3.0, 5.0])  # what a deep pass keeps: see Deep
TRIM_EVERY = 4  # steps between two looks at the ends of the rows
FINER = 4  # the final grid is finer by this factor, so that joining the rows adds little


class Masses(NamedTuple):
    """A pair of finite measures as atoms: their masses on either side."""

    left: Array
    right: Array


class Tail(NamedTuple):
    """What is known of the mass that was pruned, beyond its size.

    orders: alpha, any reals, among them 0 and 1. lost: an upper bound on the log of the pruned transcripts'
    moment sum P^alpha Q^(1-alpha). total: the log of all transcripts' moment. low, high: the extreme losses
    log(P/Q) of all transcripts. drift: all of this is for probabilities within a factor exp(+-drift) of the
    true ones. sharp: no probability on the way was so small that a double loses its relative precision.
    """

    orders: Array
    lost: Array
    total: Array
    low: float
    high: float
    drift: float
    sharp: bool = True


class Spectrum(NamedTuple):
    """What the forward pass found.

    upper: atoms of the dominating pair. lower: atoms of the dominated pair. lost: the mass that was pruned
    from the dominating pair, left and right; missing: the same for the dominated one. drift: every computed
    mass belongs to transcripts whose true probabilities lie within a factor exp(+-drift). tail: of a deep
    pass.
    """

    upper: Masses
    lower: Masses
    lost: Array
    missing: Array
    drift: float
    tail: Tail | None


class Deep:
    """Keeps account of the moments of everything and of what was pruned, over all states of the walk.

    A cell is kept where it matters to the moment of any order in DEEP: so the rows follow rare transcripts of
    high loss, which decide on Gaussian privacy (orders above 1 weigh left's tail, orders below 0 right's).
    """

    def __init__(self, orders: Array) -> None:
        self.orders = np.union1d(orders, DEEP)
        self.some = np.searchsorted(self.orders, DEEP)
        self.total: Array = np.zeros((self.orders.size, 1))
        self.lost: Array = np.full((self.orders.size, 1), -np.inf)
        self.extremes = Extremes(np.zeros(1), np.zeros(1))
        self.sum: Array = np.zeros(self.orders.size)
        self.least, self.rounding, self.sharp = 1.0, 0.0, True

    def move(self, moves: Moves, pruned: Array) -> None:
        """Follow all moves; `pruned` (a mask) marks those whose rows are not followed."""
        step = flow(moves)
        factor = step.factor(self.orders)
        total = self.total[:, moves.source] + factor
        with np.errstate(invalid="ignore"):
            lost = np.where(pruned, total, np.minimum(self.lost[:, moves.source] + factor, total))
        self.total, self.lost = step.gather(total), step.gather(lost)
        self.extremes = self.extremes.moved(step)
        self.sum = log_total(self.total)
        self.least = float(min(moves.left.min(), moves.right.min()))
        self.sharp &= self.least > LEAST_LAW
        self.rounding += UNIT * (8 + 8 * max(-np.log(max(self.least, 5e-324)), 1.0))

    def heavy(self, m: Array, loss: Array, tiny: float) -> Array:
        with np.errstate(divide="ignore"):
            log = np.log(m) + (DEEP[:, None] - 0.5) * loss - self.sum[self.some, None]
        return np.asarray((log > np.log(tiny)).any(axis=0) & (m > LEAST_CELL))

    def tail(self, drift: float) -> Tail:
        lost = np.minimum(log_total(self.lost), self.sum)
        low, high = float(self.extremes.low.min()), float(self.extremes.high.max())
        return Tail(self.orders, lost, self.sum, low, high, drift + self.rounding, self.sharp)

    def lose(self, state: int, m: Array, loss: Array) -> None:
        with np.errstate(divide="ignore"):
            log = np.log(m) + (self.orders[:, None] - 0.5) * loss
        self.lost[:, state] = np.logaddexp(self.lost[:, state], log_total(log))


def split(part: Any, grid: float) -> tuple[Any, Any]:
    """How much of m = sqrt(p q) goes to the lower and to the upper cell, so that both p and q stay.

    part: how far the atom lies above the lower cell, in [0, 1] cells of width grid.
    """
    return np.sinh((1 - part) * grid / 2) / np.sinh(grid / 2), np.sinh(part * grid / 2) / np.sinh(grid / 2)


class Rows:
    """The rows of one layer, and what was pruned so far. tiny: a cell below it on both sides may go."""

    def __init__(self, grid: float, tiny: float) -> None:
        self.grid, self.tiny = grid, tiny
        self.states: Ints = np.zeros(1, dtype=np.int64)  # which states of the layer have a row, increasing
        self.cells = [np.ones((3, 1))]
        self.offset: Array = np.zeros(1)
        self.mass: Array = np.ones((2, 1))  # total mass of each row, left and right
        self.lost: Array = np.zeros(2)
        self.missing: Array = np.zeros(2)
        self.widest = 0.0  # the largest absolute loss that was ever represented

    def move(self, moves: Moves) -> None:
        """Follow the moves into the next layer. Sources and targets count the rows, not the states."""
        grid, states = self.grid, int(moves.target[-1]) + 1
        shift = np.log(moves.left / moves.right)
        flow = self.mass[:, moves.source] * np.stack([moves.left, moves.right])
        weight = flow.sum(axis=0)
        first = np.searchsorted(moves.target, np.arange(states + 1))
        # The owner of a target is its heaviest move.
        owner = np.lexsort((-weight, moves.target))[first[:-1]]
        landing = self.offset[moves.source] + shift
        offset = landing[owner]
        away = (landing - offset[moves.target]) / grid
        down = np.floor(away)
        part = away - down
        root = np.sqrt(moves.left) * np.sqrt(moves.right)
        low, high = (root * factor for factor in split(part, grid))
        scales = np.stack([root, moves.left, moves.right]).T[:, :, None]
        source, place, near = moves.source.tolist(), down.astype(int).tolist(), (part >= 0.5).tolist()
        lows, highs, ends = low.tolist(), high.tolist(), first.tolist()
        old, new = self.cells, []
        for state, own in enumerate(owner.tolist()):
            begin, end = ends[state], ends[state + 1]
            mine = old[source[own]]
            if end - begin == 1:
                new.append(mine * scales[own])
                continue
            others = [move for move in range(begin, end) if move != own]
            start = min(0, min(place[move] for move in others))
            stop = max(mine.shape[1], max(place[move] + old[source[move]].shape[1] + 1 for move in others))
            row = np.zeros((3, stop - start))
            np.multiply(mine, scales[own], out=row[:, -start : mine.shape[1] - start])
            for move in others:
                theirs = old[source[move]]
                at, wide = place[move] - start, theirs.shape[1]
                row[0, at : at + wide] += lows[move] * theirs[0]
                row[0, at + 1 : at + 1 + wide] += highs[move] * theirs[0]
                at += near[move]
                row[1:, at : at + wide] += scales[move, 1:] * theirs[1:]
            if start:
                offset[state] += start * grid
            new.append(row)
        self.cells, self.offset = new, offset
        self.mass = np.stack([np.bincount(moves.target, side, states) for side in flow])

    def masses(self, row: int) -> tuple[Array, Array]:
        """The masses (p, q) of a row's cells in the dominating pair."""
        m, half = self.cells[row][0], self.losses(row) / 2
        return m * np.exp(half), m * np.exp(-half)

    def losses(self, row: int) -> Array:
        """The losses of a row's cells."""
        return np.asarray(self.offset[row] + self.grid * np.arange(self.cells[row].shape[1]))

    def trim(self, deep: Deep | None) -> None:
        """Prune the ends of all rows, and rows that are negligible as a whole."""
        for state, cells in enumerate(self.cells):
            p, q = self.masses(state)
            if deep is None:
                heavy = (np.maximum(p, q) > self.tiny) & (cells[0] > LEAST_CELL)
            else:
                heavy = deep.heavy(cells[0], self.losses(state), self.tiny)
            big = np.nonzero(heavy)[0]
            begin, end = (int(big[0]), int(big[-1]) + 1) if big.size else (0, 0)
            self.widest = max(self.widest, abs(float(self.offset[state])) + self.grid * cells.shape[1])
            if end - begin == cells.shape[1]:
                continue
            gone = np.array([side[:begin].sum() + side[end:].sum() for side in (p, q)])
            self.lost += gone
            self.missing += cells[1:, :begin].sum(axis=1) + cells[1:, end:].sum(axis=1)
            if deep is not None:
                outside = np.r_[0:begin, end : cells.shape[1]]
                deep.lose(int(self.states[state]), cells[0, outside], self.losses(state)[outside])
            self.mass[:, state] = [p[begin:end].sum(), q[begin:end].sum()]
            self.cells[state] = cells[:, begin:end].copy()
            self.offset[state] += self.grid * begin
        stays = np.array([cells.shape[1] > 0 for cells in self.cells])
        self.cells = [cells for cells in self.cells if cells.shape[1] > 0]
        self.states, self.offset, self.mass = self.states[stays], self.offset[stays], self.mass[:, stays]

    def joined(self) -> tuple[Masses, Masses]:
        """All rows on one finer grid: the atoms of the dominating and of the dominated pair."""
        fine = self.grid / FINER
        base = float(self.offset.min())
        ends = self.offset + self.grid * np.array([cells.shape[1] for cells in self.cells])
        size = int(np.ceil((float(ends.max()) - base) / fine)) + 2 * FINER
        upper, lower = np.zeros(size), np.zeros((2, 3 * size))
        for cells, offset in zip(self.cells, self.offset.tolist(), strict=True):
            away = (offset - base) / fine
            at, part = int(away), away - int(away)
            last = at + FINER * (cells.shape[1] - 1) + 1
            low, high = split(part, fine)
            upper[at:last:FINER] += cells[0] * low
            upper[at + 1 : last + 1 : FINER] += cells[0] * high
            # The dominated pair is joined by the cells' actual losses, which have drifted from the nominal
            # ones.
            some = (cells[1] > 0) & (cells[2] > 0)
            loss = np.zeros(cells.shape[1])
            loss[some] = np.log(cells[1, some] / cells[2, some])
            index = np.clip(np.round((loss - base) / fine).astype(int) + size, 0, 3 * size - 1)
            for side in (0, 1):
                lower[side] += np.bincount(index, cells[1 + side], 3 * size)
        half = np.exp((base + fine * np.arange(size)) / 2)
        return Masses(upper * half, upper / half), Masses(lower[0], lower[1])


def spectrum(walk: Walk, grid: float, tiny: float, orders: Array | None) -> Spectrum:
    """The forward pass over all steps. See `laws` for the parameters and for the drift's bound."""
    layer, row, drift, t = walk.start(), Rows(grid, tiny), 0.0, 0
    deep = None if orders is None else Deep(orders)
    blurred = 0.0  # the drift of all moves, also of the pruned ones
    telling: list[Array] = []  # atoms (2, n) of moves that are impossible on one side
    while walk.steps(layer):
        t += 1
        states = len(layer.made)
        moves, layer = walk.advance(t, layer)
        place = np.full(states, -1)
        place[row.states] = np.arange(row.states.size)
        sides = np.stack([moves.left, moves.right])
        mass = np.where(place[moves.source] >= 0, row.mass[:, place[moves.source]], 0.0)
        carried = mass * sides
        # A move that is impossible on one side only, or that carries next to nothing, is pruned.
        least_flow = tiny if deep is None else LEAST_FLOW
        keep = (sides.min(axis=0) > LEAST_LAW) & (carried.max(axis=0) > least_flow)
        keep &= np.sqrt(sides[0]) * np.sqrt(sides[1]) > LEAST_MOVE
        row.lost += (carried + moves.blur * mass)[:, ~keep].sum(axis=1)
        # What is impossible on one side only tells the sides apart: the dominated pair keeps it. Its mass there
        # is not exactly 0, but below what the law may be wrong by, or what a double can hold.
        certain = ~keep & (sides.min(axis=0) == 0)
        telling.append(np.maximum(carried, mass * max(moves.blur, LEAST_LAW))[:, certain])
        row.missing += (carried + moves.blur * mass)[:, ~keep & ~certain].sum(axis=1)
        if deep is not None:
            deep.move(moves, ~keep)
            blurred += moves.error + relative(moves.blur, deep.least)
        if not keep.any():
            if not certain.any():
                raise ValueError(f"step {t}: the whole mass was pruned; lower `prune`")
            told = np.concatenate(telling, axis=1)
            return Spectrum(Masses(*np.zeros((2, 1))), Masses(*told), row.lost, row.missing, drift, None)
        reached, target = np.unique(moves.target[keep], return_inverse=True)
        left, right = moves.left[keep], moves.right[keep]
        row.move(Moves(place[moves.source[keep]], target, left, right))
        drift += moves.error + relative(moves.blur, float(min(left.min(), right.min())))
        if deep is None:
            layer, reached = kept(layer, reached), np.arange(reached.size)
        row.states = reached
        if t % TRIM_EVERY == 0:
            row.trim(deep)
            if deep is None and row.states.size < len(layer.made):
                layer = kept(layer, row.states)
                row.states = np.arange(row.states.size)
    row.trim(deep)
    drift += t * UNIT * (24 + 8 * row.widest)
    upper, lower = row.joined()
    lower = Masses(*(np.concatenate(side) for side in zip(lower, *telling, strict=True)))
    return Spectrum(upper, lower, row.lost, row.missing, drift, None if deep is None else deep.tail(blurred))
