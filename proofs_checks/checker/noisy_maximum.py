"""Checks certificates of type "step": proofs that one step of report-noisy-max violates the claimed DP on two
neighbouring inputs."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from .agreement import AGREE, ROUGHLY, require_violation
from .intervals import (
    Interval,
    ends_of,
    from_ends,
    high,
    interval,
    interval_exp,
    interval_maximum,
    low,
    sum_of_intervals,
    whole_power,
    work,
)
from .normal import normal_distribution, normal_distribution_at
from .quadrature import GRID, INTEGRAL_PRECISION, MAX_INTEGRAL_CELLS, Cell, refine_integral
from .untrusted import Fields, Rejected, forgettable_cache, read_decimal, spend_effort

CHOICES = 16  # noisy values that are compared
CROWD = 16  # among more options, it stops at twice that


def check_step(certificate: Fields) -> list[str]:
    """Checks a report-noisy-max step: recomputes, for each side, the probability that the winner belongs to the event.
    Returns lines of text that report the result. Raises Rejected if the inputs are not neighbours, or if the event does
    not distinguish them."""
    fields = ("scales", "left", "right", "sensitivities")
    scales, left, right, moves = (
        [read_decimal(text, f"{field}/{i}") for i, text in enumerate(certificate[field])] for field in fields
    )
    options = len(left)
    for field, values in zip(fields, (scales, left, right, moves), strict=True):
        if len(values) != options:
            raise Rejected(f"{field} has length {len(values)}, but left has length {options}; they must be equal")
    if min(scales) <= 0 or min(moves) < 0:
        raise Rejected("scales must be positive, and sensitivities at least 0")
    differ = [i for i in range(options) if left[i] != right[i]]
    for i in differ:
        if abs(left[i] - right[i]) > moves[i]:
            raise Rejected(
                f"right/{i}: not a neighbour of left, because option {i} changes by more than its "
                f"sensitivity {certificate['sensitivities'][i][:60]}"
            )
    if certificate["changed"] == "one" and len(differ) > 1:
        raise Rejected(f"right: not a neighbour of left, because {len(differ)} options change, but only one may change")
    event = certificate["event"]
    if len(set(event)) != len(event) or any(i >= options for i in event):
        raise Rejected(f"event: {event} is not a set of options 0 to {options - 1}")
    if options == 2 or len(event) in (0, options):
        p, q, tolerance = (
            *(two_option_probability(certificate["noise"], x, scales, event) for x in (left, right)),
            AGREE,
        )
    else:
        p, q = (
            sum_of_intervals(winning_probability(certificate["noise"], x, scales, i) for i in event)
            for x in (left, right)
        )
        tolerance = ROUGHLY
    return [
        f"{certificate['noise']} noisy maximum of {options} options",
        *require_violation(certificate, p, q, tolerance),
    ]


def two_option_probability(noise: str, means: list[Fraction], scales: list[Fraction], event: list[int]) -> Interval:
    """The probability that the winner of two options is in the event, in closed form."""
    if len(event) != 1:
        return work.mpf(1 if event else 0)
    i, j = event[0], 1 - event[0]
    lead = means[i] - means[j]
    if noise == "gaussian":
        return normal_distribution(interval(lead) / work.sqrt(interval(scales[0] ** 2 + scales[1] ** 2)))
    behind = laplace_difference_tail(abs(lead), scales[0], scales[1])
    return 1 - behind if lead >= 0 else behind


def laplace_difference_tail(t: Fraction, a: Fraction, b: Fraction) -> Interval:
    """P(A - B > t), t >= 0, for independent Laplace variables of scales a and b."""
    if a == b:
        ratio = interval(t / a)
        return interval_exp(-ratio) * (2 + ratio) / 4
    p, q = interval_exp(-interval(t / a)), interval_exp(-interval(t / b))
    return (interval(a * a) * p - interval(b * b) * q) / interval(2 * (a * a - b * b))


def laplace_distribution(x: Interval) -> Interval:
    """An enclosure of the standard Laplace distribution function on an interval."""
    return from_ends(laplace_distribution_at(Fraction(low(x))), laplace_distribution_at(Fraction(high(x))))


@forgettable_cache
@lru_cache(maxsize=10_000)
def laplace_distribution_at(x: Fraction) -> Interval:
    """The standard Laplace distribution function at one exact point."""
    half = interval_exp(-abs(interval(x))) / 2
    return half if x <= 0 else 1 - half


def winning_probability(
    noise: str, means: list[Fraction], scales: list[Fraction], arm: int, cells: int = MAX_INTEGRAL_CELLS
) -> Interval:
    """The probability that the noisy value of option `arm` is the largest.
    The integral of prod_j F((m_i - m_j + s_i x)/s_j) dF(x), computed with about `cells` cells at most.

    The product is increasing in x, so on each cell it lies between its values at the ends. Outside the last grid points
    it is bounded by 0 and 1.
    """
    before, work.prec = work.prec, 60
    try:
        cdf = normal_distribution_at if noise == "gaussian" else laplace_distribution_at
        pairs = [(means[j], scales[j]) for j in range(len(means)) if j != arm]
        others = {each: pairs.count(each) for each in pairs}

        def at(x: Fraction) -> RivalsAt:
            """The grid point x, with F(x) and the probability that all other options are smaller there."""
            product = work.mpf(1)
            spend_effort(12 * len(others))
            for (mean, scale), many in others.items():
                product = product * whole_power(cdf((means[arm] - mean + scales[arm] * x) / scale), many)
            return RivalsAt(x, cdf(x), product)

        nodes = [at(Fraction(k)) for k in (GRID if noise == "gaussian" else range(-200, 201))]
        first, last = nodes[0], nodes[-1]
        under = from_ends(work.mpf(0), first.mass * first.product)
        over = from_ends((1 - last.mass) * last.product, 1 - last.mass)
        return (
            under
            + refine_integral(
                nodes, at, winning_cell, INTEGRAL_PRECISION if len(means) <= CROWD else 2 * INTEGRAL_PRECISION, cells
            )
            + over
        )
    finally:
        work.prec = before


class RivalsAt(NamedTuple):
    """A point x, the distribution function there, and the probability that all other options are below x."""

    x: Fraction
    mass: Interval
    product: Interval


def winning_cell(a: RivalsAt, b: RivalsAt) -> Cell[RivalsAt]:
    """The cell between two grid points, with bounds on the probability that the option wins with a value in it."""
    mass = interval_maximum(b.mass - a.mass, work.mpf(0))
    least, most = mass * interval_maximum(a.product, work.mpf(0)), mass * b.product
    return Cell(a, b, ends_of(least)[0], ends_of(most)[1])
