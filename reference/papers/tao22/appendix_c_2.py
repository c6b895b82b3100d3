"""Appendix C, second part: Lemmas 14 and 15, and the lower bounds, Theorems 11, 8 and 9."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.appendix_b_3 import FIFTH, TWO_ARMS, gamma_of, s_of
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import ALL_ALGORITHMS, ONE_INSTANCE, POSITIVE, SHARE, W

chapter = page.chapter("Appendix C: Theorems 11, 8 and 9")
THEOREM_11 = source(
    "Theorem 11",
    "(2-Armed LDP Instance-dependent Lower Bound). There exists a heavy-tailed two-armed bandit instance with u <= 1 "
    "in (2) and Delta = mu_1 - mu_2 in (0, 1/5), such that for any eps-LDP algorithm with eps in (0, 1] and regret <= "
    "o(T^alpha) for any alpha > 0, the regret satisfies lim inf_{T -> inf} R_T/log T >= Omega(1/(eps^2 Delta^{1/v})).",
)
THEOREM_8 = source(
    "Theorem 8 (LDP Instance-dependent Lower Bound)",
    "There exists a heavy-tailed K-armed bandit instance with u <= 1 in (2) and Delta_a = mu_1 - mu_a in (0, 1/5), "
    "such that for any eps-LDP (0 < eps <= 1) algorithm whose regret <= o(T^alpha) for any alpha > 0, the regret "
    "satisfies lim inf_{T -> inf} R_T/log T >= Omega((1/eps^2) sum_{Delta_a > 0} (1/Delta_a)^{1/v}).",
)
THEOREM_9 = source(
    "Theorem 9 (LDP Instance-independent Lower Bound)",
    "There exists a heavy-tailed K-armed bandit instance with the (1+v)-th bounded moment of each reward distribution "
    "is bounded by 1. Moreover, if T is large enough, for any the eps-LDP algorithm A with eps in (0, 1], the "
    "expected regret must satisfy R_T >= Omega((K/eps^2)^{v/(1+v)} T^{1/(1+v)}).",
)


chapter.add(
    "lemma-14",
    source(
        "Lemma 14",
        "(KL-divergence Decomposition). Given a bandit algorithm A, two distinct instances P_1, P_2 and a probability "
        "measure P_{AP} satisfying (25). Then KL(P_{AP_1}^T||P_{AP_2}^T) = sum_{t=1}^T E_{AP_1}[KL(A(a_t | H_t, "
        "P_1)||A(a_t | H_t, P_2))] + sum_{a=1}^K E_{AP_1}[N_a(T)] KL(X_a^1||X_a^2).",
    ),
    Stated(
        "KL of the histories = sum_t E[KL of the choices of round t, given the history before] + sum_a E[N_a(T)] "
        "KL(X_a^1||X_a^2)"
    ),
    expect=Verdict.ARGUED,
)


LEMMA_15 = source(
    "Lemma 15",
    "(Locally Private KL-divergence Decomposition). If the reward generation process is eps-local differentially "
    "private for both the instance P_1 and P_2, Then we have KL(P_{AP_1}^T||P_{AP_2}^T) <= 2 min{4, e^{2 eps}} (e^eps "
    "- 1)^2 sum_{a=1}^K E_{AP_1}[N_a(T)] KL(X_a^1||X_a^2).",
)


chapter.add(
    "lemma-15",
    LEMMA_15,
    Consequence("the inequality with the squared total variation is sharper"),
    expect=Verdict.ARGUED,
    follows=("tao22/lemma-15/sharp",),
    by="Pinsker's inequality, TV^2 <= KL/2, and 1/2 <= 2 min{4, e^{2 eps}}",
    note="By Pinsker's inequality the lower bounds lose half of the exponent (tao22/theorem-11/raised).",
)


chapter.add(
    "lemma-15/sharp",
    LEMMA_15,
    Stated("KL of the histories <= (e^eps - 1)^2 sum_a E[N_a(T)] TV(X_a^1, X_a^2)^2"),
    scope="For every eps > 0, and channels that may hang on the messages before.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="After Duchi, Jordan and Wainwright, whose factor is min{4, e^{2 eps}} (e^eps - 1)^2.",
)


chapter.add(
    "theorem-11/chi-square",
    source(
        "Proof of Theorem 11", "By using KL(Ber(p)||Ber(q)) <= (p - q)^2/(q(1 - q)), we obtain KL(nu_2||nu'_2) [...]"
    ),
    Stated("KL(Ber(p)||Ber(q)) <= (p - q)^2/(q (1 - q)) for p and q between 0 and 1"),
    expect=Verdict.ARGUED,
)


@chapter.identity(
    "theorem-11/divergence",
    source(
        "Proof of Theorem 11",
        "KL(nu_2||nu'_2) <= [...] <= 4 5^{1/v} Delta^{(1+v)/v}/((7/2) (1 - (7/2) 5^{1/v} Delta^{(1+v)/v})) <= C "
        "5^{1/v} Delta^{(1+v)/v},",
    ),
    over=TWO_ARMS,
    expect=Verdict.PROVED,
    note="With gamma^{1+v} = 5 Delta gamma (tao22/theorem-10/gamma).",
)
def theorem_11_divergence(m: Vocabulary, gap: Number, w: Number) -> Sides:
    """As a formula: (2 Delta gamma)^2/(q (1 - q)) with the chance q = gamma^{1+v}/2 + Delta gamma of nu'_2."""
    unit = gap * gamma_of(m, gap, w)
    q = 5 * unit / 2 + unit
    return (2 * unit) ** 2 / (q * (1 - q)), 4 * unit / (m.number(7) / 2 * (1 - 7 * unit / 2))


