"""The exact law of the arm with the largest x . theta, theta ~ N(B^-1 f, v^2 B^-1), as in linear Thompson sampling.

With R R' = B, theta = R'^-1 v (c + Z), where c = R^-1 f/v and Z is standard normal. Which arm is the largest depends
only on the differences of the contexts. If these span

- nothing, the first arm wins;
- a line, only the two end points can win: the probability of either is one value of Phi;
- a plane, the corners of the contexts' convex hull can win, each on a wedge between the outward normals of its two
  edges: `selections.wedges` integrates this probability with a relative error bound. So any number of arms has a law
  for d = 2, and for d = 3 if one feature is the same for all arms; three arms have one for any d;
- more, no law is implemented here.

**Ties.** Of equal contexts the first one wins, as with argmax. Contexts on an edge of the hull, or inside, win with
probability 0. Rational arithmetic on the contexts as doubles decides which ones these are, whatever B is.

**Errors.** The Cholesky factor is that of a matrix d units off, relatively to B's size; with kappa = |R|^2 |R^-1|^2
(Frobenius), at least B's condition number, directions and the centre are off by 8 d kappa units of 2^-53, relatively. A
wedge whose ends move by so much gains or loses no more than this, times the density of the angle there; if the centre
moves, the logarithm of the probability changes by at most |c| + 2 times as much. On a line, the logarithm of Phi
changes by at most |argument| + 1 times as much as its argument, which depends on the direction and the centre.

These are errors of the law of real numbers, at contexts, B and f as they are in doubles. A program rounds every x .
theta by d units of 2^-53 |x| |theta|, and may prefer the wrong one of two contexts if this exceeds the effect |D .
theta| of their difference D: with probability at most 2 d 2^-53 (|x|/|D|) sqrt(kappa) (|c| + sqrt d), as the density of
D . theta is at most 0.4 over its deviation, which is at least v |D|/|R|, and |theta| <= v |R^-1| (|c| + |Z|). If this
probability, over all arms, may reach MAX_PLAYED_APART, no law is returned, because the played policy would not follow
it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import NoLaw, positive, reals
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF, arctan2
from dpbandits.reference.arithmetic.linear import cholesky_factor, solve_lower_triangle
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Law
from dpbandits.reference.bandits.recommendations import unit
from dpbandits.reference.bandits.release_laws.selections.noises import LOG_ROOT_2_PI
from dpbandits.reference.bandits.release_laws.selections.wedges import (
    MAX_WEDGE_CENTRE,
    AnglePanels,
    angle_panel_sums,
    log_k,
)
from dpbandits.reference.bandits.release_laws.winners import law_from_logarithms

MAX_CHANCE_ERROR = 1e-3  # relatively: there is no law where chances are known to fewer digits
MAX_PLAYED_APART = 1e-6  # absolutely, by which a chance may be another one in doubles: 10^11 pulls hardly show it
FACTOR_ROUNDING = 8  # units of 2^-53, for each dimension, and each unit of condition

Rationals = tuple[Fraction, ...]


class Hull(NamedTuple):
    """The contexts that can win. axes: (rank, d), orthogonal, with largest entry 1. arms: on a line the lower and the
    upper end; in a plane the corners, counterclockwise. rays: (corners, 2), the outward normals, in these axes, of the
    edge that ends in each corner. largest_norm_to_distance_ratio: see the function of this name."""

    axes: Array
    arms: tuple[int, ...]
    rays: Array
    largest_norm_to_distance_ratio: float


def linear_winner(contexts: ArrayLike, gram: ArrayLike, moments: ArrayLike, scale: float) -> Law:
    """The law of pulling the arm with the largest x . theta, theta ~ N(B^-1 f, v^2 B^-1), (states, arms).

    contexts: the arms' x, (arms, d), or (states, arms, d). gram: B, (states, d, d), symmetric and positive definite.
    moments: f, (states, d). scale: v > 0. Probabilities are logarithms with a relative error, which the law states;
    impossible arms have probability exactly 0. Raises ValueError for other shapes, numbers that are not finite, and a B
    that is not positive definite; NoLaw if differences of contexts span more than a plane, or nearly a line, for a B so
    badly conditioned that fewer than three digits are known, for means more than MAX_WEDGE_CENTRE scales away, and for
    contexts so close to each other that doubles may order their x . theta wrongly.
    """
    positive("linear_winner: v (scale)", scale)
    x, factor, f = checked_posterior(contexts, gram, moments)
    states, d = f.shape
    centre = solve_lower_triangle(factor, f) / scale
    log, error = np.full((states, x.shape[-2]), -np.inf), np.zeros((states, x.shape[-2]))
    kinds, which = np.unique(x.reshape(-1, x.shape[-2] * d), axis=0, return_inverse=True)
    for kind, row in enumerate(kinds):
        some = np.arange(states) if x.ndim == 2 else np.flatnonzero(which.ravel() == kind)
        found = hull_of_contexts(tuple(map(tuple, row.reshape(-1, d).tolist())))
        log[some], error[some] = log_corner_chances(found, factor[some], centre[some], x.shape[-2])
    if error.max(initial=0.0) > MAX_CHANCE_ERROR:
        raise NoLaw(
            f"linear_winner: some probabilities are computed with a relative error of {error.max():.2g} "
            "only, because gram is ill-conditioned or the means are too far from 0; audit this policy by samples "
            "instead"
        )
    return law_from_logarithms(unit(x.shape[-2]), log, error)


def checked_posterior(contexts: ArrayLike, gram: ArrayLike, moments: ArrayLike) -> tuple[Array, Array, Array]:
    """Checked arrays: the contexts, the Cholesky factor of the Gram matrix B, and the moments f."""
    x, b, f = (
        reals(f"linear_winner: {name}", part)
        for name, part in (("contexts", contexts), ("gram", gram), ("moments", moments))
    )
    states, d = f.shape if f.ndim == 2 else (-1, -1)
    if b.shape != (states, d, d) or x.ndim not in (2, 3) or x.shape[-1] != d or x.shape[:-2] not in ((), (states,)):
        raise ValueError(
            f"linear_winner: contexts have shape {x.shape}, gram {b.shape} and moments {f.shape}; contexts "
            "must have shape (arms, d) or (states, arms, d), gram (states, d, d), and moments (states, d)"
        )
    if not all(np.isfinite(part).all() for part in (x, b, f)):
        raise ValueError("linear_winner: contexts, gram and moments must be finite")
    factor = cholesky_factor(b)
    if np.isnan(factor).any():
        raise ValueError("linear_winner: gram is not positive definite; give B = I + sum of x x'")
    return x, factor, f


# -- which contexts can win, exactly ---------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def hull_of_contexts(contexts: tuple[tuple[float, ...], ...]) -> Hull:
    """The contexts that can win for some theta. Raises NoLaw if their differences span more than a plane."""
    rows = [tuple(map(Fraction, row)) for row in contexts]
    left = [tuple(a - b for a, b in zip(row, rows[0], strict=True)) for row in rows]
    axes: list[Rationals] = []
    at: list[list[Fraction]] = [[] for _ in rows]
    while any(any(row) for row in left):
        if len(axes) == 2:
            raise NoLaw(
                f"linear_winner: the differences of the {len(rows)} contexts (dimension {len(rows[0])}) span more than "
                "a plane, but the law can be computed only for a plane (three arms or d = 2 always give a plane); "
                "audit this policy by samples instead"
            )
        longest = max(left, key=lambda row: scalar_product(row, row))
        unit = max(map(abs, longest))
        axes.append(tuple(entry / unit for entry in longest))
        for arm, row in enumerate(left):
            share = scalar_product(row, axes[-1]) / scalar_product(axes[-1], axes[-1])
            at[arm].append(share)
            left[arm] = tuple(a - share * b for a, b in zip(row, axes[-1], strict=True))
    first = {tuple(place): arm for arm, place in reversed(list(enumerate(at)))}  # of equal contexts the first
    corners = sorted(first) if len(axes) < 2 else counterclockwise(sorted(first))
    if len(axes) == 1:
        corners = [corners[0], corners[-1]]
    rays = [outward(corners[k - 1], corner) for k, corner in enumerate(corners)] if len(axes) == 2 else []
    numbers = np.array([[float(entry) for entry in axis] for axis in axes]).reshape(len(axes), len(rows[0]))
    arms = tuple(first[corner] for corner in corners)
    return Hull(numbers, arms, np.array(rays).reshape(-1, 2), largest_norm_to_distance_ratio(np.array(contexts)))


def largest_norm_to_distance_ratio(contexts: Array) -> float:
    """The largest ratio |x|/|x - y| over pairs of different contexts x, y of (arms, d), in maximum norms.
    0 if all are equal."""
    found, length = 0.0, np.maximum(np.abs(contexts).max(axis=1), 2.0**-960)  # below, products are rounded coarsely
    with np.errstate(over="ignore"):
        for row, own in zip(contexts, length, strict=True):
            apart = np.abs(contexts - row).max(axis=1)
            found = max(found, float((np.maximum(length, own)[apart > 0] / apart[apart > 0]).max(initial=0.0)))
    return found


def scalar_product(u: Rationals, v: Rationals) -> Fraction:
    """The scalar product of two vectors of fractions."""
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def counterclockwise(points: list[Rationals]) -> list[Rationals]:
    """The corners of the convex hull of points, counterclockwise, without points between two corners.
    The method is Andrew's monotone chain."""
    half: list[list[Rationals]] = []
    for ordered in (points, points[::-1]):
        chain: list[Rationals] = []
        for point in ordered:
            while len(chain) > 1 and turn(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        half.append(chain[:-1])
    return half[0] + half[1]


def turn(a: Rationals, b: Rationals, c: Rationals) -> Fraction:
    """A number that is positive if the path from point a via b to c turns left, negative if it turns right."""
    found: Fraction = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
    return found


def outward(before: Rationals, corner: Rationals) -> tuple[float, float]:
    """The outward normal of the edge between two corners of a convex polygon, its larger entry about 1."""
    x, y = corner[1] - before[1], before[0] - corner[0]
    largest = max(abs(x), abs(y))
    return float(x / largest), float(y / largest)


# -- how likely they win ---------------------------------------------------------------------------------------------


def log_corner_chances(hull: Hull, factor: Array, mean: Array, arms: int) -> tuple[Array, Array]:
    """The logarithm of every arm's probability, and a bound on its error, both (states, arms).
    mean: c, (states, d)."""
    states, d = mean.shape
    log, error = np.full((states, arms), -np.inf), np.zeros((states, arms))
    if not hull.axes.size:
        log[:, hull.arms[0]] = 0.0
        return log, error
    inverse = solve_lower_triangle(factor[:, None], np.eye(d))
    condition = (factor * factor).sum(axis=(1, 2)) * (inverse * inverse).sum(axis=(1, 2))
    off = FACTOR_ROUNDING * d * UNIT_ROUNDOFF * condition
    size = np.sqrt((mean * mean).sum(axis=1))
    if size.max(initial=0.0) > MAX_WEDGE_CENTRE:
        raise NoLaw(
            f"linear_winner: a mean is {size.max():.3g} standard deviations from 0; at most {MAX_WEDGE_CENTRE:g} "
            "is supported"
        )
    # Nearness is of largest entries, which are those of norms up to sqrt(d).
    played = (
        2
        * d**1.5
        * UNIT_ROUNDOFF
        * hull.largest_norm_to_distance_ratio
        * np.sqrt(condition)
        * (size + np.sqrt(d))
        * arms
    )
    if played.max(initial=0.0) > MAX_PLAYED_APART:
        raise NoLaw(
            f"linear_winner: two contexts differ by only {1 / hull.largest_norm_to_distance_ratio:.2g} of "
            "their length, so that "
            "rounding errors of x . theta may decide between them with probability "
            f"{min(1, played.max()):.1g}; make the contexts equal, or audit this policy by samples instead"
        )
    mapped = [solve_lower_triangle(factor, axis) for axis in hull.axes]
    length = np.sqrt((mapped[0] * mapped[0]).sum(axis=1))
    one = mapped[0] / length[:, None]
    share = (one * mean).sum(axis=1)
    if len(hull.axes) == 1:
        for sign, arm in zip((-1, 1), hull.arms, strict=True):
            log[:, arm] = log_ndtr(sign * share)
            moved = (2 * off + 8 * d * UNIT_ROUNDOFF) * size  # the direction is off, and so is the centre
            error[:, arm] = moved * (np.abs(share) + 1) + 16 * UNIT_ROUNDOFF * (1 - log[:, arm])
        return log, error
    tilt = (one * mapped[1]).sum(axis=1)
    rest = mapped[1] - tilt[:, None] * one
    rest -= (rest * one).sum(axis=1, keepdims=True) * one
    height = np.sqrt((rest * rest).sum(axis=1))
    middle = np.stack([share, (rest * mean).sum(axis=1) / height], axis=1)
    x = hull.rays[:, 0] / length[:, None]
    y = (hull.rays[:, 1] - tilt[:, None] * x) / height[:, None]
    rays = np.stack([x, y], axis=2) / np.hypot(x, y)[:, :, None]
    log[:, hull.arms], error[:, hull.arms] = log_wedge_chances(rays, middle, off + 16 * d * UNIT_ROUNDOFF)
    return log, error


def log_wedge_chances(rays: Array, mean: Array, errors: Array) -> tuple[Array, Array]:
    """The log probabilities that mean + Z lies between each ray and the next one, with error bounds.
    Both are (states, rays). rays: (states, rays, 2), of length 1. errors: the relative errors of the rays' angles and
    of the centre."""
    states, count = rays.shape[:2]
    after = np.roll(rays, -1, axis=1)
    cross = rays[..., 0] * after[..., 1] - rays[..., 1] * after[..., 0]
    width = arctan2(cross, (rays * after).sum(axis=2))
    if (width <= errors[:, None] / MAX_CHANCE_ERROR).any():
        raise NoLaw(
            "linear_winner: the contexts lie so close to a line that rounding errors decide which of the inner "
            "contexts win; put them exactly on a line, or audit this policy by samples instead"
        )
    centre = np.repeat(mean, count, axis=0)
    panels = AnglePanels(
        np.arange(states * count), rays.reshape(-1, 2), np.zeros(centre.shape[0]), width.ravel(), centre
    )
    log, error = (part.reshape(states, count) for part in angle_panel_sums(panels))
    along_ray = (rays * mean[:, None]).sum(axis=2)
    across = rays[..., 0] * mean[:, None, 1] - rays[..., 1] * mean[:, None, 0]
    density = log_k(along_ray) - across * across / 2 - 2 * LOG_ROOT_2_PI
    ends = el.exp(density - log) + el.exp(np.roll(density, -1, axis=1) - log)
    size = np.hypot(*mean.T)[:, None]
    return log, np.asarray(error + 2 * errors[:, None] * (ends + size * (size + 2)))
