"""Appendix H: the steps of the lower bound. `theorem_4_7` combines these steps."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, OneOf, Reading, Real, Verdict, Whole
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendix H")
LARGE = page.source(
    "Appendix H, before 'That is, for any v'", "Note that log(d) > 1, H_BAI > 1 and H_pri > 1 when v in P'"
)
EQ_85 = page.source(
    "Lemma H.3, (85)",
    "when K-tilde > exp(401^{1/(1-beta)} (2c)^{beta/(1-beta)}), we have log(K-tilde)/401 > 2c (log(K-tilde))^beta",
    statement="Lemma H.3",
)
EQ_98 = page.source(
    "Lemma H.5, (98)",
    "1 - P(N_{i,T} >= 4 n_i) - P(I-hat_T != 1) [...] >= 1 - 1/4 - 1/2 [...] (c) is obtained from Markov's inequality",
    statement="Lemma H.5",
)
EQ_102_B = page.source("Eq. (102), (b)", "(b) is obtained from H_pri(v^{(i)}) <= i/(eps gamma_i)")
BETA = Real(0, 1)
POSITIVE = Real(0, inf)


def above_threshold(m: Vocabulary, beta: Number, c: Number, growth: Number, rate: Number) -> Sides:
    """2c x^beta and x/rate, for x = growth (2 rate c)^{1/(1-beta)}."""
    x = growth * m.power(2 * rate * c, 1 / (1 - beta))
    return 2 * c * m.power(x, beta), x / rate


@chapter.inequality(
    "theorem-4.7/cases",
    page.source(
        "Appendix H, before Lemma H.1",
        "it still suffices to show that (23) holds in the cases of (i) beta_1 in [0, 1), beta_2 = beta_3 = 1, (ii) "
        "beta_2 in [0, 1), beta_1 = beta_3 = 1, and (iii) beta_3 in [0, 1), beta_1 = beta_2 = 1",
    ),
    over={"h": Real(1, inf), "H_pri": Real(0, 1), "beta": Real(0, 1, closed=True)},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="So the reduction to three cases also holds with P in place of P'. In P, eps may be large and H_pri may be "
    "below 1, but c is arbitrary and absorbs the factor of 2.",
)
def theorem_4_7_cases(m: Vocabulary, h: Number, H_pri: Number, beta: Number) -> Sides:
    """The formula is H_BAI^{beta_2} + H_pri^{beta_3} <= 2 H_BAI^{beta_2} for H_pri < 1 < H_BAI, with h = H_BAI^{beta_2}
    and beta = beta_3."""
    return h + m.power(H_pri, beta), 2 * h


@chapter.inequality(
    "appendix-h/log",
    LARGE,
    over={"d": Whole(4)},
    strict=True,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def appendix_h_log(m: Vocabulary, d: Number) -> Sides:
    """The formula is log(d) > 1 for integers d > 3."""
    return m.number(1), m.log(d)


@chapter.inequality(
    "appendix-h/hardness",
    LARGE,
    over={"gap": Real(0, 1, closed=True), "eps": Real(0, 1)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The maximum in H_pri has the term i = 2, and gaps are at most 1. In the same way, H_BAI >= 2/Delta_(2)^2 > "
    "1.",
)
def appendix_h_hardness(m: Vocabulary, gap: Number, eps: Number) -> Sides:
    """The formula is H_pri >= 2/(eps Delta_(2)) >= 1, multiplied by eps gap, with gap = Delta_(2)."""
    return gap * eps, m.number(2)


@chapter.inequality(
    "corollary-h.2/epsilon",
    page.source(
        "Corollary H.2, (83); (86), (91)",
        "Fix [...] eps-tilde > 0 and a consistent policy pi. For all sufficiently large T, there exists an instance v "
        "in P' with K >= K-tilde, H_BAI > H-tilde and eps = eps-tilde",
        statement="Corollary H.2",
    ),
    over={"eps": POSITIVE},
    strict=True,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.STATEMENT,
    repaired_by=("chen24/corollary-h.2/repaired",),
    note="P' requires eps < 1 in (d), but the corollary fixes any eps > 0 and claims an instance in P'. Moreover, "
    "the proofs of Lemmas H.3 and H.4, which use the corollary, let eps tend to infinity in (86) and (91).\n"
    "With eps < 1 the condition (92), H_pri < H_BAI^beta, has no instance for beta <= 1/2, as H_pri > sqrt(H_BAI) "
    "(`chen24/hardness/private`).\n"
    "The theorem is about P, where eps may be large.\n"
    "But in P the inequality H_pri > 1, which the reduction to three cases uses, may fail.\n"
    "For eps < 1 the corollary holds: `chen24/corollary-h.2/repaired`.",
    related=("chen24/hardness/private",),
)
def corollary_h_2_epsilon(m: Vocabulary, eps: Number) -> Sides:
    """The corollary fixes any eps > 0. The claim is that every such eps satisfies condition (d) of the definition of
    P', which is eps < 1."""
    return eps, m.number(1)


