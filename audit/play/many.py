"""Plays a policy on many reward tables in one batch, as a search over neighbouring pairs needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.environments import per_trial
from dpbandits.reference.bandits.noise import Array, Ints, Noise, Reals
from dpbandits.reference.bandits.reward_rows import columns_of, length_of, prefix_sums


class ContextBatch(NamedTuple):
    """The contexts of several tables: those of trial i are every[of[which[i]]]."""

    every: tuple[Contexts, ...]
    of: Ints
    which: Ints

    def seen(self, t: int, trials: int) -> Array:
        """Returns the features of all arms in round t, counted from 1, for each trial: (trials, arms, d)."""
        features = [each.features[columns_of(each.lengths, t - 1)] for each in self.every]
        return np.asarray(np.stack(features)[self.of[self.which]])


@dataclass(frozen=True, eq=False)
class TableBatch:
    """Several fixed tables: trial i plays tables[which[i]].

    relation: "pull" (the table contains the reward of an arm's n-th pull), or another relation (the table contains the
    rewards of round t). tables: (tables, arms, length), entries in the pairs' range. which: (trials,). lengths: None,
    or that of each run, (runs,), and the tables are (tables, arms, runs). contexts: None, or those that the trials see.
    """

    relation: str
    tables: Array
    which: NDArray[np.int64]
    lengths: Ints | None = None
    contexts: ContextBatch | None = None

    @property
    def arms(self) -> int:
        """The number of arms."""
        return int(self.tables.shape[1])

    def playing(self, which: NDArray[np.int64]) -> TableBatch:
        """Returns the same tables with another assignment of trials: trial i plays on table which[i]."""
        contexts = None if self.contexts is None else self.contexts._replace(which=which)
        same = TableBatch(self.relation, self.tables, which, self.lengths, contexts)
        vars(same).update(whole=self.whole, largest=self.largest)
        return same

    def draw(self, t: int, made: Ints, counts: Ints, bound: Reals | None, noise: Noise) -> Array:
        """Returns the sums of `counts` rewards in every trial's own table, (trials, arms), as `Environment.draw`."""
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
        """Returns the sum of each arm's next `counts` rewards from position `start` on, (trials, arms).
        Rewards of a size above `bound` count as 0."""
        kept, prefix = self.kept(bound)
        last = length_of(kept, self.lengths) - 1
        single: Array = counts * kept.reshape(-1).take(self.begins + columns_of(self.lengths, np.minimum(start, last)))
        if counts.max(initial=0) <= 1:
            return single
        table, arm = self.which[:, None], np.arange(self.arms)
        if self.lengths is None:
            block = prefix[table, arm, start + counts] - prefix[table, arm, np.minimum(start, kept.shape[2])]
        else:
            ends = [self.before(kept, prefix, place) for place in (start, start + counts)]
            block = ends[1] - ends[0]
        return np.where(counts <= 1, single, block)

    def before(self, kept: Array, prefix: Array, place: Ints) -> Array:
        """Returns the sum of each arm's first `place` rewards, (trials, arms), for tables stored in runs.
        A run is a stretch of equal rewards."""
        assert self.lengths is not None
        table, arm, column = self.which[:, None], np.arange(self.arms), columns_of(self.lengths, place)
        inside = place - (np.cumsum(self.lengths) - self.lengths)[column]
        return np.asarray(prefix[table, arm, column] + inside * kept[table, arm, column])

    def kept(self, bound: float) -> tuple[Array, Array]:
        """Returns copies of the tables with rewards of a size above `bound` replaced by 0, and their prefix sums."""
        if bound >= self.largest:
            return self.whole
        kept = np.where(np.abs(self.tables) <= bound, self.tables, 0.0)
        return kept, prefix_sums(kept, self.lengths)

    @cached_property
    def begins(self) -> Ints:
        """The index, in the flattened tables, of the first reward of each arm of each trial, (trials, arms).
        Numpy gathers faster by one index than by three."""
        return np.asarray((self.which[:, None] * self.arms + np.arange(self.arms)) * self.tables.shape[2])

    @cached_property
    def largest(self) -> float:
        """The largest absolute value of a reward in any table."""
        return float(np.abs(self.tables).max(initial=0.0))

    @cached_property
    def whole(self) -> tuple[Array, Array]:
        """The unchanged reward tables, and the prefix sums of their rewards."""
        return self.tables, prefix_sums(self.tables, self.lengths)


def both_tables(pairs: Sequence[Pair]) -> tuple[TableBatch, TableBatch]:
    """Returns the left tables of all pairs, and the right tables, as two batches; each table is played by one trial.
    Tables in runs of equal rewards get the same runs."""
    lasts = [np.cumsum(pair.lengths) for pair in pairs if pair.lengths is not None]
    ends = np.unique(np.concatenate(lasts)).tolist() if lasts else []
    alike = [pair.parted(*ends) for pair in pairs]
    relation, lengths, which = alike[0].relation, alike[0].lengths, np.arange(len(alike))
    left, right = np.stack([pair.left for pair in alike]), np.stack([pair.right for pair in alike])
    seen = [contexts_of([pair.both_contexts[side] for pair in alike], which) for side in (0, 1)]
    return TableBatch(relation, left, which, lengths, seen[0]), TableBatch(relation, right, which, lengths, seen[1])


def contexts_of(sides: Sequence[Contexts | None], which: Ints) -> ContextBatch | None:
    """Returns the contexts of several tables as one batch; None if no table has contexts.
    Each distinct object is stored once. which: the table that each trial plays."""
    every = {id(side): side for side in sides if side is not None}
    place = {name: k for k, name in enumerate(every)}
    return ContextBatch(tuple(every.values()), np.array([place[id(side)] for side in sides]), which) if every else None
