"""Theorem 4.7 and the lemmas of Appendix H, put together from their steps.

The instances are those of (95) throughout: K arms along the axes of d = K dimensions, means 1/2 - gamma_i with gamma_i
= gamma_1 K^{i-1} <= 1/64, and instance i with 1/2 + gamma_i instead. They do not depend on T, only which of them is the
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
    statement="Lemma H.1",
)
LEMMA_H_5 = page.source(
    "Lemma H.5, (94)",
    "Fix H-tilde > 0, beta in [0, 1), a consistent policy pi, and K-tilde > 3. For all sufficiently large T, there "
    "exists an instance v in P' with K = K-tilde, H_pri >= H-tilde and H_pri >= (H_BAI)^{1/beta} such that, P(I-hat_T "
    "!= i*(v)) > exp(-97 T/(log(K) H_pri(v)))",
    statement="Lemma H.5",
)
THEOREM_4_7 = page.source(
    "Theorem 4.7, (23)",
    "For all sufficiently large T, there exists an instance v in P such that P(I-hat_T != i*(v)) > exp(-T/(c (log "
    "d)^{beta_1} (H_BAI(v)^{beta_2} + H_pri(v)^{beta_3})))",
    statement="Theorem 4.7",
)
EQ_103 = page.source("Eqs. (102), (103)", "n_i = 4 E(N_{i,T}) [...] >= (1/4) exp(-96 T/(log(K-tilde) H_pri(v^{(i')})))")
POSITIVE = Real(0, inf)
LARGEST = 1 / 64  # of all gamma: K^-3 for K >= 4 (eq-95/means)


@chapter.inequality(
    "appendix-h/monotone",
    page.source(
        "Appendix H, before Lemma H.1",
        "That is, for any v in P', T > 0, c > 0, and [...] in [0, 1] [...] for i in {1, 2, 3}, we have [...]",
    ),
    over={"x": Real(1, inf, closed=True), "beta": Real(0, 1, closed=True), "increase": Real(0, 1, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So the bound for larger exponents implies the bound for smaller ones. Any three exponents with a sum below 3 "
    "are at most the exponents of some case in which two of the three exponents are 1.",
)
def appendix_h_monotone(m: Vocabulary, x: Number, beta: Number, increase: Number) -> Sides:
    """The formula is x^beta <= x^{beta + increase} for x >= 1. The variable x is any of the bases log(d), H_BAI and
    H_pri, which are all above 1 in P'."""
    return m.power(x, beta), m.power(x, beta + increase)


