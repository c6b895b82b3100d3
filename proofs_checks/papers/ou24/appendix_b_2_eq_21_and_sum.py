"""The printed sum of Lemma 8, first branch, enclosed."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum, inf, nextafter
from typing import Any

import numpy as np

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import add_evidence
from dpbandits.proofs_checks.papers.ou24.appendix_b_1_lemma_8 import span_of_doubles
from dpbandits.proofs_checks.vocabularies.boxes import boxes
from dpbandits.proofs_checks.vocabularies.intervals import Intervals, certainly_at_most, certainly_less
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.claims.findings import above, below, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Inequality, Verdict, established
from dpbandits.reference.claims.records import Item
from dpbandits.reference.papers.ou24.appendix_b_2_eq_21_and_sum import chapter
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.regret_formulas import LAST, first_sum, first_term, maximum_term

proves = Proofs(page)
m = Intervals(25)


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
        return established(claim.id, f"The sum is at most {high:.6f}.", evidence, Basis.INTERVALS)
    if certainly_less(limit, m.number(low)):
        return Finding(
            claim.id, Verdict.REFUTED, f"the sum is at least {low:.6f}", evidence, rests_on=(Basis.INTERVALS,)
        )
    return Finding(claim.id, Verdict.CONSISTENT, f"the sum in [{low}, {high}] is too close to the limit", evidence)


def sum_between(term: Callable[[Any, Any], Any]) -> tuple[float, float]:
    """Numbers below and above term(2) + ... + term(LAST), positive terms. fsum rounds once, correctly."""
    terms = term(boxes, span_of_doubles(np.arange(2, LAST + 1)))
    return nextafter(fsum(terms.low), -inf), nextafter(fsum(terms.high), inf)


def sums_table(claim: Claim) -> tuple[Item, ...]:
    """Both sums, the first beside the number that is printed for it."""
    (says,) = (each.says for each in chapter.claims if each.id == "ou24/lemma-8/sum/65.58")
    assert isinstance(says, Inequality)
    printed = float(says.right(doubles, last=LAST))
    rows: list[list[Any]] = [
        ["exp(-sqrt(r/(2 pi log r))), as printed", printed, *sum_between(first_term)],
        ["Phi(sqrt(log r))^r, the exact probability", None, *sum_between(maximum_term)],
    ]
    return (
        table_item(
            "Sums over r = 2, ..., 59874",
            ["term", above("printed: at most"), below("at least"), above("at most")],
            rows,
        ),
    )


proves("lemma-8/route")(add_evidence(sums_table))
