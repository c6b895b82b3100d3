"""The entry: a ceiling is checked, and what was found is said."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from .game import start
from .sampler import Rejected
from .statement import read_ceiling


class Verification(NamedTuple):
    """What the checker found. ok: the ceiling holds, if the game does. lines: what was computed, or what is wrong."""

    ok: bool
    lines: tuple[str, ...]


def verify(ceiling: Any) -> Verification:
    """Check a ceiling. Never raises for a bad one."""
    try:
        sampler, relation, games, eps, delta = read_ceiling(ceiling)
        found = max(grid.at(row, eps) for grid, row in (start(sampler, relation, choices) for choices in games))
    except Rejected as wrong:
        return Verification(False, (str(wrong),))
    except Exception as error:  # nothing has been shown, so it is rejected; that it was our fault is said
        return Verification(False, (f"the checker failed at it ({type(error).__name__}: {str(error)[:200]!a})",))
    who = f"Gaussian Thompson sampling, {'two arms' if sampler.two else 'any number of arms'}, {sampler.horizon} rounds"
    lines = (
        f"{who}, b = {sampler.prepulls}, c = {sampler.variance}; one {relation} changed",
        f"the threshold game is worth at most {decimal_at_least(found, 6)} at eps = {decimal_at_least(eps, 9)}",
    )
    if found > delta:
        return Verification(False, (f"not shown: {lines[1]}, more than delta = {float(delta):.6g}",))
    return Verification(
        True,
        (
            *lines,
            f"so that it is ({decimal_at_least(eps, 9)}, {decimal_at_least(delta, 6)})-private, if the game bounds",
        ),
    )


def decimal_at_least(value: Fraction, digits: int) -> str:
    """The least number of so many digits that is no less: what was shown of the value is true of nothing smaller."""
    least = Context(digits, ROUND_CEILING).divide(Decimal(value.numerator), Decimal(value.denominator))
    short = f"{float(least):.{digits}g}"
    return short if Decimal(short) == least else str(least)  # beyond the range of doubles
