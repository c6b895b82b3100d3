"""Certified numbers in a line: never better than they are."""

from __future__ import annotations


def upward(value: float) -> str:
    """Four digits, rounded up."""
    return f"{value * (1 + 5e-4):.4g}" if value > 0 else "0"


def downward(value: float) -> str:
    """Four digits, rounded down."""
    return f"{value * (1 - 5e-4):.4g}" if value > 0 else "0"
