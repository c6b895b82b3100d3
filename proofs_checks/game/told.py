"""Certified numbers in a line: never better than they are."""

from __future__ import annotations

from fractions import Fraction
from math import inf

from dpbandits.proofs_checks.checker.ceilings.verification import above


def upward(value: float) -> str:
    """Four digits, rounded up."""
    return above(Fraction(value), 4) if 0 < value < inf else f"{max(value, 0.0):.4g}"


def downward(value: float) -> str:
    """Four digits, rounded down."""
    return f"{value * (1 - 5e-4):.4g}" if value > 0 else "0"
