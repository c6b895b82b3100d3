"""The events of Lemma 8, second branch, at listed points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import floor

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proof, Proofs
from dpbandits.proofs_checks.papers.ou24.appendix_b_1_lemma_8_values import least_pulls
from dpbandits.proofs_checks.papers.ou24.appendix_b_lemma_5 import at_points
from dpbandits.proofs_checks.papers.ou24.points import FormulaPoint
from dpbandits.reference.claims.model import Claim, Finding, Verdict
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)
LONGEST = 650  # rewards: beyond, binomial coefficients leave the range of doubles soon


def in_range_points(c: tuple[int, ...]) -> list[dict[str, int | Fraction]]:
    """Few pulls beyond the least n that the second branch of Lemma 8 allows."""
    points: list[dict[str, int | Fraction]] = []
    for variance, y in product(c, (4, 8)):
        for gap in (Fraction(1), Fraction(7, 10), Fraction(1, 2)):
            for mu in (gap, (gap + 1) / 2, (3 * gap + 1) / 4):
                n = least_pulls(Fraction(variance), Fraction(y), gap)
                if n > LONGEST:
                    continue
                points.append({"n": n, "mu": mu, "gap": gap, "y": Fraction(y), "c": Fraction(variance)})
    return points


def outside_points() -> list[FormulaPoint]:
    """k: the least S in the event A."""
    return [
        {**point, "k": -floor(-(point["n"] + 1) * (point["mu"] - Fraction(point["gap"]) / 6))}
        for point in in_range_points((1, 2))
    ]


def below_points() -> list[FormulaPoint]:
    """k: the largest S outside of A, or on its edge."""
    return [
        {
            **{name: point[name] for name in ("n", "mu", "gap", "y")},
            "k": floor((point["n"] + 1) * (point["mu"] - Fraction(point["gap"]) / 6)),
        }
        for point in in_range_points((1,))
    ]


def few(points: Callable[[], list[FormulaPoint]]) -> Proof:
    """The judge at so few points of an endless domain that to survive them is no test: refuted at one, or nothing."""
    search = at_points(points)

    def lemma(claim: Claim, effort: Effort, seed: int) -> Finding:
        found = search(claim, effort, seed)
        if found.verdict is not Verdict.CONSISTENT:
            return found
        words = f"{found.summary}; so few points of an infinite domain are no test of the claim"
        return replace(found, verdict=Verdict.NOT_EXERCISED, summary=words, resolution="")

    return lemma


proves("eq-24/in-range")(few(outside_points))

proves("eq-25/in-range")(few(below_points))
