"""The exact law of the argmax of independent normals: who wins, with what probability.

P(arm i wins) is the integral of phi(x) prod_{j != i} Phi((m_i - m_j + s_i x)/s_j) dx. For two arms it is one value
of Phi. For more, the trapezoidal rule on the whole line: for an integrand f that is analytic in the strip
|Im z| < d, with integrals of |f| along its lines at most M, the error with step h is at most
2 M/(exp(2 pi d/h) - 1). Here |phi(x + iy)| = phi(x) exp(y^2/2) and
|Phi(u + iv)| <= Phi(u) + phi(u) |v| exp(v^2/2) <= 1 + |v| exp(v^2/2)/sqrt(2 pi), so that the choice
d = min_j s_j/s_i (at most 1) gives M <= exp(1/2) (1 + exp(1/2)/sqrt(2 pi))^(k-1).
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from dpbandits.reference.noise import Array

ERROR = 1e-13  # what the trapezoidal rule may be wrong by, absolutely; rounding adds a few units of 1e-16
TAIL = 8.5  # the line is cut at +-8.5: at most 2 Phi(-8.5) < 2e-17 is lost
CELLS = 2**22  # at most this many integrand values at once


def argmax_law(means: Array, scales: Array) -> Array:
    """The probability that each arm's normal draw is the largest.

    means, scales: (trials, arms), scales > 0. Returns (trials, arms); for more than two arms with an absolute
    error of at most ERROR. Raises ValueError for a scale that is not positive and finite.
    """
    means, scales = np.broadcast_arrays(np.asarray(means, float), np.asarray(scales, float))
    if not (np.isfinite(scales).all() and (scales > 0).all()):
        raise ValueError(f"argmax_law: every scale must be positive and finite, the smallest is {scales.min()}")
    arms = means.shape[1]
    if arms == 1:
        return np.ones_like(means)
    if arms == 2:
        gap = (means[:, 0] - means[:, 1]) / np.hypot(scales[:, 0], scales[:, 1])
        return np.stack([ndtr(gap), ndtr(-gap)], axis=1)
    return np.stack([wins(means, scales, arm) for arm in range(arms)], axis=1)


def wins(means: Array, scales: Array, arm: int) -> Array:
    """P(this arm wins), (trials,), by the trapezoidal rule with the module's error bound."""
    others = np.arange(means.shape[1]) != arm
    ratio = scales[:, arm, None] / scales[:, others]
    lead = (means[:, arm, None] - means[:, others]) / scales[:, others]
    step = trapezoid_step(strip=1 / max(1.0, float(ratio.max())), factors=int(others.sum()))
    x = step * np.arange(-np.ceil(TAIL / step), np.ceil(TAIL / step) + 1)
    weight = step * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    out = np.empty(means.shape[0])
    batch = max(1, CELLS // (x.size * int(others.sum())))
    for start in range(0, out.size, batch):
        rows = slice(start, start + batch)
        out[rows] = ndtr(lead[rows, None, :] + ratio[rows, None, :] * x[:, None]).prod(axis=2) @ weight
    return out


def trapezoid_step(strip: float, factors: int) -> float:
    """The largest step whose error bound, as in the module's docstring, is at most ERROR."""
    bound = np.exp(0.5) * (1 + np.exp(0.5) / np.sqrt(2 * np.pi)) ** factors
    return float(2 * np.pi * strip / np.log1p(2 * bound / ERROR))
