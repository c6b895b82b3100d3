"""The joint confidence region of a test's two errors, and by how much this region contradicts a claimed trade-off
curve.

A test that tells "left" from "right" makes errors of two kinds: alpha is the probability of saying "right" on the
left, beta of saying "left" on the right. Fresh trials of either side are counted, and this region of (alpha, beta) is
all that is ever concluded from samples: every epsilon, delta and mu below holds with its confidence, for all claims
and in both directions at once.

The region. Let F_x(a) be the chance of at most x errors among n trials of probability a, so that F_x(alpha) is the
p-value of alpha where x errors were counted. For a weight w in (0, 1) and an edge s in (0, 1), fixed beforehand,

    R = {(a, b): F_x(a)^w F_y(b)^(1 - w) > s}.

1. It is a confidence region. At the true alpha the p-value F_X(alpha) is at most t with probability at most t,
   whatever t: it is discrete, which only makes it larger than a uniform variable. So there are uniform variables
   U <= F_X(alpha) and V <= F_Y(beta), independent because the sides are, and the truth lies outside of R only where
   U^w V^(1 - w) <= s. With v the larger of w and 1 - w, and u = 1 - v, that has probability
   (v s^(1/v) - u s^(1/u))/(v - u), or s^2 (1 - 2 log s) for w = 1/2 (Fisher 1932, Good 1955): the level.
2. It is closed downwards: F_x falls in a, so that with (a, b) it holds all smaller errors.
3. So it is covered by rectangles from the origin. For p-values 1 = p_0 > p_1 > ... > p_k on the left, down to where
   p_k^w = s, let q_i be the p-values on the right with p_i^w q_i^(1 - w) = s, and a_i, b_i the errors that have these
   p-values. A point of R has a < a_k, because F_y <= 1. Let i be the first with a <= a_i. Then a > a_(i - 1) (or
   i = 1, p_0 = 1), so that F_x(a) <= p_(i - 1), which leaves F_y(b) > q_(i - 1), and b < b_(i - 1). The corners
   (a_i, b_(i - 1)) exceed everything in R.
4. The parameter that errors imply falls in both of them (`reference.curves.conversions`). So the least implied at a
   corner is shown by all of R: a claim is contradicted where each corner contradicts it, at one place of its curve.
5. Rounding: the edge is that of a level smaller by the share ROUNDING_SHARE, and the corners are raised by
   CORNER_ROUNDING. So a corner's p-value is at most the one that was asked for, up to a hundredth of ROUNDING_SHARE (a
   test holds it against ball arithmetic), and no part of R is missed.

One error alone would have been bounded with less, by its own limit; two limits of half the level each, a rectangle,
need some 1.2 to 1.7 times as many trials as this region does.
"""

from __future__ import annotations

from functools import lru_cache
from math import expm1, log, log1p, pi
from typing import Any, NamedTuple

import numpy as np
import scipy  # whose submodules are imported where they are first used
from numpy.typing import ArrayLike
from scipy.special import betainccinv

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.elementary import cos, sin
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves import Curve

ROUNDING_SHARE = 1e-6  # of the level, for rounding
CORNER_ROUNDING = 2.0**-50  # relative: eight times the rounding of a double
REGION_CORNERS = 256  # of a certified region; twice as many would save 0.3 % of the trials
PLANNED_POINTS = 7  # points of its edge that stand for it where trials are planned, and nothing is certified
EVEN_WEIGHT = 0.5  # the weight with which both errors count alike


def probability_upper_limit(count: ArrayLike, trials: int, level: ArrayLike) -> Array:
    """The one-sided Clopper-Pearson upper limit: the true probability exceeds it with probability at most `level`.

    A quantile of Beta(count + 1, trials - count), computed from the upper tail, so that a small level loses no digits.
    count, level: numbers or arrays. A count that is not an integer interpolates, which is allowed only for planning.
    """
    count = np.asarray(count, dtype=np.float64)
    return np.where(count >= trials, 1.0, betainccinv(count + 1, np.maximum(trials - count, 1e-9), level))


# -- the region --------------------------------------------------------------------------------------------------


class Region(NamedTuple):
    """Pairs of errors, (..., pairs) each, such that every possible true pair is dominated by one of them."""

    alpha: Array
    beta: Array


def joint_region(
    errors_left: ArrayLike, errors_right: ArrayLike, trials: int, level: float, weight: float = EVEN_WEIGHT
) -> Region:
    """Returns the corners of the joint confidence region of both errors, (..., REGION_CORNERS).
    The error counts are (...), out of `trials` on each side. The region misses the truth with probability <= level.
    weight: the weight of alpha, in (0, 1), fixed before the counts are known."""
    left, right = edge_p_values(level, weight, np.linspace(0, 1, REGION_CORNERS + 1))
    return Region(
        raised_upper_limit(np.asarray(errors_left)[..., None], trials, left[1:]),
        raised_upper_limit(np.asarray(errors_right)[..., None], trials, right[:-1]),
    )


def raised_upper_limit(count: ArrayLike, trials: int, level: Array) -> Array:
    """Returns the one-sided Clopper-Pearson upper limit, increased slightly so that rounding cannot make it too small.
    Near 1, rounding to the nearest double may lose more than ROUNDING_SHARE."""
    return np.asarray(np.minimum(1.0, probability_upper_limit(count, trials, level) * (1 + CORNER_ROUNDING)))


