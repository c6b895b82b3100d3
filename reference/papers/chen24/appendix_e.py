"""Appendix E: DP-OD."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Verdict, Whole
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.chen24.algorithms.od_linbai import OptimalDesign, dp_od, dp_od_as_given, dp_od_euclidean
from dpbandits.reference.papers.chen24.instances import FLAT, FLAT_AND_LONG, PLANE, SKEW
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendix E")
PRIVACY = page.source(
    "Appendix E.1",
    "we add independent Laplacian noise with parameter L/eps to each element of U of the OLS estimator, with L = "
    "max_{i in [K]} ||a_i|| [...] we may then prove that the above method satisfies the eps-DP constraint",
)
EQ_39 = page.source(
    "Eqs. (38) to (40), and the difference before (42)",
    "By (39) and (40), we have mu-tilde_1 - mu-tilde_2 = (1/T_1) sum_{i=1}^{T_1} X_{1,i} - (1/T_2) sum_{i=1}^{T_2} "
    "X_{2,i} + (xi_1/(x T_1) - xi_2/(y T_2))",
)
EQ_43 = page.source("Eqs. (43), (44)", "By Lemma A.1, we have [...] <= exp(-T_1/(8 Delta^2))")
PROPOSITION_E_1 = page.source(
    "Proposition E.1",
    "The upper bound on the error probability of DP-OD for the above bandit instance is exp(-Omega(T/(Delta^-2 + "
    "((x∨y)/(x∧y)) (eps Delta)^-1)))",
)
POSITIVE = Real(0, inf)


@chapter.inequality(
    "dp-od/privacy/density",
    PRIVACY,
    over={"eps": POSITIVE, "norm": POSITIVE, "excess": Real(0, inf, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="One reward of an arm with feature a changes the moment vector by at most ||a||_1 in the 1-norm. This change "
    "alters the log of the joint density of independent Laplace variables of scale L/eps by at most eps ||a||_1/L.",
)
def dp_od_privacy_density(m: Vocabulary, eps: Number, norm: Number, excess: Number) -> Sides:
    """The formula is eps ||a||_1/L <= eps, with norm = ||a||_1 and L = norm + excess."""
    return eps * norm / (norm + excess), eps


chapter.add(
    "dp-od/privacy",
    PRIVACY,
    Stated("the released pulls and the recommendation of DP-OD are eps-DP if one reward of the table changes"),
    scope="L is the largest 1-norm of a feature, in the coordinates of the vector U that receives the noise. The paper "
    "does not say which norm it means, or in which coordinates a round of DP-OD works. In the given coordinates, L is "
    "as printed.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("chen24/dp-od/privacy/density",),
    note="The claim is false with the 2-norm (`chen24/dp-od/arms/euclidean`). The claim is also false with the L of "
    "the given features if a round changes coordinates (`chen24/dp-od/arms/as-given`).",
    related=("chen24/dp-od/arms/euclidean", "chen24/dp-od/arms/as-given"),
)


@chapter.inequality(
    "dp-od/privacy/euclidean",
    PRIVACY,
    over={"eps": POSITIVE, "x": POSITIVE, "y": POSITIVE},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.GUARANTEE,
    note="The noisy moment vector has privacy loss ||a||_1/||a||_2 times eps, up to sqrt(d) eps.\n"
    "The recommendation alone reveals as much: `chen24/dp-od/arms/euclidean`.",
    related=("chen24/dp-od/arms/euclidean",),
)
def dp_od_privacy_euclidean(m: Vocabulary, eps: Number, x: Number, y: Number) -> Sides:
    """The claim uses the 2-norm, which is the usual meaning of a norm without index. For one feature a = (x, y), the
    noisy moment vector has privacy loss eps ||a||_1/||a||_2, and the claim is that this loss is at most eps."""
    return eps * (x + y) / m.sqrt(x * x + y * y), eps


@chapter.private(
    "dp-od/arms",
    PRIVACY,
    relation="pull",
    view="arms",
    subject=dp_od,
    params=({"features": SKEW, "horizon": 20, "eps": 1.0}, {"features": PLANE, "horizon": 12, "eps": 5.0}),
    reading=Reading.REPAIRED,
    expect=Verdict.CONSISTENT,
)
def dp_od_arms(policy: OptimalDesign) -> Approximate:
    """The claim is that with the 1-norm in the coordinates of the round, the released pulls and the recommendation are
    (eps, 0)-DP."""
    return Approximate(policy.eps or inf, 0.0)


@chapter.private(
    "dp-od/arms/as-given",
    PRIVACY,
    relation="pull",
    view="arms",
    subject=dp_od_as_given,
    params=(
        {"features": FLAT, "horizon": 30, "eps": 1.0},
        {"features": FLAT_AND_LONG, "horizon": 30, "eps": 1.0},
    ),
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.GUARANTEE,
    note="The paper calls DP-OD a variant of OD-LinBAI. If a round's features do not span the space, OD-LinBAI reduces "
    "their dimension by 'an arbitrary orthogonal basis' (Section 3.1). We use the singular vectors. A rotation "
    "preserves 2-norms but not 1-norms. The features (8, 0, 0), (0, 8, 0) and (-4, 3, 0) have L = 8, but the first two "
    "have 1-norm 11.2 in the round, so the pulled arms have privacy loss up to 1.4 eps. The features (-2, 0, -10), "
    "(-3, 0, 12) and (-16, 0, 1) have L = 17, but the last one has 1-norm 22.012 in the round, so the loss is up to "
    "1.2948 eps.\n"
    "In the given coordinates, or with the L of the round, DP-OD is eps-DP: `chen24/dp-od/privacy`.",
    related=("chen24/dp-od/privacy",),
)
def dp_od_arms_as_given(policy: OptimalDesign) -> Approximate:
    """The claim is that with L = max ||a_i||_1 of the given features, and rounds in orthonormal coordinates of their
    span, the released pulls and the recommendation are (eps, 0)-DP."""
    return Approximate(policy.eps or inf, 0.0)


@chapter.private(
    "dp-od/arms/euclidean",
    PRIVACY,
    relation="pull",
    view="arms",
    subject=dp_od_euclidean,
    params=({"features": SKEW, "horizon": 20, "eps": 1.0},),
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.GUARANTEE,
    same_error_as="chen24/dp-od/privacy/euclidean",
    note="The features are (-6, 6), (3, 5) and (3, 7). On one table all rewards are 0, and on the neighbouring table "
    "one reward of the first arm is 1. The recommendation of one of the arms then has privacy loss sqrt(2) eps, the "
    "full factor sqrt(d).",
)
def dp_od_arms_euclidean(policy: OptimalDesign) -> Approximate:
    """The claim is that with the 2-norm, the released pulls and the recommendation are (eps, 0)-DP."""
    return Approximate(policy.eps or inf, 0.0)


chapter.add(
    "proposition-e.1/pulls",
    page.source(
        "Proposition E.1, before (38)",
        "Note that there is only one round in DP-OD for the two-armed bandit instance. [...] we have T_1 = Theta(T) "
        "and T_2 = Theta(T)",
        statement="Proposition E.1",
    ),
    Stated("on (x, 0) and (0, y) DP-OD has one round, with T_1 = T_2 = ceil((T - 2)/2)"),
    scope="The claim is for all x, y > 0 and T >= 3.",
    expect=Verdict.ARGUED,
)


@chapter.identity(
    "eq-39",
    EQ_39,
    over=dict.fromkeys(("x", "y", "T_1", "T_2", "S_1", "S_2"), POSITIVE)
    | {"xi_1": Real(-inf, inf), "xi_2": Real(-inf, inf)},
    expect=Verdict.PROVED,
    note="G is diagonal, with entries x^2 T_1 and y^2 T_2.",
)
def eq_39(
    m: Vocabulary,
    x: Number,
    y: Number,
    T_1: Number,
    T_2: Number,
    S_1: Number,
    S_2: Number,
    xi_1: Number,
    xi_2: Number,
) -> Sides:
    """The formula is <G^-1 U, a_1> - <G^-1 U, a_2> with U = (x S_1 + xi_1, y S_2 + xi_2), where S_1 and S_2 are the
    sums of rewards X_{1,i} and X_{2,i}."""
    first = (x * S_1 + xi_1) / (x * x * T_1) * x
    second = (y * S_2 + xi_2) / (y * y * T_2) * y
    return first - second, S_1 / T_1 - S_2 / T_2 + (xi_1 / (x * T_1) - xi_2 / (y * T_2))


@chapter.inequality(
    "eq-42",
    page.source(
        "Eqs. (41), (42)",
        "P(mu-tilde_1 - mu-tilde_2 < 0) <= P(... < mu_1 - Delta/4) + P(... > mu_2 + Delta/4) + P(xi_1/(x T_1) < "
        "-Delta/4) + P(xi_2/(y T_2) > Delta/4)",
    ),
    over={"gap": Real(0, 1)} | dict.fromkeys(("a", "b", "c", "e"), Real(0, inf, closed=True)),
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="If none of the four events occurs, the estimates differ by at least this nonnegative sum. Inequality (41) "
    "counts ties as errors, and inequality (42) does not. As the noise has a density, ties have probability 0.",
)
def eq_42(m: Vocabulary, gap: Number, a: Number, b: Number, c: Number, e: Number) -> Sides:
    """The formula states that the sum of gap = Delta and four deviations of at least -Delta/4 each is not negative. In
    the formula, a, b, c and e are the excesses of the deviations over -Delta/4."""
    quarter = gap / 4
    return m.number(0), gap + (a - quarter) + (b - quarter) + (c - quarter) + (e - quarter)


@chapter.inequality(
    "eq-43",
    EQ_43,
    over={"n": Whole(1), "gap": Real(0, 0.5)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="Lemma A.1 gives exp(-T_1 Delta^2/8). The printed Delta^2 is misplaced. The conclusion of Proposition E.1 has "
    "the right exponent.",
)
def eq_43(m: Vocabulary, n: Number, gap: Number) -> Sides:
    """The claim is for rewards 0 and 1 with mean 1/2 + gap, where gap = Delta and n = T_1. The probability that all n
    rewards of arm 1 are 0 has a logarithm of at most the printed -T_1/(8 Delta^2)."""
    return n * m.log(m.number("0.5") - gap), -n / (8 * gap**2)


@chapter.inequality(
    "eq-43/repaired",
    EQ_43,
    over={"n": Whole(1), "gap": Real(0, 1)},
    reading=Reading.REPAIRED,
    formula_only=True,
    expect=Verdict.PROVED,
    note="Lemma A.1 is `chen24/lemma-a.1`.",
    related=("chen24/lemma-a.1",),
)
def eq_43_repaired(m: Vocabulary, n: Number, gap: Number) -> Sides:
    """The formula states that the exponent T_1 Delta^2/8 is at most the exponent of Lemma A.1 for a deviation of
    Delta/4, where n = T_1."""
    return n * gap**2 / 8, 2 * (n * gap / 4) ** 2 / n


@chapter.inequality(
    "eq-45",
    page.source(
        "Eqs. (45), (46)",
        "For sufficiently large T_1 and T_2, by Lemma A.4, we have [...] <= exp(-T_1 Delta eps/(8 (x∨y)/x))",
    ),
    over={"u": POSITIVE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The exact tail is e^{-2u}/2 for every T_1, so T_1 need not be large.",
)
def eq_45(m: Vocabulary, u: Number) -> Sides:
    """The claim is that the tail e^{-2u}/2 of the standard Laplace distribution beyond 2u is at most e^{-u}. Both sides
    are multiplied by e^u, and u = T_1 Delta eps x/(8 max(x, y))."""
    return m.exp(-u) / 2, m.number(1)


@chapter.inequality(
    "proposition-e.1/rate",
    PROPOSITION_E_1,
    over={"gap": Real(0, 1), "eps": POSITIVE, "ratio": Real(0, 1, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So the exponents of (43) and (45), times 8/T_1, are at least the proposition's rate. The exponents of (44) "
    "and (46) are the same expressions, with T_2 in place of T_1.",
)
def proposition_e_1_rate(m: Vocabulary, gap: Number, eps: Number, ratio: Number) -> Sides:
    """The claim is that 1/(Delta^-2 + 1/(ratio eps Delta)) is at most Delta^2, with ratio = min(x, y)/max(x, y). Both
    sides are multiplied by all denominators. By symmetry, the left side is also at most ratio * eps * Delta."""
    return gap * gap * ratio * eps * gap, gap * gap * (ratio * eps * gap + gap * gap)


chapter.add(
    "proposition-e.1",
    PROPOSITION_E_1,
    Consequence(
        "the error probability of DP-OD is at most exp(-Omega(T/(Delta^-2 + (max(x, y)/min(x, y)) (eps Delta)^-1))) "
        "on this instance"
    ),
    scope="The claim is for fixed features, Delta and eps, as T tends to infinity. On this instance L = max(x, y) is "
    "both the 1-norm and the 2-norm.",
    expect=Verdict.ARGUED,
    follows=(
        "chen24/proposition-e.1/pulls",
        "chen24/eq-39",
        "chen24/eq-42",
        "chen24/lemma-a.1",
        "chen24/eq-43/repaired",
        "chen24/eq-45",
        "chen24/proposition-e.1/rate",
    ),
    by="the union bound (42)",
)


@chapter.inequality(
    "proposition-e.1/inferior",
    page.source("Remark 2; after Proposition E.1", "the above bound is inferior to the upper bound of DP-BAI"),
    over={"gap": Real(0, 1), "eps": POSITIVE, "ratio": Real(1, inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="For two arms, H is twice the left side. The error probability of DP-OD itself, not only its bound, is "
    "larger (`chen24/proposition-e.1/lower`).",
    related=("chen24/proposition-e.1/lower",),
)
def proposition_e_1_inferior(m: Vocabulary, gap: Number, eps: Number, ratio: Number) -> Sides:
    """The claim compares the denominators of two exponents. The denominator of DP-BAI is Delta^-2 + (eps Delta)^-1 up
    to a constant. It is at most the denominator of DP-OD, which has the factor ratio = max(x, y)/min(x, y) >= 1 in the
    second term."""
    return gap**-2 + 1 / (eps * gap), gap**-2 + ratio / (eps * gap)


chapter.add(
    "proposition-e.1/lower",
    page.source("Remark 2", "the error probability in identifying the best arm under DP-OD depends"),
    Stated(
        "the error probability of DP-OD is at least (1 - exp(-n gap^2)) exp(-2 n gap eps min(x, y)/max(x, y))/4, "
        "where n = T_1 = T_2"
    ),
    scope="The claim is for all x, y, eps > 0 and all gaps, with rewards in [0, 1]. On this instance L = max(x, y) "
    "is both the 1-norm and the 2-norm.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("chen24/proposition-e.1/pulls", "chen24/eq-39"),
    note="So the exponent of the error probability itself, not only the exponent of the bound, decreases as max(x, "
    "y)/min(x, y) grows. The error probability of DP-BAI does not depend on the lengths (`chen24/figure-2/dp-bai`).",
    related=("chen24/figure-2/dp-bai",),
)
