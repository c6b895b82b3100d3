"""Which `size` of many linear combinations of few independent noisy numbers are the largest: fans of cones.

The numbers are y_k = centre_k + Z_k in d <= 3 dimensions, in units of the noise's scale; arm i is worth weights_i . y,
and of equal arms the first is preferred. Which arms are the top ones hangs on the direction of y alone: space falls
into cones, of which each is cut into simplicial ones, spanned by d rays. All of this is in integers (every double is
one, times a power of two), so that no cone is lost, however thin.

**Laplace noise, exactly.** The density is an exponential on each orthant around the centre. A simplicial cone, cut at
the d planes y_k = centre_k, falls into simplices, bounded or not, that lie in one orthant each. In homogeneous
coordinates (weight, position) both are cones spanned by d + 1 generators, points and rays, and a cut is a split of such
a cone in two. The integral of exp(-L) over one of them, with points p, rays e and L linear, is

    |det of the generators| * exp[-L(p_0), ..., -L(p_n)] / prod L(e)

with a divided difference of exp (Hermite and Genocchi), which is positive. So nothing cancels, in no tail: a chance is
a sum of positive terms, each made of correctly rounded quotients of integers.

**Normal noise.** See `wedges` for d <= 2, and `cones` for d = 3.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import NoLaw, at_least, reals
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.release_laws.selections.laws import MAX_GAP_SCALES, Chances
from dpbandits.reference.bandits.release_laws.selections.noises import LAPLACE, LOG_2, NoiseKind, known_noise
from dpbandits.reference.papers.chen24.algorithms.cones import log_cones
from dpbandits.reference.papers.chen24.algorithms.wedges import log_wedges
from dpbandits.reference.papers.chen24.algorithms.whole_numbers import (
    Cone,
    Whole,
    determinant,
    dot,
    log_quotient,
    reduced,
)

MOST_CONES = 20_000
MOST_DIMENSIONS = 3
TAYLOR_TERMS, MAX_TAYLOR_GAP = 24, 1.0  # terms, and up to which gap: the rest is below 1/24!
# A divided difference of order 3 loses a factor 31 at most to the two differences of numbers that differ by a factor
# of 0.74 or less (`mean_decay`); the exponentials and quotients in it are good to a unit or two each.
DIFFERENCE = 200


class Fan(NamedTuple):
    """sets: (outcomes, arms), who is on top. cones: for each of them, simplicial cones by their rays."""

    sets: Any
    cones: tuple[tuple[Cone, ...], ...]


def combined(kind: NoiseKind, weights: Any, centres: Any, size: int) -> Chances:
    """The law of the `size` largest of weights . (centre + Z). weights: (arms, d), finite, d at most MOST_DIMENSIONS.
    centres: (m, d), in units of the noise's scale. The outcomes are the sets that can be on top.

    Raises ValueError for other noise or shapes and a size that is none; NoLaw for a centre farther out than `cones`
    takes, too many dimensions or cones, and cones that doubles do not hold.
    """
    kind = known_noise(kind)
    values, means = reals("combined: weights", weights), reals("combined: centres", centres)
    if not np.isfinite(values).all():
        raise ValueError("combined: a weight is nan or infinite; every weight must be finite")
    if values.ndim != 2 or means.ndim != 2 or means.shape[1] != values.shape[1]:
        raise ValueError(
            f"combined: weights have shape {values.shape} and centres {means.shape}; they must have shapes "
            "(arms, d) and (m, d)"
        )
    arms, d = values.shape
    if d > MOST_DIMENSIONS:
        raise NoLaw(f"combined: the weights have {d} dimensions; at most {MOST_DIMENSIONS} are supported")
    if not (np.abs(means) <= MAX_GAP_SCALES).all():
        raise NoLaw(
            f"combined: a centre is {np.abs(means).max():.3g} scales from 0; at most {MAX_GAP_SCALES:g} are supported"
        )
    at_least("s (size)", size, 1)
    if size >= arms:
        raise ValueError(f"combined: size is {size}, but arms = {arms}; the size must be smaller")
    found = fan(tuple(map(tuple, values.tolist())), size)
    normal = log_cones if d == MOST_DIMENSIONS else log_wedges
    try:
        log_chance, error = (log_laplace if kind is LAPLACE else normal)(found, means)
    except OverflowError:
        raise NoLaw(
            "combined: the weights differ so much in size that a computation with them exceeds the range of "
            "doubles; give weights of similar sizes"
        ) from None
    return Chances(found.sets, np.minimum(log_chance, 0.0), error)


# -- the fan ---------------------------------------------------------------------------------------------------------


def integer_directions(rows: tuple[tuple[float, ...], ...]) -> list[Whole]:
    """Directions as integers: all rows times one power of two."""
    parts = [[value.as_integer_ratio() for value in row] for row in rows]
    scale = max((below for row in parts for _, below in row), default=1)
    return [tuple(above * (scale // below) for above, below in row) for row in parts]


@lru_cache(maxsize=512)
def fan(weights: tuple[tuple[float, ...], ...], size: int, most: int = MOST_CONES) -> Fan:
    """The cones of every top set. An orthant is split by the plane on which two arms are equal, one on top and one
    not, as long as some ray of it prefers the other one; what is left has one top set. Ends because no piece is cut
    by a plane twice. NoLaw where there are more than `most`."""
    arms, d = integer_directions(weights), len(weights[0])
    unit = [tuple(int(k == axis) for k in range(d)) for axis in range(d)]
    open_: list[Cone] = [
        tuple(tuple(sign * entry for entry in axis) for sign, axis in zip(signs, unit, strict=True))
        for signs in product((1, -1), repeat=d)
    ]
    found: dict[tuple[int, ...], list[Cone]] = {}
    done = 0
    while open_:
        cone = open_.pop()
        value = [[dot(arm, ray) for ray in cone] for arm in arms]
        order = sorted(range(len(arms)), key=lambda arm: (-sum(value[arm]), arm))
        plane = next(
            (
                tuple(a - b for a, b in zip(arms[inside], arms[outside], strict=True))
                for inside in order[:size]
                for outside in order[size:]
                if any(a < b for a, b in zip(value[inside], value[outside], strict=True))
            ),
            None,
        )
        if plane is None:
            found.setdefault(tuple(sorted(order[:size])), []).append(cone)
            done += 1
        else:
            open_ += split_cone(cone, [dot(plane, ray) for ray in cone])
        if done + len(open_) > most:
            raise NoLaw(
                f"combined: arms = {len(arms)} and d = {d} give more than {most} cones, too many for an exact law"
            )
    ordered = sorted(found)
    sets = np.zeros((len(ordered), len(arms)), dtype=np.bool_)
    for row, chosen in enumerate(ordered):
        sets[row, list(chosen)] = True
    return Fan(sets, tuple(tuple(found[chosen]) for chosen in ordered))


def split_cone(cone: Cone, heights: list[int]) -> list[Cone]:
    """The cone cut at height 0: simplicial pieces, none with generators on both sides. heights: of its generators.

    The edge from a generator above to one below is cut, and the cone with it: in each half, the crossing point
    stands for one of the two.
    """
    above = next((k for k, height in enumerate(heights) if height > 0), None)
    below = next((k for k, height in enumerate(heights) if height < 0), None)
    if above is None or below is None:
        return [cone]
    a, b = heights[above], -heights[below]
    cross = reduced(tuple(a * y + b * x for x, y in zip(cone[above], cone[below], strict=True)))
    pieces = []
    for place in (above, below):
        rays, left = list(cone), list(heights)
        rays[place], left[place] = cross, 0
        pieces += split_cone(tuple(rays), left)
    return pieces


# -- Laplace noise ---------------------------------------------------------------------------------------------------


class Pieces(NamedTuple):
    """Simplices in one orthant each, as columns: the log of |det|/prod L(e), and L at the points, sorted."""

    row: list[int]  # which outcome
    log_size: list[float]
    points: list[list[float]]


def log_laplace(found: Fan, means: Array) -> tuple[Array, Array]:
    """The logarithm of every set's chance, (m, outcomes), and how far it may be off."""
    log_chance, error = np.full((len(means), len(found.cones)), -np.inf), np.zeros((len(means), len(found.cones)))
    for number, mean in enumerate(means.tolist()):
        pieces = cut_up(found, mean)
        many = np.array([len(each) for each in pieces.points])
        values, off, row = np.empty(len(many)), np.empty(len(many)), np.array(pieces.row)
        sizes = np.array(pieces.log_size)
        for count in np.unique(many):
            mine = np.flatnonzero(many == count)
            at = np.array([pieces.points[k] for k in mine])
            decay = mean_decay(at - at[:, :1])
            values[mine] = sizes[mine] - at[:, 0] + el.log(decay)
            # L is rounded once, relatively, at each point. Of the gaps, a divided difference feels no more than their
            # mean under its own density e^-gap on the simplex, which is at most the dimension: int e^(-s gap) s^n
            # increases in s, as the simplex is starlike around the point without a gap.
            off[mine] = UNIT_ROUNDOFF * (4 * (at[:, 0] + count) + 4 * np.abs(sizes[mine]) + DIFFERENCE)
        peak = np.full(log_chance.shape[1], -np.inf)
        np.maximum.at(peak, row, values)
        share = el.exp(values - peak[row])
        total = np.bincount(row, share, len(peak))
        log_chance[number] = peak + el.log(total)
        # The sum of n positive terms, its logarithm, and the exponents, of which those that count are small.
        rounding = UNIT_ROUNDOFF * (np.bincount(row, minlength=len(peak)) + 8 + 2 * np.abs(peak))
        error[number] = (
            np.bincount(row, share * (off + UNIT_ROUNDOFF * (2 + np.abs(values))), len(peak)) / total + rounding
        )
    return log_chance, error


