"""The finding about a formula: refuted with a certificate, proved, or not decided within the effort."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from dpbandits.proofs_checks.formulas.branch_and_bound import FAILURES, Proof
from dpbandits.proofs_checks.formulas.counterexample_search import SearchResult
from dpbandits.proofs_checks.formulas.domains import Axis
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.statement import ExactEvaluation, Statement, count_operations, point_as_data
from dpbandits.proofs_checks.vocabularies.decimals import decimal_text, exact_text
from dpbandits.reference.claims import text
from dpbandits.reference.claims.findings import FormulaFound, FormulaProof, Side, Tightest, Violated, rounded, stored
from dpbandits.reference.claims.model import Basis, Claim, Finding, Identity, Inequality, Verdict
from dpbandits.reference.claims.records import certificate_item

WRITABLE = 4_000  # operations of one evaluation: more are too many for a certificate


@dataclass(frozen=True)
class Investigation:
    """The result for one choice of the non-numeric variables."""

    bad: tuple[ExactEvaluation, ...]  # violations in intervals, the easiest to read first
    proof: Proof
    tightest: ExactEvaluation | None
    seen: SearchResult | None
    undefined: tuple[ExactEvaluation, ...]
    same_text: bool
    because: str = ""


def refuted_finding(claim: Claim, statement: Statement, point: Mapping[str, Fraction]) -> Finding | str:
    """The finding REFUTED for a statement that fails at this point, if the checker accepts its certificate.
    Otherwise the reason why it does not."""
    from dpbandits.proofs_checks.checker.verification import verify
    from dpbandits.proofs_checks.formulas.certificates import formula_certificate

    size = count_operations(statement, [Axis(name, value, value, True) for name, value in point.items()])
    if size > WRITABLE:
        return f"with {size} operations the formula is too long to be written down"
    try:
        certificate = formula_certificate(claim, point, statement.fixed, statement.counts)
    except (*FAILURES, SyntaxError, RecursionError) as error:  # a variable of the name lambda; a sum of 1000 terms
        return f"no certificate can be written down ({type(error).__name__}: {error})"
    check = verify(certificate)
    if not check.ok:
        return "the checker of certificates does not follow: " + "; ".join(check.lines)
    says = claim.says
    assert isinstance(says, Inequality | Identity)
    sides = (short_number(certificate["left_enclosure"]), short_number(certificate["right_enclosure"]))
    body = replace(finding_without_search(says), violated=Violated(point_as_data(point, statement.fixed), True, *sides))
    evidence = (certificate_item(certificate),)
    return text.finding_of(claim.id, Verdict.REFUTED, body, evidence, (Basis.INTERVALS,))


def conclude_search(claim: Claim, runs: list[Investigation], effort: Effort, complete: bool) -> Finding:
    """The finding about a statement after a search that refuted no part of it.
    complete: whether the runs cover all parts of the statement."""
    says = claim.says
    assert isinstance(says, Inequality | Identity)
    undefined = next((run.undefined[0] for run in runs if run.undefined), None)
    body = replace(
        finding_without_search(says),
        undefined_at=None if undefined is None else point_as_data(undefined.point),
        limited=next((run.because or run.proof.because for run in runs if run.because or run.proof.because), ""),
        combinations=0 if complete else len(runs),
    )
    if complete and all(run.proof.complete for run in runs):
        return proved_finding(claim, runs, body)
    if complete and all(run.same_text and not run.undefined for run in runs):
        body = replace(body, proof=FormulaProof.SAME_TEXT)
        return text.finding_of(claim.id, Verdict.PROVED, body, rests_on=(Basis.ALGEBRA,))
    tightest = min((run.tightest for run in runs if run.tightest), key=lambda exact: exact.slack, default=None)
    if tightest is None:
        return text.finding_of(claim.id, Verdict.NOT_EXERCISED, body)
    bad = next((run.bad[0] for run in runs if run.bad), None)
    if bad is not None:
        body = replace(body, violated=Violated(point_as_data(bad.point), False))
        found = text.finding_of(claim.id, Verdict.CONSISTENT, body)
        return replace(found, uncertified={name: str(value) for name, value in bad.point.items()})
    body = replace(body, tried=sum(run.seen.applicable for run in runs if run.seen) or effort.exact)
    if says.sign == "==" and not says.within:
        apart = max((abs(run.tightest.slack) for run in runs if run.tightest), default=0.0)
        body = replace(body, difference=stored(float(apart), Side.ABOVE) or 0.0)
        return text.finding_of(claim.id, Verdict.CONSISTENT, body)
    closed = min(sum(run.proof.closed for run in runs) / len(runs), 1 - 1e-9)
    body = replace(
        body,
        closed=rounded(closed, Side.BELOW),
        open=rounded(1 - closed, Side.ABOVE),
        tightest=Tightest(point_as_data(tightest.point), stored(float(tightest.slack))),
    )
    return text.finding_of(claim.id, Verdict.CONSISTENT, body)


def proved_finding(claim: Claim, runs: list[Investigation], body: FormulaFound) -> Finding:
    """The finding for a statement that holds on every box of its domain.
    PROVED, or NOT_APPLICABLE if its preconditions hold nowhere."""
    if not any(run.proof.applied for run in runs):
        return text.finding_of(claim.id, Verdict.NOT_APPLICABLE, replace(body, applies=False))
    boxes = sum(run.proof.boxes for run in runs)
    body = replace(body, proof=FormulaProof.SUBDIVISION, boxes=boxes, closed=1.0, open=0.0)
    return text.finding_of(claim.id, Verdict.PROVED, body, rests_on=(Basis.INTERVALS,))


def finding_without_search(statement: Inequality | Identity) -> FormulaFound:
    """The data of a finding about a formula before any search: only its relation and tolerance."""
    return FormulaFound(
        statement.sign, exact_text(statement.within) if statement.sign == "==" and statement.within else ""
    )


def short_number(enclosure: list[str]) -> str:
    """The text of an enclosed number with eight digits, or of both ends if one is infinite."""
    return decimal_text(Fraction(enclosure[0]), 8) if "inf" not in "".join(enclosure) else f"[{', '.join(enclosure)}]"
