"""Proofs by reduction: a claim follows, by an argument in words, from a few statements that are checked by
computation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dpbandits.proofs_checks.formulas.algebra.identities import are_identical
from dpbandits.proofs_checks.formulas.algebra.inequalities import is_provably_at_most
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.methods import judge_by_methods
from dpbandits.proofs_checks.formulas.proofs import Proof
from dpbandits.proofs_checks.formulas.search_or_prove import search_or_prove
from dpbandits.proofs_checks.vocabularies.expressions import text
from dpbandits.reference.claims.findings import ArgumentFound, ArgumentStep
from dpbandits.reference.claims.model import (
    Basis,
    Claim,
    Domain,
    Finding,
    Formula,
    Identity,
    Inequality,
    Source,
    Verdict,
    distinct_bases,
)
from dpbandits.reference.claims.paper import Chapter
from dpbandits.reference.claims.records import Item
from dpbandits.reference.claims.text import argument_summary, argument_tables, finding_of

Evidence = Item
Illustration = Callable[[Claim], tuple[Evidence, ...]]
# What was played on the algorithm itself: whether it came out as the argument says, and a table of it. It is a gate
# and no ground: a run that comes out otherwise withholds the verdict, none can give it. So a finding shows what was
# played, and does not rest on it: the argument holds for the algorithm as it is printed, without a sample.
PlayedGate = Callable[[], tuple[bool, Evidence]]
BOXES = 1000  # for a direct proof, where a reduction follows anyway


def one_line(proof: Callable[..., Any]) -> str:
    """The docstring of a proof, which is its argument in words, on one line."""
    return " ".join((proof.__doc__ or "").split())


@dataclass(frozen=True)
class ProofStep:
    """A machine-checked statement. how: the method."""

    words: str
    holds: Callable[[], bool]
    how: Basis


@dataclass(frozen=True)
class Reduction:
    """An argument, in words, that the claim follows from the steps."""

    words: str
    steps: tuple[ProofStep, ...]


def equality_step(words: str, left: Formula, right: Formula, *names: str) -> ProofStep:
    """A proof step that shows, by algebra, that two formulas are equal."""
    return ProofStep(words, lambda: are_identical(left, right, names), Basis.ALGEBRA)


def inequality_step(words: str, left: Formula, right: Formula, over: Domain) -> ProofStep:
    """A proof step that shows left <= right by algebra, ends of the domain and equality included."""
    return ProofStep(words, lambda: is_provably_at_most(left, right, over), Basis.ALGEBRA)


def enclosure_step(words: str, left: Formula, right: Formula, over: Domain) -> ProofStep:
    """A proof step that shows left <= right by interval arithmetic."""
    source = Source("", "a step of a proof", words)
    claim = Claim(f"step: {words}", source, Inequality(left, right, over), Verdict.PROVED)
    return ProofStep(words, lambda: search_or_prove(claim).verdict is Verdict.PROVED, Basis.INTERVALS)


def lemma_by_reduction(reduction: Reduction, ledger: Claim) -> Proof:
    """Returns the proof (a function of claim, effort and seed) that decides the claim `ledger` by a reduction."""

    def lemma(claim: Claim, effort: Effort, seed: int) -> Finding:
        """The formula's own finding if the methods decide it, otherwise that of the reduction."""
        direct = judge_by_methods(claim, replace(effort, boxes=min(effort.boxes, BOXES)), seed)
        if direct.verdict is not Verdict.CONSISTENT or direct.uncertified is not None:
            return direct
        if claim_as_text(claim) != claim_as_text(ledger):
            return with_argument_text(direct, "The page's proof is about other formulas.")
        body = replace(argument_of(reduction), of_formula=True)
        if not body.holds:
            shown = replace(direct, evidence=(*direct.evidence, *argument_tables(body)))
            return with_argument_text(shown, argument_summary(body))
        bases = distinct_bases(Basis.WORDS, *(step.how for step in reduction.steps))
        return finding_of(claim.id, Verdict.ARGUED, body, rests_on=bases)

    return lemma


def lemma_by_argument(reduction: Reduction, *played: PlayedGate, verdict: Verdict = Verdict.ARGUED) -> Proof:
    """The proof that decides a claim by an argument in words.
    It gives `verdict` if all steps of the argument hold and all runs of the algorithm agree, otherwise CONSISTENT.
    verdict: REFUTED for an argument that the statement is false."""

    def lemma(claim: Claim, effort: Effort, seed: int) -> Finding:
        """The finding of the argument in words; it is decided only if all steps hold and no run contradicts it."""
        seen = [each() for each in played]
        body = replace(argument_of(reduction), played=all(ok for ok, _ in seen) if seen else None)
        evidence = [table for _, table in seen]
        if not body.holds:
            return finding_of(claim.id, Verdict.CONSISTENT, body, evidence)
        bases = distinct_bases(Basis.WORDS, *(step.how for step in reduction.steps))
        return finding_of(claim.id, verdict, body, evidence, bases)

    return lemma


def argument_of(reduction: Reduction) -> ArgumentFound:
    """The reduction's argument as findings store it: its words, and the result of each step."""
    steps = (ArgumentStep(step.words, str(step.how), step.holds()) for step in reduction.steps)
    return ArgumentFound(reduction.words, tuple(steps))


def reductions_of_chapter(chapter: Chapter, words: Mapping[str, Reduction]) -> dict[str, Proof]:
    """The proofs by reduction of a chapter's claims, {name of the claim: proof}. words: the reductions by name.
    Raises KeyError for an unknown name."""
    known = {claim.id: claim for claim in chapter.claims}
    return {
        name: lemma_by_reduction(reduction, known[f"{chapter.page.key}/{name}"]) for name, reduction in words.items()
    }


def with_argument_text(finding: Finding, words: str) -> Finding:
    """The finding with a sentence added to its summary."""
    return replace(finding, summary=f"{finding.summary}. {words}")


def claim_as_text(claim: Claim) -> tuple[str, ...]:
    """The claim's formulas, domain, relation and tolerance as text, to compare two claims."""
    says = claim.says
    assert isinstance(says, Identity | Inequality)
    terms = {name: text.variable(name) for name in says.over}
    formulas = (says.left, says.right, *(side for pair in says.given for side in pair))
    return (
        *(text.source(formula(text, **terms)) for formula in formulas),
        repr(dict(says.over)),
        says.sign,
        repr(says.within),
    )


def add_evidence(evidence: Illustration, lemma: Proof = judge_by_methods) -> Proof:
    """Returns a proof that adds tables and figures to the finding of another proof. evidence: makes them from a claim.
    lemma: the other proof."""

    def proof_with_evidence(claim: Claim, effort: Effort, seed: int) -> Finding:
        """The other proof's finding, with the tables and figures added."""
        finding = lemma(claim, effort, seed)
        return replace(finding, evidence=(*finding.evidence, *evidence(claim)))

    return proof_with_evidence
