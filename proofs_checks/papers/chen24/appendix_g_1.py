"""Lemma G.1 by Cramer's rule: argued in words, an identity by algebra, and tried on rational sets."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from math import comb
from typing import Any

from dpbandits.proofs_checks.formulas.algebra.identities import are_identical
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import one_line
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.chen24.evidence import refuted, tried
from dpbandits.proofs_checks.papers.chen24.exact_sets import (
    Collections,
    Vector,
    Vectors,
    greedy,
    is_local_optimum,
    largest_coefficient,
    local_optima_from,
    maximisers,
    sets,
)
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.papers.chen24.appendix_g_1 import GREEDY
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)

ROWS = "The vectors of the set are the rows of X, which has full rank: duplicates and zeros included."

SMALL, MANY, WIDE = 60, 300, 12  # sets with all maximisers; at most so many subsets of one; d of the local optima


def expanded(matrix: Sequence[Sequence[Any]]) -> Any:
    """The determinant as its sum over permutations, for the algebra."""
    total: Any = 0
    for order in permutations(range(len(matrix))):
        inversions = sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order)))
        term: Any = (-1) ** inversions
        for row, column in enumerate(order):
            term = term * matrix[row][column]
        total = total + term
    return total


def cramer(d: int) -> bool:
    """det(B with column i replaced by B beta) = beta_i det(B), as an identity of polynomials, for i = 1 (a
    permutation of the columns gives the others)."""
    names = [f"b{row}{column}" for row in range(d) for column in range(d)] + [f"x{k}" for k in range(d)]

    def parts(values: dict[str, Any]) -> tuple[list[list[Any]], list[Any]]:
        return [[values[f"b{r}{c}"] for c in range(d)] for r in range(d)], [values[f"x{k}"] for k in range(d)]

    def left(m: Vocabulary, **values: Number) -> Number:
        matrix, beta = parts(values)
        image = [sum((matrix[r][c] * beta[c] for c in range(1, d)), matrix[r][0] * beta[0]) for r in range(d)]
        return expanded([[image[r], *matrix[r][1:]] for r in range(d)])

    def right(m: Vocabulary, **values: Number) -> Number:
        matrix, beta = parts(values)
        return beta[0] * expanded(matrix)

    return are_identical(left, right, tuple(names))


def wrong_maximisers(vectors: Vectors, best: Collections = maximisers) -> str:
    for chosen in best(vectors):
        found = largest_coefficient(vectors, chosen)
        if found > 1:
            return f"{shown(vectors)}, collection {chosen}: a coefficient of {found}"
    return ""


@proves("lemma-g.1")
@machine_checked(__file__, "lemma_g_1", ROWS)
def lemma_g_1(claim: Claim, effort: Effort, seed: int) -> Finding:
    """Let B^(i) be B with z in place of b_i. The function det is linear in each column, and 0 if two columns are equal.
    So by Cramer's rule, beta_i is det(B^(i))/det(B). The divisor det(B) is not 0, since the set spans. The columns of
    B^(i) are d vectors of the set. If they are different, they form a collection, whose |det| is not larger than that
    of B. If one vector occurs twice, det(B^(i)) is 0."""
    if not all(cramer(d) for d in (1, 2, 3)):
        return Finding(claim.id, Verdict.CONSISTENT, "Cramer's rule was not shown by algebra")
    small = [vectors for vectors in sets(SMALL, seed, 4) if comb(len(vectors), len(vectors[0])) <= MANY]
    words = one_line(lemma_g_1) + " For d <= 3, Cramer's rule is also checked by exact algebra."
    return tried(claim, words, small, wrong_maximisers, "sets of rational vectors, all their Max-Det collections")


def wrong_equivalence(vectors: Vectors) -> str:
    start = greedy(vectors)
    for chosen in (start, local_optima_from(vectors, start)):
        if is_local_optimum(vectors, chosen) != (largest_coefficient(vectors, chosen) <= 1):
            return f"{shown(vectors)}, collection {chosen}"
    return ""


@proves("lemma-g.1/local")
@machine_checked(__file__, "lemma_g_1_local", ROWS)
def lemma_g_1_local(claim: Claim, effort: Effort, seed: int) -> Finding:
    """By Cramer's rule, replacing b_i by z changes |det(B)| to |beta_i| |det(B)|. So no exchange makes |det| larger if
    and only if all |beta_i| are at most 1. A sequence of exchanges that each make |det| larger ends, since there are
    finitely many subsets."""
    cases = sets(24, seed, 5) + sets(4, seed + 1, WIDE, spare=2)
    return tried(claim, one_line(lemma_g_1_local), cases, wrong_equivalence, "sets of rational vectors with d <= 12")


@proves("lemma-g.1/greedy")
def lemma_g_1_greedy(claim: Claim, effort: Effort, seed: int, *, named: Sequence[tuple[int, ...]] = GREEDY) -> Finding:
    """The named set: its greedy collection, its Max-Det collection, and their largest coefficients."""
    vectors: list[Vector] = [tuple(map(Fraction, vector)) for vector in named]
    found = greedy(vectors)
    rows = [["greedy", str(found), str(largest_coefficient(vectors, found))]]
    rows += [["Max-Det", str(chosen), str(largest_coefficient(vectors, chosen))] for chosen in maximisers(vectors)]
    evidence = (table_item(f"Of {named}", ["collection", "places", "largest coefficient"], rows),)
    worst = largest_coefficient(vectors, found)
    if abs(worst - Fraction(157, 100)) > Fraction(1, 200):
        return refuted(claim, f"the largest coefficient is {worst}", evidence)
    return established(
        claim.id,
        f"The largest coefficient of the greedy collection is {worst} = {float(worst):.4f}.",
        evidence,
        Basis.ALGEBRA,
    )


def shown(vectors: Vectors) -> str:
    return "; ".join(f"({', '.join(map(str, vector))})" for vector in vectors)
