"""exp, log, sin, cos, arctan2 and related functions from + - * / and tables alone: the same bits on every processor.

The functions of numpy and of the C library have several implementations for different instruction sets (AVX-512, AVX2,
FMA), whose results differ in the last bit; so do sums of products computed by BLAS. IEEE 754 determines + - * / and
sqrt to the last bit. So everything on which findings depend is computed here: with tables of 2^(j/SIZE) and log(1 +
j/SIZE), computed with integers, and short Taylor series between their entries. Errors, in units of the last place,
against mpmath (tests/test_elementary): exp, log 0.6; expm1, log1p 1.5; sin, cos 1 for angles of at most 100; arctan2 2.
The polynomials of angles are those of fdlibm (Sun Microsystems, 1993), as in k_sin.c, k_cos.c and s_atan.c. Scalars
return scalars, computed in the same way as arrays.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cache, reduce, wraps
from math import copysign, frexp, inf, isqrt, ldexp, nan, pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TABLE_BITS = 11
SIZE = 2**TABLE_BITS  # entries of a table: what is left for a series is below 2^-11
PIECE = 4096  # values at once, so that what is kept between two operations stays in a processor's inner cache
# So many numbers are computed one by one: that takes a microsecond each, the steps on arrays some 15 together
MAX_LOOPED_VALUES = 8
TABLE_PLACES = 200  # binary places of the whole numbers that tables are made of
TABLE_ONE = 1 << TABLE_PLACES
HIGH_PLACES = 42  # doublings log 2 + log c is exact in the high parts: 10 bits before the point for 1074 doublings
STEP_PLACES = 43  # and whole log 2/SIZE for whole numbers of 21 bits: 31 bits
NORMAL = 708.0  # exp of -708 .. 708 is no subnormal number and not inf
MAX_EXP_ARGUMENT = 760.0  # exp of more is inf, of less than -760 it is 0
UNIT_ROUNDOFF = 2.0**-53  # the largest relative error of rounding to a double
SMALLEST_DOUBLE = 5e-324  # the least positive double
ABOVE_MINUS_ONE = -1 + 2.0**-53  # the least double above -1
OVERFLOW = 711.0  # exp of more is inf, and of that what is left beside its largest part is not
EXPM1_CUTOFF = 60.0  # beyond, exp(x) - 1 is exp(x), and on the other side -1
SCALED = 54
SCALE = 2.0**SCALED  # takes subnormal numbers to normal ones
LEAST_NORMAL = 2.0**-1022
LARGEST_DOUBLE = float(np.finfo(np.float64).max)
EXPONENT = 52  # where a double's exponent begins
BIAS = 1023  # and what it is more than the power of 2
FIRST_OF_LOG = 0x3FE8000000000000  # 0.75
HALF_OF_LOG = 1 << (EXPONENT - TABLE_BITS)  # half of the last bit that c has
GRID_OF_LOG = -(1 << (EXPONENT - TABLE_BITS + 1))
TO_WHOLE = 1.5 * 2.0**EXPONENT
ONE_AS_BITS = BIAS << EXPONENT
FOURTH, SERIES_OF_EXP = 1 / 24, (1 / 6, 1 / 2)
FIFTH_OF_LOG, SERIES_OF_LOG = 1 / 5, (-1 / 4, 1 / 3, -1 / 2)
SCALAR_TYPES = (float, int)
# The same as arrays without axes, which numpy does not have to convert in every operation: a third of the time of small
# ones.
ROUNDER, FOURTHS, FIFTHS = np.array(TO_WHOLE), np.array(FOURTH), np.array(FIFTH_OF_LOG)
TERMS_OF_EXP, TERMS_OF_LOG = tuple(map(np.array, SERIES_OF_EXP)), tuple(map(np.array, SERIES_OF_LOG))
FIRST_BITS, HALF_BIT, GRID_BITS = np.array(FIRST_OF_LOG), np.array(HALF_OF_LOG), np.array(GRID_OF_LOG)
PLACE_BITS, PLACE_COUNT, EXPONENT_BITS = np.array(SIZE - 1), np.array(TABLE_BITS), np.array(EXPONENT)
INDEX_BITS, BITS_OF_ONE, ONES = np.array(EXPONENT - TABLE_BITS + 1), np.array(ONE_AS_BITS), np.array(1.0)


class Halves(NamedTuple):
    """Numbers as the sum of two doubles."""

    high: Array
    low: Array


def split_into_doubles(numbers: list[int], places: int = 0) -> Halves:
    """Divides integers by TABLE_ONE, and returns each quotient as the sum of two doubles.
    The high parts are rounded to `places` binary places, or to a double if `places` is 0."""
    if places:
        shift = TABLE_PLACES - places
        high = [float(((number >> shift - 1) + 1) >> 1) / 2.0**places for number in numbers]
    else:
        high = [number / TABLE_ONE for number in numbers]
    rest = [number - int(part * 2.0**60) * 2 ** (TABLE_PLACES - 60) for number, part in zip(numbers, high, strict=True)]
    return Halves(np.array(high), np.array([number / TABLE_ONE for number in rest]))


@cache
def powers_of_two() -> Halves:
    """The table of 2^(j/SIZE), (SIZE,)."""
    root = 2 * TABLE_ONE
    for _ in range(TABLE_BITS):
        root = isqrt(root * TABLE_ONE)
    found = [TABLE_ONE]
    for _ in range(SIZE - 1):
        found.append(found[-1] * root >> TABLE_PLACES)
    return split_into_doubles(found)


def log_ratio(above: int, below: int) -> int:
    """log(above/below), times TABLE_ONE, for integers that are close to each other.
    It is computed as 2 artanh((above - below)/(above + below))."""
    top, bottom = above - below, above + below
    term, total, n = 2 * TABLE_ONE * top // bottom, 0, 1
    while term:
        total += term // n
        term, n = term * top * top // (bottom * bottom), n + 2
    return total


@cache
def logarithms() -> Halves:
    """The table of log c for the doubles c on a grid in [0.75, 1.5), indexed by the bits of c; see `at`.
    The grid is c = m/SIZE in [0.75, 1) and m/(SIZE/2) in [1, 1.5)."""
    half = SIZE // 2
    steps = [log_ratio(m + 1, m) for m in range(half, SIZE)]  # from m/half to (m + 1)/half, so from 1 to 2
    sums = [0]
    for step in steps:
        sums.append(sums[-1] + step)
    two = sums[-1]
    # Index i counts the doubles of TABLE_BITS - 1 bits from 0.75 on: a quarter of an octave of [0.5, 1), then [1, 1.5].
    found = [sums[m] - two for m in range(half // 2, half)] + [sums[m] for m in range(half // 2 + 1)]
    return split_into_doubles(found, HIGH_PLACES)


@cache
def log_two() -> tuple[float, float]:
    """log 2 as the sum of a double of HIGH_PLACES places and a remainder."""
    high, low = split_into_doubles([sum(log_ratio(m + 1, m) for m in range(SIZE // 2, SIZE))], HIGH_PLACES)
    return float(high[0]), float(low[0])


@cache
def listed_powers() -> Halves:
    """`powers_of_two` as lists, which are faster for single numbers."""
    return Halves(*(part.tolist() for part in powers_of_two()))


@cache
def listed_logarithms() -> Halves:
    """The table of `logarithms` with Python lists in place of arrays, which are faster for single numbers."""
    return Halves(*(part.tolist() for part in logarithms()))


@cache
def pairs(table: Callable[[], Halves]) -> Array:
    """A table of doubles in two parts as complex numbers, high + low i, so that one look-up reads both parts."""
    high, low = table()
    return high + 1j * low


@cache
def arrays(constants: Callable[[], tuple[float, ...]]) -> tuple[Array, ...]:
    """Returns the constants, computed by `constants()`, as arrays of dimension 0, so that arrays need no conversion."""
    return tuple(map(np.array, constants()))


@cache
def step_of_exp() -> tuple[float, float, float]:
    """log 2/SIZE as the sum of a double of 31 bits and a remainder; and SIZE/log 2.
    The products of the double with integers of 22 bits are exact."""
    two = sum(log_ratio(m + 1, m) for m in range(SIZE // 2, SIZE))
    high, low = split_into_doubles([two // SIZE], STEP_PLACES)
    return float(high[0]), float(low[0]), TABLE_ONE * SIZE / two


# -- one number or many ------------------------------------------------------------------------------------------------

# Faster loops with the same bits, by the name of the function, such as those that numba compiles. A loop returns None
# for an array that it does not take.
LOOPS: dict[str, Callable[[Array], Array | None]] = {}


def elementwise(
    scalar_function: Callable[[float], float], array_function: Callable[[Array], Array]
) -> Callable[[Any], Any]:
    """A function of a number, or of an array of any shape, like numpy's own functions.
    scalar_function: computes it for a number.
    array_function: computes it for a one-dimensional array that is not too long."""
    name = scalar_function.__name__.removesuffix("_of_one")

    @wraps(scalar_function)
    def function(x: Any) -> Any:
        """The function of a number or an array: numbers and short arrays one by one, others by array operations."""
        if isinstance(x, SCALAR_TYPES):
            return np.float64(scalar_function(float(x)))
        values = np.asarray(x, dtype=np.float64)
        if not values.ndim:
            return np.float64(scalar_function(float(values)))
        size, loop = values.size, LOOPS.get(name)
        if loop is not None and size and (looped := loop(values)) is not None:
            return looped
        if size <= MAX_LOOPED_VALUES:
            return np.array([scalar_function(value) for value in values.ravel().tolist()]).reshape(values.shape)
        if size <= PIECE:
            return (
                array_function(values) if values.ndim == 1 else array_function(values.reshape(-1)).reshape(values.shape)
            )
        flat, found = values.reshape(-1), np.empty(size)
        for begin in range(0, size, PIECE):
            found[begin : begin + PIECE] = array_function(flat[begin : begin + PIECE])
        return found.reshape(values.shape)

    return function


# -- exp and expm1 -----------------------------------------------------------------------------------------------------

# x = log 2 (doublings + place/SIZE) + rest, so that exp(x) = 2^doublings (high + (low + high expm1(rest))), where high
# and low are the table's.


def all_within(x: Array, lower: float, upper: float) -> Any:
    """Whether all values are in the range, and none is nan.
    argmin and argmax find a nan first, and take a fifth of the time of min and max."""
    return x.item(x.argmin()) >= lower and x.item(x.argmax()) <= upper


def exp_of_many(x: Array) -> Array:
    """exp of every number of an array."""
    if all_within(x, -NORMAL, NORMAL):
        high, low, value, shifted = exp_parts(x)
        value *= high
        value += low
        value += high
        bits = value.view(np.int64)
        shifted <<= EXPONENT_BITS
        bits += shifted
        return value
    high, low, value, shifted = exp_parts(np.maximum(np.minimum(x, MAX_EXP_ARGUMENT), -MAX_EXP_ARGUMENT))
    value *= high
    value += low
    value += high
    with np.errstate(over="ignore", under="ignore"):
        for power in both_powers(shifted):
            value *= power
    return value


def exp_parts(x: Array) -> tuple[Array, Array, Array, Any]:
    """The parts of exp(x): two parts of a power of 2, expm1 of the remainder, and exponents of 2.
    The high and the low part of the power are from the table. The exponent is in the last 12 bits of an integer. nan
    remains in the remainder."""
    high, low, turns = arrays(step_of_exp)
    whole = x * turns
    whole += ROUNDER  # what rounds it: the last bits of the sum are the whole number
    bits = whole.view(np.int64)
    place, shifted = bits & PLACE_BITS, bits >> PLACE_COUNT
    whole -= ROUNDER
    rest = whole * high
    np.subtract(x, rest, rest)
    whole *= low
    rest -= whole
    grown = np.multiply(rest, FOURTHS, whole)
    for term in TERMS_OF_EXP:
        grown += term
        grown *= rest
    grown *= rest
    grown += rest
    found = pairs(powers_of_two).take(place)
    return found.real, found.imag, grown, shifted


def both_powers(shifted: Any) -> list[Array]:
    """2^doublings as the product of two normal doubles."""
    doublings = ((shifted & 4095) ^ 2048) - 2048
    half = doublings >> 1
    return [((part + BIAS) << EXPONENT).view(np.float64) for part in (half, doublings - half)]


def exp_of_one(x: float) -> float:
    """exp of one number, with the same bytes as in an array."""
    if not -MAX_EXP_ARGUMENT < x < MAX_EXP_ARGUMENT:
        return inf if x > 0 else 0.0 if x < 0 else x
    high, low, grown, doublings = parts_of_one(x)
    value = high + (grown * high + low)
    try:
        return ldexp(value, doublings)
    except OverflowError:
        return inf


def parts_of_one(x: float) -> tuple[float, float, float, int]:
    """The parts of exp(x), as in `exp_parts`, for one number."""
    high, low, turns = step_of_exp()
    whole = round(x * turns)
    rest = x - whole * high
    rest -= whole * low
    grown = rest * FOURTH
    for term in SERIES_OF_EXP:
        grown = (grown + term) * rest
    grown = grown * rest + rest
    place = whole & (SIZE - 1)
    table = listed_powers()
    return table.high[place], table.low[place], grown, whole >> TABLE_BITS


def expm1_of_many(x: Array) -> Array:
    """exp(x) - 1 of every number of an array, accurate near 0."""
    if all_within(x, -inf, EXPM1_CUTOFF):
        high, low, grown, shifted = exp_parts(np.maximum(x, -EXPM1_CUTOFF))
        grown *= high
        grown += low
        shifted <<= EXPONENT_BITS
        shifted += BITS_OF_ONE
        power = shifted.view(np.float64)
        grown *= power
        power *= high
        power -= 1
        power += grown
        return np.asarray(power)
    high, low, grown, shifted = exp_parts(np.maximum(np.minimum(x, OVERFLOW), -EXPM1_CUTOFF))
    grown *= high
    grown += low
    with np.errstate(over="ignore"):
        for power in both_powers(shifted):
            grown *= power
            high *= power
    high -= 1
    high += grown
    return np.array(high)


def expm1_of_one(x: float) -> float:
    """exp(x) - 1 of one number, with the same bytes as in an array."""
    if not -EXPM1_CUTOFF <= x <= EXPM1_CUTOFF:
        return -1.0 if x < 0 else exp_of_one(x)
    high, low, grown, doublings = parts_of_one(x)
    return (ldexp(high, doublings) - 1) + ldexp(grown * high + low, doublings)


# -- log and log1p -----------------------------------------------------------------------------------------------------

# x = 2^doublings z with z in [0.75, 1.5), c the nearest to z of all doubles of TABLE_BITS bits: log(x) = doublings log
# 2 + log c + log(1 + r), r = (z - c)/c, of which the first two are kept as sums of two doubles.


def log_of_many(x: Array) -> Array:
    """The natural logarithm of every number of an array."""
    if all_within(x, LEAST_NORMAL, LARGEST_DOUBLE):
        return log_of_normal(x)
    usual = (x >= LEAST_NORMAL) & (x < inf)
    with np.errstate(over="ignore"):
        found = log_of_normal(np.where(usual, x, np.where((x > 0) & (x < 1), x * SCALE, 1.0)), -SCALED * ~usual)
    if (x > 0).all() and (x < inf).all():
        return found
    return np.asarray(np.where((x > 0) & (x < inf), found, np.where(x == 0, -inf, np.where(x == inf, inf, nan))))


def log_of_normal(x: Array, exponent: np.ndarray | None = None) -> Array:
    """log(x 2^exponent) of positive normal doubles x; exponent 0 by default."""
    bits = x.view(np.int64)
    doublings = bits - FIRST_BITS
    doublings >>= EXPONENT_BITS
    fraction = doublings << EXPONENT_BITS
    np.subtract(bits, fraction, fraction)
    rest = fraction.view(np.float64)
    nearest = fraction + HALF_BIT
    nearest &= GRID_BITS
    c = nearest.view(np.float64)
    rest -= c
    rest /= c
    nearest -= FIRST_BITS
    nearest >>= INDEX_BITS
    log_high, log_low = arrays(log_two)
    count = (doublings if exponent is None else doublings + exponent).astype(np.float64)
    found = pairs(logarithms).take(nearest)
    whole = count * log_high
    whole += found.real
    curved = rest * FIFTHS
    for term in TERMS_OF_LOG:
        curved += term
        curved *= rest
    curved *= rest
    count *= log_low
    count += found.imag
    count += curved
    found = whole + rest
    whole -= found
    whole += rest
    whole += count
    found += whole
    return np.asarray(found)


def log_of_one(x: float) -> float:
    """The natural logarithm of one number, with the same bytes as in an array."""
    if not 0 < x < inf:
        return -inf if x == 0 else inf if x == inf else nan
    z, doublings = frexp(x)
    if z < 0.75:
        z, doublings = 2 * z, doublings - 1
    size = SIZE if z < 1 else SIZE // 2
    place = round(z * size)
    c = place / size
    rest = (z - c) / c
    index = place - 3 * SIZE // 4 if z < 1 else place - SIZE // 4
    log_high, log_low = log_two()
    table = listed_logarithms()
    whole = doublings * log_high + table.high[index]
    curved = rest * FIFTH_OF_LOG
    for term in SERIES_OF_LOG:
        curved = (curved + term) * rest
    low = (doublings * log_low + table.low[index]) + curved * rest
    found = whole + rest
    return float(found + (((whole - found) + rest) + low))


def log1p_of_many(x: Array) -> Array:
    """log(1 + x) of every number of an array, accurate near 0."""
    if all_within(x, ABOVE_MINUS_ONE, 1.0):
        u = x + ONES
        lost = u - ONES
        np.subtract(x, lost, lost)
        lost /= u
        lost += log_of_normal(u)
        return np.asarray(lost)
    with np.errstate(invalid="ignore", divide="ignore"):
        u = 1 + x
        lost = np.where(x > 1, 1 - (u - x), x - (u - 1)) / u
        return log_of_many(u) + np.where(np.isfinite(lost), lost, 0.0)


def log1p_of_one(x: float) -> float:
    """log(1 + x) of one number, with the same bytes as in an array."""
    u = 1 + x
    if not 0 < u < inf:
        return log_of_one(u)
    return log_of_one(u) + (1 - (u - x) if x > 1 else x - (u - 1)) / u


exp = elementwise(exp_of_one, exp_of_many)
expm1 = elementwise(expm1_of_one, expm1_of_many)
log = elementwise(log_of_one, log_of_many)
log1p = elementwise(log1p_of_one, log1p_of_many)


# -- made of these -----------------------------------------------------------------------------------------------------


def power(base: Any, exponent: Any) -> Any:
    """base^exponent for base > 0. The error in units of the last place is about the size of the result's logarithm."""
    return exp(exponent * log(base))


