"""Finds the index of the largest of several Beta samples. A sample is computed only if bounds on the samples do not
decide.

A sample is the point at which the distribution function of its law equals its quantile u. Beta(a, b) is sub-Gaussian
with variance 1/(4 (a + b + 1)) (Marchal and Arbel, "On the sub-Gaussianity of the Beta and Dirichlet distributions",
2017, Theorem 1), so a sample lies more than d below its mean with probability at most exp(-2 (a + b + 1) d^2): the
largest such lower end is a bar. A sample is A/(A + B) with A and B distributed as Gamma(a) and Gamma(b). It lies above
x if (1 - x) A - x B >= 0, which by Chernoff's bound, for m = a/(a + b) < x, has probability at most exp(-(a + b) KL(m,
x)); and a sample is not the largest if this is less than 1 - u at the bar.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import betaincinv

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

# Numbers here are arrays, or single numbers where a compiler reads the functions: hence Any.
SLACK = 1e-12  # of the bar, and of what is added up for a + b = 1, for their rounding


def depth(probability: Any) -> Any:
    """Returns -log(probability), called the depth of a probability."""
    return -el.log(probability)


def depth_of_rest(quantile: Any) -> Any:
    """Returns -log(1 - quantile), the depth of the probability above a quantile."""
    return -el.log1p(-quantile)


def rough_depth(probability: Any) -> Any:
    """Returns an upper bound on -log(probability), computed without a logarithm.
    The bound is log y <= y - 1 for y = probability^(-1/2)."""
    return 2 / np.sqrt(probability) - 2 + SLACK


def lower_end(a: Any, b: Any, max_depth: Any) -> Any:
    """Returns a lower bound on Beta samples, in the shape of the arguments.
    max_depth: an upper bound on -log of the samples' quantiles."""
    return a / (a + b) - np.sqrt(max_depth / (2 * (a + b + 1))) - SLACK


def exponent(a: Any, b: Any, threshold: Any) -> Any:
    """(a + b) KL(m, threshold), or a little less; 0 if the mean m is at least the threshold, which is below 1."""
    whole = a + b
    above = threshold * whole > a
    over = np.where(above, threshold, 0.5)
    found = a * el.log(a / whole / over) + b * el.log(b / whole / (1 - over)) - SLACK * (whole + 1)
    return np.where(above, found, 0.0)


def rough_exponent(a: Any, b: Any, threshold: Any) -> Any:
    """A lower bound on (a + b) KL(m, threshold) without a logarithm.
    KL is the integral from m to the threshold of (y - m)/(y (1 - y))."""
    mean = a / (a + b)
    middle = np.where(mean > 0.5, mean, np.where(threshold < 0.5, threshold, 0.5))  # where y (1 - y) is largest
    room = np.maximum(threshold - mean, 0.0)
    return (a + b) * (1 - SLACK) * room * room / (2 * middle * (1 - middle))


def largest_sample(a: Array, b: Array, quantile: Array) -> Ints:
    """The index of the largest sample of each row, the lowest index among equal ones.

    a, b: > 0, the parameters, and quantile: in [0, 1], all (trials, samples).
    """
    a, b, quantile = (np.asarray(each, dtype=np.float64) for each in (a, b, quantile))
    with np.errstate(divide="ignore", invalid="ignore"):  # of quantiles of 0 and 1, and of what is no number
        rough = may_be_largest(a, b, rough_depth(quantile), rough_depth(1 - quantile), rough_exponent)
    best, rows = rough.argmax(axis=1), np.flatnonzero(rough.sum(axis=1) > 1)
    if len(rows):
        a, b, quantile = a[rows], b[rows], quantile[rows]
        may = may_be_largest(a, b, depth(quantile), depth_of_rest(quantile), exponent)
        unclear = may & (may.sum(axis=1, keepdims=True) > 1)
        sample = np.where(may, 0.0, -1.0)
        sample[unclear] = betaincinv(a[unclear], b[unclear], quantile[unclear])
        best[rows] = sample.argmax(axis=1)
    return np.asarray(best)


def may_be_largest(
    a: Array, b: Array, max_depth: Array, max_depth_of_rest: Array, exponent_of: Callable[[Any, Any, Any], Any]
) -> Any:
    """Returns for each Beta sample whether it may be the largest of its row; true for nan.
    max_depth, max_depth_of_rest: upper bounds on -log of the samples' quantiles, and on -log of 1 minus the quantiles.
    exponent_of: `exponent`, or `rough_exponent`."""
    bar = lower_end(a, b, max_depth).max(axis=1, keepdims=True)
    return ~(exponent_of(a, b, bar) > max_depth_of_rest)
