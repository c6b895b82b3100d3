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
    "(38) to (40), and the difference before (42)",
    "By (39) and (40), we have mu-tilde_1 - mu-tilde_2 = (1/T_1) sum_{i=1}^{T_1} X_{1,i} - (1/T_2) sum_{i=1}^{T_2} "
    "X_{2,i} + (xi_1/(x T_1) - xi_2/(y T_2))",
)
EQ_43 = page.source("(43), (44)", "By Lemma A.1, we have [...] <= exp(-T_1/(8 Delta^2))")
PROPOSITION_E_1 = page.source(
    "Proposition E.1",
    "The upper bound on the error probability of DP-OD for the above bandit instance is exp(-Omega(T/(Delta^-2 + "
    "((x∨y)/(x∧y)) (eps Delta)^-1)))",
)
POSITIVE = Real(0, inf)


@chapter.inequality(
    "dp-od/privacy/density",
    PRIVACY,
    over={"eps": POSITIVE, "size": POSITIVE, "more": Real(0, inf, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="One reward moves the moment vector by at most ||a||_1, in the 1-norm; eps ||a||_1/L is how much that moves "
    "the logarithm of the joint density of independent Laplace variables of scale L/eps.",
)
def dp_od_privacy_density(m: Vocabulary, eps: Number, size: Number, more: Number) -> Sides:
    """As a formula, of one vector: the exponent eps ||a||_1/L with L = ||a||_1 + more."""
    return eps * size / (size + more), eps


chapter.add(
    "dp-od/privacy",
    PRIVACY,
    Stated("DP-OD is eps-DP: its released pulls and its recommendation, one reward of the table changed"),
    scope="L = the largest 1-norm of a feature in the coordinates of U, to whose elements the noise is added. The "
    "paper names no norm, and does not say in which coordinates a round of DP-OD works. In the given ones, L is as "
    "printed.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("chen24/dp-od/privacy/density",),
    note="Otherwise it is false: with the 2-norm (dp-od/arms/euclidean), and with the L of the given features where a "
    "round changes coordinates (dp-od/arms/as-given).",
)


@chapter.inequality(
    "dp-od/privacy/euclidean",
    PRIVACY,
    over={"eps": POSITIVE, "x": POSITIVE, "y": POSITIVE},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.GUARANTEE,
    note="The moment vector, which the argument is about, is released with parameter ||a||_1/||a||_2 times eps, up to "
    "sqrt(d) eps. The recommendation alone shows as much: dp-od/arms/euclidean.",
)
def dp_od_privacy_euclidean(m: Vocabulary, eps: Number, x: Number, y: Number) -> Sides:
    """The 2-norm, which an unnamed norm of vectors usually is: the noisy moment vector, a = (x, y) alone."""
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
    """With the 1-norm in the coordinates of the round: (eps, 0)-DP of the released pulls and of the recommendation."""
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
    note="OD-LinBAI, of which DP-OD is called a variant, reduces the dimension of a round's features where they span "
    "less, and 'an arbitrary orthogonal basis' may do that (Section 3.1). So is the one of the singular vectors here: "
    "a rotation keeps 2-norms, and no 1-norm. (8, 0, 0), (0, 8, 0) and (-4, 3, 0) have L = 8, and the first two 11.2 "
    "in the round: the arms tell up to 1.4 eps. (-2, 0, -10), (-3, 0, 12) and (-16, 0, 1) have L = 17, and the last "
    "one 22.012: 1.2948 eps. In the given coordinates, or with L of the round, it is private: dp-od/privacy.",
)
def dp_od_arms_as_given(policy: OptimalDesign) -> Approximate:
    """The same with L = max ||a_i||_1 of the given features, and rounds in orthonormal coordinates of their span."""
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
    note="Features (-6, 6), (3, 5), (3, 7): all rewards are 0, or one of the first arm is 1. That an arm is "
    "recommended whose wedge of noises lies beyond the diagonal is sqrt(2) eps likelier: all of the factor sqrt(d).",
)
def dp_od_arms_euclidean(policy: OptimalDesign) -> Approximate:
    """The same with the 2-norm."""
    return Approximate(policy.eps or inf, 0.0)


chapter.add(
    "proposition-e.1/pulls",
    page.source(
        "Proposition E.1, before (38)",
        "Note that there is only one round in DP-OD for the two-armed bandit instance. [...] we have T_1 = Theta(T) "
        "and T_2 = Theta(T)",
    ),
    Stated("on (x, 0) and (0, y) DP-OD has one round, with T_1 = T_2 = ceil((T - 2)/2)"),
    scope="For all x, y > 0 and T >= 3.",
    expect=Verdict.ARGUED,
)


