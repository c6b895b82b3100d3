"""Equations (4) to (8): how many arms are active in each phase, in exact integers.

The definitions, Appendix B's worked example and the proofs do not agree on where indices begin. So a reading is a
value: `Indices`. PRINTED is (4) to (8) with N = {1, 2, ...}; REPAIRED is the one under which every statement but the
numbers of Appendix B is true (`proofs_checks/papers/chen24/section_3_eqs_4_to_8.py` computes the matrix).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import NamedTuple

from dpbandits.reference.arithmetic.checks import at_least

DIGITS = 60
UNSURE = Decimal(10) ** -40  # how near to an integer a quotient by an irrational lambda may come


class Indices(NamedTuple):
    """start: the first element of N, which both minima of (8) run over. shift: s_p = g_{p - M_1 - shift} for p > M_1.
    less: M = M_1 + min{...} - less. first: the index of the first element of both sequences, 0 in (5) and (6)."""

    start: int = 1
    shift: int = 0
    less: int = 1
    first: int = 0


class Phases(NamedTuple):
    """M_1, M, and the sizes s_1, ..., s_{M+1}."""

    first_stage: int
    last: int
    sizes: tuple[int, ...]


PRINTED = Indices()
REPAIRED = Indices(start=0, shift=1, less=0)
APPENDIX_B = Indices(first=1)


def quarter(d: int) -> int:
    """ceil(d^2/4), exactly."""
    return -(-d * d // 4)


def checked(arms: int, d: int) -> None:
    at_least("K (arms)", arms, 2)
    if d == 1:
        raise ValueError(
            "d (the dimension of the features) is 1, so log d = 0 and equation (4) of the paper has no solution; with "
            "d = 1, pull only the arm with the longest feature"
        )
    at_least("d (the dimension of the features)", d, 2)


@lru_cache(maxsize=4096)
def growth(arms: int, d: int) -> Decimal:
    """lambda of (4): the least beta >= 2 with beta^{log d} >= K - ceil(d^2/4), to 60 digits. log is natural."""
    checked(arms, d)
    rest = arms - quarter(d)
    if rest <= 1:
        return Decimal(2)
    with localcontext(prec=DIGITS):
        return max(Decimal(2), (Decimal(rest).ln() / Decimal(d).ln()).exp())


def ceil_quotient(above: int, below: Decimal) -> int:
    """ceil(above/below) for an integer and a lambda of 60 digits. ArithmeticError where the digits cannot tell."""
    with localcontext(prec=DIGITS):
        value = Decimal(above) / below
        nearest = int(value.to_integral_value())
        if below == below.to_integral_value():
            return -(-above // int(below))
        if abs(value - nearest) < UNSURE:
            raise ArithmeticError(
                f"the quotient {above}/lambda agrees with {nearest} to {DIGITS} digits, so the quotient cannot be "
                "rounded up reliably"
            )
        return nearest + (value > nearest)


def halved(arms: int, d: int) -> Iterator[int]:
    """g_0, g_1, ... of (5)."""
    value = min(arms, quarter(d))
    while True:
        yield value
        value = -(-value // 2)


def divided(arms: int, d: int) -> Iterator[int]:
    """h_0, h_1, ... of (6)."""
    value, ratio = max(arms - quarter(d), 0), growth(arms, d)
    while True:
        yield value
        value = ceil_quotient(value + 1, ratio) - 1


def until(sequence: Iterator[int], wanted: int, start: int) -> list[int]:
    """The sequence up to its first place >= start with the wanted value."""
    found: list[int] = []
    for place, value in enumerate(sequence):
        found.append(value)
        if place >= start and value == wanted:
            return found
    raise AssertionError("the sequence of equation (5) or (6) of the paper does not end (an error in dpbandits)")


@lru_cache(maxsize=65536)
def phases(arms: int, d: int, indices: Indices = REPAIRED) -> Phases:
    """The phases for K = arms >= 2 and d >= 2, in a reading. Sizes are what the reading makes of (7), right or
    wrong."""
    checked(arms, d)
    start = max(indices.start - indices.first, 0)
    h, g = until(divided(arms, d), 0, start), until(halved(arms, d), 1, start)
    first_stage = len(h) - 1 + indices.first
    count = first_stage + len(g) - 1 + indices.first - indices.less
    sizes = []
    for p in range(1, count + 2):
        if p <= first_stage:
            sizes.append(g[0] + h[min(p - 1, len(h) - 1)])
        else:
            sizes.append(g[min(max(p - first_stage - indices.shift, 0), len(g) - 1)])
    return Phases(first_stage, count, tuple(sizes))


# -- the budget ------------------------------------------------------------------------------------------------------

Reserve = Callable[[int, int, Phases], int]


def printed_reserve(arms: int, d: int, plan: Phases) -> int:
    """(8): M_1 d + (M - M_1) ceil(d^2/4), what is kept for the ceilings of all phases."""
    return plan.first_stage * d + (plan.last - plan.first_stage) * quarter(d)


def repaired_reserve(arms: int, d: int, plan: Phases) -> int:
    """The sum of min(s_p, d^2): a phase that pulls k arms takes k ceil(T'/(M k)) <= T'/M + k - 1, and k is d_p or s_p,
    the latter where s_p <= d_p^2."""
    return sum(min(size, d * d) for size in plan.sizes[:-1])


def every_arm_reserve(arms: int, d: int, plan: Phases) -> int:
    """For Baseline, which pulls all active arms."""
    return sum(plan.sizes[:-1])


def pulled_arms(size: int, rank: int) -> int:
    """How many arms a phase pulls: line 6 of Algorithm 1."""
    return rank if rank * rank < size else size


def pulls_each(left: int, count: int, arms: int) -> int:
    """ceil(T'/(M k)), exactly. Lines 8 and 14."""
    return -(-left // (count * arms))
