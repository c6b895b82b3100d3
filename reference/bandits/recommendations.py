"""Operations on rows of released counts. A row contains the pulls of each arm, or the final recommendation of a run (-1
at one arm, 0 elsewhere)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic.checks import at_least, checked_integer, unmasked
from dpbandits.reference.bandits.noise import Array, Flags, Ints, frozen

MANY_ROWS, FEW_COLUMNS = 500, 10  # where numpy's argmax along a row is the slower one
MOST_ARMS = 2**15  # their table of single pulls takes 8 GB
ANSWER = "return Pulls.answer(arm, arms)"  # the remedy


@lru_cache(maxsize=64)
def unit(arms: int) -> Ints:
    """The identity matrix, (arms, arms), read-only: row i contains one pull of arm i."""
    checked_integer(arms, "arms", 1, MOST_ARMS)
    return frozen(np.eye(arms, dtype=np.int64))


def one_hot_rows(error_prefix: str, arm: NDArray[np.integer], arms: int) -> Ints:
    """A row with 1 at the arm for every trial, read-only. Raises ValueError for an invalid arm."""
    unmasked(error_prefix, arm)
    if (given := np.asarray(arm)).dtype.kind not in "iub":
        raise ValueError(
            f"{error_prefix}: arms have type {given.dtype}, for example {given.flat[0] if given.size else None}; each "
            f"arm must be an integer from 0 to {arms - 1}. If the values are whole numbers, use "
            "arm.astype(int)"
        )
    if type(arms) is not int or arms < 1:
        at_least(f"{error_prefix}: arms", arms, 1)
    if np.size(arm) and not ((low := given.min()) >= 0 and given.max() < arms):
        raise ValueError(
            f"{error_prefix}: the arms lie between {low} and {np.max(arm)}; they must lie between 0 and {arms - 1}"
        )
    return frozen(unit(arms).take(arm, axis=0))


def row_argmax(values: Ints | Array) -> NDArray[np.intp]:
    """values.argmax(axis=1), (rows,), the first of the largest entries in each row.
    (numpy's own is slow for many rows of few columns.)"""
    if len(values) < MANY_ROWS or not 2 <= values.shape[1] <= FEW_COLUMNS or values.dtype.kind not in "fiu":
        return np.asarray(values.argmax(axis=1))
    columns = np.ascontiguousarray(values.T)
    top = columns == np.maximum.reduce(columns)
    behind = np.maximum.reduce(top.view(np.int8) * np.arange(len(columns), 0, -1, dtype=np.int8)[:, None])
    return np.asarray(values.argmax(axis=1) if not behind.all() else len(columns) - behind.astype(np.intp))  # or a nan


def answers(policy: object) -> bool:
    """Whether the policy's runs end with an answer. Raises TypeError if its `answers` is neither True nor False."""
    said = getattr(policy, "answers", False)
    if not isinstance(said, bool):
        raise TypeError(
            f"{type(policy).__name__}.answers is {said!r}; set it to True if runs end with a final "
            "recommendation, and omit it otherwise"
        )
    return said


def answered(counts: Ints) -> Flags:
    """Whether each row of released counts (..., arms) is an answer."""
    return np.asarray((counts < 0).any(axis=-1))


def pulls_without_answers(counts: Ints) -> Ints:
    """The pull counts, with 0 in place of final recommendations; the same array if there is none."""
    return frozen(np.maximum(counts, 0)) if counts.min(initial=0) < 0 else counts


def checked_answers(error_prefix: str, counts: Ints, may_answer: bool) -> None:
    """Raises ValueError unless the rows with a negative number are valid answers, and answers are allowed.
    Rows are those of counts, (..., arms). may_answer: whether the policy declares that it answers."""
    if not may_answer:
        raise ValueError(
            f"{error_prefix}: a pull count is {counts.min()}; counts must be at least 0. (A policy with answers = "
            "True uses -1 for its final recommendation)"
        )
    rows = counts[answered(counts)]
    wrong = ((rows != 0).sum(axis=1) != 1) | (rows.min(axis=1) != -1)
    if wrong.any():
        raise ValueError(
            f"{error_prefix}: a row of counts is {rows[wrong.argmax()].tolist()}; all counts must be at least "
            "0, or the row "
            f"must be a final recommendation, with -1 for one arm and 0 for all others: {ANSWER}"
        )