@chapter.inequality(
    "theorem-11/constant",
    source(
        "Proof of Theorem 11",
        "<= 4 5^{1/v} Delta^{(1+v)/v}/((7/2) (1 - (7/2) 5^{1/v} Delta^{(1+v)/v})) <= C 5^{1/v} Delta^{(1+v)/v}, where "
        "C is some constant and the last inequality holds when Delta in (0, 1/5) is sufficiently small.",
    ),
    over={"gap": FIFTH, "gamma": SHARE},
    expect=Verdict.PROVED,
    note="C = 4 serves every Delta < 1/5.",
)
def theorem_11_constant(m: Vocabulary, gap: Number, gamma: Number) -> Sides:
    """Divided by 4 5^{1/v} Delta^{(1+v)/v}; gamma = (5 Delta)^{1/v} < 1."""
    return m.number(1), m.number(7) / 2 * (1 - 7 * gap / 2 * gamma)


EQ_28 = source(
    "Eq. (28)",
    "E_{A P-bar_1}[N_2(T)] >= (log(T Delta/4) - log(E[R^A_{T,P-bar_1}] + E[R^A_{T,P-bar_2}]))/(8 (e^eps - 1)^2 "
    "KL(nu_2||nu'_2)) >= (log(T Delta/4) - 2 alpha log T)/(8 eps^2 KL(nu_2||nu'_2)), where the last inequality is due "
    "to the assumption of sub-linear regret R_T <= o(T^alpha) and the fact that e^eps - 1 ~ eps when eps is small.",
)


@chapter.inequality(
    "theorem-11/eq-28",
    EQ_28,
    over={"eps": Real(0, 1)},
    expect=Verdict.REFUTED,
    fault=Fault.DIRECTION,
    harm=Harm.PROOF,
    note="e^eps - 1 exceeds eps, and stands in the denominator; that both are about equal for small eps does not turn "
    "the inequality. A factor of at most (e - 1)^2 for eps <= 1, which the Omega takes. So in (29) and in Theorem 9.",
)
def theorem_11_eq_28(m: Vocabulary, eps: Number) -> Sides:
    """The factor of the denominators: it takes e^eps - 1 <= eps."""
    return m.exp(eps) - 1, eps


@chapter.inequality(
    "theorem-11/eq-28/repaired",
    EQ_28,
    over={"eps": Real(0, 1, closed=True)},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
)
def theorem_11_eq_28_repaired(m: Vocabulary, eps: Number) -> Sides:
    """As a formula: e^eps - 1 <= 2 eps for eps <= 1, 32 eps^2 in the place of 8 eps^2."""
    return m.exp(eps) - 1, 2 * eps


@chapter.identity(
    "theorem-11/total-variation",
    THEOREM_11,
    over=TWO_ARMS,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="With the sharper Lemma 15 the proof gives Omega(1/(eps^2 Delta^{1 + 2/v})): tao22/theorem-11/raised.",
)
def theorem_11_total_variation(m: Vocabulary, gap: Number, w: Number) -> Sides:
    """As a formula: the squared total variation of nu_2 and nu'_2, (2 Delta gamma)^2, is 4 5^{2/v} Delta^{2(1+v)/v}."""
    return (2 * gap * gamma_of(m, gap, w)) ** 2, 4 * f.power(m, m.number(5), 2 * w) * f.power(m, gap, 2 + 2 * w)


