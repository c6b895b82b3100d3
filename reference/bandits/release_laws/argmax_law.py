"""The exact law of the argmax of independent normals.

P(arm i wins) is the integral over the real line of f(x) = phi(x) prod_{j != i} Phi(l_j + r_j x), with the leads l_j =
(m_i - m_j)/s_j and the ratios r_j = s_i/s_j. For two arms it is one value of Phi. For more, the trapezoidal rule on the
whole line: for f analytic in the strip |Im z| <= d, with integrals of |f| along its lines at most M, the error with
step h is at most 2 M/(exp(2 pi d/h) - 1) (Trefethen and Weideman 2014, Theorem 5.1).

Here f is entire. |phi(x + iy)| = phi(x) exp(y^2/2), and integrating this along a line gives |Phi(u + iv)| <= exp(v^2/2)
Phi(u) <= exp(v^2/2); hence M = exp(R d^2/2) with R = 1 + sum_j r_j^2. The strip may be chosen: d = 2 pi/(R h) makes the
bound 2 exp(a)/(exp(2 a) - 1) = 1/sinh(a), where a = 2 pi^2/(R h^2).
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.arithmetic.linear import matrix_product
from dpbandits.reference.bandits.noise import Array

ERROR = 1e-13  # what a probability may be wrong by, absolutely: the trapezoidal rule, what is cut, and 8e-15 for the
# rounding of at most 20 factors, each good to a few units of 1e-16
TRAPEZOID = 9e-14  # the trapezoidal rule, by the bound above
TAIL = 8.0  # the line is cut at +-8: at most 2 Phi(-8) < 2e-15 is lost
MAX_BATCH_VALUES = 2**14  # about this many integrand values at once: they fit a processor's inner cache
MAX_SCALE_RATIO = 1e5  # the largest ratio of scales; the number of nodes grows with it, 3 million here


def argmax_law(means: Array, scales: Array) -> Array:
    """The probability that each arm's normal draw is the largest.

    means, scales: (trials, arms), scales > 0. Returns (trials, arms); for more than two arms with an absolute
    error of at most ERROR. Raises ValueError for a mean that is not finite, and a scale that is not positive and
    finite; NoLaw for a ratio of scales above MAX_SCALE_RATIO.
    """
    means, scales = np.broadcast_arrays(np.asarray(means, float), np.asarray(scales, float))
    if not np.isfinite(means).all():
        raise ValueError(f"argmax_law: a mean is {means[~np.isfinite(means)][0]}; every mean must be finite")
    if not (np.isfinite(scales).all() and (scales > 0).all()):
        bad = scales[~(np.isfinite(scales) & (scales > 0))][0]
        raise ValueError(f"argmax_law: a scale is {bad}; every scale must be positive and finite")
    arms = means.shape[1]
    if arms == 1:
        return np.ones_like(means)
    if arms == 2:
        gap = (means[:, 0] - means[:, 1]) / np.hypot(scales[:, 0], scales[:, 1])
        return np.stack([ndtr(gap), ndtr(-gap)], axis=1)
    widest = (scales.max(axis=1) / scales.min(axis=1)).max(initial=1.0)
    if widest > MAX_SCALE_RATIO:
        raise NoLaw(
            f"argmax_law: the largest scale is {widest:.3g} times the smallest; at most {MAX_SCALE_RATIO:g} "
            "times is supported"
        )
    return winning_chances(means, scales)


def absolute_error(arms: int) -> float:
    """A bound on the absolute error of the probabilities that `argmax_law` returns.
    0 for two arms, whose probabilities have only a relative error."""
    return ERROR if arms > 2 else 0.0


def winning_chances(means: Array, scales: Array) -> Array:
    """The probability that each arm's normal draw is the largest, (trials, arms), by the trapezoidal rule."""
    trials, arms = means.shape
    others = np.array([[j for j in range(arms) if j != arm] for arm in range(arms)])
    # One row for every trial and arm.
    ratio = (scales[:, :, None] / scales[:, others]).reshape(trials * arms, arms - 1)
    lead = ((means[:, :, None] - means[:, others]) / scales[:, others]).reshape(trials * arms, arms - 1)
    # Rows that need about the same step share it: R is rounded up to a power of two.
    power = el.whole_log2(1 + (ratio * ratio).sum(axis=1)) + 1.0
    out = np.empty(len(power))
    for p in np.unique(power):
        rows = np.flatnonzero(power == p)
        out[rows] = trapezoid(lead[rows], ratio[rows], trapezoid_step(2.0**p))
    return np.minimum(out, 1.0).reshape(trials, arms)


def trapezoid(lead: Array, ratio: Array, step: float) -> Array:
    """The trapezoidal sum for the integral of phi(x) prod_j Phi(lead_j + ratio_j x) over x, for each row."""
    x = step * np.arange(-np.ceil(TAIL / step), np.ceil(TAIL / step) + 1)
    weight = step * el.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    out = np.empty(len(lead))
    batch = max(1, MAX_BATCH_VALUES // x.size)
    for start in range(0, len(lead), batch):
        rows = slice(start, start + batch)
        values = np.ones((len(lead[rows]), x.size))
        for j in range(lead.shape[1]):
            values *= ndtr(lead[rows, j, None] + ratio[rows, j, None] * x)
        out[rows] = matrix_product(values, weight)
    return out


def trapezoid_step(squares: float) -> float:
    """The largest step of the trapezoidal rule with an error of at most TRAPEZOID. squares: the R of the module."""
    return float(np.pi * np.sqrt(2 / (squares * el.arcsinh(1 / TRAPEZOID))))
