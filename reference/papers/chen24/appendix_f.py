"""Appendices F and I: the proofs of Propositions 4.1 and D.2, step by step."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendices F and I")
CHANCE = Real(0, 1)
EQ_51 = page.source("(51), with D'_j above (49)", "P(D_M) = P(D'_p) P(mu-tilde_i in chi_i | D'_p) P(D_{p,M} | D_p)")
EQ_112 = page.source("(111), (112); (51), (52)", "Note that by definition it holds P_z(D'_p) = P_{z'}(D'_p)")
EQ_113 = page.source("(113), first line", "int_{x in gamma^{-}} f_Gauss(x - mu_x) dx <= delta/2 for all x in {z, z'}")


def threshold(eps: Number, s: Number) -> Number:
    """How many standard deviations beyond its centre a normal mean is e^eps times as likely on one of two tables whose
    means are 1/n apart. s = sqrt(2 log(1.25/delta)): the standard deviation is s/(n eps)."""
    return s - eps / (2 * s)


@chapter.identity(
    "eq-51",
    EQ_51,
    over={"chance": CHANCE, "other": CHANCE},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The noisy means of the phase's other arms are missing in Appendix F's D'_j, where p and j are mixed up too. "
    "Appendix I has them, and in phases that pull all arms (51) is right with its D'_j; where a Max-Det collection is "
    "pulled, (112) is wrong with it (eq-112), and eq-112/repaired has what both proofs need. In both, chi should be "
    "any Borel set, not one in [0, 1].",
)
def eq_51(m: Vocabulary, chance: Number, other: Number) -> Sides:
    """To the letter, on two arms and one phase, whose noisy means lie in their sets with these chances: P(D_1) is
    P(D'_1) = 1 times the first one's chance."""
    return chance * other, chance


chapter.add(
    "eq-52",
    page.source("(52), first line, with D'_j above (49)", "Note that by definition it holds P_z(D'_p) = P_{z'}(D'_p)"),
    Stated("the first line of (52) holds with the D'_j of Appendix F, which has no noisy mean of phase j"),
    scope="For every set of outputs. It is (51) that is wrong with this D'_j (eq-51); no D'_j makes both right in a "
    "Max-Det phase as long as it says something about arms that are not pulled (eq-112).",
    expect=Verdict.ARGUED,
)


@chapter.identity(
    "eq-112",
    EQ_112,
    over={"w": Real(0, inf), "move": Real(0, inf)},
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.PROOF,
    note="Appendix I's D'_j holds the estimates of all other arms in phase j. Where a Max-Det collection is pulled, "
    "those of arms that are not pulled are combinations of noisy means, the one with the changed reward among them: "
    "features (1, 0) and (1/2, 0), of which the first is pulled, and D' = {the second one's estimate is in [0, w/2]} "
    "in standard deviations of the noise. By the same, (111)'s second line takes a conditional density for one that "
    "is not. With Laplace noise (52) fails likewise: eps = 1, one pull and an estimate in [0, 1/4] have 0.1967 after "
    "a reward of 0, and 0.1193 after a 1. What is proved stands for eps <= 3.7: eq-112/repaired, "
    "proposition-d.2/repaired/policy; and Proposition 4.1 (proposition-4.1).",
)
def eq_112(m: Vocabulary, w: Number, move: Number) -> Sides:
    """A noisy mean lies in [0, w], in standard deviations: with the centre 0, and with the centre `move` = eps/s, s =
    sqrt(2 log(1.25/delta)), where one reward of n is 1 instead of 0."""
    return m.ncdf(w) - m.ncdf(m.number(0)), m.ncdf(w - move) - m.ncdf(-move)


chapter.add(
    "eq-112/repaired",
    EQ_112,
    Stated(
        "(51) and (52), (111) and (112) hold where D'_p says of phase p what its pulls are, and what the noisy means "
        "of the other arms that are pulled are; what is not pulled belongs to D_{p,M}"
    ),
    scope="For every phase, with or without a Max-Det collection.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
)


chapter.add(
    "appendix-f/products",
    page.source(
        "Appendix F, after (50)",
        "we will show P_z(D_M) <= exp(eps) P_{z'}(D_M) which then implies that pi-tilde is eps-differentially private",
    ),
    Stated("where P <= e^eps P' holds for all products of sets, it holds for all sets"),
    scope="(50) is about the events D_M, which are products over arms and phases; (47) about all sets of outputs.",
    expect=Verdict.ARGUED,
)
chapter.add(
    "appendix-i/products",
    page.source("Appendix I, after (113)", "which implies that pi-tilde is (eps, delta)-differentially private"),
    Stated("where P <= e^eps P' + delta holds for all products of sets, it holds for all sets"),
    scope="(107) asks for all sets of outputs. What is shown is about the events D_M, which fix all numbers of pulls "
    "and are products over arms and phases.",
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.PROOF,
    note="Each of several events may take its own delta. P: one of two fair coins that agree; P': independent ones. "
    "With e^eps = 6/5, that the coins agree takes a delta of 2/5, and no product more than 1/5. For eps "
    "<= 3.7 the proposition stands by another argument: proposition-d.2/repaired/policy.",
)


@chapter.inequality(
    "eq-110",
    page.source("(110)", "we will show P_z(D_M) <= exp(eps) P_{z'}(D_M)"),
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
    note="Where chi is the set on which the quotient of the densities is above e^eps, gamma^{-} has to be all of it, "
    "by the second line of (113). False near eps = 1, delta = 1. The last step has a factor of 2 to spare, so nothing "
    "breaks for these eps: eq-113/repaired. For larger ones the proposition itself fails (proposition-d.2).",
)
def eq_113(m: Vocabulary, eps: Number, delta: Number) -> Sides:
    """As a formula, for eps < 1, where the calibration that it cites stands, and every delta: the chance of gamma^{-}
    is at most delta/2."""
    return m.ncdf(-threshold(eps, m.sqrt(2 * m.log(m.number("1.25") / delta)))), delta / 2


@chapter.inequality(
    "eq-113/repaired",
    EQ_113,
    over={"eps": Real(0, 1.8, closed=True), "s": Real(0.668, inf)},
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    note="s = sqrt(2 log(1.25/delta)), so delta = 1.25 e^{-s^2/2}; delta < 1 is s > 0.668. With eq-112/repaired this "
    "gives P(D_M) <= e^eps P'(D_M) + delta, which is all that the last line needs.",
)
def eq_113_repaired(m: Vocabulary, eps: Number, s: Number) -> Sides:
    """As a formula, for eps <= 1.8, with delta instead of delta/2."""
    return m.ncdf(-threshold(eps, s)), m.number("1.25") * m.exp(-s * s / 2)


chapter.add(
    "proposition-d.2/repaired/policy",
    page.source(
        "Proposition D.2, (107)",
        "The DP-BAI-Gauss policy with privacy and budget parameters (eps, delta, T) satisfies the (eps, delta)-DP "
        "constraint",
    ),
    Stated(
        "DP-BAI-Gauss is (eps, delta)-DP: its released pulls and its recommendation, one reward of the table changed"
    ),
    scope="DP-BAI-Gauss for 0 < eps <= 3.7, delta in (0, 1), every T, rewards in [0, 1] and all sets of outputs; "
    "printed and repaired parameters, every choice of the collections.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("chen24/proposition-d.2/repaired",),
)
