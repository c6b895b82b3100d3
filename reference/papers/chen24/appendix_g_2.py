"""Lemma G.2, step by step, and what Lemma G.4 says."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Verdict, Whole
from dpbandits.reference.papers.chen24.appendix_a import POSITIVE
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendix G")
EQ_55 = page.source(
    "Lemma G.2, (55)",
    "<= 2 exp(-(Delta_j^2/16) ceil(T'/(M (d_Q^2 ∧ s_p)))) + 2 exp(-(eps Delta_j/16) ceil(T'/(M (d_Q^2 ∧ s_p)))) for "
    "all T' sufficiently large",
)
LEMMA_G_4 = page.source(
    "Lemma G.4, (71)",
    "<= 6 (exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) Delta_{(s_{p+2}+1)}^2) + exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) eps "
    "Delta_{(s_{p+2}+1)}))",
)


@chapter.inequality(
    "lemma-g.2/sub-exponential",
    page.source(
        "Lemma G.2, after (58)",
        "are (tau^2, b) sub-exponential, where tau = b = 2/(ceil(T'/(M |Q|)) eps)",
    ),
    over={"u": Real(0, 0.25, closed=True)},
    expect=Verdict.PROVED,
    note="u = (lambda b)^2 for a Laplace variable of scale b, whose moment generating function is 1/(1 - u); |lambda| "
    "< 1/(2b) is u < 1/4. So tau = b' = 2b are parameters in the sense of Definition A.2.",
)
def sub_exponential(m: Vocabulary, u: Number) -> Sides:
    """As a formula: 1/(1 - u) <= exp(2 u), which is exp(lambda^2 tau^2/2) with tau = 2b, on the range of Definition
    A.2."""
    return m.exp(-2 * u), 1 - u


@chapter.inequality(
    "lemma-g.2/57",
    page.source("Lemma G.2, (57)", "= exp(-(1/4) ceil(T'/(M |Q|)) Delta_j^2)"),
    over={"n": Whole(1), "gap": Real(0, 1)},
    expect=Verdict.PROVED,
    note="Lemma A.1 (lemma-a.1) for 2n rewards of range 1 and a deviation of n gap/2.",
)
def eq_57(m: Vocabulary, n: Number, gap: Number) -> Sides:
    """As a formula: the exponent of (57), with Lemma A.1's on the right."""
    return n * gap**2 / 4, 2 * (n * gap / 2) ** 2 / (2 * n)


