"""Enclosures of integrals by adaptive subdivision: the cells with the largest uncertainty are halved."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Generic, NamedTuple, Protocol, TypeVar

from .intervals import Interval, from_ends, interval, low_mpf, sum_of_intervals

MAX_INTEGRAL_CELLS = 3000  # the finest subdivision of an integral
GRID = (-40, -28, -20, -16, *range(-12, 13), 16, 20, 28, 40)  # its coarsest, between normals, in standard deviations
INTEGRAL_PRECISION = Fraction(1, 300)  # relative width at which subdivision stops
SELECTION_PRECISION = Fraction(1, 60)  # the same, of a selection among several options with normal noise


class Node(Protocol):
    """A point at which an integrand was evaluated, with the caller's data about it."""

    @property
    def x(self) -> Fraction:
        """The point at which the node lies."""
        ...


N = TypeVar("N", bound=Node)


class Cell(NamedTuple, Generic[N]):
    """The interval between two nodes, and lower and upper bounds on its contribution to the integral."""

    a: N
    b: N
    least: Interval
    most: Interval


def refine_integral(
    nodes: list[N],
    at: Callable[[Fraction], N],
    cell: Callable[[N, N], Cell[N]],
    width: Fraction,
    cells: int = MAX_INTEGRAL_CELLS,
) -> Interval:
    """An enclosure of the integral from the first node to the last one.

    at: the node at a point. cell: the cell between two nodes. The cells whose bounds differ most are halved, an eighth
    of all at a time, until the sums of both bounds differ by no more than this relative width, or there are
    `cells` of them.
    """
    parts = [cell(a, b) for a, b in pairwise(nodes)]
    while True:
        least, most = sum_of_intervals(each.least for each in parts), sum_of_intervals(each.most for each in parts)
        if len(parts) >= cells or low_mpf(least * (1 + interval(width)) - most) >= 0:
            return from_ends(least, most)
        parts.sort(key=lambda each: low_mpf(each.least - each.most))
        worst = 1 + len(parts) // 8
        middles = [at((each.a.x + each.b.x) / 2) for each in parts[:worst]]
        halves = [half for each, x in zip(parts, middles, strict=False) for half in (cell(each.a, x), cell(x, each.b))]
        parts = halves + parts[worst:]
