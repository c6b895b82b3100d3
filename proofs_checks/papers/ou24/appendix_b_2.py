"""Appendix B.2: the normal tail, the events of Lemma 8, and its printed sum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import floor, fsum, inf, nextafter
from typing import Any

import numpy as np

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.points import FormulaPoint
from dpbandits.proofs_checks.formulas.proofs import Proof, Proofs
from dpbandits.proofs_checks.formulas.reductions import add_evidence
from dpbandits.proofs_checks.papers.ou24.appendix_b_1 import doubles, least_pulls
from dpbandits.proofs_checks.papers.ou24.appendix_b_lemmas import at_points
from dpbandits.proofs_checks.papers.ou24.pictures import table
from dpbandits.proofs_checks.vocabularies.boxes import boxes
from dpbandits.proofs_checks.vocabularies.contexts import Intervals, certainly_at_most, certainly_less, fp
from dpbandits.reference.claims.model import Basis, Claim, Finding, Inequality, Verdict, established
from dpbandits.reference.papers.ou24.appendix_b_2 import chapter
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.regret_formulas import (
    LAST,
    first_sum,
    first_term,
    maximum_term,
)

proves = Proofs(page)

m = Intervals(25)

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
        words = f"{found.summary}: so few of an endless domain that nothing is tested"
        return replace(found, verdict=Verdict.NOT_EXERCISED, summary=words, resolution="")

    return lemma


proves("eq-24/in-range")(few(outside_points))
proves("eq-25/in-range")(few(below_points))


@proves("lemma-8/sum/65.58")
def first_sum_enclosed(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The printed sum of 59873 terms, each enclosed in doubles rounded outwards, against its printed limit."""
    says = claim.says
    assert isinstance(says, Inequality)
    if says.left is not first_sum:
        return Finding(claim.id, Verdict.UNSUPPORTED, "the page's proof is about another sum")
    low, high = sum_between(first_term)
    limit = m.of(says.right(m, last=LAST))
    evidence = (sums_table(claim)[0],)
    if certainly_at_most(m.number(high), limit):
        return established(claim.id, f"the sum is at most {high:.6f}", evidence, Basis.INTERVALS)
    if certainly_less(limit, m.number(low)):
        return Finding(
            claim.id, Verdict.REFUTED, f"the sum is at least {low:.6f}", evidence, rests_on=(Basis.INTERVALS,)
        )
    return Finding(claim.id, Verdict.CONSISTENT, f"the sum in [{low}, {high}] is too close to the limit", evidence)


def sum_between(term: Callable[[Any, Any], Any]) -> tuple[float, float]:
    """Numbers below and above term(2) + ... + term(LAST), positive terms. fsum rounds once, correctly."""
    terms = term(boxes, doubles(np.arange(2, LAST + 1)))
    return nextafter(fsum(terms.low), -inf), nextafter(fsum(terms.high), inf)


def sums_table(claim: Claim) -> tuple[dict[str, Any], ...]:
    """Both sums, the first beside the number that is printed for it."""
    (says,) = (each.says for each in chapter.claims if each.id == "ou24/lemma-8/sum/65.58")
    assert isinstance(says, Inequality)
    printed = float(says.right(fp, last=LAST))
    rows: list[list[Any]] = [
        ["exp(-sqrt(r/(2 pi log r))), as printed", printed, *sum_between(first_term)],
        ["Phi(sqrt(log r))^r, the exact probability", None, *sum_between(maximum_term)],
    ]
    return (table("Sums over r = 2, ..., 59874", ["term", "printed: at most", "at least", "at most"], rows),)


proves("lemma-8/route")(add_evidence(sums_table))
