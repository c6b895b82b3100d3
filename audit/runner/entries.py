"""An entry of the findings document: a claim and its finding as plain data."""

from __future__ import annotations

from dpbandits.audit.claims.statements import parts_in_line, statement_parts, variable_ranges
from dpbandits.audit.runner.dispatch import with_page_option
from dpbandits.reference.claims.codec import as_data
from dpbandits.reference.claims.model import (
    Basis,
    Claim,
    Finding,
    Private,
    Verdict,
    accepted_verdicts,
    expectations,
    expected,
)
from dpbandits.reference.claims.records import ClaimRecord, Entry, FurtherFields, StatementFields, TheoremRecord


def claim_as_data(claim: Claim) -> ClaimRecord:
    """The claim as plain data: its statement, its source, and the expected verdict."""
    return {
        "id": claim.id,
        "paper": claim.source.paper,
        "section": claim.section,
        "where": claim.source.where,
        "numbered": as_data(numbered._asdict()) if (numbered := claim.source.numbered) else None,
        "quote": claim.source.quote,
        "kind": type(claim.says).__name__,
        "relation": claim.says.relation if isinstance(claim.says, Private) else "",
        "view": claim.says.view if isinstance(claim.says, Private) else "",
        "seen_in": claim.source.seen_in,
        "unseen": claim.source.unseen,
        "reading": str(claim.reading),
        "scope": claim.scope,
        "formula_only": claim.formula_only,
        **statement_fields(claim),
        "ranges": as_data(variable_ranges(claim)),
        "given": claim.given,
        "expect": [str(verdict) for verdict in Verdict if verdict in expectations(claim)],
        "fault": str(claim.fault or ""),
        "harm": str(claim.harm or ""),
        "same_error_as": claim.same_error_as,
        "repaired_by": list(claim.repaired_by),
        "repair": claim.repair,
        "related": list(claim.related),
        "note": claim.note,
        "follows": list(claim.follows),
        "by": claim.by,
        "cites": claim.cites,
    }


def statement_fields(claim: Claim, subject: object = None) -> StatementFields:
    """The claim's statement, about its own subject or about the given one: as one line, and in parts to be typeset."""
    spelt = statement_parts(claim, subject)
    return {"statement": parts_in_line(spelt), "parts": spelt}


def finding_entry(claim: Claim, finding: Finding, profile: str, file: str = "") -> Entry:
    """Returns the claim and its finding in this profile as an entry, as required by the document's schema.
    file: of the claim's module, if it is not registered."""
    wanted = accepted_verdicts(expected(claim, profile), finding)
    further: FurtherFields = {}
    if file:
        further["page_file"] = file
    if theorem := theorem_record(claim, finding):
        further["theorem"] = theorem
    return {
        **claim_as_data(claim),
        "expect": [str(verdict) for verdict in wanted],
        "verdict": str(finding.verdict),
        "surprise": finding.verdict not in wanted,
        "summary": finding.summary,
        "evidence": list(finding.evidence),
        "found": as_data(finding.body),
        "uncertified": finding.uncertified,
        "needs": as_data(finding.needs),
        "resolution": finding.resolution,
        "rests_on": [str(basis) for basis in finding.rests_on],
        "repro": with_page_option(finding.repro, file),
        **further,
    }


def theorem_record(claim: Claim, finding: Finding) -> TheoremRecord | None:
    """Returns the Rocq theorem that proves the claim; None if there is none.
    It is recorded whether the kernel has checked the theorem for this finding."""
    if claim.source.paper == "own":
        return None
    from dpbandits.audit.claims.proofs import theorem_of

    theorem = theorem_of(claim)
    if theorem is None:
        return None
    checked = finding.verdict is Verdict.PROVED and Basis.KERNEL in finding.rests_on
    return {"name": theorem.name, "file": theorem.place, "checked": checked}