def sinh(x: Any) -> Any:
    """The hyperbolic sine."""
    grown = expm1(x)
    return (grown + grown / (grown + 1)) / 2


def cosh(x: Any) -> Any:
    """The hyperbolic cosine."""
    grown = exp(x)
    return (grown + 1 / grown) / 2


def arcsinh(x: Any) -> Any:
    """The inverse hyperbolic sine, for x >= 0."""
    return log1p(x + x * x / (1 + np.sqrt(1 + x * x)))


def whole_log2(x: Any) -> Any:
    """The logarithm to base 2, rounded down, of positive numbers; exact."""
    return np.frexp(x)[1] - 1


def geometric(first: float, last: float, n: int) -> Array:
    """`n` numbers from first to last with a constant ratio, like numpy's geomspace."""
    low = log(first)
    found: Array = exp(low + np.arange(n) / (n - 1) * (log(last) - low))
    found[0], found[-1] = first, last
    return found


# -- angles --------------------------------------------------------------------------------------------------------

# pi/2 as the sum of three doubles, the first two of at most 33 bits: whole numbers times them are exact.
QUARTER = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
SIN = (
    1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06, -1.98412698298579493134e-04,
    8.33333333332248946124e-03, -1.66666666666666324348e-01,
)  # fmt: skip
COS = (
    -1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07, 2.48015872894767294178e-05,
    -1.38888888888741095749e-03, 4.16666666666666019037e-02,
)  # fmt: skip
ARCTAN = (
    1.62858201153657823623e-02, -3.65315727442169155270e-02, 4.97687799461593236017e-02, -5.83357013379057348645e-02,
    6.66107313738753120669e-02, -7.69187620504482999495e-02, 9.09088713343650656196e-02, -1.11111104054623557880e-01,
    1.42857142725034663711e-01, -1.99999999998764832476e-01, 3.33333333333329318027e-01,
)  # fmt: skip
# arctan of 0, 1/2, 1, 3/2 and infinity as sums of two doubles
KNOTS = np.array([0.0, 0.5, 1.0, 1.5])
ARCTAN_HIGH = np.array([
    0.0, 4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01, 1.57079632679489655800e00
])  # fmt: skip
ARCTAN_LOW = np.array([
    0.0, 2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17, 6.12323399573676603587e-17
])  # fmt: skip
BETWEEN = np.array([0.4375, 0.6875, 1.1875, 2.4375])  # which of them is taken
LISTS = KNOTS.tolist(), ARCTAN_HIGH.tolist(), ARCTAN_LOW.tolist(), BETWEEN.tolist()
OPPOSITE = 1.2246467991473532e-16  # pi beyond the double nearest to it
# So many numbers are computed one by one: that takes two microseconds each, the steps on arrays some 30
MAX_LOOPED_ANGLES = 12
MAX_ANGLE = 1e5


