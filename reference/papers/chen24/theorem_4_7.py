"""Theorem 4.7 and the lemmas of Appendix H, put together from their steps.

The instances are those of (95) throughout: K arms along the axes of d = K dimensions, means 1/2 - gamma_i with gamma_i
= gamma_1 K^{i-1} <= 1/64, and instance i with 1/2 + gamma_i instead. They do not hang on T, only which of them is the
bad one does. Cases (i) and (ii) have eps = 1/2 here, so all of P' is kept, where the paper lets eps grow out of it.
"""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Unjudged, Verdict, Whole
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendix H, Theorem 4.7")
LEMMA_H_1 = page.source(
    "Lemma H.1, (82)",
    "For all sufficiently large T, there exists an instance v in P' with K >= K-tilde, H_BAI > H-tilde such that, "
    "P(I-hat_T != i*(v)) > exp(-401 T/(log(K) H_BAI(v)))",
)
LEMMA_H_5 = page.source(
    "Lemma H.5, (94)",
    "Fix H-tilde > 0, beta in [0, 1), a consistent policy pi, and K-tilde > 3. For all sufficiently large T, there "
    "exists an instance v in P' with K = K-tilde, H_pri >= H-tilde and H_pri >= (H_BAI)^{1/beta} such that, P(I-hat_T "
    "!= i*(v)) > exp(-97 T/(log(K) H_pri(v)))",
)
THEOREM_4_7 = page.source(
    "Theorem 4.7, (23)",
    "For all sufficiently large T, there exists an instance v in P such that P(I-hat_T != i*(v)) > exp(-T/(c (log "
    "d)^{beta_1} (H_BAI(v)^{beta_2} + H_pri(v)^{beta_3})))",
)
EQ_103 = page.source("(102), (103)", "n_i = 4 E(N_{i,T}) [...] >= (1/4) exp(-96 T/(log(K-tilde) H_pri(v^{(i')})))")
POSITIVE = Real(0, inf)
LARGEST = 1 / 64  # of all gamma: K^-3 for K >= 4 (eq-95/means)


@chapter.inequality(
    "appendix-h/monotone",
    page.source(
        "Appendix H, before Lemma H.1",
        "That is, for any v in P', T > 0, c > 0, and [...] in [0, 1] [...] for i in {1, 2, 3}, we have [...]",
    ),
    over={"log_x": Real(0, inf, closed=True), "low": Real(0, 1, closed=True), "more": Real(0, 1, closed=True)},
    expect=Verdict.PROVED,
    note="For each of the three bases, which are above 1 in P': so (23) for larger exponents is (23) for smaller ones, "
    "and three exponents with a sum below 3 are at most those of a case in which two of them are 1.",
)
def appendix_h_monotone(m: Vocabulary, log_x: Number, low: Number, more: Number) -> Sides:
    """x^b <= x^(b + more) for x >= 1, in logarithms."""
    return low * log_x, (low + more) * log_x


