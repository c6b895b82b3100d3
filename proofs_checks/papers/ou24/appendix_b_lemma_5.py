"""Lemma 5 and the tail bound that it uses, Lemma 9: at listed points, and by its proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import floor

import numpy as np

from dpbandits.proofs_checks.formulas.algebra.identities import are_identical
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proof, Proofs
from dpbandits.proofs_checks.formulas.reductions import add_evidence, one_line
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.ou24.points import FormulaPoint, search
from dpbandits.proofs_checks.vocabularies.intervals import Intervals
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import Item, text_item
from dpbandits.reference.papers.ou24.appendix_b_lemma_5 import chapter
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.regret_formulas import mean_too_high

proves = Proofs(page)
m = Intervals(25)
LEDGER: Mapping[str, Claim] = {claim.id: claim for claim in chapter.claims}


COINS = """binomial_chance is the chance of an event of S, and Binomial.C n j the binomial coefficient, over the claim's
whole domain."""


@proves("lemma-9")
@machine_checked(__file__, "lemma_9", COINS)
def hoeffding(claim: Claim, effort: Effort, seed: int) -> Finding:
    """Lemma 9. The cumulant function psi of mu - X satisfies psi(0) = psi'(0) = 0 and psi'' = the variance of X under
    a tilted law. On [0, 1] with tilted mean q that is at most q(1-q) <= 1/4, so psi(t) <= t^2/8, and Markov's
    inequality for exp(t (n mu - S)) with t = 4a/n gives exp(-2a^2/n)."""
    found = search(claim, tail_points())
    variance = are_identical(
        lambda m, q: m.number("0.25") - q * (1 - q), lambda m, q: (m.number("0.5") - q) ** 2, ("q",)
    )
    exponent = are_identical(
        lambda m, a, n: n * (4 * a / n) ** 2 / 8 - (4 * a / n) * a, lambda m, a, n: -2 * a**2 / n, ("a", "n")
    )
    if found.verdict is not Verdict.CONSISTENT or claim.says != LEDGER[claim.id].says or not (variance and exponent):
        return found
    summary = (
        "The cumulant generating function psi has psi'' = q(1-q) <= 1/4, because (1-2q)^2 >= 0. Markov's inequality "
        "at t = 4a/n then gives the bound by algebra."
    )
    words = text_item(one_line(hoeffding))
    return established(claim.id, summary, (*found.evidence, words), Basis.WORDS, Basis.ALGEBRA)


def tail_points() -> list[FormulaPoint]:
    return [
        {"n": n, "k": k, "mu": Fraction(j, 10)}
        for n in (1, 2, 3, 5, 10, 25)
        for j in range(1, 11)
        for k in range(n + 1)
    ]


def upper_tail_points() -> list[FormulaPoint]:
    return [
        {"n": n, "k": floor((n + 1) * (mu + gap / 3)) + more, "mu": mu, "gap": gap}
        for n in (0, 1, 2, 3, 5, 10, 25, 60)
        for mu in (Fraction(j, 10) for j in range(10))
        for gap in (Fraction(j, 10) for j in (1, 3, 5, 8, 10))
        for more in (0, 1, 2)
    ]


def lemma_5_points() -> list[FormulaPoint]:
    return [
        {"rounds": rounds, "b": b, "mu": Fraction(j, 20), "gap": gap}
        for rounds, b in ((1, 0), (10, 0), (40, 0), (20, 5), (20, 30))
        for j in (0, 1, 5, 8, 10, 13)
        for gap in (Fraction(1, 5), Fraction(1, 2), Fraction(1))
        if Fraction(j, 20) + gap <= 1
    ]


def at_points(points: Callable[[], list[FormulaPoint]], raw: tuple[str, ...] = ()) -> Proof:
    """The lemma that searches these points."""

    def lemma(claim: Claim, effort: Effort, seed: int) -> Finding:
        return search(claim, points(), frozenset(raw))

    return lemma


def argued_at(words: str, searched: Proof) -> Proof:
    """The lemma that argues where a search finds nothing, for the ledger's own formulas."""

    def lemma(claim: Claim, effort: Effort, seed: int) -> Finding:
        found = searched(claim, effort, seed)
        if found.verdict is not Verdict.CONSISTENT or claim.says != LEDGER[claim.id].says:
            return found
        return established(claim.id, words, found.evidence, Basis.WORDS)

    return lemma


UPPER = (
    "The event S/(n+1) >= mu + Delta/3 implies S - n mu >= n Delta/3. Lemma 9, applied to 1 - X_i, bounds the "
    "probability of the second event."
)
MEANS = """mean_too_high adds up P(S_n >= first n) for n = b, ..., b + rounds - 1; first n is any number of ones with a
mean first n/(n + 1) of mu + Delta/3 at least, the least above it among them."""
ADDED = "Summing equation (11) over the rounds gives a geometric sum with x = 2 Delta^2/9, and 1/(1 - e^-x) <= 2/x."

proves("eq-11/second")(machine_checked(__file__, "eq_11_second", COINS)(argued_at(UPPER, at_points(upper_tail_points))))


def lemma_5_evidence(claim: Claim) -> tuple[Item, ...]:
    rows = [
        [gap, b, left, right, left / right]
        for gap in (0.2, 0.5)
        for b in (0, 30)
        for left, right in [
            (float(mean_too_high(doubles, 150, b, 0.3, gap)), 9 / gap**2 * float(np.exp(-2 * b * gap**2 / 9)))
        ]
    ]
    return (
        table_item(
            "The sum for a Bernoulli arm of mean 0.3, 150 rounds",
            [nearest("gap"), "b", nearest("sum"), nearest("bound"), nearest("ratio")],
            rows,
        ),
    )


proves("lemma-5")(
    machine_checked(__file__, "lemma_5", MEANS)(
        add_evidence(lemma_5_evidence, argued_at(ADDED, at_points(lemma_5_points, ("mu", "gap"))))
    )
)
