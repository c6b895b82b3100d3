"""Section 4.1: Lemma 4, the privacy of Algorithm 2, and Theorem 4, which follows from it."""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Reading, Real, Source, Stated, Unjudged, Verdict, Whole
from dpbandits.reference.curves import Curve, Gaussian, gaussian_delta
from dpbandits.reference.papers.ou24 import REPAIRED, single_step
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import lemma_4_mu
from dpbandits.reference.papers.ou24.section_2 import EPS, ROUNDS
from dpbandits.reference.papers.ou24.section_3_theorem_3 import printed_profile

chapter = page.chapter("Section 4.1")
MULTIPLIER = Real(1, inf, closed=True)  # c, as the paper has it
PREPULLS = Whole(0)
LEMMA_4 = Source(
    "ou24",
    "Lemma 4 (arXiv: Lemma 5)",
    "Modified Thompson Sampling with Gaussian priors and input parameters (b, c) run for T timesteps satisfies "
    "sqrt(T/(c(b+1)))-GDP.",
    statement="Lemma 4",
)
LEMMA_4_STEP = Source(
    "ou24",
    "Appendix A.2",
    "We first show the per-round GDP guarantee of Algorithm 2 with respect to the observed rewards is "
    "sqrt(1/((b+1)c)), and then compose across rounds using Lemma 1 to reach the final result.",
)
THEOREM_4 = Source(
    "ou24",
    "Theorem 4",
    "Modified Thompson Sampling [...] satisfies (eps, delta(eps))-DP for all eps >= 0, where delta(eps) = "
    "Phi(-eps/m + m/2) - e^eps Phi(-eps/m - m/2) with m = sqrt(T/(c(b+1))).",
)


def modified(prepulls: int, variance: float, arms: int = 2, horizon: int = 20) -> dict[str, Any]:
    return {"arms": arms, "horizon": horizon, "prepulls": prepulls, "variance": variance}


# What is audited under the sharp reading, which promises more of the same releases, is not audited in full again.
PRINTED_RUNS = (modified(1, 4.0), modified(1, 1.0, arms=3))
MORE_PRINTED_RUNS = (modified(0, 1.0), modified(3, 1.0))
SHARP_RUNS = (modified(0, 0.25), modified(1, 1.0, arms=3))
MORE_SHARP_RUNS = (
    *(modified(b, c) for b, c in ((0, 1.0), (0, 4.0), (1, 1.0), (1, 4.0), (3, 0.25), (3, 1.0), (3, 4.0))),
    modified(1, 0.25, horizon=4),
    modified(3, 4.0, horizon=100),
)


def sharp_mu_of(policy: Any) -> float:
    """Our parameter for this policy (see `sharp_modified_mu`)."""
    b, c = policy.prepulls, policy.variance
    return sqrt((policy.horizon - 1) / (2 * c) if b == 0 else (policy.horizon - b * policy.arms) / (c * (b + 1)))


def warm_arm(prepulls: int, variance: float, mean: float) -> dict[str, Any]:
    """Arm 1 was pulled b times and paid 1 in all, or 0; arm 2, pulled 10^8 times, has this running mean."""
    many = 10**8
    total = mean * (many + 1)
    return {"pulls": (prepulls, many), "left": (1.0, total), "right": (0.0, total), "variance": variance}


# n_j = b is the worst case, and a threshold near the two means tells most; a second arm that is not certain tells less.
WARM_HISTORIES = (
    *(warm_arm(b, c, mean) for b, c in ((1, 1.0), (1, 4.0), (3, 4.0), (10, 1.0)) for mean in (1 / (b + 1), 0.75)),
    {"pulls": (1, 1), "left": (1.0, 0.0), "right": (0.0, 0.0), "variance": 2.0},
    {"pulls": (3, 7, 3), "left": (2.0, 3.0, 1.0), "right": (1.0, 3.0, 1.0), "variance": 1.0},
)


def step_mu_of(step: Any) -> float:
    """1/sqrt(c(b+1)) for a single step, with b the smallest pull count: 1/(b+1) is the largest sensitivity, and the
    sampling variance c/(n_i+1) is c times the sensitivity."""
    c = step.mechanism.scales[0] ** 2 / step.sensitivities[0]
    return sqrt(max(step.sensitivities) / c)


