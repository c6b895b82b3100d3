"""Appendix B: the worked example d = 16, K = 10 000."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Stated, Verdict
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendix B")
EXAMPLE = page.source("Appendix B", "Then, we have g_0 = 64, h_0 = 9936, M_1 = 4, M = 10 and lambda ≈ 27.65")


def growth(m: Vocabulary, arms: Number, d: Number) -> Number:
    """lambda of (4) where it is above 2."""
    return m.exp(m.log(arms - m.ceil(d * d / 4)) / m.log(d))


@chapter.identity("appendix-b/lambda", EXAMPLE, over={}, within=0.005, reading=Reading.STEP, expect=Verdict.PROVED)
def appendix_b_lambda(m: Vocabulary) -> Sides:
    """The claim is that with natural logarithms, lambda rounds to 27.65. (With binary logarithms, lambda would be
    9.98.)"""
    return growth(m, m.number(10_000), m.number(16)), m.number("27.65")


chapter.add(
    "appendix-b/phases",
    EXAMPLE,
    Stated("(4) to (8) give M_1 = 4 and M = 10"),
    scope="The formulas give M_1 = 3 and M = 8, whether or not N contains 0.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NUMBER,
    note="Sequences that begin with index 1 give the printed 4 and 10, but then phase 10 has one arm only.\n"
    "The numbers alone do not show whether (8) or the example is wrong.",
)
chapter.add(
    "appendix-b/sizes",
    EXAMPLE,
    Stated("(4) to (8) give s_1, ..., s_10 = 10000, 423, 77, 64, 32, 16, 8, 4, 2, 1"),
    scope="By (8), M_1 = 3, and by (7), s_4 = g_1 = 32, so the size 64 is missing. With the example's M_1 = 4 the "
    "sizes are right. The table's first row prints 1000 in place of K = 10 000.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NUMBER,
    note="The error is probably in (7) and (8): the printed sizes agree with the repaired indices, and so do the "
    "proofs (`chen24/eq-4-8/repaired`).",
    repaired_by=("chen24/eq-4-8/repaired",),
)
chapter.add(
    "appendix-b/ratios",
    EXAMPLE,
    Stated("(s_{p-1} - g_0)/(s_p - g_0) = 27.65, 27.68, 27.62 for p = 2, 3, 4, to the printed digits"),
    scope="The sizes in the table, with s_1 = 10 000, give the ratios 27.68, 27.62 and 13/0.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The first of the three rows prints lambda = 27.65, and the two ratios are printed one row too low.",
)
