"""The entry point of the checker: checks a ceiling (a certificate of an upper bound on eps) and reports the result."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from .game import start
from .prices import LARGEST_EPS, LONGEST_RUN, least_eps, read_prices
from .sampler import Rejected, Sampler
from .statement import read_ceiling, read_subject


class Verification(NamedTuple):
    """The result of the checker. ok: the ceiling holds, if the game bounds delta. lines: the computed values, or the
    faults."""

    ok: bool
    lines: tuple[str, ...]


def verify(ceiling: Any) -> Verification:
    """Checks a ceiling certificate; returns whether it is valid, with lines of text. Never raises."""
    try:
        return priced(ceiling) if isinstance(ceiling, dict) and "prices" in ceiling else played_through(ceiling)
    except Rejected as wrong:
        return Verification(False, (str(wrong),))
    except Exception as error:  # nothing has been shown, so it is rejected; that it was our fault is said
        return Verification(False, (f"the checker failed at it ({type(error).__name__}: {str(error)[:200]!a})",))


def played_through(ceiling: Any) -> Verification:
    """Checks a ceiling by computing the whole game, from the last round to the first, and returns the result."""
    sampler, relation, games, eps, delta = read_ceiling(ceiling)
    found = max(grid.at(row, eps) for grid, row in (start(sampler, relation, choices) for choices in games))
    worth = f"the threshold game is worth at most {decimal_at_least(found, 6)} at eps = {decimal_at_least(eps, 9)}"
    if found > delta:
        return Verification(False, (f"not shown: {worth}, more than delta = {float(delta):.6g}",))
    return Verification(True, (about(sampler, relation), worth, privacy(eps, delta)))


def priced(ceiling: Any) -> Verification:
    """Checks a ceiling that contains prices, and returns the result.
    The check computes the numbers b_n of the static potential."""
    sampler, relation, eps, delta = read_subject(ceiling, LONGEST_RUN, LARGEST_EPS)
    found = least_eps(sampler, delta, read_prices(ceiling))
    worth = f"its static potential shows eps = {decimal_at_least(found, 9)} at delta = {decimal_at_least(delta, 6)}"
    if found > eps:
        return Verification(False, (f"not shown: {worth}, more than eps = {float(eps):.9g}",))
    return Verification(True, (about(sampler, relation), worth, privacy(eps, delta)))


def about(sampler: Sampler, relation: str) -> str:
    """The sampler and the relation in words, for the first line of the checker's result."""
    who = f"Gaussian Thompson sampling, {'two arms' if sampler.two else 'any number of arms'}, {sampler.horizon} rounds"
    return f"{who}, b = {sampler.prepulls}, c = {sampler.variance}; one {relation} changed"


def privacy(eps: Fraction, delta: Fraction) -> str:
    """The certified guarantee in words, with eps and delta rounded up."""
    return f"so that it is ({decimal_at_least(eps, 9)}, {decimal_at_least(delta, 6)})-private, if the game bounds"


def decimal_at_least(value: Fraction, digits: int) -> str:
    """The value as a decimal text with this many digits, rounded up."""
    least = Context(digits, ROUND_CEILING).divide(Decimal(value.numerator), Decimal(value.denominator))
    short = f"{float(least):.{digits}g}"
    return short if Decimal(short) == least else str(least)  # beyond the range of doubles
