"""Appendix B.1: Lemma 8 as it is stated, and equation (8), which adds it up.

log_y: log((T-bN) Delta_i^2). Steps are written in the variables that the checks use; the notes
explain the substitution.
"""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Verdict, Whole
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.regret_formulas import (
    GAP,
    LARGE,
    UNIT,
    at,
    enough_pulls_scaled,
    gap_below_mean,
    inverse_excess,
    summed_excess,
)

chapter = page.chapter("Appendix B.1: the proof of Theorem 5")
LEMMA_8 = at(
    "Lemma 8 (arXiv: Lemma 9)",
    "Then for T >= bN + 4/Delta_i^2, E[1/p_{i,tau_k+1}] - 1 <= 71 for all k, and <= 4/((T-bN) Delta_i^2) for "
    "k >= max{1, (72c/Delta_i^2) log((T-bN) Delta_i^2) - (b+1)}.",
    statement="Lemma 8",
)
EQ_8 = at(
    "Appendix B.1, eq. (8)",
    "With L = ceil((72c/Delta_i^2) log((T-bN) Delta_i^2) - (b+1)): sum_{k=0}^{T-bN-1} E[1/p_{i,tau_k+1} - 1] <= "
    "71 L 1(L > 0) + sum_{k=L}^{T-bN-1} 4/((T-bN) Delta_i^2) <= 71 L 1(L > 0) + 4/Delta_i^2. [...] the second step "
    "applies Lemma 8, treating separately the terms in the sum with k larger or smaller than L [...]. The third step "
    "upper bounds the final term, since (T-bN-1-L)/(T-bN) < 1.",
)


def eq_8_terms(m: Vocabulary, rounds: Number, b: Number, c: Number, gap: Number) -> Number:
    """The sum from k = L as printed: T-bN-L terms of 4/((T-bN) Delta_i^2)."""
    steps = m.ceil(72 * c * m.log(rounds * gap**2) / gap**2 - (b + 1))
    return (rounds - steps) * 4 / (rounds * gap**2)


@chapter.inequality(
    "lemma-8/first",
    LEMMA_8,
    over={"n": Whole(0), "mu": UNIT, "gap": GAP, "c": LARGE},
    of=inverse_excess,
    where=(gap_below_mean,),
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="The statement is true, but its printed proof is wrong: see equations (19) and (21), and "
    "`ou24/lemma-8/route`. In the proof given here, 1/p = 1/Q(z) is convex and increasing in z = (y_i - mu-hat) "
    "sqrt((n+1)/c). So the worst case has Bernoulli rewards, Delta -> 0 and (for z > 0) c = 1. For n >= 1, n mu - S "
    "is sub-Gaussian with variance n/4.",
    related=("ou24/lemma-8/route",),
)
def lemma_8_first(m: Vocabulary, n: Number, mu: Number, gap: Number, c: Number) -> Number:
    """The formula is the lemma's first branch, for n = b + k rewards of arm 1, which pays 0 or 1 (the worst case)."""
    return m.number(71)


@chapter.inequality(
    "lemma-8/first/sharp",
    LEMMA_8,
    over={"n": Whole(0), "mu": UNIT, "gap": GAP, "c": LARGE},
    of=inverse_excess,
    where=(gap_below_mean,),
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="The supremum is 1/Q(1) - 1 = 5.30297..., which is approached for b = k = 0, c = 1, mu_1 = 1 and Delta_i -> "
    "0. After one reward the supremum is 3.19. With this constant, the 5130 of equation (10) becomes 18 + 72 * 5.303 < "
    "400.",
)
def lemma_8_first_sharp(m: Vocabulary, n: Number, mu: Number, gap: Number, c: Number) -> Number:
    """The first branch also holds with 5.303 in place of 71."""
    return m.number("5.303")


@chapter.inequality(
    "lemma-8/second",
    LEMMA_8,
    over={"n": Whole(1), "mu": UNIT, "gap": GAP, "c": LARGE, "y": Real(4, inf, closed=True)},
    of=inverse_excess,
    where=(
        gap_below_mean,
        enough_pulls_scaled,
    ),
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="The left side is even below 0.14/y, and decreases faster than y^-3. Two steps of the printed proof, (24) "
    "and the second line of (25), do not follow.",
)
def lemma_8_second(m: Vocabulary, n: Number, mu: Number, gap: Number, c: Number, y: Number) -> Number:
    """The formula is the lemma's second branch, with y = (T-bN) Delta_i^2 and n = b + k. The formula includes k = 0,
    which equation (8) needs if L <= 0.
    """
    return 4 / y


