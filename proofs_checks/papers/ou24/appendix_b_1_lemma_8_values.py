"""Where Lemma 8 is searched for a counterexample, and its exact values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from dpbandits.proofs_checks.papers.ou24.points import FormulaPoint
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.claims.findings import above, nearest, table_item
from dpbandits.reference.claims.records import Item
from dpbandits.reference.papers.ou24.regret_formulas import inverse_excess

TINY = Fraction(1, 10**9)
FIRST_POINTS: tuple[FormulaPoint, ...] = tuple(
    {"n": n, "mu": mu, "gap": gap, "c": c}
    for n in (0, 1, 2, 3, 5, 8, 13)
    for mu in (Fraction(k, 10) for k in range(1, 11))
    for gap in (TINY, mu / 2, mu)
    for c in (Fraction(1), Fraction(2), Fraction(1000))
)


def least_pulls(c: Fraction, y: Fraction, gap: Fraction) -> int:
    """The least n with n + 1 >= 72c log(y)/gap^2."""
    return int(np.ceil(float(72 * c / gap**2) * float(np.log(float(y))) - 1 + 1e-9))


SECOND_POINTS: tuple[FormulaPoint, ...] = tuple(
    {"n": least_pulls(c, y, gap), "mu": mu, "gap": gap, "c": c, "y": y}
    for c, gap in ((Fraction(1), Fraction(1)), (Fraction(1), Fraction(7, 10)), (Fraction(3), Fraction(1)))
    for y in (Fraction(4), Fraction(8))
    for mu in (gap, (gap + 1) / 2, Fraction(1))
)
SUM_POINTS: tuple[FormulaPoint, ...] = tuple(
    {"last": 25, "mu": mu, "gap": gap, "c": c}
    for gap in (Fraction(1, 5), Fraction(1, 2), Fraction(1))
    for mu in (gap, (gap + 1) / 2, Fraction(1))
    for c in (Fraction(1), Fraction(3))
)


def exact_table(printed: float | None) -> Item:
    """The exact value for Delta -> 0 and c = 1, and the mu in steps of 1/100 that makes it largest."""
    rows: list[list[Any]] = []
    for n in (0, 1, 2, 3, 5, 10, 30):
        values = [(float(inverse_excess(doubles, n, mu / 100, 0.0, 1.0)), mu / 100) for mu in range(1, 101)]
        rows.append([n, max(values)[1], printed, max(values)[0]])
    return table_item(
        "Exact E[1/p] - 1, Delta -> 0, c = 1",
        ["rewards n", nearest("worst mu"), above("claimed: at most"), nearest("E[1/p] - 1")],
        rows,
    )
