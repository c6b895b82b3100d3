"""Bisection: the largest number for which a condition holds, and the point at which a decreasing function reaches a
value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MAX_SEARCHED_POINT = 1e9


def ending_bracket(
    holds: Callable[[float], bool], precision: float, largest: float = MAX_SEARCHED_POINT, least: float = 0.0
) -> tuple[float, float]:
    """(inside, outside): it still holds at the former, or that is 0, where it is not asked; no longer at the latter;
    they differ by this share of it, or are at most `least`. (inside, inf) where it holds as far as `largest`."""
    inside, outside = 0.0, 1.0
    while holds(outside):
        inside, outside = outside, 2 * outside
        if outside > largest:
            return inside, float("inf")
    while outside - inside > precision * outside and outside > least:
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside, outside


def crossing_bracket(
    curve: Callable[[float], Any], to: float, precision: float = 1e-12, largest: float = MAX_SEARCHED_POINT
) -> tuple[float, float]:
    """(inside, outside): the curve is still above `to` at the former, no longer at the latter, and they differ by this
    share of it. (0, 0) where it never was above; (inside, inf) where it stays above as far as `largest`."""
    if float(curve(0.0)) <= to:
        return 0.0, 0.0
    return ending_bracket(lambda point: float(curve(point)) > to, precision, largest)
