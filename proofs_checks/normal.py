"""A rigorous enclosure of the standard normal distribution function at any precision.

With x > 0, phi the density and Q = 1 - Phi the tail:
- series: Phi(x) = 1/2 + phi(x) sum_k x^(2k+1)/(1*3*...*(2k+1)), all terms positive; once the ratio of the
  next terms, x^2/(2k+3), is below 1/2, what is left out is at most twice the first term left out;
- continued fraction (Laplace): Q(x) = phi(x)/(x + 1/(x + 2/(x + 3/(x + ...)))), whose convergents lie on
  either side of the value in turn, so that two consecutive ones enclose it: accurate relative to the tail.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from mpmath import libmp
from mpmath.libmp import libmpi

from dpbandits.proofs_checks.intervals import (
    DOWN,
    HALF,
    INF,
    NEG_INF,
    ONE,
    UP,
    ZERO,
    Raw,
    exp_ends,
    not_above,
)

Ends = tuple[Raw, Raw]
FRACTION_FROM = 5  # the continued fraction takes over where it needs fewer terms than the series
FARTHEST = libmp.from_int(2**30)  # beyond, the tail is bounded by its value here


@lru_cache(maxsize=65536)
def phi_ends(x: Raw, prec: int) -> Ends:
    """[low, high] around Phi(x) for one raw number x, to about `prec` bits relative to Phi(x) where x < 0."""
    if x in (INF, NEG_INF):
        return (ONE, ONE) if x == INF else (ZERO, ZERO)
    if x == ZERO:
        return HALF, HALF
    negative, size = bool(x[0]), libmp.mpf_abs(x)
    if not_above(FARTHEST, size):
        tail = (ZERO, tail_ends(FARTHEST, prec)[1])
    else:
        tail = tail_ends(size, prec)
    return tail if negative else (down(libmpi.mpi_sub((ONE, ONE), tail, prec)))


def down(ends: Any) -> Ends:
    """At most 1: rounding outwards must not leave the range of a probability."""
    low, high = ends
    return low, high if not_above(high, ONE) else ONE


def tail_ends(x: Raw, prec: int) -> Ends:
    """[low, high] around Q(x), x > 0."""
    size = int(libmp.to_int(x)) + 1
    if size > FRACTION_FROM:
        return tail_by_fraction(x, prec + 20)
    # 1/2 - phi sum loses log2(1/Q) < x^2/2 log2(e) + log2(3 x) + 2 bits.
    return tail_by_series(x, prec + 18 * size * size // 25 + 20)


def density(x: Raw, prec: int) -> Ends:
    """[low, high] around phi(x)."""
    square = libmp.mpf_neg(libmp.mpf_shift(libmp.mpf_mul(x, x), -1))  # exact
    pi = libmp.mpf_pi(prec, DOWN), libmp.mpf_pi(prec, UP)
    root = libmpi.mpi_sqrt(tuple(libmp.mpf_shift(end, 1) for end in pi), prec)
    return tuple(libmpi.mpi_div(exp_ends((square, square), prec), root, prec))


def tail_by_series(x: Raw, prec: int) -> Ends:
    square = libmp.mpf_mul(x, x)
    square = (libmp.mpf_pos(square, prec, DOWN), libmp.mpf_pos(square, prec, UP))
    term: Ends = (x, x)
    total: Ends = (x, x)
    tiny = libmp.mpf_shift(x, -prec)
    odd = 1
    while True:
        odd += 2
        number = libmp.from_int(odd)
        term = libmpi.mpi_div(libmpi.mpi_mul(term, square, prec), (number, number), prec)
        small = not_above(libmp.mpf_shift(square[1], 1), libmp.from_int(odd + 2))
        if small and not_above(term[1], tiny):
            total = (total[0], libmp.mpf_add(total[1], libmp.mpf_shift(term[1], 1), prec, UP))
            break
        total = libmpi.mpi_add(total, term, prec)
    return tuple(libmpi.mpi_sub((HALF, HALF), libmpi.mpi_mul(density(x, prec), total, prec), prec))


def tail_by_fraction(x: Raw, prec: int) -> Ends:
    """Convergents A_k/B_k: A_k = x A_{k-1} + (k-1) A_{k-2}, and B alike; A_1/B_1 = 1/x is too large."""
    point: Ends = (x, x)
    a_old, a = (ZERO, ZERO), (ONE, ONE)
    b_old, b = (ONE, ONE), point
    above: Ends = libmpi.mpi_div(a, b, prec)
    enough = libmp.mpf_shift(ONE, -prec + 14)  # rounding alone widens a ratio by a few units per step
    k = 1
    while True:
        number = libmp.from_int(k)
        weight: Ends = (number, number)
        a_old, a = (
            a,
            libmpi.mpi_add(libmpi.mpi_mul(point, a, prec), libmpi.mpi_mul(weight, a_old, prec), prec),
        )
        b_old, b = (
            b,
            libmpi.mpi_add(libmpi.mpi_mul(point, b, prec), libmpi.mpi_mul(weight, b_old, prec), prec),
        )
        k += 1
        ratio = libmpi.mpi_div(a, b, prec)
        if k % 2 == 1:
            above = ratio
            continue
        gap = libmp.mpf_div(libmp.mpf_sub(above[1], ratio[0], prec, UP), above[1], 53, UP)
        if not_above(gap, enough) or k > 4 * prec:
            ends = (ratio[0], above[1])
            return tuple(libmpi.mpi_mul(density(x, prec), ends, prec))


def combined(p: Ends, a: Ends, q: Ends, b: Ends, prec: int) -> Ends:
    """p a + q b."""
    return tuple(libmpi.mpi_add(libmpi.mpi_mul(p, a, prec), libmpi.mpi_mul(q, b, prec), prec))
