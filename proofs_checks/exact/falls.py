"""Where a falling curve has come down to a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MAX_SEARCHED_POINT = 1e9


def crossing_bracket(curve: Callable[[float], Any], to: float, precision: float = 1e-12) -> tuple[float, float]:
    """(inside, outside): still above `to` at the former, no longer at the latter; they differ by this share of it.

    (0, 0) where it never was above; (inside, inf) where it stays above as far as MAX_SEARCHED_POINT.
    """
    inside, outside = 0.0, 1.0
    if float(curve(0.0)) <= to:
        return 0.0, 0.0
    while float(curve(outside)) > to:
        inside, outside = outside, 2 * outside
        if outside > MAX_SEARCHED_POINT:
            return inside, float("inf")
    while outside - inside > precision * outside:
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if float(curve(middle)) > to else (inside, middle)
    return inside, outside
