"""Bounds on the probability that given options are selected, if their noisy values are independent: closed forms for
Laplace noise, and sums of bounds on small cells for normal noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from .intervals import (
    Interval,
    checked_magnitude,
    checked_quotient,
    ends_of,
    from_ends,
    high_mpf,
    interval,
    interval_exp,
    interval_maximum,
    interval_sqrt,
    low_mpf,
    sum_of_intervals,
    work,
)
from .noisy_maximum import laplace_distribution
from .normal import normal_distribution, normal_distribution_at
from .quadrature import GRID, MAX_INTEGRAL_CELLS, SELECTION_PRECISION, Cell, refine_integral
from .selections import Selection
from .untrusted import pay_for_operation, spend_effort


def interval_probability(chosen: Selection, cuts: list[Fraction], number: int) -> Interval:
    """The probability that the noisy value lies in interval `number` between the cuts. Number 0 is below the first cut.
    The value may be a weighted sum of normal values."""
    row = [Fraction(1)] if chosen.weights is None else chosen.weights[0]
    centre, spread = Fraction(0), Fraction(0)
    for weight, middle, size in zip(row, chosen.centres, chosen.scales, strict=True):
        pay_for_operation(weight, middle, size, centre, spread)
        centre, spread = centre + weight * middle, spread + (weight * size) ** 2
    scale = interval(abs(row[0]) * chosen.scales[0]) if len(row) == 1 else interval_sqrt(interval(spread))
    below = normal_distribution if chosen.noise == "gaussian" else laplace_distribution
    sides = [checked_quotient(interval(cut - centre), scale) for cut in cuts[max(number - 1, 0) : number + 1]]
    if number == 0:
        return below(sides[0])
    if number == len(cuts):
        return below(-sides[0])
    # In the tail that the interval lies in, as exact as it is small.
    right = cuts[number - 1] >= centre
    return below(-sides[0]) - below(-sides[1]) if right else below(sides[1]) - below(sides[0])


Line = tuple[Fraction, Fraction]  # a noisy value: its centre and its scale
ExponentialSum = dict[Fraction, Interval]  # rate -> coefficient: the sum of coefficient * exp(rate * (x - start))


def laplace_integral(chosen: Selection, i: int, close: list[int], behind: list[int], ahead: list[int]) -> Interval:
    """The probability that the other options lie in the required ranges relative to the Laplace value x of option i.
    The options `close` must lie in [x - size, x], those `behind` below x - far, and those `ahead` above x. far is size
    for the rule "within", otherwise 0. Between the peaks of the densities the integrand is a sum of exponentials."""
    far = chosen.size if chosen.rule == "within" else Fraction(0)
    peaks = sorted({m + shift for m in chosen.centres for shift in (Fraction(0), far)})
    total = work.mpf(0)
    for left, right in pairwise([None, *peaks, None]):
        start = left if left is not None else peaks[0]
        inside = left if left is not None else start - 1  # a point from which no peak lies between it and the piece
        parts = [laplace_density_terms((chosen.centres[i], chosen.scales[i]), start, inside)]
        for j in close:
            near, away = (probability_below(chosen, j, shift, start, inside) for shift in (Fraction(0), far))
            parts.append(sum_of_exponentials(near, {rate: -factor for rate, factor in away.items()}))
        parts += [probability_below(chosen, j, far, start, inside) for j in behind]
        for j in ahead:
            parts.append(probability_above(chosen, j, start, inside))
        terms: ExponentialSum = {Fraction(0): work.mpf(1)}
        for part in parts:
            terms = product_of_exponentials(terms, part)
        total += sum_of_intervals(integral_of_exponential(rate, factor, left, right) for rate, factor in terms.items())
    return checked_magnitude(total)


def integral_of_exponential(
    rate: Fraction, factor: Interval, left: Fraction | None, right: Fraction | None
) -> Interval:
    """The integral of factor * exp(rate * (x - start)) from left to right, which may be infinite on one side."""
    spend_effort(4)
    if left is None:
        assert rate > 0
        return factor / interval(rate)
    if right is None:
        assert rate < 0
        return -factor / interval(rate)
    if rate == 0:
        return factor * interval(right - left)
    return factor * (interval_exp(interval(rate * (right - left))) - 1) / interval(rate)


def laplace_density_terms(line: Line, start: Fraction, inside: Fraction) -> ExponentialSum:
    """The density of a Laplace value on one side of its centre, as a sum of exponentials of x - start.
    line: centre and scale. inside: a point of the interval."""
    m, s = line
    sign = -1 if inside >= m else 1
    return {sign / s: interval_exp(interval(sign * (start - m) / s)) / interval(2 * s)}


def probability_below(chosen: Selection, j: int, far: Fraction, start: Fraction, inside: Fraction) -> ExponentialSum:
    """P(X_j <= x - far) for the Laplace value X_j of option j, as a sum of exponentials of x - start.
    It is valid for x in the interval around `inside` that contains no kink."""
    return distribution_of_multiple(chosen.centres[j] + far, chosen.scales[j], Fraction(1), start, inside)


def distribution_of_multiple(
    m: Fraction, s: Fraction, slope: Fraction, start: Fraction, inside: Fraction
) -> ExponentialSum:
    """P(X <= slope x) for a Laplace value X with centre m and scale s, as a sum of exponentials of x - start.
    m, s: the centre and the scale of X. It is valid on an interval around `inside` on which slope x - m has one
    sign."""
    lead, rate = (slope * start - m) / s, slope / s
    if slope * inside >= m:
        return sum_of_exponentials({Fraction(0): work.mpf(1)}, {-rate: -interval_exp(interval(-lead)) / 2})
    return {rate: interval_exp(interval(lead)) / 2}


def probability_above(chosen: Selection, j: int, start: Fraction, inside: Fraction) -> ExponentialSum:
    """P(X_j > x) for the Laplace value X_j of option j, as a sum of exponentials of x - start.
    It is valid for x in the interval around `inside` that contains no kink."""
    m, s = chosen.centres[j], chosen.scales[j]
    if inside >= m:
        return {-1 / s: interval_exp(interval((m - start) / s)) / 2}
    return {Fraction(0): work.mpf(1), 1 / s: -interval_exp(interval((start - m) / s)) / 2}


def sum_of_exponentials(a: ExponentialSum, b: ExponentialSum) -> ExponentialSum:
    """The sum a + b of two sums of exponentials; terms that are exactly 0 are left out."""
    found = dict(a)
    for rate, factor in b.items():
        found[rate] = found[rate] + factor if rate in found else factor
    return {rate: factor for rate, factor in found.items() if not low_mpf(factor) == high_mpf(factor) == 0}


def product_of_exponentials(a: ExponentialSum, b: ExponentialSum) -> ExponentialSum:
    """The product a * b of two sums of exponentials."""
    found: ExponentialSum = {}
    for p, x in a.items():
        for q, y in b.items():
            pay_for_operation(p, q)
            product = x * y
            found[p + q] = found[p + q] + product if p + q in found else product
    return found


Tails = tuple[Interval, Interval]  # P(X <= x) and P(X > x), each as exact as it is small


class TailPoint(NamedTuple):
    """A point in units of option i's noise, the tails of this noise there, and for the other options the tails at x and
    at x - far, or P(X_j <= x - far), or P(X_j > x)."""

    x: Fraction
    mass: Tails
    near: list[tuple[Tails, Tails]]
    behind: list[Interval]
    ahead: list[Interval]


def normal_integral(
    chosen: Selection,
    i: int,
    close: list[int],
    behind: list[int],
    ahead: list[int],
    cells: int = MAX_INTEGRAL_CELLS,
) -> Interval:
    """As `laplace_integral`, for normal noise: the probability that other options lie in ranges around option i.
    Every factor lies between its values at the ends of a cell. Outside the grid, the probability is bounded by 0 and
    the mass there."""
    before, work.prec = work.prec, 60
    far = chosen.size if chosen.rule == "within" else Fraction(0)
    centres, scales = chosen.centres, chosen.scales

    def unit(j: int, x: Fraction, shift: Fraction) -> Fraction:
        """The argument of option j's standard noise at which its value is `shift` below option i's value at x."""
        return (centres[i] + scales[i] * x - shift - centres[j]) / scales[j]

    def at(x: Fraction) -> TailPoint:
        """The tails at x of option i's noise, and of the other options around the value that x stands for."""
        spend_effort(12 * len(centres))
        return TailPoint(
            x,
            tails_at(x),
            [(tails_at(unit(j, x, Fraction(0))), tails_at(unit(j, x, far))) for j in close],
            [normal_distribution_at(unit(j, x, far)) for j in behind],
            [normal_distribution_at(-unit(j, x, Fraction(0))) for j in ahead],
        )

    try:
        points = [at(Fraction(k)) for k in GRID]
        beyond = from_ends(work.mpf(0), points[0].mass[0] + points[-1].mass[1])
        return refine_integral(points, at, selection_cell, SELECTION_PRECISION, cells) + beyond
    finally:
        work.prec = before


