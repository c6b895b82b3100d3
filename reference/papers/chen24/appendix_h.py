"""Appendix H: the steps of the lower bound. What they make of Theorem 4.7 stands in `theorem_4_7`."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary, power
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Verdict, Whole
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendix H")
LARGE = page.source(
    "Appendix H, before 'That is, for any v'", "Note that log(d) > 1, H_BAI > 1 and H_pri > 1 when v in P'"
)
EQ_85 = page.source(
    "Lemma H.3, (85)",
    "when K-tilde > exp(401^{1/(1-beta)} (2c)^{beta/(1-beta)}), we have log(K-tilde)/401 > 2c (log(K-tilde))^beta",
)
EQ_98 = page.source(
    "Lemma H.5, (98)",
    "1 - P(N_{i,T} >= 4 n_i) - P(I-hat_T != 1) [...] >= 1 - 1/4 - 1/2 [...] (c) is obtained from Markov's inequality",
)
EQ_102_B = page.source("(102), (b)", "(b) is obtained from H_pri(v^{(i)}) <= i/(eps gamma_i)")
BETA = Real(0, 1)
POSITIVE = Real(0, inf)


@chapter.inequality(
    "theorem-4.7/cases",
    page.source(
        "Appendix H, before Lemma H.1",
        "it still suffices to show that (23) holds in the cases of (i) beta_1 in [0, 1), beta_2 = beta_3 = 1, (ii) "
        "beta_2 in [0, 1), beta_1 = beta_3 = 1, and (iii) beta_3 in [0, 1), beta_1 = beta_2 = 1",
    ),
    over={"h": Real(1, inf), "share": Real(0, 1), "beta": Real(0, 1, closed=True)},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="With P in the place of P', where eps may grow, H_pri = share < 1 is no obstacle: c is arbitrary, and a "
    "factor of 2 goes into it. So (86) to (92) may be read as they stand. h: H_BAI to its power.",
)
def theorem_4_7_cases(m: Vocabulary, h: Number, share: Number, beta: Number) -> Sides:
    """H_BAI^b + H_pri^b' <= 2 H_BAI^b where H_pri < 1 <= H_BAI."""
    return h + power(m, share, beta), 2 * h


@chapter.inequality(
    "appendix-h/log",
    LARGE,
    over={"d": Whole(4)},
    strict=True,
    expect=Verdict.PROVED,
)
def appendix_h_log(m: Vocabulary, d: Number) -> Sides:
    """log d > 1 for d > 3."""
    return m.number(1), m.log(d)


@chapter.inequality(
    "appendix-h/hardness",
    LARGE,
    over={"gap": Real(0, 1, closed=True), "eps": Real(0, 1)},
    expect=Verdict.PROVED,
    note="i = 2 is one of the terms, and gaps are at most 1; H_BAI >= 2/gap^2 in the same way.",
)
def appendix_h_hardness(m: Vocabulary, gap: Number, eps: Number) -> Sides:
    """2/(eps gap) > 1, times eps gap."""
    return gap * eps, m.number(2)


@chapter.inequality(
    "corollary-h.2/epsilon",
    page.source(
        "Corollary H.2, (83); (86), (91)",
        "Fix [...] eps-tilde > 0 and a consistent policy pi. For all sufficiently large T, there exists an instance v "
        "in P' with K >= K-tilde, H_BAI > H-tilde and eps = eps-tilde",
    ),
    over={"eps": POSITIVE},
    strict=True,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.STATEMENT,
    note="P' asks for eps < 1 (d), the corollary fixes any eps > 0 and finds an instance in P', and (86), (91) let eps "
    "grow without bound there. With eps < 1 the condition (92), H_pri < H_BAI^beta, has no instance for beta <= 1/2, "
    "as H_pri > sqrt(H_BAI) (hardness/private). The theorem speaks of P, where eps may grow; but then H_pri > 1, which "
    "reduces it to the three cases, is lost.",
)
def corollary_h_2_epsilon(m: Vocabulary, eps: Number) -> Sides:
    """(d) of P', for every eps that the corollary fixes."""
    return eps, m.number(1)


@chapter.inequality(
    "eq-85",
    EQ_85,
    over={"beta": BETA, "c": POSITIVE, "more": POSITIVE},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.PROOF,
    note="In L = log K, with L = (1 + more) times the printed threshold 401^{1/(1-beta)} (2c)^{beta/(1-beta)}. What is "
    "needed is (802 c)^{1/(1-beta)}, as in (90). Any K beyond that will do, so the lemma stands.",
)
def eq_85(m: Vocabulary, beta: Number, c: Number, more: Number) -> Sides:
    """Above the printed threshold for K: 2c (log K)^beta <= log K/401."""
    size = (1 + more) * power(m, m.number(401), 1 / (1 - beta)) * power(m, 2 * c, beta / (1 - beta))
    return 2 * c * power(m, size, beta), size / 401


