"""Section 3: Max-Det and the noise, the phases (4) to (8), the budget."""

from __future__ import annotations

from math import inf

from dpbandits.reference.ledger import Fault, Harm, Reading, Real, Stated, Unjudged, Verdict, Whole
from dpbandits.reference.papers.chen24.page import page
from dpbandits.reference.vocabulary import Number, Sides, Vocabulary

chapter = page.chapter("Section 3")

NOISE = page.source(
    "Section 1, Our Contributions",
    "the Max-Det principle minimises the maximum Laplacian noise injected across all arms",
)
TIED = ((-1, -3), (1, -2), (-4, 1), (-5, -2))
EQ_4_8 = page.source("(4) to (8)")
BUDGET = page.source("Section 3.1, (8); Algorithm 1, lines 8 and 14")
ORDER = page.source("Section 3.1", "M is designed to have order O(log d)")
THETA = page.source("Section 4.2, after Theorem 4.2")
BROKEN = (36, 6)  # K and d of the smallest gap between what a phase takes and what (8) keeps that is easy to read


@chapter.inequality(
    "max-det/noise",
    NOISE,
    over={"eps": Real(0, inf), "T_": Real(0, inf), "M": Whole(1), "d": Whole(1), "more": Whole(0)},
    expect=Verdict.PROVED,
    note="The scale of the noise that is injected, at the arms that are pulled, before the ceiling. No fewer than d "
    "arms determine all means. Every basis pulls as few: see max-det/variance for what Max-Det does not do.",
)
def max_det_noise(m: Vocabulary, eps: Number, T_: Number, M: Number, d: Number, more: Number) -> Sides:
    """A collection of d arms, against one of d + more arms."""
    return M * d / (eps * T_), M * (d + more) / (eps * T_)


chapter.add(
    "max-det/variance",
    NOISE,
    Stated(f"of the vectors {TIED}, no Max-Det collection has the least max_i sum_j alpha_{{i,j}}^2"),
    scope="The noise in the estimates of all arms, instead of what is injected: Max-Det bounds it, and another "
    "collection may be better.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="No refutation: the sentence speaks of injected noise.",
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
    "eq-4-8/repaired",
    EQ_4_8,
    Stated("0 in N, s_p = g_{p-M_1-1} for p > M_1, M = M_1 + min{i: g_i = 1}: all that Sections 3, 4 and G use holds"),
    scope="All but the numbers M_1 = 4 and M = 10 of Appendix B; its sizes of the phases are these.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    note="One phase more than (8) where K > ceil(d^2/4) and d > 2: from s_{M_1+1} = g_0 on, the arms are halved.",
)
chapter.add(
    "budget",
    BUDGET,
    Stated("the phases pull at most T arms in all"),
    scope="Features in general position: K = 36, d = 6, and arbitrarily large T. What (8) keeps is too little wherever "
    "indices begin.",
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.STATEMENT,
    note="(8) keeps d pulls for the ceilings of each of the first M_1 phases. A phase with d_p >= sqrt(s_p) pulls all "
    "s_p arms, up to d^2 of them, and its ceilings may take s_p - 1. T = 40 has T' = 1, so every arm of the five "
    "phases with 36, 13, 5, 3 and 2 arms is pulled once: 59 pulls.",
)
chapter.add(
    "budget/repaired",
    BUDGET,
    Stated("the same with T' = T - sum_p min(s_p, d^2)"),
    scope="For every K, d, T and features; at least one pull stays unused.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
)
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
    page.source("Algorithm 1"),
    Unjudged("the paper does not say what becomes of the pulls that no phase takes"),
    expect=Verdict.UNSUPPORTED,
    note="Here nobody pulls them: a run ends with its recommendation.",
)