def tails_at(x: Fraction) -> Tails:
    """The probabilities P(Z <= x) and P(Z > x) for a standard normal Z."""
    small = normal_distribution_at(-abs(x))
    return (small, 1 - small) if x <= 0 else (1 - small, small)


def mass_between(low_end: Tails, high_end: Tails) -> Interval:
    """The standard normal probability between two points, computed from their smaller tails; at least 0.
    At least 0."""
    right = low_mpf(low_end[0]) > 0.5
    mass = low_end[1] - high_end[1] if right else high_end[0] - low_end[0]
    return interval_maximum(mass, work.mpf(0))


def selection_cell(a: TailPoint, b: TailPoint) -> Cell[TailPoint]:
    """The cell between two grid points, with lower and upper bounds on the integral over it.
    Each factor is taken at the end where it is smaller, or larger."""
    least = most = mass_between(a.mass, b.mass)
    for (near, far), (later, farther) in zip(a.near, b.near, strict=True):
        least, most = least * mass_between(farther, near), most * mass_between(far, later)
    for one, other in zip(a.behind, b.behind, strict=True):
        least, most = least * one, most * other
    for one, other in zip(a.ahead, b.ahead, strict=True):
        least, most = least * other, most * one
    return Cell(a, b, ends_of(least)[0], ends_of(most)[1])
