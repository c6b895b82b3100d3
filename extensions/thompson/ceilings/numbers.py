"""Lower and upper bounds on exp, the normal distribution function Phi, and roots, as integers in units of 2^-POINT."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from .sampler import Rejected

POINT = 320  # bits after the point of numbers on the way
FIXED_POINT_ONE = 1 << POINT
PHI_NODES_PER_UNIT, DEGREE = 16, 24  # Phi is expanded around multiples of 1/PHI_NODES_PER_UNIT, up to this power
PHI_CUTOFF = 12  # beyond PHI_CUTOFF deviations, Phi is between 0 and what it is there, or above 1 minus that
OFF = 1 << POINT - 160  # Phi is good to so much


class Ends(NamedTuple):
    """A real number between two integers, in units of 2^-POINT."""

    low: int
    high: int

    def minus(self, other: Ends) -> Ends:
        """The difference of two enclosures."""
        return Ends(self.low - other.high, self.high - other.low)

    def plus(self, other: Ends) -> Ends:
        """The sum of two enclosures."""
        return Ends(self.low + other.low, self.high + other.high)

    def times(self, other: Ends) -> Ends:
        """The product of two enclosures."""
        products = [a * b for a in self for b in other]
        return Ends(min(products) >> POINT, -(-max(products) >> POINT))

    def over(self, other: Ends) -> Ends:
        """The quotient by a positive number."""
        if other.low <= 0:
            raise Rejected("width: two tangents are too close to each other; choose a larger width")
        quotients = [(a << POINT, b) for a in self for b in other]
        return Ends(min(a // b for a, b in quotients), max(-(-a // b) for a, b in quotients))

    def chance(self) -> Ends:
        """The interval of a probability, cut to [0, 1]."""
        return Ends(max(self.low, 0), min(self.high, FIXED_POINT_ONE))


ZERO_ENDS, ONE_ENDS = Ends(0, 0), Ends(FIXED_POINT_ONE, FIXED_POINT_ONE)


def exponential(x: Fraction) -> Ends:
    """Encloses e^x for |x| < 1024: the series of e^(x/2^16), squared 16 times.

    Each of 40 terms is off by less than 2 units, as |x|/2^16 < 2^-6; what follows them is below (2^-6)^40/40! < 2^-390.
    """
    small = (x.numerator << POINT - 16) // x.denominator
    term, total = FIXED_POINT_ONE, 0
    for k in range(1, 41):
        total, term = total + term, (term * small >> POINT) // k
    power = Ends(total - 100, total + 100)
    for _ in range(16):
        power = power.times(power)
    return power


def arctangent(n: int) -> Ends:
    """Encloses arctan(1/n), n >= 5.
    The series has less than 80 terms, and n^-2j in each is rounded down by less than 2 units."""
    power, total, j = FIXED_POINT_ONE // n, 0, 0
    while power:
        total += (-1) ** j * (power // (2 * j + 1))
        power, j = power // (n * n), j + 1
    return Ends(total - 300, total + 300)


@lru_cache(maxsize=1)
def density_at_0() -> Ends:
    """Encloses 1/sqrt(2 pi), with pi by Machin's formula."""
    first, second = arctangent(5), arctangent(239)
    pi = 16 * first.low - 4 * second.high, 16 * first.high - 4 * second.low
    return Ends(*(math.isqrt((FIXED_POINT_ONE**3) // (2 * each)) + up for each, up in ((pi[1], 0), (pi[0], 1))))


@lru_cache(maxsize=2 * PHI_NODES_PER_UNIT * PHI_CUTOFF + 2)
def phi_coefficients(k: int) -> tuple[int, ...]:
    """The coefficients of the Taylor series of Phi around x = k/PHI_NODES_PER_UNIT, the highest power first.

    Phi(x) - 1/2 = phi(x) (x + x^3/3 + x^5/(3 5) + ...) for x >= 0; from x^2/(2j + 1) < 1/2 on the rest is less than the
    last term. The other coefficients are (-1)^(j-1) He_(j-1)(x) phi(x)/j!.
    """
    x = Fraction(k, PHI_NODES_PER_UNIT)
    density = exponential(-x * x / 2).times(density_at_0())
    term, total, j = (
        Ends(abs(k) * FIXED_POINT_ONE // PHI_NODES_PER_UNIT, abs(k) * FIXED_POINT_ONE // PHI_NODES_PER_UNIT),
        ZERO_ENDS,
        0,
    )
    while term.high > 1 or 2 * x * x >= 2 * j + 1:
        total, j = total.plus(term), j + 1
        scale = k * k, PHI_NODES_PER_UNIT**2 * (2 * j + 1)
        term = Ends(term.low * scale[0] // scale[1], -(-term.high * scale[0] // scale[1]))
    half = density.times(Ends(total.low, total.high + 2))
    found = [
        Ends(FIXED_POINT_ONE // 2 + half.low, FIXED_POINT_ONE // 2 + half.high)
        if k >= 0
        else Ends(FIXED_POINT_ONE // 2 - half.high, FIXED_POINT_ONE // 2 - half.low)
    ]
    hermite = [Fraction(1), x]
    for power in range(1, DEGREE + 1):
        share = (-1) ** (power - 1) * hermite[power - 1] / math.factorial(power)
        found.append(density.times(Ends(math.floor(share * FIXED_POINT_ONE), math.ceil(share * FIXED_POINT_ONE))))
        hermite.append(x * hermite[power] - power * hermite[power - 1])
    if any(each.high - each.low > OFF >> 8 for each in found):
        raise Rejected(f"the normal distribution function at {x} could not be computed with the required precision")
    return tuple(each.low for each in reversed(found))


def phi(x: int) -> Ends:
    """Encloses Phi(x), x in units, by its Taylor series around the nearest multiple of 1/PHI_NODES_PER_UNIT.

    |He_(j-1)| phi/j! < 1 by Cramer's bound, so that what follows power DEGREE is below 2^-5(DEGREE+1)/sqrt(DEGREE!);
    that, 24 roundings, and what the coefficients are off by is less than OFF = 2^-160.
    """
    if abs(x) >= PHI_CUTOFF * FIXED_POINT_ONE:
        edge = phi((PHI_CUTOFF * FIXED_POINT_ONE - 1) * (1 if x > 0 else -1))
        return Ends(edge.low, FIXED_POINT_ONE) if x > 0 else Ends(0, edge.high)
    k = (x * PHI_NODES_PER_UNIT + FIXED_POINT_ONE // 2) // FIXED_POINT_ONE
    h, value = x - k * FIXED_POINT_ONE // PHI_NODES_PER_UNIT, 0
    for coefficient in phi_coefficients(k):
        value = (value * h >> POINT) + coefficient
    return Ends(value - OFF, value + OFF).chance()


def root_rounded_up(square: Fraction) -> int:
    """The square root of a nonnegative fraction, in units, rounded up."""
    return math.isqrt((square.numerator * FIXED_POINT_ONE * FIXED_POINT_ONE) // square.denominator) + 1
