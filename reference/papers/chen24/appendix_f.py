"""Appendices F and I: the proofs of Propositions 4.1 and D.2, step by step."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendices F and I")
PROBABILITY = Real(0, 1)
EQ_51 = page.source("Eq. (51), with D'_j above (49)", "P(D_M) = P(D'_p) P(mu-tilde_i in chi_i | D'_p) P(D_{p,M} | D_p)")
EQ_112 = page.source("Eqs. (111), (112); (51), (52)", "Note that by definition it holds P_z(D'_p) = P_{z'}(D'_p)")
EQ_113 = page.source(
    "Eq. (113), first line", "int_{x in gamma^{-}} f_Gauss(x - mu_x) dx <= delta/2 for all x in {z, z'}"
)


def threshold(eps: Number, s: Number) -> Number:
    """How many standard deviations beyond its centre a normal mean is e^eps times as likely on one of two tables
    whose means are 1/n apart. s = sqrt(2 log(1.25/delta)): the standard deviation is s/(n eps)."""
    return s - eps / (2 * s)


@chapter.identity(
    "eq-51",
    EQ_51,
    over={"p_1": PROBABILITY, "p_2": PROBABILITY},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The D'_j of Appendix F lacks the noisy means of the other arms of the phase, and confuses p and j. The "
    "D'_j of Appendix I contains these means, and with it (51) holds in phases that pull all arms.\n"
    "In phases that pull a Max-Det collection, (112) is false with this D'_j (`chen24/eq-112`). The claim "
    "`chen24/eq-112/repaired` states what both proofs need.\n"
    "In both appendices chi should be any Borel set, not only one in [0, 1].",
    related=("chen24/eq-112", "chen24/eq-112/repaired"),
)
def eq_51(m: Vocabulary, p_1: Number, p_2: Number) -> Sides:
    """There are two arms and one phase, whose noisy means lie in the given sets with probabilities p_1 and p_2. The
    claim is that P(D_1) = p_1 p_2 equals P(D'_1) p_1, where P(D'_1) = 1."""
    return p_1 * p_2, p_1


chapter.add(
    "eq-52",
    page.source(
        "Eq. (52), first line, with D'_j above (49)", "Note that by definition it holds P_z(D'_p) = P_{z'}(D'_p)"
    ),
    Stated("P_z(D'_p) = P_{z'}(D'_p) for the D'_j of Appendix F, which contains no noisy mean of phase j"),
    scope="The claim is for every set of outputs. With this D'_j, (51) is false (`chen24/eq-51`). In a Max-Det phase, "
    "(51) and (52) are not both true if D'_j restricts arms that are not pulled (`chen24/eq-112`).",
    expect=Verdict.ARGUED,
    related=("chen24/eq-51", "chen24/eq-112"),
)


@chapter.identity(
    "eq-112",
    EQ_112,
    over={"w": Real(0, inf), "move": Real(0, inf)},
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.PROOF,
    note="Appendix I's D'_j contains the estimates of all other arms in phase j. If a Max-Det collection is pulled, "
    "the estimates of arms that are not pulled are linear combinations of noisy means, including the noisy mean with "
    "the changed reward.\n"
    "For the same reason the second line of (111) replaces a conditional density by an unconditional one.\n"
    "With Laplace noise, (52) fails as well. For eps = 1 and one pull, an estimate lies in [0, 1/4] with probability "
    "0.1967 if the reward is 0, and with probability 0.1193 if the reward is 1. The propositions have other proofs: "
    "Proposition D.2 for eps <= 3.7 (`chen24/eq-112/repaired`, `chen24/proposition-d.2/repaired/policy`) and "
    "Proposition 4.1 (`chen24/proposition-4.1`).",
    related=("chen24/eq-112/repaired", "chen24/proposition-d.2/repaired/policy", "chen24/proposition-4.1"),
)
def eq_112(m: Vocabulary, w: Number, move: Number) -> Sides:
    """The features are (1, 0) and (1/2, 0), and the first arm is pulled. D' is the event that the estimate of the
    second arm is in [0, w/2], in units of the standard deviation of the noise. So the noisy mean is in [0, w]. The
    centre of the noisy mean is 0 on one table. On the other table, in which one reward is 1 instead of 0, the centre is
    `move` = eps/s with s = sqrt(2 log(1.25/delta))."""
    return m.ncdf(w) - m.ncdf(m.number(0)), m.ncdf(w - move) - m.ncdf(-move)


chapter.add(
    "eq-112/repaired",
    EQ_112,
    Stated(
        "(51), (52), (111) and (112) hold if, in phase p, D'_p restricts only the pulls and the noisy means of the "
        "other pulled arms, and arms that are not pulled belong to D_{p,M}"
    ),
    scope="The claim is for every phase, with or without a Max-Det collection.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
)


chapter.add(
    "appendix-f/products",
    page.source(
        "Appendix F, after (50)",
        "we will show P_z(D_M) <= exp(eps) P_{z'}(D_M) which then implies that pi-tilde is eps-differentially private",
    ),
    Stated("if P(D) <= e^eps P'(D) for all products D of sets, then the same holds for all sets"),
    scope="Inequality (50) is about the events D_M, which are products over arms and phases. Inequality (47) is about "
    "all sets of outputs.",
    expect=Verdict.ARGUED,
)
chapter.add(
    "appendix-i/products",
    page.source("Appendix I, after (113)", "which implies that pi-tilde is (eps, delta)-differentially private"),
    Stated("if P(D) <= e^eps P'(D) + delta for all products D of sets, then the same holds for all sets"),
    scope="(107) is about all sets of outputs. The proof is about the events D_M, which fix all numbers of pulls and "
    "are products over arms and phases.",
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.PROOF,
    note="Several disjoint products may each use up delta, so their union may need more than delta.\n"
    "Example: two fair coins that always agree (P) and two independent coins (P'), with e^eps = 6/5. The event that "
    "the coins agree needs delta = 2/5, and no product of sets needs more than 1/5. For eps <= 3.7 the proposition "
    "holds by another argument: `chen24/proposition-d.2/repaired/policy`.",
    related=("chen24/proposition-d.2/repaired/policy",),
)


@chapter.inequality(
    "eq-110",
    page.source("Eq. (110)", "we will show P_z(D_M) <= exp(eps) P_{z'}(D_M)"),
    over={"x": Real(-inf, inf), "eps": Real(0, inf), "s": Real(0.668, inf)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="Gaussian noise is not eps-DP for any eps. The last line of the appendix has the delta that is missing here.",
)
def eq_110(m: Vocabulary, x: Number, eps: Number, s: Number) -> Sides:
    """The claim is read without delta, as printed: the privacy loss of a noisy mean is at most eps at x standard
    deviations from one centre. One reward shifts the centre by eps/s standard deviations, where s = sqrt(2
    log(1.25/delta))."""
    return x * eps / s - (eps / s) ** 2 / 2, eps


@chapter.inequality(
    "eq-113",
    EQ_113,
    over={"eps": PROBABILITY, "delta": PROBABILITY},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.PROOF,
    note="By the second line of (113), gamma^{-} must contain the whole set on which the quotient of the densities "
    "exceeds e^eps.\n"
    "The bound fails near eps = 1, delta = 1. The last step still works with a bound twice as large, so for "
    "these eps the proof can be repaired (`chen24/eq-113/repaired`).\n"
    "For eps >= 5.8 the proposition itself fails (`chen24/proposition-d.2`).",
    related=("chen24/eq-113/repaired", "chen24/proposition-d.2"),
)
def eq_113(m: Vocabulary, eps: Number, delta: Number) -> Sides:
    """The claim is that for eps < 1, for which the cited calibration holds, and for every delta, the probability of
    gamma^{-} is at most delta/2."""
    return m.ncdf(-threshold(eps, m.sqrt(2 * m.log(m.number("1.25") / delta)))), delta / 2


@chapter.inequality(
    "eq-113/repaired",
    EQ_113,
    over={"eps": Real(0, 1.8, closed=True), "s": Real(0.668, inf)},
    reading=Reading.REPAIRED,
    formula_only=True,
    expect=Verdict.ARGUED,
    note="Together with `chen24/eq-112/repaired`, this bound gives P(D_M) <= e^eps P'(D_M) + delta, which is all that "
    "the last line needs.",
    related=("chen24/eq-112/repaired",),
)
def eq_113_repaired(m: Vocabulary, eps: Number, s: Number) -> Sides:
    """The formula states that for eps <= 1.8, the probability of gamma^{-} is at most delta = 1.25 e^{-s^2/2}. Here s =
    sqrt(2 log(1.25/delta)) is above 0.668 for delta < 1."""
    return m.ncdf(-threshold(eps, s)), m.number("1.25") * m.exp(-s * s / 2)


chapter.add(
    "proposition-d.2/repaired/policy",
    page.source(
        "Proposition D.2, (107)",
        "The DP-BAI-Gauss policy with privacy and budget parameters (eps, delta, T) satisfies the (eps, delta)-DP "
        "constraint",
        statement="Proposition D.2",
    ),
    Stated(
        "the released pulls and the recommendation of DP-BAI-Gauss are (eps, delta)-DP if one reward of the table "
        "changes"
    ),
    scope="The claim is for 0 < eps <= 3.7, delta in (0, 1), every T, rewards in [0, 1], all sets of outputs, the "
    "printed and the repaired parameters, and every choice of the collections.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("chen24/proposition-d.2/repaired",),
)
