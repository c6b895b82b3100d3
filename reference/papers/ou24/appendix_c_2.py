"""Claims of Appendix C.2: Renyi DP, Theorem 8."""

from __future__ import annotations

from math import inf
from typing import Any

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Source, Stated, Unjudged, Verdict, Whole
from dpbandits.reference.curves import Curve, Family, gaussian_delta, gaussian_renyi
from dpbandits.reference.papers.ou24 import ALGORITHM_1
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import best_renyi_eps, lemma_3_mu, mean_sensitivity, theorem_8_eps
from dpbandits.reference.papers.ou24.section_2 import LINE, MU, ROUNDS

chapter = page.chapter("Appendix C.2")

ORDER = Real(1, inf)
DEFINITION_3 = Source(
    "ou24",
    "Definition 3",
    "An algorithm M satisfies (alpha, gamma(alpha))-RDP with alpha >= 1 if for any neighboring datasets D and D': "
    "D_alpha(M(D)||M(D')) = 1/(alpha-1) log E_{x~M(D)}[(Pr[M(D)=x]/Pr[M(D')=x])^(alpha-1)] <= gamma(alpha)",
)
STEP_GAMMA = Source(
    "ou24",
    "Appendix C.2",
    "gamma(alpha) = alpha s_j^2/(2 sigma_j^2) = ((1/(n_j+1)^2)/(2/(n_j+1))) alpha = alpha/(2(n_j+1)) <= alpha/4.",
)
COMPOSED = Source(
    "ou24",
    "Appendix C.2",
    "Thus T rounds of Thompson Sampling will together satisfy (alpha, alpha T/4)-RDP.",
)
THEOREM_8 = Source(
    "ou24",
    "Theorem 8",
    "Algorithm 1 is (eps, delta)-differentially private for any delta in (0,1), alpha > 1, and eps = alpha T/4 + "
    "log(1/delta)/(alpha-1).",
)


@chapter.inequality(
    "definition-3",
    DEFINITION_3,
    over={"alpha": Real(1, 100, closed=True)},
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    note="The formula divides by alpha - 1, which is 0 at the admitted alpha = 1. Other papers define the divergence "
    "of order 1 as its limit, the Kullback-Leibler divergence. Theorem 8 needs alpha > 1 only. We read alpha > 1.",
)
def definition_3(m: Vocabulary, alpha: Number) -> Sides:
    """alpha - 1 is a divisor, so it must not be 0 for any admitted alpha."""
    return m.number(0), alpha - 1


