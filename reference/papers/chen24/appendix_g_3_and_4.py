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
)

chapter.add(
    "lemma-g.3/last-phase",
    page.source(
        "Lemma G.3, (d)",
        "(d) <= (2 (h_p + 1)/(h_{p+1} + 1)) (...) [...] (d) is obtained from the definition in (7)",
    ),
    Stated("(d): s_{p+1} - g_0 + 1 = h_{p'} + 1 with a fitting index, for every p in [M_1]"),
    scope="At p = M_1, by (7), s_{M_1+1} = g_1: s_{p+1} - g_0 + 1 = ceil(g_0/2) - g_0 + 1, not positive for g_0 >= 2.",
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.PROOF,
    same_error_as="chen24/lemma-g.3/printed",
    note="Markov's inequality divides by it. With the repaired indices s_{M_1+1} = g_0 and the step holds.",
)

chapter.add(
    "lemma-g.3/printed",
    LEMMA_G_3,
    Stated("(69) for p = M_1, once T' is large enough for the instance"),
    scope="Printed indices, (K, d) = (10, 4), (20, 4), (30, 5). Instances on which (69) fails for all large T': "
    "certain rewards, eps = 1, features in general position, ceil(g_0/2) arms with gaps of 1/128, the others of 1/2.",
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.STATEMENT,
    note="(69) speaks of Delta_(g_0) alone, and the phase keeps fewer than g_0 arms, so that smaller gaps decide. The "
    "best arm is out where its noise is below -1/128 and that of the arms behind it is not negative. Lemma J.2 has the "
    "same phase. Theorem 4.2 has another proof.",
)

chapter.add(
    "lemma-g.3/repaired",
    LEMMA_G_3,
    Consequence("s_p - g_0 + 1 = h_{p-1} + 1 for all p <= M_1 + 1, and at most g_0 - 2 other arms are outside Q_sub"),
    scope="Repaired indices, every p in [M_1]. For d = 2, where g_0 = 1 and Delta_(1) = 0, (69) says at most 4 lambda.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-g.2", "chen24/lemma-g.3/e", "chen24/eq-4-8/repaired"),
    by="Markov's inequality",
)


@chapter.inequality(
    "lemma-g.3/e",
    page.source("Lemma G.3, (e)", "(e) is obtained from the definition in (6)"),
    over={"h": Whole(0), "ratio": Real(2, inf, closed=True)},
    expect=Verdict.PROVED,
    note="(h_{p-1} + 1)/(h_p + 1) <= lambda by (6).",
)
def lemma_g_3_e(m: Vocabulary, h: Number, ratio: Number) -> Sides:
    """h_p + 1 = ceil((h_{p-1} + 1)/lambda)."""
    return (h + 1) / ratio, m.ceil((h + 1) / ratio)


@chapter.inequality(
    "lemma-g.4/d",
    page.source("Lemma G.4, (d)", "(d) is obtained from the definition in (7)"),
    over={"s": Whole(2)},
    expect=Verdict.PROVED,
    note="By halving: s_{p+1} = ceil(s_p/2), s_{p+2} = ceil(s_{p+1}/2). 5.99 is passed at s = 1602 first: 6 is the "
    "limit.",
)
def lemma_g_4_d(m: Vocabulary, s: Number) -> Sides:
    """2 (s_p - s_{p+2}) <= 6 (s_{p+1} - s_{p+2} + 1)."""
    half = m.ceil(s / 2)
    quarter = m.ceil(half / 2)
    return 2 * (s - quarter), 6 * (half - quarter + 1)
