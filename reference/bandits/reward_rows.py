"""Computes sums of rewards in the rows of a table, for tables that are stored one reward at a time or run-length
encoded.

A table is an array of shape (arms, length), or run-length encoded: an array of shape (arms, runs) and the lengths of
the runs, of shape (runs,), the same for all arms. So a table with 1e8 rewards per arm that change three times needs
four columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.checks import describe_given
from dpbandits.reference.bandits.noise import Array, Ints, Reals, frozen

MAX_TABLE_LENGTH = 2**63 - 1  # rewards of an arm: places are integers of 64 bits


def checked_lengths(lengths: Any, columns: int, name: str) -> Ints | None:
    """Returns the lengths of runs of equal rewards as a read-only array; None for None.
    Raises ValueError unless they are integers >= 1, one for each column."""
    if lengths is None:
        return None
    values = np.array(lengths)
    if values.shape != (columns,) or values.dtype.kind not in "iu" or values.min(initial=1) < 1:
        raise ValueError(
            f"{name}: lengths is {describe_given(lengths)}; give {columns} integers of at least 1, one for each column"
        )
    if int(values.max(initial=0)) > MAX_TABLE_LENGTH // max(columns, 1):
        raise ValueError(
            f"{name}: lengths contains {values.max()}; because the number of columns is {columns}, each "
            f"length must be at most {MAX_TABLE_LENGTH // columns:.2g}"
        )
    return frozen(values.astype(np.int64))


def length_of(rewards: Array, lengths: Ints | None) -> int:
    """The number of rewards of each arm in a table, which may be run-length encoded by `lengths`."""
    return int(rewards.shape[-1] if lengths is None else lengths.sum())


def columns_of(lengths: Ints | None, place: Ints | int) -> Ints | int:
    """The column of a run-length encoded table that contains each arm's reward at a position, counted from 0.
    The last column for a place beyond the end."""
    if lengths is None:
        return place
    return np.minimum(np.searchsorted(np.cumsum(lengths), place, side="right"), len(lengths) - 1)


def prefix_sums(rewards: Array, lengths: Ints | None = None) -> Array:
    """prefix[..., arm, k]: the sum of the arm's first k columns, summed in order, (..., arms, columns + 1).
    rewards: of one table or of several, (..., arms, columns)."""
    paid = rewards if lengths is None else rewards * lengths
    prefix = np.zeros((*paid.shape[:-1], paid.shape[-1] + 1))
    np.cumsum(paid, axis=-1, out=prefix[..., 1:])
    return prefix


def paid_before(rewards: Array, prefix: Array, lengths: Ints | None, place: Ints) -> Array:
    """The sum of each arm's first `place` rewards in a table that may be run-length encoded, (trials, arms)."""
    arm = np.arange(len(rewards))
    if lengths is None:
        return np.asarray(prefix[arm, place])
    column = columns_of(lengths, place)
    inside = place - (np.cumsum(lengths) - lengths)[column]
    return np.asarray(prefix[arm, column] + inside * rewards[arm, column])


def block_sums(rewards: Array, prefix: Array, start: Ints, counts: Ints, lengths: Ints | None = None) -> Array:
    """The sums of each arm's rewards from `start` to `start + counts`, (trials, arms), without a bound.

    A single reward is returned exactly as in the table, so that a policy that adds up single rewards has exactly the
    prefix sum; a longer block is a difference of prefix sums.
    """
    arm, last = np.arange(len(rewards)), length_of(rewards, lengths) - 1
    places = arm * rewards.shape[1] + columns_of(lengths, np.minimum(start, last))
    single: Array = counts * rewards.ravel().take(places)  # numpy gathers faster by one index than by two
    if counts.max(initial=0) <= 1:
        return single
    block = paid_before(rewards, prefix, lengths, start + counts) - paid_before(rewards, prefix, lengths, start)
    return np.where(counts <= 1, single, block)


def truncated_sums(
    rewards: Array, start: Ints, counts: Ints, bound: Reals | None, lengths: Ints | None = None
) -> Array:
    """The sums of each arm's rewards from `start` to `start + counts`, (trials, arms), truncated at a bound.
    A reward whose absolute value exceeds the bound of its trial and arm counts as 0."""
    bounds = np.broadcast_to(np.asarray(bound, dtype=np.float64), counts.shape)
    sums = np.zeros(counts.shape)
    for value in np.unique(bounds):
        kept = np.where(np.abs(rewards) <= value, rewards, 0.0)
        sums = np.where(bounds == value, block_sums(kept, prefix_sums(kept, lengths), start, counts, lengths), sums)
    return sums
