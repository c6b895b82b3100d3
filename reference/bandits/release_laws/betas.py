"""Which of several Beta samples is the largest: looked up only where it is not plain.

A sample is where the distribution function of its law reaches its quantile u. Beta(a, b) is sub-Gaussian with variance
1/(4 (a + b + 1)) (Marchal and Arbel, "On the sub-Gaussianity of the Beta and Dirichlet distributions", 2017, Theorem
1), so that a sample lies more than d from its mean, on one side, with probability exp(-2 (a + b + 1) d^2) at most. That
encloses it, and one whose upper end lies below another's lower end is not the largest.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

END_SLACK = 1e-12  # of the ends, for their rounding


def ends(a: Array, b: Array, quantile: Array) -> tuple[Array, Array]:
    """Between which numbers the samples lie; the shape of the arguments."""
    mean, sharp = a / (a + b), 2 * (a + b + 1)
    with np.errstate(divide="ignore"):  # a quantile of 0 is the least number, one of 1 the largest
        low, high = (
            mean - np.sqrt(-el.log(quantile) / sharp),
            mean + np.sqrt(-el.log1p(-quantile) / sharp),
        )
    return low - END_SLACK, high + END_SLACK


def largest_sample(a: Array, b: Array, quantile: Array) -> Ints:
    """The place of the largest sample of each row, the lowest one of equal ones.

    a, b: > 0, the parameters, and quantile: in [0, 1], all (trials, samples).
    """
    low, high = ends(a, b, quantile)
    may = ~(high < low.max(axis=1, keepdims=True))  # also what is no number
    unclear = may & (may.sum(axis=1, keepdims=True) > 1)
    sample = np.where(may, 0.0, -1.0)
    sample[unclear] = betaincinv(a[unclear], b[unclear], quantile[unclear])
    return np.asarray(sample.argmax(axis=1))
