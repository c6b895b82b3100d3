"""Bounds on the probability that an arm is pulled (that its normal sample is the largest), in integer arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from dpbandits.proofs_checks.checker.intervals import interval, interval_exp, low, work
from dpbandits.proofs_checks.checker.normal import normal_distribution_at
from dpbandits.proofs_checks.checker.untrusted import forgettable_cache, spend_effort

CHANCE = 60  # bits of a round's chances
POINT = 128  # bits of the fixed-point numbers on the way to Phi
PHI_NODES_PER_UNIT = 16  # Phi is expanded around multiples of 1/PHI_NODES_PER_UNIT,
DEGREE = 18  # up to this power
PHI_CUTOFF = 12  # beyond so many deviations, Phi is its value there, or 1
FARTHEST_NODE = 9.5  # of the trapezoidal rule, in deviations: 2 Phi(-9.5) < 2^-67
OFF = 1 << POINT - 62  # by so much that rule may be wrong


def pull_chances(arms: list[tuple[int, int]], variance: Fraction) -> list[tuple[int, int]]:
    """Returns lower and upper bounds on each arm's probability of a pull, in units of 2^-CHANCE.
    arms: the number n of pulls and the total s of each arm, whose sample is normal with mean s/(n + 1) and variance
    variance/(n + 1)."""
    if len(arms) > 2:
        return [chance_of_largest(arms, arm, variance) for arm in range(len(arms))]
    (n, own), (rest, other) = arms
    spread = variance * (n + rest + 2) * (n + 1) * (rest + 1)
    least, most = phi_bounds(own * (rest + 1) - other * (n + 1), spread)
    return [(least, most), ((1 << CHANCE) - most, (1 << CHANCE) - least)]


def chance_of_largest(arms: list[tuple[int, int]], arm: int, variance: Fraction) -> tuple[int, int]:
    """Returns bounds on the probability that this arm's sample is the largest.
    The integral of phi(x) prod_i Phi(a_i + b_i x) over x.

    By the trapezoidal rule, of step h. As |Phi(x + iy)| <= e^(y^2/2), the integrand is at most e^(d^2 B/2) over a line
    d above or below the real one, B = 1 + sum b_i^2; so the rule is off by 2 e^(d^2 B/2)/(e^(2 pi d/h) - 1) at most
    (Trefethen and Weideman, 2014, Theorem 5.1), which is 2^-64 for h^2 B <= 7/16 and d = 2 pi/(h B). Beyond
    FARTHEST_NODE lie 2^-65, and the roundings are below 2^-100: OFF covers all three.
    """
    own, total = arms[arm]
    lines, size = [], Fraction(1)
    for n, other in (each for place, each in enumerate(arms) if place != arm):
        spread = variance * (own + 1) ** 2 * (n + 1)
        slope = math.isqrt(((n + 1) << 2 * POINT) // (own + 1))
        lines.append((scaled_quotient(total * (n + 1) - other * (own + 1), spread), slope))
        size += Fraction(n + 1, own + 1)
    halvings = next(m for m in range(64) if size * 16 <= 7 * 4**m)
    nodes = densities(halvings)
    spend_effort(len(nodes) * (1 + 2 * len(lines)))
    value = 0
    for k, weight in enumerate(nodes, start=-(len(nodes) // 2)):
        x = k << POINT - halvings
        for start, slope in lines:
            weight = weight * phi_near(start + (slope * x >> POINT))[0] >> POINT
        value += weight
    value >>= halvings
    shift = POINT - CHANCE
    return max((value - OFF) >> shift, 0), min(-((-value - OFF) >> shift), 1 << CHANCE)


@forgettable_cache
@lru_cache(maxsize=64)
def densities(halvings: int) -> list[int]:
    """The normal density phi at the multiples of 2^-halvings around 0, in units of 2^-POINT.
    The multiples go up to FARTHEST_NODE on both sides."""
    last = math.floor(FARTHEST_NODE * 2**halvings)
    scale = 1 / work.sqrt(2 * work.pi)
    spend_effort(10 * last)
    half = [
        int(Fraction(low(interval_exp(-interval(Fraction(k * k, 2 * 4**halvings))) * scale)) * (1 << POINT))
        for k in range(last + 1)
    ]
    return [*half[:0:-1], *half]


def phi_bounds(difference: int, variance: Fraction) -> tuple[int, int]:
    """Bounds on Phi(lead/sqrt(variance)), in units of 2^-CHANCE."""
    spend_effort(4)
    value, wrong = phi_near(scaled_quotient(difference, variance))
    shift = POINT - CHANCE
    return max((value - wrong) >> shift, 0), min(-((-value - wrong) >> shift), 1 << CHANCE)


def scaled_quotient(difference: int, variance: Fraction) -> int:
    """difference/sqrt(variance), rounded down to an integer in units of 2^-POINT."""
    root = math.isqrt((difference * difference * variance.denominator << 2 * POINT) // variance.numerator)
    return root if difference >= 0 else -root - 1


def phi_near(x: int) -> tuple[int, int]:
    """Returns Phi at an argument between x and x + 1, in units of 2^-POINT, and a bound on its error.

    Taylor's series around the nearest point of a grid: |d^k Phi/k!| = |He_(k-1)| phi/k! < 1 by Cramer's bound, so each
    of Horner's steps rounds by less than 2 units, and the rest is below 2^-5(DEGREE + 1)/sqrt((DEGREE + 1)!) < 2^-122.
    """
    if abs(x) >= PHI_CUTOFF << POINT:
        edge = phi_near((PHI_CUTOFF << POINT) - 1)
        tail = (1 << POINT) - edge[0] + edge[1]
        return ((1 << POINT) - tail, tail) if x > 0 else (0, tail)
    k = (x * PHI_NODES_PER_UNIT + (1 << POINT - 1)) >> POINT
    h = x - (k << POINT) // PHI_NODES_PER_UNIT
    value = 0
    for coefficient in phi_coefficients(k):
        value = (value * h >> POINT) + coefficient
    return value, 1 << (POINT - 120)


@forgettable_cache
@lru_cache(maxsize=2 * PHI_NODES_PER_UNIT * PHI_CUTOFF + 2)
def phi_coefficients(k: int) -> tuple[int, ...]:
    """The Taylor coefficients of Phi around k/PHI_NODES_PER_UNIT, the highest power first.
    Each is correct to a unit of 2^-POINT."""
    x = Fraction(k, PHI_NODES_PER_UNIT)
    density = Fraction(low(interval_exp(-interval(x * x) / 2) / work.sqrt(2 * work.pi))) * (1 << POINT)
    found = [math.floor(Fraction(low(normal_distribution_at(x))) * (1 << POINT))]
    # He_(power-2) and He_(power-1), times powers of PHI_NODES_PER_UNIT
    before, hermite, below = 0, 1, density.denominator
    for power in range(1, DEGREE + 1):
        below *= power
        found.append((-1) ** (power - 1) * hermite * density.numerator // below)
        before, hermite = hermite, k * hermite - (power - 1) * PHI_NODES_PER_UNIT**2 * before
        below *= PHI_NODES_PER_UNIT
    return tuple(reversed(found))
