"""Bisection: the largest number for which a condition holds, and the point at which a decreasing function reaches a
value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

MAX_SEARCHED_POINT = 1e9


def ending_bracket(
    holds: Callable[[float], bool], precision: float, limit: float = MAX_SEARCHED_POINT, min_gap: float = 0.0
) -> tuple[float, float]:
    """The ends (inside, outside) of a small interval in which `holds` changes from true to false.
    The condition holds at `inside`, or `inside` is 0, where it is not tested; it fails at `outside`; the two differ by
    at most this fraction, or are at most `min_gap`. (inside, inf) if it holds up to `limit`."""
    inside, outside = 0.0, 1.0
    while holds(outside):
        inside, outside = outside, 2 * outside
        if outside > limit:
            return inside, float("inf")
    while outside - inside > precision * outside and outside > min_gap:
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside, outside


def crossing_bracket(
    curve: Callable[[float], float | np.ndarray],
    value: float,
    precision: float = 1e-12,
    limit: float = MAX_SEARCHED_POINT,
) -> tuple[float, float]:
    """The ends (inside, outside) of a small interval in which a decreasing curve falls to `value`.
    The curve is above `value` at `inside` but not at `outside`, and the two differ by at most this fraction. (0, 0) if
    it is never above; (inside, inf) if it stays above up to `limit`."""
    if float(curve(0.0)) <= value:
        return 0.0, 0.0
    return ending_bracket(lambda point: float(curve(point)) > value, precision, limit)
