"""Logistic regression by a few steps of Newton's method, the same bits on every processor.

The curvature's sums over trials, which are many, are left to BLAS, which takes them in an order of its own, for they
are exact in any order: entries and chances are rounded so far that a sum of so many products fits a double. What the
curvature is off by costs a fraction of a step, and nothing of the optimum, which the slope decides.
"""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.linear import matrix_product, solve_linear_system
from dpbandits.reference.bandits.noise import Array

LOGISTIC_STEPS = 8
MAX_LOGIT = 30.0  # logits
# A column's squares add up to the trials n, so that by Cauchy and Schwarz the parts of sums of x_i x_j w with w <= 1/4
# are at most n/4: in multiples of 2^-32 they are whole numbers below 2^53 for n < 2^23.
ENTRY, CURVE = 2.0**10, 2.0**12


def coarse(values: Array, unit: float) -> Array:
    """Rounded to multiples of 1/unit."""
    return np.asarray(np.rint(values * unit) / unit)


def newton(x: Array, label: Array, ridge: float) -> Array:
    """The weights, (columns,), of the logit that tells label 1 from 0. x: (trials, columns), each column of mean 0
    and variance 1, or 0. ridge: keeps what separates the labels finite."""
    rough, weights = coarse(x, ENTRY), np.zeros(x.shape[1])
    for _ in range(LOGISTIC_STEPS):
        chance = 1 / (1 + el.exp(-np.clip(matrix_product(x, weights), -MAX_LOGIT, MAX_LOGIT)))
        slope = (x * (label - chance)[:, None]).sum(axis=0) - ridge * weights
        curvature = (rough * coarse(chance * (1 - chance), CURVE)[:, None]).T @ rough + ridge * np.eye(x.shape[1])
        weights = weights + solve_linear_system(curvature, slope)
    return weights
