"""What the proofs of this page share: equal powers, and findings by enclosure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scipy.special import ndtri_exp

from dpbandits.proofs_checks.formulas.algebra.real_powers import equal_powers
from dpbandits.proofs_checks.formulas.reductions import ProofStep
from dpbandits.proofs_checks.vocabularies.intervals import Intervals
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Basis, Claim, Domain, Finding, Formula, Verdict, established
from dpbandits.reference.claims.records import text_item

m = Intervals(20)
SLACK = 1e-6  # how much of a parameter in doubles the intervals may cost, relatively


def same_power(words: str, left: Formula, right: Formula, over: Domain) -> ProofStep:
    """A step: two products of powers are equal."""
    return ProofStep(words, lambda: equal_powers(left, right, over), Basis.ALGEBRA)


def finding(claim: Claim, left: Any, right: Any, what: str, argument: str, more: tuple[Any, ...] = ()) -> Finding:
    """ARGUED where the enclosures decide left <= right; CONSISTENT where they overlap. argument: the words.

    A certain violation is reported as CONSISTENT, too, unless the quantities themselves were enclosed (`more`
    empty): an upper bound above the limit refutes nothing.
    """
    left, right = m.of(left), m.of(right)
    rows = [[what, *m.enclosure(left, 12)], ["printed limit", *m.enclosure(right, 12)]]
    evidence = (
        table_item("Enclosures", ["quantity", "low", "high"], rows),
        text_item(argument),
        *more,
    )
    if left.high <= right.low:
        summary = f"{what[:1].upper()}{what[1:]} is at most {float(left.high):.6g}."
        return established(claim.id, summary, evidence, Basis.WORDS, Basis.INTERVALS)
    return Finding(claim.id, Verdict.CONSISTENT, f"{what}: not decided by these intervals", evidence)


def total(term: Callable[[int], Any], last: int) -> Any:
    """The enclosure of term(1) + ... + term(last)."""
    value = m.number(0)
    for r in range(1, last + 1):
        value = value + term(r)
    return value


def quantiles(log_power: float, log_alpha: float) -> float:
    """Phi^-1(power) - Phi^-1(alpha): no smaller mu allows a test with these errors."""
    return float(ndtri_exp(log_power) - ndtri_exp(log_alpha))