@chapter.inequality(
    "appendix-h/divergence",
    LEMMA_H_1,
    over={"gamma": Real(0, LARGEST, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The divergence of Ber(1/2 - gamma) from Ber(1/2 + gamma) is 2 gamma times the left side.",
)
def appendix_h_divergence(m: Vocabulary, gamma: Number) -> Sides:
    """log((1 + 2 gamma)/(1 - 2 gamma)) <= 9 gamma/2: so the divergence is at most 9 gamma^2."""
    return m.log((1 + 2 * gamma) / (1 - 2 * gamma)), 9 * gamma / 2


@chapter.inequality(
    "appendix-h/private-term",
    page.source("Appendix H, (87) and (92)", "H_pri(v-tilde(...)) < H_BAI(v-tilde(...)), H_pri(...) < H_BAI(...)^beta"),
    over={"i": POSITIVE, "eps": POSITIVE, "gap": POSITIVE, "more": Real(0, inf, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="For every term of the maxima (15), with widest = gap + more the largest gap: H_pri <= (widest/eps) H_BAI. "
    "For eps = 1/2 and widest <= 1/32 that is (87), and as small a share of H_BAI as one likes where all gaps are "
    "small: no eps has to grow.",
)
def appendix_h_private_term(m: Vocabulary, i: Number, eps: Number, gap: Number, more: Number) -> Sides:
    """i/(eps gap) <= (widest/eps) i/gap^2."""
    return i / (eps * gap), (gap + more) / eps * i / gap**2


@chapter.inequality(
    "appendix-h/large-T",
    LEMMA_H_5,
    over={"front": POSITIVE, "L": POSITIVE, "more": POSITIVE},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="front = log 4, L = (log K) H_BAI, T = L log 4 + more: from there on a factor of 1/4 costs no more than one "
    "of the 37, and less beyond.",
)
def appendix_h_large_t(m: Vocabulary, front: Number, L: Number, more: Number) -> Sides:
    """log 4 + 36 T/L <= 37 T/L, times L."""
    T = L * front + more
    return L * front + 36 * T, 37 * T


@chapter.inequality(
    "eq-103/whole",
    EQ_103,
    over={"K": Whole(4), "front": POSITIVE, "L": POSITIVE, "more": POSITIVE},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="n_i = floor(4 E N_i) + 1 sum up to at most 4T + K: 12 * 2 (4T + K) = 96 T + 24 K. front = log 4, "
    "L = (log K) H_pri, T = 24 K + L log 4 + more.",
)
def eq_103_whole(m: Vocabulary, K: Number, front: Number, L: Number, more: Number) -> Sides:
    """As a formula: log 4 + (96 T + 24 K)/L <= 97 T/L, times L: (103) with whole n_i."""
    T = 24 * K + L * front + more
    return L * front + 96 * T + 24 * K, 97 * T


chapter.add(
    "appendix-h/transport",
    LEMMA_H_1,
    Stated(
        "where only the law of arm i differs, P'(the recommendation is a) >= exp(-(E[N_i] KL(nu_i, nu'_i) + log "
        "2)/P(the recommendation is a))"
    ),
    scope="For every policy, private or not, every arm a, and all laws of rewards.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="In the place of Carpentier and Locatelli's argument, which Lemma H.1 cites and does not repeat.",
)
chapter.add(
    "lemma-h.1/explicit",
    LEMMA_H_1,
    Stated(
        "once arm 1 is recommended on instance 0 with a chance of at least 1/2, and T > (log 4)(log K) H_BAI for every "
        "instance of (95), one of them has an error probability above exp(-37 T/((log K) H_BAI))"
    ),
    scope="For every K >= 4, gamma_K <= 1/64, eps, and every policy, private or not.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=(
        "chen24/appendix-h/transport",
        "chen24/appendix-h/divergence",
        "chen24/eq-102/minimum",
        "chen24/eq-102/b/small",
        "chen24/eq-102/b/large",
        "chen24/eq-102/c",
        "chen24/eq-102/d",
        "chen24/appendix-h/large-T",
    ),
    by="the pigeonhole principle",
)
chapter.add(
    "lemma-h.1",
    LEMMA_H_1,
    Consequence("37 is at most 401; K is free, and H_BAI >= 2/(4 gamma_K^2) is as large as gamma_1 is small"),
    scope="Every consistent policy: arm 1 is the best one of instance 0, which does not hang on T.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-h.1/explicit", "chen24/eq-95/means"),
    by="Definition 4.6",
)
chapter.add(
    "corollary-h.2/repaired",
    page.source(
        "Corollary H.2, (83)",
        "there exists an instance v in P' with K >= K-tilde, H_BAI > H-tilde and eps = eps-tilde such that, P(I-hat_T "
        "!= i*(v)) > exp(-401 T/(log(K) H_BAI(v)))",
    ),
    Consequence("for eps < 1, as P' asks (corollary-h.2/epsilon): (82) has no eps"),
    scope="For every eps < 1. With P in the place of P', for every eps.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-h.1",),
    by="the same instances",
)
chapter.add(
    "lemma-h.3",
    page.source("Lemma H.3, (84)", "P(I-hat_T != i*(v)) > exp(-T/(c (log K)^beta (H_BAI(v) + H_pri(v))))"),
    Consequence("eps = 1/2, so H_pri <= H_BAI; and log K > (802 c)^{1/(1-beta)}"),
    scope="As printed, in P'. The proof's eps has to leave P' (corollary-h.2/epsilon); it need not.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-h.1", "chen24/appendix-h/private-term", "chen24/eq-85/repaired"),
    by="2 c (log K)^beta <= (log K)/401",
)
chapter.add(
    "lemma-h.4",
    page.source("Lemma H.4, (89)", "P(I-hat_T != i*(v)) > exp(-T/(c (log K) (H_BAI(v)^beta + H_pri(v))))"),
    Consequence(
        "K = 4, eps = 1/2, and gamma_1 so small that H_BAI > (802 c)^{1/(1-beta)} and all gaps are at most 1/(1604 c): "
        "both H_BAI^beta and H_pri are at most H_BAI/(802 c)"
    ),
    scope="As printed, in P'. (92) cannot be had there for beta <= 1/2; it is not needed.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-h.1", "chen24/appendix-h/private-term", "chen24/eq-105"),
    by="c (H_BAI^beta + H_pri) <= H_BAI/401",
)
chapter.add(
    "lemma-h.5",
    LEMMA_H_5,
    Consequence("(97) to (103) with whole n_i"),
    scope="For consistent policies that are eps-DP, eps < 1. For beta = 0 the lemma prints 1/0; H_pri may be as large "
    "as one likes, and beta = 1/2 says more.",
    expect=Verdict.ARGUED,
    follows=(
        "chen24/lemma-4.3",
        "chen24/corollary-4.4",
        "chen24/lemma-4.5/exact",
        "chen24/lemma-4.5/repaired",
        "chen24/eq-95/means",
        "chen24/eq-98/whole",
        "chen24/eq-100/b",
        "chen24/eq-102/minimum",
        "chen24/eq-102/b/small",
        "chen24/eq-102/b/large",
        "chen24/eq-102/c",
        "chen24/eq-102/d",
        "chen24/eq-103/whole",
    ),
    by="Markov's inequality and the pigeonhole principle",
    note="A '>' is a '>=' in the last line, which is repaired by the way, as (98) is (eq-98/four).",
)
chapter.add(
    "lemma-h.5/any-policy",
    LEMMA_H_5,
    Stated(
        "for K = 4, H-tilde = 10^12 and beta = 1/2, every consistent policy has such an instance, for all "
        "sufficiently large T"
    ),
    scope="To the letter: a consistent policy, which need not be private. Here one that pulls all arms alike and "
    "recommends the best mean of coins, which show 1 with the chance that a reward names.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    note="Section 4.3 is about the eps-DP constraint, and the proof uses it in Corollary 4.4; with it the lemma holds "
    "(lemma-h.5). Theorem 4.7 for policies that are not private does not follow from this lemma, then: "
    "theorem-4.7/not-private.",
)
chapter.add(
    "lemma-h.6",
    page.source("Lemma H.6, (104)", "P(I-hat_T != i*(v)) > exp(-T/(c (log K) (H_BAI(v) + H_pri(v)^beta)))"),
    Consequence("H_BAI <= H_pri^beta by (96), and 2 c H_pri^beta <= H_pri/97"),
    scope="For consistent policies that are eps-DP.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-h.5", "chen24/eq-105"),
    by="H_pri > (194 c)^{1/(1-beta)}",
)
chapter.add(
    "theorem-4.7",
    THEOREM_4_7,
    Consequence("its three cases, and exponents that are at most those of a case"),
    scope="For consistent policies under the eps-DP constraint, of which Section 4.3 speaks; only Lemma H.6 uses it.",
    expect=Verdict.ARGUED,
    follows=(
        "chen24/lemma-h.3",
        "chen24/lemma-h.4",
        "chen24/lemma-h.6",
        "chen24/appendix-h/log",
        "chen24/appendix-h/hardness",
        "chen24/appendix-h/monotone",
    ),
    by="taking the case with the exponent that is below 1",
    note="The instance may hang on T, and here on T hangs only which of finitely many instances it is. So one of them "
    "is bad for arbitrarily large T, as the paragraph after the theorem needs it: a T-dependent eps = 1/T alone would "
    "prove case (iii) as printed, and not that paragraph.",
)
chapter.add(
    "eq-24",
    page.source(
        "Theorem 4.7, (24)",
        "Consequently, [...] {P(I-hat_T != i*(v)) exp(T/(c (log d)^{beta_1} (H_BAI(v)^{beta_2} + "
        "H_pri(v)^{beta_3})))} >= 1",
    ),
    Consequence("for every consistent policy and large T some instance makes the product larger than 1"),
    scope="For consistent policies under the eps-DP constraint.",
    expect=Verdict.ARGUED,
    follows=("chen24/theorem-4.7",),
    by="supremum, lower limit, infimum",
)
chapter.add(
    "theorem-4.7/not-private",
    THEOREM_4_7,
    Unjudged(
        "case (iii) for consistent policies that are not eps-DP: Corollary 4.4 says nothing about them; to refute it "
        "one would need a policy whose error probability is at most exp(-T/(c (log d) H_BAI)) on every instance at "
        "once, K and d without bound, from a T on that is the same for all"
    ),
    reading=Reading.LETTER,
    expect=Verdict.UNSUPPORTED,
    note="The theorem itself says 'a consistent policy'. Its section says 'under the eps-DP constraint', which is "
    "how it is read in theorem-4.7.",
)
