"""Samplers and certified numbers as text; numbers are rounded to the safe side."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import inf

from dpbandits.extensions.thompson.ceilings.verification import decimal_at_least


def arms_in_words(arms: int | None) -> str:
    """The number of arms in words, such as "2 arms", or "any number of arms" for None."""
    return "any number of arms" if arms is None else f"{arms} arms"


def four_digits_up(value: float) -> str:
    """The value as text with four digits, rounded up."""
    return decimal_at_least(Fraction(value), 4) if 0 < value < inf else f"{max(value, 0.0):.4g}"


def four_digits_down(value: float) -> str:
    """The value as text with four digits, rounded down."""
    least = Context(4, ROUND_FLOOR).create_decimal(Decimal(value)) if 0 < value < inf else max(value, 0.0)
    return f"{float(least):.4g}"
