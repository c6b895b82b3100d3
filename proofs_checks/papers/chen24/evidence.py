"""Shared by the proofs of this paper: a statement is tested on numbered cases, and argued if no case fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import Item, text_item

Case = TypeVar("Case")


def tried(
    claim: Claim,
    words: str,
    cases: Iterable[Case],
    wrong: Callable[[Case], str | None],
    what: str,
    more: tuple[Item, ...] = (),
    words_needed: bool = True,
    how: str = "exactly",
) -> Finding:
    """REFUTED by the first case of which `wrong` has something to say; otherwise ARGUED by the words (PROVED where the
    cases are all there are). wrong: None for a case of which the statement says nothing, which is not counted. what: of
    what sort the cases are, how: and how they are compared, for the reader."""
    count = 0
    for number, case in enumerate(cases, start=1):
        fault = wrong(case)
        if fault:
            return refuted(claim, f"false for {what} number {number}: {fault}", more)
        count += fault is not None
    if not count:
        return Finding(claim.id, Verdict.NOT_EXERCISED, f"no {what} was tried")
    text = text_item(f"Held for {count} {what}: {how}.")
    bases = (Basis.WORDS, Basis.ALGEBRA) if words_needed else (Basis.ALGEBRA,)
    return established(claim.id, words, (text, *more), *bases)


def refuted(claim: Claim, summary: str, evidence: tuple[Item, ...] = ()) -> Finding:
    """The finding that a claim is false, by exact arithmetic."""
    return Finding(claim.id, Verdict.REFUTED, summary, evidence, rests_on=(Basis.ALGEBRA,))
