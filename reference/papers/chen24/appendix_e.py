"""Appendix E: DP-OD."""

from __future__ import annotations

from math import inf

from dpbandits.reference.curves import Approximate
from dpbandits.reference.ledger import Consequence, Fault, Harm, Reading, Real, Verdict, Whole
from dpbandits.reference.papers.chen24.instances import PLANE, SKEW
from dpbandits.reference.papers.chen24.od_linbai import OptimalDesign, dp_od, dp_od_euclidean
from dpbandits.reference.papers.chen24.page import page
from dpbandits.reference.vocabulary import Number, Sides, Vocabulary

chapter = page.chapter("Appendix E")
PRIVACY = page.source("Appendix E.1", "we may then prove that the above method satisfies the ε-DP constraint")
EQ_43 = page.source("(43), (44)")
POSITIVE = Real(0, inf)


@chapter.inequality(
    "dp-od/privacy",
    PRIVACY,
    over={"eps": POSITIVE, "size": POSITIVE, "more": Real(0, inf, closed=True)},
    expect=Verdict.PROVED,
    note="The paper does not name the norm of L = max ||a_i||. With the 1-norm one reward moves the moment vector by "
    "at most ||a_i||_1 <= L, so the joint density of independent Laplace noise of scale L/eps changes by at most "
    "e^eps. Rounds use rewards of their own.",
)
def dp_od_privacy(m: Vocabulary, eps: Number, size: Number, more: Number) -> Sides:
    """The 1-norm: the exponent eps ||a||_1/L with L = ||a||_1 + more."""
    return eps * size / (size + more), eps


@chapter.inequality(
    "dp-od/privacy/euclidean",
    PRIVACY,
    over={"eps": POSITIVE, "x": POSITIVE, "y": POSITIVE},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.PROOF,
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
    expect=Verdict.CONSISTENT,
)
def dp_od_arms(policy: OptimalDesign) -> Approximate:
    """With the 1-norm: (eps, 0)-DP of the released pulls and of the recommendation."""
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
    note="Features (-6, 6), (3, 5), (3, 7): all rewards are 0, or one of the first arm is 1. That an arm is "
    "recommended whose wedge of noises lies beyond the diagonal is sqrt(2) eps likelier: all of the factor sqrt(d).",
)
def dp_od_arms_euclidean(policy: OptimalDesign) -> Approximate:
    """The same with the 2-norm."""
    return Approximate(policy.eps or inf, 0.0)


@chapter.inequality(
    "eq-43",
    EQ_43,
    over={"n": Whole(1), "gap": Real(0, 0.5)},
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
    "eq-43/repaired", EQ_43, over={"n": Whole(1), "gap": Real(0, 1)}, reading=Reading.REPAIRED, expect=Verdict.PROVED
)
def eq_43_repaired(m: Vocabulary, n: Number, gap: Number) -> Sides:
    """The exponent T_1 Delta^2/8, with Lemma A.1's for a deviation of Delta/4 on the right."""
    return n * gap**2 / 8, 2 * (n * gap / 4) ** 2 / n


@chapter.inequality(
    "eq-45",
    page.source("(45), (46)"),
    over={"u": POSITIVE},
    expect=Verdict.PROVED,
    note="u = T_1 Delta eps x/(8 (x v y)). The exact tail is e^{-2u}/2, for every T_1: no T_1 needs to be large.",
)
def eq_45(m: Vocabulary, u: Number) -> Sides:
    """P(Laplace < -2u)/e^{-u} <= 1."""
    return m.exp(-u) / 2, m.number(1)


@chapter.inequality(
    "proposition-e.1/rate",
    page.source("Proposition E.1, last step"),
    over={"gap": Real(0, 1), "eps": POSITIVE, "ratio": Real(0, 1, closed=True)},
    expect=Verdict.PROVED,
    note="ratio = (x and y's smaller one)/(the larger one): the exponents of (43) and (45), times 8/T_1, are at least "
    "the proposition's rate; the other two are the same with T_2.",
)
def proposition_e_1_rate(m: Vocabulary, gap: Number, eps: Number, ratio: Number) -> Sides:
    """1/(gap^-2 + 1/(ratio eps gap)) is at most gap^2, and at most ratio eps gap, times all denominators."""
    return gap * gap * ratio * eps * gap, gap * gap * (ratio * eps * gap + gap * gap)


chapter.add(
    "proposition-e.1",
    page.source("Proposition E.1"),
    Consequence("four events of exponentially small chance, and T_1 = T_2 = ceil(m/2) with m = T less a constant"),
    scope="For fixed features, Delta and eps, and T to infinity; L = x v y is the 1-norm and the 2-norm here.",
    expect=Verdict.PROVED,
    follows=("chen24/eq-43/repaired", "chen24/eq-45", "chen24/proposition-e.1/rate"),
    by="the union bound (42)",
)