@chapter.inequality(
    "eq-85/repaired",
    EQ_85,
    over={"beta": BETA, "a": Real(-inf, inf), "x": POSITIVE},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="a = log(802 c), x = log(1 + more): L = (1 + more) (802 c)^{1/(1-beta)}. In logarithms.",
)
def eq_85_repaired(m: Vocabulary, beta: Number, a: Number, x: Number) -> Sides:
    """Above the threshold (802 c)^{1/(1-beta)}: log(802 c) + beta log L <= log L."""
    return a + beta * (x + a / (1 - beta)), x + a / (1 - beta)


@chapter.inequality(
    "eq-95/means",
    page.source(
        "Lemma H.5, (95)",
        "Fix gamma_1 in (0, (1/K-tilde)^{K-tilde+2}), and let gamma_i = gamma_{i-1} K-tilde for i = 2, ..., K-tilde",
    ),
    over={"K": Whole(4)},
    expect=Verdict.PROVED,
    note="gamma_1 < K^{-(K+2)} and gamma_K = gamma_1 K^{K-1} < K^-3: all means lie in [1/2 - 1/64, 1/2 + 1/64], arm 1 "
    "is the best one of instance 0, and arm i of instance i. Times K^3.",
)
def eq_95_means(m: Vocabulary, K: Number) -> Sides:
    """K^-3 <= 1/64."""
    return m.number(64), K**3


@chapter.inequality(
    "lemma-h.5/beta",
    page.source("Lemma H.5, (96)", "Fix [...] beta in [0, 1) [...] with [...] H_pri >= (H_BAI)^{1/beta}"),
    over={"beta": Real(0, 0.5, closed=True)},
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="beta in [0, 1) is fixed, and H_pri >= (H_BAI)^(1/beta) asked for: 1/0 at beta = 0. Lemma H.6 needs H_BAI <= "
    "(H_pri)^beta, which a beta of 1/2 gives for 0 as well (lemma-h.5, lemma-h.6).",
)
def lemma_h_5_beta(m: Vocabulary, beta: Number) -> Sides:
    """A beta, by which 1 is divided, is positive: up to 1/2, of the printed [0, 1)."""
    return m.number(0), beta


