"""exp, expm1 and log of arrays, compiled by numba: the same bits as `reference.arithmetic.elementary`, in less time.

The loops do the operations of `elementary` in the same order, number by number. All of them are + - * /, shifts and
look-ups in the same tables, and none is fused with another, so IEEE 754 determines every bit. A loop leaves an array
with a number outside its range, such as nan, to `elementary`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.elementary import (
    EXPM1_CUTOFF,
    EXPONENT,
    FIFTH_OF_LOG,
    FIRST_OF_LOG,
    FOURTH,
    GRID_OF_LOG,
    HALF_OF_LOG,
    LARGEST_DOUBLE,
    LEAST_NORMAL,
    NORMAL,
    ONE_AS_BITS,
    SERIES_OF_EXP,
    SERIES_OF_LOG,
    SIZE,
    TABLE_BITS,
    TO_WHOLE,
)
from dpbandits.reference.bandits.noise import Array

INDEX = EXPONENT - TABLE_BITS + 1
LOG_5, (LOG_4, LOG_3, LOG_2) = FIFTH_OF_LOG, SERIES_OF_LOG
EXP_4, (EXP_3, EXP_2) = FOURTH, SERIES_OF_EXP
TYPES = "boolean(float64[::1], float64[::1], float64[::1], float64[::1], float64[::1])"


def exp_loop(x: Any, found: Any, high: Any, low: Any, step: Any) -> bool:
    """Fills `found` with exp(x), and returns whether all numbers lie in the supported range. high, low: the table.
    step: log 2/SIZE in two parts, and its inverse."""
    bits = found.view(np.int64)
    for i in range(x.size):
        value = x[i]
        if not (-NORMAL <= value <= NORMAL):
            return False
        rounded = value * step[2]
        rounded += TO_WHOLE
        rounded -= TO_WHOLE
        whole = np.int64(rounded)
        place = whole & (SIZE - 1)
        rest = value - rounded * step[0]
        rest -= rounded * step[1]
        grown = rest * EXP_4
        grown = (grown + EXP_3) * rest
        grown = (grown + EXP_2) * rest
        grown = grown * rest
        grown += rest
        grown *= high[place]
        grown += low[place]
        found[i] = grown + high[place]
        bits[i] += (whole >> TABLE_BITS) << EXPONENT
    return True


def expm1_loop(x: Any, found: Any, high: Any, low: Any, step: Any) -> bool:
    """Fills `found` with expm1(x); otherwise like `exp_loop`."""
    bits = found.view(np.int64)
    for i in range(x.size):
        value = x[i]
        if not (value <= EXPM1_CUTOFF):
            return False
        if value < -EXPM1_CUTOFF:
            value = -EXPM1_CUTOFF
        rounded = value * step[2]
        rounded += TO_WHOLE
        rounded -= TO_WHOLE
        whole = np.int64(rounded)
        place = whole & (SIZE - 1)
        rest = value - rounded * step[0]
        rest -= rounded * step[1]
        grown = rest * EXP_4
        grown = (grown + EXP_3) * rest
        grown = (grown + EXP_2) * rest
        grown = grown * rest
        grown += rest
        grown *= high[place]
        grown += low[place]
        bits[i] = ((whole >> TABLE_BITS) << EXPONENT) + ONE_AS_BITS
        power = found[i]
        grown *= power
        power *= high[place]
        power -= 1.0
        found[i] = power + grown
    return True


def log_loop(x: Any, found: Any, high: Any, low: Any, grid: Any) -> bool:
    """Fills `found` with log(x); returns whether all numbers are positive and normal. high, low: table of log c.
    grid: the numbers c, and at the end log 2 in two parts."""
    bits, scratch = x.view(np.int64), found.view(np.int64)
    two_high, two_low = grid[-2], grid[-1]
    for i in range(x.size):
        if not (LEAST_NORMAL <= x[i] <= LARGEST_DOUBLE):
            return False
        doublings = (bits[i] - FIRST_OF_LOG) >> EXPONENT
        fraction = bits[i] - (doublings << EXPONENT)
        place = (((fraction + HALF_OF_LOG) & GRID_OF_LOG) - FIRST_OF_LOG) >> INDEX
        scratch[i] = fraction
        c = grid[place]
        rest = (found[i] - c) / c
        whole = doublings * two_high
        whole += high[place]
        curved = rest * LOG_5
        curved = (curved + LOG_4) * rest
        curved = (curved + LOG_3) * rest
        curved = (curved + LOG_2) * rest
        curved *= rest
        lower = doublings * two_low
        lower += low[place]
        lower += curved
        result = whole + rest
        whole -= result
        whole += rest
        whole += lower
        found[i] = result + whole
    return True


def log_grid() -> Array:
    """The points c at which log is tabulated, followed by log 2 in two parts."""
    bits = FIRST_OF_LOG + (np.arange(len(el.logarithms().high), dtype=np.int64) << INDEX)
    return np.concatenate([bits.view(np.float64), el.log_two()])


@cache
def use_compiled_loops() -> None:
    """Lets `elementary` use the compiled loops in this process, if numba is installed. No result changes."""
    from dpbandits.proofs_checks.compiled_cache import cached_kernel

    powers, step, logarithms = el.powers_of_two(), np.array(el.step_of_exp()), el.logarithms()
    for name, loop, tables in (
        ("exp", exp_loop, (*powers, step)),
        ("expm1", expm1_loop, (*powers, step)),
        ("log", log_loop, (*logarithms, log_grid())),
    ):
        kernel = cached_kernel(TYPES)(loop)
        if kernel not in (None, loop):  # numba is installed, and not told to leave code as it is
            el.LOOPS[name] = partial(looped, kernel, tables)


def use_compiled_loops_if_loaded() -> None:
    """Calls `use_compiled_loops` if this process has loaded numba already.
    Loading it takes longer than a small check."""
    if "numba" in sys.modules:
        use_compiled_loops()


def looped(kernel: Callable[..., bool], tables: tuple[Array, ...], values: Array) -> Array | None:
    """Applies a compiled loop to all values; returns None if a value is outside the loop's range.
    tables: the kernel's further arguments."""
    x = np.ascontiguousarray(values).reshape(-1)
    if not x.flags.writeable:
        x = x.copy()
    found = np.empty(x.size)
    return found.reshape(values.shape) if kernel(x, found, *tables) else None
