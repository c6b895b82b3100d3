"""Appendix C.1: Theorem 6, report noisy max with Gaussian noise, and its proof."""

from __future__ import annotations

from math import inf
from typing import Any

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.policy import Step
from dpbandits.reference.bandits.release_laws.mechanisms import GaussianNoisyMax
from dpbandits.reference.claims.model import (
    Fault,
    Harm,
    Private,
    Reading,
    Real,
    Source,
    Stated,
    Unjudged,
    Verdict,
    Whole,
)
from dpbandits.reference.curves import Curve, Family, Gaussian
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import half, noisy_max_eps
from dpbandits.reference.papers.ou24.section_2 import LINE

chapter = page.chapter("Appendix C.1: noisy maxima")
SHARE = Real(0, 1, closed=True)
DELTA = Real(0, 0.5)
THEOREM_6 = Source(
    "ou24",
    "Theorem 6",
    "Assume that for any pair of neighboring databases R and R', f(R) and f(R') differ at at most one entry. Then, "
    "Algorithm 4 is (eps, delta)-differentially private for eps >= (1/2) sqrt(log((n-1)/(2 delta))) max_i "
    "(s_i/sigma_i).",
)
THEOREM_6_PROOF = Source(
    "ou24",
    "Theorem 6, proof",
    "c_i + (s_i + X*) >= c'_i + (s_i + X*) > (s_i + c'_j) + X_j >= c_j + X_j",
)


def gaussian_step(
    scales: tuple[float, ...],
    left: tuple[float, ...],
    right: tuple[float, ...],
    sensitivities: tuple[float, ...],
) -> Step:
    """Algorithm 4 on two neighbouring databases."""
    return Step(GaussianNoisyMax(scales), left, right, sensitivities)


def worst_ratio(step: Step) -> float:
    """max s_i/sigma_i."""
    return float(max(s / sigma for s, sigma in zip(step.sensitivities, step.mechanism.scales, strict=True)))


def theorem_6_curve(step: Step) -> Family:
    """Theorem 6 for this mechanism, at every delta where its logarithm is positive and that is below 1."""
    queries, ratio = len(step.left), worst_ratio(step)

    def eps(m: Vocabulary, delta: Number) -> Number:
        return noisy_max_eps(m, queries, ratio, delta)

    return Family(eps, 1e-4, min(0.99, (queries - 1) / 2 * 0.999))


def two_query_win(m: Vocabulary, lead: Number, other_variance: Number) -> Number:
    """P(query 1 wins) over one other query, in units of sigma_1."""
    return m.ncdf(lead / m.sqrt(1 + other_variance))


chapter.add(
    "theorem-6",
    THEOREM_6,
    Private("query", "arms", theorem_6_curve),
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    repaired_by=("ou24/theorem-6/repaired",),
    same_error_as="ou24/lemma-12",
    subject=gaussian_step,
    params=(
        {"scales": (1.0, 1.0), "left": (0.0, 0.0), "right": (1.0, 0.0), "sensitivities": (1.0, 1.0)},
        {"scales": (1.0, 1e-4), "left": (3.0, 0.0), "right": (0.0, 0.0), "sensitivities": (3.0, 0.0)},
        {
            "scales": (1.0, 1e-4, 1e-4),
            "left": (2.0, 0.0, -9.0),
            "right": (0.0, 0.0, -9.0),
            "sensitivities": (2.0, 0.0, 0.0),
        },
    ),
    note="A user who sets the noise by this theorem gets less privacy than the theorem promises, by an unbounded "
    "factor for every delta < 1/2. The proof rests on Lemma 12, which is false.\n"
    "Theorems 3 and 4, the paper's guarantees for a whole run, do not use this theorem.",
    repair="Claim max s_i/sigma_i-GDP (`ou24/theorem-6/repaired`).",
)


@chapter.inequality(
    "theorem-6/formula",
    THEOREM_6,
    over={"delta": DELTA, "ratio": Real(0, 20), "lead": Real(-20, 20), "spread": Real(0, 1)},
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    repaired_by=("ou24/theorem-6/repaired",),
    same_error_as="ou24/lemma-12",
    note="Two queries refute the theorem: as the noise of the second query vanishes (`spread` tends to 0), the argmax "
    "is a threshold test.\n"
    "The theorem fails for every delta < 1/2 if s/sigma is large enough, and for every s/sigma if delta is small "
    "enough.",
)
def theorem_6_formula(m: Vocabulary, delta: Number, ratio: Number, lead: Number, spread: Number) -> Sides:
    """There are two queries. The second query is constant, and the variance of its noise is `spread`, in units of
    sigma_1."""
    left = two_query_win(m, lead + ratio, spread)
    right = m.exp(noisy_max_eps(m, 2, ratio, delta)) * two_query_win(m, lead, spread) + delta
    return left, right


