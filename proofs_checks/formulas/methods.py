"""All methods that decide a formula, in order: exact algebra, algebra of real powers, signs of derivatives, search for
a counterexample, branch and bound.
"""

from __future__ import annotations

from dataclasses import replace

from dpbandits.proofs_checks.formulas.algebra.derivatives import decreases_to_zero
from dpbandits.proofs_checks.formulas.algebra.identities import are_identical, equal_squares
from dpbandits.proofs_checks.formulas.algebra.inequalities import is_provably_at_most
from dpbandits.proofs_checks.formulas.algebra.real_powers import equal_powers, powers_at_most
from dpbandits.proofs_checks.formulas.conclusions import finding_without_search
from dpbandits.proofs_checks.formulas.domains import axes_of
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.search_or_prove import search_or_prove
from dpbandits.reference.arithmetic.checks import is_number
from dpbandits.reference.claims.findings import FormulaProof
from dpbandits.reference.claims.model import Basis, Claim, Finding, Identity, Inequality, Verdict
from dpbandits.reference.claims.text import finding_of

# What a formula says to an algebra that it is beyond: it counts, branches, or uses another function.
ALGEBRA_ERRORS = (TypeError, ValueError, AttributeError, ArithmeticError, LookupError)
GLANCE_EFFORT = Effort(points=200, rounds=0, boxes=0, exact=8)


def judge_by_methods(claim: Claim, effort: Effort | None = None, seed: int = 0) -> Finding:
    """The finding about an Inequality or Identity, from the first method that decides it."""
    effort = effort or Effort()
    for rung in (by_algebra, by_powers, by_derivative) if is_numeric(claim) else ():
        try:
            found = rung(claim)
        except ALGEBRA_ERRORS:
            continue
        if found is not None and is_exercised(search_or_prove(claim, GLANCE_EFFORT, seed)):
            return found
        if found is not None:  # if a long look sees that it speaks of something
            look = search_or_prove(claim, effort, seed)
            return found if is_exercised(look) else look
    return search_or_prove(claim, effort, seed)


def is_exercised(finding: Finding) -> bool:
    """Whether a search found a point at which the preconditions hold and both sides are defined.
    finding: the search's finding. Algebra does not check this."""
    return finding.verdict not in (Verdict.NOT_EXERCISED, Verdict.NOT_APPLICABLE)


def is_numeric(claim: Claim) -> bool:
    """Whether algebra may decide the claim: its domain is not empty, and all of its variables are numbers.
    For an empty domain algebra would prove anything, and it substitutes symbols for values, which behave differently
    from non-numeric values. Raises what `axes_of` raises."""
    says = claim.says
    if not isinstance(says, Inequality | Identity):
        return False
    axes, others = axes_of(says.over)
    numbers = all(values and all(map(is_number, values)) for values in others.values())
    return numbers and not any(axis.empty for axis in axes)


def by_algebra(claim: Claim) -> Finding | None:
    """The finding PROVED if exact algebra proves the claim wherever both sides are defined; otherwise None."""
    says = claim.says
    if isinstance(says, Identity):
        if are_identical(says.left, says.right, tuple(says.over)):
            return algebra_finding(claim, FormulaProof.SAME_EXPRESSION)
        if equal_squares(says.left, says.right, says.over):
            return algebra_finding(claim, FormulaProof.SAME_SQUARE)
    elif isinstance(says, Inequality) and is_provably_at_most(
        says.left, says.right, says.over, says.strict, says.given
    ):
        return algebra_finding(claim, FormulaProof.NONNEGATIVE_COEFFICIENTS)
    return None


def by_powers(claim: Claim) -> Finding | None:
    """Returns the finding PROVED if algebra of powers and logarithms decides the claim; otherwise None.
    Both sides must be products of powers or sums of logarithms, and equal, or the left one never larger."""
    says = claim.says
    if isinstance(says, Inequality) and not says.strict and powers_at_most(says.left, says.right, says.over):
        return algebra_finding(claim, FormulaProof.SMALLER_POWERS)
    if isinstance(says, Identity) and not says.within and equal_powers(says.left, says.right, says.over):
        return algebra_finding(claim, FormulaProof.SAME_POWERS)
    return None


def by_derivative(claim: Claim) -> Finding | None:
    """The finding PROVED if right - left decreases to 0 at infinity, so that it is positive; otherwise None."""
    says = claim.says
    if isinstance(says, Inequality) and decreases_to_zero(says.left, says.right, says.over, says.strict):
        return algebra_finding(claim, FormulaProof.DERIVATIVE)
    return None


def algebra_finding(claim: Claim, proof: FormulaProof) -> Finding:
    """The finding PROVED for a claim that algebra proves. proof: the kind of proof that the finding names."""
    assert isinstance(claim.says, Inequality | Identity)
    body = replace(finding_without_search(claim.says), proof=proof, closed=1.0, open=0.0)
    return finding_of(claim.id, Verdict.PROVED, body, rests_on=(Basis.ALGEBRA,))
