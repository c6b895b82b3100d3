"""Checks certificates of any kind, including the kinds of extensions."""

from __future__ import annotations

from typing import Any

from dpbandits import registry
from dpbandits.proofs_checks.checker.verification import Verification, verify


def verify_any(certificate: Any) -> Verification:
    """Checks a certificate of any kind that the checker or an extension knows.
    Returns whether it is valid, and lines of printable text. Never raises for an invalid certificate: the lines state
    its faults."""
    kind = certificate.get("type") if isinstance(certificate, dict) else None
    added = registry.added().checkers.get(kind) if isinstance(kind, str) else None
    return verify(certificate) if added is None else verify(certificate, {str(kind): registry.loaded(added)})
