"""Validation of the parameters that all algorithms of the paper share."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.checks import is_number, positive
from dpbandits.reference.bandits.policy import Ints


def checked_moments(v: Any, u: Any) -> None:
    """ValueError unless v lies in (0, 1], and u is positive and finite."""
    if not (is_number(v) and 0 < v <= 1):
        raise ValueError(f"v is {v!r}; it must lie in (0, 1], because moments of order 1 + v are bounded")
    positive("u", u)


MOST_COUNTED = 1000  # counters for one number, at most


def each_once(whole: Ints) -> tuple[Ints, Ints]:
    """The numbers that occur among these whole ones >= 0, in order, and which of them each is; of the shape of `whole`.
    In many trials few occur, and what hangs on them alone is dear: powers."""
    if whole.size and whole.max() > MOST_COUNTED * whole.size:  # a counter for each would take more time than sorting
        numbers, place = np.unique(whole, return_inverse=True)
        return numbers, place.reshape(whole.shape)
    found = np.flatnonzero(np.bincount(whole.ravel()))
    place = np.zeros(found.max(initial=0) + 1, dtype=np.int64)
    place[found] = np.arange(len(found))
    return found, place[whole]
