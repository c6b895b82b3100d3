"""Computes bounds on the probability that given options are selected, if the scores of all options depend on one or two
shared noisy values. Rocq proves these bounds.

`shared_values.v` has the definitions: for two values the plane is divided into strips, and in each strip the selected
options are the largest if the other value lies between two ends. Strips and ends are computed in doubles; the proof
does not depend on their accuracy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

from dpbandits.extensions.rocq.point_theorems import NotTranslated
from dpbandits.extensions.rocq.step_theorems import (
    BEHIND_SHARE,
    FIRST_POINTS,
    MOST_CELLS,
    bounds_around,
    distribution_function,
    interval_probability,
    pair,
    pairs,
)

SURELY = 1e-6  # how far from where an event ends in doubles it is said to have ended
# The kernel's Phi loses half of its digits near 0, and a chance between ends there may be as small as SURELY: it is
# enclosed with this margin. Farther out the smallest one that SURELY leaves has digits enough.
MEAN_MARGIN, NEAR_0 = Fraction(1, 10**6), 0.01
Extent = tuple[float, float]
OpenEnds = tuple[Fraction | None, Fraction | None]  # None: there is no end


class Shared(NamedTuple):
    """The noisy values of all mechanisms that a step describes: their means and scales as intervals and, for each pair
    of a selected and another option, the lead: the coefficient of each value in the difference of the two scores."""

    noise: str
    means: Sequence[Extent]
    scales: Sequence[Extent]
    leads: Sequence[Sequence[Extent]]


class EnclosedLine(NamedTuple):
    """The ends between which a value must lie, and ends between which lying is sufficient; the smallest and the largest
    probability of this. Crossed ends contain nothing."""

    outer: OpenEnds
    inner: OpenEnds
    least: Fraction
    most: Fraction


class Enclosed(NamedTuple):
    """An enclosure of a probability, and the tactic that proves it."""

    least: Fraction
    most: Fraction
    tactic: str


def enclosed_shared(shared: Shared, width: float) -> Enclosed:
    """Encloses the probability that the selected options beat all others, and returns it with its Rocq proof.
    width: the desired relative width of the enclosure."""
    if len(shared.means) == 1:
        found = line(shared, [(0.0, 0.0)] * len(shared.leads))
        return Enclosed(
            found.least, found.most, f"by_line {pair(found.least)}%Z {pair(found.most)}%Z {spelled_line(found)}"
        )
    strips = {(float(a), float(b)): strip(shared, a, b) for a, b in pairwise(FIRST_POINTS[shared.noise])}

    def unsure(part: Extent) -> float:
        """The width of the enclosure of a strip's contribution to the probability."""
        return interval_probability(shared.noise, *part) * float(strips[part].most - strips[part].least)

    def sum_over_strips(chances: Callable[[EnclosedLine], Fraction]) -> float:
        """The sum over strips of the strip's probability times the bound that `chances` reads from its enclosure."""
        return sum(interval_probability(shared.noise, *part) * float(chances(found)) for part, found in strips.items())

    while len(strips) < MOST_CELLS and sum(map(unsure, strips)) > width * sum_over_strips(lambda found: found.most):
        part = max(strips, key=unsure)
        middle = sum(part) / 2
        del strips[part]
        for each in ((part[0], middle), (middle, part[1])):
            strips[each] = strip(shared, *each)
    parts = sorted(strips.items())
    first, last = parts[0][0][0], parts[-1][0][1]
    beyond = distribution_function(shared.noise, first) + distribution_function(shared.noise, -last)
    hints = "; ".join(
        f"({pair(Fraction(b))}, {pairs((found.least, found.most))}, ({spelled_line(found, ', ')}))"
        for (_, b), found in parts
    )
    least = bounds_around(sum_over_strips(lambda found: found.least), BEHIND_SHARE)[0]
    most = bounds_around(sum_over_strips(lambda found: found.most) + beyond, BEHIND_SHARE)[1]
    tactic = f"by_strips {pair(least)}%Z {pair(most)}%Z {pair(Fraction(first))}%Z [{hints}]%Z"
    return Enclosed(least, most, tactic)


