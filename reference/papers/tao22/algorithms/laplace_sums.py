"""Sums of independent standard Laplace numbers: a draw of many at once.

A Laplace number is sqrt(2 E) Z with a standard exponential E and a standard normal Z, so that the sum of n is
sqrt(2 G) Z with G ~ Gamma(n, 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaincinv

from dpbandits.reference.bandits.noise import Array, Noise


def laplace_sum(t: int, n: Any, noise: Noise) -> Array:
    """The sum of n standard Laplace variables as one draw at step t, (trials, arms). n: (trials, arms), at least 1."""
    arms = n.shape[1:]
    gamma = gammaincinv(n, noise.uniform("sum of Laplace: G", t, arms))
    return np.asarray(np.sqrt(2 * gamma) * noise.normal("sum of Laplace: Z", t, arms))
