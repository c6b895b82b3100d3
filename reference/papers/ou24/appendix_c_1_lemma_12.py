"""Claims about Lemma 12 (arXiv: Lemma 13), the shifted normal, printed and repaired."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Source, Stated, Verdict
from dpbandits.reference.curves import gaussian_delta, threshold_delta
from dpbandits.reference.papers.ou24.appendix_c_1_theorem_6 import DELTA
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import classical_shift, lemma_12_shift, tail_shift
from dpbandits.reference.papers.ou24.section_2 import LINE

chapter = page.chapter("Appendix C.1: Lemma 12")

LEMMA_12 = Source(
    "ou24",
    "Lemma 12 (arXiv: Lemma 13), after Nissim et al. (2007)",
    "The standard normal distribution N(0,1) satisfies that for all ||a||_1 <= 2 eps/sqrt(log(1/2 delta)) and subsets "
    "S in R^d, Pr[Z in S] <= e^eps Pr[Z in S + a] + delta.",
    statement="Lemma 12",
)


@chapter.inequality(
    "lemma-12",
    LEMMA_12,
    over={"eps": Real(0, 10), "delta": DELTA, "share": Real(0, 1, closed=True), "t": Real(-10, 10)},
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    repaired_by=("ou24/lemma-12/classical", "ou24/lemma-12/every-eps"),
    note="For each delta the inequality holds only up to some eps, for example 0.34 at delta = 0.1 and 1.3e-4 at "
    "delta = 1e-6. For delta >= 1/2 it is not defined. Theorems 6 and 7 rest on this lemma and are false as well.\n"
    "Theorems 3 and 4, the paper's guarantees for a whole run, do not use it.",
    repair="Use the classical condition (`ou24/lemma-12/classical`).",
)
def lemma_12(m: Vocabulary, eps: Number, delta: Number, share: Number, t: Number) -> Sides:
    """The claim is the special case of dimension 1 in which the events are half-lines."""
    return threshold_delta(m, eps, share * lemma_12_shift(m, eps, delta), t), delta


@chapter.inequality(
    "lemma-12/small",
    LEMMA_12,
    over={"eps": Real(0.001, 0.3), "delta": Real(0.1, 0.4)},
    reading=Reading.REPAIRED,
    formula_only=True,
    expect=Verdict.PROVED,
    note="The left side grows with eps, so for each delta the lemma holds exactly up to the eps in the table.",
)
def lemma_12_small(m: Vocabulary, eps: Number, delta: Number) -> Sides:
    """The formula is for some of the pairs (eps, delta) for which the printed shift is small enough."""
    return gaussian_delta(m, eps, lemma_12_shift(m, eps, delta)), delta


@chapter.inequality(
    "lemma-12/classical",
    LEMMA_12,
    over={"eps": Real(0, 1), "delta": Real(0, 1), "share": Real(0, 1, closed=True), "t": LINE},
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("ou24/definition-2", "ou24/definition-2/monotone"),
    by="an inequality in one variable, which the finding states",
    note="The statement is the classical theorem on the Gaussian mechanism (Dwork and Roth 2014, Theorem A.1).",
)
def lemma_12_classical(m: Vocabulary, eps: Number, delta: Number, share: Number, t: Number) -> Sides:
    """The claim is for |a| <= eps/sqrt(2 log(1.25/delta)), 0 < eps < 1 and 0 < delta < 1."""
    return threshold_delta(m, eps, share * classical_shift(m, eps, delta), t), delta


@chapter.inequality(
    "lemma-12/every-eps",
    LEMMA_12,
    over={"eps": Real(0, inf), "delta": DELTA, "share": Real(0, 1, closed=True), "t": LINE},
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("ou24/definition-2", "ou24/definition-2/monotone"),
    by="the substitution eps/a - a/2 = z and Q(z) <= exp(-z^2/2)/2",
    note="For small eps the shift is eps/z = eps/sqrt(2 log(1/(2 delta))): the printed 2 eps should be eps/sqrt 2, "
    "smaller by a factor of 2.8.",
)
def lemma_12_every_eps(m: Vocabulary, eps: Number, delta: Number, share: Number, t: Number) -> Sides:
    """The claim is for |a| <= sqrt(z^2 + 2 eps) - z with z^2 = 2 log(1/(2 delta)), every eps > 0 and delta < 1/2."""
    return threshold_delta(m, eps, share * tail_shift(m, eps, delta), t), delta


chapter.add(
    "lemma-12/classical/every-event",
    LEMMA_12,
    Stated(
        "let Z ~ N(0, I) in R^d, 0 < eps < 1 and 0 < delta < 1; then for all ||a||_1 <= eps/sqrt(2 log(1.25/delta)) "
        "and all S, P(Z in S) <= e^eps P(Z in S + a) + delta"
    ),
    scope="The claim is the lemma for all subsets of R^d, with the classical shift.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("ou24/gaussian-mechanism/every-event", "ou24/lemma-12/classical"),
)
chapter.add(
    "lemma-12/every-eps/every-event",
    LEMMA_12,
    Stated(
        "let Z ~ N(0, I) in R^d, eps > 0, 0 < delta < 1/2 and z = sqrt(2 log(1/(2 delta))); then for all ||a||_1 <= "
        "sqrt(z^2 + 2 eps) - z and all S, P(Z in S) <= e^eps P(Z in S + a) + delta"
    ),
    scope="The claim is the lemma for all subsets of R^d, with a shift for every eps.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("ou24/gaussian-mechanism/every-event", "ou24/lemma-12/every-eps"),
)
