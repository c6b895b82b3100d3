"""Lemma G.3, printed and repaired, and the last step of Lemma G.4."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Verdict, Whole
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendix G")
LEMMA_G_3 = page.source(
    "Lemma G.3, (69)",
    "it holds when T' is sufficiently large [...] <= 2 lambda (exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) "
    "Delta_{(g_0)}^2) + exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) Delta_{(g_0)} eps))",
    statement="Lemma G.3",
)

chapter.add(
    "lemma-g.3/last-phase",
    page.source(
        "Lemma G.3, (d)",
        "(d) <= (2 (h_p + 1)/(h_{p+1} + 1)) (...) [...] (d) is obtained from the definition in (7)",
        statement="Lemma G.3",
    ),
    Stated("step (d) holds for every p in [M_1], that is, s_{p+1} - g_0 + 1 = h_{p'} + 1 for some index p'"),
    scope="For p = M_1, (7) gives s_{M_1+1} = g_1. So s_{p+1} - g_0 + 1 = ceil(g_0/2) - g_0 + 1 <= 0 for g_0 >= 2.",
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.PROOF,
    same_error_as="chen24/lemma-g.3/printed",
    note="In Markov's inequality, s_{p+1} - g_0 + 1 is a divisor, so it must be positive. With the repaired indices "
    "s_{M_1+1} = g_0, and the step holds.",
)

chapter.add(
    "lemma-g.3/printed",
    LEMMA_G_3,
    Stated("(69) holds for p = M_1 and all T' that are large enough for the instance"),
    scope="The claim is for the printed indices and (K, d) = (10, 4), (20, 4), (30, 5). On the following instances "
    "(69) fails for all large T'. Rewards are constant, eps = 1, and the features are in general position. The "
    "gaps are 1/128 for ceil(g_0/2) arms and 1/2 for the other arms.",
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.STATEMENT,
    note="(69) depends on Delta_(g_0) alone. However, the phase keeps fewer than g_0 arms, so smaller gaps matter. "
    "The best arm is eliminated if its noise is below -1/128 and the noise of the next arms is not negative.\n"
    "Lemma J.2 has the same error.\n"
    "With the repaired indices the lemma holds (`chen24/lemma-g.3/repaired`), and Theorem 4.2 holds by another proof "
    "(`chen24/theorem-4.2`).",
    related=("chen24/lemma-g.3/repaired", "chen24/theorem-4.2"),
)

chapter.add(
    "lemma-g.3/repaired",
    LEMMA_G_3,
    Consequence("(69) holds for every p in [M_1] and sufficiently large T'"),
    scope="The claim is for the repaired indices. For d = 2, g_0 = 1 and Delta_(1) = 0, so the bound (69) is 4 lambda.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-g.2", "chen24/lemma-g.3/e", "chen24/eq-4-8/repaired"),
    by="Markov's inequality",
    note="The proof uses two facts. With the repaired indices, s_p - g_0 + 1 = h_{p-1} + 1 for all p <= M_1 + 1. At "
    "most g_0 - 2 arms besides the best one are outside Q_sub.",
)


@chapter.inequality(
    "lemma-g.3/e",
    page.source("Lemma G.3, (e)", "(e) is obtained from the definition in (6)", statement="Lemma G.3"),
    over={"h": Whole(0), "ratio": Real(2, inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def lemma_g_3_e(m: Vocabulary, h: Number, ratio: Number) -> Sides:
    """The formula is (h_{p-1} + 1)/lambda <= h_p + 1, which follows from (6): h_p + 1 = ceil((h_{p-1} + 1)/lambda). In
    the formula, h = h_{p-1} and ratio = lambda."""
    return (h + 1) / ratio, m.ceil((h + 1) / ratio)


@chapter.inequality(
    "lemma-g.4/d",
    page.source("Lemma G.4, (d)", "(d) is obtained from the definition in (7)", statement="Lemma G.4"),
    over={"s": Whole(2)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The constant 6 is sharp: with 5.99, the inequality fails from s = 1602 on.",
)
def lemma_g_4_d(m: Vocabulary, s: Number) -> Sides:
    """The formula is 2 (s_p - s_{p+2}) <= 6 (s_{p+1} - s_{p+2} + 1), with s = s_p. By (7), s_{p+1} = ceil(s_p/2) and
    s_{p+2} = ceil(s_{p+1}/2)."""
    half = m.ceil(s / 2)
    quarter = m.ceil(half / 2)
    return 2 * (s - quarter), 6 * (half - quarter + 1)