@chapter.private(
    "lemma-4/step",
    LEMMA_4_STEP,
    "history",
    "arms",
    expect=Verdict.ARGUED,
    subject=single_step,
    params=WARM_HISTORIES,
    follows=("ou24/lemma-4/step/every-history",),
    note="For b >= 1, the samples of an arm with n_j = b attain the bound. For b = 0 the bound is not attained, "
    "because the arm whose reward changes then has n_j >= 1 pulls.",
)
def lemma_4_step(step: Any) -> Curve | None:
    """One round is sqrt(1/(c(b+1)))-GDP if every arm was pulled at least b times. Pull counts are the n_i. Reward
    totals are the sums of the rewards on the two inputs. The query values are the running means, sum/(n_i+1)."""
    return Gaussian(step_mu_of(step))


chapter.add(
    "lemma-4/step/every-history",
    LEMMA_4_STEP,
    Stated(
        "if c > 0, every arm was pulled at least b >= 0 times, and one reward of one arm changes, then the samples of "
        "the next round are sqrt(1/(c(b+1)))-GDP, and so is the arm pulled"
    ),
    scope="The claim covers any number of arms and all rewards in [0, 1].",
    expect=Verdict.ARGUED,
    follows=("ou24/gaussian-mechanism", "ou24/a2/step"),
)


@chapter.private(
    "lemma-4",
    LEMMA_4,
    "pull",
    "arms",
    expect=Verdict.ARGUED,
    subject=REPAIRED,
    params=PRINTED_RUNS,
    more_params=MORE_PRINTED_RUNS,
    follows=("ou24/lemma-4/every-run", "ou24/lemma-4/step"),
    note="The bound is loose for two reasons. The bN pre-pulls cost no privacy. For b = 0, the arm of the changed "
    "reward has n >= 1 pulls, but the bound only uses n >= b = 0.",
)
def lemma_4(p: Any) -> Curve | None:
    return Gaussian(sqrt(p.horizon / (p.variance * (p.prepulls + 1))))


@chapter.private(
    "lemma-4/round",
    LEMMA_4,
    "round",
    "arms",
    expect=Verdict.ARGUED,
    subject=REPAIRED,
    params=(modified(1, 4.0), modified(1, 1.0, arms=3, horizon=10)),
    follows=("ou24/lemma-4/every-run", "ou24/lemma-4/step"),
)
def lemma_4_round(p: Any) -> Curve | None:
    """Neighbours are those of Definition 1: all rewards of one round of the stream change."""
    return Gaussian(sqrt(p.horizon / (p.variance * (p.prepulls + 1))))


chapter.add(
    "lemma-4/every-run",
    LEMMA_4,
    Stated("for T >= max(b N, 1), b >= 0 and c > 0, the pulls of a run of Algorithm 2 are sqrt(T/(c(b+1)))-GDP"),
    scope="The claim covers both neighbouring relations, any number of arms and rewards in [0, 1], whether the "
    "algorithm uses the pre-pulls' rewards or not (`ou24/update/pre-pulls`).",
    expect=Verdict.ARGUED,
    follows=("ou24/lemma-3/all-samples",),
    note="The paper composes the rounds by a cited theorem (Lemma 1). The proof here cites no theorem.",
    related=("ou24/update/pre-pulls",),
)


BRACKET = Source(
    "ou24",
    "Lemma 4 (PMLR)",
    "Modified Thompson Sampling with Gaussian priors and input parameters (b, c) run for T timesteps satisfies "
    "sqrt(1/(c(b+1))) T -GDP.",
    statement="Lemma 4",
)

chapter.add(
    "lemma-4/bracket",
    BRACKET,
    Consequence("Algorithm 2 is T/sqrt(c(b+1))-GDP, as PMLR prints it, with T outside the root"),
    scope="Our copy of PMLR prints T outside the root, which is a weaker statement than the one that the proof gives.",
    reading=Reading.LETTER,
    expect=Verdict.ARGUED,
    follows=("ou24/lemma-4/every-run", "ou24/lemma-4/bracket/formula", "ou24/definition-2/monotone"),
)


