"""Proofs are declared where they stand, once, and found by their page's key."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from dpbandits.audit.claims.proofs import laws_of, proofs_of, proofs_of_files
from dpbandits.pages import Page
from dpbandits.proofs import Proofs

page = Page("toy", "", "", "")


def some(claim: Any, effort: Any, seed: int) -> Any: ...


def other(claim: Any, effort: Any, seed: int) -> Any: ...


def file_with(**names: Any) -> ModuleType:
    file = ModuleType("toy.proofs")
    vars(file).update(names)
    return file


def test_a_proof_decides_the_claims_that_it_names_and_stays_what_it_is() -> None:
    proves = Proofs(page)
    assert proves("lemma-1", "lemma-1/sharp")(some) is some
    proves.each({"lemma-2": other})
    assert proves.by_claim == {"toy/lemma-1": some, "toy/lemma-1/sharp": some, "toy/lemma-2": other}
    assert proofs_of_files(iter([file_with(), file_with(proves=proves)])) == proves.by_claim


def test_a_claim_has_one_proof() -> None:
    """In a file, and in a page."""
    first, second = Proofs(page), Proofs(page)
    first("lemma-1")(some)
    with pytest.raises(ValueError, match="toy/lemma-1 has two proofs"):
        first("lemma-1")(other)
    second("lemma-1")(other)
    with pytest.raises(ValueError, match=r"toy\.proofs: the claim toy/lemma-1 already has a proof"):
        proofs_of_files(iter([file_with(proves=first), file_with(proves=second)]))
    assert first.by_claim == {"toy/lemma-1": some}


def test_who_has_no_proofs_has_none() -> None:
    assert proofs_of("nobody99") == proofs_of("no page's key") == laws_of("nobody99") == {}
