"""Appendix C.1: equation (27), and Algorithm 3, report noisy max with Laplace noise."""

from __future__ import annotations

from math import inf
from typing import Any

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.policy import Step
from dpbandits.reference.bandits.release_laws.mechanisms import ReportNoisyMax
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Source, Verdict, Whole
from dpbandits.reference.curves import Approximate, Curve, gaussian_delta
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import half, mean_sensitivity, two_arm_eps
from dpbandits.reference.papers.ou24.section_2 import LINE

chapter = page.chapter("Appendix C.1: noisy maxima")
EQUATION_27 = "argmax_i theta_{i,t} where theta_{i,t} ~ "
ALGORITHM_3 = Source(
    "ou24",
    "Appendix C.1, Algorithm 3",
    "Algorithm 3 achieves (eps, 0)-differential privacy by tuning the Laplace noise parameter based on the sensitivity "
    "s of all functions and privacy parameter eps",
)


def laplace_step(left: tuple[float, ...], right: tuple[float, ...], sensitivity: float = 1.0) -> Step:
    """Algorithm 3 with eps = 1 on two neighbouring databases: the answers of the queries on either side."""
    return Step(ReportNoisyMax(sensitivity), left, right, (sensitivity,) * len(left))


def laplace_tail(m: Vocabulary, gap: Number) -> Number:
    """P(Z_1 - Z_2 > gap) for two standard Laplace variables: e^-x (1/2 + x/4) for x = gap >= 0."""
    over, under = m.maximum(gap, 0), m.maximum(-gap, 0)
    right, left = m.exp(-over) * (2 + over) / 4, m.exp(-under) * (2 + under) / 4
    return right - left + half(m)


@chapter.identity(
    "eq-27/variance",
    Source("ou24", "Equation (27), arXiv", EQUATION_27 + "N(mu-hat_{i,t-1}, (1/(n_{i,t-1}+1))^2)"),
    over={"n": Whole(0)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="For n >= 1, the arXiv version's variance (1/(n+1))^2 differs from that of Algorithm 1. The arXiv version has "
    "a misprint. The PMLR version prints 1/(n+1).",
)
def eq_27_variance(m: Vocabulary, n: Number) -> Sides:
    """The arXiv version states this variance for Algorithm 1."""
    return (1 / (n + 1)) ** 2, 1 / (n + 1)


@chapter.identity(
    "eq-27/privacy",
    Source("ou24", "Equation (27), arXiv", EQUATION_27 + "N(mu-hat_{i,t-1}, (1/(n_{i,t-1}+1))^2)"),
    over={"n": Whole(1)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="So the variance of the arXiv version would not give the sqrt(1/2) of Lemma 2.",
)
def eq_27_privacy(m: Vocabulary, n: Number) -> Sides:
    """The formula states that with the variance of the arXiv version every round would only be 1-GDP, however large n
    is."""
    return mean_sensitivity(m, n) / m.sqrt((1 / (n + 1)) ** 2), m.number(1)


@chapter.inequality(
    "c1/less-information",
    Source(
        "ou24",
        "Appendix C.1, arXiv",
        "Intuitively, publishing less information at each timestep should lead to a tighter privacy guarantee for "
        "the same amount of noise.",
    ),
    over={},
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-7/two-arms",),
    by="because the released arm is (1.115, 0)-DP",
    note="The claim is about two arms. As N grows, the maximum of the other samples can come close to any threshold, "
    "for example for many arms with equally many pulls. So the released arm reveals almost as much as the samples.",
)
def c1_less_information(m: Vocabulary) -> Sides:
    """The formula gives an example with two arms: at the same eps, the released arm needs delta = 0, and the released
    samples need delta = 0.028."""
    return m.number("0.028"), gaussian_delta(m, two_arm_eps(m), m.sqrt(half(m)))


@chapter.private(
    "algorithm-3",
    ALGORITHM_3,
    "queries",
    "arms",
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.GUARANTEE,
    subject=laplace_step,
    params=(
        {"left": (0.0, 0.0), "right": (-1.0, 1.0)},
        {"left": (0.0, 4.0), "right": (-1.0, 5.0)},
        {"left": (0.0, 3.0, 3.0), "right": (-1.0, 4.0, 4.0)},
    ),
    note="If two queries change in opposite directions, their difference changes by 2 s: the likelihood ratio is "
    "e^(2 eps) in the tail.\n"
    "Dwork and Roth (2014) state the mechanism for counting queries, which all change in one direction.\n"
    "For other queries the actual eps is twice the promised eps.\n"
    "If only one query may change, as the paper assumes for Algorithm 4 and for Thompson sampling, the guarantee holds "
    "(`ou24/algorithm-3/one-query`).",
    related=("ou24/algorithm-3/one-query",),
    repair="Use Laplace noise of scale 2s/eps.",
)
def algorithm_3(step: Any) -> Curve | None:
    """The values of all queries may change, each by up to s."""
    return Approximate(1.0)


@chapter.inequality(
    "algorithm-3/formula",
    ALGORITHM_3,
    over={"eps": Real(0, 5), "gap": Real(-10, 10)},
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.GUARANTEE,
    same_error_as="ou24/algorithm-3",
    note="For two queries that change by s in opposite directions, the likelihood ratio tends to e^(2 eps) as the "
    "runner-up's lead (`gap`, in units of s/eps) grows.",
)
def algorithm_3_formula(m: Vocabulary, eps: Number, gap: Number) -> Sides:
    """Two queries change by s in opposite directions."""
    return laplace_tail(m, gap), m.exp(eps) * laplace_tail(m, gap + 2 * eps)


@chapter.inequality(
    "algorithm-3/gap",
    ALGORITHM_3,
    over={"move": Real(0, inf, closed=True), "gap": LINE},
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="If one query changes, or all change in one direction, every difference changes by at most s.",
)
def algorithm_3_gap(m: Vocabulary, move: Number, gap: Number) -> Sides:
    """The formula is about two queries whose difference changes by at most s."""
    return laplace_tail(m, gap), m.exp(move) * laplace_tail(m, gap + move)


@chapter.private(
    "algorithm-3/one-query",
    ALGORITHM_3,
    "query",
    "arms",
    expect=Verdict.ARGUED,
    subject=laplace_step,
    params=(
        {"left": (0.0, 0.0), "right": (-1.0, 0.0)},
        {"left": (0.0, 4.0), "right": (0.0, 5.0)},
        {"left": (0.0, 3.0, 3.0), "right": (0.0, 4.0, 3.0)},
    ),
    follows=("ou24/algorithm-3/gap",),
    by="because changing one value by s, with all other noise fixed, moves the threshold of one Laplace variable by s",
)
def algorithm_3_one_query(step: Any) -> Curve | None:
    """One query may change, as in the claims about Algorithm 4."""
    return Approximate(1.0)
