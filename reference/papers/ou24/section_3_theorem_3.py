"""Section 3: Theorem 3, and Theorem 1, its informal version."""

from __future__ import annotations

from typing import Any

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary, doubles
from dpbandits.reference.claims.model import Consequence, Reading, Source, Stated, Verdict
from dpbandits.reference.curves import Curve, Gaussian, gaussian_delta
from dpbandits.reference.papers.ou24 import ALGORITHM_1
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import half, lemma_3_mu
from dpbandits.reference.papers.ou24.section_2 import EPS, ROUNDS

chapter = page.chapter("Section 3")
THEOREM_1 = Source(
    "ou24", "Theorem 1 (informal)", "Algorithm 1 satisfies (eps, delta)-differential privacy.", statement="Theorem 1"
)
THEOREM_3 = Source(
    "ou24",
    "Theorem 3",
    "Thompson Sampling with Gaussian priors (Algorithm 1) run for T timesteps is (eps, delta(eps))-DP for all "
    "eps >= 0, where delta(eps) = Phi(-eps/sqrt(T/2) + (1/2) sqrt(T/2)) - e^eps Phi(-eps/sqrt(T/2) - (1/2) sqrt(T/2)).",
)


def printed_profile(m: Vocabulary, eps: Number, mu: Number) -> Number:
    """delta(eps) as Theorems 3 and 4 print it."""
    return m.ncdf(-eps / mu + half(m) * mu) - m.exp(eps) * m.ncdf(-eps / mu - half(m) * mu)


chapter.add(
    "theorem-1",
    THEOREM_1,
    Consequence("for every T >= 1 there are eps and delta < 1 for which Algorithm 1 is (eps, delta)-DP"),
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/every-run", "ou24/theorem-1/informative"),
    note="Remark 1 repeats '(Theorem 1)', but means Corollary 1.",
)


@chapter.inequality(
    "theorem-1/informative",
    THEOREM_1,
    over={"eps": EPS, "T": ROUNDS},
    strict=True,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="delta(eps) < Phi(-eps/mu + mu/2) < 1.",
)
def theorem_1_informative(m: Vocabulary, eps: Number, T: Number) -> Sides:
    """The formula states that the delta(eps) of Theorem 3 is below 1 for every eps and T, so the theorem is never
    vacuous."""
    return gaussian_delta(m, eps, lemma_3_mu(m, T)), m.number(1)


@chapter.private(
    "theorem-3",
    THEOREM_3,
    "pull",
    "arms",
    expect=Verdict.ARGUED,
    subject=ALGORITHM_1,
    params=({"arms": 2, "horizon": 2}, {"arms": 2, "horizon": 10}),
    follows=("ou24/theorem-3/every-run", "ou24/theorem-3/formula"),
    note="(eps, delta(eps))-DP for all eps >= 0 is the same as sqrt(T/2)-GDP: the theorem is Lemma 3 in terms of eps "
    "and delta.",
)
def theorem_3(policy: Any) -> Curve | None:
    return Gaussian(float(lemma_3_mu(doubles, policy.horizon)))


chapter.add(
    "theorem-3/every-run",
    THEOREM_3,
    Stated(
        "for T >= 1 and eps >= 0, the pulls of a run of Algorithm 1 are (eps, delta(eps))-DP with the printed "
        "delta(eps)"
    ),
    scope="The claim covers neighbours of either relation, any number of arms and rewards in [0, 1].",
    expect=Verdict.ARGUED,
    follows=("ou24/lemma-3/every-run",),
)


@chapter.identity(
    "theorem-3/formula",
    THEOREM_3,
    over={"eps": EPS, "T": ROUNDS},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_3_formula(m: Vocabulary, eps: Number, T: Number) -> Sides:
    """The formula states that the printed formula is Definition 2 at Lemma 3's parameter."""
    left = printed_profile(m, eps, m.sqrt(half(m) * T))
    right = gaussian_delta(m, eps, m.sqrt(T * (1 / m.sqrt(m.number(2))) ** 2))
    return left, right
