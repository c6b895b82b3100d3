"""Section 3: preliminaries."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import POSITIVE, V

chapter = page.chapter("Section 3")
MOMENTS = source(
    "Section 3.1",
    "Here, we claim that, the bounded raw moment implies that the bounded central moment, and vice versa. See Lemma 10 "
    "in Appendix for details.",
)


@chapter.identity(
    "eq-1",
    source("Eq. (1)", "the (expected) cumulative regret, defined as R_T := T mu* - E[sum_{t=1}^T x_t]"),
    over={"q": Real(0, 1, closed=True), "best": Real(-inf, inf), "other": Real(-inf, inf)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So R_T = sum_a Delta_a E[N_a], where N_a is the number of pulls of arm a, and the paper bounds this sum. "
    "The expectations of the rounds add up, because by (2) all means are finite.",
)
def eq_1(m: Vocabulary, q: Number, best: Number, other: Number) -> Sides:
    """The formula is about one round of two arms with means `best` = mu* and `other`. The best arm is pulled with
    probability q."""
    return best - (q * best + (1 - q) * other), (1 - q) * (best - other)


chapter.add(
    "section-3.1/moments",
    MOMENTS,
    Consequence("E|X|^{1+v} is finite if and only if E|X - mu|^{1+v} is finite, where mu = E X"),
    scope="The claim is about a single X. The paper's word 'bounded' is read as 'finite', as in Lemma 10.",
    expect=Verdict.ARGUED,
    follows=("tao22/lemma-10/1", "tao22/lemma-10/2"),
    note="A bound on the central moment bounds the raw moment only together with |mu|: "
    "`tao22/section-3.1/moments/bound`.",
    related=("tao22/section-3.1/moments/bound",),
)


@chapter.inequality(
    "section-3.1/moments/bound",
    MOMENTS,
    over={"M": POSITIVE, "u": POSITIVE, "v": V},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    note="The literal reading is that a bound u on the central moment also bounds the raw moment.\n"
    "A bound on the central moment does not bound the raw moment: X + c has the same central moments for every c. "
    "Lemma 10 (2), to which the sentence refers, adds 2 |mu|^{1+v}. A user who knows only a central moment does not "
    "know the u that the algorithms need.",
)
def section_3_1_moments_bound(m: Vocabulary, M: Number, u: Number, v: Number) -> Sides:
    """If X = M almost surely, the central moment is 0 <= u and the raw moment is M^{1+v}. The claim is M^{1+v} <= u."""
    return m.power(M, 1 + v), u


chapter.add(
    "lemma-1",
    source(
        "Lemma 1 (Parallel Composition)",
        "Suppose there are n eps-differentially private mechanisms {M_i}_{i=1}^n and n disjoint datasets denoted by "
        "{D_i}_{i=1}^n. Then the algorithm, which applies each M_i on the corresponding D_i, preserves eps-DP in "
        "total.",
        statement="Lemma 1",
    ),
    Stated("if n eps-DP mechanisms are each applied to one of n disjoint data sets, their joint output is eps-DP"),
    expect=Verdict.ARGUED,
)
chapter.add(
    "lemma-1/finite",
    source(
        "Lemma 1 (Parallel Composition)",
        "Then the algorithm, which applies each M_i on the corresponding D_i",
        statement="Lemma 1",
    ),
    Stated(
        "if n eps-DP mechanisms with finitely many outcomes are each applied to a separate data set, their joint "
        "output is eps-DP"
    ),
    scope="The claim is `tao22/lemma-1` for mechanisms with finitely many outcomes, so that probabilities are finite "
    "sums.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    related=("tao22/lemma-1",),
)


chapter.add(
    "definition-3",
    source(
        "Definition 3 (Laplacian Mechanism)",
        "Given a function f: X^n -> R^d, the Laplacian Mechanism is defined as: M_L(D, f, eps) = f(D) + (Y_1, Y_2, "
        "..., Y_d), where Y_i is i.i.d. drawn from a Laplacian distribution Lap(Delta_1(f)/eps), where Delta_1(f) is "
        "the l_1-sensitivity of the function f [...] Laplacian Mechanism preserves eps-DP.",
    ),
    Stated("f(D) + (Y_1, ..., Y_d) with independent Y_i ~ Lap(Delta_1(f)/eps) is eps-DP"),
    expect=Verdict.ARGUED,
    note="The claim does not hold for any smaller eps: beyond both centres, the ratio of the densities is e^eps.",
)
