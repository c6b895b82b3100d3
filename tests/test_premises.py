"""A proof that names another claim lists it among its premises, so that what a claim follows from is data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from dpbandits.audit.claims.proofs import proofs_of
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import MachineChecked
from dpbandits.reference.claims.ledger import ledger, paper_keys
from dpbandits.reference.claims.model import ESTABLISHED_VERDICTS, Claim, expectations

NAMED = re.compile(r"(?<![\w./-])[\w.-]+(?:/[\w.-]+)+")  # an id, with or without its page
PROOFS = "dpbandits.proofs_checks.papers"


def words_of(part: Any, seen: set[int]) -> Iterator[str]:
    """All text that a proof may put into its finding: of reductions, docstrings and constants that it refers to."""
    if id(part) in seen:
        return
    seen.add(id(part))
    if isinstance(part, str):
        yield part
    elif isinstance(part, tuple | list):
        for each in part:
            yield from words_of(each, seen)
    elif isinstance(part, Reduction):
        yield from (part.words, *(step.words for step in part.steps))
    elif isinstance(part, MachineChecked):
        yield from words_of(part.proof, seen)
    elif isinstance(part, FunctionType) and part.__module__.startswith("dpbandits.proofs_checks"):
        yield part.__doc__ or ""
        inside = [cell.cell_contents for cell in part.__closure__ or ()]
        if part.__module__.startswith(PROOFS) or part.__module__ == __name__:
            inside += [part.__globals__.get(name) for name in part.__code__.co_names]
            inside += part.__code__.co_consts
        for each in (*inside, getattr(part, "__wrapped__", None)):
            yield from words_of(each, seen)


def named_claims(proof: Any, key: str, known: Any) -> set[str]:
    """Ids of claims that the proof of a claim of this page names."""
    names = {name.rstrip(".") for name in NAMED.findall(" ".join(words_of(proof, set())))}
    return {each for name in names for each in (name, f"{key}/{name}") if each in known}


def unlisted(claim: Claim, proof: Any, known: Any) -> set[str]:
    return named_claims(proof, claim.source.paper, known) - {claim.id, *claim.follows}


def test_a_proof_that_names_a_claim_lists_it_among_its_premises() -> None:
    claims = dict(ledger().by_id)
    looked_at, missing = 0, {}
    for key in paper_keys():
        for name, proof in proofs_of(key).items():
            claim = claims[name]
            if ESTABLISHED_VERDICTS & expectations(claim):
                looked_at += bool(named_claims(proof, key, claims))
                missing[name] = unlisted(claim, proof, claims)
    assert looked_at > 15
    assert {name: sorted(names) for name, names in missing.items() if names} == {}


def test_a_name_in_a_reduction_is_found() -> None:
    claims = dict(ledger().by_id)
    proof = lemma_by_argument(Reduction("By theorem-3/law/many-arms, and ou24/lemma-3/all-samples.", ()))
    bare = claims["ou24/theorem-3/law/late-pulls"]
    assert unlisted(bare, proof, claims) == {"ou24/theorem-3/law/many-arms", "ou24/lemma-3/all-samples"}