@chapter.identity(
    "definition-3/forms",
    Source(
        "ou24",
        "Appendix C.2, Definition 3",
        "D_alpha(P || Q) = (1/(alpha-1)) log E_{x ~ Q}[(P(x)/Q(x))^alpha] = (1/(alpha-1)) log "
        "E_{x ~ P}[(P(x)/Q(x))^(alpha-1)].",
    ),
    over={"q": Real(0, 1), "alpha": ORDER, "ratio": Real(0, inf)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def definition_3_forms(m: Vocabulary, q: Number, alpha: Number, ratio: Number) -> Sides:
    """The formula compares the terms of the two sums, at a point of probability q and ratio P/Q."""
    return q * m.exp(alpha * m.log(ratio)), q * ratio * m.exp((alpha - 1) * m.log(ratio))


chapter.add(
    "c2/cited-composition",
    Source(
        "ou24",
        "Appendix C.2",
        "the adaptive composition of T mechanisms that each satisfy (alpha, gamma(alpha))-RDP, will together "
        "satisfy (alpha, T gamma(alpha))-RDP (Mironov, 2017).",
    ),
    Unjudged(
        "this is a theorem of another paper, about all mechanisms. We prove Theorem 8 from Lemma 3, without the cited "
        "theorem"
    ),
    expect=Verdict.UNSUPPORTED,
)
chapter.add(
    "c2/cited-conversion",
    Source(
        "ou24",
        "Appendix C.2",
        "if an algorithm M satisfies (alpha, gamma(alpha))-RDP, then it also satisfies (gamma(alpha) + "
        "log(1/delta)/(alpha-1), delta)-DP for any delta in (0, 1).",
    ),
    Unjudged(
        "this is a theorem of another paper, about all mechanisms. We prove Theorem 8 from Lemma 3, without the cited "
        "theorem"
    ),
    expect=Verdict.UNSUPPORTED,
)


@chapter.identity(
    "c2/gaussian",
    Source(
        "ou24",
        "Appendix C.2",
        "the Gaussian Mechanism that adds noise N(0, sigma^2) to the value of a function with sensitivity s is "
        "(alpha, gamma(alpha))-RDP where gamma(alpha) = s^2 alpha/(2 sigma^2), for any alpha > 1",
    ),
    over={"alpha": ORDER, "mu": MU, "x": LINE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="Integrating over x leaves e^((alpha-1) gamma), so the divergence is exactly alpha mu^2/2.",
)
def c2_gaussian(m: Vocabulary, alpha: Number, mu: Number, x: Number) -> Sides:
    """Let mu = s/sigma. The formula states that p^alpha q^(1-alpha) is a normal density times e^((alpha-1) alpha
    mu^2/2), by comparing the exponents."""
    left = -alpha * (x - mu) ** 2 / 2 - (1 - alpha) * x**2 / 2
    right = (alpha - 1) * gaussian_renyi(m, alpha, mu) - (x - alpha * mu) ** 2 / 2
    return left, right


@chapter.identity(
    "c2/step",
    STEP_GAMMA,
    over={"alpha": ORDER, "n": Whole(1)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def c2_step(m: Vocabulary, alpha: Number, n: Number) -> Sides:
    """The claim is the chain of equalities of the PMLR version, with sigma^2 = 1/(n+1)."""
    return alpha * mean_sensitivity(m, n) ** 2 / (2 * (1 / (n + 1))), alpha / (2 * (n + 1))


@chapter.identity(
    "c2/step/arxiv",
    Source("ou24", "Appendix C.2, arXiv", "the variance of the noise added is sigma_i^2 = (1/(n_i+1))^2."),
    over={"alpha": ORDER, "n": Whole(1)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The variance (1/(n_i+1))^2 of the text would give alpha/2 for every n. The display uses 1/(n+1), the "
    "variance of Algorithm 1.",
)
def c2_step_arxiv(m: Vocabulary, alpha: Number, n: Number) -> Sides:
    """The display is read with the variance that the text of the arXiv version states."""
    return alpha * mean_sensitivity(m, n) ** 2 / (2 * (1 / (n + 1)) ** 2), alpha / (2 * (n + 1))


@chapter.inequality(
    "c2/step/bound",
    STEP_GAMMA,
    over={"alpha": ORDER, "n": Whole(1)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def c2_step_bound(m: Vocabulary, alpha: Number, n: Number) -> Sides:
    """The claim is the inequality, for n_j >= 1."""
    return alpha / (2 * (n + 1)), alpha / 4


chapter.add(
    "c2/from-gdp",
    COMPOSED,
    Stated("for alpha > 1, every mu-GDP mechanism is (alpha, alpha mu^2/2)-RDP"),
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/definition-2", "ou24/definition-2/attained", "ou24/c2/gaussian"),
)


@chapter.identity(
    "c2/composition",
    COMPOSED,
    over={"alpha": ORDER, "T": ROUNDS},
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    follows=("ou24/lemma-3/every-run", "ou24/c2/gaussian", "ou24/c2/from-gdp"),
    by="because a mu-GDP mechanism loses no more than a Gaussian mechanism with parameter mu",
    note="So composition in RDP loses nothing for Gaussian steps. Only the conversion to (eps, delta) loses something.",
)
def c2_composition(m: Vocabulary, alpha: Number, T: Number) -> Sides:
    """alpha T/4 is the Renyi divergence of one Gaussian mechanism with Lemma 3's parameter."""
    return T * gaussian_renyi(m, alpha, 1 / m.sqrt(m.number(2))), gaussian_renyi(m, alpha, lemma_3_mu(m, T))


@chapter.private(
    "theorem-8",
    THEOREM_8,
    "pull",
    "arms",
    expect=Verdict.ARGUED,
    subject=ALGORITHM_1,
    params=tuple({"arms": arms, "horizon": rounds} for arms, rounds in ((2, 10), (3, 2))),
    more_params=tuple({"arms": arms, "horizon": rounds} for arms, rounds in ((2, 2), (3, 10))),
    follows=("ou24/theorem-8/every-run",),
)
def theorem_8(policy: Any) -> Curve | None:
    """The bound is taken at the best order alpha."""

    def eps(m: Vocabulary, delta: Number) -> Number:
        return best_renyi_eps(m, policy.horizon, delta)

    return Family(eps, 1e-6, 0.5)


chapter.add(
    "theorem-8/every-run",
    THEOREM_8,
    Stated(
        "for T >= 1, alpha > 1 and 0 < delta < 1, the pulls of a run of Algorithm 1 are (eps, delta)-DP with eps = "
        "alpha T/4 + log(1/delta)/(alpha-1)"
    ),
    scope="The claim covers neighbours of either relation, any number of arms and rewards in [0, 1].",
    expect=Verdict.ARGUED,
    follows=("ou24/lemma-3/every-run", "ou24/theorem-8/formula"),
    note="The proof uses Lemma 3 and does not compose Renyi divergences.",
)


@chapter.inequality(
    "theorem-8/formula",
    THEOREM_8,
    over={"T": ROUNDS, "alpha": ORDER, "delta": Real(0, 1)},
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="The delta by Lemma 3 is smaller by at least a factor 2. The same proof shows 'no worse than RDP across all "
    "scenarios' in Appendix C.3.",
)
def theorem_8_formula(m: Vocabulary, T: Number, alpha: Number, delta: Number) -> Sides:
    """The formula states that Lemma 3 implies Theorem 8, for every T, alpha and delta."""
    return gaussian_delta(m, theorem_8_eps(m, T, alpha, delta), lemma_3_mu(m, T)), delta
