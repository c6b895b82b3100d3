"""Enclosures of the normal distribution function, by series with stated remainders."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from .intervals import (
    TAIL_CUTOFF,
    Interval,
    from_ends,
    high,
    interval,
    interval_exp,
    interval_maximum,
    interval_minimum,
    low,
    work,
)
from .untrusted import forgettable_cache, spend_effort


def normal_distribution(x: Interval) -> Interval:
    """An enclosure of Phi on an interval, from its value at the low end to its value at the high end: Phi increases."""
    spend_effort(2)
    return from_ends(normal_at(Fraction(low(x)), work.prec), normal_at(Fraction(high(x)), work.prec))


def normal_distribution_at(x: Fraction) -> Interval:
    """An enclosure of Phi at one exact point, in the working precision."""
    return normal_at(x, work.prec)


ASYMPTOTIC_FROM = 17  # the asymptotic series is good to exp(-17^2/2) < 1e-62, relatively, from here on


@forgettable_cache
@lru_cache(maxsize=10_000)
def normal_at(x: Fraction, prec: int) -> Interval:
    """An enclosure of Phi at one exact point, accurate to about `prec` bits relative to the smaller tail."""
    spend_effort(40 + x * x if abs(x) < ASYMPTOTIC_FROM else 400)
    if x > 0:
        return 1 - normal_tail(x, prec)
    return normal_tail(-x, prec) if x < 0 else work.mpf(1) / 2


def normal_tail(x: Fraction, prec: int) -> Interval:
    """1 - Phi(x) for x > 0."""
    before = work.prec
    try:
        return tail_by_asymptotic_series(x) if x >= ASYMPTOTIC_FROM else tail_by_alternating_series(x, prec)
    finally:
        work.prec = before


def tail_by_asymptotic_series(x: Fraction) -> Interval:
    """Bounds 1 - Phi(x) by partial sums of phi(x)/x (1 - 1/x^2 + 3/x^4 - 15/x^6 + ...).
    The error of each partial sum is smaller than the next term, and has its sign."""
    if x > TAIL_CUTOFF:
        return from_ends(work.mpf(0), tail_by_asymptotic_series(Fraction(TAIL_CUTOFF)))
    square = interval(x * x)
    total, term, k = work.mpf(1), work.mpf(1), 0
    smallest_term = Fraction(1, 2 ** (work.prec + 4))
    while True:
        following = -term * (2 * k + 1) / square
        k += 1
        if abs(Fraction(low(following))) < smallest_term or 2 * k + 1 > x * x:
            break
        total, term = total + following, following
    after = total + following  # the value lies between the sums without and with the term that follows
    total = from_ends(interval_minimum(total, after), interval_maximum(total, after))
    density = interval_exp(-square / 2) / work.sqrt(2 * work.pi)
    return density / interval(x) * total


def tail_by_alternating_series(x: Fraction, prec: int) -> Interval:
    """1/2 - S/sqrt(2 pi), S = sum_k (-1)^k x^(2k+1)/(2^k k! (2k+1)).

    Terms reach exp(x^2/2) and the tail is down at exp(-x^2/2): together x^2 log2(e) bits are lost to
    cancellation.
    """
    bits = prec + int(x * x * 3 / 2) + 2 * int(x) + 30
    total, wrong = alternating_sum(x, bits)
    work.prec = bits + 20
    series = (work.mpf(total) + work.mpf([-wrong, wrong])) / work.mpf(1 << bits)
    return work.mpf(1) / 2 - series / work.sqrt(2 * work.pi)


def alternating_sum(x: Fraction, bits: int) -> tuple[int, int]:
    """The sum S of `tail_by_alternating_series` for x > 0, and a bound on its error, in units of 2^-bits.
    Both are integers, with counted rounding errors, for any number of bits."""
    unit = 1 << bits
    scaled = x * unit
    term = scaled.numerator // scaled.denominator  # x^(2k+1)/(2^k k!), wrong by at most `wrong` units
    square = (x * x * unit).__floor__()
    total = wrong_total = 0
    wrong, k, sign = 1, 0, 1
    while True:
        total += sign * (term // (2 * k + 1))
        wrong_total += wrong // (2 * k + 1) + 2
        falling = square + 1 < 2 * (k + 1) * unit
        if falling and term <= wrong + (1 << 8):
            return total, wrong_total + 2 * term + 2 * wrong + 2  # all later terms: alternating and falling
        wrong = ((wrong * (square + 1) + term) // (2 * (k + 1) * unit)) + 2
        term = (term * square >> bits) // (2 * (k + 1))
        sign, k = -sign, k + 1
