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
    statement="Lemma G.2",
)
LEMMA_G_4 = page.source(
    "Lemma G.4, (71)",
    "<= 6 (exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) Delta_{(s_{p+2}+1)}^2) + exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) eps "
    "Delta_{(s_{p+2}+1)}))",
    statement="Lemma G.4",
)


@chapter.inequality(
    "lemma-g.2/sub-exponential",
    page.source(
        "Lemma G.2, after (58)",
        "are (tau^2, b) sub-exponential, where tau = b = 2/(ceil(T'/(M |Q|)) eps)",
        statement="Lemma G.2",
    ),
    over={"u": Real(0, 0.25, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So tau and b, which the sentence takes as twice the scale, are parameters in the sense of Definition A.2.",
)
def sub_exponential(m: Vocabulary, u: Number) -> Sides:
    """The claim is that for |lambda| < 1/b, the moment generating function of a Laplace variable of scale b/2 is at
    most exp(lambda^2 tau^2/2) with tau = b. With u = (lambda b/2)^2 < 1/4, the inequality is 1/(1 - u) <= exp(2 u)."""
    return m.exp(-2 * u), 1 - u


@chapter.inequality(
    "lemma-g.2/57",
    page.source("Lemma G.2, (57)", "= exp(-(1/4) ceil(T'/(M |Q|)) Delta_j^2)", statement="Lemma G.2"),
    over={"n": Whole(1), "gap": Real(0, 1)},
    expect=Verdict.PROVED,
    note="Lemma A.1 is `chen24/lemma-a.1`.",
    related=("chen24/lemma-a.1",),
)
def eq_57(m: Vocabulary, n: Number, gap: Number) -> Sides:
    """Let n be the number of pulls of each arm. The claim is that the exponent of (57) is at most the exponent of Lemma
    A.1 for 2n rewards of range 1 and a deviation of n Delta_j/2."""
    return n * gap**2 / 4, 2 * (n * gap / 2) ** 2 / (2 * n)


@chapter.identity(
    "lemma-g.2/summands",
    page.source(
        "Lemma G.2, before (57); Lemma J.1, before (116)",
        "<= P(sum_{s=N_{j,T_p}}^{N_{j,T_p} + ceil(T'/(M |Q|))} [...] >= (Delta_j/2) ceil(T'/(M |Q|)) [...])",
        statement="Lemma G.2",
    ),
    over={"n": Whole(1)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="Moreover, all rewards in this sum except the first belong to phase p + 1. The sums of (64), from N_{T_{p-1}} "
    "+ 1 on, are right.",
)
def summands(m: Vocabulary, n: Number) -> Sides:
    """The phase has n pulls, and the printed sum from s = N_{T_p} to N_{T_p} + n has n + 1 terms. The claim is that
    these two numbers are equal."""
    return n + 1, n


@chapter.inequality(
    "lemma-g.2/59",
    page.source("Lemma G.2, (59)", "= exp(-ceil(T'/(M |Q|)) eps Delta_j/8)", statement="Lemma G.2"),
    over={"u": POSITIVE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The inequality holds for every T', not only for large T'.",
)
def eq_59(m: Vocabulary, u: Number) -> Sides:
    """A difference of two Laplace variables exceeds u times the scale with probability e^{-u} (2 + u)/4. The claim is
    that this probability is at most the printed e^{-u/4}. Both sides are multiplied by e^u. Here u = n eps Delta_j/2,
    where n is the number of pulls of each arm."""
    return (2 + u) / 4, m.exp(3 * u / 4)


@chapter.inequality(
    "lemma-g.2/55/rewards",
    EQ_55,
    over={"gap": Real(0, 1), "y": Real(1, inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So the first term of `chen24/theorem-4.2/pair` is at most the first term of (55).",
    related=("chen24/theorem-4.2/pair",),
)
def eq_55_rewards(m: Vocabulary, gap: Number, y: Number) -> Sides:
    """The formula is Delta_j^2 ceil(y)/16 <= Delta_j^2 y/8 with y + 1 in place of ceil(y), for y = T'/(M D) >= 1 and D
    = min(d_Q^2, s_p)."""
    return gap**2 * (y + 1) / 16, gap**2 * y / 8


@chapter.inequality(
    "lemma-g.2/55/noise",
    EQ_55,
    over={"rate": POSITIVE, "cost": POSITIVE, "excess": Real(0, inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So the second term of `chen24/theorem-4.2/pair` is at most the second term of (55) once T' is this large.",
    related=("chen24/theorem-4.2/pair",),
)
def eq_55_noise(m: Vocabulary, rate: Number, cost: Number, excess: Number) -> Sides:
    """The formula is rate ceil(y) + cost <= 2 rate y, with y + 1 in place of ceil(y). Here rate = eps Delta_j/16, cost
    = d^2 log(4/3) and D = min(d_Q^2, s_p). The number y = T'/(M D) is sufficiently large: it is written as 1 +
    cost/rate + excess."""
    y = 1 + cost / rate + excess
    return rate * (y + 1) + cost, 2 * rate * y


chapter.add(
    "lemma-g.2",
    EQ_55,
    Consequence(
        "the probability that arm j is estimated above the best arm in phase p is at most (55), for all sufficiently "
        "large T'"
    ),
    scope="The claim is for every d_Q. The claim includes d_Q = sqrt(s_p), which is a Max-Det phase by Case 2 but "
    "not by the algorithm.",
    expect=Verdict.ARGUED,
    follows=("chen24/theorem-4.2/pair", "chen24/lemma-g.2/55/rewards", "chen24/lemma-g.2/55/noise"),
)

chapter.add(
    "lemma-g.4",
    LEMMA_G_4,
    Consequence("given its active arms Q, the best arm is eliminated in phase p with probability at most (71)"),
    scope="The claim is for p > M_1 and all readings of the indices. The paper's proof begins with 'p in [M_1]', which "
    "is a misprint.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-g.2", "chen24/lemma-g.4/d"),
    by="Markov's inequality for the number of arms estimated above the best one",
    note="All gaps in Q_sub are at least Delta_(s_{p+2}+1), as printed below (72).",
)


@chapter.inequality(
    "lemma-g.2/64",
    page.source("Lemma G.2, (64)", "<= exp(-(1/8) ceil(T'/(M d_Q^2) - 1) Delta_j^2)", statement="Lemma G.2"),
    over={"y": POSITIVE, "d": Whole(1)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def eq_64(m: Vocabulary, y: Number, d: Number) -> Sides:
    """The claim is that the step to (64) replaces ceil(y)/d by ceil(y/d - 1), which is not larger, for y = T'/(M d_Q)
    and d = d_Q."""
    return m.ceil(y / d - 1), m.ceil(y) / d


@chapter.inequality(
    "lemma-g.2/65",
    page.source(
        "Lemma G.2, (65), (67)",
        "by Lemma A.4, it holds that for T' sufficiently large [...] <= exp(-ceil(T'/(M d_Q)) eps Delta_j/16)",
        statement="Lemma G.2",
    ),
    over={"n": Whole(1), "eps": POSITIVE, "gap": Real(0, 1), "alpha": Real(0, 1, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="Lemma A.4 (`chen24/lemma-a.4`) applies at Delta_j/4, because tau^2/b <= Delta_j/4 for large T'. If alpha = "
    "0, there is no noise.",
    related=("chen24/lemma-a.4",),
)
def eq_65(m: Vocabulary, n: Number, eps: Number, gap: Number, alpha: Number) -> Sides:
    """The claim is that the exponent n eps Delta_j/16 is at most the exponent (Delta_j/4)/(2 b) of Lemma A.4, with b =
    2 alpha/(n eps). Both sides are multiplied by alpha. Here alpha is the largest |alpha_{j, i}|, at most 1 by Lemma
    G.1, and n is the number of pulls of each arm."""
    return alpha * n * eps * gap / 16, gap / 4 * n * eps / 4


@chapter.inequality(
    "lemma-g.2/last",
    page.source(
        "Lemma G.2, last line",
        "<= 2 exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) Delta_j^2) + 2 exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) eps "
        "Delta_j)",
        statement="Lemma G.2",
    ),
    over={"c": Whole(2)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="For c = 1 the inequality fails, so T' must exceed M min(d_Q^2, s_p).",
)
def lemma_g_2_last(m: Vocabulary, c: Number) -> Sides:
    """The formula is c/16 <= (c - 1)/8 for c = ceil(T'/(M min(d_Q^2, s_p))) >= 2."""
    return c / 16, (c - 1) / 8
