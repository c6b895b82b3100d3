"""Appendices F and I: the proofs of Propositions 4.1 and D.2, step by step."""

from __future__ import annotations

from math import inf

from dpbandits.reference.ledger import Consequence, Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.papers.chen24.page import page
from dpbandits.reference.vocabulary import Number, Sides, Vocabulary

chapter = page.chapter("Appendices F and I")
CHANCE = Real(0, 1)
EQ_113 = page.source("(113), first line")


def threshold(eps: Number, s: Number) -> Number:
    """How many standard deviations beyond its centre a normal mean is e^eps times as likely on one of two tables whose
    means are 1/n apart. s = sqrt(2 log(1.25/delta)): the standard deviation is s/(n eps)."""
    return s - eps / (2 * s)


@chapter.identity(
    "eq-51",
    page.source("(51), with D'_j above (49)"),
    over={"chance": CHANCE, "other": CHANCE},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The noisy means of the phase's other arms are missing in Appendix F's D'_j, where p and j are mixed up too. "
    "Appendix I has them, and (51) is right with its D'_j. In both, chi should be any Borel set, not one in [0, 1].",
)
def eq_51(m: Vocabulary, chance: Number, other: Number) -> Sides:
    """To the letter, on two arms and one phase, whose noisy means lie in their sets with these chances: P(D_1) is
    P(D'_1) = 1 times the first one's chance."""
    return chance * other, chance


chapter.add(
    "appendix-f/products",
    page.source("Appendix F, after (50)"),
    Stated("where P <= e^eps P' holds for all products of sets, it holds for all sets"),
    scope="(50) is about the events D_M, which are products over arms and phases; (47) about all sets of outputs.",
    expect=Verdict.ARGUED,
)
chapter.add(
    "appendix-i/products",
    page.source("Appendix I, after (110)"),
    Stated("where P <= e^eps P' + delta holds for all products of sets, it holds for all sets"),
    scope="(107) asks for all sets of outputs. What is shown is about the events D_M, which fix all numbers of pulls "
    "and are products over arms and phases.",
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.PROOF,
    note="Each of several events may take its own delta. P: one of two fair coins that agree; P': independent ones. "
    "With e^eps = 6/5, that the coins agree takes a delta of 2/5, and no product more than 1/5. For eps "
    "<= 1.8 the proposition stands by another argument: proposition-d.2/repaired/policy.",
)


@chapter.inequality(
    "eq-110",
    page.source("(110)"),
    over={"x": Real(-inf, inf), "eps": Real(0, inf), "s": Real(0.668, inf)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="No normal noise is eps-DP. The last line of the appendix has the delta that is missing here. s = sqrt(2 "
    "log(1.25/delta)).",
)
def eq_110(m: Vocabulary, x: Number, eps: Number, s: Number) -> Sides:
    """To the letter, without delta: the logarithm of the quotient of two densities of a noisy mean, x standard
    deviations beyond the centre of the lower one and eps/s of them (which is 1/n) less beyond the other's, is at most
    eps."""
    return x * eps / s - (eps / s) ** 2 / 2, eps


@chapter.inequality(
    "eq-113",
    EQ_113,
    over={"eps": CHANCE, "delta": CHANCE},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.PROOF,
    note="Where chi is the set on which the quotient of the densities is above e^eps, gamma^- has to be all of it, by "
    "the second line of (113). False near eps = 1, delta = 1. The last step has a factor of 2 to spare, so nothing "
    "breaks for these eps: eq-113/repaired. For larger ones the proposition itself fails (proposition-d.2).",
)
def eq_113(m: Vocabulary, eps: Number, delta: Number) -> Sides:
    """For eps < 1, where the calibration that it cites stands, and every delta: the chance of gamma^- is at most
    delta/2."""
    return m.ncdf(-threshold(eps, m.sqrt(2 * m.log(m.number("1.25") / delta)))), delta / 2


@chapter.inequality(
    "eq-113/repaired",
    EQ_113,
    over={"eps": Real(0, 1.8, closed=True), "s": Real(0.668, inf)},
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    note="s = sqrt(2 log(1.25/delta)), so delta = 1.25 e^{-s^2/2}; delta < 1 is s > 0.668. (111), (112) and this give "
    "P(D_M) <= e^eps P'(D_M) + delta, which is all that the last line needs.",
)
def eq_113_repaired(m: Vocabulary, eps: Number, s: Number) -> Sides:
    """For eps <= 1.8, with delta instead of delta/2."""
    return m.ncdf(-threshold(eps, s)), m.number("1.25") * m.exp(-s * s / 2)


chapter.add(
    "proposition-d.2/repaired/policy",
    page.source("Proposition D.2, (107)"),
    Consequence(
        "before the phase that looks at the changed reward, both tables give the same law; and given all that is drawn "
        "but the noise of the one mean with this reward, what is released is a function of that noisy mean"
    ),
    scope="DP-BAI-Gauss for every eps <= 1.8, delta in (0, 1) and T, and all sets of outputs; printed and repaired "
    "parameters, every choice of the collections.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("chen24/proposition-d.2/repaired",),
    by="post-processing, and averaging over what was given",
)
