"""The best round of the threshold game for the adversary: the largest value over all pairs of pull probabilities
("coins") that the round may have, for many likelihood ratios at once.

Numba computes this maximum if numba is installed, and numpy otherwise, with the same results bit by bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import is_
from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.compiled_cache import cached_kernel
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

MAX_CACHED_VALUES = 2**15  # values at once: they fit a processor's inner cache
# Relative, of one round: four products and three sums, and where coins have weights a sum of some hundred products
RATIO_ROUNDING = 1e-12
# Of single precision, 24 bits: a product, two sums, and the product with this; no coin has a weight there
SINGLE_ROUNDING = 3 * 2.0**-23
# Smaller numbers are taken for it: a round's sum is no less, as one side's masses add up to 1, and what underflows of
# its products, below 2^-126 each, is less than what SINGLE_ROUNDING has to spare.
LEAST_SINGLE = 2.0**-100
STRETCH = 50  # where values above the floor reach further down, so much of the grid is looked at next
# Where values stand near the floor, and a stretch further down does not even fall so far, they are what was kept of
# those below, which rounding has lifted above it: looking on would go all the way down, round after round.
NEAR_FLOOR, FLAT, SINGLE_FLAT = 2.0, 1 - 1e-7, 1 - 2.0**-16
COMPILED_FROM = 1e6  # ratios of all rounds and counts: with fewer, loading what was compiled takes longer than it saves
NO_WEIGHTS: Array = np.zeros((0, 0))


class Taps(NamedTuple):
    """The effect of outcomes on padded values: the value at the ratio with index i becomes the chord between the ratios
    with indices places[.., k] + i and the next one, with the weights kernels[.., k]. (2, coins) and (2, coins, 2):
    pulled or not. weights: None if the best coin counts; otherwise the value of a round is the sum of weight times the
    best of the coins up to this one, maximised over the rows of (laws, coins)."""

    places: Ints
    kernels: Array
    weights: Array = NO_WEIGHTS


BestOfCoins = Callable[[Taps, Array, Array, int, int], Array]
# The coins of many counts, and where each count's end; padded values at these counts and at one more; of the grid its
# size and floor; where each count begins. To the values one round earlier, and from where on they were computed.
ReachedRows = Callable[[Taps, Ints, Sequence[Array], int, float, Sequence[int]], tuple[list[Array], list[int]]]


class Precision(NamedTuple):
    """The number format of values. growth: the factor for the rounding of a round. flat: smaller decreases count as
    none. Both have the type of the values, so that no sum changes the type."""

    growth: Any
    flat: Any


def rounding_constants(values: Array) -> Precision:
    """The constants by which computed values of this number type are rounded up."""
    growth, flat = (RATIO_ROUNDING, FLAT) if values.dtype == np.float64 else (SINGLE_ROUNDING, SINGLE_FLAT)
    return Precision(values.dtype.type(1 + growth), values.dtype.type(flat))


def in_single_precision(values: Array) -> Any:
    """Converts nonnegative values to single precision, rounded up."""
    least = np.maximum(values, LEAST_SINGLE)
    found = least.astype(np.float32)
    return np.where(found < least, np.nextafter(found, np.float32(np.inf)), found)


def value_before_round(coins: Taps, without_pull: Array, with_pull: Array, begin: int, end: int) -> Array:
    """The game's value before a round, at ratios begin to end - 1 of the grid: the largest value over the coins.
    The ratios are those from index begin to end. `without_pull` and `with_pull` are the padded values after this round,
    without and with a pull of the changed arm."""
    size = end - begin
    best, many = np.zeros(size, dtype=without_pull.dtype), max(1, MAX_CACHED_VALUES // size)
    summed = np.zeros((len(coins.weights), size))
    # Row i is what values are from begin + i on: as by sliding_window_view, which takes ten times as long.
    ahead = [
        np.ndarray((values.size - end, size + 1), values.dtype, values, begin * values.itemsize, 2 * values.strides)
        for values in (with_pull, without_pull)
    ]
    for start in range(0, coins.places.shape[1], many):
        some = slice(start, start + many)
        sides = []
        for windows, places, kernels in zip(ahead, coins.places[:, some], coins.kernels[:, some], strict=True):
            seen = windows[places]
            side, after = seen[:, :-1] * kernels[:, :1], seen[:, 1:]
            after *= kernels[:, 1:]
            side += after
            sides.append(side)
        value, other = sides
        value += other
        for weight, row in zip(coins.weights[:, some].T, value, strict=False):
            summed += np.multiply.outer(weight, np.maximum(best, row, out=best))
        np.maximum(best, value.max(axis=0), out=best)
    best = summed.max(axis=0) if len(summed) else best
    best *= rounding_constants(best).growth
    return np.asarray(best)


def values_before_round(
    coins: Taps,
    without_pull: Array,
    with_pull: Array,
    size: int,
    floor: float,
    lowest: int,
    best: BestOfCoins = value_before_round,
) -> tuple[Array, int]:
    """Returns the game's values before a round, on the padded grid, and the lowest index that was computed.

    The computation proceeds downwards in blocks. It ends with the first block whose lowest value is at most `floor`, or
    before a block in which values near `floor` hardly fall. All lower indices are given the last value, which is an
    upper bound on theirs. size: the size of the grid. lowest: the lowest
    index of the first block that is computed.
    """
    found = np.ones(3 * size + 1, dtype=without_pull.dtype)
    end, flat, floor = size, rounding_constants(without_pull).flat, without_pull.dtype.type(floor)
    while True:
        found[size + lowest : size + end] = best(coins, without_pull, with_pull, lowest, end)
        above = found[size + end]
        if end < size and above <= NEAR_FLOOR * floor and found[size + lowest] >= flat * above:
            lowest = end
            break
        if lowest == 0 or found[size + lowest] <= floor:
            break
        end, lowest = lowest, max(lowest - 1 - size // STRETCH, 0)
    found[: size + lowest] = found[size + lowest]
    return found, lowest


def reached_rows(
    coins: Taps, stops: Ints, values_after: Sequence[Array], size: int, floor: float, lowest: Sequence[int]
) -> tuple[list[Array], list[int]]:
    """The game's values before a round, and the lowest computed indices, for all pull counts."""
    found = []
    for row, (start, stop) in enumerate(zip([0, *stops[:-1]], stops, strict=True)):
        some = Taps(coins.places[:, start:stop], coins.kernels[:, start:stop], coins.weights[:, start:stop])
        found.append(values_before_round(some, values_after[row], values_after[row + 1], size, floor, lowest[row]))
    return [values for values, _ in found], [begin for _, begin in found]


