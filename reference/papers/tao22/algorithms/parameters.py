"""What all of the paper's algorithms ask of their parameters."""

from __future__ import annotations

from typing import Any

from dpbandits.reference.arithmetic.checks import is_number, positive


def checked_moments(v: Any, u: Any) -> None:
    """ValueError unless v lies in (0, 1], and u is positive and finite."""
    if not (is_number(v) and 0 < v <= 1):
        raise ValueError(f"v is {v!r}; it must lie in (0, 1], as the moments of order 1 + v are bounded")
    positive("u", u)