def cut_up(found: Fan, mean: list[float]) -> Pieces:
    """The cones of all sets in the orthants around the centre."""
    d = len(mean)
    centre = [Fraction(value) for value in mean]
    scale = max(value.denominator for value in centre)
    middle = [int(value * scale) for value in centre]
    pieces = Pieces([], [], [])
    for row, cones in enumerate(found.cones):
        for cone in cones:
            parts: list[Cone] = [((1, *(0,) * d), *((0, *ray) for ray in cone))]
            for axis in range(d):
                parts = [
                    piece
                    for part in parts
                    for piece in split_cone(part, [scale * each[1 + axis] - middle[axis] * each[0] for each in part])
                ]
            for part in parts:
                measured(pieces, row, part, scale, middle)
    return pieces


def measured(pieces: Pieces, row: int, part: Cone, scale: int, middle: list[int]) -> None:
    """Adds a simplex, of generators that lie in one orthant around the centre."""
    offset = [[scale * x - m * each[0] for x, m in zip(each[1:], middle, strict=True)] for each in part]
    reach = [sum(abs(x) for x in each) for each in offset]  # L of a generator, times scale
    above, below, points = abs(determinant(part)), 1, []
    for each, length in zip(part, reach, strict=True):
        below *= each[0] or length
        above *= 1 if each[0] else scale
        if each[0]:
            points.append(length / (scale * each[0]))
    pieces.row.append(row)
    pieces.log_size.append(log_quotient(above, below) - len(middle) * LOG_2)
    pieces.points.append(sorted(points))


