"""Arithmetic on arrays of doubles with outward rounding: a lower and an upper bound on each exact result."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
MACHINE_EPSILON = 2.0**-52
ULPS = 8  # twice what numpy's own accuracy tests allow
LARGEST_DOUBLE = float(np.finfo(float).max)


def double_below(exact: Fraction) -> float:
    """The largest double that is at most the exact number."""
    try:
        value = float(exact)
    except OverflowError:
        return LARGEST_DOUBLE if exact > 0 else -inf
    return value if Fraction(value) <= exact else nextafter(value, -inf)


def double_above(exact: Fraction) -> float:
    """The smallest double that is at least this fraction; never -0.0."""
    return 0.0 - double_below(-exact)  # never -0.0


def sum_below(a: Floats, b: Floats) -> Floats:
    """A lower bound on a + b. Knuth's error term shows whether the rounded sum is exact, or already too small."""
    total = a + b
    back = total - a
    error = (a - (total - back)) + (b - back)
    finite = np.isfinite(total)
    if finite.all():
        return np.where(error >= 0, total, np.nextafter(total, -inf))
    fine = (error >= 0) & finite
    return np.where(
        fine | (total == -inf), total, np.where(total == inf, finite_from_overflow(a, b), np.nextafter(total, -inf))
    )


def finite_from_overflow(a: Floats, b: Floats) -> Floats:
    """A lower bound on a sum or product of a and b that overflowed to infinity.
    inf if an operand is infinite, otherwise the largest double."""
    return np.where(np.isinf(a) | np.isinf(b), inf, LARGEST_DOUBLE)


def corner_open(x: Floats, x_open: Flags, y: Floats, y_open: Flags) -> Flags:
    """Whether the product of two interval ends is not attained; x_open, y_open: whether these ends are not attained.
    A product of 0 is attained as soon as one factor attains 0."""
    zero = (x == 0) | (y == 0)
    if not zero.any():
        return x_open | y_open
    attained_zero = ((x == 0) & ~x_open) | ((y == 0) & ~y_open)
    return np.where(zero, ~attained_zero & ((x != 0) | x_open) & ((y != 0) | y_open), x_open | y_open)


def product_below(x: Floats, y: Floats) -> Floats:
    """A lower bound on x y; 0 times infinity is 0, because an infinite end is never attained."""
    value = x * y
    if all_ordinary(value):
        return np.where(whole_power_of_two(x) | whole_power_of_two(y), value, np.nextafter(value, -inf))
    zero = (x == 0) | (y == 0)
    exact = zero | ((whole_power_of_two(x) | whole_power_of_two(y)) & (np.abs(value) > 1e-290))
    low = np.where(exact, value, np.nextafter(value, -inf))
    low = np.where(np.isposinf(value), finite_from_overflow(x, y), low)
    low = np.where((np.sign(x) * np.sign(y) > 0) & (low < 0), 0.0, low)
    return np.where(zero, 0.0, low)


