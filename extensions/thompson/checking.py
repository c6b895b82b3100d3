"""Checks certificates about Thompson sampling: attacks on runs, and upper bounds on eps (ceilings), which do not belong
to a claim."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dpbandits.audit.cli.verifying import Outcome, elide_middle
from dpbandits.extensions.thompson.ceilings import verification as ceiling_verification
from dpbandits.extensions.thompson.run_checker import runs
from dpbandits.proofs_checks.checker.verification import Kind, Verification, verify

RUN = Kind(  # 20 million units: T = 1000 takes a few seconds, T = 10 000 minutes
    runs.check_run, effort=20_000_000, schema=Path(runs.__file__).with_name("run.schema.json")
)


def verify_run(certificate: Any) -> Verification:
    """Checks a certificate of the kind "run", or of a kind that needs no extension, and returns the result."""
    return verify(certificate, {"run": RUN})


def outcome_of_ceiling(certificate: Any, strict: bool) -> Outcome:
    """Checks a ceiling certificate by recomputing its bound, and returns the outcome for the terminal.
    It is not good if `strict`, because a ceiling is about no claim of the ledger."""
    bound = ceiling_verification.verify(certificate)
    if not bound.ok:
        return Outcome(False, f"rejected: {elide_middle('; '.join(bound.lines))}")
    headline = "the game's value is right, but" if strict else "verified, the game's value:"
    return Outcome(not strict, f"{headline} a ceiling is about no claim of the ledger", bound.lines)
