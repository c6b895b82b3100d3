"""Outputs of a plain mechanism as rows of numbers, of which those are made one that differ by rounding errors alone;
and the score that reads their late digits, where noise lies on a grid before it is added.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import unmasked
from dpbandits.reference.bandits.noise import Array

BINARY_DIGITS = 43  # binary digits of a number that are looked at: 1e-13 of its size, 512 of a double's last units
SPREAD = 30  # and at least so many of the outputs' spread, 1e-9 of it, where they lie far from 0
EXACT = 2**53  # doubles are exact for whole numbers up to this
OutputScore = Callable[[Array], Array]
DIGIT_COLUMNS = 16  # of so many numbers of an output, evenly chosen, the digits are looked at
BASES = 10, 16  # in which grids are looked for: noise that is rounded to decimals, and floats, are written so
PARTS = 32  # of a step of a grid
FINER = 8.0  # a grid's step is smaller than the spread by so much, so that a smooth law has no part in what it tells
SURER = 100.0  # by so much farther numbers make a step exact, which is known to 1e-3 of itself or better


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


def digits(left: Array, right: Array) -> tuple[str, OutputScore] | None:
    """The score that reads some late digits of the outputs (n, d), and its name: where noise lies on a grid before it
    is added, an output's remainder by the grid's step is its input's. None where there is no step to try.

    The steps are powers of 10 and of 16, and the smallest difference between two outputs, from an eighth of the spread
    down to the last of the digits that are looked at.
    """
    best: tuple[float, int, float] | None = None
    for place in np.unique(np.linspace(0, left.shape[1] - 1, DIGIT_COLUMNS).astype(int)).tolist():
        tried = grid_steps(left[:, place], right[:, place])
        one, other = (in_parts(side[:, place], np.array(tried)) for side in (left, right))
        apart = ((one - other) ** 2 / np.maximum(1, one + other)).sum(axis=1)
        if tried and (best is None or apart.max() > best[0]):
            best = float(apart.max()), place, tried[int(apart.argmax())]
    if best is None:
        return None
    _, place, step = best
    counts = [in_parts(side[:, place], np.array([step]))[0] for side in (left, right)]
    logs = [el.log((count + 1) / (count.sum() + PARTS)) for count in counts]
    ratio = logs[1] - logs[0]
    return f"its remainder by {step:.3g}", lambda outputs: ratio[parts_of_step(outputs[:, place], step)]


def in_parts(values: Array, tried: Array) -> NDArray[np.int64]:
    """How many numbers, (n,), lie in each part of each of these steps; (steps, PARTS)."""
    place = parts_of_step(values, tried[:, None]) + PARTS * np.arange(len(tried))[:, None]
    return np.bincount(place.ravel(), minlength=PARTS * len(tried)).reshape(len(tried), PARTS)


def grid_steps(left: Array, right: Array) -> list[float]:
    """The steps of the grids that are looked for in these numbers of either side, (n,) each."""
    every = np.concatenate([left, right])
    spread, size = spread_of(every), float(np.quantile(np.abs(every), 0.75))
    low, high = 2.0**-BINARY_DIGITS * max(size, spread), spread / FINER
    if not (0 < low < high < np.inf):
        return []
    powers = [float(base) ** k for base in BASES for k in range(ceil(log(low, base)), floor(log(high, base)) + 1)]
    return powers + [gap for gap in (smallest_gap(side, low) for side in (left, right)) if low <= gap <= high]


def smallest_gap(numbers: Array, low: float) -> float:
    """The smallest difference above `low` of two of these numbers, (n,), made exact by farther and farther ones that
    should be multiples of it; 0 for none. Of numbers on a grid it is the step where some of them lie next to each
    other, and of no use where none do."""
    every = np.unique(numbers)
    gaps = np.diff(every)
    gaps[gaps <= low] = np.inf
    if not np.isfinite(gaps).any():
        return 0.0
    place = int(np.argmin(gaps))
    step = float(gaps[place])
    for other in (every[place:] - every[place], every[place] - every[place::-1]):
        reach = step
        while reach * SURER < other[-1]:
            reach = float(other[np.searchsorted(other, reach * SURER)])
            step = reach / round(reach / step)
    return step


def parts_of_step(values: Array, step: Any) -> NDArray[np.int64]:
    """In which part of a step each number lies; a grid that has 0 lies in the middle of one."""
    with np.errstate(over="ignore", invalid="ignore"):
        place = np.floor(values / step * PARTS + 0.5) % PARTS
    return np.where(np.isfinite(place), place, 0).astype(np.int64)
