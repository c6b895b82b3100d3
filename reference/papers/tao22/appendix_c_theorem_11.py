"""Appendix C: Lemmas 14 and 15, and the lower bound of Theorem 11."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.papers.tao22.appendix_b_theorem_10 import TWO_ARMS, gamma_of
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import ALL_ALGORITHMS, ONE_INSTANCE, SHARE, V

chapter = page.chapter("Appendix C: Theorems 11, 8 and 9")
THEOREM_11 = source(
    "Theorem 11",
    "(2-Armed LDP Instance-dependent Lower Bound). There exists a heavy-tailed two-armed bandit instance with u <= 1 "
    "in (2) and Delta = mu_1 - mu_2 in (0, 1/5), such that for any eps-LDP algorithm with eps in (0, 1] and regret <= "
    "o(T^alpha) for any alpha > 0, the regret satisfies lim inf_{T -> inf} R_T/log T >= Omega(1/(eps^2 Delta^{1/v})).",
)

LEMMA_14 = source(
    "Lemma 14",
    "(KL-divergence Decomposition). Given a bandit algorithm A, two distinct instances P_1, P_2 and a probability "
    "measure P_{AP} satisfying (25). Then KL(P_{AP_1}^T||P_{AP_2}^T) = sum_{t=1}^T E_{AP_1}[KL(A(a_t | H_t, "
    "P_1)||A(a_t | H_t, P_2))] + sum_{a=1}^K E_{AP_1}[N_a(T)] KL(X_a^1||X_a^2).",
)
DECOMPOSITION = (
    "the KL divergence of the histories is sum_t E[KL divergence of the choices of round t, given the history before "
    "it] + sum_a E[N_a(T)] KL(X_a^1||X_a^2)"
)

chapter.add(
    "lemma-14",
    LEMMA_14,
    Stated(DECOMPOSITION),
    expect=Verdict.ARGUED,
    note="`tao22/lemma-14/finite` is the same for finite divergences, which a Rocq theorem proves.",
    related=("tao22/lemma-14/finite",),
)
chapter.add(
    "lemma-14/finite",
    LEMMA_14,
    Stated(f"if all divergences and expectations on the right side are finite, {DECOMPOSITION}"),
    reading=Reading.STEP,
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
    Consequence(
        "KL(P_{AP_1}^T||P_{AP_2}^T) <= 2 min{4, e^{2 eps}} (e^eps - 1)^2 sum_a E_{AP_1}[N_a(T)] KL(X_a^1||X_a^2)"
    ),
    expect=Verdict.ARGUED,
    follows=("tao22/lemma-15/sharp",),
    by="because TV^2 <= KL/2 and 1/2 <= 2 min{4, e^{2 eps}}",
    cites="Pinsker's inequality",
    note="The version with squared total variations (`tao22/lemma-15/sharp`) is stronger. With this version, the "
    "proofs of Theorems 8, 9 and 11 give larger lower bounds (`tao22/theorem-11/raised`).",
    related=("tao22/theorem-11/raised",),
)

chapter.add(
    "lemma-15/sharp",
    LEMMA_15,
    Stated("the KL divergence of the histories is at most (e^eps - 1)^2 sum_a E[N_a(T)] TV(X_a^1, X_a^2)^2"),
    scope="The claim is for every eps > 0, and for channels that may depend on earlier messages.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="In the lemma of Duchi, Jordan and Wainwright the factor is min{4, e^{2 eps}} (e^eps - 1)^2.",
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
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The step uses gamma^{1+v} = 5 Delta gamma (`tao22/theorem-10/gamma`).",
    related=("tao22/theorem-10/gamma",),
)
def theorem_11_divergence(m: Vocabulary, gap: Number, v: Number) -> Sides:
    """The two sides of the second inequality are equal, and the formula states this. Both are (2 Delta gamma)^2/(q (1 -
    q)), where q = gamma^{1+v}/2 + Delta gamma is the probability that arm 2 pays under nu'_2."""
    unit = gap * gamma_of(m, gap, v)
    q = 5 * unit / 2 + unit
    return (2 * unit) ** 2 / (q * (1 - q)), 4 * unit / (m.number(7) / 2 * (1 - 7 * unit / 2))