@chapter.inequality(
    "lemma-8/summed",
    LEMMA_8,
    over={"last": Whole(0), "mu": UNIT, "gap": GAP, "c": LARGE},
    of=summed_excess,
    where=(gap_below_mean,),
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="E[1/p] - 1 falls exponentially in (b+k) Delta_i^2/c. So in equation (9), 40 c can replace 5112 c log(y) + 4.",
)
def lemma_8_summed(m: Vocabulary, last: Number, mu: Number, gap: Number, c: Number) -> Number:
    """The sharpened bound on the sum over all k has no logarithm. Equation (8) bounds the sum by 71 L + 4/Delta_i^2,
    and L contains a logarithm."""
    return 40 * c / gap**2


def past_log_term(m: Vocabulary, log_term: Number, b: Number, k: Number, **others: Number) -> Sides:
    """L <= k, for a whole number k."""
    return m.ceil(log_term - (b + 1)), k


@chapter.inequality(
    "eq-8/second-step/printed",
    EQ_8,
    over={"log_term": Real(99, inf), "b": Whole(0), "k": Whole(0)},
    where=(past_log_term,),
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    repaired_by=("ou24/eq-8/second-step/repaired",),
    note="With many pre-pulls (L <= 0) the sum starts at k = 0, and Lemma 8 asks for k >= 1. The error is harmless: "
    "the lemma's proof uses b + k only, so the lemma holds for k = 0 too (`ou24/lemma-8/second`).",
    related=("ou24/lemma-8/second",),
)
def eq_8_second_step_printed(m: Vocabulary, log_term: Number, b: Number, k: Number) -> Sides:
    """The claim is that every k >= max(L, 0) satisfies Lemma 8's condition. In the formula, log_term = 72c
    log(y)/Delta_i^2 > 99."""
    return m.maximum(1, log_term - (b + 1)), k


chapter.add(
    "eq-8/second-step/repaired",
    EQ_8,
    Consequence(
        "the sum over k of E[1/p - 1] is at most 71 L 1(L > 0) plus the sum of 4/y over k from max(L, 0) to T-bN-1"
    ),
    scope="The sum starts at k = max(L, 0).",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("ou24/eq-6", "ou24/eq-7/repaired", "ou24/lemma-8/first", "ou24/lemma-8/second"),
    by="splitting the sum at L",
)


def long_enough(m: Vocabulary, rounds: Number, gap: Number, **others: Number) -> Sides:
    """y = (T - bN) Delta_i^2 is at least 4."""
    return m.number(4), rounds * gap**2


@chapter.inequality(
    "eq-8/third-step/printed",
    EQ_8,
    over={"rounds": Whole(5), "b": Whole(0, 10_000), "c": LARGE, "gap": UNIT},
    where=(long_enough,),
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    repaired_by=("ou24/eq-8/third-step/repaired",),
    note="For L < 0 the printed sum has more than T-bN terms, so (T-bN-1-L)/(T-bN) < 1 fails for L <= -1. Moreover, "
    "the number of terms is T-bN-L. The error is harmless: the sum has to start at max(L, 0).",
)
def eq_8_third_step_printed(m: Vocabulary, rounds: Number, b: Number, c: Number, gap: Number) -> Sides:
    """The sum starts at k = L even if L < 0."""
    return eq_8_terms(m, rounds=rounds, b=b, c=c, gap=gap), 4 / gap**2


@chapter.inequality(
    "eq-8/third-step/repaired",
    EQ_8,
    over={"rounds": Whole(1), "first": Whole(0), "gap": GAP},
    reading=Reading.REPAIRED,
    formula_only=True,
    expect=Verdict.PROVED,
)
def eq_8_third_step_repaired(m: Vocabulary, rounds: Number, first: Number, gap: Number) -> Sides:
    """In the formula, the sum starts at k = first = max(L, 0)."""
    return (rounds - first) * 4 / (rounds * gap**2), 4 / gap**2
