"""Features of a mechanism's outputs as numbers: each output is a row of numbers with an unknown law.

Outputs that differ only by rounding errors are first made equal, so that a score uses the numbers and not their last
bits. Then these features are computed, each of which increases the power for some mechanism
(`bench/search_ablation.py`): the numbers, sorted numbers and differences of neighbours; a remainder, for noise on a
grid that is added to the input; and numbers, differences of neighbours or whole outputs that occur repeatedly.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import ceil, floor, log
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbandits.audit.privacy.scores.classifier import (
    CODES,
    Candidate,
    Feature,
    OutputScore,
    RatioTable,
    candidates,
    counts_of_codes,
)
from dpbandits.audit.statistics.events import require_finite
from dpbandits.reference.arithmetic.checks import unmasked
from dpbandits.reference.bandits.noise import Array

BINS, MAX_BINS = 32, 1024  # of one number, at least and at most; of each of several numbers half of the least
MIN_BIN_OUTPUTS = 16  # outputs in a bin, or more
NONFINITE_SCORE = 1e12  # the score of an output that is no finite number, on the side where it came more often
MAX_ATOMS = 0.05  # of the search trials may be outputs that came again, to be looked at by themselves
BINARY_DIGITS = 43  # binary digits of a number that are read: 1e-13 of its size, 512 of a double's last units
SPREAD = 30  # and at least so many of the outputs' spread, 1e-9 of it, where they lie far from 0
EXACT = 2**53  # doubles are exact for whole numbers up to this
DIGIT_COLUMNS = 16  # of so many numbers of an output, evenly chosen, the digits are read
BASES = 10, 16  # in which grids are looked for: noise that is rounded to decimals, and floats, are written so
PARTS = 32  # of a step of a grid
FINER = 8.0  # a grid's step is smaller than the spread by so much, so that a smooth law has no part in what it tells
SURER = 100.0  # by so much farther numbers make a step exact, which is known to 1e-3 of itself or better
HASH = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def learnt_scores(left: Array, right: Array) -> Iterator[Candidate]:
    """Candidate scores learned from the outputs left and right, (n, d).
    A score is large if the right side is likelier."""
    pooled = np.concatenate([left, right])
    inside = [side[np.isfinite(side).all(axis=1)] for side in (left, right)]
    for found in finite_scores(inside[0], inside[1]):
        yield found._replace(score=guard_nonfinite(found.score, left, right))
    if pooled.shape[1] > 1 and not np.isfinite(pooled).all():
        split = split_missing(pooled)
        for found in finite_scores(split(left), split(right)):
            yield Candidate(f"{found.name}, with nan and inf as kinds", score_after(split, found.score), found.learnt)
    if len(np.unique(pooled, axis=0)) < len(pooled):
        # However seldom: among numbers that are spread out, one that comes again is noise that was left out, or a grid
        # that noise lies on before it is added.
        yield from candidates([WHOLE_OUTPUTS], left, right)


def finite_scores(left: Array, right: Array) -> Iterator[Candidate]:
    """Yields scores for rows of finite numbers; a constant score if one side has fewer than two rows."""
    if min(len(left), len(right)) < 2:
        yield Candidate("whether the output is a number", lambda outputs: np.zeros(len(outputs)), learnt=False)
        return
    yield from candidates(features_of(left, right), left, right)


def features_of(left: Array, right: Array) -> Iterator[Feature]:
    """The features of outputs that are rows of finite numbers, such as left and right, (n, d)."""
    if left.shape[1] == 1:
        middle = float(np.median(np.concatenate([left, right])))
        bins = max(BINS, min(MAX_BINS, 2 * len(left) // MIN_BIN_OUTPUTS))
        yield Feature("the output", as_they_are, bins, itself=True)
        yield Feature("its distance from the middle", partial(distance, middle), bins, itself=True)
    else:
        for name, view in VIEWS.items():
            yield Feature(name, view, BINS // 2, regression=True, itself=True)
        yield Feature("numbers that come again", as_they_are, CODES)
        yield Feature("differences that come again", differences, CODES)
    if (remainder := remainder_of(left, right)) is not None:
        yield remainder


def as_they_are(outputs: Array) -> Array:
    """Returns the outputs unchanged, as the simplest feature."""
    return outputs


def distance(middle: float, outputs: Array) -> Array:
    """Returns the absolute distance of each output from `middle`."""
    return np.abs(outputs - middle)


def sorted_rows(outputs: Array) -> Array:
    """Returns the rows with the numbers of each row sorted.
    If a mechanism shuffles its outputs, the largest number still has a fixed place."""
    return np.sort(outputs, axis=1)


def differences(outputs: Array) -> Array:
    """Returns the differences of neighbouring numbers of each output, in which common noise cancels."""
    return np.diff(outputs, axis=1)


VIEWS = {"the numbers": as_they_are, "the sorted numbers": sorted_rows, "differences of neighbours": differences}


def whole_output(outputs: Array) -> Array:
    """Encodes all bits of each row in one number, (n, 1); different rows almost never (2^-53) have equal codes."""
    word = np.zeros(len(outputs), dtype=np.uint64)
    for column in np.ascontiguousarray(outputs.T, dtype=np.float64).view(np.uint64):
        word = (word ^ column) * HASH[0]
        word = (word ^ (word >> np.uint64(29))) * HASH[1]
        word ^= word >> np.uint64(32)
    return np.asarray((word >> np.uint64(11)).astype(np.float64)[:, None])


WHOLE_OUTPUTS = Feature("whole outputs", whole_output, CODES)


def rare_atoms(left: Array, right: Array) -> OutputScore | None:
    """Returns a score that is 0 except for outputs that were repeated; None if there are none, or too many.
    A mechanism that sometimes omits the noise returns exact copies, too rarely for a score of all outputs. Outputs are
    (n, d). None as well if so many are repeated that a score of all outputs uses them."""
    one, other = whole_output(left)[:, 0], whole_output(right)[:, 0]
    _, _, times = counts_of_codes(one, other)
    again = int(times[times > 1].sum())
    if not 0 < again <= MAX_ATOMS * (len(left) + len(right)):
        return None
    table = RatioTable.of(one, other, CODES).only(times > 1)
    return lambda outputs: table(whole_output(outputs)[:, 0])


# -- what is no finite number ------------------------------------------------------------------------------------


def split_missing(known: Array) -> OutputScore:
    """Returns a function that replaces numbers that are not finite in any rows of outputs.
    In each column, missing numbers are replaced by the median of the known ones; a column with missing numbers gets a
    second column that encodes the kind of the missing number."""
    finite = np.isfinite(known)
    some = ~finite.all(axis=0)
    middle = np.array([np.median(each[own]) if own.any() else 0.0 for each, own in zip(known.T, finite.T, strict=True)])

    def split(outputs: Array) -> Array:
        """Replaces numbers that are not finite by the column's median, and appends columns with their kinds."""
        numbers = np.where(np.isfinite(outputs), outputs, middle)
        return np.concatenate([numbers, nonfinite_kinds(outputs[:, some])], axis=1)

    return split


