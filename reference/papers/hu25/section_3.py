"""Section 3 and Table 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Unjudged, Verdict, Whole
from dpbandits.reference.curves import Curve, Gaussian
from dpbandits.reference.papers.hu25 import QuotedThompsonSampling
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import ALPHA, HORIZON, quoted_step, source

chapter = page.chapter("Section 3 and Table 1")

TS_GAUSSIAN = source(
    "Section 3",
    "Ou et al. (2024) showed that TS-Gaussian satisfies sqrt(0.5T)-GDP, before translating this GDP "
    "guarantee to (eps, delta)-DP guarantees with Theorem 2.4.",
)
M_TS_GAUSSIAN = source(
    "Section 3",
    "They proved that M-TS-Gaussian satisfies sqrt(T/(c(b+1)))-GDP, and achieves bK + sum_{i: Delta_i > 0} "
    "O(c ln(T Delta_i^2)/Delta_i) problem-dependent regret bounds and bK + O(c sqrt(KT ln K)) worst-case "
    "regret bounds.",
)


@chapter.inequality(
    "section-3/ts-gaussian-step",
    TS_GAUSSIAN,
    over={"n": Whole(1)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.GUARANTEE,
    repaired_by=("hu25/section-3/ts-gaussian/sharp",),
    same_error_as="hu25/section-3/ts-gaussian",
    note="The result sqrt(0.5 T)-GDP needs that every round is sqrt(0.5)-GDP. "
    "Every round of ou24's algorithm is sqrt(0.5)-GDP, because its mean and variance divide by n + 1. With theta ~ "
    "N(S/n, 1/n), as quoted here, a round with n = 1 is 1-GDP and no better, and composition gives sqrt(T - K). The "
    "statement about all rounds fails as well (`hu25/section-3/ts-gaussian`).",
)
def section_3_ts_gaussian_step(m: Vocabulary, n: Number) -> Sides:
    """The quoted result needs that every round is sqrt(0.5)-GDP, for theta ~ N(S/n, 1/n)."""
    return (1 / n) / m.sqrt(1 / n), m.sqrt(m.number("0.5"))


def transcript_rare(m: Vocabulary, x: Number, **others: Number) -> Sides:
    """With reward 1 the transcript of 50 rounds is no likelier than Phi(x)."""
    return f.always_other(m, 50, 1), m.ncdf(x)


@chapter.inequality(
    "section-3/ts-gaussian",
    TS_GAUSSIAN,
    over={"x": Real(-14, -12)},
    where=(transcript_rare,),
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.GUARANTEE,
    repaired_by=("hu25/section-3/ts-gaussian/sharp",),
    note="A single transcript refutes the claim for every T >= 42: both arms pay 0, the first reward of arm 0 is 0 "
    "or 1, and arm 0 is not pulled again.\n"
    "The probabilities of this transcript are 2^{-(T-2)} and the product of Phi(-1/sqrt(1 + 1/n)) over n up to T - "
    "2. So at T = 50, mu-GDP fails for every mu below 5.0369, but mu = 5 is claimed.\n"
    "At T = 10^4, mu-GDP fails for every mu below 74.1, but mu = 70.7 is claimed.\n"
    "A user who calibrates the quoted algorithm with the quoted parameter understates mu by a factor of up to 1.41.",
    repair="Claim sqrt(T - K)-GDP (`hu25/section-3/ts-gaussian/sharp`), or use ou24's algorithm, which divides by n "
    "+ 1.",
)
def section_3_ts_gaussian(m: Vocabulary, x: Number) -> Sides:
    """The claim is about all T = 50 rounds of two arms, with theta ~ N(S/n, 1/n) after one pull of each arm. A test
    with type I error Phi(x) then has power at most Phi(x + sqrt(0.5 T))."""
    return f.always_other(m, 50, 0), m.ncdf(x + m.sqrt(m.number(25)))


@chapter.private(
    "section-3/ts-gaussian-round",
    TS_GAUSSIAN,
    "history",
    "arms",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.GUARANTEE,
    same_error_as="hu25/section-3/ts-gaussian",
    subject=quoted_step,
    params=({"used": 1, "variance": 1.0, "others": (10**6,), "reward": 0.5},),
    note="Suppose arm 0 was pulled once and arm 1 a million times. Then the released arm is almost a threshold test "
    "of N(0, 1) against N(1, 1), so the round is not sqrt(0.5)-GDP. The statement about all rounds fails as well "
    "(`hu25/section-3/ts-gaussian`).",
)
def section_3_ts_gaussian_round(step: Any) -> Curve | None:
    """The claim is about a single round of the run, with theta ~ N(S/n, 1/n)."""
    return Gaussian(float(np.sqrt(0.5)))


@chapter.private(
    "section-3/ts-gaussian/sharp",
    TS_GAUSSIAN,
    "pull",
    "arms",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    subject=QuotedThompsonSampling,
    params=tuple({"arms": 2, "horizon": T} for T in (5, 20)),
    more_params=({"arms": 2, "horizon": 50},),
    follows=("hu25/section-3/m-ts-gaussian/every-run",),
    note="Only T - K rounds use rewards, and each of them is 1-GDP.",
)
def section_3_ts_gaussian_sharp(p: Any) -> Curve | None:
    """The claim has the parameter sqrt(T - K), which composition gives for the algorithm as quoted."""
    return Gaussian(float(np.sqrt(p.horizon - p.arms)))


chapter.add(
    "section-3/ts-gaussian/order",
    TS_GAUSSIAN,
    Stated("for two arms and every T >= 50, the quoted TS-Gaussian is mu-GDP for no mu < 0.7 sqrt(T)"),
    scope="For two arms and every T >= 50, the quoted TS-Gaussian is mu-GDP for no mu below 0.7 sqrt(T).",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="So the order is sqrt(T). With the upper bound sqrt(T - K), the parameter is known up to a factor of 1.43. "
    "In the limit, the transcript of `hu25/section-3/ts-gaussian` gives (sqrt(-2 ln Q(1)) - sqrt(2 ln 2)) sqrt(T) = "
    "0.741 sqrt(T).",
    related=("hu25/section-3/ts-gaussian",),
)


chapter.add(
    "section-3/may-not-be-tight",
    source(
        "Section 3",
        "The order of sqrt(T)-GDP guarantee from TS-Gaussian and M-TS-Gaussian may not be tight when T is large.",
    ),
    Unjudged(
        "the sentence says 'may', so it claims nothing that could be false. For TS-Gaussian the order of the GDP "
        "parameter is tight (`hu25/section-3/ts-gaussian/order`)"
    ),
    expect=Verdict.UNSUPPORTED,
    note="At a fixed delta the sentence is right: the eps of ou24's algorithm grows more slowly than any power of T "
    "(`ou24/theorem-3/law/any-arms`), but sqrt(T/2)-GDP gives an eps of order T.",
    related=("hu25/section-3/ts-gaussian/order", "ou24/theorem-3/law/any-arms"),
)


@chapter.inequality(
    "section-3/m-ts-gaussian-step",
    M_TS_GAUSSIAN,
    over={"b": Whole(1), "c": Real(0.01, 100)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.GUARANTEE,
    repaired_by=("hu25/section-3/m-ts-gaussian-step/one-more",),
    same_error_as="hu25/section-3/ts-gaussian",
    note="With variance c/n, a round with n = b is 1/sqrt(c b)-GDP. The printed rate is right for ou24's variance "
    "c/(n + 1), or for n >= b + 1. At b = 0 the quoted variance is undefined, unless arms were pulled before.\n"
    "The statement about all rounds fails as well in the literal reading (`hu25/section-3/m-ts-gaussian`).",
    related=("hu25/section-3/m-ts-gaussian",),
)
def section_3_m_ts_gaussian_step(m: Vocabulary, b: Number, c: Number) -> Sides:
    """The claim is the rate of a single round that the quoted result needs, for the quoted variance c/n_i and b earlier
    pulls of the arm, all of them pre-pulls."""
    return (1 / b) / m.sqrt(c / b), 1 / m.sqrt(c * (b + 1))


@chapter.inequality(
    "section-3/m-ts-gaussian",
    M_TS_GAUSSIAN,
    over={"x": Real(-14, -12)},
    where=(transcript_rare,),
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.GUARANTEE,
    repaired_by=("hu25/section-3/m-ts-gaussian/one-more",),
    same_error_as="hu25/section-3/ts-gaussian",
    note="The transcript that refutes `hu25/section-3/ts-gaussian` also refutes this claim at b = c = 1. By "
    "composition the algorithm as quoted is sqrt((T - bK)/(c b))-GDP for b >= 1, so the printed number understates "
    "mu by a factor of up to sqrt(1 + 1/b).\n"
    "The printed number is right for ou24's Algorithm 2, whose variance is c/(n+1).\n"
    "The printed number is also right if b pulls are made in addition to the one pull that TS-Gaussian needs "
    "(`hu25/section-3/m-ts-gaussian/one-more`).\n"
    "The paper does not mention these additional pulls.",
)
def section_3_m_ts_gaussian(m: Vocabulary, x: Number) -> Sides:
    """The claim covers all T = 50 rounds of two arms with variance c/n_i, and the b pre-pulls are the only earlier
    pulls. The claim is tested at b = c = 1, where the algorithm is TS-Gaussian."""
    return f.always_other(m, 50, 0), m.ncdf(x + f.quoted_eta(m, m.number(50), 1, 1))


chapter.add(
    "section-3/lower-bounds",
    source("Section 3", "Our theoretical results are compatible with these established lower bounds"),
    Unjudged("the lower bounds are results of other papers, with unnamed constants, for pure or approximate privacy"),
    expect=Verdict.UNSUPPORTED,
)


chapter.add(
    "table-1/m-ts-g-regret",
    source("Table 1", "bK + O(cK ln(T Delta^2)/Delta)"),
    Unjudged(
        "the row gives orders without constants; Theorem 5 of ou24 proves these orders for an algorithm that divides "
        "by n + 1, and not for N(S/n, c/n) as quoted here"
    ),
    expect=Verdict.UNSUPPORTED,
    scope="The claim is about the regret bounds of M-TS-Gaussian in all three rows, in Section 3 and in the "
    "discussion of Section 4.3.",
)


chapter.add(
    "table-1/regret-alpha-0",
    source("Table 1", "O(K ln(T^1.5 Delta^2)/Delta + K ln ln(T)/Delta)"),
    Consequence("at alpha = 0 the regret of DP-TS-UCB is O(K ln(T^1.5 Delta^2)/Delta + K ln ln(T)/Delta)"),
    scope="The claim is for alpha = 0 and T D^2 > e.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("hu25/theorem-4.2/problem-dependent",),
    by="Theorem 4.2",
)


chapter.add(
    "table-1/ts-g",
    source("Table 1", "O(K ln(T Delta^2)/Delta)"),
    Unjudged(
        "the row gives orders without constants; `ou24/theorem-2` shows these orders for ou24's algorithm, which "
        "divides by n + 1, and not for the samples N(S/n, 1/n) quoted here"
    ),
    expect=Verdict.UNSUPPORTED,
    related=("ou24/theorem-2",),
)


@chapter.identity(
    "table-1/dp-ts-ucb/formula",
    source("Table 1", "O(T^{0.25(1-alpha)} ln^{0.75(1-alpha)}(T))"),
    over={"T": HORIZON, "alpha": ALPHA},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The rows alpha = 0 and alpha = 1 are the ends of the formula's range. The hidden constant is sqrt(2 c_0).",
)
def table_1_dp_ts_ucb_formula(m: Vocabulary, T: Number, alpha: Number) -> Sides:
    """The parameter of Theorem 4.4 is written in the form of the row."""
    left = f.theorem_4_4_eta(m, T, alpha)
    right = m.sqrt(2 * f.c_0(m)) * f.power(m, T, (1 - alpha) / 4) * f.power(m, m.log(T), 3 * (1 - alpha) / 4)
    return left, right


chapter.add(
    "table-1/dp-ts-ucb",
    source("Table 1", "O(T^{0.25(1-alpha)} ln^{0.75(1-alpha)}(T))"),
    Consequence(
        "DP-TS-UCB is O(T^{0.25(1-alpha)} ln^{0.75(1-alpha)}(T))-GDP, at alpha = 0, at alpha = 1 and in between"
    ),
    scope="The claim covers all three rows of the table with GDP guarantees of DP-TS-UCB.",
    expect=Verdict.ARGUED,
    follows=("hu25/theorem-4.4/every-run", "hu25/table-1/dp-ts-ucb/formula"),
)


@chapter.identity(
    "table-1/m-ts-g-log",
    source("Table 1", "O(T^0.5/ln^alpha(T))"),
    over={"T": HORIZON, "alpha": ALPHA},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="Read literally, M-TS-Gaussian as quoted here has this parameter up to a factor of sqrt(1 + 1/b), b >= 1, "
    "and so the same order (`hu25/section-3/m-ts-gaussian`).",
    related=("hu25/section-3/m-ts-gaussian",),
)
def table_1_m_ts_g_log(m: Vocabulary, T: Number, alpha: Number) -> Sides:
    """The formula is the rate sqrt(T/(c(b+1))) at b + 1 = c = ln^alpha T."""
    left = f.quoted_eta(m, T, f.log_power(m, T, alpha) - 1, f.log_power(m, T, alpha))
    right = m.sqrt(T) / f.log_power(m, T, alpha)
    return left, right


chapter.add(
    "table-1/regret-alpha-1",
    source("Table 1", "O(K ln(T Delta^2) ln(T)/Delta) + K ln ln(T) ln(T)/Delta)"),
    Consequence("at alpha = 1 the regret of DP-TS-UCB is O(K ln(T Delta^2) ln(T)/Delta + K ln ln(T) ln(T)/Delta)"),
    scope="The claim is for alpha = 1 and T D^2 > e.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("hu25/theorem-4.2/problem-dependent",),
    by="Theorem 4.2",
)


REASONS = "There are two reasons resulting in this loose privacy guarantee"


@chapter.inequality(
    "section-3/too-much-noise",
    source(
        "Section 3",
        f"{REASONS}: (1) sampling a Gaussian mean reward model in each round for each arm injects too much noise",
    ),
    over={"sigma": Real(0, np.inf), "more": Real(0, np.inf)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="So more noise can explain a larger regret, but not a loose privacy guarantee. The sentence's second "
    "reason, that every round reads the same observations, does explain the loose guarantee.",
)
def section_3_too_much_noise(m: Vocabulary, sigma: Number, more: Number) -> Sides:
    """The formula states that more noise makes the GDP parameter of a release smaller. In the formula, sigma and sigma
    + more are standard deviations of the noise, at sensitivity 1."""
    return 1 / (sigma + more), 1 / sigma


chapter.add(
    "section-3/same-observation",
    source(
        "Section 3",
        f"{REASONS}: [...] (2) repeatedly using the same observation to compute the empirical estimates creates too "
        f"much "
        "privacy loss.",
    ),
    Unjudged(
        "the sentence contains no number; `hu25/section-3/ts-gaussian/order` shows that the order sqrt(T) is right"
    ),
    expect=Verdict.UNSUPPORTED,
    related=("hu25/section-3/ts-gaussian/order",),
)
