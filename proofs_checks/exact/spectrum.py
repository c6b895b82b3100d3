"""Spectra: the distribution of the privacy loss over a policy's transcripts, kept on a grid of losses.

The forward pass: one row per state of the walk (see `rows`), which moves along paths of several steps at once. What is
pruned on the way is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.moments import (
    TINIEST,
    UNIT_ROUNDOFF,
    Extremes,
    flow,
    log_gathered,
    log_total,
    relative,
)
from dpbandits.proofs_checks.exact.profile import ExactProfile
from dpbandits.proofs_checks.exact.rows import LEAST_PATH, MIN_MOVE_CHANCE, Cut, LossRows, Masses, empty_paths
from dpbandits.proofs_checks.exact.tails import Tail
from dpbandits.proofs_checks.exact.walk import Layer, Moves, Walk, select_states
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.linear import matrix_product
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

LEAST_LAW = 1e-290  # a probability below it has lost its relative precision
LEAST_FLOW = 1e-150
MIN_BLUR_MULTIPLE = 1e5  # so many times its blur a chance is followed from, that the drift stays below 1e-5 a step
DEEP_ORDERS = np.array([-4.0, -2.0, -1.0, -0.5, 0.0, 1.0, 1.5, 2.0, 3.0, 5.0])  # what a deep pass keeps: see Deep
OVERFLOW_EXPONENT = 700.0  # exp of more overflows
EACH = 64  # paths from a row that are followed before its cells move: six steps of two arms, three of three


class Deep:
    """Keeps account of the moments of everything and of what was pruned, over all states of the walk.

    A cell is kept where it matters to the moment of any order in DEEP_ORDERS: so the rows follow rare transcripts of
    high loss, which decide on Gaussian privacy (orders above 1 weigh left's tail, orders below 0 right's).
    """

    def __init__(self, orders: Array) -> None:
        self.orders = np.union1d(orders, DEEP_ORDERS)
        self.some = np.searchsorted(self.orders, DEEP_ORDERS)
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
        self.sharp &= self.least > LEAST_LAW or moves.log is not None
        self.rounding += step.rounding

    def heavy(self, tiny: float, loss: Array) -> Array:
        """From which m on cells of these losses are kept."""
        log = el.log(tiny) + self.sum[self.some, None] - (DEEP_ORDERS[:, None] - 0.5) * loss
        return np.asarray(el.exp(np.clip(log.min(axis=0), -OVERFLOW_EXPONENT, OVERFLOW_EXPONENT)))

    def tail(self, drift: float) -> Tail:
        lost = np.minimum(log_total(self.lost), self.sum)
        low, high = float(self.extremes.low.min()), float(self.extremes.high.max())
        return Tail(self.orders, lost, self.sum, low, high, drift + self.rounding, self.sharp)

    def lose(self, cut: Cut, states: Ints, grid: float) -> None:
        """Cells are pruned. states: of which state each row is; grid: how far the losses of neighbours are apart."""
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
        top = np.maximum(cells.max(axis=1, keepdims=True), TINIEST)
        sums = matrix_product(el.exp(power[:, None] * (grid * np.arange(most))), (cells / top).T)
        with np.errstate(divide="ignore"):
            log = el.log(sums) + el.log(top[:, 0]) + power[:, None] * cut.loss[head]
        row = cut.row[head]
        first = np.flatnonzero(np.diff(row, prepend=-1))
        group = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(row))))
        at = states[row[first]]
        self.lost[:, at] = np.logaddexp(self.lost[:, at], log_gathered(log, first, group))


def min_heavy_mass(tiny: float, loss: Array) -> Array:
    """From which m on a cell of this loss has a mass of `tiny` on some side."""
    return np.asarray(tiny * el.exp(-np.abs(loss) / 2))


class Offered(NamedTuple):
    """What becomes of the moves of a step. carried: (2, moves), the mass that each carries on either side. at_most: the
    most that this can be, by what the law may be wrong by. followed: which are followed, (moves,). telling: which are
    pruned and tell the sides apart, for one side cannot make them. certain: (2, moves), the least mass of those."""

    carried: Array
    at_most: Array
    followed: Any
    telling: Any
    certain: Array


def offered(moves: Moves, before: Array, least_flow: float) -> Offered:
    """Which moves are followed. before: (2, moves), the masses where they begin. least_flow: what is followed carries
    more on some side."""
    sides = np.stack([moves.left, moves.right])
    carried = before * sides
    # A move that is impossible on one side only, or that carries next to nothing, is pruned.
    followed = (sides.min(axis=0) > LEAST_LAW) & (carried.max(axis=0) > least_flow)
    followed &= np.sqrt(sides[0]) * np.sqrt(sides[1]) > MIN_MOVE_CHANCE
    followed &= sides.min(axis=0) > MIN_BLUR_MULTIPLE * moves.blur
    # What is possible, but too improbable for a double, is no more than the least one that is trusted.
    faint = 0.0 if moves.log is None else LEAST_LAW * (moves.log > -np.inf)
    at_most = carried + moves.blur * before + faint
    # What is impossible on one side only tells the sides apart: the dominated pair keeps it. Its mass there is not
    # exactly 0, but below what the law may be wrong by, or what a double can hold; and on the other side it may be less
    # by as much. By logarithms, what no double holds to all of its digits is taken for as much.
    excluded = sides.min(axis=0) <= (0 if moves.log is None else LEAST_LAW)
    telling = ~followed & excluded & (sides.max(axis=0) > (2 * moves.blur if moves.log is None else LEAST_LAW))
    least = np.where(sides > 0, np.maximum(sides - moves.blur, LEAST_LAW), max(moves.blur, LEAST_LAW))
    return Offered(carried, at_most, followed, telling, before * least)


class Pass:
    """A forward pass under way: the states that are followed, the rows behind them, and what was pruned so far."""

    def __init__(self, walk: Walk, grid: float, tiny: float, deep: Deep | None) -> None:
        self.walk, self.grid, self.tiny, self.deep = walk, grid, tiny, deep
        self.layer, self.rows, self.step = walk.start(), LossRows(grid), 0
        self.going, self.empty = walk.steps(self.layer), False
        # The states that are followed: which of the layer they are, and what they weigh on either side, at most.
        self.followed: Ints = np.zeros(1, dtype=np.int64)
        self.mass: Array = np.ones((2, 1))
        self.paths, self.weight = empty_paths(1), self.mass.T  # since the rows moved, and what these weighed then
        self.drift, self.drift_of_all, self.blur = 0.0, 0.0, 0.0  # of what is followed, and of the pruned as well
        self.rounded = 0  # how often a cell was rounded at most
        self.telling: list[Array] = []  # atoms (2, n) of moves that are impossible on one side
        self.lost, self.missing = np.zeros(2), np.zeros(2)

    def advance(self, known: tuple[Moves, Layer] | None) -> None:
        """One step further. known: its moves and the layer after it, where somebody has them. Raises ValueError where
        nothing is left, and nothing told the sides apart."""
        self.step += 1
        place = np.full(len(self.layer.made), -1)
        place[self.followed] = np.arange(self.followed.size)
        moves, self.layer = self.walk.advance(self.step, self.layer) if known is None else known
        before = np.where(place[moves.source] >= 0, self.mass[:, place[moves.source]], 0.0)
        found = offered(moves, before, self.tiny if self.deep is None else LEAST_FLOW)
        self.prune(moves, found)
        if found.followed.any():
            self.follow(moves, found, place)
            return
        if not found.telling.any():
            raise ValueError(f"step {self.step}: the whole mass was pruned; lower `prune`")
        self.going, self.empty = False, True
        self.drift += moves.error

    def prune(self, moves: Moves, found: Offered) -> None:
        """Counts what is not followed."""
        self.lost += found.at_most[:, ~found.followed].sum(axis=1)
        self.blur = max(self.blur, moves.blur)
        self.telling.append(found.certain[:, found.telling])
        self.missing += found.at_most[:, ~found.followed & ~found.telling].sum(axis=1)
        if self.deep is not None:
            self.deep.move(moves, ~found.followed)
            self.drift_of_all += moves.error + relative(moves.blur, self.deep.least)

    def follow(self, moves: Moves, found: Offered, place: Ints) -> None:
        """Makes the paths longer by a move. place: of each state of the layer before, which of the followed it is."""
        keep = found.followed
        reached, target = np.unique(moves.target[keep], return_inverse=True)
        left, right = moves.left[keep], moves.right[keep]
        self.drift += moves.error + relative(moves.blur, float(min(left.min(), right.min())))
        self.paths = self.paths.followed(Moves(place[moves.source[keep]], target, left, right))
        self.mass = np.stack([np.bincount(target, side) for side in found.carried[:, keep]])
        if self.deep is None:
            self.layer, reached = select_states(self.layer, reached), np.arange(reached.size)
        self.followed, self.going = reached, self.walk.steps(self.layer)

    def is_due(self) -> bool:
        """Whether the rows have to move now: at the end, and before the paths are too many or too improbable."""
        many = len(self.paths.source) > EACH // 2 * len(self.rows)
        return not self.going or many or bool(self.paths.root.min() < LEAST_PATH)

    def land(self) -> None:
        """Moves the rows along the paths, and prunes their ends."""
        self.rounded += self.rows.move(self.paths, self.weight)
        matters = min_heavy_mass if self.deep is None else self.deep.heavy
        stays, cut = self.rows.trim(partial(matters, self.tiny))
        self.lost = self.lost + [side.sum() for side in cut.above()]
        self.missing = self.missing + [side.sum() for side in cut.below]
        if self.deep is not None:
            self.deep.lose(cut, self.followed, self.grid)
        self.followed, self.mass = self.followed[stays], self.mass[:, stays]
        self.paths, self.weight = empty_paths(len(self.rows)), self.mass.T
        if self.deep is None and self.followed.size < len(self.layer.made):
            self.layer, self.followed = select_states(self.layer, self.followed), np.arange(self.followed.size)

    def profile(self) -> ExactProfile:
        """What was found, at the end."""
        lost, missing = ((float(left), float(right)) for left, right in (self.lost, self.missing))
        if self.empty:
            told = Masses(*np.concatenate(self.telling, axis=1))
            return ExactProfile(Masses(*np.zeros((2, 1))), told, lost, missing, self.drift, faint=self.blur)
        drift = self.drift + UNIT_ROUNDOFF * (self.step * (24 + 8 * self.rows.widest) + self.rounded)
        upper, lower = self.rows.joined()
        lower = Masses(*(np.concatenate(side) for side in zip(lower, *self.telling, strict=True)))
        tail = None
        if self.deep is not None and self.drift_of_all != np.inf:
            tail = self.deep.tail(self.drift_of_all)
        return ExactProfile(upper, lower, lost, missing, drift, faint=self.blur, tail=tail)


def spectrum(
    walk: Walk, grid: float, tiny: float, orders: Array | None, steps: Sequence[tuple[Moves, Layer]] | None = None
) -> ExactProfile:
    """The forward pass over all steps. See `laws` for the parameters and for the drift's bound. steps: all of the walk,
    where they are known, for a deep pass, which leaves out no state."""
    forward = Pass(walk, grid, tiny, None if orders is None else Deep(orders))
    while forward.going:
        forward.advance(None if steps is None else steps[forward.step])
        if not forward.empty and forward.is_due():
            forward.land()
    return forward.profile()