chapter.add(
    "theorem-11/raised",
    THEOREM_11,
    Consequence("the proof of Theorem 11 with the sharper Lemma 15"),
    scope="lim inf R_T/log T >= 1/(16 5^{2/v} eps^2 Delta^{1 + 2/v}), on the same instance and for the same "
    "algorithms.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=(
        "tao22/lemma-15/sharp",
        "tao22/theorem-10/mean-1",
        "tao22/theorem-10/mean-2",
        "tao22/theorem-10/mean-2/changed",
        "tao22/theorem-10/moment-1",
        "tao22/theorem-10/moment-2",
        "tao22/theorem-10/moment-2/changed",
        "tao22/theorem-10/reasonable",
        "tao22/theorem-11/total-variation",
        "tao22/theorem-11/eq-28/repaired",
    ),
    by="the inequality of Bretagnolle and Huber: (T Delta/4) e^{-KL} is at most the sum of both regrets, which is "
    "o(T^alpha) for every alpha > 0, so that lim inf KL/log T >= 1; and KL <= (e^eps - 1)^2 (2 Delta gamma)^2 E[N_2] "
    "<= 16 5^{2/v} eps^2 Delta^{2(1+v)/v} E[N_2]",
    note="The order that Algorithm 4 has (tao22/theorem-7/rate): the rate of the problem.",
)


chapter.add(
    "theorem-11",
    THEOREM_11,
    Consequence("a larger lower bound on the same instance"),
    scope="lim inf R_T/log T >= 5/(16 5^{1/v} eps^2 Delta^{1/v}).",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-11/raised",),
    by="(5 Delta)^{(1+v)/v} <= 1, so that 5^{2/v} Delta^{1 + 2/v} <= 5^{1/v} Delta^{1/v}/5",
)


chapter.add(
    "theorem-11/letter",
    THEOREM_11,
    Stated("one instance on which every eps-LDP algorithm with regret o(T^alpha) has regret of this order"),
    scope=ALL_ALGORITHMS,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    same_error_as="tao22/theorem-5/letter",
    note=f"{ONE_INSTANCE}: tao22/theorem-11.",
)


# -- Theorem 8 -----------------------------------------------------------------------------------------------------


@chapter.inequality(
    "theorem-8/chances",
    source(
        "Proof of Theorem 8",
        "Note that, s_a^{1+v}/2 + 2 Delta_a s_a = 2^{1/v} mu_a^{(1+v)/v} + 2^{(1+v)/v} Delta_a mu_a^{1/v} <= mu_a + 2 "
        "Delta_a = mu_1 + Delta_a <= 1, where the first inequality is due to mu_a <= 1/2, hence the postulated nu'_a "
        "is reasonable.",
    ),
    over={"mean": Real(0, 0.5, closed=True)},
    expect=Verdict.PROVED,
    note="Both terms have the factor (2 mu)^{1/v}.",
)
def theorem_8_chances(m: Vocabulary, mean: Number) -> Sides:
    """(2 mu_a)^{1/v} <= 1: both sides to the power v."""
    return 2 * mean, m.number(1)


@chapter.identity(
    "theorem-8/moment/changed",
    source(
        "Proof of Theorem 8",
        "For nu'_a, we have E[nu'_a] = mu_a + 2 Delta_a = mu_1 + Delta_a and u(nu'_a) = 1/2 + Delta_a/mu_a <= 1, "
        "where the inequality is due to Delta_a <= (1/2) mu_a.",
    ),
    over={"mean": SHARE, "gap": FIFTH, "w": W},
    expect=Verdict.PROVED,
)
def theorem_8_moment(m: Vocabulary, mean: Number, gap: Number, w: Number) -> Sides:
    """As a formula: what 2 Delta s adds to the moment 1/2."""
    s = s_of(m, mean, w)
    return 2 * gap * s / f.power(m, s, 1 + 1 / w), gap / mean


DIVERGENCE_8 = source(
    "Proof of Theorem 8",
    "KL(nu_a||nu'_a) = KL(Ber(s_a^{1+v}/2)||Ber(s_a^{1+v}/2 + 2 Delta_a s_a)) <= [...] <= 25^{1/v} "
    "Delta_a^{(1+v)/v}/(1 - 7 10^{1/v} Delta_a^{(1+v)/v}) <= C 25^{1/v} Delta_a^{(1+v)/v}, where C is some constant "
    "and the last inequality holds since (1/5) mu_a <= Delta_a <= (1/2) mu_a and mu_a <= 1/2.",
)


