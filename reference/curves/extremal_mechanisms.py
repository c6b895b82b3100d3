"""Mechanisms that satisfy a guarantee with equality, given by the errors of their likelihood ratio tests.

Each function takes the parameter (m,) and its delta or order (m,), and returns the errors (alpha, beta), (m, tests)
each. Few tests are enough to compute the power of an audit.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import erfcx, expit, log_ndtr, ndtr

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.linear import legendre
from dpbandits.reference.bandits.noise import Array

Errors = tuple[Array, Array]


class LikelihoodRatioTests(NamedTuple):
    """Tests that reject if the likelihood ratio exceeds one of `number` thresholds; a reach_factor of 1 extends them to
    four standard deviations."""

    number: int
    reach_factor: float

    def thresholds(self, reach: float) -> Array:
        """The thresholds of the tests, evenly spaced between -reach and reach, both multiplied by `reach_factor`."""
        return np.linspace(-reach * self.reach_factor, reach * self.reach_factor, self.number)


SPARSE_TESTS = LikelihoodRatioTests(41, 1.0)
MAX_CLOSE_MU = 1.0  # normal laws so far apart have a profile whose two terms are nearly equal
SERIES_START = 20.0
PROFILE_NODES, PROFILE_WEIGHTS = legendre(10)  # exact to roundoff on half a deviation to either side
DRAWN_TESTS = LikelihoodRatioTests(4001, 2.0)  # within a pixel of all of them, on logarithmic axes as well


class MechanismErrors(Protocol):
    """The errors of a mechanism's likelihood ratio tests, as a function of its parameter and delta."""

    def __call__(self, value: Array, at: Array, tests: LikelihoodRatioTests = SPARSE_TESTS, /) -> Errors:
        """The errors (alpha, beta) of likelihood ratio tests, (m, tests) each. value: the parameters (m,).
        at: the delta or order of each, (m,)."""


def normal_errors(mu: Array, tests: LikelihoodRatioTests = SPARSE_TESTS) -> Errors:
    """The errors (alpha, beta), (m, tests) each, of likelihood ratio tests between N(0, 1) and N(mu, 1)."""
    mu = mu[:, None]
    cut = mu / 2 + tests.thresholds(4.0)
    return ndtr(-cut), ndtr(cut - mu)


def gaussian_errors(eps: Array, delta: Array, tests: LikelihoodRatioTests = SPARSE_TESTS, /) -> Errors:
    """For given (eps, delta, tests): errors (alpha, beta) of tests between two normal laws with this eps at delta."""
    return normal_errors(gaussian_mu(eps, delta), tests)


def normal_delta(eps: Array, mu: Array | float) -> Array:
    """delta(eps) of mu-GDP in doubles, for mu > 0, with relative error 1e-9 down to 1e-300.

    In the formula e^eps overflows, and its factor underflows long before: so the product is computed by logarithms. For
    mu <= MAX_CLOSE_MU the two terms are nearly equal. With s = eps/mu and R(t) = Phi(-t)/phi(t), e^eps phi(s + mu/2) is
    phi(s - mu/2), so delta is phi(s - mu/2) (R(s - mu/2) - R(s + mu/2)): an integral of -R', which is positive.
    """
    eps, mu = np.broadcast_arrays(np.asarray(eps, dtype=np.float64), np.asarray(mu, dtype=np.float64))
    with np.errstate(over="ignore", invalid="ignore"):  # eps/mu, where all is 0
        shift, half = eps / mu, mu / 2
        apart = np.maximum(0.0, ndtr(half - shift) - el.exp(eps + log_ndtr(-shift - half)))
        inside = mills_complement(
            np.add.outer(shift, 0 * PROFILE_NODES) + np.multiply.outer(np.minimum(half, MAX_CLOSE_MU), PROFILE_NODES)
        )
        inside = (inside * PROFILE_WEIGHTS).sum(axis=-1)
        close = el.exp(-((shift - half) ** 2) / 2) / sqrt(2 * pi) * half * inside
    return np.asarray(np.where(mu <= MAX_CLOSE_MU, close, apart))


def mills_complement(t: Array) -> Array:
    """1 - t R(t) for Mills' ratio R(t) = Phi(-t)/phi(t), with relative error 1e-12 for t > -2.
    For large t by its series 1/t^2 - 3/t^4 + 15/t^6 - ..., because the difference would lose digits. Relative error
    1e-12 for t > -2."""
    near, square = np.minimum(t, SERIES_START), np.maximum(t, SERIES_START) ** 2
    series = np.ones_like(square)
    for k in range(21, 2, -2):
        series = 1 - k / square * series
    return np.asarray(np.where(t < SERIES_START, 1 - near * sqrt(pi / 2) * erfcx(near / sqrt(2)), series / square))


def gaussian_mu(eps: Array, delta: Array) -> Array:
    """The mu for which normal_delta(eps, mu) equals delta, elementwise, with the same accuracy.
    0 if delta is 0 or eps infinite, which no mu attains."""
    low = np.where(np.isfinite(eps), 2.5 * delta, 0.0)  # normal_delta(eps, mu) <= normal_delta(0, mu) <= mu/sqrt(2 pi)
    high = np.maximum(64.0, np.sqrt(2 * eps) + 39)  # there delta is 1, in doubles
    for _ in range(52):  # their logs are 760 apart at most
        with np.errstate(invalid="ignore", divide="ignore"):
            middle = np.sqrt(low) * np.sqrt(high)
            over = ~(normal_delta(eps, middle) <= delta)  # also where that is no number
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    return np.asarray(np.where(delta > 0, low, 0.0))


def laplace_errors(eps: Array, delta: Array, tests: LikelihoodRatioTests = SPARSE_TESTS, /) -> Errors:
    """For given (eps, delta, tests): errors (alpha, beta) of tests between two Laplace laws with this eps at delta.
    Their scale is 1, and their distance is the s for which delta(eps) = 1 - e^((eps - s)/2)."""
    shift = (eps - 2 * el.log1p(-delta))[:, None]
    cut = shift / 2 + tests.thresholds(1.0) * (shift / 2 + 4.0)
    cut = np.concatenate([cut, np.zeros_like(shift), shift], axis=1)  # where the ratio begins to change
    return laplace_tail(cut), laplace_tail(shift - cut)


def laplace_tail(x: Array) -> Array:
    """The probability that a standard Laplace variable is at least x."""
    tail = 0.5 * el.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, tail, 1 - tail))


def randomized_response_errors(eps: Array, delta: Array, tests: LikelihoodRatioTests = SPARSE_TESTS, /) -> Errors:
    """For given (eps, delta): the errors (alpha, beta) of tests of randomized response that is (eps, delta)-DP.
    It has three tests, whatever `tests` asks for.
    """
    corner = ((1 - delta) * expit(-eps))[:, None]
    nothing, all_but = np.zeros_like(corner), (1 - delta)[:, None] * np.ones_like(corner)
    return np.concatenate([nothing, corner, all_but], axis=1), np.concatenate([all_but, corner, nothing], axis=1)


# Of (eps, delta), the one that is seen best first.
PURE_MECHANISMS = {"randomized response": randomized_response_errors, "Laplace": laplace_errors}
MECHANISMS: dict[str, MechanismErrors] = {**PURE_MECHANISMS, "Gaussian": gaussian_errors}