@chapter.identity(
    "eq-39",
    EQ_39,
    over=dict.fromkeys(("x", "y", "T_1", "T_2", "S_1", "S_2"), POSITIVE)
    | {"xi_1": Real(-inf, inf), "xi_2": Real(-inf, inf)},
    expect=Verdict.PROVED,
    note="S_1 and S_2: sums of rewards. G is diagonal, with x^2 T_1 and y^2 T_2.",
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
    """<G^-1 U, a_1> - <G^-1 U, a_2> with U = (x S_1 + xi_1, y S_2 + xi_2)."""
    first = (x * S_1 + xi_1) / (x * x * T_1) * x
    second = (y * S_2 + xi_2) / (y * y * T_2) * y
    return first - second, S_1 / T_1 - S_2 / T_2 + (xi_1 / (x * T_1) - xi_2 / (y * T_2))


@chapter.inequality(
    "eq-42",
    page.source(
        "(41), (42)",
        "P(mu-tilde_1 - mu-tilde_2 < 0) <= P(... < mu_1 - Delta/4) + P(... > mu_2 + Delta/4) + P(xi_1/(x T_1) < "
        "-Delta/4) + P(xi_2/(y T_2) > Delta/4)",
    ),
    over={"gap": Real(0, 1)} | dict.fromkeys(("a", "b", "c", "e"), Real(0, inf, closed=True)),
    expect=Verdict.PROVED,
    note="So an error needs one of the four events. (41) has ties among the errors and (42) has not: with noise that "
    "has a density their chance is 0.",
)
def eq_42(m: Vocabulary, gap: Number, a: Number, b: Number, c: Number, e: Number) -> Sides:
    """As a formula: four deviations of at least -gap/4, by how much they are more: gap and their sum are not
    negative."""
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
    note="Rewards 0 and 1 with mean 1/2 + gap: all n of arm 1 are 0 with this chance. Lemma A.1 gives exp(-T_1 "
    "Delta^2/8); Delta^2 slipped below the bar. The conclusion of Proposition E.1 has it right.",
)
def eq_43(m: Vocabulary, n: Number, gap: Number) -> Sides:
    """log P(all n rewards are 0) against the printed -T_1/(8 Delta^2)."""
    return n * m.log(m.number("0.5") - gap), -n / (8 * gap**2)


@chapter.inequality(
    "eq-43/repaired",
    EQ_43,
    over={"n": Whole(1), "gap": Real(0, 1)},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="That Lemma A.1 bounds a probability: lemma-a.1.",
)
def eq_43_repaired(m: Vocabulary, n: Number, gap: Number) -> Sides:
    """As a formula: the exponent T_1 Delta^2/8, with Lemma A.1's for a deviation of Delta/4 on the right."""
    return n * gap**2 / 8, 2 * (n * gap / 4) ** 2 / n


@chapter.inequality(
    "eq-45",
    page.source(
        "(45), (46)",
        "For sufficiently large T_1 and T_2, by Lemma A.4, we have [...] <= exp(-T_1 Delta eps/(8 (x∨y)/x))",
    ),
    over={"u": POSITIVE},
    expect=Verdict.PROVED,
    note="u = T_1 Delta eps x/(8 (x v y)). The exact tail is e^{-2u}/2, for every T_1: no T_1 needs to be large.",
)
def eq_45(m: Vocabulary, u: Number) -> Sides:
    """As a formula: the tail of Laplace's law beyond 2u, e^{-2u}/2, against e^{-u}, times e^u."""
    return m.exp(-u) / 2, m.number(1)


@chapter.inequality(
    "proposition-e.1/rate",
    PROPOSITION_E_1,
    over={"gap": Real(0, 1), "eps": POSITIVE, "ratio": Real(0, 1, closed=True)},
    expect=Verdict.PROVED,
    note="ratio = (x and y's smaller one)/(the larger one): the exponents of (43) and (45), times 8/T_1, are at least "
    "the proposition's rate; the other two are the same with T_2.",
)
def proposition_e_1_rate(m: Vocabulary, gap: Number, eps: Number, ratio: Number) -> Sides:
    """As a formula: 1/(gap^-2 + 1/(ratio eps gap)) is at most gap^2, times all denominators; and at most ratio eps gap,
    since the two may change places."""
    return gap * gap * ratio * eps * gap, gap * gap * (ratio * eps * gap + gap * gap)


chapter.add(
    "proposition-e.1",
    PROPOSITION_E_1,
    Consequence("four events of exponentially small chance, and T_1 = T_2 = ceil(m/2) with m = T less a constant"),
    scope="For fixed features, Delta and eps, and T to infinity; L = x v y is the 1-norm and the 2-norm here.",
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
    over={"gap": Real(0, 1), "eps": POSITIVE, "more": Real(0, inf, closed=True)},
    expect=Verdict.PROVED,
    note="As formulas: the bounds' exponents, times all denominators, with (x v y)/(x ^ y) = 1 + more. H is twice "
    "DP-BAI's denominator for two arms. That DP-OD itself is worse: proposition-e.1/lower.",
)
def proposition_e_1_inferior(m: Vocabulary, gap: Number, eps: Number, more: Number) -> Sides:
    """1/(gap^-2 + (1 + more)/(eps gap)) is at most 1/(gap^-2 + 1/(eps gap))."""
    return gap**-2 + 1 / (eps * gap), gap**-2 + (1 + more) / (eps * gap)


chapter.add(
    "proposition-e.1/lower",
    page.source("Remark 2", "the error probability in identifying the best arm under DP-OD depends"),
    Stated(
        "DP-OD errs with a chance of at least (1 - exp(-n gap^2)) exp(-2 n gap eps (x ^ y)/(x v y))/4, n = T_1 = T_2"
    ),
    scope="For all x, y, eps > 0, gaps and rewards in [0, 1]; L = x v y is the 1-norm and the 2-norm here.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("chen24/proposition-e.1/pulls", "chen24/eq-39"),
    note="So the exponent does shrink as (x v y)/(x ^ y) grows: it is no weakness of the bound alone. DP-BAI's error "
    "does not depend on the lengths (figure-2/dp-bai).",
)