@chapter.inequality(
    "theorem-6/corner",
    THEOREM_6,
    over={"ratio": Real(0, 20), "lead": Real(-20, 20), "spread": Real(0, 1)},
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    same_error_as="ou24/lemma-12",
    note="At delta = 1/2 the theorem gives eps = 0, that is, a total variation distance of at most 1/2, however "
    "small the noise is.\n"
    "For delta above (n-1)/2 the formula is not defined.",
)
def theorem_6_corner(m: Vocabulary, ratio: Number, lead: Number, spread: Number) -> Sides:
    """At delta = (n-1)/2 = 1/2 the formula gives eps = 0, whatever s/sigma is."""
    return two_query_win(m, lead + ratio, spread), two_query_win(m, lead, spread) + half(m)


@chapter.inequality(
    "theorem-6/one-query",
    THEOREM_6,
    over={"n": Whole(1), "delta": Real(0, 1)},
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    note="The paper means n >= 2. For n = 1 the logarithm's argument is 0, and the proof divides by n - 1. The error "
    "is harmless: with a single query the same index is always released.\n"
    "For n >= 2 the root is undefined if delta > (n-1)/2.",
)
def theorem_6_one_query(m: Vocabulary, n: Number, delta: Number) -> Sides:
    """The claim is that the formula is defined for every n >= 1, that is, the logarithm's argument is positive."""
    return m.number(0), (n - 1) / (2 * delta)


@chapter.private(
    "theorem-6/repaired",
    THEOREM_6,
    "query",
    "arms",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    subject=gaussian_step,
    params=(
        {"scales": (1.0, 1.0), "left": (0.0, 0.0), "right": (1.0, 0.0), "sensitivities": (1.0, 1.0)},
        {"scales": (1.0, 1e-4), "left": (3.0, 0.0), "right": (0.0, 0.0), "sensitivities": (3.0, 0.0)},
        {
            "scales": (1.0, 0.5, 2.0),
            "left": (0.0, 0.5, 1.0),
            "right": (0.0, 0.5, 0.0),
            "sensitivities": (1.0, 0.5, 1.0),
        },
    ),
    follows=("ou24/theorem-6/repaired/every-query",),
)
def theorem_6_repaired(step: Any) -> Curve | None:
    """The repaired theorem has max_i(s_i/sigma_i)-GDP in place of the printed eps and delta."""
    return Gaussian(worst_ratio(step))


chapter.add(
    "theorem-6/repaired/every-query",
    THEOREM_6,
    Stated(
        "if one f_i changes, by at most s_i, then the noisy answers are max_i(s_i/sigma_i)-GDP, and so is their argmax"
    ),
    scope="The claim covers any number of queries, if some s_i is not 0.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("ou24/gaussian-mechanism",),
)


@chapter.inequality(
    "theorem-6/proof/first-aim",
    Source(
        "ou24",
        "Theorem 6, proof",
        "We first argue that Pr[M(R) = i | X_{-i}] <= Pr[M(R') = i | X_{-i}] + delta/(n-1).",
    ),
    over={"place": Real(-10, 10), "ratio": Real(0, 20), "n": Whole(2), "delta": DELTA},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The factor e^eps is missing, here and in the case with R and R' exchanged. The missing factor is a "
    "misprint: the proof's conclusions have it.",
)
def theorem_6_proof_first_aim(m: Vocabulary, place: Number, ratio: Number, n: Number, delta: Number) -> Sides:
    """The claim is the inequality without e^eps. Query i changes by s_i = ratio sigma_i, and the maximum of the other
    queries is `place`."""
    return m.ncdf(ratio - place), m.ncdf(-place) + delta / (n - 1)