@chapter.inequality(
    "theorem-8/divergence",
    DIVERGENCE_8,
    over={"gap": Real(0, 1 / 6), "w": W},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.PROOF,
    note="mu_1 <= 1/2 and Delta_a <= mu_a/2 allow gaps up to 1/6; at v = 1 the bound is negative from 0.12 on. "
    "(The line before is copied from Theorem 11, with gamma where s_a is meant.) An instance with small gaps is enough "
    "for the theorem, and the line holds for all that are allowed with another denominator "
    "(tao22/theorem-8/divergence/repaired).",
)
def theorem_8_divergence(m: Vocabulary, gap: Number, w: Number) -> Sides:
    """The denominator is not negative."""
    return 7 * f.power(m, m.number(10), w) * f.power(m, gap, 1 + w), m.number(1)


@chapter.inequality(
    "theorem-8/divergence/chance",
    DIVERGENCE_8,
    over={"x": Real(2, 5, closed=True)},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="q = s_a (mu_a + 2 Delta_a) with mu_a = x Delta_a, where mu_a + Delta_a <= 1/2 makes Delta_a <= 1/(2(1+x)) "
    "and s_a <= 2 mu_a.",
)
def theorem_8_divergence_chance(m: Vocabulary, x: Number) -> Sides:
    """As a formula: the chance of nu'_a is at most 1/2."""
    return x * (x + 2) / (2 * (1 + x) ** 2), m.number("0.5")


@chapter.inequality(
    "theorem-8/divergence/repaired",
    DIVERGENCE_8,
    over={"x": Real(2, 5, closed=True), "w": W},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="So KL <= (2 Delta s)^2/(q/2) <= 2 25^{1/v} Delta^{(1+v)/v}, with 1 - q >= 1/2.",
)
def theorem_8_divergence_repaired(m: Vocabulary, x: Number, w: Number) -> Sides:
    """As a formula: 4 Delta^2 s/(mu + 2 Delta) <= 25^{1/v} Delta^{(1+v)/v}, mu = x Delta; in logarithms."""
    return w * m.log(2 * x) + m.log(4 / (x + 2)), w * m.log(m.number(25))


@chapter.inequality(
    "theorem-8/total-variation",
    source(
        "Proof of Theorem 8",
        "We focus on the K arms with mean reward satisfying 1/2 >= mu_1 >= ... >= mu_K and (1/5) mu_a <= Delta_a <= "
        "(1/2) mu_a.",
    ),
    over={"x": Real(2, 5, closed=True), "gap": FIFTH},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="So the total variation of nu_a and nu'_a, 2 Delta s_a, is at most 2 10^{1/v} Delta^{(1+v)/v}.",
)
def theorem_8_total_variation(m: Vocabulary, x: Number, gap: Number) -> Sides:
    """s_a = (2 mu_a)^{1/v} <= (10 Delta_a)^{1/v} with mu_a = x Delta_a, to the power v."""
    return 2 * x * gap, 10 * gap


chapter.add(
    "theorem-8/raised",
    THEOREM_8,
    Consequence("the proof of Theorem 8 with the sharper Lemma 15"),
    scope="lim inf R_T/log T >= sum 1/(16 10^{2/v} eps^2 Delta_a^{1 + 2/v}), on the proof's instances and for the same "
    "algorithms.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=(
        "tao22/lemma-15/sharp",
        "tao22/theorem-5/mean",
        "tao22/theorem-5/moment",
        "tao22/theorem-8/chances",
        "tao22/theorem-8/moment/changed",
        "tao22/theorem-8/total-variation",
        "tao22/theorem-11/eq-28/repaired",
    ),
    by="the inequality of Bretagnolle and Huber for every arm a: nu'_a has the mean mu_1 + Delta_a, and lim inf KL/log "
    "T >= 1 as in Theorem 11",
)


chapter.add(
    "theorem-8",
    THEOREM_8,
    Consequence("a larger lower bound on the same instances"),
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-8/raised",),
    by="Delta_a < 1, so that Delta_a^{-1-2/v} >= Delta_a^{-1/v}; v is a constant",
)


chapter.add(
    "theorem-8/letter",
    THEOREM_8,
    Stated("one instance on which every eps-LDP algorithm with regret o(T^alpha) has regret of this order"),
    scope=ALL_ALGORITHMS,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    same_error_as="tao22/theorem-5/letter",
    note=f"{ONE_INSTANCE}: tao22/theorem-8.",
)


# -- Theorem 9 -----------------------------------------------------------------------------------------------------

TAKING = source(
    "Proof of Theorem 9",
    "Taking Delta = (K/(T eps^2))^{v/(1+v)}, we get the result E[R^A_{T,P-bar_1}] >= Omega(T^{1/(1+v)} "
    "(K/eps^2)^{v/(1+v)}).",
)
CHOICE = {"K": POSITIVE, "T": POSITIVE, "eps": POSITIVE, "w": W}