@chapter.inequality(
    "eq-98/four",
    EQ_98,
    over={"chance": Real(0.0625, 0.25)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="E_i is {N_i < n_i} and more, so its complement needs P(N_i >= n_i); that is at most 1/4 by Markov's "
    "inequality, as n_i = 4 E N_i. The result of (98) is right.",
)
def eq_98_four(m: Vocabulary, chance: Number) -> Sides:
    """To the letter, with arm 1 recommended for certain, P(N_i >= n_i) <= P(N_i >= 4 n_i): N_i is n_i/(4 chance) with
    this chance, and 0 otherwise."""
    return chance, m.number(0)


@chapter.inequality(
    "eq-98/whole",
    EQ_98,
    over={"mean": Real(0, inf, closed=True)},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="ES(pi, n, i) needs a whole n, and n_i = 4 E(N_{i,T}) is none; floor(4 E N) + 1 is, and their sum is at most "
    "4T + K, which (102) and 'T sufficiently large' can bear. The bound is also printed with 4 n_i where Markov's has "
    "n_i.",
)
def eq_98_repaired(m: Vocabulary, mean: Number) -> Sides:
    """As a formula, for Markov's inequality with n = floor(4 E N) + 1: E N <= n/4."""
    return mean, (m.floor(4 * mean) + 1) / 4


@chapter.inequality(
    "eq-100/b",
    page.source("(100), (b)", "(1/4) exp(-6 eps n_i TV(nu_i^{(i)}, nu_i^{(0)})) >= (1/4) exp(-12 eps n_i gamma_i)"),
    over={"gamma": Real(0, 0.5)},
    expect=Verdict.PROVED,
)
def eq_100_b(m: Vocabulary, gamma: Number) -> Sides:
    """As a formula: six times the total variation of Ber(1/2 + gamma) and Ber(1/2 - gamma), the difference of their
    means, is at most 12 gamma."""
    return 6 * ((m.number("0.5") + gamma) - (m.number("0.5") - gamma)), 12 * gamma


@chapter.inequality(
    "eq-102/b/small",
    EQ_102_B,
    over={"k": Whole(2), "more": Whole(0), "gamma": POSITIVE, "other": POSITIVE},
    expect=Verdict.PROVED,
    note="The gaps of instance i = k + more: gamma_i + gamma_{k-1} in place k <= i.",
)
def eq_102_b_small(m: Vocabulary, k: Number, more: Number, gamma: Number, other: Number) -> Sides:
    """k/(gamma_i + gamma_{k-1}) <= i/gamma_i for k <= i."""
    return k * gamma, (k + more) * (gamma + other)


@chapter.inequality(
    "eq-102/b/large",
    EQ_102_B,
    over={"k": Whole(3), "more": Whole(0)},
    expect=Verdict.PROVED,
    note="gamma_k >= K gamma_i for k > i, so k/(gamma_i + gamma_k) <= k/((1 + K) gamma_i) <= 1/gamma_i <= i/gamma_i.",
)
def eq_102_b_large(m: Vocabulary, k: Number, more: Number) -> Sides:
    """k <= 1 + K for K = k + more."""
    return k, 1 + k + more


@chapter.inequality(
    "eq-102/minimum",
    page.source("Before (102)", "min_i x_i/y_i <= (sum_i x_i)/(sum_i y_i)"),
    over={"least": POSITIVE, "x": Real(0, inf, closed=True), "y": POSITIVE, "z": POSITIVE},
    expect=Verdict.PROVED,
    note="Two terms with quotients least and least + x; others by induction. Times all denominators.",
)
def eq_102_minimum(m: Vocabulary, least: Number, x: Number, y: Number, z: Number) -> Sides:
    """min x_i/y_i <= sum x_i/sum y_i."""
    return least * (y + z), least * y + (least + x) * z


@chapter.inequality(
    "eq-102/c",
    page.source("(102), (c)", "log(K-tilde) - log(2) = int_2^{K-tilde} 1/x dx < sum_{i=2}^{K-tilde} 1/i"),
    over={"u": Real(0, 0.5, closed=True)},
    expect=Verdict.PROVED,
    note="u = 1/i: the integral of 1/x from i to i + 1 is at most 1/i; summed from 2 to K - 1, with 1/K to spare.",
)
def eq_102_c(m: Vocabulary, u: Number) -> Sides:
    """log(1 + 1/i) <= 1/i."""
    return m.log(1 + u), u


@chapter.inequality(
    "eq-103",
    page.source(
        "(103), and the line after it",
        "when T is sufficiently large, we have [...] >= exp(-97 T/(log(K-tilde) H_pri(v^{(i')})))",
    ),
    over={"more": Real(0, inf, closed=True)},
    expect=Verdict.PROVED,
    note="x = T/(log(K) H_pri) = log 4 + more is 'sufficiently large'; 12 times 8 is 96.",
)
def eq_103(m: Vocabulary, more: Number) -> Sides:
    """As a formula: log 4 + 96 x <= 97 x, at x = log 4 + more."""
    large = m.log(m.number(4)) + more
    return m.log(m.number(4)) + 12 * 8 * large, 97 * large


@chapter.inequality(
    "eq-102/d",
    page.source("(102), (d)", "(d) is obtained by the assumption that K-tilde > 3"),
    over={"more": Whole(0)},
    expect=Verdict.PROVED,
    note="Equality at K = 4.",
)
def eq_102_d(m: Vocabulary, more: Number) -> Sides:
    """4/(log K - log 2) <= 8/log K for K = 4 + more, which is log 4 <= log K, or 0 <= log(K/4)."""
    return m.number(0), m.log(1 + more / 4)


@chapter.inequality(
    "eq-105",
    page.source(
        "Lemmas H.4 and H.6, (90), (105)",
        "when H-tilde > (802c)^{1/(1-beta)}, we have H-tilde/401 > 2c (H-tilde)^beta",
    ),
    over={"beta": BETA, "a": Real(-inf, inf), "x": POSITIVE},
    expect=Verdict.PROVED,
    note="a = log(802 c) in (90) and log(194 c) in (105); x > 0: by how much log H exceeds a/(1 - beta).",
)
def eq_105(m: Vocabulary, beta: Number, a: Number, x: Number) -> Sides:
    """H > (802 c)^{1/(1-beta)} gives 2c H^beta <= H/401, and the same with 194 and 97. In logarithms."""
    return a + beta * (x + a / (1 - beta)), x + a / (1 - beta)
