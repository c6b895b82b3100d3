"""Section 3: Max-Det and the noise, the phases (4) to (8), the budget."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary, power
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Stated, Unjudged, Verdict, Whole
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Section 3")

NOISE = page.source(
    "Section 1, Our Contributions",
    "the Max-Det principle minimises the maximum Laplacian noise injected across all arms",
)
TIED = ((-1, -3), (1, -2), (-4, 1), (-5, -2))
EQ_4 = page.source("(4)", "lambda = inf{beta >= 2 : beta^{log(d)} >= K - ceil(d^2/4)}")
EQ_4_8 = page.source("(4) to (8)", "M_1 = min{i in N : h_i = 0}, M = M_1 + min{i in N : g_i = 1} - 1")
NONE_LEFT = page.source(
    "Appendix G, before (74); Appendix J, before (127)",
    "In the case of K <= ceil(d^2/4), by definition we have M_1 = 0, which implies that P_1 = 0",
)
BUDGET = page.source(
    "Section 2, before (1); Section 3.1, (8); Algorithm 1, lines 8 and 14",
    "producing (A_1, ..., A_T, I-hat_T) in [K]^{T+1} as outputs [...] T' = T - M_1 d - (M - M_1) ceil(d^2/4)",
)
ORDER = page.source("Section 3.1", "M is designed to have order O(log d)")
THETA = page.source("Section 4.2, after Theorem 4.2", "Since M = Theta(log d) and T' = Theta(T) (as T -> infinity)")
BROKEN = (36, 6)  # K and d of the smallest gap between what a phase takes and what (8) keeps that is easy to read


@chapter.inequality(
    "max-det/noise/scale",
    NOISE,
    over={"eps": Real(0, inf), "T_left": Real(0, inf), "M": Whole(1), "d": Whole(1), "more": Whole(0)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="T_left: T'. The scale of the noise at the arms that are pulled, before the ceiling: of every collection of "
    "so many arms, whatever else it is.",
)
def max_det_noise_scale(m: Vocabulary, eps: Number, T_left: Number, M: Number, d: Number, more: Number) -> Sides:
    """As a formula: the scale of d arms that share T'/M pulls evenly, against that of d + more arms."""
    return M * d / (eps * T_left), M * (d + more) / (eps * T_left)


chapter.add(
    "max-det/noise",
    NOISE,
    Stated("no collection that determines all means is pulled with less noise at its arms than a Max-Det collection"),
    scope="The noise that (11) injects, at the arms that are pulled, T'/M pulls divided evenly. Every basis does as "
    "well: what Max-Det is needed for is Lemma G.1.",
    expect=Verdict.ARGUED,
    follows=("chen24/max-det/noise/scale",),
    note="In the estimates of all arms, which is another sentence, another collection may have less: max-det/variance.",
)
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
chapter.add(
    "budget",
    BUDGET,
    Stated("the phases pull at most T arms in all"),
    scope="Features in general position: K = 36, d = 6, and arbitrarily large T. What (8) keeps is too little wherever "
    "indices begin.",
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.STATEMENT,
    note="(8) keeps d pulls for the ceilings of each of the first M_1 phases. A phase with d_p >= sqrt(s_p) pulls all "
    "s_p arms, up to d^2 of them, and its ceilings may take s_p - 1. T = 40 has T' = 1, so every arm of the five "
    "phases with 36, 13, 5, 3 and 2 arms is pulled once: 59 pulls. It is no edge case: up to T = 20 000, 44 % of all "
    "T of K = 16 arms in d = 4 dimensions are too small, and 25 % of K = 4 in d = 2.",
)
chapter.add(
    "budget/positive",
    BUDGET,
    Stated("T' >= 1 for every T >= K, so that every phase pulls"),
    scope="By (8), K = 36 and d = 6: T = 39 has T' = 0. The theorems are about large T; Proposition 4.1 is about every "
    "T.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    note="With T' <= 0 no arm is pulled, and (10) divides by 0. The policies here ask for T' >= 1.",
)
chapter.add(
    "budget/repaired",
    BUDGET,
    Stated("the phases pull at most T arms in all, with T' = T - sum_p min(s_p, d^2)"),
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
    page.source("Algorithm 1", "At the end of the Mth phase, the policy returns the only arm left in A_{M+1}"),
    Unjudged("the paper does not say what becomes of the pulls that no phase takes"),
    expect=Verdict.UNSUPPORTED,
    note="Here nobody pulls them: a run ends with its recommendation.",
)
