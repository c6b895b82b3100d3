"""The score that reads late digits of outputs, where noise lies on a grid before it is added."""

from __future__ import annotations

from math import ceil, floor, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.privacy.scores.rounded_outputs import BINARY_DIGITS, OutputScore, spread_of
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

DIGIT_COLUMNS = 16  # of so many numbers of an output, evenly chosen, the digits are looked at
BASES = 10, 16  # in which grids are looked for: noise that is rounded to decimals, and floats, are written so
PARTS = 32  # of a step of a grid
FINER = 8.0  # a grid's step is smaller than the spread by so much, so that a smooth law has no part in what it tells
SURER = 100.0  # by so much farther numbers make a step exact, which is known to 1e-3 of itself or better


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
