"""The best over a round's coins, at many ratios at once: by numpy, or by numba where somebody has it, bit by bit alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

MAX_CACHED_VALUES = 2**15  # values at once: they fit a processor's inner cache
RATIO_ROUNDING = 1e-12  # relative, of one round: four products and three sums
COMPILED_FROM = 3e7  # ratios of all rounds and counts: with fewer, compiling takes longer than it saves


class Taps(NamedTuple):
    """Where outcomes lead on padded values: from the ratio with index i to the chord between the ratios with indices
    places[.., k] + i and the next one, with the weights kernels[.., k]. (2, coins) and (2, coins, 2): pulled or not."""

    places: Ints
    kernels: Array


BestOfCoins = Callable[[Taps, Array, Array, int, int], Array]


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


def best_by_size(ratios: float) -> BestOfCoins:
    """What computes so many ratios, of all rounds and pull counts together, in the least time: the bits are the same."""
    kernel = best_kernel() if ratios >= COMPILED_FROM else None
    if kernel is None:
        return best_of

    def compiled(coins: Taps, same: Array, more: Array, begin: int, end: int) -> Array:
        best = np.zeros(end - begin)
        kernel(coins.places, coins.kernels, same, more, begin, best)
        best *= 1 + RATIO_ROUNDING
        return best

    return compiled


@lru_cache(maxsize=1)
def best_kernel() -> Any:
    """numba's, or None where there is no numba."""
    try:
        from numba import njit
    except ImportError:
        return None

    # As numpy has it, an operation at a time: no product is fused with a sum, for nothing allows the compiler to.
    @njit("void(int64[:,:],float64[:,:,:],float64[::1],float64[::1],int64,float64[::1])", error_model="numpy")
    def kernel(places, kernels, same, more, begin, best):  # type: ignore[no-untyped-def]
        one, size = np.uint64(1), np.uint64(best.size)
        for coin in range(places.shape[1]):
            pulled, next_pulled = kernels[0, coin, 0], kernels[0, coin, 1]
            other, next_other = kernels[1, coin, 0], kernels[1, coin, 1]
            x, y = np.uint64(places[0, coin] + begin), np.uint64(places[1, coin] + begin)
            for i in range(size):
                value = (more[x + i] * pulled + more[x + i + one] * next_pulled) + (
                    same[y + i] * other + same[y + i + one] * next_other
                )
                before = best[i]
                best[i] = value if value > before else before

    return kernel
