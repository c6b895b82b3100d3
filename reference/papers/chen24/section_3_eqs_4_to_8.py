"""Section 3: equations (4) to (8), the sizes of the phases, and what is said about them."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Stated, Verdict, Whole
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Section 3")
EQ_4 = page.source("Eq. (4)", "lambda = inf{beta >= 2 : beta^{log(d)} >= K - ceil(d^2/4)}")
EQ_4_8 = page.source("Eqs. (4) to (8)", "M_1 = min{i in N : h_i = 0}, M = M_1 + min{i in N : g_i = 1} - 1")
NONE_LEFT = page.source(
    "Appendix G, before (74); Appendix J, before (127)",
    "In the case of K <= ceil(d^2/4), by definition we have M_1 = 0, which implies that P_1 = 0",
)

chapter.add(
    "eq-4-8/readings",
    EQ_4_8,
    Stated("under each of the 16 readings of the indices, at least one statement of the paper about them is false"),
    scope="The readings differ in four choices: whether 0 is in N, whether s_p is g_{p-M_1} or g_{p-M_1-1}, whether "
    "M has the term - 1, and whether sequences begin at index 0 or 1.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The finding checks each reading against each of these statements, on a grid of K and d.",
)

chapter.add(
    "eq-4-8/m-1",
    NONE_LEFT,
    Stated("(8) gives M_1 = 0 for K <= ceil(d^2/4)"),
    scope="With N = {1, 2, ...}, M_1 = 1, since h_1 = 0. With 0 in N, M_1 = 0 holds, but then (7) gives s_1 = g_1, "
    "about K/2, although the first phase has K arms (`chen24/eq-4-8/readings`).",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.PROOF,
    note="With (8) as printed, P_1 is the error probability of the first phase. Lemma G.3 does not bound P_1, "
    "because this lemma fails at p = M_1 (`chen24/lemma-g.3/printed`).\n"
    "With the repaired indices both M_1 = 0 and s_1 = K hold (`chen24/eq-4-8/repaired`), and Theorem 4.2 holds by "
    "another proof (`chen24/theorem-4.2`).",
    repaired_by=("chen24/eq-4-8/repaired",),
    related=("chen24/eq-4-8/readings", "chen24/lemma-g.3/printed", "chen24/theorem-4.2"),
)


@chapter.inequality(
    "eq-4/one-dimension",
    EQ_4,
    over={"K": Whole(3), "beta": Real(2, inf, closed=True)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    note="As log(1) = 0, beta^0 = 1 is less than K - 1 for every beta, so the set in (4) is empty.\n"
    "The range of the maximum in (15) is empty too. The paper means d >= 2.\n"
    "Our policies refuse d = 1.",
)
def eq_4_one_dimension(m: Vocabulary, K: Number, beta: Number) -> Sides:
    """The claim is that for d = 1, which Section 2 does not exclude, the condition of (4) holds, K - ceil(1/4) <=
    beta^{log(1)}."""
    return K - m.ceil(m.number(1) / 4), m.power(beta, m.log(m.number(1)))


chapter.add(
    "eq-4-8/repaired",
    EQ_4_8,
    Stated(
        "with 0 in N, s_p = g_{p-M_1-1} for p > M_1 and M = M_1 + min{i : g_i = 1}, everything that Sections 3 and 4 "
        "and Appendix G use about the phases holds"
    ),
    scope="The claim does not cover the numbers M_1 = 4 and M = 10 of Appendix B. The phase sizes of that appendix "
    "agree with these repaired indices.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    note="For K > ceil(d^2/4) and d > 2, the repaired indices give one phase more than (8): the arms are halved from "
    "s_{M_1+1} = g_0 on.",
)