def planned_region(
    errors_left: ArrayLike,
    errors_right: ArrayLike,
    trials: int,
    level: float,
    weight: float = EVEN_WEIGHT,
    points: int = PLANNED_POINTS,
) -> Region:
    """Returns a few points on the region's expected edge, (..., points), for planning; counts need not be integers.
    A single point is the middle of the edge."""
    left, right = edge_p_values(level, weight, (np.arange(points) + 0.5) / points)
    return Region(
        probability_upper_limit(np.asarray(errors_left)[..., None], trials, left),
        probability_upper_limit(np.asarray(errors_right)[..., None], trials, right),
    )


def edge_p_values(level: float, weight: float, share: Array) -> tuple[Array, Array]:
    """The p-values on the left and on the right of some points of the region's edge, (m,) each.
    share: the positions along the edge, from 0 (the whole budget on the right) to 1, uniform if errors vary like normal
    variables; then an edge is nearly an ellipse."""
    edge, angle = log_edge(level * (1 - ROUNDING_SHARE), weight), share * pi / 2
    return el.exp(edge * sin(angle) ** 2 / weight), el.exp(edge * cos(angle) ** 2 / (1 - weight))


@lru_cache(maxsize=256)
def log_edge(level: float, weight: float) -> float:
    """Returns the number log s such that U^weight V^(1 - weight) <= s with probability `level`.
    U and V are independent and uniform on [0, 1]."""
    if not (0 < level < 1 and 0 < weight < 1):
        raise ValueError(f"level is {level} and weight is {weight}; both must lie strictly between 0 and 1")

    def log_excess_of_risk(edge: float) -> float:
        """Returns the log of the risk of this edge minus the log of the level."""
        return log_risk_of_edge(edge, weight) - log(level)

    return float(scipy.optimize.brentq(log_excess_of_risk, 2 * log(level) - 2, -1e-18, xtol=1e-13, rtol=1e-13))


def log_risk_of_edge(edge: float, weight: float) -> float:
    """Returns the log of the probability that U^weight V^(1 - weight) <= e^edge, edge < 0, for uniform U and V.
    Point 1 above, in a form that includes equal weights."""
    large, small = max(weight, 1 - weight), min(weight, 1 - weight)
    apart = edge * (1 / small - 1 / large)
    return edge / large + log1p(-edge / large * (expm1(apart) / apart if apart else 1.0))


# -- a point -----------------------------------------------------------------------------------------------------


class CertifiedPoint(NamedTuple):
    """One event's estimated errors, and the region in which they lie."""

    alpha: float
    beta: float
    region: Region


def certify_point(
    errors_left: int, errors_right: int, trials: int, level: float, weight: float = EVEN_WEIGHT
) -> CertifiedPoint:
    """Returns the certified point of a test, wrong with probability <= level.
    errors_left, errors_right: the test's error counts out of `trials` on each side.

    weight: of alpha, fixed before the counts are known.
    """
    found = joint_region(errors_left, errors_right, trials, level, weight)
    return CertifiedPoint(errors_left / trials, errors_right / trials, found)


# -- what a claimed curve makes of errors ------------------------------------------------------------------------


class Excess(NamedTuple):
    """By how much errors contradict a claim (if positive), and where, in the claim's own parameter."""

    amount: Any
    shown: Any  # the certified lower bound
    at: Any  # the delta or the order; nan where the number says it all


def excess_at_errors(curve: Curve, alpha: ArrayLike, beta: ArrayLike) -> Excess:
    """Returns by how much a test with errors of at most alpha and beta contradicts the claim.
    The delta or order at which it contradicts the claim most counts. Arrays are allowed."""
    return excess_over_region(curve, Region(np.asarray(alpha, float)[..., None], np.asarray(beta, float)[..., None]))


def excess_over_region(curve: Curve, errors: Region) -> Excess:
    """Returns by how much a test whose errors lie in a region certainly contradicts the claim, (...).
    errors: the region, (..., pairs). The delta or order at which it contradicts the claim most counts."""
    alpha, beta = np.broadcast_arrays(*errors)
    claimed, at = curve.claimed_parameters()
    if not len(claimed):  # it promises nothing
        nothing = np.zeros(alpha.shape[:-1])
        return Excess(nothing - np.inf, nothing, nothing + np.nan)
    shown = curve.implied_parameter(alpha[..., None], beta[..., None], at).min(axis=-2)
    worst = (shown - claimed).argmax(axis=-1)
    shown = np.take_along_axis(shown, worst[..., None], axis=-1)[..., 0]
    return Excess(shown - claimed[worst], shown, at[worst])


def weakest_corner(curve: Curve, errors: Region) -> tuple[float, float]:
    """Returns the pair of errors in one region, (pairs,), that contradicts the claim least.
    The delta or order is that at which the region contradicts the claim most. If there are several such pairs (for
    example because none contradicts the claim), the one nearest to the middle of the edge."""
    shown = curve.implied_parameter(*errors, excess_over_region(curve, errors).at)
    least = np.flatnonzero(shown == shown.min())
    middle = least[np.argmin(np.abs(least - len(shown) // 2))]
    return float(errors.alpha[middle]), float(errors.beta[middle])