@chapter.identity(
    "lemma-g.2/summands",
    page.source(
        "Lemma G.2, before (57); Lemma J.1, before (116)",
        "<= P(sum_{s=N_{j,T_p}}^{N_{j,T_p} + ceil(T'/(M |Q|))} [...] >= (Delta_j/2) ceil(T'/(M |Q|)) [...])",
    ),
    over={"n": Whole(1)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="And these are rewards of phase p + 1. The sums of (64), from N_(T_(p-1)) + 1 on, are right.",
)
def summands(m: Vocabulary, n: Number) -> Sides:
    """To the letter, the sums for s = N_{T_p} to N_{T_p} + n have as many terms as the phase has pulls, n."""
    return n + 1, n


@chapter.inequality(
    "lemma-g.2/59",
    page.source("Lemma G.2, (59)", "= exp(-ceil(T'/(M |Q|)) eps Delta_j/8)"),
    over={"u": POSITIVE},
    expect=Verdict.PROVED,
    note="Exactly, and for every T': the tail of a difference of two Laplace variables at u scales is e^{-u} (2 + "
    "u)/4. u = n eps gap/2; the printed bound is e^{-u/4}.",
)
def eq_59(m: Vocabulary, u: Number) -> Sides:
    """As a formula: (59) times e^u, with the exact tail on the left; T' need not be large."""
    return (2 + u) / 4, m.exp(3 * u / 4)


@chapter.inequality(
    "lemma-g.2/55/rewards",
    EQ_55,
    over={"gap": Real(0, 1), "more": Real(0, inf, closed=True)},
    expect=Verdict.PROVED,
    note="y = T'/(M D) = 1 + more, D = min(d_Q^2, s_p): theorem-4.2/pair's first term is at most (55)'s.",
)
def eq_55_rewards(m: Vocabulary, gap: Number, more: Number) -> Sides:
    """As a formula: gap^2 ceil(y)/16 <= gap^2 y/8, with ceil(y) <= y + 1."""
    return gap**2 * (2 + more) / 16, gap**2 * (1 + more) / 8


@chapter.inequality(
    "lemma-g.2/55/noise",
    EQ_55,
    over={"step": POSITIVE, "front": POSITIVE, "more": Real(0, inf, closed=True)},
    expect=Verdict.PROVED,
    note="step = eps gap/16, front = d^2 log(4/3); y = 1 + front/step + more is 'sufficiently large': "
    "theorem-4.2/pair's second term is at most (55)'s.",
)
def eq_55_noise(m: Vocabulary, step: Number, front: Number, more: Number) -> Sides:
    """As a formula: step ceil(y) + front <= 2 step y, with ceil(y) <= y + 1."""
    return step * (2 + more) + 2 * front, 2 * step * (1 + more) + 2 * front


chapter.add(
    "lemma-g.2",
    EQ_55,
    Consequence("both terms of the pairwise bound are at most (55)'s, once T' is large"),
    scope="For every d_Q, the case d_Q = sqrt(s_p) included, which Case 2 counts as Max-Det and the algorithm does "
    "not.",
    expect=Verdict.ARGUED,
    follows=("chen24/theorem-4.2/pair", "chen24/lemma-g.2/55/rewards", "chen24/lemma-g.2/55/noise"),
    by="adding them",
)

chapter.add(
    "lemma-g.4",
    LEMMA_G_4,
    Consequence("expected numbers of arms that beat the best one, Markov's inequality, and (d)"),
    scope="For p > M_1, d_Q^2 where (71) has a d: every reading.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-g.2", "chen24/lemma-g.4/d"),
    by="Markov's inequality",
    note="min over Q_sub of the gaps is at least Delta_(s_{p+2}+1), as printed below (72).",
)


@chapter.inequality(
    "lemma-g.2/64",
    page.source("Lemma G.2, (64)", "<= exp(-(1/8) ceil(T'/(M d_Q^2) - 1) Delta_j^2)"),
    over={"y": POSITIVE, "d": Whole(1)},
    expect=Verdict.PROVED,
    note="y = T'/(M d). (64) drops from ceil(y)/d to ceil(y/d - 1).",
)
def eq_64(m: Vocabulary, y: Number, d: Number) -> Sides:
    """ceil(y/d - 1) <= ceil(y)/d."""
    return m.ceil(y / d - 1), m.ceil(y) / d


@chapter.inequality(
    "lemma-g.2/65",
    page.source(
        "Lemma G.2, (65), (67)",
        "by Lemma A.4, it holds that for T' sufficiently large [...] <= exp(-ceil(T'/(M d_Q)) eps Delta_j/16)",
    ),
    over={"n": Whole(1), "eps": POSITIVE, "gap": Real(0, 1), "alpha": Real(0, 1, closed=True)},
    expect=Verdict.PROVED,
    note="Lemma A.4 (lemma-a.4) at gap/4, with tau^2/b <= gap/4 for T' large: the exponent (gap/4)/(2 b), b = 2 "
    "alpha/(n eps), times alpha. alpha: the largest |alpha_{j, i}|, at most 1 by Lemma G.1; where it is 0 there is no "
    "noise.",
)
def eq_65(m: Vocabulary, n: Number, eps: Number, gap: Number, alpha: Number) -> Sides:
    """As a formula: n eps gap/16 is at most (gap/4)/(4 alpha/(n eps)), times alpha."""
    return alpha * n * eps * gap / 16, gap / 4 * n * eps / 4


@chapter.inequality(
    "lemma-g.2/last",
    page.source(
        "Lemma G.2, last line",
        "<= 2 exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) Delta_j^2) + 2 exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) eps "
        "Delta_j)",
    ),
    over={"c": Whole(2)},
    expect=Verdict.PROVED,
    note="c = ceil(T'/(M (d^2 min s_p))); for c = 1 the left exponent is 0, so T' has to exceed M (d^2 min s_p).",
)
def lemma_g_2_last(m: Vocabulary, c: Number) -> Sides:
    """As a formula, for sufficiently large T': c/16 <= (c - 1)/8."""
    return c / 16, (c - 1) / 8
