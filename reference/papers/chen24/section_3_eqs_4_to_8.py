"""Section 3: equations (4) to (8), the sizes of the phases, and what is said about them."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary, power
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Stated, Verdict, Whole
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Section 3")
EQ_4 = page.source("(4)", "lambda = inf{beta >= 2 : beta^{log(d)} >= K - ceil(d^2/4)}")
EQ_4_8 = page.source("(4) to (8)", "M_1 = min{i in N : h_i = 0}, M = M_1 + min{i in N : g_i = 1} - 1")
NONE_LEFT = page.source(
    "Appendix G, before (74); Appendix J, before (127)",
    "In the case of K <= ceil(d^2/4), by definition we have M_1 = 0, which implies that P_1 = 0",
)

chapter.add(
    "eq-4-8/readings",
    EQ_4_8,
    Stated("none of the 16 readings of where the indices begin makes everything true that the paper says about them"),
    scope="0 in N or not, s_p = g_{p-M_1} or g_{p-M_1-1}, M with or without - 1, sequences from index 0 or 1.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="A matrix of readings against statements, over a grid of K and d.",
)

chapter.add(
    "eq-4-8/m-1",
    NONE_LEFT,
    Stated("by (8), M_1 = 0 wherever K <= ceil(d^2/4)"),
    scope="N = {1, 2, ...}, as (8) is read here: M_1 = 1, since h_1 = 0. With 0 in N it is true, and then (7) says s_1 "
    "= g_1, about K/2, for the K arms of the first phase (eq-4-8/readings).",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.PROOF,
    note="As (8) is printed, P_1 is the error of the first phase, which Lemma G.3 does not bound: at p = M_1 it is "
    "false (lemma-g.3/printed). With the repaired indices M_1 = 0 and s_1 = K both hold. Theorem 4.2 has another "
    "proof.",
)


@chapter.inequality(
    "eq-4/one-dimension",
    EQ_4,
    over={"K": Whole(3), "beta": Real(2, inf, closed=True)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    note="log(1) = 0, so beta^0 = 1 is less than K - 1 for every beta, and the infimum is one of the empty set. (15) "
    "has a maximum over no i there as well. d >= 2 is meant: in one dimension there is one arm to pull. The policies "
    "here say so.",
)
def eq_4_one_dimension(m: Vocabulary, K: Number, beta: Number) -> Sides:
    """For d = 1, of which Section 2 does not say that it is left out: K - ceil(1/4) <= beta^{log(1)}."""
    return K - m.ceil(m.number(1) / 4), power(m, beta, m.log(m.number(1)))


chapter.add(
    "eq-4-8/repaired",
    EQ_4_8,
    Stated("0 in N, s_p = g_{p-M_1-1} for p > M_1, M = M_1 + min{i: g_i = 1}: all that Sections 3, 4 and G use holds"),
    scope="All but the numbers M_1 = 4 and M = 10 of Appendix B; its sizes of the phases are these.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    note="One phase more than (8) where K > ceil(d^2/4) and d > 2: from s_{M_1+1} = g_0 on, the arms are halved.",
)
