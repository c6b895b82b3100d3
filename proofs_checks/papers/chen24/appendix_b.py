"""Appendix B's example, K = 10 000 and d = 16, by the printed definitions."""

from __future__ import annotations

from fractions import Fraction

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.papers.chen24.evidence import refuted
from dpbandits.proofs_checks.papers.chen24.sizes import EXAMPLE, SIZES
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, established
from dpbandits.reference.claims.records import Cell
from dpbandits.reference.papers.chen24.algorithms.parameters import PRINTED, phases
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)


@proves("appendix-b/phases")
def example_phases(claim: Claim, effort: Effort, seed: int) -> Finding:
    """By the printed definitions, wherever N begins."""
    found = [phases(*EXAMPLE, PRINTED._replace(start=start)) for start in (0, 1)]
    text = f"The formulas give M_1 = {found[1].first_stage} and M = {found[1].last}."
    if any((plan.first_stage, plan.last) == (4, 10) for plan in found):
        return established(claim.id, text, (), Basis.ALGEBRA)
    return refuted(claim, text)


@proves("appendix-b/sizes")
def example_sizes(claim: Claim, effort: Effort, seed: int) -> Finding:
    found = phases(*EXAMPLE, PRINTED).sizes
    text = f"The formulas give the sizes {', '.join(map(str, found))}, from s_1 on."
    return established(claim.id, text, (), Basis.ALGEBRA) if found == SIZES else refuted(claim, text)


@proves("appendix-b/ratios")
def example_ratios(claim: Claim, effort: Effort, seed: int) -> Finding:
    """To half a unit of the last printed digit; a quotient by 0 is none."""
    printed = (Fraction(2765, 100), Fraction(2768, 100), Fraction(2762, 100))
    pairs = [(SIZES[p - 1] - SIZES[3], SIZES[p] - SIZES[3]) for p in (1, 2, 3)]
    right = [bool(b) and abs(Fraction(a, b) - c) <= Fraction(1, 200) for (a, b), c in zip(pairs, printed, strict=True)]
    rows: list[list[Cell]] = [
        [p, f"{a}/{b}", f"{a / b:.4f}" if b else "none", float(c)]
        for p, (a, b), c in zip((2, 3, 4), pairs, printed, strict=True)
    ]
    evidence = (table_item("The third column", ["p", "quotient", "value", "printed"], rows),)
    if all(right):
        return established(claim.id, "all three are right", evidence, Basis.ALGEBRA)
    return refuted(
        claim,
        f"Of the 3 printed ratios, {right.count(False)} differ from the quotients of the sizes in the table.",
        evidence,
    )
