"""Section 2: the proof of its lemma. A proof says which claims it decides, and takes the claim, the effort and the
seed."""

from __future__ import annotations

from dataclasses import replace

from dpbandits.pages import Basis, Claim, Finding, Inequality, Real, Verdict, established
from dpbandits.proofs import Effort, Proofs, judge_by_methods, text_item
from skeleton.page import page

proves = Proofs(page)


@proves("lemma-1")
def lemma_1(claim: Claim, effort: Effort, seed: int) -> Finding:
    """Let a >= 1/2 be the chance that a first reward of 1 beats one of 0 once noise is added; equal rewards are a toss.
    With means q <= p, the worse arm is pulled with probability q (1 - p) a + p (1 - q) (1 - a) + (the rest)/2.
    That is 1/2 - (a - 1/2)(p - q), as the machine confirms with a and p - q as they may be."""
    unit = Real(0, 1, closed=True)

    def chance(m, a, q, gap):  # type: ignore[no-untyped-def]
        p = q + gap
        worse, better = q * (1 - p), p * (1 - q)
        return worse * a + better * (1 - a) + (1 - worse - better) / 2

    over = {"a": Real(0.5, 1, closed=True), "q": unit, "gap": unit}
    bounded = Inequality(chance, lambda m, a, q, gap: m.number(1) / 2, over)
    found = judge_by_methods(replace(claim, says=bounded), effort, seed)
    if found.verdict is not Verdict.PROVED:
        return found
    words = text_item(lemma_1.__doc__ or "")
    return established(claim.id, "1/2 - (a - 1/2)(p - q)", (words, *found.evidence), Basis.WORDS, *found.rests_on)