def score_after(read: OutputScore, score: OutputScore) -> OutputScore:
    """Returns a score of outputs that computes features by `read` and then applies `score` to them."""
    return lambda outputs: score(read(outputs))


def guard_nonfinite(score: OutputScore, left: Array, right: Array) -> OutputScore:
    """Returns the score, extended to outputs with numbers that are not finite.
    The pattern of the non-finite numbers is an event of its own: it scores NONFINITE_SCORE, or minus that, for the side
    on which it was more frequent among these outputs; 0 if it never occurred."""
    table: dict[bytes, float] = {}
    for sign, side in ((-1.0, left), (1.0, right)):
        for pattern in patterns(side):
            table[pattern] = table.get(pattern, 0.0) + sign / len(side)

    def guard(outputs: Array) -> Array:
        """Scores outputs, (n, columns) to (n,), also those with non-finite numbers.
        All scores are finite."""
        inside = np.isfinite(outputs).all(axis=1)
        scores = np.zeros(len(outputs))
        scores[inside] = score(outputs[inside])
        scores[~inside] = [NONFINITE_SCORE * np.sign(table.get(pattern, 0.0)) for pattern in patterns(outputs)]
        return require_finite(scores, "a learnt score")

    return guard


def patterns(outputs: Array) -> list[bytes]:
    """Returns the pattern of nan, inf and -inf in each output that contains any, as bytes."""
    return [row.tobytes() for row in nonfinite_kinds(outputs[~np.isfinite(outputs).all(axis=1)])]


def nonfinite_kinds(numbers: Array) -> NDArray[np.int8]:
    """Returns 1 for nan, 2 for inf, 3 for -inf, and 0 for finite numbers."""
    return np.asarray(np.isnan(numbers) + 2 * np.isposinf(numbers) + 3 * np.isneginf(numbers), dtype=np.int8)


# -- outputs as rows, and what rounding leaves of them -------------------------------------------------------------


def outputs_as_rows(outputs: ArrayLike, trials: int, where: str) -> Array:
    """A mechanism's outputs as numbers, (trials, d).
    Raises ValueError if they are not numbers, or if their number is wrong."""
    unmasked(f"{where}: outputs", outputs)
    try:
        found = np.asarray(outputs)
    except ValueError:
        raise ValueError(
            f"{where}: the outputs of different trials have different lengths; return equally many numbers "
            "for every trial"
        ) from None
    if found.dtype.kind not in "biuf":
        raise ValueError(f"{where}: outputs have type {found.dtype}; they must be numbers, one row for each trial")
    if found.ndim not in (1, 2) or len(found) != trials or not found.size:
        raise ValueError(
            f"{where}: outputs have shape {found.shape}; for trials = {trials} the shape must be ({trials},) "
            f"or ({trials}, d)"
            + ("; if your function returns one output per call, call it once for each trial" if not found.ndim else "")
        )
    if found.dtype.itemsize > 8 or (found.dtype.kind in "iu" and not ((found >= -EXACT) & (found <= EXACT)).all()):
        raise ValueError(
            f"{where}: outputs above 2^53, or of more than 8 bytes each, are not exact as doubles, so "
            "differences could be lost; subtract a constant, or give high and low digits as two columns"
        )
    # A copy: the mechanism may hand out the same buffer for the other input.
    return np.array(found, dtype=np.float64).reshape(trials, -1)


