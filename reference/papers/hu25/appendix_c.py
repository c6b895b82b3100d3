"""Appendix C."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Real, Stated, Unjudged, Verdict, Whole
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import source

chapter = page.chapter("Appendix C")

EQ_12 = source(
    "Eq. (12)",
    "sum_{1 <= r <= r_0(s)} [...] * 2 e^{-2s * 2 ln(r+1)/s} = [...] <= 3.176, where step (a) uses the "
    "anti-concentration bound shown in (5) and step (b) uses Hoeffding's inequality.",
)
EQ_13 = source(
    "Eq. (13)",
    "Plugging the results shown in (11) and (12) into (10), we have LHS of (7) = E[1/P{theta_{1,s} > mu_1 | "
    "mu-hat_{1,s} }] - 1 <= [...] <= 12.34",
)
EQ_16 = source(
    "Eq. (16)",
    "<= (4 sqrt(2 pi)/(T Delta_i^2)) sum_{1 <= r <= r_0(s)} sqrt((r+1) ln(r+1))/r^2 + sqrt(r+1)/r^2 <= "
    "(4 sqrt(2 pi)/(T Delta_i^2)) * 7.034",
)
EQ_16_STEP_A = source(
    "Eq. (16), step (a)",
    "where step (a) uses the anti-concentration bound shown in (5), i.e., we have [...] > (1/sqrt(2 pi)) "
    "sqrt(ln((r+1) * T Delta_i^2))/(2 ln((r+1) * T Delta_i^2)) * ((r+1) * T Delta_i^2)^{-0.5}",
)
EQ_8 = source(
    "Eq. (8), from (14), (15) and (16)",
    "E[1/P{theta_{1,s} > mu_1 - Delta_i/2 | mu-hat_{1,s} } - 1] <= 72/(T Delta_i^2).",
)


chapter.add(
    "lemma-c.1/12.34",
    source(
        "Lemma C.1, eq. (7)",
        "Then, for any integer s >= 1, we have E[1/P{theta_{1,s} > mu_1 | mu-hat_{1,s} } - 1] <= 12.34.",
        statement="Lemma C.1",
    ),
    Stated("E[1/P{theta_{1,s} > mu_1 | mu-hat_{1,s} } - 1] <= 12.34 for every s >= 1"),
    expect=Verdict.ARGUED,
    given="T >= 3, rewards in [0, 1]",
    note="The function 1/Phi(-z) is convex, because Phi is log-concave. So rewards of 0 and 1 are the worst case. "
    "Among variance multipliers ln^alpha T >= 1, the worst is 1.",
)


chapter.add(
    "lemma-c.1/72",
    source(
        "Lemma C.1, eq. (8)",
        "Also, for any integer s >= 4(1+sqrt 2)^2 ln(T Delta_i^2) ln^alpha(T)/Delta_i^2, we have "
        "E[1/P{theta_{1,s} > mu_1 - Delta_i/2 | mu-hat_{1,s} } - 1] <= 72/(T Delta_i^2).",
        statement="Lemma C.1",
    ),
    Stated(
        "E[1/P{theta_{1,s} > mu_1 - Delta/2 | mu-hat_{1,s} } - 1] <= 72/(T Delta^2) for every integer s >= "
        "4(1+sqrt 2)^2 ln(T Delta^2) ln^alpha(T)/Delta^2"
    ),
    expect=Verdict.ARGUED,
    given="T Delta^2 > e, rewards in [0, 1]",
)


@chapter.inequality(
    "lemma-c.1/12.176",
    source("Eq. (9)", "1/((1/sqrt(2 pi)) (1/2) e^{-0.5}) - 1 <= 12.176"),
    over={},
    expect=Verdict.PROVED,
    note="The left side is 7.27. Step (a) of equation (9) needs mu_1 <= mu-hat + sqrt(ln^alpha T), which is printed "
    "without the root. This inequality holds for rewards in [0, 1] and T >= e.",
)
def lemma_c_1_12_176(m: Vocabulary) -> Sides:
    return 2 * m.sqrt(2 * m.pi) * m.exp(m.number("0.5")) - 1, m.number("12.176")


@chapter.inequality(
    "lemma-c.1/eq-10",
    source(
        "Eq. (10)",
        "LHS of (7) = E[1/P{theta_{1,s} > mu_1 | mu-hat_{1,s} }] - 1 <= E[1{S_0}/P{theta_{1,s} > mu_1 | mu-hat_{1,s} "
        "}] + sum_{1 <= r <= r_0(s)} E[1{S_r}/P{theta_{1,s} > mu_1 | mu-hat_{1,s} }] - 1",
    ),
    over={"inverse": Real(1, np.inf, True), "held": Whole(1)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The intervals of S_0, ..., S_{r_0(s)} cover [0, 1], so at least one of these events holds. As printed, "
    "neighbouring intervals share an end point, so two of the events may hold, which only makes the right side "
    "larger.",
)
def lemma_c_1_eq_10(m: Vocabulary, inverse: Number, held: Number) -> Sides:
    """The formula omits the expectations. In the formula, `inverse` is 1/P{theta_{1,s} > mu_1 | mu-hat_{1,s}}, and
    `held` is the number of events among S_0, ..., S_{r_0(s)} that hold."""
    return inverse, held * inverse


@chapter.inequality(
    "lemma-c.1/eq-14",
    source(
        "Eq. (14)",
        "From s >= 4(1+sqrt 2)^2 ln(T Delta_i^2) ln^alpha(T)/Delta_i^2 [...] LHS of (8) = E[1/P{theta_{1,s} > mu_1 - "
        "0.5 Delta_i | mu-hat_{1,s} }] - 1 <= E[1/P{theta_{1,s} > mu_1 - sqrt((1+sqrt 2)^2 ln(T Delta_i^2) "
        "ln^alpha(T)/s) | mu-hat_{1,s} }] - 1",
    ),
    over={"L": Real(0, np.inf), "gap": Real(0, 1), "more": Real(0, np.inf, True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The second step of (14) splits the expectation over S_0, ..., S_{r_0(s)}, as (10) does.",
)
def lemma_c_1_eq_14(m: Vocabulary, L: Number, gap: Number, more: Number) -> Sides:
    """The formula is the first step with both sides squared: the deviation is at most Delta_i/2. In the formula, L =
    ln(T Delta_i^2) ln^alpha(T), and s exceeds the smallest admitted value by `more`."""
    wide = (1 + m.sqrt(2)) ** 2 * L
    return wide / (4 * wide / (gap * gap) + more), gap * gap / 4


@chapter.inequality(
    "lemma-c.1/10.161",
    source("Eq. (11)", "1/((1/sqrt(2 pi)) sqrt(2 ln 2)/(2 ln 2 + 1) e^{-ln 2}) <= 10.161"),
    over={},
    expect=Verdict.PROVED,
)
def lemma_c_1_10_161(m: Vocabulary) -> Sides:
    return 1 / f.anti_concentration(m, m.sqrt(2 * m.log(m.number(2)))), m.number("10.161")


chapter.add(
    "lemma-c.1/3.176",
    EQ_12,
    Stated("the sum over r >= 1 of sqrt(pi) (2 ln(r+2) + 1)/sqrt(ln(r+2)) (r+2) 2/(r+1)^4 is at most 3.176"),
    scope="The claim bounds the sum over all r >= 1, which includes the printed sum.",
    expect=Verdict.ARGUED,
    note="The summand includes the factor r + 2 = e^{ln(r+2)} of the preceding line. The second-to-last line lacks "
    "this factor in the text at hand.",
)


@chapter.inequality(
    "lemma-c.1/12.34-sum",
    EQ_13,
    over={},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def lemma_c_1_12_34_sum(m: Vocabulary) -> Sides:
    """The formula states that 10.161 + 3.176 - 1 <= 12.34."""
    return m.number("10.161") + m.number("3.176") - 1, m.number("12.34")


@chapter.inequality(
    "lemma-c.1/0.613",
    source("Eq. (15)", "1/(1 - 0.5/y) - 1 <= 0.613/y for y = T Delta^2 > e"),
    over={"x": Real(0, float(np.nextafter(el.exp(-1), 0)), False)},
    expect=Verdict.PROVED,
    note="The first line of (15) has a factor 1/2 before the root. Equation (14) does not have this factor, and "
    "without the factor the chain is right. In the formula, x = 1/y. The constant is 0.5/(1 - 0.5/e) = 0.6127. Both "
    "sides vanish at x = 0.",
)
def lemma_c_1_0_613(m: Vocabulary, x: Number) -> Sides:
    return 1 / (1 - x / 2) - 1, m.number("0.613") * x


chapter.add(
    "lemma-c.1/7.034",
    EQ_16,
    Stated("the sum over r >= 1 of (sqrt((r+1) ln(r+1)) + sqrt(r+1))/r^2 is at most 7.034"),
    scope="The claim bounds the sum over all r >= 1, which includes the printed sum.",
    expect=Verdict.ARGUED,
)


@chapter.inequality(
    "lemma-c.1/70.53",
    EQ_16,
    over={},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="Our copy of the text is garbled where the proof prints 70.53 (20,2235 and 20,2245), so the paper may be "
    "right. Every value up to 72 - 0.613 = 71.387 suffices.",
)
def lemma_c_1_70_53(m: Vocabulary) -> Sides:
    """The constant that follows 7.034 in the proof is 70.53. The formula is 4 sqrt(2 pi) * 7.034 <= 70.53."""
    return 4 * m.sqrt(2 * m.pi) * m.number("7.034"), m.number("70.53")


@chapter.inequality(
    "lemma-c.1/log-step",
    EQ_16_STEP_A,
    over={"r": Whole(1), "log_y": Real(1, np.inf, True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="ln((r+1) y) is subtracted from both sides.",
)
def lemma_c_1_log_step(m: Vocabulary, r: Number, log_y: Number) -> Sides:
    """The formula is the last step, for y = T Delta^2 > e: ln((r+1) y) + 1 <= 2 ln((r+1) y)."""
    return m.number(1), m.log(r + 1) + log_y


@chapter.inequality(
    "lemma-c.1/split",
    EQ_16,
    over={"x": Real(0, np.inf, True), "v": Real(1, np.inf, True), "more": Real(0, np.inf, True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The formula is the squared inequality, with x^2 = ln(r+1), v = ln y and y = v + more (as y > ln y). The "
    "left side, multiplied by sqrt(r+1)/r^2, is the summand.",
)
def lemma_c_1_split(m: Vocabulary, x: Number, v: Number, more: Number) -> Sides:
    """The formula is sqrt(ln((r+1) y)/y) <= sqrt(ln(r+1)) + 1 for y = T Delta^2 > e."""
    return (x * x + v) / (v + more), (x + 1) * (x + 1)


@chapter.inequality(
    "lemma-c.1/72-sum",
    EQ_8,
    over={},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def lemma_c_1_72_sum(m: Vocabulary) -> Sides:
    """The formula states that 4 sqrt(2 pi) 7.034 + 0.613 <= 72."""
    return 4 * m.sqrt(2 * m.pi) * m.number("7.034") + m.number("0.613"), m.number(72)


chapter.add(
    "appendix-c/agrawal-goyal",
    source(
        "Appendix C",
        "For the case where alpha = 0, Lemma C.1 below is an improved version of Lemma 2.13 in Agrawal & Goyal (2017) "
        "and our new results imply both improved problem-dependent and problem-independent regret bounds for "
        "Algorithm 2 in Agrawal & Goyal (2017).",
    ),
    Unjudged("the sentence compares this paper with another paper, whose claims we have not checked"),
    expect=Verdict.UNSUPPORTED,
)
