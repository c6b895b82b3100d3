"""The only dispatch: which judge decides a claim follows from the kind of what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dpbandits.audit.effort import Run
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.regret.bounds import judge_regret
from dpbandits.audit.regret.orderings import judge_ordering
from dpbandits.proofs_checks.judge.formulas import Effort
from dpbandits.proofs_checks.judge.ladder import climb
from dpbandits.reference.ledger import (
    AtLeast,
    AtMost,
    Claim,
    Consequence,
    Finding,
    Identity,
    Inequality,
    Ordering,
    Private,
    Stated,
    Unjudged,
    Verdict,
)

LEMMA_PAGES = "dpbandits.proofs_checks.papers"


def judge(claim: Claim, run: Run, subject: Any = None) -> Finding:
    """What the judge that is responsible finds about a claim; `subject` stands in for the claim's own subject.

    A lemma with a proof of its own (proofs_checks/papers) goes there first. Raises TypeError for a statement of an
    unknown kind.
    """
    return replace(decided(claim, run, subject), repro=repro(claim, run))


def decided(claim: Claim, run: Run, subject: Any) -> Finding:
    says, effort = claim.says, run.profile.effort
    proof = lemmas(claim.source.paper).get(claim.id) if subject is None else None
    if proof is not None:
        return proof(claim, effort, run.seed)
    match says:
        case Private():
            return judge_private(claim, run, subject)
        case Inequality() | Identity():
            return climb(claim, effort, run.seed)
        case AtMost() | AtLeast():
            return judge_regret(claim, run, subject)
        case Ordering():
            return judge_ordering(claim, run)
        case Unjudged():
            return Finding(claim.id, Verdict.UNSUPPORTED, says.because)
        case Consequence():
            return Finding(claim.id, Verdict.UNSUPPORTED, f"judged by what it follows from: {says.words}")
        case Stated():
            raise LookupError(f"{claim.id}: no proof of this id in {LEMMA_PAGES}.{claim.source.paper}")
    raise TypeError(f"{claim.id}: no judge for a statement of kind {type(says).__name__}")


def lemmas(page: str) -> Mapping[str, Callable[[Claim, Effort, int], Finding]]:
    """The page's own proofs by claim id; empty for a page that has none."""
    name = f"{LEMMA_PAGES}.{page}"
    if not page.isidentifier() or find_spec(name) is None:
        return {}
    found: Mapping[str, Callable[[Claim, Effort, int], Finding]] = import_module(name).LEMMAS
    return found


def repro(claim: Claim, run: Run) -> str:
    """One line that judges this claim again, the same way."""
    return f"dpbandits audit --claims '{claim.id}' --profile {run.profile.name} --seed {run.seed}"
