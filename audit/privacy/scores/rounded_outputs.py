"""Outputs of a plain mechanism as rows of numbers, of which those are made one that differ by rounding errors alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.arithmetic.checks import unmasked
from dpbandits.reference.bandits.noise import Array

BINARY_DIGITS = 43  # binary digits of a number that are looked at: 1e-13 of its size, 512 of a double's last units
SPREAD = 30  # and at least so many of the outputs' spread, 1e-9 of it, where they lie far from 0
EXACT = 2**53  # doubles are exact for whole numbers up to this
OutputScore = Callable[[Array], Array]


def outputs_as_rows(outputs: Any, trials: int, where: str) -> Array:
    """A mechanism's outputs as numbers, (trials, d). Raises ValueError where they are none, or not so many."""
    unmasked(f"{where}: outputs", outputs)
    try:
        found = np.asarray(outputs)
    except ValueError:
        raise ValueError(
            f"{where}: outputs are rows of different lengths; give as many numbers for every trial"
        ) from None
    if found.dtype.kind not in "biuf":
        raise ValueError(f"{where}: outputs must be numbers, not of type {found.dtype}; give a row of numbers a trial")
    if found.ndim not in (1, 2) or len(found) != trials or not found.size:
        raise ValueError(f"{where}: outputs of shape {found.shape}; {trials} trials need ({trials},) or ({trials}, d)")
    if found.dtype.itemsize > 8 or (found.dtype.kind in "iu" and not ((found >= -EXACT) & (found <= EXACT)).all()):
        raise ValueError(
            f"{where}: outputs beyond 2^53, or of more than 8 bytes each, do not fit a double, and what tells them "
            "apart might get lost: subtract a constant, or give the high and the low digits as two columns"
        )
    # A copy: the mechanism may hand out the same buffer for the other input.
    return np.array(found, dtype=np.float64).reshape(trials, -1)


def merge_rounded_outputs(known: Array) -> OutputScore:
    """Makes one of all numbers that differ by rounding errors alone: each becomes the smallest of those like it among
    these outputs, (n, d), and stays as it is where none is.

    Nothing is cut at fixed places, where a last bit would decide; and supports that differ by more stay apart, however
    little it is.
    """
    kinds = [Kinds.of(column) for column in known.T]
    return lambda outputs: np.stack([kind.one(column) for kind, column in zip(kinds, outputs.T, strict=True)], axis=1)


class Kinds(NamedTuple):
    """Finite numbers in order, (n,), the smallest one like each, (n,), their size, and the largest width of a kind."""

    numbers: Array
    smallest: Array
    size: float
    most: float

    @staticmethod
    def of(column: Array) -> Kinds:
        every = column[np.isfinite(column)]
        numbers = np.unique(every)
        if not len(numbers):
            return Kinds(numbers, numbers, 0.0, 0.0)
        spread = spread_of(every)
        kinds = Kinds(numbers, numbers, float(np.quantile(np.abs(every), 0.75)), 2.0**-SPREAD * (spread or np.inf))
        with np.errstate(over="ignore"):
            starts = np.append(True, np.diff(numbers) > kinds.width(numbers[1:]))
        return kinds._replace(smallest=numbers[starts][np.cumsum(starts) - 1])

    def width(self, values: Array) -> Array:
        """By how much others may differ and are still the same; for numbers next to 0 the size of most decides, for
        they may be differences of larger ones."""
        return np.minimum(2.0**-BINARY_DIGITS * np.maximum(self.size, np.abs(values)), self.most)

    def one(self, values: Array) -> Array:
        """The smallest number of the kind of each value, (n,); the value itself where it is of no known kind."""
        if not len(self.numbers):
            return values + 0.0
        after = np.clip(np.searchsorted(self.numbers, values), 1 - (len(self.numbers) == 1), len(self.numbers) - 1)
        before = np.maximum(after - 1, 0)
        with np.errstate(invalid="ignore", over="ignore"):
            nearer = np.abs(values - self.numbers[before]) <= np.abs(self.numbers[after] - values)
            place = np.where(nearer, before, after)
            alike = np.isfinite(values) & (np.abs(values - self.numbers[place]) <= self.width(values))
        return np.where(alike, self.smallest[place], values) + 0.0  # and -0 is 0


def spread_of(finite: Array) -> float:
    """How far numbers lie apart: half of them, or all where half of them are the same."""
    with np.errstate(over="ignore"):
        return float(np.subtract(*np.quantile(finite, [0.75, 0.25]))) or float(np.ptp(finite))
