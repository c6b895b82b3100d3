"""From what was found of a formula to the finding: refuted with a certificate, proved, or as far as it was seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpbandits.proofs_checks.formulas.domains import Axis
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.hunt import Hunt
from dpbandits.proofs_checks.formulas.prover import FAILURES, Proof
from dpbandits.proofs_checks.formulas.statement import Exact, Statement, operations, shown_point
from dpbandits.proofs_checks.vocabularies.decimals import decimal
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established

WRITABLE = 4_000  # operations of one evaluation: more are too many for a certificate


@dataclass(frozen=True)
class Investigation:
    """What one choice of the non-numeric variables gave."""

    bad: tuple[Exact, ...]  # violations in intervals, the easiest to read first
    proof: Proof
    tightest: Exact | None
    seen: Hunt | None
    undefined: tuple[Exact, ...]
    same_text: bool
    because: str = ""


def refuted(claim: Claim, statement: Statement, point: Mapping[str, Fraction]) -> Finding | str:
    """The finding for a violated statement, once its certificate is verified; else why it could not be."""
    from dpbandits.proofs_checks.checker.verification import verify
    from dpbandits.proofs_checks.formulas.refutations import formula_certificate

    size = operations(statement, [Axis(name, value, value, True) for name, value in point.items()])
    if size > WRITABLE:
        return f"with {size} operations the formula is too long to be written down"
    try:
        certificate = formula_certificate(claim, point, statement.fixed, statement.counts)
    except (*FAILURES, SyntaxError) as error:  # a variable of the name lambda
        return f"no certificate can be written down ({type(error).__name__}: {error})"
    check = verify(certificate)
    if not check.ok:
        return "the checker of certificates does not follow: " + "; ".join(check.lines)
    left, right = certificate["left_enclosure"], certificate["right_enclosure"]
    relation = certificate["relation"]
    summary = (
        f"violated at {shown_point(point, statement.fixed)}: "
        f"left = {short(left)}, right = {short(right)}, claimed left {relation} right"
    )
    if relation == "==" and certificate["within"] != "0":
        summary += f" within {certificate['within']}"
    evidence = ({"kind": "certificate", "certificate": certificate},)
    return Finding(claim.id, Verdict.REFUTED, summary, evidence, rests_on=(Basis.INTERVALS,))


def conclude_search(claim: Claim, runs: list[Investigation], effort: Effort, everything: bool) -> Finding:
    """The finding for a statement that was not refuted in any of its runs. everything: whether these are all parts."""
    evidence = tuple({"kind": "text", "text": sentence} for sentence in limits(runs, everything))
    if everything and all(run.proof.complete for run in runs):
        return proved(claim, runs, evidence)
    if everything and all(run.same_text and not run.undefined for run in runs):
        return established(claim.id, "both sides are the same expression", evidence, Basis.ALGEBRA)
    tightest = min((run.tightest for run in runs if run.tightest), key=lambda exact: exact.slack, default=None)
    if tightest is None:
        summary = "no point was found at which the preconditions hold and the statement is defined"
        return Finding(claim.id, Verdict.NOT_EXERCISED, summary, evidence)
    tried = sum(run.seen.applicable for run in runs if run.seen) or effort.exact
    bad = next((run.bad[0] for run in runs if run.bad), None)
    if bad is not None:
        summary = f"violated at {shown_point(bad.point)} in intervals, but not certified, so not refuted"
        point = {name: str(value) for name, value in bad.point.items()}
        return Finding(claim.id, Verdict.CONSISTENT, summary, evidence, uncertified=point)
    if claim.says.sign == "==" and not claim.says.within:  # type: ignore[union-attr]
        return alike(claim, runs, tried, evidence)
    return not_refuted(claim, runs, tightest, tried, evidence)


def limits(runs: list[Investigation], everything: bool) -> list[str]:
    """What was not looked at, or is not defined, in sentences."""
    said = []
    undefined = [exact for run in runs for exact in run.undefined]
    if undefined:
        at = shown_point(undefined[0].point)
        said.append(f"The statement is undefined in part of its domain, for example at {at}.")
    if because := next((run.because or run.proof.because for run in runs if run.because or run.proof.because), ""):
        said.append(f"Limited search: {because}.")
    if not everything:
        said.append(f"Of the whole-number variables, {len(runs)} combinations were tried, not all.")
    return said


def proved(claim: Claim, runs: list[Investigation], evidence: tuple[Mapping[str, Any], ...]) -> Finding:
    """The finding where every box of the domain is closed."""
    if not any(run.proof.applied for run in runs):
        summary = "the preconditions hold nowhere in the domain"
        return Finding(claim.id, Verdict.NOT_APPLICABLE, summary, evidence)
    looked = sum(run.proof.boxes for run in runs)
    count = "1 box" if looked == 1 else f"{looked} boxes"
    summary = f"proved by interval arithmetic over the whole domain ({count})"
    return established(claim.id, summary, evidence, Basis.INTERVALS)


def alike(claim: Claim, runs: list[Investigation], tried: int, evidence: tuple[Mapping[str, Any], ...]) -> Finding:
    """The finding for an identity without a tolerance, in which no difference was found."""
    apart = max((abs(run.tightest.slack) for run in runs if run.tightest), default=0.0)
    summary = f"no difference found at {tried} points; 50-digit intervals overlap at every point looked at"
    resolution = f"a relative difference above {max(apart, 1e-45):.1e} at one of the points evaluated exactly"
    return Finding(claim.id, Verdict.CONSISTENT, summary, evidence, resolution)


def not_refuted(
    claim: Claim, runs: list[Investigation], tightest: Exact, tried: int, evidence: tuple[Mapping[str, Any], ...]
) -> Finding:
    """The finding for a statement that held wherever it was looked at, and how tight it is."""
    closed = min(sum(run.proof.closed for run in runs) / len(runs), 1 - 1e-9)
    slack = f"{tightest.slack:.3g}"
    summary = (
        f"not refuted at {tried} points; {share(closed)} of the domain proved by interval arithmetic; "
        f"smallest relative slack {slack} at {shown_point(tightest.point)}"
    )
    resolution = (
        f"any violation beyond the rounding of doubles at one of {tried} points searched; "
        f"{share(1 - closed)} of the domain is open"
    )
    rows = [[decimal(value, 12) for value in tightest.point.values()] + [slack]]
    columns = [*tightest.point, "relative slack"]
    table = table_item("Where it is tightest", columns, rows)
    return Finding(claim.id, Verdict.CONSISTENT, summary, (*evidence, table), resolution)


def short(enclosure: list[str]) -> str:
    return decimal(Fraction(enclosure[0]), 8) if "inf" not in "".join(enclosure) else f"[{', '.join(enclosure)}]"


def share(part: float) -> str:
    """A share as a percentage that never rounds up to all or down to nothing."""
    if part <= 0 or part >= 1:
        return "0 %" if part <= 0 else "100 %"
    return f"{min(max(100 * part, 0.0001), 99.99):.4g} %"