def horner(terms: tuple[float, ...], x: Any) -> Any:
    """The value at x of the polynomial with the coefficients `terms`, that of the highest power first."""
    return reduce(lambda total, term: total * x + term, terms[1:], terms[0])


def cos(x: Any) -> Any:
    """The cosine of angles, |x| <= 1e5."""
    return turned(x, 1)


def sin(x: Any) -> Any:
    """The sine of angles, |x| <= 1e5."""
    return turned(x, 0)


def turned(x: Any, turns: int) -> Any:
    """sin(x + turns pi/2), for a number or an array of any shape."""
    x = np.asarray(x, dtype=np.float64)
    if x.size <= MAX_LOOPED_ANGLES:
        each = x.ravel().tolist()
        if all(-MAX_ANGLE <= one <= MAX_ANGLE for one in each):
            found = [turned_one(one, turns) for one in each]
            return np.array(found).reshape(x.shape) if x.ndim else np.float64(found[0])
    whole = np.rint(x * (2 / pi))
    first, second = x - whole * QUARTER[0], whole * QUARTER[1]
    rest = first - second
    lost = ((first - rest) - second) - whole * QUARTER[2]
    square = rest * rest
    sine = rest + rest * (square * horner(SIN, square))
    half = square * 0.5
    most = 1 - half
    cosine = most + (((1 - most) - half) + square * (square * horner(COS, square)))
    sine, cosine = sine + lost * most, cosine - lost * rest
    quarter = (whole.astype(np.int64) + turns) & 3
    return np.where(quarter & 1, cosine, sine) * np.where(quarter & 2, -1.0, 1.0)


