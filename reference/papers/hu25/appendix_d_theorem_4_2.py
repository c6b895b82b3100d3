"""Appendix D: the proof of Theorem 4.2."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, OneOf, Reading, Real, Verdict
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import ALPHA, GAP, HORIZON, POSITIVE, one, past_e, source

chapter = page.chapter("Appendix D")
EQ_19 = source(
    "Eq. (19), last step",
    "= mu_i + 0.5 Delta_i, where the last step applies L_i = (sqrt 2 + 1)^2/4 ln(T Delta_i^2 phi) ln^alpha(T)/"
    "Delta_i^2.",
)
EQ_18 = source(
    "Eq. (18), step (a)",
    "omega_1 = [...] <=^(a) sum_{t=K+1}^T E[1{i_t = i, theta_i(t) <= mu_i + 0.5 Delta_i}], where step (a) uses the "
    "argument that if both events [...] are true, and n_i(t-1) >= L_i, we have theta_i(t) <= [...] = mu_i + 0.5 "
    "Delta_i",
)
OMEGA_1 = source(
    "After eq. (23)",
    "From (22) and (23), we have omega_1 <= I_1 + I_2 <= 50 L_{1,i} + O(1/Delta_i^2) + O(ln(T)) <= "
    "O(ln(T Delta_i^2) ln^alpha(T)/Delta_i^2)",
)


@chapter.inequality(
    "theorem-4.2/eq-17",
    source(
        "Eq. (17)",
        "E[N_i(T)] = sum_{t=K+1}^T E[1{i_t = i}] + 1 [...] = sum_{s=0}^{r_i^(*)} 2^s + [...] <= 4 L_i + [...]",
    ),
    over={"L": Real(1, np.inf, True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="L_i >= 1 follows from T Delta^2 > e. 2^{r*} is a power of two and below 2 L_i.",
)
def theorem_4_2_eq_17(m: Vocabulary, L: Number) -> Sides:
    """The formula states that sum_{s=0}^{r*} 2^s <= 4 L_i with r* = ceil(log2 L_i)."""
    return 2 * f.power(m, m.number(2), m.ceil(f.log2(m, L))) - 1, 4 * L


@chapter.inequality(
    "theorem-4.2/eq-18",
    EQ_18,
    over={"T": HORIZON, "alpha": ALPHA, "gap": GAP},
    where=((one, past_e),),
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.PROOF,
    same_error_as="hu25/theorem-4.2/eq-19",
    repaired_by=("hu25/theorem-4.2/eq-18/repaired",),
    note="With the printed L_i, both events allow theta_i(t) to exceed mu_i + 0.5 Delta_i already at n = L_i, because "
    "the last step of (19) is false.\n"
    "With a larger L_i the step holds.",
)
def theorem_4_2_eq_18(m: Vocabulary, T: Number, alpha: Number, gap: Number) -> Sides:
    """The claim is step (a) with the printed L_i. It states that at n_i(t-1) = L_i, the largest theta_i(t) - mu_i that
    both events allow is at most Delta_i/2."""
    pulls, y = f.printed_enough(m, T, alpha, gap), T * gap * gap
    spread = m.sqrt(2 * m.log(y * f.phi(m, T, alpha))) * m.sqrt(f.log_power(m, T, alpha) / pulls)
    return m.sqrt(m.log(y) / pulls) + spread, gap / 2


chapter.add(
    "theorem-4.2/eq-18/repaired",
    EQ_18,
    Consequence(
        "for T Delta_i^2 >= e and L_i = 4 (sqrt 2 + 1)^2 ln(T Delta_i^2 phi) ln^alpha(T)/Delta_i^2, omega_1 is at "
        "most the sum over t of the probability that i_t = i and theta_i(t) <= mu_i + 0.5 Delta_i"
    ),
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("hu25/theorem-4.2/eq-19/mean", "hu25/theorem-4.2/eq-19/repaired"),
    by="because on both events, with n_i(t-1) >= L_i, theta_i(t) is at most the last expression of (19)",
)


@chapter.identity(
    "theorem-4.2/eq-20",
    source(
        "Eq. (20)",
        "omega_1 <= sum_{t=K+1}^T E[1{i_t = i, theta_i(t) <= mu_i + 0.5 Delta_i, T_1(t)}] + sum_{t=K+1}^T E[1{i_t = i, "
        "theta_i(t) <= mu_i + 0.5 Delta_i, not T_1(t)}]",
    ),
    over={"event": OneOf((0, 1)), "mandatory": OneOf((0, 1))},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The inequality then follows from (18), which needs the repaired L_i.",
)
def theorem_4_2_eq_20(m: Vocabulary, event: Number, mandatory: Number) -> Sides:
    """The formula is about one round: `event` is the indicator of i_t = i and theta_i(t) <= mu_i + 0.5 Delta_i, and
    `mandatory` is the indicator of T_1(t)."""
    return event, event * mandatory + event * (1 - mandatory)


@chapter.identity(
    "theorem-4.2/eq-19",
    EQ_19,
    over={"T": HORIZON, "alpha": ALPHA, "gap": GAP},
    where=((one, past_e),),
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.PROOF,
    repaired_by=("hu25/theorem-4.2/eq-19/repaired",),
    note="With the printed L_i the left side is 2 D, four times the right side: the 4 belongs in the numerator. With "
    "this repair L_i grows by a factor of 16, all other steps hold, and only the hidden constant of Theorem 4.2 grows.",
)
def theorem_4_2_eq_19(m: Vocabulary, T: Number, alpha: Number, gap: Number) -> Sides:
    """The step is read with L_i = ((sqrt 2 + 1)^2/4) ln(T D^2 phi) ln^alpha(T)/D^2 and T D^2 >= e."""
    return f.overshoot(m, T, alpha, gap, f.printed_enough(m, T, alpha, gap)), gap / 2


@chapter.identity(
    "theorem-4.2/eq-19/repaired",
    EQ_19,
    over={"T": HORIZON, "alpha": ALPHA, "gap": POSITIVE},
    where=((one, past_e),),
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
)
def theorem_4_2_eq_19_repaired(m: Vocabulary, T: Number, alpha: Number, gap: Number) -> Sides:
    """The step is read with L_i = 4 (sqrt 2 + 1)^2 ln(T D^2 phi) ln^alpha(T)/D^2."""
    return f.overshoot(m, T, alpha, gap, f.repaired_enough(m, T, alpha, gap)), gap / 2


@chapter.inequality(
    "theorem-4.2/eq-22",
    source(
        "Eq. (22)",
        "sum_{s=0}^{r_1^(*)-1} 2^{s+1} * E[1/P{theta_{1,2^s} > mu_1 - 0.5 Delta_i | mu-hat_{1,2^s}} - 1] [...] <= "
        "12.34 from (7)",
    ),
    over={"L": Real(1, np.inf, True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_4_2_eq_22(m: Vocabulary, L: Number) -> Sides:
    """The formula states that sum_{s=0}^{r*-1} 2^{s+1} 12.34 <= 50 L_{1,i}, r* = ceil(log2 L_{1,i})."""
    return m.number("12.34") * (2 * f.power(m, m.number(2), m.ceil(f.log2(m, L))) - 2), 50 * L


@chapter.inequality(
    "theorem-4.2/eq-19/mean",
    source(
        "Eq. (19), second step",
        "<= mu_i + sqrt(ln(T Delta_i^2 * phi)/L_i) + sqrt(2 ln(T Delta_i^2 * phi)) * sqrt(ln^alpha(T)/n_i(t-1))",
    ),
    over={
        "log_y": Real(1, np.inf, True),
        "log_phi": Real(0, np.inf, True),
        "L": Real(0, np.inf),
        "more": Real(0, np.inf, True),
    },
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The formula compares the squares of both sides. The proof also uses phi >= 1, which holds for T >= 3.",
)
def theorem_4_2_eq_19_mean(m: Vocabulary, log_y: Number, log_phi: Number, L: Number, more: Number) -> Sides:
    """The formula is sqrt(ln(T D^2)/n) <= sqrt(ln(T D^2 phi)/L_i) for n >= L_i."""
    return log_y / (L + more), (log_y + log_phi) / L


@chapter.identity(
    "theorem-4.2/eq-22/tail",
    OMEGA_1,
    over={"T": HORIZON, "gap": POSITIVE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="As sum_{s <= log2 T} 2^{s+1} < 4 T, the constant is 288.",
)
def theorem_4_2_eq_22_tail(m: Vocabulary, T: Number, gap: Number) -> Sides:
    """The formula is about the part of I_1 from the epochs beyond r_1: sum_{s <= log T} 2^{s+1} 72/(T D^2) is
    O(1/D^2)."""
    return 4 * T * (72 / (T * gap * gap)), 288 / (gap * gap)


@chapter.inequality(
    "theorem-4.2/eq-23",
    source("Eq. (23), I_2", "sum_t sum_{s <= log T} O(1/T) <= O(ln T)"),
    over={"log_T": Real(1, np.inf, True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The bound 3/T of Lemma 4.1 gives 3 (log2 T + 1), which is at most 8 ln T.",
)
def theorem_4_2_eq_23(m: Vocabulary, log_T: Number) -> Sides:
    return 3 * (log_T / m.log(m.number(2)) + 1), 8 * log_T


def by_eq_24(m: Vocabulary, v: Number, x: Number, log_T: Number, **others: Number) -> Sides:
    """ln T <= v x (claim eq-24)."""
    return log_T, v * x


@chapter.inequality(
    "theorem-4.2/omega-1",
    OMEGA_1,
    over={
        "v": Real(1, np.inf, True),
        "w": Real(1, np.inf, True),
        "x": Real(1, np.inf, True),
        "log_T": Real(1, np.inf, True),
    },
    where=(by_eq_24,),
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="In the formula, v = ln(T D^2) > 1, w = ln^alpha T >= 1, x = 1/D^2 >= 1, and ln T <= v x "
    "(`hu25/theorem-4.2/eq-24`).",
    related=("hu25/theorem-4.2/eq-24",),
)
def theorem_4_2_omega_1(m: Vocabulary, v: Number, w: Number, x: Number, log_T: Number) -> Sides:
    """The formula is the last of the three inequalities alone, with its constant written out: 1462."""
    left = 200 * (1 + m.sqrt(m.number(2))) ** 2 * v * w * x + 288 * x + 8 * log_T
    right = (200 * (1 + m.sqrt(m.number(2))) ** 2 + 296) * v * w * x
    return left, right


@chapter.inequality(
    "theorem-4.2/eq-24",
    OMEGA_1,
    over={"T": HORIZON, "gap": Real(0, 1, True)},
    where=((one, past_e),),
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="The formula has constant 1 and alpha = 0, the hardest case. Equality holds at D = 1. The step uses T D^2 > "
    "e.",
)
def theorem_4_2_eq_24(m: Vocabulary, T: Number, gap: Number) -> Sides:
    """The formula states that O(ln T) is O(ln(T D^2) ln^alpha(T)/D^2)."""
    return m.log(T), m.log(T * gap * gap) / (gap * gap)


@chapter.identity(
    "theorem-4.2/eq-25",
    source(
        "Eq. (25)",
        "= sum_{i in [K]: Delta_i > 0} O(ln(c_0 T^{0.5(1-alpha)} ln^{0.5(3-alpha)}(T) T Delta_i^2) "
        "ln^alpha(T)/Delta_i) <= sum_{i in [K]: Delta_i > 0} O(ln(T^{0.5(3-alpha)} Delta_i^2) ln^alpha(T)/Delta_i) + "
        "O((3-alpha) ln ln(T) ln^alpha(T)/Delta_i)",
    ),
    over={"T": HORIZON, "alpha": ALPHA, "gap": POSITIVE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_4_2_eq_25(m: Vocabulary, T: Number, alpha: Number, gap: Number) -> Sides:
    """The two sides are compared in logarithms: ln(phi T D^2) = ln(T^{0.5(3-alpha)} D^2) + 0.5 (3-alpha) ln ln T + ln
    c_0."""
    left = m.log(f.phi(m, T, alpha) * T * gap * gap)
    right = m.log(f.power(m, T, (3 - alpha) / 2) * gap * gap) + (3 - alpha) / 2 * m.log(m.log(T)) + m.log(f.c_0(m))
    return left, right


@chapter.identity(
    "theorem-4.2/worst-case/balance",
    source(
        "Theorem 4.2",
        "The problem-dependent regret bound of DP-TS-UCB with trade-off parameter alpha in [0, 1] is sum_{i: "
        "Delta_i > 0} O(ln(T^{0.5(3-alpha)} Delta_i^2) ln^alpha(T)/Delta_i + (3-alpha) ln ln(T) "
        "ln^alpha(T)/Delta_i). The worst-case regret bound of DP-TS-UCB with trade-off parameter alpha in [0, 1] "
        "is O(sqrt(KT) ln^{0.5(1+alpha)}(T)).",
    ),
    over={"T": HORIZON, "alpha": ALPHA, "K": Real(1, np.inf, True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="D_* = sqrt(K ln^{1+alpha}(T)/T) balances small and large gaps. The last display prints sqrt(K T) "
    "ln^{1+alpha}(T), but the theorem has the square root of the logarithmic factor.",
)
def theorem_4_2_worst_case_balance(m: Vocabulary, T: Number, alpha: Number, K: Number) -> Sides:
    """The formula is the algebra of the worst-case bound: T D_* = K ln^{1+alpha}(T)/D_*."""
    left = K * f.power(m, m.log(T), 1 + alpha) / m.sqrt(K * f.power(m, m.log(T), 1 + alpha) / T)
    right = T * m.sqrt(K * f.power(m, m.log(T), 1 + alpha) / T)
    return left, right


@chapter.inequality(
    "theorem-4.2/worst-case/small-T",
    source(
        "Theorem 4.2, the proof of its worst case",
        "For the proof of worst-case regret bound, we set the critical gap Delta_* := sqrt(K ln^{1+alpha}(T)/T).",
    ),
    over={},
    strict=True,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="At K = 2, T = 3 and alpha = 0 the left side is 2.197, below e = 2.718. The inequality fails for finitely "
    "many T only, and for these T the regret is at most T, so the order is not affected.",
)
def theorem_4_2_worst_case_small_t(m: Vocabulary) -> Sides:
    """The proof needs T D_*^2 = K ln^{1+alpha} T > e. This inequality fails at K = 2, T = 3, alpha = 0."""
    return 2 * m.log(m.number(3)), m.exp(m.number(1))
