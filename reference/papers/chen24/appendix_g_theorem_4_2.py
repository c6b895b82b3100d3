"""The proof of Theorem 4.2: (74) and (75)."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Verdict, Whole
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendix G")
EQ_74 = page.source(
    "Eq. (74), second line",
    "<= 2 M_1 lambda (exp(-T'/(64 M H_BAI)) + exp(-T'/(64 M H_pri))) <= 4 M_1 lambda exp(-T'/(64 M H))",
)
EQ_75 = page.source(
    "Eq. (75), third and fourth line",
    "<= sum_{p=M_1+1}^M 6 (exp(-(T'/(16 M (4 s_{p+2} + 4))) Delta_{(s_{p+2}+1)}^2) + ...) = sum_{i in {s_{p+2}+1 : p "
    "in {M_1+1, ..., M}}} 6 (exp(-(T'/(64 M i)) Delta_{(i)}^2) + ...)",
)


@chapter.inequality(
    "eq-74",
    EQ_74,
    over={"x": Real(0, inf), "H_BAI": Real(1, inf), "H_pri": Real(1, inf)},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.PROOF,
    note="For d = 2 the index is ceil(d^2/4) = 1, and Delta_(1) = 0 is the best arm's own gap, so the left side is "
    "2, although the hardness terms (15) start with i = 2. The experiment of Section 5 has d = 2. For d = 2 the "
    "theorem has another proof (`chen24/theorem-4.2`).",
    related=("chen24/theorem-4.2",),
)
def eq_74(m: Vocabulary, x: Number, H_BAI: Number, H_pri: Number) -> Sides:
    """The formula is for d = 2 and omits the factor 2 M_1 lambda: e^0 + e^0 <= exp(-T'/(64 M H_BAI)) + exp(-T'/(64 M
    H_pri)), with x = T'/M."""
    return m.number(2), m.exp(-x / (64 * H_BAI)) + m.exp(-x / (64 * H_pri))


@chapter.inequality(
    "eq-74/larger-d",
    EQ_74,
    over={"d": Whole(3)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So (1/16) ceil(T'/(M d^2)) Delta_(i)^2 >= T' Delta_(i)^2/(64 M i) with i = ceil(d^2/4) >= 3.",
)
def eq_74_larger_d(m: Vocabulary, d: Number) -> Sides:
    """The formula is d^2 <= 4 ceil(d^2/4) for d >= 3, where 2 <= ceil(d^2/4) <= d^2."""
    return d * d, 4 * m.ceil(d * d / 4)


@chapter.inequality(
    "eq-75",
    EQ_75,
    over={"s": Whole(2)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The stronger inequality s_p <= 4 s_{p+2} holds too.",
)
def eq_75(m: Vocabulary, s: Number) -> Sides:
    """The formula is s_p <= 4 s_{p+2} + 4, with s = s_p. By (7), s_{p+2} = ceil(ceil(s_p/2)/2)."""
    return s, 4 * m.ceil(m.ceil(s / 2) / 2) + 4


def last_indices(m: Vocabulary) -> Sides:
    """s_{M+2} + 1 and s_{M+1} + 1, with the one arm that is left at the end, s_{M+1} = 1, and s_{M+2} by halving."""
    left = m.number(1)
    return m.ceil(left / 2) + 1, left + 1


@chapter.inequality(
    "eq-75/indices",
    EQ_75,
    over={},
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="For M - M_1 >= 2, the sum over p contains the index 2 twice, but the sum over the set of all s_{p+2} + 1 "
    "contains it once. So the printed '=' is wrong.\n"
    "The next line counts all M - M_1 summands.",
)
def eq_75_indices(m: Vocabulary) -> Sides:
    """The claim is that the last two summands, p = M - 1 and p = M, have different indices. The formula is s_{M+2} + 1
    < s_{M+1} + 1, where s_{M+1} = 1 and s_{M+2} = ceil(s_{M+1}/2)."""
    return last_indices(m)
