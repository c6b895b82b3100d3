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
    scope="The claim is for every K >= 2 and d >= 2, with the printed and with the repaired parameters.",
    expect=Verdict.ARGUED,
)

chapter.add(
    "phases/theta",
    THETA,
    Stated("M >= log_2 d for K >= d, which is the lower half of M = Theta(log d)"),
    scope="The claim is for the printed and the repaired parameters. The upper half is `chen24/phases/order`.",
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    related=("chen24/phases/order",),
)

chapter.add(
    "phases/theta/few-arms",
    THETA,
    Stated("M >= c log d for some c > 0, which is the lower half of M = Theta(log d), for every K and d"),
    scope="The number of arms is fixed: for K = 3, M = 2 for every d >= 3. The paper does not assume K >= d.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    note="The bound (17) needs only the upper bound on M. The paper means K >= d, that is, features that span the "
    "space.",
)

chapter.add(
    "algorithm-1/rest",
    page.source("Algorithm 1", "At the end of the Mth phase, the policy returns the only arm left in A_{M+1}"),
    Unjudged("the paper does not say what happens with the pulls that no phase uses"),
    expect=Verdict.UNSUPPORTED,
    note="Our implementation does not use these pulls: a run ends with its recommendation.",
)
