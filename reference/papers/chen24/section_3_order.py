"""Section 3: how many phases there are, the order of M; and what Algorithm 1 returns."""

from __future__ import annotations

from dpbandits.reference.claims.model import Fault, Harm, Reading, Stated, Unjudged, Verdict
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Section 3")
ORDER = page.source("Section 3.1", "M is designed to have order O(log d)")
THETA = page.source("Section 4.2, after Theorem 4.2", "Since M = Theta(log d) and T' = Theta(T) (as T -> infinity)")

chapter.add(
    "phases/order",
    ORDER,
    Stated("M <= ceil(log d) + ceil(log_2 ceil(d^2/4)) + 2"),
    scope="For every K >= 2 and d >= 2, printed and repaired parameters.",
    expect=Verdict.ARGUED,
    note="With the constants that the proof gives.",
)

chapter.add(
    "phases/theta",
    THETA,
    Stated("M = Theta(log d): M >= log_2 d"),
    scope="The lower half, where there are at least as many arms as dimensions, K >= d: printed and repaired "
    "parameters.",
    expect=Verdict.ARGUED,
)

chapter.add(
    "phases/theta/few-arms",
    THETA,
    Stated("M = Theta(log d): M >= c log d for some c > 0"),
    scope="For a fixed number of arms: K = 3 and every d >= 3 have M = 2. Nothing asks for K >= d.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    note="An upper bound is all that (17) needs of M, and K >= d is what is meant: features that span.",
)

chapter.add(
    "algorithm-1/rest",
    page.source("Algorithm 1", "At the end of the Mth phase, the policy returns the only arm left in A_{M+1}"),
    Unjudged("the paper does not say what becomes of the pulls that no phase takes"),
    expect=Verdict.UNSUPPORTED,
    note="Here nobody pulls them: a run ends with its recommendation.",
)
