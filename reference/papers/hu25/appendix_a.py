"""Appendix A."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Real, Stated, Verdict
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import ALPHA, source

chapter = page.chapter("Appendix A")


@chapter.inequality(
    "fact-a.1",
    source("Fact A.1", "For any T > e^3, for any alpha in [0, 1], we have ln^{1-alpha}(T) <= (1-alpha) ln(T) + 1."),
    over={"log_T": Real(3, np.inf), "alpha": ALPHA},
    expect=Verdict.PROVED,
    note="Equality holds at alpha = 1. The inequality is true for every T > 1, so the condition T > e^3 is not "
    "needed: L^u <= (1-u) + u L is the weighted inequality of arithmetic and geometric means.",
)
def fact_a_1(m: Vocabulary, log_T: Number, alpha: Number) -> Sides:
    return f.power(m, log_T, 1 - alpha), (1 - alpha) * log_T + 1


@chapter.inequality(
    "fact-a.1/everywhere",
    source("Fact A.1", "For any T > e^3, for any alpha in [0, 1], we have ln^{1-alpha}(T) <= (1-alpha) ln(T) + 1."),
    over={"log_T": Real(0, np.inf), "alpha": ALPHA},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def fact_a_1_everywhere(m: Vocabulary, log_T: Number, alpha: Number) -> Sides:
    """The inequality is extended to every T > 1."""
    return f.power(m, log_T, 1 - alpha), (1 - alpha) * log_T + 1


@chapter.identity(
    "fact-a.1/derivative",
    source("Proof of Fact A.1", "It is not hard to verify that f'(ln(ln(ln(T)))/ln(ln(T))) = 0."),
    over={"log_T": Real(3, np.inf)},
    expect=Verdict.PROVED,
)
def fact_a_1_derivative(m: Vocabulary, log_T: Number) -> Sides:
    return f.power(m, log_T, 1 - m.log(m.log(log_T)) / m.log(log_T)) * m.log(log_T), log_T


chapter.add(
    "fact-a.2",
    source("Fact A.2 (Hoeffding)", "Then, for any a > 0, we have P{|mu_{1:n} - E[mu_{1:n}]| >= a} <= 2 e^{-2na^2}."),
    Stated("P{|mu_{1:n} - E[mu_{1:n}]| >= a} <= 2 e^{-2 n a^2} for n independent variables in [0, 1] and a > 0"),
    expect=Verdict.ARGUED,
    note="The fact is Hoeffding's inequality. The lower tail for rewards of 0 or 1 is also `ou24/lemma-9`.",
    related=("ou24/lemma-9",),
)


@chapter.inequality(
    "fact-a.3/eq-4",
    source("Fact A.3, eq. (4)", "P{Z > mu + z sigma} <= (1/2) e^{-z^2/2} for z > 0"),
    over={"z": Real(0, np.inf)},
    formula_only=True,
    expect=Verdict.PROVED,
    note="Equality holds in the limit z = 0.",
)
def fact_a_3_eq_4(m: Vocabulary, z: Number) -> Sides:
    """The formula is the inequality in terms of Phi, in units of sigma."""
    return m.ncdf(-z), m.exp(-z * z / 2) / 2


@chapter.inequality(
    "fact-a.3/eq-5",
    source("Fact A.3, eq. (5)", "P{Z > mu + z sigma} >= (1/sqrt(2 pi)) z/(z^2+1) e^{-z^2/2} for z > 0"),
    over={"z": Real(0, np.inf)},
    formula_only=True,
    expect=Verdict.PROVED,
)
def fact_a_3_eq_5(m: Vocabulary, z: Number) -> Sides:
    """The formula is the inequality in terms of Phi, in units of sigma."""
    return f.anti_concentration(m, z), m.ncdf(-z)
