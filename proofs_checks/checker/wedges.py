"""Bounds on the probability that given options are selected, if all options share one or two noisy values. They are
probabilities of cones in the plane."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from .integrals import (
    ExponentialSum,
    Line,
    Tails,
    distribution_of_multiple,
    integral_of_exponential,
    laplace_density_terms,
    mass_between,
    product_of_exponentials,
    sum_of_exponentials,
    tails_at,
)
from .intervals import (
    Interval,
    checked_magnitude,
    ends_of,
    from_ends,
    interval,
    interval_exp,
    interval_maximum,
    sum_of_intervals,
    work,
)
from .noisy_maximum import laplace_distribution
from .normal import normal_distribution
from .quadrature import GRID, MAX_INTEGRAL_CELLS, SELECTION_PRECISION, Cell, refine_integral
from .selections import Selection
from .untrusted import Rejected, pay_for_operation, spend_effort

Wedge = tuple[Fraction | None, Fraction | None]  # slopes y/x between which the points lie; None for no bound


def cone_probability(chosen: Selection, weights: list[list[Fraction]], selected: frozenset[int]) -> Interval:
    """The probability that each option in `selected` beats every other option.
    This is the event that the noisy values z lie in the half planes (w_i - w_j) . z >= 0 through 0, for i in `selected`
    and j not."""
    half_planes = []
    for i in selected:
        for j in frozenset(range(len(weights))) - selected:
            pay_for_operation(*weights[i], *weights[j])
            side = [a - b for a, b in zip(weights[i], weights[j], strict=True)]
            if any(side):
                half_planes.append(side)
            elif j < i:  # equal, and the first one is kept
                return work.mpf(0)
    x, *others = zip(chosen.centres, chosen.scales, strict=True)
    total = work.mpf(0)
    if chosen.within:
        exact = chosen._replace(within=Fraction(0))
        return widen_parameters(chosen, weights, half_planes, cone_probability(exact, weights, selected))
    for sign in (1, -1):  # on which side of 0 the first value lies
        slopes = read_wedge([(sign * a, *b) for a, *b in half_planes])
        if slopes is not None:
            total += wedge_probability(chosen.noise, (sign * x[0], x[1]), others, slopes)
    return checked_magnitude(total)


def widen_parameters(
    chosen: Selection, weights: list[list[Fraction]], half_planes: list[list[Fraction]], enclosure: Interval
) -> Interval:
    """The given enclosure of a cone's probability, widened so that it holds for slightly different mechanisms.
    These are all mechanisms whose numbers are within the stated relative error.

    In units of the scales, noise of scale 1 is centred at m/s, and a half plane a x + b y >= 0 has weights times s. An
    error e of a centre changes the probability of any event by a factor of at most e^(+-e) for Laplace noise, and by at
    most e/2 for normal noise, whose density is below 1/2. A half plane with errors f and g of a and b contains other
    points only if |a x + b y| <= f |x| + g |y|: with |a| <= |b|, if y is within |x| h of -a x/b, h = (f + g (|a| + f)/
    (|b| - g))/|b|. The density of y is at most 1/2, and E|x| at most 1 + |m/s|: a probability of at most h (1 + |m/s|).
    """
    off, most = chosen.within, max(abs(w) for row in weights for w in row)
    lines = list(zip(chosen.centres, chosen.scales, chosen.reach or [], strict=True))
    moved = sum(((off * more + abs(m) * off) / (s * (1 - off)) for m, s, more in lines), Fraction(0))
    centres = [abs(m) / s for m, s, _ in lines]
    added_up = work.mpf(0)
    for plane in half_planes:
        pay_for_operation(*plane, *centres)
        # A difference of two weights, each off by off * most and then by off of its product with the scale.
        sizes = [(abs(w), 4 * off * (1 + off) * most, k) for k, w in enumerate(plane)]
        if len(sizes) == 1:
            if sizes[0][0] <= sizes[0][1]:
                raise Rejected(
                    "steps: the weights are so close to linear dependence that the probability cannot be enclosed"
                )
            continue
        scaled = sorted((w * lines[k][1], g * lines[k][1], centres[k]) for w, g, k in sizes)
        (a, f, centre), (b, g, _) = scaled
        if b <= g:
            raise Rejected(
                "steps: the weights are so close to linear dependence that the probability cannot be enclosed"
            )
        added_up += interval((f + g * (a + f) / (b - g)) / b * (1 + centre))
    if chosen.noise == "gaussian":
        spread, factor = added_up + interval(moved) / 2, work.mpf(1)
    else:
        spread, factor = added_up, interval_exp(interval(moved))
    low_end = interval_maximum(ends_of(enclosure)[0] - spread, work.mpf(0)) / factor
    return from_ends(ends_of(low_end)[0], ends_of((ends_of(enclosure)[1] + spread) * factor)[1])


def read_wedge(half_planes: list[tuple[Fraction, ...]]) -> Wedge | None:
    """The range of slopes y/x that all half planes a x + b y >= 0 allow for x > 0; None if there is none.
    For one value, half planes are a x >= 0."""
    least: Fraction | None = None
    most: Fraction | None = None
    for a, *rest in half_planes:
        b = rest[0] if rest else Fraction(0)
        if b == 0:
            if a < 0:
                return None
        elif b > 0:
            least = -a / b if least is None else max(least, -a / b)
        else:
            most = -a / b if most is None else min(most, -a / b)
    return None if least is not None and most is not None and least >= most else (least, most)


def wedge_probability(
    noise: str, x: Line, others: list[Line], slopes: Wedge, cells: int = MAX_INTEGRAL_CELLS
) -> Interval:
    """P(X > 0 and slopes[0] X <= Y <= slopes[1] X) for two independent noisy values X and Y.
    For normal noise, the integral uses about `cells` cells at most."""
    if slopes == (None, None) or not others:
        above = interval(x[0] / x[1])
        return normal_distribution(above) if noise == "gaussian" else laplace_distribution(above)
    if noise == "gaussian":
        return normal_wedge(x, others[0], slopes, cells)
    return laplace_wedge(x, others[0], slopes)


def laplace_wedge(x: Line, y: Line, slopes: Wedge) -> Interval:
    """P(slopes[0] x <= y <= slopes[1] x, x > 0) for independent Laplace x and y.
    A slope of None is no bound on its side."""
    kinks = {Fraction(0), x[0], *(y[0] / slope for slope in slopes if slope)}
    inner = sorted(kink for kink in kinks if kink >= 0)
    least, most = slopes
    total = work.mpf(0)
    for left, right in pairwise([*inner, None]):
        assert left is not None
        inside = left + 1 if right is None else (left + right) / 2
        over: ExponentialSum = (
            {Fraction(0): work.mpf(1)} if most is None else distribution_of_multiple(*y, most, left, inside)
        )
        less: ExponentialSum = {} if least is None else distribution_of_multiple(*y, least, left, inside)
        chance = sum_of_exponentials(over, {rate: -factor for rate, factor in less.items()})
        terms = product_of_exponentials(laplace_density_terms(x, left, inside), chance)
        total += sum_of_intervals(integral_of_exponential(rate, factor, left, right) for rate, factor in terms.items())
    return total


class Edges(NamedTuple):
    """A point in units of X's noise, the tails of this noise there, and those of Y at the edges with the two slopes."""

    x: Fraction
    mass: Tails
    least: Tails
    most: Tails


