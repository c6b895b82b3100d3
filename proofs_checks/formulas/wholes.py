"""Formulas that count with whole numbers: which variables these are, and which of their values are tried."""

from __future__ import annotations

from itertools import product

import numpy as np

from dpbandits.proofs_checks.formulas.cost import Tally, TooLong
from dpbandits.proofs_checks.formulas.domains import Axis
from dpbandits.proofs_checks.formulas.statement import TOO_LONG, Statement

SMALL_COUNTS, MOST_COUNTS = 40, 150  # formulas that count with n take time proportional to n
LARGE_COUNTS = (50, 100, 200, 500, 1000, 2000)


def counting(statement: Statement, axes: list[Axis]) -> list[Axis]:
    """The whole-number axes, if the formulas need plain integers there (range(n), comb(n, k), a list's
    index)."""
    tally = Tally(TOO_LONG)
    variables = {axis.name: tally.token for axis in axes}
    try:
        statement.given(tally, variables)
        statement.demands(tally, variables)
    except TooLong:
        return []
    except TypeError:
        whole = [axis for axis in axes if axis.whole or all(value.denominator == 1 for value in axis.values)]
        whole = [axis for axis in whole if axis.whole or axis.values]
        if not whole:
            raise
        return whole
    return []


def combinations(axes: list[Axis], rng: np.random.Generator) -> tuple[list[dict[str, int]], bool]:
    """Values to count with: all combinations where they are few, else small ones and random ones."""
    ranges = []
    complete = True
    for axis in axes:
        values = [int(value) for value in axis.values]
        if not values:
            first = int(axis.low)
            last = min(axis.high, first + SMALL_COUNTS)
            complete &= last == axis.high
            values = [*range(first, int(last) + 1), *(n for n in LARGE_COUNTS if last < n <= axis.high)]
        ranges.append(values)
    total = int(np.prod([float(len(values)) for values in ranges]))
    names = [axis.name for axis in axes]
    if total <= MOST_COUNTS:
        return [dict(zip(names, choice, strict=True)) for choice in product(*ranges)], complete
    few = [values[: max(2, int(MOST_COUNTS ** (1 / len(axes)) / 2))] for values in ranges]
    picked = set(product(*few))
    while len(picked) < MOST_COUNTS:
        picked.add(tuple(values[int(rng.integers(len(values)))] for values in ranges))
    return [dict(zip(names, choice, strict=True)) for choice in sorted(picked)], False