def strip(shared: Shared, a: float, b: float) -> EnclosedLine:
    """Encloses the interval of the second noise for which the selected options win.
    a, b: bounds on the noise of the first value.
    """
    first = interval_sum(shared.means[0], times(shared.scales[0], (a, b)))
    return line(shared, [times(lead[0], first) for lead in shared.leads])


def line(shared: Shared, fixed: Sequence[Extent]) -> EnclosedLine:
    """Encloses the interval of the last noise for which the selected options win.
    fixed: for each pair of options, the part of their difference that does not depend on this value."""
    lowest: list[Extent] = []
    highest: list[Extent] = []
    for lead, rest in zip(shared.leads, fixed, strict=True):
        slope = lead[-1]
        if slope[0] <= 0 <= slope[1]:
            raise NotTranslated(
                "a certificate in which the last noisy value has equal weights in two options cannot be translated to "
                "Rocq"
            )
        # The lead is positive above (below, where it falls) -rest/slope: of the value, and then of its noise.
        edge = times((-rest[1], -rest[0]), inverse(slope))
        moved = interval_sum(edge, (-shared.means[-1][1], -shared.means[-1][0]))
        at = times(moved, inverse(shared.scales[-1]))
        (lowest if slope[0] > 0 else highest).append(at)
    outer = (
        rounded(max(x for x, _ in lowest), -1) if lowest else None,
        rounded(min(x for _, x in highest), 1) if highest else None,
    )
    inner = (
        rounded(max(x for _, x in lowest), 1) if lowest else None,
        rounded(min(x for x, _ in highest), -1) if highest else None,
    )
    if is_empty(outer):
        outer = outer[0], outer[0]
    least, most = (bounds_around(chance_inside(shared.noise, *ends), BEHIND_SHARE) for ends in (inner, outer))
    near = shared.noise == "gaussian" and any(end is not None and abs(end) < NEAR_0 for end in (*outer, *inner))
    clear = MEAN_MARGIN if near else Fraction(0)
    surely = Fraction(0) if is_empty(inner) else max(least[0] - clear, Fraction(0))
    return EnclosedLine(outer, inner, surely, min(most[1] + clear, Fraction(1)))


def is_empty(ends: OpenEnds) -> bool:
    """Whether the interval between two finite ends is empty."""
    low, high = ends
    return low is not None and high is not None and low >= high


def chance_inside(noise: str, low: Fraction | None, high: Fraction | None) -> float:
    """The probability that noise of scale 1 lies between low and high; None stands for no limit."""
    if low is not None and high is not None:
        return interval_probability(noise, float(low), float(high))
    if low is not None:
        return distribution_function(noise, -float(low))
    return 1.0 if high is None else distribution_function(noise, float(high))


def rounded(x: float, side: int) -> Fraction:
    """A number with few digits that is certainly smaller (side -1) or larger (side 1) than x."""
    if not isfinite(x):
        raise OverflowError
    return Fraction(f"{x + side * SURELY * (1 + abs(x)):.8e}")


def interval_sum(x: Extent, y: Extent) -> Extent:
    """The sum of two intervals, each as (low, high)."""
    return x[0] + y[0], x[1] + y[1]


def times(x: Extent, y: Extent) -> Extent:
    """The product of two intervals, each as (low, high)."""
    every = [a * b for a in x for b in y]
    return min(every), max(every)


def inverse(x: Extent) -> Extent:
    """The reciprocal of an interval (low, high) that does not contain 0."""
    return 1 / x[1], 1 / x[0]


def spelled_line(enclosed: EnclosedLine, mark: str = " ") -> str:
    """An enclosure's outer and inner interval in Rocq's syntax, separated by `mark`."""
    return mark.join(f"({spelled_end(low)}, {spelled_end(high)})%Z" for low, high in (enclosed.outer, enclosed.inner))


def spelled_end(end: Fraction | None) -> str:
    """The end of an interval in Rocq's syntax; None stands for no limit."""
    return "@None (Z * Z)" if end is None else f"Some {pair(end)}"
