"""What the proofs of this page share: reductions of a chapter's claims, and evidence beside a finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dpbandits.proofs_checks.judge.reductions import Evidence, Lemma, Reduction, reduced, shown
from dpbandits.reference.ledger import Claim


def reductions(claims: Iterable[Claim], words: Mapping[str, Reduction]) -> dict[str, Lemma]:
    """The claims' reductions, as proofs."""
    known = {claim.id: claim for claim in claims}
    return {name: reduced(reduction, known[name]) for name, reduction in words.items()}


def with_evidence(lemmas: Mapping[str, Lemma], evidence: Mapping[str, Evidence]) -> dict[str, Lemma]:
    """The same, with tables and pictures; a claim that has no proof of its own keeps the general judge."""
    more = {name: shown(made, lemmas[name]) if name in lemmas else shown(made) for name, made in evidence.items()}
    return {**lemmas, **more}