def normal_wedge(x: Line, y: Line, slopes: Wedge, cells: int) -> Interval:
    """P(X > 0 and slopes[0] X <= Y <= slopes[1] X) for independent normal X and Y, enclosed cell by cell.
    The edges are monotone, so the part between them is bounded by values at the ends of a cell."""
    before, work.prec = work.prec, 60

    def edge(slope: Fraction | None, at: Fraction, missing: Tails) -> Tails:
        """The tails of Y at the edge with this slope, where X is `at`; `missing` if there is no edge on this side."""
        return missing if slope is None else tails_at((slope * at - y[0]) / y[1])

    def at(u: Fraction) -> Edges:
        """The grid point u, in units of X's noise, with the tails of X there and of Y at both edges."""
        spend_effort(40)
        here, none, all_ = x[0] + x[1] * u, work.mpf(0), work.mpf(1)
        return Edges(u, tails_at(u), edge(slopes[0], here, (none, all_)), edge(slopes[1], here, (all_, none)))

    def cell(a: Edges, b: Edges) -> Cell[Edges]:
        """The cell between two grid points, with lower and upper bounds on its probability."""
        mass = mass_between(a.mass, b.mass)
        low_rises, high_rises = (slope is not None and slope > 0 for slope in slopes)
        inner = mass_between((b if low_rises else a).least, (a if high_rises else b).most)
        outer = mass_between((a if low_rises else b).least, (b if high_rises else a).most)
        return Cell(a, b, ends_of(mass * inner)[0], ends_of(mass * outer)[1])

    try:
        zero = -x[0] / x[1]
        first = max(zero, Fraction(GRID[0]))
        beyond = [Fraction(k) for k in GRID if k > first] or [first + 1, first + 9]
        points = [at(u) for u in [first, *beyond]]
        under = points[0].mass[0] if zero < first else work.mpf(0)
        return refine_integral(points, at, cell, SELECTION_PRECISION, cells) + from_ends(
            work.mpf(0), under + points[-1].mass[1]
        )
    finally:
        work.prec = before
