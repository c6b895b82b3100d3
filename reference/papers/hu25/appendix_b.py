"""Appendix B."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import ALPHA, HORIZON, source

chapter = page.chapter("Appendix B")

LAST_LINES = source(
    "Proof of Lemma 4.1, last lines",
    "= e^{-sqrt(2 pi e) T^{0.5(1-alpha)} ln^{0.5(3-alpha)}(T)/sqrt(2 pi e) * 1/sqrt(ln^{1-alpha}(T)) * "
    "1/T^{0.5(1-alpha)}} + 2/T^2 <= 3/T",
)


chapter.add(
    "lemma-4.1",
    source("Lemma 4.1, and 3/T in its proof", "We have P{max_{h in [phi]} theta_{i,s}^{(h)} >= mu_i} >= 1 - O(1/T)."),
    Stated("P{max over h in [phi] of theta_{i,s}^(h) >= mu_i} >= 1 - 3/T for every s >= 1"),
    scope="The lemma is read with the constant of its proof, 3/T, for every s >= 1.",
    expect=Verdict.ARGUED,
    given="T >= 3 an integer, alpha in [0, 1], floor(phi) samples, rewards in [0, 1]",
    note="The lemma is true, although step (b) of its proof is false. A direct proof uses D = (mu - mu-hat) sqrt(s). "
    "Hoeffding's inequality gives P(D >= x) <= e^{-2x^2}, so the failure probability is at most the integral of "
    "Phi(x/ln^{alpha/2} T)^B against this tail.",
)


@chapter.inequality(
    "lemma-4.1/step-a",
    source("Proof of Lemma 4.1, step (a)", "step (a) uses the anti-concentration bound shown in (5)"),
    over={"log_T": Real(0, np.inf), "alpha": ALPHA},
    expect=Verdict.ARGUED,
)
def lemma_4_1_step_a(m: Vocabulary, log_T: Number, alpha: Number) -> Sides:
    left = f.anti_concentration(m, m.sqrt(f.power(m, log_T, 1 - alpha)))
    right = m.ncdf(-m.sqrt(f.power(m, log_T, 1 - alpha)))
    return left, right


@chapter.inequality(
    "lemma-4.1/step-b",
    source(
        "Proof of Lemma 4.1, step (b)",
        "step (b) uses ln^{1-alpha}(T) <= (1-alpha) ln(T) + 1 shown in Fact A.1",
    ),
    over={"T": Real(21, np.inf, True), "alpha": ALPHA},
    expect=Verdict.REFUTED,
    fault=Fault.DIRECTION,
    harm=Harm.PROOF,
    repaired_by=("hu25/lemma-4.1/step-b/doubled",),
    note="In step (b), the success probability may only be replaced by a smaller number. Fact A.1 makes the "
    "exponential smaller, but the step also drops the +1 of z^2 + 1. At alpha = 1, z is 1, the two exponentials are "
    "equal, and z/(z^2+1) = 1/2 is replaced by 1/z = 1. With the +1 kept, c_0 must be doubled.\n"
    "The lemma itself is true (`hu25/lemma-4.1`).",
    related=("hu25/lemma-4.1",),
)
def lemma_4_1_step_b(m: Vocabulary, T: Number, alpha: Number) -> Sides:
    """The step replaces (1/sqrt(2 pi)) z/(z^2+1) e^{-z^2/2} by (1/sqrt(2 pi)) (1/z) e^{-((1-alpha) ln T + 1)/2}, so the
    second expression must not be larger. Here z^2 = ln^{1-alpha}(T) and T >= 21.
    """
    return f.after_step_b(m, T, alpha), f.after_step_a(m, T, alpha)


@chapter.inequality(
    "lemma-4.1/step-b/alpha-0",
    source(
        "Proof of Lemma 4.1, step (b)",
        "step (b) uses ln^{1-alpha}(T) <= (1-alpha) ln(T) + 1 shown in Fact A.1",
    ),
    over={"T": Real(21, np.inf, True)},
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    note="At alpha = 0, Fact A.1 has slack e^{1/2}, which compensates for (z^2+1)/z^2.",
)
def lemma_4_1_step_b_alpha_0(m: Vocabulary, T: Number) -> Sides:
    """The claim is the step for alpha = 0 only."""
    return f.after_step_b(m, T, 0), f.after_step_a(m, T, 0)


@chapter.inequality(
    "lemma-4.1/step-b/doubled",
    source(
        "Proof of Lemma 4.1, step (b)",
        "step (b) uses ln^{1-alpha}(T) <= (1-alpha) ln(T) + 1 shown in Fact A.1",
    ),
    over={"log_T": Real(1, np.inf, True), "u": Real(0, 1, True)},
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    note="Doubling c_0 is enough because z/(z^2+1) >= 1/(2z) for z >= 1. Equality holds at u = 0.",
)
def lemma_4_1_step_b_doubled(m: Vocabulary, log_T: Number, u: Number) -> Sides:
    """The step holds for half of the printed probability, with c_0 doubled."""
    left = m.exp(-(u * log_T + 1) / 2)
    right = m.exp(-f.power(m, log_T, u) / 2) * 2 * f.power(m, log_T, u) / (f.power(m, log_T, u) + 1)
    return left, right


@chapter.inequality(
    "lemma-4.1/step-c",
    source("Proof of Lemma 4.1, step (c)", "step (c) uses (1-x) <= e^{-x}"),
    over={"x": Real(0, 1, True)},
    expect=Verdict.PROVED,
)
def lemma_4_1_step_c(m: Vocabulary, x: Number) -> Sides:
    return 1 - x, m.exp(-x)


@chapter.identity(
    "lemma-4.1/exponent",
    LAST_LINES,
    over={"T": HORIZON, "alpha": ALPHA},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def lemma_4_1_exponent(m: Vocabulary, T: Number, alpha: Number) -> Sides:
    """The exponent of the second-to-last line is ln T, so its first term is 1/T."""
    left = f.phi(m, T, alpha) / (f.c_0(m) * f.power(m, m.log(T), (1 - alpha) / 2) * f.power(m, T, (1 - alpha) / 2))
    right = m.log(T)
    return left, right


@chapter.inequality(
    "lemma-4.1/three-over-T",
    LAST_LINES,
    over={"x": Real(0, 1 / 3, True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="Both sides are divided by x = 1/T.",
)
def lemma_4_1_three_over_t(m: Vocabulary, x: Number) -> Sides:
    """The formula is the last step, 1/T + 2/T^2 <= 3/T for T >= 3."""
    return 1 + 2 * x, m.number(3)