@chapter.inequality(
    "theorem-11/constant",
    source(
        "Proof of Theorem 11",
        "<= 4 5^{1/v} Delta^{(1+v)/v}/((7/2) (1 - (7/2) 5^{1/v} Delta^{(1+v)/v})) <= C 5^{1/v} Delta^{(1+v)/v}, where "
        "C is some constant and the last inequality holds when Delta in (0, 1/5) is sufficiently small.",
    ),
    over={"x": SHARE, "v": V},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So Delta need not be small: C = 4 works for every Delta < 1/5.",
)
def theorem_11_constant(m: Vocabulary, x: Number, v: Number) -> Sides:
    """The formula is the last inequality with C = 4, in terms of x = 5 Delta, so that 5^{1/v} Delta^{(1+v)/v} = (x/5)
    x^{1/v}. Both sides are divided by 4 5^{1/v} Delta^{(1+v)/v} and multiplied by the denominator."""
    return m.number(1), m.number(7) / 2 * (1 - m.number(7) / 2 * (x / 5 * m.power(x, 1 / v)))


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
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.DIRECTION,
    harm=Harm.NONE,
    note="The authors mean an inequality up to a constant: they write 'e^eps - 1 ~ eps when eps is small'. Without a "
    "constant the inequality has the wrong direction, because e^eps - 1 exceeds eps and is in the denominator.\n"
    "For eps <= 1 the difference is a factor of at most (e - 1)^2, which the Omega hides "
    "(`tao22/theorem-11/eq-28/repaired`).\n"
    "The same step is in (29) and in the proof of Theorem 9.",
    related=("tao22/theorem-11/eq-28/repaired",),
)
def theorem_11_eq_28(m: Vocabulary, eps: Number) -> Sides:
    """The claim is e^eps - 1 <= eps, which the second inequality needs. The two sides are factors of the
    denominators."""
    return m.exp(eps) - 1, eps


@chapter.inequality(
    "theorem-11/eq-28/repaired",
    EQ_28,
    over={"eps": Real(0, 1, closed=True)},
    reading=Reading.REPAIRED,
    formula_only=True,
    expect=Verdict.PROVED,
)
def theorem_11_eq_28_repaired(m: Vocabulary, eps: Number) -> Sides:
    """The formula states that e^eps - 1 <= 2 eps for eps <= 1. The line holds with 32 eps^2 in place of 8 eps^2."""
    return m.exp(eps) - 1, 2 * eps


@chapter.identity(
    "theorem-11/total-variation",
    THEOREM_11,
    over=TWO_ARMS,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="With the sharper Lemma 15 the proof gives Omega(1/(eps^2 Delta^{1 + 2/v})): `tao22/theorem-11/raised`.",
    related=("tao22/theorem-11/raised",),
)
def theorem_11_total_variation(m: Vocabulary, gap: Number, v: Number) -> Sides:
    """The squared total variation of nu_2 and nu'_2, (2 Delta gamma)^2, is 4 5^{2/v} Delta^{2(1+v)/v}."""
    return (2 * gap * gamma_of(m, gap, v)) ** 2, 4 * m.power(m.number(5), 2 / v) * m.power(gap, 2 * (1 + v) / v)


chapter.add(
    "theorem-11/raised",
    THEOREM_11,
    Consequence("lim inf_{T -> inf} R_T/log T >= 1/(16 5^{2/v} eps^2 Delta^{1 + 2/v})"),
    scope="The claim is about the instance and the algorithms of Theorem 11.",
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
    by="a bound on the KL divergence of the two runs",
    cites="the inequality of Bretagnolle and Huber",
    note="The argument is that of Theorem 11 with the sharper Lemma 15. The sum of both regrets is at least (T "
    "Delta/4) e^{-KL}, and it is o(T^alpha) for every alpha > 0, so lim inf KL/log T >= 1. Moreover, KL <= (e^eps - "
    "1)^2 (2 Delta gamma)^2 E[N_2] <= 16 5^{2/v} eps^2 Delta^{2(1+v)/v} E[N_2]. Algorithm 4 attains this order "
    "(`tao22/theorem-7/rate`).",
    related=("tao22/theorem-7/rate",),
)

chapter.add(
    "theorem-11",
    THEOREM_11,
    Consequence("lim inf_{T -> inf} R_T/log T >= 5/(16 5^{1/v} eps^2 Delta^{1/v}) on the instance of the proof"),
    scope="The claim is about eps-LDP algorithms with eps in (0, 1] and with regret o(T^alpha) for every alpha > 0 "
    "on both of the proof's instances.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-11/raised",),
    by="because (5 Delta)^{(1+v)/v} <= 1, so that 5^{2/v} Delta^{1 + 2/v} <= 5^{1/v} Delta^{1/v}/5",
)

chapter.add(
    "theorem-11/letter",
    THEOREM_11,
    Stated("there is one instance on which every eps-LDP algorithm with regret o(T^alpha) has regret of this order"),
    scope=ALL_ALGORITHMS,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    same_error_as="tao22/theorem-5/letter",
    note=f"{ONE_INSTANCE}: `tao22/theorem-11`.",
    related=("tao22/theorem-11",),
)