@chapter.inequality(
    "appendix-h/divergence",
    LEMMA_H_1,
    over={"gamma": Real(0, LARGEST, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The divergence of Ber(1/2 - gamma) from Ber(1/2 + gamma) is 2 gamma times the left side, so it is at most 9 "
    "gamma^2.",
)
def appendix_h_divergence(m: Vocabulary, gamma: Number) -> Sides:
    """The formula is log((1 + 2 gamma)/(1 - 2 gamma)) <= 9 gamma/2 for gamma <= 1/64."""
    return m.log((1 + 2 * gamma) / (1 - 2 * gamma)), 9 * gamma / 2


@chapter.inequality(
    "appendix-h/private-term",
    page.source("Appendix H, (87) and (92)", "H_pri(v-tilde(...)) < H_BAI(v-tilde(...)), H_pri(...) < H_BAI(...)^beta"),
    over={"i": POSITIVE, "eps": POSITIVE, "gap": POSITIVE, "excess": Real(0, inf, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="So H_pri <= (D/eps) H_BAI, where D is the largest gap. For eps = 1/2 and D <= 1/32 this bound is (87). If "
    "all gaps are small, H_pri/H_BAI is arbitrarily small. So eps need not grow.",
)
def appendix_h_private_term(m: Vocabulary, i: Number, eps: Number, gap: Number, excess: Number) -> Sides:
    """The formula bounds every term of the maxima in (15): i/(eps Delta_(i)) <= (D/eps) i/Delta_(i)^2. Here gap is
    Delta_(i), and D = gap + excess is the largest gap."""
    return i / (eps * gap), (gap + excess) / eps * i / gap**2


@chapter.inequality(
    "appendix-h/large-T",
    LEMMA_H_5,
    over={"L": POSITIVE, "excess": POSITIVE},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="So for T of at least L log 4 the factor 1/4 is absorbed by increasing the constant from 36 to 37.",
)
def appendix_h_large_t(m: Vocabulary, L: Number, excess: Number) -> Sides:
    """The formula is log 4 + 36 T/L <= 37 T/L, multiplied by L, for L = (log K) H_BAI and T = L log 4 + excess."""
    T = L * m.log(m.number(4)) + excess
    return L * m.log(m.number(4)) + 36 * T, 37 * T


@chapter.inequality(
    "eq-103/whole",
    EQ_103,
    over={"K": Whole(4), "L": POSITIVE, "excess": POSITIVE},
    reading=Reading.REPAIRED,
    formula_only=True,
    expect=Verdict.PROVED,
    note="The integers n_i = floor(4 E N_i) + 1 add up to at most 4T + K, and 12 * 2 (4T + K) = 96 T + 24 K.",
)
def eq_103_whole(m: Vocabulary, K: Number, L: Number, excess: Number) -> Sides:
    """The formula is (103) for integers n_i, log 4 + (96 T + 24 K)/L <= 97 T/L, multiplied by L. Here K = K-tilde, L =
    (log K) H_pri and T = 24 K + L log 4 + excess."""
    T = 24 * K + L * m.log(m.number(4)) + excess
    return L * m.log(m.number(4)) + 96 * T + 24 * K, 97 * T


chapter.add(
    "appendix-h/transport",
    LEMMA_H_1,
    Stated(
        "if two instances differ only in the law of arm i, then P'(the recommendation is a) >= exp(-(E[N_i] KL(nu_i, "
        "nu'_i) + log 2)/P(the recommendation is a))"
    ),
    scope="The claim is for every policy, private or not, every arm a, and all laws of rewards.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="We use this inequality in place of the argument of Carpentier and Locatelli, which Lemma H.1 cites without "
    "repeating it.",
)
chapter.add(
    "lemma-h.1/explicit",
    LEMMA_H_1,
    Stated(
        "if arm 1 is recommended on instance 0 with probability at least 1/2, and T > (log 4)(log K) H_BAI for every "
        "instance of (95), then one of these instances has an error probability above exp(-37 T/((log K) H_BAI))"
    ),
    scope="The claim is for every K >= 4, gamma_K <= 1/64 and eps, and every policy, private or not.",
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
    Consequence(
        "for large T there is an instance in P' with K >= K-tilde, H_BAI > H-tilde and error probability above "
        "exp(-401 T/(log(K) H_BAI))"
    ),
    scope="The claim covers every consistent policy.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-h.1/explicit", "chen24/eq-95/means"),
    by="the definition of consistent policies (Definition 4.6)",
    note="The lemma follows from `chen24/lemma-h.1/explicit`, because 37 <= 401 and K can be chosen. Moreover, H_BAI "
    ">= 2/(4 gamma_K^2) is large if gamma_1 is small. Arm 1 is the best arm of instance 0, which does not depend "
    "on T.",
)
chapter.add(
    "corollary-h.2/repaired",
    page.source(
        "Corollary H.2, (83)",
        "there exists an instance v in P' with K >= K-tilde, H_BAI > H-tilde and eps = eps-tilde such that, P(I-hat_T "
        "!= i*(v)) > exp(-401 T/(log(K) H_BAI(v)))",
        statement="Corollary H.2",
    ),
    Consequence(
        "for large T there is an instance in P' with K >= K-tilde, H_BAI > H-tilde, eps = eps-tilde and error "
        "probability above exp(-401 T/(log(K) H_BAI))"
    ),
    scope="The claim is for every eps-tilde < 1, as P' requires (`chen24/corollary-h.2/epsilon`). With P in place of "
    "P', the claim holds for every eps-tilde > 0.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-h.1",),
    note="The instances of Lemma H.1 work for every eps, because its bound (82) does not depend on eps.",
    related=("chen24/corollary-h.2/epsilon",),
)
chapter.add(
    "lemma-h.3",
    page.source(
        "Lemma H.3, (84)", "P(I-hat_T != i*(v)) > exp(-T/(c (log K)^beta (H_BAI(v) + H_pri(v))))", statement="Lemma H.3"
    ),
    Consequence(
        "for large T some instance in P' has an error probability above exp(-T/(c (log K)^beta (H_BAI + H_pri)))"
    ),
    scope="The claim is read as printed, in P'. The paper's proof uses large eps, which P' does not allow "
    "(`chen24/corollary-h.2/epsilon`). However, eps = 1/2 suffices.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-h.1", "chen24/appendix-h/private-term", "chen24/eq-85/repaired"),
    by="because 2 c (log K)^beta <= (log K)/401",
    note="The lemma follows with eps = 1/2, so that H_pri <= H_BAI (`chen24/appendix-h/private-term`), and with log "
    "K > (802 c)^{1/(1-beta)}.",
    related=("chen24/corollary-h.2/epsilon",),
)
chapter.add(
    "lemma-h.4",
    page.source(
        "Lemma H.4, (89)", "P(I-hat_T != i*(v)) > exp(-T/(c (log K) (H_BAI(v)^beta + H_pri(v))))", statement="Lemma H.4"
    ),
    Consequence(
        "for large T some instance in P' has an error probability above exp(-T/(c (log K) (H_BAI^beta + H_pri)))"
    ),
    scope="The claim is read as printed, in P'. For beta <= 1/2, no instance in P' satisfies the condition (92) of "
    "the paper's proof, and this condition is not needed.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-h.1", "chen24/appendix-h/private-term", "chen24/eq-105"),
    by="because c (H_BAI^beta + H_pri) <= H_BAI/401",
    note="For the proof, take K = 4, eps = 1/2, and gamma_1 so small that H_BAI > (802 c)^{1/(1-beta)} and all gaps "
    "are at most 1/(1604 c). Then both H_BAI^beta and H_pri are at most H_BAI/(802 c).",
)
chapter.add(
    "lemma-h.5",
    LEMMA_H_5,
    Consequence(
        "for large T there is an instance in P' with K = K-tilde, H_pri >= H-tilde, H_pri >= (H_BAI)^{1/beta} and "
        "error probability above exp(-97 T/(log(K) H_pri))"
    ),
    scope="The claim is about consistent policies that are eps-DP with eps < 1, which the lemma does not say "
    "(`chen24/lemma-h.5/any-policy`). For beta = 0, 1/beta is undefined, and the case beta = 1/2 is stronger.",
    reading=Reading.REPAIRED,
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
    note="The proof consists of the paper's steps (97) to (103), with integers n_i (`chen24/eq-98/whole`, "
    "`chen24/eq-103/whole`) and with (98) corrected (`chen24/eq-98/four`). The paper's proof gives '>=' in place of "
    "the '>' of the last line, but '>' holds as well.",
    related=("chen24/eq-98/four", "chen24/lemma-h.5/any-policy"),
)
chapter.add(
    "lemma-h.5/any-policy",
    LEMMA_H_5,
    Stated("for K = 4, H-tilde = 10^12 and beta = 1/2, Lemma H.5 holds for every consistent policy, private or not"),
    scope="The claim is read as printed, for policies that need not be private. The counterexample pulls all arms "
    "equally often, replaces each reward r by an independent Bernoulli(r) variable, and recommends the arm with the "
    "largest mean of these variables.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.STATEMENT,
    repaired_by=("chen24/lemma-h.5",),
    note="Section 4.3 is about policies that satisfy eps-DP. The lemma's proof needs eps-DP, because it uses "
    "Corollary 4.4. For policies that satisfy eps-DP the lemma holds (`chen24/lemma-h.5`).\n"
    "So Theorem 4.7 for policies that are not private does not follow from this lemma "
    "(`chen24/theorem-4.7/not-private`).",
    related=("chen24/theorem-4.7/not-private",),
)
chapter.add(
    "lemma-h.6",
    page.source(
        "Lemma H.6, (104)",
        "P(I-hat_T != i*(v)) > exp(-T/(c (log K) (H_BAI(v) + H_pri(v)^beta)))",
        statement="Lemma H.6",
    ),
    Consequence(
        "for large T some instance in P' has an error probability above exp(-T/(c (log K) (H_BAI + H_pri^beta)))"
    ),
    scope="The claim is about consistent policies that are eps-DP.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-h.5", "chen24/eq-105"),
    by="because H_BAI <= H_pri^beta, which is (96), and 2 c H_pri^beta <= H_pri/97 for H_pri > (194 c)^{1/(1-beta)}",
)
chapter.add(
    "theorem-4.7",
    THEOREM_4_7,
    Consequence(
        "for large T some instance in P has an error probability above exp(-T/(c (log d)^{beta_1} (H_BAI^{beta_2} + "
        "H_pri^{beta_3})))"
    ),
    scope="The claim is about consistent policies under the eps-DP constraint, as is Section 4.3. Only Lemma H.6 "
    "needs the constraint.",
    expect=Verdict.ARGUED,
    follows=(
        "chen24/lemma-h.3",
        "chen24/lemma-h.4",
        "chen24/lemma-h.6",
        "chen24/appendix-h/log",
        "chen24/appendix-h/hardness",
        "chen24/appendix-h/monotone",
    ),
    by="the three cases (i) to (iii), which differ in the exponent that is below 1",
    note="The instance may change with T, but it is always one of finitely many fixed instances. So one of them has "
    "the error probability for arbitrarily large T, which the paragraph after the theorem needs "
    "(`chen24/theorem-4.7/no-upper-bound`).",
    related=("chen24/theorem-4.7/no-upper-bound",),
)
chapter.add(
    "eq-24",
    page.source(
        "Theorem 4.7, (24)",
        "Consequently, [...] {P(I-hat_T != i*(v)) exp(T/(c (log d)^{beta_1} (H_BAI(v)^{beta_2} + "
        "H_pri(v)^{beta_3})))} >= 1",
        statement="Theorem 4.7",
    ),
    Consequence(
        "the infimum over consistent policies of lim inf_{T -> inf} of the supremum over instances of the product in "
        "(24) is at least 1"
    ),
    scope="The claim covers consistent policies under the eps-DP constraint.",
    expect=Verdict.ARGUED,
    follows=("chen24/theorem-4.7",),
)
chapter.add(
    "theorem-4.7/no-upper-bound",
    page.source(
        "Section 4.3, after (24)",
        "Theorem 4.7, proved in Appendix H, implies that for any chosen beta in [0, 1) (arbitrarily close to 1), "
        "there does not exist a consistent policy pi with an upper bound on its error probability assuming any one of "
        "the following forms for all instances v in P: exp(-Omega(T/((log d)^beta (H_BAI(v) + H_pri(v))))), "
        "exp(-Omega(T/((log d) (H_BAI(v)^beta + H_pri(v))))), or exp(-Omega(T/((log d) (H_BAI(v) + H_pri(v)^beta))))",
    ),
    Consequence(
        "for every beta in [0, 1), no consistent policy has an error probability of one of the three printed forms on "
        "all instances in P"
    ),
    scope="The claim is about consistent policies under the eps-DP constraint. The Omega has one constant for all "
    "instances, and the bound may begin at a T that depends on the instance.",
    expect=Verdict.ARGUED,
    follows=("chen24/theorem-4.7",),
    note="The proof is by contradiction: suppose the bound holds with the constant k in the Omega. Theorem 4.7 with c "
    "= 2/k gives, for every large T, an instance with a larger error probability. In the proof of Theorem 4.7, the "
    "instance is one of finitely many instances that do not depend on T. So one of these instances has this larger "
    "error probability for arbitrarily large T, which contradicts the bound.",
)
chapter.add(
    "theorem-4.7/not-private",
    THEOREM_4_7,
    Unjudged(
        "case (iii) is open for consistent policies that are not eps-DP. Corollary 4.4 does not apply to such "
        "policies. A refutation would need a policy with error probability at most exp(-T/(c (log d) H_BAI)) on all "
        "instances at once, for all K and d, from the same T on"
    ),
    reading=Reading.LETTER,
    expect=Verdict.UNSUPPORTED,
    note="The theorem itself says 'a consistent policy'. The theorem's section says 'under the eps-DP constraint', and "
    "`chen24/theorem-4.7` reads the theorem with this constraint.",
    related=("chen24/theorem-4.7",),
)
