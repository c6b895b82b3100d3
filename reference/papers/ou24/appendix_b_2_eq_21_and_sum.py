"""Appendix B.2: the proof of Lemma 8, first branch: equation (21), and the sum for E[G_k].

log_y: log((T-bN) Delta_i^2). Steps are written in the variables that the checks use; the notes
explain the substitution.
"""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, OneOf, Reading, Verdict, Whole
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.regret_formulas import (
    GAP,
    LARGE,
    LAST,
    MORE,
    SOME,
    UNIT,
    at,
    first_sum,
    maximum_blocks,
)

chapter = page.chapter("Appendix B.2: Lemma 8")
EQ_21 = at(
    "Proof of Lemma 8, eq. (21)",
    "Pr[mu-hat_{1,tau_k} + sqrt(c/(k+b+1)) z >= y_i] >= 1 - exp(-2(b+k+1)(Delta_i/3 + sqrt(c log r/(b+k+1)))^2) = "
    "1 - r^{-2c} exp(-(2/9)(b+k+1) Delta_i^2 - (4/3) Delta_i sqrt((b+k+1) c log r)) >= 1 - r^{-2c} >= 1 - r^{-2}.",
)
SUM = at(
    "Proof of Lemma 8, the sum for E[G_k]",
    "2 + sum_{r=2}^{floor(e^11)} (1 - (1 - e^{-sqrt(r/(2 pi log r))})(1 - 1/r^2)) + sum_{r=ceil(e^11)}^infinity "
    "(1 - (1 - 1/r^2)^2) = 2 + sum (e^{-sqrt(r/(2 pi log r))} (1 - 1/r^2) + 1/r^2) + sum (2/r^2 - 1/r^4) <= "
    "2 + 2 sum_{r=2}^infinity 1/r^2 + sum_{r=2}^{floor(e^11)} e^{-sqrt(r/(2 pi log r))} <= 2 + pi^2/3 + 65.58 <= 71.",
)


def out_of_reach(m: Vocabulary, r: Number, mu: Number, gap: Number, c: Number) -> Sides:
    """Below mu, arm 1 without rewards (b = k = 0, mu-hat = 0) cannot reach y_i = mu - gap/3: 1/100 of room."""
    return m.sqrt(c * m.log(r)) + gap / 3 + m.number("0.01"), mu


@chapter.inequality(
    "eq-21/second",
    EQ_21,
    over={"r": Whole(2), "mu": UNIT, "gap": GAP, "c": LARGE},
    where=(out_of_reach,),
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.PROOF,
    note="Hoeffding's inequality is applied as if mu-hat = S/(n+1) were a mean of n+1 rewards.\n"
    "So the printed proof fails for small r and few pulls. The lemma is true nevertheless.",
)
def eq_21_second(m: Vocabulary, r: Number, mu: Number, gap: Number, c: Number) -> Sides:
    """For b = k = 0, mu-hat is 0, and the probability is 0 if sqrt(c log r) < mu_1 - Delta_i/3."""
    return 1 - m.exp(-2 * (gap / 3 + m.sqrt(c * m.log(r))) ** 2), m.number(0)


