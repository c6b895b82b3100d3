"""Appendix D, with I: DP-BAI-Gauss."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.curves import Approximate, gaussian_delta
from dpbandits.reference.papers.chen24.algorithms.dp_bai import Elimination, dp_bai_gauss
from dpbandits.reference.papers.chen24.instances import LINE, PLANE
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendices D and I")
PROPOSITION_D_2 = page.source(
    "Proposition D.2, (37)",
    "The DP-BAI-Gauss policy with privacy and budget parameters (eps, delta, T) satisfies the (eps, delta)-DP "
    "constraint",
    statement="Proposition D.2",
)
PROPOSITION_D_3 = page.source(
    "Proposition D.3, (127), (128)",
    "For any problem instance v in P [...] <= exp(-Omega(T/(H_BAI log d) ∧ (T/(sqrt(log(1.25/delta)) H_pri log d))^2))",
    statement="Proposition D.3",
)
TABLE_1 = page.source("Table 1", "The ticks indicate the tighter of the two bounds under the given condition.")


@chapter.inequality(
    "proposition-d.2",
    PROPOSITION_D_2,
    over={"eps": Real(0, inf), "delta": Real(0, 1), "mean": Real(0, inf, closed=True)},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.GUARANTEE,
    note="Appendix I cites the classical calibration, which is stated for eps < 1. This calibration holds up to eps "
    "= 3.7 for every delta (`chen24/proposition-d.2/repaired`).\n"
    "The two arms (1, 0) and (1/2, 0) violate (eps, delta)-DP for eps >= 5.8 at delta = 0.1, eps >= 6.8 at delta = "
    "0.01 and eps >= 8.5 at delta = 1e-5. Independent features, and five arms in the plane, violate (eps, delta)-DP "
    "for larger eps, also at large delta (`chen24/proposition-d.2/told`).",
    related=("chen24/proposition-d.2/repaired", "chen24/proposition-d.2/told"),
)
def proposition_d_2(m: Vocabulary, eps: Number, delta: Number, mean: Number) -> Sides:
    """With the two arms (1, 0) and (1/2, 0), the policy pulls the first arm. The policy recommends the second arm if
    the noisy mean of the first arm is negative. The empirical mean is `mean` standard deviations of the noise, which
    may be any nonnegative number for large T. One reward changes the empirical mean by eps/sqrt(2 log(1.25/delta))
    standard deviations. The claim is that P(recommended) - e^eps P'(recommended) is at most delta."""
    return recommended(m, eps, delta, mean)


def recommended(m: Vocabulary, eps: Number, delta: Number, mean: Number) -> Sides:
    """Both sides: P(the second arm is recommended) minus e^eps times the same probability with one reward changed, and
    delta."""
    move = eps / m.sqrt(2 * m.log(m.number("1.25") / delta))
    return m.ncdf(-mean) - m.exp(eps) * m.ncdf(-mean - move), delta


@chapter.private(
    "proposition-d.2/arms",
    PROPOSITION_D_2,
    relation="pull",
    view="arms",
    subject=dp_bai_gauss,
    params=({"features": LINE, "horizon": 40, "eps": 20.0, "delta": 0.01},),
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.GUARANTEE,
    same_error_as="chen24/proposition-d.2",
    note="The privacy loss is computed by the exact law of the policy on two tables of rewards 0 and 1.",
)
def proposition_d_2_arms(policy: Elimination) -> Approximate:
    """The claim is that the released pulls and the recommendation are (20, 0.01)-DP."""
    return promised(policy)


@chapter.private(
    "proposition-d.2/repaired/arms",
    PROPOSITION_D_2,
    relation="pull",
    view="arms",
    subject=dp_bai_gauss,
    params=(
        {"features": LINE, "horizon": 40, "eps": 3.7, "delta": 0.01},
        {"features": PLANE, "horizon": 13, "eps": 1.0, "delta": 0.1},
    ),
    reading=Reading.REPAIRED,
    expect=Verdict.CONSISTENT,
)
def proposition_d_2_repaired_arms(policy: Elimination) -> Approximate:
    """The claim is that the released pulls and the recommendation are (eps, delta)-DP, for two settings with eps <=
    3.7."""
    return promised(policy)


def promised(policy: Elimination) -> Approximate:
    return Approximate(policy.spread.eps, policy.spread.delta)  # type: ignore[attr-defined]


chapter.add(
    "proposition-d.2/told",
    PROPOSITION_D_2,
    Stated(
        "on the tables tried, the exact delta(eps) of the first phase exceeds the promised delta for (eps, delta) = "
        "(10, 1e-5), (30, 1e-9), (7.5, 0.01) and (7.5, 0.5); for eps = 0.1, 1 and 3.7 it does not exceed the "
        "promised delta, for any of five delta"
    ),
    scope="The five delta are 1e-9, 1e-5, 0.01, 0.5 and 0.9. The features are two independent vectors, two vectors "
    "on a line, and five vectors in the plane. For eps <= 3.7, delta(eps) is at most delta on every table: "
    "`chen24/proposition-d.2/repaired/policy`.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    related=("chen24/proposition-d.2/repaired/policy",),
)


@chapter.inequality(
    "proposition-d.2/repaired",
    PROPOSITION_D_2,
    over={"eps": Real(0, 3.7, closed=True), "s": Real(0.668, inf)},
    reading=Reading.REPAIRED,
    formula_only=True,
    expect=Verdict.ARGUED,
    note="The noisy mean of one arm is a Gaussian mechanism with mu = eps/s. Each reward enters one noisy mean, and "
    "everything else is post-processing: `chen24/proposition-d.2/repaired/policy`.",
    related=("chen24/proposition-d.2/repaired/policy",),
)
def proposition_d_2_repaired(m: Vocabulary, eps: Number, s: Number) -> Sides:
    """The formula states that for eps <= 3.7, delta(eps) of one noisy mean is at most delta = 1.25 e^{-s^2/2}. Here s =
    sqrt(2 log(1.25/delta)) is above 0.668 for delta < 1."""
    return gaussian_delta(m, eps, eps / s), m.number("1.25") * m.exp(-s * s / 2)


