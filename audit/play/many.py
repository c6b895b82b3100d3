"""Many reward tables in one batch: what a look at many neighbouring pairs plays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.environments import Ints, per_trial, prefix_sums
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array


@dataclass(frozen=True, eq=False)
class Many:
    """Many fixed tables at once: trial i plays tables[which[i]].

    relation: "pull" (the table says what the n-th pull of an arm pays) or "round" (what round t pays). tables:
    (tables, arms, length), entries in [0, 1]. which: (trials,).
    """

    relation: str
    tables: Array
    which: NDArray[np.int64]

    @property
    def arms(self) -> int:
        return int(self.tables.shape[1])

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Any) -> Array:
        start = made
        if self.relation != "pull":
            start = per_trial(made)[:, None] + np.cumsum(counts, axis=1) - counts
        if bound is None:
            return self.paid(np.inf, start, counts)
        bounds = np.broadcast_to(np.asarray(bound, dtype=np.float64), counts.shape)
        sums = np.zeros(counts.shape)
        for value in np.unique(bounds):
            sums = np.where(bounds == value, self.paid(float(value), start, counts), sums)
        return sums

    def paid(self, bound: float, start: Ints, counts: Ints) -> Array:
        kept, prefix = self.kept(bound)
        table, arm = self.which[:, None], np.arange(self.arms)
        flat = (table * self.arms + arm) * kept.shape[2]  # numpy gathers faster by one index than by three
        single: Array = counts * kept.reshape(-1).take(flat + np.minimum(start, kept.shape[2] - 1))
        if counts.max(initial=0) <= 1:
            return single
        block = prefix[table, arm, start + counts] - prefix[table, arm, np.minimum(start, kept.shape[2])]
        return np.where(counts <= 1, single, block)

    def kept(self, bound: float) -> tuple[Array, Array]:
        """The tables without rewards beyond the bound, and their prefix sums."""
        if bound >= 1:
            return self.whole
        kept = np.where(np.abs(self.tables) <= bound, self.tables, 0.0)
        return kept, summed(kept)

    @cached_property
    def whole(self) -> tuple[Array, Array]:
        return self.tables, summed(self.tables)


def summed(tables: Array) -> Array:
    """The prefix sums of every table, (tables, arms, length + 1), added up in order as a single table's are."""
    return np.stack([prefix_sums(table) for table in tables])


def both_tables(pairs: Sequence[Pair]) -> tuple[Array, Array]:
    """The left tables and the right tables, each (pairs, arms, length)."""
    return np.stack([pair.left for pair in pairs]), np.stack([pair.right for pair in pairs])
