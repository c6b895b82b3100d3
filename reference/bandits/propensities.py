"""Computes propensities for off-policy evaluation: the probability that Thompson sampling pulls each arm, given its
posteriors.

For normal posteriors the probability of arm i is the integral over the line of p_i(y) prod_{j != i} F_j(y), with the
densities p and the distribution functions F of all arms. So one grid serves every arm. The trapezoidal rule is that of
`release_laws.argmax_law`; its error bound depends on the step h by h^2 sum_j 1/s_j^2 alone, which is the same for every
arm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import reals
from dpbandits.reference.bandits.beta_thompson import argmax_chances
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.release_laws.argmax_law import MAX_SCALE_RATIO, TAIL, argmax_law, trapezoid_step

MAX_ARMS = 1000  # so many factors cost 6e-13 of the error of 1e-12 that is stated
MAX_GRID_VALUES = 2**32  # of a round: some minutes
MAX_PSEUDO_COUNTS = 10**6  # of all arms together: the first round of so many takes some ten seconds
BETA_BLUR = 1e-14  # absolute, beside the relative error of `argmax_chances`, which is larger
VALUES_AT_ONCE = 2**16  # they fit a processor's cache
STEP_BITS = 8  # of a grid's step, so that its points are exact: fewer than 2^45 steps from 0
FAR_OUT = 64.0  # widest deviations from 0: beyond, means are taken from the largest, which is exact for all within 32
OUT_OF_SIGHT = -1e30  # widest deviations from 0: what lies there never wins


def propensities(means: ArrayLike, deviations: ArrayLike) -> Array:
    """The probability with which Thompson sampling with normal posteriors pulls each arm.

    means, deviations: (..., arms), the means and positive standard deviations of the posteriors of the arms' means, in
    the rewards' unit. The posteriors of different arms are independent. Both arrays are broadcast, so that any leading
    axes may be rounds or runs. Returns (..., arms), chances in [0, 1], each with an absolute error of at most 1e-12.
    Nothing is drawn.

    The time for a round grows with the ratio of its largest deviation to its smallest, and with arms^1.5. Raises
    ValueError, with the place, for numbers that are not finite, deviations that are not positive or in a ratio above
    1e5, shapes that do not match, fewer than 2 arms or more than 1000, and rounds that would take more than some
    minutes: hundreds of arms at a ratio of 1e5.

    Source: Thompson (1933); the error is that of the trapezoidal rule, by Trefethen and Weideman (2014), Theorem 5.1.
    """
    who = "propensities"
    mean, deviation = same_shape(who, means=means, deviations=deviations)
    require_everywhere(f"{who}: means", mean, np.isfinite(mean), "finite")
    require_everywhere(f"{who}: deviations", deviation, np.isfinite(deviation) & (deviation > 0), "positive and finite")
    with np.errstate(over="ignore"):
        narrow = deviation.max(axis=-1, keepdims=True) / deviation <= MAX_SCALE_RATIO
    require_everywhere(
        f"{who}: deviations",
        deviation,
        narrow,
        f"at least 1/{MAX_SCALE_RATIO:g} of the largest deviation of the same round",
    )
    rows = rescaled_by_widest(mean.reshape(-1, mean.shape[-1]), deviation.reshape(-1, mean.shape[-1]))
    if mean.shape[-1] == 2:
        return argmax_law(*rows).reshape(mean.shape)
    grid = common_grid(*rows)
    values = (grid.points * mean.shape[-1]).astype(np.float64).reshape(mean.shape[:-1])
    enough = (
        f"at most {MAX_GRID_VALUES:g}, because more would take too long; give fewer arms, or deviations closer "
        "to each other"
    )
    require_everywhere(f"{who}: the number of values on the grid of a round", values, values <= MAX_GRID_VALUES, enough)
    return on_one_grid(*rows, grid).reshape(mean.shape)


def beta_propensities(a: ArrayLike, b: ArrayLike) -> Array:
    """The probability with which Thompson sampling with Beta posteriors pulls each arm.

    a, b: (..., arms), the parameters of the posteriors Beta(a, b), integers of at least 1 (numbers of successes and
    failures, plus 1 for the prior). The posteriors of different arms are independent. Both arrays are broadcast, so
    that any leading axes may be rounds or runs. Returns (..., arms), chances in [0, 1], each with an absolute error of
    at most 1e-13 times the sum of its round's a and b: 1e-10 after 1000 pulls. Nothing is drawn.

    The time for a round grows with the square root of that sum. Raises ValueError, with the place, for parameters that
    are not integers of at least 1 (the integrand is a polynomial for integers only), a sum above 1e6, shapes that do
    not match, and fewer than 2 arms or more than 1000.

    Source: Thompson (1933); the error is that of Gauss's rule for polynomials, see `beta_thompson`.
    """
    who = "beta_propensities"
    won, lost = same_shape(who, a=a, b=b)
    for name, value in (("a", won), ("b", lost)):
        whole = (value >= 1) & (value == np.floor(value)) & (value <= MAX_PSEUDO_COUNTS)
        require_everywhere(f"{who}: {name}", value, whole, f"a whole number from 1 to {MAX_PSEUDO_COUNTS:g}")
    size = (won + lost).sum(axis=-1)
    require_everywhere(
        f"{who}: the sum of all a and b",
        size,
        size <= MAX_PSEUDO_COUNTS,
        f"at most {MAX_PSEUDO_COUNTS:g} in each round",
    )
    counts = [value.reshape(-1, won.shape[-1]).astype(np.int64) for value in (won, lost)]
    found = np.empty(counts[0].shape)
    power = np.frexp(size.reshape(-1))[1]  # rounds of about the same size share a rule
    for each in np.unique(power):
        found[power == each] = argmax_chances(counts[0][power == each], counts[1][power == each], BETA_BLUR)
    return np.minimum(found, 1.0).reshape(won.shape)


def same_shape(error_prefix: str, **given: ArrayLike) -> list[Array]:
    """Copies of the given arrays, broadcast to one shape (..., arms).
    Raises ValueError for shapes that do not match, or for a number of arms without an error bound."""
    values = [reals(f"{error_prefix}: {name}", value) for name, value in given.items()]
    said = " and ".join(f"{name} of shape {value.shape}" for name, value in zip(given, values, strict=True))
    try:
        found = [each.copy() for each in np.broadcast_arrays(*values)]
    except ValueError:
        raise ValueError(f"{error_prefix}: {said} do not match; both must have the same shape (..., arms)") from None
    if not (found[0].ndim and 2 <= found[0].shape[-1] <= MAX_ARMS):
        raise ValueError(
            f"{error_prefix}: {said}; the last axis must be the arms, of which there may be 2 to {MAX_ARMS}"
        )
    return found


def require_everywhere(name: str, values: Array, valid: NDArray[np.bool_], wanted: str) -> None:
    """Raises ValueError that names the first value which is not `valid`, and what is wanted."""
    if not valid.all():
        place = tuple(int(part) for part in np.argwhere(~valid)[0])
        at = f"[{', '.join(map(str, place))}]" if place else ""
        raise ValueError(f"{name}{at} is {values[place]:.7g}; it must be {wanted}")


def rescaled_by_widest(mean: Array, deviation: Array) -> tuple[Array, Array]:
    """Returns the means and deviations of each round, scaled by a power of two near the largest deviation.
    The largest deviation is then between 1/2 and 1, and the largest mean is shifted to near 0. The unit is a power of
    two, so scaling rounds nothing, and nothing relevant overflows."""
    with np.errstate(over="ignore"):
        best, widest = mean.max(axis=1, keepdims=True), deviation.max(axis=1, keepdims=True)
        unit = -np.frexp(widest)[1]
        moved = mean - np.where(np.abs(best) / widest > FAR_OUT, best, 0.0)
        return np.maximum(np.ldexp(moved, unit), OUT_OF_SIGHT), np.ldexp(deviation, unit)


class RoundGrid(NamedTuple):
    """The grid of each round, (rounds,): y = (first + k) step for k below `points`."""

    step: Array
    first: Array
    points: NDArray[np.int64]


def common_grid(mean: Array, deviation: Array) -> RoundGrid:
    """A grid of points for each round, on which the integrals for all arms of the round are computed."""
    digits, power = np.frexp(trapezoid_step(1.0) / np.sqrt((1 / deviation**2).sum(axis=1)))
    step = np.ldexp(np.floor(np.ldexp(digits, STEP_BITS)), power - STEP_BITS)
    low, high = ((mean + side * deviation).max(axis=1) for side in (-TAIL, TAIL))
    first = np.floor(low / step)
    return RoundGrid(step, first, (np.ceil(high / step) - first + 2).astype(np.int64))


def on_one_grid(mean: Array, deviation: Array, grid: RoundGrid) -> Array:
    """P(each arm's normal draw is the largest), (rounds, arms), for more than two arms.

    Of the error, 9e-14 come from the trapezoidal rule and 2e-15 from the cut-off: below `low`, an arm that is never so
    small wins no probability, with its probability Phi(-8), and above `high` each arm loses as much. Rounding adds
    6e-16 for each factor: five units of 2^-53 relative to it, for its own digits, the quotient and the product, and 1/4
    of the two units by which z is off.
    """
    step, first, points = grid
    found, order = np.empty_like(mean), np.argsort(points, kind="stable")
    while order.size:  # the longest first, with as many others as fit
        many = max(1, VALUES_AT_ONCE // (int(points[order[-1]]) * mean.shape[1]))
        rows, order = order[-many:], order[:-many]
        found[rows] = grid_sums(mean[rows], deviation[rows], step[rows], first[rows], int(points[rows[-1]]))
    return np.minimum(found, 1.0)


def grid_sums(mean: Array, deviation: Array, step: Array, first: Array, points: int) -> Array:
    """Each arm's probability to win, in every round, as a quadrature sum over a grid, (rounds, arms).
    The terms are h p_i(y) prod_{j != i} F_j(y) at y = (first + k) h, k < points."""
    found = np.zeros_like(mean)
    weight = step[:, None] / deviation / np.sqrt(2 * np.pi)
    block = max(1, VALUES_AT_ONCE // mean.size)
    for begin in range(0, points, block):
        y = step[:, None] * (first[:, None] + np.arange(begin, min(begin + block, points)))
        z = (y[:, None, :] - mean[:, :, None]) / deviation[:, :, None]
        below = ndtr(z)
        found += weight * (el.exp(-z * z / 2) * (below.prod(axis=1)[:, None] / below)).sum(axis=2)
    return found