chapter.add(
    "proposition-d.3",
    PROPOSITION_D_3,
    Consequence(
        "the error probability of DP-BAI-Gauss is at most exp(-Omega(min(T/(H_BAI log d), (T/(sqrt(log(1.25/delta)) "
        "H_pri log d))^2)))"
    ),
    scope="The claim is for d >= 2 and fixed features, as T tends to infinity.",
    expect=Verdict.ARGUED,
    follows=("chen24/proposition-d.3/explicit", "chen24/phases/order"),
    by="because M <= ceil(log d) + ceil(log_2 ceil(d^2/4)) + 2 <= 10 log d for d >= 2",
    note="T' is T minus a constant, and the factor before the exponentials does not depend on T. The paper's proof "
    "uses Lemmas J.1 to J.3. Lemmas J.1 and J.3 hold, although a step of the proof is false "
    "(`chen24/lemma-j.1/123`). Lemma J.2 holds with the repaired indices.",
    related=("chen24/lemma-j.1/123",),
)
chapter.add(
    "proposition-d.3/explicit",
    PROPOSITION_D_3,
    Stated(
        "the error probability is at most M K (exp(-T'/(64 M H_BAI)) + exp(-(T'/(64 M H_pri sqrt(log(1.25/delta))))^2))"
    ),
    scope="The claim is for d >= 2 and every T for which the phases fit into the budget, with the printed and with "
    "the repaired parameters.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("chen24/theorem-4.2/pair", "chen24/lemma-g.1"),
    by="a union bound, with the normal tail in place of the Laplace tail",
)


@chapter.inequality(
    "table-1/order",
    TABLE_1,
    over={"x": Real(0, inf), "H_BAI": Real(0, inf), "H_pri": Real(0, inf)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def table_1_order(m: Vocabulary, x: Number, H_BAI: Number, H_pri: Number) -> Sides:
    """The formula is T/(H log d) <= T/(H_BAI log d), with H = H_BAI + H_pri and x = T/log d."""
    return x / (H_BAI + H_pri), x / H_BAI


@chapter.inequality(
    "table-1/valid",
    page.source(
        "Appendix D, before Table 1",
        "Because DP-BAI is (eps, delta)-differentially private for all delta > 0 as alluded to earlier, the preceding "
        "comparison is valid.",
    ),
    over={"eps": Real(0, inf), "delta": Real(0, 1), "mean": Real(0, inf, closed=True)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.STATEMENT,
    same_error_as="chen24/proposition-d.2",
    repaired_by=("chen24/proposition-d.2/repaired/policy",),
    note="For eps >= 5.8 and delta = 0.1, DP-BAI-Gauss is not (eps, delta)-DP, so the two policies are not compared "
    "at the same privacy.\n"
    "For eps <= 3.7, both policies are (eps, delta)-DP (`chen24/proposition-d.2/repaired/policy`, "
    "`chen24/proposition-4.1`), and the comparison is valid.",
    related=("chen24/proposition-4.1",),
)
def table_1_valid(m: Vocabulary, eps: Number, delta: Number, mean: Number) -> Sides:
    """The comparison is valid only if both policies are (eps, delta)-DP. The formula is the claim for DP-BAI-Gauss on
    two arms, as in `chen24/proposition-d.2`. The empirical mean is `mean` standard deviations of the noise. The claim
    is that P(recommended) - e^eps P'(recommended) is at most delta."""
    return recommended(m, eps, delta, mean)


chapter.add(
    "table-1",
    TABLE_1,
    Stated("every printed tick marks the larger of the two exponents of its row"),
    scope="The claim is about rows 1, 3 and 4, and compares the two columns with equal constants in their Omega, as "
    "the table does.",
    expect=Verdict.ARGUED,
    follows=("chen24/table-1/order",),
)


@chapter.inequality(
    "table-1/second-row",
    TABLE_1,
    over={"exponent": Real(0, inf), "excess": Real(0, inf, closed=True)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The second row has no tick.\n"
    "By the row's own condition, DP-BAI-Gauss has the larger exponent, except at the left end of the range.\n"
    "The text after the table agrees: it 'outperforms DP-BAI for large values of delta and T'.",
)
def table_1_second_row(m: Vocabulary, exponent: Number, excess: Number) -> Sides:
    """The claim is that neither bound is tighter in the second row, so that the exponent of DP-BAI-Gauss is at most
    that of DP-BAI. By the row's condition, the exponent of DP-BAI-Gauss is exponent + excess, with exponent = T/(H log
    d)."""
    return exponent + excess, exponent


@chapter.inequality(
    "algorithm-2/delta",
    page.source(
        "Definition D.1; Algorithm 2, lines 10 and 16",
        "Given any eps > 0 and delta > 0 [...] Gaussian(0, 2 log(1.25/delta)/(eps ceil(T'/(M d_p)))^2)",
    ),
    over={"delta": Real(0, inf)},
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    note="For delta >= 1.25, no positive variance satisfies the formula. The paper means delta < 1, because for "
    "delta >= 1 every policy is (eps, delta)-DP. Our policies refuse delta >= 1.",
)
def algorithm_2_delta(m: Vocabulary, delta: Number) -> Sides:
    """The claim is that for every delta > 0 the variance is positive, that is, log(1.25/delta) > 0."""
    return m.number(0), m.log(m.number("1.25") / delta)
