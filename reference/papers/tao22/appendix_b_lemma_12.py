"""Appendix B: Lemma 12, the coupling of two runs."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import POSITIVE, SHARE

chapter = page.chapter("Appendix B: Theorems 10 and 5")
LEMMA_12 = source(
    "Lemma 12 (Lemma 6.1 in (Karwa and Vadhan, 2018))",
    "For each pair of distribution D and D' and any eps-differentially private mechanism M, let P and P' be the two "
    "marginal distributions on the output of M evaluated on n data sampled i.i.d. from D and D' respectively, then "
    "for any event E, we have P[E] <= e^{6 eps n d_TV(D, D')} P'[E]",
    statement="Lemma 12",
)


@chapter.inequality(
    "lemma-12",
    LEMMA_12,
    over={"eps": POSITIVE, "tv": SHARE},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.STATEMENT,
    note="The lemma holds up to eps = 2.9. The lemma is false for eps >= 3.0 and small d_TV, because randomised "
    "response attains the factor 1 + d_TV (e^eps - 1).\n"
    "Theorem 5 has eps <= 1, where the lemma holds.\n"
    "Theorem 10 is about every eps, and its proof uses the lemma. The theorem has another proof (`tao22/theorem-10`).",
    related=("tao22/theorem-10",),
)
def lemma_12(m: Vocabulary, eps: Number, tv: Number) -> Sides:
    """Let n = 1, let D be 1 with probability d_TV = tv and 0 otherwise, and let D' be 0. For randomised response, the
    log-ratio of the probabilities of E is log(1 + d_TV (e^eps - 1)). The claim is that this log-ratio is at most 6 eps
    d_TV."""
    return m.log(1 + tv * (m.exp(eps) - 1)), 6 * eps * tv


chapter.add(
    "lemma-12/sharp",
    LEMMA_12,
    Stated("P[E] <= (1 + d_TV (e^eps - 1))^n P'[E] for every eps > 0"),
    scope="The lemma holds with this factor in place of the printed one. Randomised response attains this factor at "
    "n = 1.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
)

chapter.add(
    "lemma-12/small-eps",
    LEMMA_12,
    Consequence("P[E] <= e^{6 eps n d_TV(D, D')} P'[E] for eps <= 1"),
    scope="The claim is the printed lemma for eps <= 1.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("tao22/lemma-12/sharp", "tao22/lemma-12/small-eps/exponent"),
    by="because (1 + d_TV (e^eps - 1))^n <= e^{n d_TV (e^eps - 1)}",
)


@chapter.inequality(
    "lemma-12/small-eps/exponent",
    LEMMA_12,
    over={"eps": Real(0, 1, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def lemma_12_small_eps_exponent(m: Vocabulary, eps: Number) -> Sides:
    """The formula is e^eps - 1 <= 6 eps for eps <= 1."""
    return m.exp(eps) - 1, 6 * eps
