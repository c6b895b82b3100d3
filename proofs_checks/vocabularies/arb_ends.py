"""Ends of intervals: exact binary numbers or infinities, and what balls of Arb say of operations between them."""

from __future__ import annotations

from fractions import Fraction
from math import inf

from flint import arb

Ends = tuple[arb, arb]  # two exact numbers or infinities, the lower first; neither is -inf above, nor inf below
ARB_ZERO, ARB_ONE, ARB_HALF, INF, NEG_INF = arb(0), arb(1), arb(0.5), arb("inf"), arb("-inf")
MAX_WRITTEN_EXPONENT = 2**20  # the largest binary exponent of an end that is written as a rational


def negative(end: arb) -> arb:
    """-end, exactly: Arb's own minus sign rounds, and makes a ball of an end."""
    return end.neg(exact=True)


def end_parts(end: arb) -> tuple[int, int] | str:
    """An end as a pair (m, e) for m 2^e, or a name, of which arb(...) makes the end again."""
    if not end.is_finite():
        return "inf" if end > 0 else "-inf"
    man, exp = end.man_exp()
    return int(man), int(exp)


def rational_below(end: arb, most: int = MAX_WRITTEN_EXPONENT) -> Fraction | float:
    """An end as an exact rational, or an infinite float; rounded down beyond 2^+-most, where a rational would take
    megabytes to write out."""
    if not end.is_finite():
        return inf if end > 0 else -inf
    man, exp = map(int, end.man_exp())
    size = exp + man.bit_length()
    if abs(size) <= most or not man:
        return Fraction(man << exp) if exp >= 0 else Fraction(man, 1 << -exp)
    if size > 0:
        return Fraction(2) ** most if man > 0 else -inf
    return Fraction(0) if man > 0 else -Fraction(1, 2**most)


def increasing(low: arb, high: arb) -> Ends:
    """From the lowest number of one ball to the highest of another, with as many bits as Arb now works with."""
    return NEG_INF if low.is_nan() else low.lower(), INF if high.is_nan() else high.upper()


def hull(balls: list[arb]) -> Ends:
    """The ends around all balls, with as many bits as Arb now works with."""
    if any(ball.is_nan() for ball in balls):
        return NEG_INF, INF
    return min([ball.lower() for ball in balls]), max([ball.upper() for ball in balls])


def sum_below(x: arb, y: arb) -> arb:
    """At most x + y. A ball forgets the sign of a small summand, and 1 + e^-1000 is at least 1."""
    return max((x + y).lower(), x if y >= 0 else NEG_INF, y if x >= 0 else NEG_INF)


def corner_product(x: arb, y: arb) -> arb:
    """x y, where an infinity stands for numbers as large as you like: 0 times any of them is 0."""
    return ARB_ZERO if x == 0 or y == 0 else x * y


def corner_quotient(x: arb, y: arb, side: arb) -> arb:
    """x/y at a corner. At two infinities x/y takes any value of one sign, those next to 0 and next to infinity at the
    corners beside it; so 0 will do there."""
    if y == 0:
        return corner_product(x, side)
    return x / y if y.is_finite() else ARB_ZERO
