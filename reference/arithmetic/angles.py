"""sin, cos and arctan2 from + - * / alone, with the same bits on every processor, as in `elementary`.

The polynomials are those of fdlibm (Sun Microsystems, 1993), as in k_sin.c, k_cos.c and s_atan.c. Errors, in units of
the last place, against mpmath (tests/test_elementary): 1 for angles of at most 100, 2 for arctan2.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import reduce
from math import copysign, inf, pi
from typing import Any

import numpy as np

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
    """The polynomial with these coefficients, the highest power first."""
    return reduce(lambda total, term: total * x + term, terms[1:], terms[0])


def cos(x: Any) -> Any:
    """The cosine of angles, |x| <= 1e5."""
    return turned(x, 1)


def sin(x: Any) -> Any:
    """The sine of angles, |x| <= 1e5."""
    return turned(x, 0)


def turned(x: Any, turns: int) -> Any:
    """sin(x + turns pi/2)."""
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
    """`arctan2` for one point."""
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
