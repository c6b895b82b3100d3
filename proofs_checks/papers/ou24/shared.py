"""What the proofs of this page share: evidence beside a finding."""

from __future__ import annotations

from collections.abc import Mapping

from dpbandits.proofs_checks.formulas.proofs import Proof
from dpbandits.proofs_checks.formulas.reductions import Illustration, add_evidence


def with_evidence(lemmas: Mapping[str, Proof], evidence: Mapping[str, Illustration]) -> dict[str, Proof]:
    """The proofs with tables and pictures; a claim that has no proof of its own keeps the general judge."""
    more = {
        name: add_evidence(made, lemmas[name]) if name in lemmas else add_evidence(made)
        for name, made in evidence.items()
    }
    return {**lemmas, **more}