def product_ends(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """A lower and an upper bound on x y."""
    value = x * y
    if not all_ordinary(value):
        return product_below(x, y), -product_below(-x, y)
    exact = whole_power_of_two(x) | whole_power_of_two(y)
    return np.where(exact, value, np.nextafter(value, -inf)), np.where(exact, value, np.nextafter(value, inf))


def all_ordinary(products: Floats) -> bool:
    """Whether every product is finite and neither 0 nor tiny, so that only its rounding error matters."""
    size = np.abs(products)
    return bool(np.min(size, initial=1.0) > 1e-290 and np.max(size, initial=0.0) <= LARGEST_DOUBLE)


def whole_power_of_two(x: Floats) -> Flags:
    """Whether each number is plus or minus a power of 2."""
    found: Flags = np.abs(np.frexp(x)[0]) == 0.5
    return found


def quotient_below(x: Floats) -> Floats:
    """A lower bound on 1/x for x != 0; the value is arbitrary for x = 0."""
    value = 1 / np.where(x == 0, 1.0, x)
    exact = whole_power_of_two(x) | np.isinf(x)
    low = np.where(exact & np.isfinite(value), value, np.nextafter(value, -inf))
    low = np.where(np.isposinf(value), LARGEST_DOUBLE, low)
    return np.where((x > 0) & (low < 0), 0.0, low)


def inverse_ends(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Bounds on 1/x for x in [low, high]: the whole line if 0 lies inside, or is the only number."""
    positive, negative = low >= 0, high <= 0
    at_low, at_high = (low == 0), (high == 0)
    below = np.where(positive, quotient_below(high), np.where(negative & ~at_high, quotient_below(high), -inf))
    above = np.where(negative, -quotient_below(-low), np.where(positive & ~at_low, -quotient_below(-low), inf))
    return np.where(at_low & at_high, -inf, below), np.where(at_low & at_high, inf, above)


def rounded_down_by(value: Floats, relative: float) -> Floats:
    """A lower bound on the exact number, if `value` is its computed value with this relative error.
    For values of size below 1e-290, 0 or a number slightly below."""
    return np.where(np.abs(value) < 1e-290, np.where(value > 0, 0.0, value - 1e-290), value - relative * np.abs(value))


def rounded_up_by(value: Floats, relative: float) -> Floats:
    """An upper bound on the exact number, if `value` is its computed value with this relative error."""
    return -rounded_down_by(-value, relative)


def exp_ends(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Bounds on exp(x) for x in [low, high]."""
    below, above = np.exp(low), np.exp(high)
    # What overflowed is as large as doubles are, up to the error of exp; exp of the limit infinity is one.
    below = np.maximum(rounded_down_by(np.minimum(below, LARGEST_DOUBLE), ULPS * MACHINE_EPSILON), 0)
    below = np.where(low == 0, 1.0, np.where(np.isposinf(low), inf, below))
    above = np.where(
        np.isposinf(above),
        inf,
        np.maximum(rounded_up_by(np.minimum(above, LARGEST_DOUBLE), ULPS * MACHINE_EPSILON), 1e-290),
    )
    return below, np.where(high == 0, 1.0, np.where(high == -inf, 0.0, above))


def log_ends(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Bounds on log(x) for the positive x in [low, high], if there are any."""
    below, above = np.log(np.maximum(low, 0)), np.log(np.maximum(high, 0))
    below = np.where(low == 1, 0.0, below - ULPS * MACHINE_EPSILON * np.abs(below))
    above = np.where(high == 1, 0.0, above + ULPS * MACHINE_EPSILON * np.abs(above))
    return np.where(np.isnan(below) | (low <= 0), -inf, below), np.where(np.isposinf(high), inf, above)


def sqrt_ends(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Bounds on sqrt(x) for x in [low, high], which are nonnegative."""
    below, above = np.sqrt(low), np.sqrt(high)
    # The root of 1 + 2^-52 rounds to 1: exactness is a matter of the argument, not of the result.
    below = np.where(exact_root(low), below, np.nextafter(below, -inf))
    return below, np.where(exact_root(high), above, np.nextafter(above, inf))


def exact_root(x: Floats) -> Flags:
    """Whether each number is 0, 1 or inf, so that its square root is exact."""
    found: Flags = (x == 0) | (x == 1) | np.isinf(x)
    return found


# The normal distribution function, for x <= 0 and y = -x; u = 2^-53 is the rounding unit.
# * y > 2: phi(y) times a convergent of Laplace's continued fraction 1/(y + 1/(y + 2/(y + ...))). All terms
#   are positive: each of its 41 levels adds two roundings, 82 u < 1e-14. phi: y^2/2 <= 745 is wrong by 745
#   * 2 u < 1.7e-13, exp by ULPS units, the constant factor by 2 u: RELATIVE covers all. Consecutive
#   convergents enclose.
# * y <= 2: 1/2 - phi(y) sum_{k <= NCDF_SERIES_TERMS} y^(2k+1)/(1*3*...*(2k+1)); terms wrong by 3k u, their sum by 4
#   NCDF_SERIES_TERMS u, what follows is below 2^61/61!! * 2 < 1e-23; phi by 12 u + ULPS units. The product is at most
#   1/2: ABSOLUTE.
NCDF_SERIES_TERMS = 30
RELATIVE = 3e-13
ABSOLUTE = 4e-14
UNDERFLOW = 1e-290  # Phi(-38) < 3e-316


def ncdf_ends(x: Floats) -> tuple[Floats, Floats]:
    """Bounds [low, high] on Phi(x), elementwise."""
    size = np.abs(x)
    low, high = tail_ends(size)
    up_low = np.where(x == 0, 0.5, np.where(x > 0, np.nextafter(1 - high, 0), low))
    up_high = np.where(x == 0, 0.5, np.where(x > 0, np.minimum(np.nextafter(1 - low, 2), 1), high))
    up_low = np.where(np.isposinf(x), 1.0, up_low)
    return up_low, np.where(np.isneginf(x), 0.0, up_high)


def tail_ends(y: Floats) -> tuple[Floats, Floats]:
    """Bounds [low, high] on Phi(-y), for y >= 0, elementwise."""
    low, high = np.empty(np.shape(y)), np.empty(np.shape(y))
    near = y <= 2
    low[near], high[near] = near_tail(y[near])
    low[~near], high[~near] = far_tail(y[~near])
    return low, high


def near_tail(y: Floats) -> tuple[Floats, Floats]:
    """Bounds on 1 - Phi(y) for small y, by a series."""
    term = y
    total = y
    for k in range(1, NCDF_SERIES_TERMS + 1):
        term = term * y * y / (2 * k + 1)
        total = total + term
    middle = 0.5 - np.exp(-y * y / 2) * 0.3989422804014327 * total
    return middle - ABSOLUTE, middle + ABSOLUTE


def far_tail(y: Floats) -> tuple[Floats, Floats]:
    """Bounds on 1 - Phi(y) for large y, by convergents of Mills' ratio."""
    far = np.clip(y, 2, 38)
    even, odd = mills_convergent(far, 40), mills_convergent(far, 41)
    weight = np.exp(-far * far / 2) * 0.3989422804014327
    far_low, far_high = weight * even * (1 - RELATIVE), weight * odd * (1 + RELATIVE)
    far_low = np.where((y > 37.5) | (far_low < UNDERFLOW), 0.0, far_low)
    return far_low, np.maximum(far_high, UNDERFLOW)


def mills_convergent(y: Floats, levels: int) -> Floats:
    """1/(y + 1/(y + 2/(... + (levels - 1)/y))): above Mills' ratio for odd levels, below for even ones."""
    tail = y.copy()
    for k in range(levels - 1, 0, -1):
        np.divide(k, tail, out=tail)
        tail += y
    return 1 / tail