@chapter.inequality(
    "lemma-4/bracket/formula",
    BRACKET,
    over={"T": ROUNDS, "product": Real(0, inf)},
    reading=Reading.LETTER,
    formula_only=True,
    expect=Verdict.PROVED,
    note="In the formula, `product` is c(b+1). In our copy of PMLR the root also ends too early in Theorem 4 and at "
    "the end of Appendix A.2. The sum in A.2 has T terms under its root, and the 10^2.5 of Section 5.1 is sqrt(T). The "
    "arXiv version is right everywhere. Our copy is a conversion of the pages to text, which may have shortened the "
    "root, so PMLR may be right, too.",
)
def lemma_4_bracket_formula(m: Vocabulary, T: Number, product: Number) -> Sides:
    """The formula states that the parameter that our copy of PMLR prints is at least the one that the proof gives."""
    return m.sqrt(T / product), T * m.sqrt(1 / product)


chapter.add(
    "section-4/maximum-loss",
    Source(
        "ou24",
        "Section 4",
        "on the other hand, the algorithm does not improve its decisions during these bN rounds, and may incur "
        "maximum loss during these initial rounds.",
    ),
    Unjudged(
        "the sentence says 'may', so it claims nothing that could be false; Theorem 5 bounds the regret of the "
        "pre-pulls by bN"
    ),
    expect=Verdict.UNSUPPORTED,
)


@chapter.private(
    "lemma-4/sharp",
    LEMMA_4,
    "pull",
    "arms",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    subject=REPAIRED,
    params=SHARP_RUNS,
    more_params=MORE_SHARP_RUNS,
    follows=("ou24/lemma-3/sharp/every-run",),
    note="The paper assumes c >= 1 for its regret theorem. The privacy bound holds for any c > 0.",
)
def lemma_4_sharp(policy: Any) -> Curve | None:
    """The sharper claim is sqrt((T-bN)/(c(b+1)))-GDP for b >= 1 and sqrt((T-1)/(2c))-GDP for b = 0, for any c > 0."""
    return Gaussian(sharp_mu_of(policy))


@chapter.private(
    "theorem-4",
    THEOREM_4,
    "pull",
    "arms",
    expect=Verdict.ARGUED,
    subject=REPAIRED,
    params=(modified(0, 1.0, horizon=2), modified(3, 4.0)),
    follows=("ou24/theorem-4/every-run", "ou24/theorem-4/formula"),
    note="The theorem is Lemma 4 in terms of eps and delta. In the quote, m abbreviates the root. T is under the root "
    "in the arXiv version only (`ou24/lemma-4/bracket`).",
    related=("ou24/lemma-4/bracket",),
)
def theorem_4(p: Any) -> Curve | None:
    return Gaussian(sqrt(p.horizon / (p.variance * (p.prepulls + 1))))


chapter.add(
    "theorem-4/every-run",
    THEOREM_4,
    Stated(
        "for T >= max(b N, 1), b >= 0, c > 0 and eps >= 0, the pulls of a run of Algorithm 2 are (eps, "
        "delta(eps))-DP with the printed delta(eps)"
    ),
    scope="The claim covers both neighbouring relations, any number of arms and rewards in [0, 1], whether the "
    "algorithm uses the pre-pulls' rewards or not.",
    expect=Verdict.ARGUED,
    follows=("ou24/lemma-4/every-run",),
)


@chapter.identity(
    "theorem-4/formula",
    THEOREM_4,
    over={"eps": EPS, "T": ROUNDS, "b": PREPULLS, "c": MULTIPLIER},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_4_formula(m: Vocabulary, eps: Number, T: Number, b: Number, c: Number) -> Sides:
    """The formula states that the printed formula is Definition 2 at Lemma 4's parameter."""
    left = printed_profile(m, eps, m.sqrt(1 / (c * (b + 1)) * T))
    right = gaussian_delta(m, eps, lemma_4_mu(m, T, b, c))
    return left, right
