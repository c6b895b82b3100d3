"""Section 4.1: Figure 1, how the privacy of Algorithm 2 changes with b and c."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Real, Source, Verdict
from dpbandits.reference.curves import gaussian_delta
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import lemma_3_mu, lemma_4_mu
from dpbandits.reference.papers.ou24.section_2 import EPS, ROUNDS
from dpbandits.reference.papers.ou24.section_4_1_lemma_4 import MULTIPLIER, PREPULLS

chapter = page.chapter("Section 4.1")
FIGURE_1 = Source(
    "ou24",
    "Section 4.1 and Figure 1",
    "relative to the values b = 0 and c = 1 corresponding to the special case of standard Thompson Sampling, "
    "increasing these parameters can lead to substantial improvements in the privacy guarantee. This means that even "
    "a small amount of prepulling or increase in the variance of sampling theta can lead to dramatically tighter "
    "privacy guarantees",
)


@chapter.inequality(
    "figure-1/monotone",
    FIGURE_1,
    over={
        "eps": EPS,
        "T": ROUNDS,
        "b": PREPULLS,
        "c": MULTIPLIER,
        "more_b": PREPULLS,
        "more_c": Real(0, inf, closed=True),
    },
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    follows=("ou24/definition-2/monotone",),
    by="because c(b+1) grows with b and with c",
    note="The abstract says the same: 'simple modifications can provide tighter privacy guarantees'.",
)
def figure_1_monotone(
    m: Vocabulary, eps: Number, T: Number, b: Number, c: Number, more_b: Number, more_c: Number
) -> Sides:
    """The formula states that a larger b or c never gives a larger delta(eps)."""
    left = gaussian_delta(m, eps, lemma_4_mu(m, T, b + more_b, c + more_c))
    right = gaussian_delta(m, eps, lemma_4_mu(m, T, b, c))
    return left, right


@chapter.inequality(
    "figure-1/dramatic",
    FIGURE_1,
    over={"eps": Real(500, 720, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="The sentence says 'can lead to'. One pre-pull leads to such a decrease, and so does doubling the variance. "
    "The comparison is with Theorem 4 at b = 0, c = 1.",
)
def figure_1_dramatic(m: Vocabulary, eps: Number) -> Sides:
    """The formula states that at T = 1000, for every delta from 0.49 to 1e-12, the eps of Theorem 4 falls by 40% or
    more when c(b+1) rises from 1 to 2."""
    left = gaussian_delta(m, m.number("0.6") * eps, lemma_4_mu(m, 1000, 1, 1))
    right = gaussian_delta(m, eps, lemma_4_mu(m, 1000, 0, 1))
    return left, right


@chapter.inequality(
    "figure-1/small-amount",
    FIGURE_1,
    over={"T": ROUNDS, "product": Real(1, 2, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="In the formula, `product` is c(b+1), the only quantity on which Lemma 4 depends besides T. The figure "
    "compares Theorem 4 with itself at b = 0, c = 1, where its parameter is sqrt(T). The parameter of Theorem 3 is "
    "sqrt(T/2). The "
    "sharp parameter sqrt((T-1)/(2c)) decreases whenever c increases.",
)
def figure_1_small_amount(m: Vocabulary, T: Number, product: Number) -> Sides:
    """Up to c(b+1) = 2, the bound of Theorem 4 for Algorithm 2 is no better than that of Theorem 3 for Algorithm 1."""
    return lemma_3_mu(m, T), lemma_4_mu(m, T, 0, product)


@chapter.identity(
    "figure-1/one-pre-pull",
    FIGURE_1,
    over={"T": ROUNDS},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="With the sharp parameters of two arms, sqrt((T-1)/2) and sqrt((T-2)/2), the first pre-pull lowers eps at T = "
    "1000 and delta = 1e-6 only from 355.1 to 354.8. Further pre-pulls help more.",
)
def figure_1_one_pre_pull(m: Vocabulary, T: Number) -> Sides:
    """At one pre-pull and c = 1, the parameters of Theorems 4 and 3 are equal."""
    return lemma_4_mu(m, T, 1, 1), lemma_3_mu(m, T)


@chapter.identity(
    "figure-1/standard",
    FIGURE_1,
    over={"T": ROUNDS},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="Lemma 4 uses n >= b = 0, but Lemma 3 uses n >= 1. Both lemmas are true.",
)
def figure_1_standard(m: Vocabulary, T: Number) -> Sides:
    """At b = 0 and c = 1, the parameter of Lemma 4 is sqrt 2 times that of Lemma 3, for the same algorithm."""
    return lemma_4_mu(m, T, 0, 1), m.sqrt(2) * lemma_3_mu(m, T)


@chapter.identity(
    "figure-1/symmetric",
    Source(
        "ou24",
        "Figure 1",
        "the per-round GDP parameter is sqrt(1/(c(b+1))), so the role of c and b are nearly symmetric, leading to "
        "nearly identical plots",
    ),
    over={"T": ROUNDS, "k": PREPULLS},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="Only the product c(b+1) matters, so c and b + 1 are interchangeable. (The sharp parameters differ: pre-pulls "
    "cost no privacy.)",
)
def figure_1_symmetric(m: Vocabulary, T: Number, k: Number) -> Sides:
    """Theorem 4 gives the same bound for b = k, c = 1 as for b = 0, c = k + 1."""
    return lemma_4_mu(m, T, k, 1), lemma_4_mu(m, T, 0, k + 1)
