"""Enclosures of integrals by adaptive subdivision: the cells with the largest error are halved."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from .intervals import from_ends, interval, low_mpf, sum_of_intervals

MAX_INTEGRAL_CELLS = 3000  # the finest subdivision of an integral
GRID = (-40, -28, -20, -16, *range(-12, 13), 16, 20, 28, 40)  # its coarsest, between normals, in standard deviations
INTEGRAL_PRECISION = Fraction(1, 300)  # relative width at which subdivision stops
SELECTION_PRECISION = Fraction(1, 60)  # the same, of a selection among several options with normal noise


def refine_integral(
    points: list[Any], at: Callable[[Fraction], Any], part: Callable[[Any, Any], Any], fine: Fraction
) -> Any:
    """An integral between the first and the last point. part: what lies between two points, a, b, and the least and the
    most that it contributes. The parts in which these differ most are halved, an eighth of all at a time, until the
    sums are relatively this close, or there are MAX_INTEGRAL_CELLS of them."""
    parts = [part(a, b) for a, b in pairwise(points)]
    while True:
        least, most = sum_of_intervals(each.least for each in parts), sum_of_intervals(each.most for each in parts)
        if len(parts) >= MAX_INTEGRAL_CELLS or low_mpf(least * (1 + interval(fine)) - most) >= 0:
            return from_ends(least, most)
        parts.sort(key=lambda each: low_mpf(each.least - each.most))
        worst = 1 + len(parts) // 8
        middles = [at((each.a.x + each.b.x) / 2) for each in parts[:worst]]
        halves = [half for each, x in zip(parts, middles, strict=False) for half in (part(each.a, x), part(x, each.b))]
        parts = halves + parts[worst:]
