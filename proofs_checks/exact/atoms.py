"""A pair of finite measures as atoms, sorted by how much each tells."""

from __future__ import annotations

import numpy as np

from dpbandits.proofs_checks.exact.moments import UNIT_ROUNDOFF
from dpbandits.proofs_checks.exact.rows import Masses
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array


class Atoms:
    """A pair of finite measures sorted by the loss log(left/right), with its sums from both ends."""

    def __init__(self, masses: Masses) -> None:
        some = (masses.left > 0) | (masses.right > 0)
        left, right = masses.left[some], masses.right[some]
        with np.errstate(divide="ignore"):
            logs = np.stack([el.log(left), el.log(right)])
        loss = logs[0] - logs[1]
        order = np.argsort(loss, kind="stable")
        self.loss: Array = loss[order]
        self.left: Array = left[order]
        self.right: Array = right[order]
        # above[i]: the mass of the atoms i, i+1, ...; below[i]: that of the atoms 0, ..., i-1.
        self.above = [np.append(np.cumsum(side[::-1])[::-1], 0.0) for side in (self.left, self.right)]
        self.below = [np.append(0.0, np.cumsum(side)) for side in (self.left, self.right)]
        # What a loss, and so an atom's place among the others, is off by: two logarithms and their difference. Where
        # both masses are the same, or one is 0, it is exact.
        inexact = np.isfinite(loss) & (left != right)
        self.blunt = 8 * UNIT_ROUNDOFF * float(np.abs(logs[:, inexact]).sum(axis=0).max(initial=0.0))
        self.error = 2 * UNIT_ROUNDOFF * (self.loss.size + 8) + self.blunt  # relative, of a sum over the atoms

    def delta(self, eps: Array) -> tuple[Array, Array]:
        """sum max(0, left - exp(eps) right), and a bound on its rounding error."""
        first = np.searchsorted(self.loss, eps, side="right")
        left, right = self.above[0][first], self.above[1][first]
        with np.errstate(over="ignore", invalid="ignore"):
            rest = np.where(right > 0, el.exp(eps) * right, 0.0)  # where right > 0, this is at most left
        return np.maximum(left - np.minimum(rest, left), 0.0), self.error * left * 2


def tradeoff_positions(atoms: Atoms, points: int) -> Array:
    """Up to `points` positions among the atoms: evenly along the trade-off curve, and closer near its two
    ends.
    """
    way = atoms.below[0] + atoms.below[1]
    near = el.geometric(1e-9, 0.05, max(points // 4, 2))
    positions = [
        np.searchsorted(way, np.linspace(0, way[-1], max(points - 2 * near.size, 3)) * (1 - 1e-15)),
        np.searchsorted(atoms.below[0], near),
        atoms.loss.size - np.searchsorted(atoms.above[1][::-1], near),
    ]
    return np.unique(np.clip(np.concatenate(positions), 0, atoms.loss.size))