def rows_by_size(ratios: float, digits: str = "float64") -> ReachedRows:
    """Returns the fastest version of `reached_rows` for this number of ratios.
    All candidates have the same results, bit by bit. digits: the type of the values."""
    kernel = rows_kernel(digits) if ratios >= COMPILED_FROM else None
    return reached_rows if kernel is None else CompiledRows(kernel)


class CompiledRows:
    """`reached_rows` by numba, in one call for all counts. A result remains valid until two more calls. Below the grid
    only the last value is filled in, and more in the next call, because long runs would otherwise spend their time on
    it."""

    def __init__(self, kernel: Any) -> None:
        """Prepares calls of the compiled function `kernel`, without stored arrays."""
        self.kernel, self.tables = kernel, deque[tuple[Array, list[Array]]](maxlen=3)
        self.begun = np.zeros(0, dtype=np.int64)  # from where on the rows returned just now were computed

    def __call__(
        self, coins: Taps, stops: Ints, kept: Sequence[Array], size: int, floor: float, lowest: Sequence[int]
    ) -> tuple[list[Array], list[int]]:
        """Returns the same as `reached_rows`, in arrays that remain valid until two more calls."""
        before, begun = self.joined_arrays(kept)
        if len(self.tables) < 3 or len(self.tables[0][1]) < len(kept):
            table = np.ones((len(kept), kept[0].size), dtype=kept[0].dtype)
            self.tables.append((table, list(table)))
        else:
            self.tables.append(self.tables[0])
        (table, rows), self.begun = self.tables[-1], np.array(lowest, dtype=np.int64)
        stretch, (growth, flat) = size // STRETCH + 1, rounding_constants(table)
        self.kernel(*coins, stops, before, begun, table.dtype.type(floor), growth, flat, self.begun, stretch, table)
        return rows[: len(stops)], self.begun.tolist()

    def together(self, count: int) -> Array:
        """The first `count` arrays of the last result as one array, without copying."""
        return self.tables[-1][0][:count]

    def joined_arrays(self, arrays: Sequence[Array]) -> tuple[Array, Ints]:
        """Joins these arrays to one array, copying only those that are not in it already.
        Returns it with the index from which each was computed, -1 for complete arrays. If all but the last are the
        arrays that were returned last, only the last one is copied."""
        (table, rows), last = self.tables[-1] if self.tables else (np.empty((0, 0)), []), len(arrays) - 1
        known = self.begun.size >= last and all(map(is_, rows, arrays[:-1]))
        if not known:
            return np.stack(arrays), np.full(len(arrays), -1)
        begun = np.append(self.begun[:last], -1)
        if last < self.begun.size and rows[last] is arrays[-1]:
            begun[last] = self.begun[last]
        else:
            table[last] = arrays[-1]
        return table, begun


