"""Section 3: the budget, Algorithm 1's lines 8 and 14 and equation (1)."""

from __future__ import annotations

from dpbandits.reference.claims.model import Fault, Harm, Reading, Stated, Verdict
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Section 3")
BUDGET = page.source(
    "Section 2, before (1); Section 3.1, (8); Algorithm 1, lines 8 and 14",
    "producing (A_1, ..., A_T, I-hat_T) in [K]^{T+1} as outputs [...] T' = T - M_1 d - (M - M_1) ceil(d^2/4)",
)

chapter.add(
    "budget",
    BUDGET,
    Stated("the phases of DP-BAI make at most T pulls in all"),
    scope="There are counterexamples with features in general position, K = 36, d = 6 and arbitrarily large T, "
    "whether the indices begin at 0 or at 1.",
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.STATEMENT,
    note="Equation (8) reserves d pulls for the ceilings in each of the first M_1 phases.\n"
    "A phase with d_p >= sqrt(s_p) pulls all s_p <= d^2 arms, and rounding their numbers of pulls up may add s_p - 1 "
    "pulls.\n"
    "For T = 40, T' = 1, so every arm of the five phases with 36, 13, 5, 3 and 2 arms is pulled once. Together the "
    "phases make 59 pulls.\n"
    "Such T are common. With K = 16 and d = 4, the phases make more than T pulls for 44 % of all T up to 20 000. With "
    "K = 4 and d = 2, the phases make more than T pulls for 25 % of these T. The repair is `chen24/budget/repaired`.",
    related=("chen24/budget/repaired",),
)

chapter.add(
    "budget/positive",
    BUDGET,
    Stated("T' >= 1 for every T >= K, so that every phase pulls arms"),
    scope="For K = 36, d = 6 and T = 39, (8) gives T' = 0. The theorems are about large T, but Proposition 4.1 is "
    "about every T.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    note="With T' <= 0 no arm is pulled, and (10) divides by 0. Our policies require T' >= 1.",
)

chapter.add(
    "budget/repaired",
    BUDGET,
    Stated("with T' = T - sum_p min(s_p, d^2), the phases of DP-BAI make at most T pulls in all"),
    scope="The claim is for every K >= 2, d, T and features with T' >= 1, if a phase with d_p = 0 pulls one arm. At "
    "least one pull stays unused.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
)