def chosen(m: Vocabulary, K: Number, T: Number, eps: Number, w: Number) -> Number:
    """Delta = (K/(T eps^2))^{v/(1+v)}."""
    return f.power(m, K / (T * eps * eps), 1 / (1 + w))


@chapter.identity(
    "theorem-9/exponent",
    TAKING,
    over=CHOICE,
    expect=Verdict.PROVED,
    note="So the exponent is a constant times K/(K-1).",
)
def theorem_9_exponent(m: Vocabulary, K: Number, T: Number, eps: Number, w: Number) -> Sides:
    """As a formula: eps^2 T Delta^{(1+v)/v} = K."""
    return eps * eps * T * f.power(m, chosen(m, K, T, eps, w), 1 + w), K


@chapter.identity(
    "theorem-9/rate",
    TAKING,
    over=CHOICE,
    expect=Verdict.PROVED,
    note="Of P_1 or P_i, whichever is larger: the sum of both regrets is bounded, though P_1 is printed.",
)
def theorem_9_rate(m: Vocabulary, K: Number, T: Number, eps: Number, w: Number) -> Sides:
    """As a formula: T Delta."""
    right = f.power(m, T, w / (1 + w)) * f.power(m, K / (eps * eps), 1 / (1 + w))
    return T * chosen(m, K, T, eps, w), right


@chapter.identity(
    "theorem-9/raised/exponent",
    TAKING,
    over=CHOICE,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def theorem_9_raised_exponent(m: Vocabulary, K: Number, T: Number, eps: Number, w: Number) -> Sides:
    """As a formula, with the larger Delta = (K/(T eps^2))^{v/(2(1+v))}: eps^2 T Delta^{2(1+v)/v} = K."""
    gap = f.power(m, K / (T * eps * eps), 1 / (2 * (1 + w)))
    return eps * eps * T * f.power(m, gap, 2 + 2 * w), K


@chapter.identity(
    "theorem-9/raised/rate",
    TAKING,
    over=CHOICE,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def theorem_9_raised_rate(m: Vocabulary, K: Number, T: Number, eps: Number, w: Number) -> Sides:
    """As a formula: T Delta = (K/eps^2)^q T^{1-q} with q = v/(2(1+v)) = 1/(2(1+w))."""
    q = 1 / (2 * (1 + w))
    return T * f.power(m, K / (T * eps * eps), q), f.power(m, K / (eps * eps), q) * f.power(m, T, 1 - q)


chapter.add(
    "theorem-9/raised",
    THEOREM_9,
    Consequence("the proof of Theorem 9 with the sharper Lemma 15, and a larger Delta"),
    scope="For every eps-LDP algorithm, eps in (0, 1], and every T > 25^{(1+v)/v} K/eps^2 there is an instance with "
    "R_T >= c (K/eps^2)^q T^{1-q}, where q = v/(2(1+v)) and c = e^{-32 25^{1/v}}/8.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=(
        "tao22/lemma-15/sharp",
        "tao22/theorem-10/mean-1",
        "tao22/theorem-10/mean-2",
        "tao22/theorem-10/mean-2/changed",
        "tao22/theorem-10/moment-2/changed",
        "tao22/theorem-11/total-variation",
        "tao22/theorem-11/eq-28/repaired",
        "tao22/theorem-9/raised/exponent",
        "tao22/theorem-9/raised/rate",
    ),
    by="some arm i is pulled at most T/(K-1) times in expectation; the inequality of Bretagnolle and Huber gives (T "
    "Delta/4) e^{-KL} for the sum of both regrets, with KL <= 4 eps^2 (T/(K-1)) 4 25^{1/v} Delta^{2(1+v)/v} = 16 "
    "25^{1/v} K/(K-1)",
    note="At v = 1, T^{3/4} in the place of T^{1/2}; Algorithm 4 has this order up to logarithms, by "
    "tao22/lemma-13/repaired and two groups of arms as in Theorem 4.",
)


chapter.add(
    "theorem-9",
    THEOREM_9,
    Consequence("a larger lower bound"),
    scope="For every algorithm and T there is an instance, as the proof makes it.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-9/raised",),
    by="K/(T eps^2) <= 1 for large T, and the smaller exponent of it is the larger number; v is a constant",
)


chapter.add(
    "theorem-9/letter",
    THEOREM_9,
    Stated("one instance on which every eps-LDP algorithm has regret of this order, for large T"),
    scope=ALL_ALGORITHMS,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    same_error_as="tao22/theorem-5/letter",
    note=f"{ONE_INSTANCE}: tao22/theorem-9.",
)