def mean_decay(gaps: Array) -> Array:
    """The divided difference of e^x at the points -gap, (pieces, points), increasing from 0: the integral of e^-gap
    over a simplex.

    Where the largest gap is below MAX_TAYLOR_GAP, by Taylor: sum over k of (-1)^k h_k(gaps)/(n + k)!, h_k the sum of
    all products of k gaps. Elsewhere by the recursion, whose two differences are then at least a quarter apart.
    """
    points = gaps.shape[1]
    if points == 1:
        return np.ones(len(gaps))
    last = gaps[:, -1]
    if points == 2:
        small = np.maximum(last, 1e-300)
        return np.asarray(np.where(last > 0, -el.expm1(-small) / small, 1.0))
    out = np.empty(len(gaps))
    near = last < MAX_TAYLOR_GAP
    if near.any():
        out[near] = taylor_decay(gaps[near])
    if (~near).any():
        far = gaps[~near]
        second = el.exp(-far[:, 1]) * mean_decay(far[:, 1:] - far[:, 1:2])
        out[~near] = (mean_decay(far[:, :-1]) - second) / far[:, -1]
    return out


def taylor_decay(gaps: Array) -> Array:
    """By h_k(g_1, ..., g_n) = h_k(g_1, ..., g_(n-1)) + g_n h_(k-1)(g_1, ..., g_n); the first gap is 0."""
    order = gaps.shape[1] - 1
    powers = np.zeros((TAYLOR_TERMS, len(gaps)))
    powers[0] = 1
    for gap in gaps.T:
        for k in range(1, TAYLOR_TERMS):
            powers[k] += gap * powers[k - 1]
    factorial, total = 1.0, np.zeros(len(gaps))
    for k in range(1, order + 1):
        factorial *= k
    for k in range(TAYLOR_TERMS):
        total += (-1) ** k * powers[k] / factorial
        factorial *= order + k + 1
    return total