chapter.add(
    "theorem-6/proof/one-mean",
    Source(
        "ou24",
        "Appendix C.1",
        "Recall that neighboring histories F_t and F'_t contain databases of rewards R and R' that differ only "
        "in a single reward observation, so only one empirical mean will be different across these neighbors.",
    ),
    Unjudged("this is the definition of a mean, which depends only on its own arm's rewards and on their number"),
    expect=Verdict.UNSUPPORTED,
)

chapter.add(
    "theorem-6/proof/wlog",
    Source("ou24", "Proof of Theorem 6", "Without loss of generality, let c >= c'."),
    Unjudged(
        "this is only a choice of names, because R and R' may be exchanged so that the entry that differs is larger on "
        "R"
    ),
    expect=Verdict.UNSUPPORTED,
)


def within_sensitivity(m: Vocabulary, move: Number, s_j: Number, **others: Number) -> Sides:
    """Query j changes by at most its own sensitivity."""
    return move, s_j


@chapter.inequality(
    "theorem-6/proof/sensitivity",
    THEOREM_6_PROOF,
    over={"c_j": Real(0, 10), "move": Real(0, 10), "s_i": Real(0, 10), "s_j": Real(0, 10)},
    where=(within_sensitivity,),
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    note="The step is right only if s_i >= s_j: it uses the sensitivity of the winning query in place of the "
    "sensitivity of the changed query.\n"
    "The theorem is false as well (`ou24/theorem-6`).",
    related=("ou24/theorem-6",),
)
def theorem_6_proof_sensitivity(m: Vocabulary, c_j: Number, move: Number, s_i: Number, s_j: Number) -> Sides:
    """The claim is that s_i + c'_j >= c_j if query j changes, by at most s_j."""
    return c_j + move, s_i + c_j


@chapter.inequality(
    "theorem-6/proof/equal-sensitivities",
    THEOREM_6_PROOF,
    over={"c_j": LINE, "share": SHARE, "s": Real(0, inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_6_proof_equal_sensitivities(m: Vocabulary, c_j: Number, share: Number, s: Number) -> Sides:
    """All sensitivities are equal."""
    return c_j + share * s, s + c_j


def past_threshold(m: Vocabulary, c_i: Number, c_j: Number, move: Number, X_i: Number, X_j: Number) -> Sides:
    """X_i exceeds the threshold computed from c'_j."""
    return c_j - move + X_j, c_i + X_i


@chapter.inequality(
    "theorem-6/proof/threshold",
    Source(
        "ou24",
        "Theorem 6, proof",
        "Define X* to be the minimum value of X_i such that c_i + X_i <= c'_j + X_j for all j != i. Then i is the "
        "output of Algorithm 4 if and only if X_i > X*.",
    ),
    over={
        "c_i": Real(0, 10),
        "c_j": Real(0, 10),
        "move": Real(0, 10),
        "X_i": Real(-10, 10),
        "X_j": Real(-10, 10),
    },
    where=(past_threshold,),
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    note="If X_i exceeds the printed threshold, i need not be the winner on R. The PMLR version has '<=' in the "
    "definition of X*. With '<=', X* would be the minimum of a half-line that is unbounded below.\n"
    "The proof needs the infimum of all X_i with c_i + X_i > c_j + X_j for all j. The theorem is false as well "
    "(`ou24/theorem-6`).",
    related=("ou24/theorem-6",),
)
def theorem_6_proof_threshold(m: Vocabulary, c_i: Number, c_j: Number, move: Number, X_i: Number, X_j: Number) -> Sides:
    """The claim is read with the arXiv version's '>': if X_i exceeds the threshold computed from c'_j = c_j - move,
    then i wins on R."""
    return c_j + X_j, c_i + X_i


@chapter.inequality(
    "theorem-6/proof/sets",
    Source(
        "ou24",
        "Theorem 6, proof",
        "for any S = {i_1, ..., i_k}, Pr[M(D) in S] <= e^eps Pr[M(D') in S] + k/(n-1) delta. We have the worst case "
        "happening when k = n-1 because when k = n, S = Range(M), both probabilities are 1.",
    ),
    over={"k": Whole(1), "others": Whole(0), "delta": DELTA},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_6_proof_sets(m: Vocabulary, k: Number, others: Number, delta: Number) -> Sides:
    """The formula states that k terms delta/(n-1), one for each of k indices, add up to at most delta. In the formula,
    n - 1 = k + others."""
    return k * (delta / (k + others)), delta