def turned_one(x: float, turns: int) -> float:
    """`turned` for one number."""
    turn = x * (2 / pi)
    whole = copysign(float(round(turn)), turn)
    first, second = x - whole * QUARTER[0], whole * QUARTER[1]
    rest = first - second
    lost = ((first - rest) - second) - whole * QUARTER[2]
    square = rest * rest
    quarter = (int(whole) + turns) & 3
    if quarter & 1:
        half = square * 0.5
        most, total = 1 - half, COS[0]
        for term in COS[1:]:
            total = total * square + term
        found = most + (((1 - most) - half) + square * (square * total)) - lost * rest
    else:
        half = square * 0.5
        total = SIN[0]
        for term in SIN[1:]:
            total = total * square + term
        found = rest + rest * (square * total) + lost * (1 - half)
    return -found if quarter & 2 else found


def arctan2(y: Any, x: Any) -> Any:
    """The angle of the points (x, y), in [-pi, pi]; 0 for the origin."""
    y, x = np.asarray(y, dtype=np.float64), np.asarray(x, dtype=np.float64)
    if y.shape == x.shape and x.ndim > 0 and x.size <= MAX_LOOPED_ANGLES:
        pairs = zip(y.ravel().tolist(), x.ravel().tolist(), strict=True)
        return np.array([arctan2_one(*pair) for pair in pairs]).reshape(x.shape)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        t = np.where(y == 0, 0.0, np.abs(y) / np.abs(x))
        place = np.searchsorted(BETWEEN, t, side="right")
        knot = KNOTS[np.minimum(place, 3)]
        rest = np.where(place == 4, -1 / t, (t - knot) / (1 + knot * t))
    square = rest * rest
    angle = ARCTAN_HIGH[place] - ((rest * (square * horner(ARCTAN, square)) - ARCTAN_LOW[place]) - rest)
    angle = np.where(x < 0, pi - (angle - OPPOSITE), angle)
    return np.where(y < 0, -angle, angle)


def arctan2_one(y: float, x: float) -> float:
    """The angle of the point (x, y), in [-pi, pi], with the same bytes as `arctan2` of an array."""
    knots, high, low, between = LISTS
    t = 0.0 if y == 0 else abs(y) / abs(x) if x else y if y != y else inf
    place = bisect_right(between, t)
    rest = -1 / t if place == 4 else (t - knots[place]) / (1 + knots[place] * t)
    square = rest * rest
    total = ARCTAN[0]
    for term in ARCTAN[1:]:
        total = total * square + term
    angle = high[place] - ((rest * (square * total) - low[place]) - rest)
    if x < 0:
        angle = pi - (angle - OPPOSITE)
    return float(-angle if y < 0 else angle)
