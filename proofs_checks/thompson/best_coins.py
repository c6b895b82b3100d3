"""The best over a round's coins, at many ratios at once: by numpy, or by numba where somebody has it, the same bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

MAX_CACHED_VALUES = 2**15  # values at once: they fit a processor's inner cache
RATIO_ROUNDING = 1e-12  # relative, of one round: four products and three sums
STRETCH = 50  # where values above the floor reach further down, so much of the grid is looked at next
COMPILED_FROM = 1e7  # ratios of all rounds and counts: with fewer, compiling takes longer than it saves


class Taps(NamedTuple):
    """Where outcomes lead on padded values: from the ratio with index i to the chord between the ratios with indices
    places[.., k] + i and the next one, with the weights kernels[.., k]. (2, coins) and (2, coins, 2): pulled or not."""

    places: Ints
    kernels: Array


BestOfCoins = Callable[[Taps, Array, Array, int, int], Array]
Reached = Callable[[Taps, Array, Array, int, float, int], tuple[Array, int]]


def best_of(coins: Taps, same: Array, more: Array, begin: int, end: int) -> Array:
    """The best over the coins, one round earlier, at the grid's ratios from begin to end: `same` and `more` are padded
    values at n and n + 1."""
    size = end - begin
    best, many = np.zeros(size), max(1, MAX_CACHED_VALUES // size)
    # Row i is what values are from begin + i on: as by sliding_window_view, which takes ten times as long.
    ahead = [
        np.ndarray((values.size - end, size + 1), np.float64, values, begin * values.itemsize, 2 * values.strides)
        for values in (more, same)
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
        np.maximum(best, value.max(axis=0), out=best)
    best *= 1 + RATIO_ROUNDING
    return best


def reached(
    coins: Taps, same: Array, more: Array, size: int, floor: float, lowest: int, best: BestOfCoins = best_of
) -> tuple[Array, int]:
    """Padded values one round earlier, and from where on they were computed: a place whose value is at most `floor`, or
    the grid's end. What lies below has that value, which is no smaller. size: of the grid. lowest: where to begin."""
    found = np.ones(3 * size + 1)
    end = size
    while True:
        found[size + lowest : size + end] = best(coins, same, more, lowest, end)
        if lowest == 0 or found[size + lowest] <= floor:
            break
        end, lowest = lowest, max(lowest - 1 - size // STRETCH, 0)
    found[: size + lowest] = found[size + lowest]
    return found, lowest


def reached_by_size(ratios: float) -> Reached:
    """What computes so many ratios, of all rounds and pull counts, in the least time: the bits are the same."""
    kernel = best_kernel() if ratios >= COMPILED_FROM else None
    if kernel is None:
        return reached

    def compiled(coins: Taps, same: Array, more: Array, size: int, floor: float, lowest: int) -> tuple[Array, int]:
        found = np.empty(3 * size + 1)
        return found, kernel(coins.places, coins.kernels, same, more, floor, lowest, size // STRETCH + 1, found)

    return compiled


@lru_cache(maxsize=1)
def best_kernel() -> Any:
    """numba's `reached`, which fills the values that are its last argument; None where there is no numba."""
    try:
        from numba import njit
    except ImportError:
        return None

    # As numpy has it, an operation at a time: no product is fused with a sum, for nothing allows the compiler to.
    @njit(
        "int64(int64[:,:],float64[:,:,:],float64[::1],float64[::1],float64,int64,int64,float64[::1])",
        error_model="numpy",
    )
    def kernel(places, kernels, same, more, floor, lowest, stretch, found):  # type: ignore[no-untyped-def]
        one, size = np.uint64(1), found.size // 3
        found[2 * size :] = 1.0
        end = size
        while True:
            best, many = found[size + lowest : size + end], np.uint64(end - lowest)
            best[:] = 0.0
            for coin in range(places.shape[1]):
                pulled, next_pulled = kernels[0, coin, 0], kernels[0, coin, 1]
                other, next_other = kernels[1, coin, 0], kernels[1, coin, 1]
                x, y = np.uint64(places[0, coin] + lowest), np.uint64(places[1, coin] + lowest)
                for i in range(many):
                    value = (more[x + i] * pulled + more[x + i + one] * next_pulled) + (
                        same[y + i] * other + same[y + i + one] * next_other
                    )
                    before = best[i]
                    best[i] = value if value > before else before
            best *= 1 + RATIO_ROUNDING
            if lowest == 0 or best[0] <= floor:
                break
            end, lowest = lowest, max(lowest - stretch, 0)
        found[: size + lowest] = found[size + lowest]
        return lowest

    return kernel