def merge_rounded_outputs(known: Array) -> OutputScore:
    """A function that makes numbers equal if they differ only by rounding errors.
    Each number becomes the smallest equivalent one among these outputs, (n, d), and is unchanged if there is none.

    There are no fixed thresholds, at which a last bit would decide. Supports that differ by more than rounding stay
    separate, however close they are.
    """
    kinds = [Kinds.of(column) for column in known.T]
    return lambda outputs: np.stack([kind.one(column) for kind, column in zip(kinds, outputs.T, strict=True)], axis=1)


class Kinds(NamedTuple):
    """Classes of numbers that are equal up to rounding: finite numbers in order, (n,), the smallest number of the class
    of each, (n,), their size, and the largest width of a class."""

    numbers: Array
    smallest: Array
    size: float
    most: float

    @staticmethod
    def of(column: Array) -> Kinds:
        """Groups the numbers of one column of outputs, (n,), into classes of numbers that are equal up to rounding."""
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
        """Returns the tolerance of each value: numbers that differ from it by at most this much count as equal.
        Near 0 it depends on the typical size of the numbers, because a small number may be the difference of large
        ones."""
        return np.minimum(2.0**-BINARY_DIGITS * np.maximum(self.size, np.abs(values)), self.most)

    def one(self, values: Array) -> Array:
        """Returns the smallest number in the class of each value, (n,); a value outside all classes stays unchanged."""
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
    """The interquartile range of the numbers; their full range if the interquartile range is 0."""
    with np.errstate(over="ignore"):
        return float(np.subtract(*np.quantile(finite, [0.75, 0.25]))) or float(np.ptp(finite))


# -- late digits -------------------------------------------------------------------------------------------------


def remainder_of(left: Array, right: Array) -> Feature | None:
    """Returns a feature of some late digits of the outputs (n, d); None if there is no step to try.
    If noise on a grid is added to the input, an output's remainder modulo the grid's step is that of its input.

    The steps are powers of 10 and of 16, and the smallest difference between two outputs, from an eighth of the spread
    down to the last digit that is used. The feature uses the step and the number of a row for which both sides differ
    most in a chi-squared statistic.
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
    return Feature(f"its remainder by {step:.3g}", partial(remainder, place, step), CODES)


def remainder(place: int, step: float, outputs: Array) -> Array:
    """Returns which of PARTS equal parts of a grid step contains the remainder of a number of each output, (n, 1).
    place: of the number in the output."""
    return parts_of_step(outputs[:, [place]], step).astype(np.float64)


def in_parts(values: Array, tried: Array) -> NDArray[np.int64]:
    """Returns a histogram of the remainders of the values (n,) for each step size in `tried`, (steps, PARTS).
    It counts the remainders in each of PARTS equal parts of the step."""
    place = parts_of_step(values, tried[:, None]) + PARTS * np.arange(len(tried))[:, None]
    return np.bincount(place.ravel(), minlength=PARTS * len(tried)).reshape(len(tried), PARTS)


def grid_steps(left: Array, right: Array) -> list[float]:
    """Returns the grid steps that are tried for one number of the outputs.
    left, right: the values of this number on either side, (n,) each."""
    every = np.concatenate([left, right])
    spread, size = spread_of(every), float(np.quantile(np.abs(every), 0.75))
    low, high = 2.0**-BINARY_DIGITS * max(size, spread), spread / FINER
    if not (0 < low < high < np.inf):
        return []
    powers = [float(base) ** k for base in BASES for k in range(ceil(log(low, base)), floor(log(high, base)) + 1)]
    return powers + [gap for gap in (smallest_gap(side, low) for side in (left, right)) if low <= gap <= high]


def smallest_gap(numbers: Array, low: float) -> float:
    """Returns the smallest difference above `low` between two of the numbers, (n,); 0 if there is none.
    Larger differences that should be multiples of it make it more exact. For numbers on a grid it is the grid's step if
    some of them are adjacent, and useless otherwise."""
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


def parts_of_step(values: Array, step: float | Array) -> NDArray[np.int64]:
    """Returns which of PARTS equal parts of a grid step contains the remainder of each value, from 0.
    A remainder of 0 lies in the middle of part 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        place = np.floor(values / step * PARTS + 0.5) % PARTS
    return np.where(np.isfinite(place), place, 0).astype(np.int64)
