"""Arguments in words for statements in words, with the steps that a machine decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proof
from dpbandits.proofs_checks.formulas.reductions import Reduction, steps_table
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established

Evidence = Mapping[str, Any]
# What was played on the algorithm itself: whether it came out as the argument says, and a table of it. It is a gate
# and no ground: a run that comes out otherwise withholds the verdict, none can give it. So a finding shows what was
# played, and does not rest on it: the argument holds for the algorithm as it is printed, without a sample.
PlayedGate = Callable[[], tuple[bool, Evidence]]


def argued(reduction: Reduction, *played: PlayedGate, verdict: Verdict = Verdict.ARGUED) -> Proof:
    """The lemma that an argument decides, once all of its steps hold and all that was played came out right; else
    CONSISTENT. verdict: REFUTED for an argument that the statement is false."""

    def lemma(claim: Claim, effort: Effort, seed: int) -> Finding:
        held = [step.holds() for step in reduction.steps]
        seen = [each() for each in played]
        steps = [steps_table("The argument's steps", reduction, held)] if held else []
        evidence = (*steps, *(table for _, table in seen))
        if not (all(held) and all(ok for ok, _ in seen)):
            return Finding(claim.id, Verdict.CONSISTENT, "A step of the argument was not shown.", evidence)
        bases = Basis.WORDS, *(step.how for step in reduction.steps)
        found = established(claim.id, reduction.words, evidence, *bases)
        return Finding(claim.id, verdict, found.summary, evidence, rests_on=found.rests_on)

    return lemma
