"""Standard normal and Laplace noise: logarithms of the density and of the probability of an interval, and bounds on
their rounding errors.

Rounding is counted in units of 2^-53. A double expression of a few operations is off by a few units of its size; a
factor's argument y = lead + ratio z, computed from quantities of size A, is off by at most 4 A units, and changes log W
by at most `slope` times as much. scipy's log_ndtr is assumed to be within 8 units of 1 + |log Phi| (a test checks this
from -300 to 38; the observed error is 5).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_ndtr

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.linear import legendre, matrix_product
from dpbandits.reference.bandits.noise import Array

LOG_2 = float(el.log(2))
LOG_ROOT_2_PI = float(el.log(2 * np.pi) / 2)
# A narrow window's mean density, by Gauss's rule. For v (1 + |middle|) <= 1 the integrand on [-1, 1] is
# exp(a s + b s^2), |a| <= 1/2, |b| <= 1/8, at most e^9.7 in the ellipse of q = 14 (see the package): with 12 nodes,
# exact for degree 23, the error is below 1e-20.
WINDOW_NODES, WINDOW_WEIGHTS = legendre(12)


class NoiseKind(NamedTuple):
    """A family of standard noise: symmetric about 0, with a log-concave density."""

    name: str
    log_density: Callable[[Array], Array]
    log_window: Callable[[Array, Array], Array]  # log(F(y) - F(y - v)), v in (0, inf]
    slope: Callable[[Array, Array], Array]  # a bound of |d log window/dy|


def lower_half(y: Array, v: Array) -> Array:
    """The upper end of the window (y - v, y], mirrored at 0 if the window's midpoint is positive."""
    return np.where(y - v / 2 > 0, v - y, y)


# -- normal ----------------------------------------------------------------------------------------------------------


def normal_log_density(z: Array) -> Array:
    """The logarithm of the standard normal density at z."""
    return np.asarray(-z * z / 2 - LOG_ROOT_2_PI)


def normal_log_window(y: Array, v: Array) -> Array:
    """The log of the probability of the window (y - v, y] under standard normal noise.
    If the window is not narrow, the difference D = log Phi(hi) - log Phi(lo) exceeds 1/5: the derivative of log Phi at
    -s is at least max(s, 0.79) for s >= 0, and the part of the window below 0 has length l >= v/2, so that D >=
    max(0.79 l, l^2/2) if hi > 0, and 1 < v (1 + |middle|) <= 2 l + l^2 <= (2/0.79 + 2) D; for hi <= 0 it is larger. So
    log(1 - e^-D) multiplies an error of D by at most 1/(e^(1/5) - 1) < 5."""
    high = lower_half(y, v)
    out = log_ndtr(high)
    finite = np.isfinite(v)
    if not finite.any():
        return np.asarray(out)
    h, w, first = high[finite], v[finite], out[finite]
    with np.errstate(divide="ignore"):
        wide = first + el.log1p(-el.exp(log_ndtr(h - w) - first))
    middle = h - w / 2
    narrow = w * (1 + np.abs(middle)) <= 1
    if narrow.any():
        m, w = middle[narrow], w[narrow]
        s = w[:, None] / 2 * WINDOW_NODES
        mean = matrix_product(el.exp(-s * (m[:, None] + s / 2)), WINDOW_WEIGHTS) / 2
        wide[narrow] = el.log(w) - m * m / 2 - LOG_ROOT_2_PI + el.log(mean)
    out[finite] = wide
    return np.asarray(out)


def normal_slope(y: Array, v: Array) -> Array:
    """A bound on the slope |d log W/dy| of the log of a window's normal probability W.
    It is the mean of |t| over the window, at most that over (-inf, hi], phi/Phi(hi) <= 1 + max(-hi, 0) (Birnbaum 1942).
    The result is six times as much, because each end may be rounded separately (see `normal_log_window`)."""
    return np.asarray(6 * (1 + np.maximum(-lower_half(y, v), 0)))


# -- Laplace ---------------------------------------------------------------------------------------------------------


def laplace_log_density(z: Array) -> Array:
    """The logarithm of the standard Laplace density at z."""
    return np.asarray(-np.abs(z) - LOG_2)


def laplace_log_window(y: Array, v: Array) -> Array:
    """The log of the probability of the window (y - v, y] under Laplace noise of scale 1.
    An exponential if the window lies on one side of 0, and (1 - e^-hi)/2 + (1 - e^lo)/2 around 0."""
    high, v = np.broadcast_arrays(lower_half(y, v), v)
    out = np.empty(high.shape)
    beside = high <= 0
    around = ~beside
    with np.errstate(over="ignore", invalid="ignore"):
        h, w = high[beside], v[beside]
        out[beside] = h + evaluate_where(w != np.inf, 0.0, lambda w: el.log(-el.expm1(-w)), w) - LOG_2
        h = high[around]
        low = np.minimum(h - v[around], 0)
        out[around] = el.log((-el.expm1(-h) - evaluate_where(low != -np.inf, -1.0, el.expm1, low)) / 2)
    return out


def evaluate_where(where: Any, otherwise: float, function: Callable[[Array], Array], values: Array) -> Array:
    """An array with function(value) where the mask `where` is true, and `otherwise` elsewhere.
    Most windows are infinite, and their value is known."""
    if where.all():
        return function(values)
    out = np.full(values.shape, otherwise)
    if where.any():
        out[where] = function(values[where])
    return out


def laplace_slope(y: Array, v: Array) -> Array:
    """A bound on the slope |d log W/dy| of the log of a window's Laplace probability W.
    By log-concavity with tails e^-|y| the slope never exceeds 1. The result is twice as much, because each end may be
    rounded separately.
    """
    return np.full(np.shape(y), 2.0)


NORMAL = NoiseKind("normal", normal_log_density, normal_log_window, normal_slope)
LAPLACE = NoiseKind("Laplace", laplace_log_density, laplace_log_window, laplace_slope)


def known_noise(kind: Any) -> NoiseKind:
    """Returns NORMAL or LAPLACE if `kind` equals one of them, for example after pickling.
    Raises ValueError for any other noise, to which the error bounds do not apply."""
    for each in (NORMAL, LAPLACE):
        if kind == each:
            return each
    raise ValueError(f"selections: kind is {kind!r}; give NORMAL or LAPLACE of dpbandits.laws")