@lru_cache(maxsize=2)
def rows_kernel(digits: str = "float64") -> Any:
    """Returns `reached_rows` compiled by numba, which fills its last argument; None if numba is not installed.
    digits: the type of the values."""

    @cached_kernel(
        f"void(int64[:,:],{digits}[:,:,:],float64[:,:],int64[:],{digits}[:,::1],int64[:],{digits},{digits},{digits},"
        f"int64[:],int64,{digits}[:,::1])"
    )
    def kernel(places, kernels, weights, stops, kept, begun, floor, growth, flat, begins, stretch, table):  # type: ignore[no-untyped-def]
        """Fills `table` with the values of `reached_rows`, one row for each pull count."""
        one, size, laws = np.uint64(1), table.shape[1] // 3, weights.shape[0]
        for row in range(stops.size):
            start, stop = stops[row - 1] if row else 0, stops[row]
            for k in range(2):
                least = places[1 - k, start:stop].min()  # no coin leads further down
                if begun[row + k] >= 0 and least < size:
                    kept[row + k, least:size] = kept[row + k, size]
            same, more, found = kept[row], kept[row + 1], table[row]
            end, lowest = size, begins[row]
            while True:
                best, many = found[size + lowest : size + end], np.uint64(end - lowest)
                best[:] = 0.0
                summed, middle = np.zeros((laws, best.size)), np.empty(best.size if laws else 0)
                # Two at a time: the best so far is read and written half as often.
                for coin in range(start, stop, 2):
                    twin = min(coin + 1, stop - 1)
                    a, b, c, d = kernels[0, coin, 0], kernels[0, coin, 1], kernels[1, coin, 0], kernels[1, coin, 1]
                    e, f, g, h = kernels[0, twin, 0], kernels[0, twin, 1], kernels[1, twin, 0], kernels[1, twin, 1]
                    x, y = np.uint64(places[0, coin] + lowest), np.uint64(places[1, coin] + lowest)
                    u, v = np.uint64(places[0, twin] + lowest), np.uint64(places[1, twin] + lowest)
                    if laws == 0:
                        for i in range(many):
                            one_value = (more[x + i] * a + more[x + i + one] * b) + (
                                same[y + i] * c + same[y + i + one] * d
                            )
                            two_value = (more[u + i] * e + more[u + i + one] * f) + (
                                same[v + i] * g + same[v + i + one] * h
                            )
                            value = one_value if one_value > two_value else two_value
                            best[i] = value if value > best[i] else best[i]
                        continue
                    for i in range(many):
                        one_value = (more[x + i] * a + more[x + i + one] * b) + (
                            same[y + i] * c + same[y + i + one] * d
                        )
                        two_value = (more[u + i] * e + more[u + i + one] * f) + (
                            same[v + i] * g + same[v + i + one] * h
                        )
                        middle[i] = one_value if one_value > best[i] else best[i]
                        best[i] = two_value if two_value > middle[i] else middle[i]
                    for law in range(laws):
                        weight, other = weights[law, coin], weights[law, twin] if twin > coin else 0.0
                        if weight > 0 or other > 0:
                            for i in range(many):
                                summed[law, i] = (summed[law, i] + weight * middle[i]) + other * best[i]
                for law in range(laws):
                    for i in range(many):
                        best[i] = summed[law, i] if law == 0 or summed[law, i] > best[i] else best[i]
                best *= growth
                above = found[size + end]
                if end < size and above <= NEAR_FLOOR * floor and best[0] >= flat * above:
                    lowest = end
                    break
                if lowest == 0 or best[0] <= floor:
                    break
                end, lowest = lowest, max(lowest - stretch, 0)
            found[size - 1 : size + lowest] = found[size + lowest]
            begins[row] = lowest

    return kernel