@chapter.identity(
    "eq-21/third",
    EQ_21,
    over={"gap": GAP, "root_n": LARGE, "w": SOME},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def eq_21_third(m: Vocabulary, gap: Number, root_n: Number, w: Number) -> Sides:
    """The exponents are compared as a formula, with root_n = sqrt(b+k+1) and w = sqrt(c log r)."""
    left = -2 * root_n**2 * (gap / 3 + w / root_n) ** 2
    right = -2 * w**2 - gap**2 * root_n**2 * 2 / 9 - 4 * gap * root_n * w / 3
    return left, right


@chapter.inequality(
    "eq-21/fifth",
    EQ_21,
    over={"c": LARGE, "log_r": MORE, "rest": MORE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def eq_21_fifth(m: Vocabulary, c: Number, log_r: Number, rest: Number) -> Sides:
    """The formula compares the exponents of the last two steps. Here `rest` is the term that the fourth line drops."""
    return -2 * c * log_r - rest, -2 * log_r


@chapter.inequality(
    "eq-21/whole",
    EQ_21,
    over={"r": Whole(2), "mu": UNIT, "gap": GAP, "c": LARGE},
    where=(out_of_reach,),
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.PROOF,
    same_error_as="ou24/eq-21/second",
    note="With r = 2 and c = 1 the probability is 0, but equation (21) claims at least 3/4. For c = 1 and Delta_i -> "
    "0, equation (21) fails for up to four rewards of 0 or 1. With one reward and r = 4, the complement has "
    "probability 0.167 at mu_1 = 0.833, but equation (21) claims at most 1/16.",
)
def eq_21_whole(m: Vocabulary, r: Number, mu: Number, gap: Number, c: Number) -> Sides:
    """For b = k = 0, the formula compares a probability of 0 with 1 - 1/r^2."""
    return 1 - 1 / r**2, m.number(0)


@chapter.identity(
    "lemma-8/sum/third",
    SUM,
    over={"x": UNIT, "r": Whole(2), "w": MORE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def lemma_8_sum_third(m: Vocabulary, x: Number, r: Number, w: Number) -> Sides:
    """The formula compares one term of the sums, for any weights. Here x = e^{-sqrt(r/(2 pi log r))}."""
    left = 1 - (1 - x) * (1 - 1 / r**2) + w * (1 - (1 - 1 / r**2) ** 2)
    right = x * (1 - 1 / r**2) + 1 / r**2 + w * (2 / r**2 - 1 / r**4)
    return left, right


@chapter.inequality(
    "lemma-8/sum/fourth",
    SUM,
    over={"x": UNIT, "r": Whole(2), "w": MORE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="As 2 sum_{r >= 2} 1/r^2 = pi^2/3 - 2, the printed bound is larger than necessary by 2.",
)
def lemma_8_sum_fourth(m: Vocabulary, x: Number, r: Number, w: Number) -> Sides:
    """The formula compares one term of the sums, for any weights."""
    return x * (1 - 1 / r**2) + 1 / r**2 + w * (2 / r**2 - 1 / r**4), x + 2 / r**2 + w * (2 / r**2)


@chapter.inequality(
    "lemma-8/sum/65.58",
    SUM,
    over={"last": OneOf((LAST,))},
    of=first_sum,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The sum is 65.5702, and 65.58 is this value, rounded up.",
)
def lemma_8_sum_65_58(m: Vocabulary, last: Number) -> Number:
    """The formula is the sum over r = 2, ..., floor(e^11) = 59874."""
    return m.number("65.58")


@chapter.inequality(
    "lemma-8/sum/71",
    SUM,
    over={},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The sum is 70.87. Without the superfluous 2 the sum would be 69.",
)
def lemma_8_sum_71(m: Vocabulary) -> Sides:
    return 2 + m.pi**2 / 3 + m.number("65.58"), m.number(71)


@chapter.inequality(
    "lemma-8/route",
    SUM,
    over={},
    strict=True,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="These probabilities alone add up to 89.88, so the printed proof reaches 71 only because of the error in "
    "equation (19). Another argument shows that the lemma is true nevertheless (`ou24/lemma-8/first`).",
    related=("ou24/lemma-8/first",),
)
def lemma_8_route(m: Vocabulary) -> Sides:
    """The printed proof, repaired at equation (19), does not give 71. The repaired proof uses the exact
    Pr(MAX_r <= ...) = Phi(sqrt(log r))^r in place of e^{-sqrt(r/(2 pi log r))}. The right side is a lower bound on the
    sum of these probabilities over r, computed on intervals on which the terms decrease."""
    return m.number(71), maximum_blocks(m)