@chapter.inequality(
    "eq-85",
    EQ_85,
    over={"beta": BETA, "c": POSITIVE, "growth": Real(1, inf)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.PROOF,
    note="The threshold should be (802 c)^{1/(1-beta)}, as in (90). The lemma holds, because its proof may choose K "
    "as large as needed.",
)
def eq_85(m: Vocabulary, beta: Number, c: Number, growth: Number) -> Sides:
    """The formula is 2c (log K)^beta <= log(K)/401 for K above the printed threshold. In the formula, log K = growth
    401^{1/(1-beta)} (2c)^{beta/(1-beta)} with growth > 1."""
    log_K = growth * m.power(m.number(401), 1 / (1 - beta)) * m.power(2 * c, beta / (1 - beta))
    return 2 * c * m.power(log_K, beta), log_K / 401


@chapter.inequality(
    "eq-85/repaired",
    EQ_85,
    over={"beta": BETA, "c": POSITIVE, "growth": Real(1, inf)},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
)
def eq_85_repaired(m: Vocabulary, beta: Number, c: Number, growth: Number) -> Sides:
    """The formula is 2c (log K)^beta <= log(K)/401 for K above the threshold of (90). In the formula, log K = growth
    (802 c)^{1/(1-beta)} with growth > 1."""
    return above_threshold(m, beta, c, growth, 401)


@chapter.inequality(
    "eq-95/means",
    page.source(
        "Lemma H.5, (95)",
        "Fix gamma_1 in (0, (1/K-tilde)^{K-tilde+2}), and let gamma_i = gamma_{i-1} K-tilde for i = 2, ..., K-tilde",
        statement="Lemma H.5",
    ),
    over={"K": Whole(4)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="gamma_1 < K^{-(K+2)} makes gamma_K = gamma_1 K^{K-1} < K^-3. So all means are in [1/2 - 1/64, 1/2 + 1/64]. "
    "Arm 1 is the best arm of instance 0, and arm i is the best arm of instance i.",
)
def eq_95_means(m: Vocabulary, K: Number) -> Sides:
    """The formula is K^-3 <= 1/64 for K = K-tilde >= 4. Both sides are multiplied by 64 K^3."""
    return m.number(64), K**3


@chapter.inequality(
    "lemma-h.5/beta",
    page.source(
        "Lemma H.5, (96)", "Fix [...] beta in [0, 1) [...] with [...] H_pri >= (H_BAI)^{1/beta}", statement="Lemma H.5"
    ),
    over={"beta": Real(0, 0.5, closed=True)},
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The lemma fixes beta in [0, 1) and requires H_pri >= (H_BAI)^{1/beta}, which is undefined for beta = 0. "
    "Lemma H.6 needs H_BAI <= (H_pri)^beta. The case beta = 1/2 of Lemma H.5 also covers beta = 0 "
    "(`chen24/lemma-h.5`, `chen24/lemma-h.6`).",
    related=("chen24/lemma-h.5", "chen24/lemma-h.6"),
)
def lemma_h_5_beta(m: Vocabulary, beta: Number) -> Sides:
    """The claim is that every beta in the lower half of [0, 1), from 0 to 1/2, is positive, so that 1/beta is
    defined."""
    return m.number(0), beta


@chapter.inequality(
    "eq-98/four",
    EQ_98,
    over={"p": Real(0.0625, 0.25)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The complement of E_i contains the event N_i >= n_i, so the proof needs P(N_i >= n_i).\n"
    "P(N_i >= n_i) is at most 1/4 by Markov's inequality, as n_i = 4 E N_i, so the result of (98) is right.",
)
def eq_98_four(m: Vocabulary, p: Number) -> Sides:
    """If arm 1 is recommended with probability 1, the line needs P(N_i >= n_i) <= P(N_i >= 4 n_i). Here N_i = n_i/(4 p)
    with probability p, and N_i = 0 otherwise. So the first probability is p, and the second probability is 0."""
    return p, m.number(0)


@chapter.inequality(
    "eq-98/whole",
    EQ_98,
    over={"mean": Real(0, inf, closed=True)},
    reading=Reading.REPAIRED,
    formula_only=True,
    expect=Verdict.PROVED,
    note="ES(pi, n, i) needs an integer n. The number n_i = 4 E(N_{i,T}) need not be an integer, but floor(4 E "
    "N_{i,T}) + 1 is an integer. These integers add up to at most 4T + K, which suffices for (102) when T is large. "
    "(The bound is also printed with 4 n_i, but Markov's inequality gives n_i.)",
)
def eq_98_repaired(m: Vocabulary, mean: Number) -> Sides:
    """The formula is E N <= n/4 for the integer n = floor(4 E N) + 1. By this formula and Markov's inequality, P(N >=
    n) <= 1/4. In the formula, mean = E N."""
    return mean, (m.floor(4 * mean) + 1) / 4


@chapter.inequality(
    "eq-100/b",
    page.source("Eq. (100), (b)", "(1/4) exp(-6 eps n_i TV(nu_i^{(i)}, nu_i^{(0)})) >= (1/4) exp(-12 eps n_i gamma_i)"),
    over={"gamma": Real(0, 0.5)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def eq_100_b(m: Vocabulary, gamma: Number) -> Sides:
    """The formula is 6 TV(nu_i^{(i)}, nu_i^{(0)}) <= 12 gamma_i, with gamma = gamma_i. The total variation of Ber(1/2 +
    gamma) and Ber(1/2 - gamma) is the difference of their means."""
    return 6 * ((m.number("0.5") + gamma) - (m.number("0.5") - gamma)), 12 * gamma


@chapter.inequality(
    "eq-102/b/small",
    EQ_102_B,
    over={"k": Whole(2), "further": Whole(0), "gamma_i": POSITIVE, "gamma_k": POSITIVE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="In instance i the k-th smallest gap is gamma_i + gamma_{k-1} for k <= i.",
)
def eq_102_b_small(m: Vocabulary, k: Number, further: Number, gamma_i: Number, gamma_k: Number) -> Sides:
    """The formula is k/(gamma_i + gamma_{k-1}) <= i/gamma_i for k <= i, multiplied by both denominators. In the
    formula, i = k + further, and gamma_k denotes gamma_{k-1}."""
    return k * gamma_i, (k + further) * (gamma_i + gamma_k)


@chapter.inequality(
    "eq-102/b/large",
    EQ_102_B,
    over={"k": Whole(3), "further": Whole(0)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="For k > i, gamma_k >= K gamma_i, so k/(gamma_i + gamma_k) <= k/((1 + K) gamma_i) <= 1/gamma_i <= i/gamma_i.",
)
def eq_102_b_large(m: Vocabulary, k: Number, further: Number) -> Sides:
    """The formula is k <= 1 + K for every k <= K. The number K is written as k + further, with further >= 0."""
    return k, 1 + k + further


@chapter.inequality(
    "eq-102/minimum",
    page.source("Before (102)", "min_i x_i/y_i <= (sum_i x_i)/(sum_i y_i)"),
    over={"least": POSITIVE, "x": Real(0, inf, closed=True), "y": POSITIVE, "z": POSITIVE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="For more quotients, the inequality follows by induction.",
)
def eq_102_minimum(m: Vocabulary, least: Number, x: Number, y: Number, z: Number) -> Sides:
    """The formula states that the minimum of two quotients x_1/y and x_2/z is at most (x_1 + x_2)/(y + z). In the
    formula, `least` is the minimum, x_1 = least y and x_2 = (least + x) z. Both sides are multiplied by y + z."""
    return least * (y + z), least * y + (least + x) * z


@chapter.inequality(
    "eq-102/c",
    page.source("Eq. (102), (c)", "log(K-tilde) - log(2) = int_2^{K-tilde} 1/x dx < sum_{i=2}^{K-tilde} 1/i"),
    over={"u": Real(0, 0.5, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The sum over i from 2 to K - 1 gives a bound that is smaller than the printed line by 1/K.",
)
def eq_102_c(m: Vocabulary, u: Number) -> Sides:
    """The formula states that the integral of 1/x from i to i + 1 is at most 1/i, that is, log(1 + u) <= u for u = 1/i
    <= 1/2."""
    return m.log(1 + u), u


@chapter.inequality(
    "eq-103",
    page.source(
        "Eq. (103), and the line after it",
        "when T is sufficiently large, we have [...] >= exp(-97 T/(log(K-tilde) H_pri(v^{(i')})))",
    ),
    over={"excess": Real(0, inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def eq_103(m: Vocabulary, excess: Number) -> Sides:
    """The formula is log 4 + 12 * 8 x <= 97 x for x = T/(log(K) H_pri). 'Sufficiently large' is read as x >= log 4,
    that is, x = log 4 + excess."""
    large = m.log(m.number(4)) + excess
    return m.log(m.number(4)) + 12 * 8 * large, 97 * large


@chapter.inequality(
    "eq-102/d",
    page.source("Eq. (102), (d)", "(d) is obtained by the assumption that K-tilde > 3"),
    over={"further": Whole(0)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The step is 4/(log K - log 2) <= 8/log K, with equality at K = 4.",
)
def eq_102_d(m: Vocabulary, further: Number) -> Sides:
    """The formula is log K - log 2 >= (log K)/2, that is, log(K/4) >= 0, for K = K-tilde = 4 + further."""
    return m.number(0), m.log(1 + further / 4)


@chapter.inequality(
    "eq-105",
    page.source(
        "Lemmas H.4 and H.6, (90), (105)",
        "when H-tilde > (802c)^{1/(1-beta)}, we have H-tilde/401 > 2c (H-tilde)^beta",
    ),
    over={"beta": BETA, "c": POSITIVE, "growth": Real(1, inf), "rate": OneOf((401, 97))},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def eq_105(m: Vocabulary, beta: Number, c: Number, growth: Number, rate: Number) -> Sides:
    """The formula is 2c H^beta <= H/rate for H = growth (2 rate c)^{1/(1-beta)} with growth > 1. For rate = 401 the
    threshold is that of (90), with 802 c. For rate = 97 the threshold is that of (105), with 194 c."""
    return above_threshold(m, beta, c, growth, rate)
