"""Steps of the exact moments of released transcripts: one number per state and order, no grid and nothing pruned.

The moment sum_x P(x)^alpha Q(x)^(1-alpha) over all transcripts x follows from step to step on the walk over
states, because it is linear in the transcripts that meet in a state. It bounds the deep tail of the privacy
profile, where a forward pass with pruning knows nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.walk import Moves
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

UNIT_ROUNDOFF = 2.0**-53  # the unit roundoff of doubles
TINIEST = 5e-324  # the least positive double


class Flow(NamedTuple):
    """The logarithms of a step's probabilities, and where the runs of equal targets begin."""

    moves: Moves
    left: Array
    right: Array
    first: Ints

    def loss(self) -> Array:
        return self.left - self.right

    def factor(self, orders: Array) -> Array:
        """log p^alpha q^(1-alpha) of every move, (orders, moves)."""
        with np.errstate(invalid="ignore"):
            log = orders[:, None] * self.left + (1 - orders[:, None]) * self.right
        impossible = np.isinf(self.left) | np.isinf(self.right)  # on one side only: infinitely revealing
        if impossible.any():
            log[:, impossible] = np.inf
            log[np.ix_(orders == 1, impossible)] = self.left[impossible]
            log[np.ix_(orders == 0, impossible)] = self.right[impossible]
        return log

    def gather(self, values: Array) -> Array:
        """The log of the sum of exp(values) over the moves into each target. values: (orders, moves)."""
        return log_gathered(values, self.first, self.moves.target)

    @property
    def rounding(self) -> float:
        """What the logarithms of this step, and sums with them, are off by: some units of the largest one."""
        if self.moves.log is None:
            deepest = el.log(max(min(self.moves.left.min(), self.moves.right.min()), TINIEST))
        else:
            deepest = self.moves.log.min(initial=0.0, where=self.moves.log > -np.inf)
        return UNIT_ROUNDOFF * (8 + 8 * max(-float(deepest), 1.0))


def flow(moves: Moves) -> Flow:
    with np.errstate(divide="ignore"):
        left, right = el.log([moves.left, moves.right]) if moves.log is None else moves.log
    return Flow(moves, left, right, np.nonzero(np.diff(moves.target, prepend=-1))[0])


class Extremes(NamedTuple):
    """The smallest and the largest loss log(P/Q) of the transcripts that reach each state, (states,)."""

    low: Array
    high: Array

    def moved(self, step: Flow) -> Extremes:
        source, loss = step.moves.source, step.loss()
        with np.errstate(invalid="ignore"):
            low, high = self.low[source] + loss, self.high[source] + loss
        # inf - inf: a transcript that is impossible on the left and on the right does not count.
        low, high = np.where(np.isnan(low), np.inf, low), np.where(np.isnan(high), -np.inf, high)
        return Extremes(np.minimum.reduceat(low, step.first), np.maximum.reduceat(high, step.first))


def log_gathered(log: Array, first: Ints, group: Ints) -> Array:
    """log sum exp over the columns of each group, (orders, groups). log: (orders, n), sorted by group; group: of each
    column, 0, 1, ...; first: where each group begins."""
    top = np.maximum.reduceat(log, first, axis=1)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(over="ignore", divide="ignore"):
        sums = np.add.reduceat(el.exp(log - safe[:, group]), first, axis=1)
        return np.asarray(np.where(top == np.inf, np.inf, safe + el.log(sums)))


def log_total(log: Array) -> Array:
    """log sum exp over the states; log: (orders, states)."""
    top = log.max(axis=1)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(over="ignore", divide="ignore"):
        return np.asarray(np.where(top == np.inf, np.inf, safe + el.log(el.exp(log - safe[:, None]).sum(axis=1))))


def relative(error: float, value: float) -> float:
    """What an absolute error may change the log of a positive value by; inf where it may be all of it."""
    if error == 0:
        return 0.0
    return float(-el.log1p(-error / value)) if value > error else float(np.inf)
