"""Statements in words, which no judge decides: what is said of them where no proof and no theorem speaks."""

from __future__ import annotations

from typing import Any

from dpbandits.proofs_checks.formulas.theorems import BY_PREMISES_ALONE
from dpbandits.reference.claims.model import Claim, Finding, Verdict


def judge_unjudged(claim: Claim, effort: Any, seed: int) -> Finding:
    """UNSUPPORTED, with the claim's own reason."""
    return Finding(claim.id, Verdict.UNSUPPORTED, claim.says.because)  # type: ignore[union-attr]


def judge_consequence(claim: Claim, effort: Any, seed: int) -> Finding:
    """UNSUPPORTED, unless all that it follows from is established."""
    return Finding(claim.id, Verdict.UNSUPPORTED, BY_PREMISES_ALONE)


def judge_stated(claim: Claim, effort: Any, seed: int) -> Finding:
    """Raises LookupError: such a claim is decided by a proof of its own, and this one has none."""
    page = claim.source.paper
    raise LookupError(
        f"{claim.id}: no file in dpbandits.proofs_checks.papers.{page} proves this id, nor does a module {page}.proofs"
    )
