"""Appendix B.2: the proof of Lemma 8, first branch: the geometric variable, and equations (18) to (20).

log_y: log((T-bN) Delta_i^2). Steps are written in the variables that the checks use; the notes
explain the substitution.
"""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Verdict, Whole
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.regret_formulas import (
    GAP,
    LAST,
    MORE,
    SOME,
    UNIT,
    at,
    first_term,
    maximum_term,
    mills,
)

chapter = page.chapter("Appendix B.2: Lemma 8")
TRIALS = Whole(2, LAST)  # the r below e^11
GEOMETRIC = at(
    "Proof of Lemma 8 (arXiv: Lemma 9)",
    "Let G_k be a geometric random variable that denotes the number of trials until Theta_k > y_i. [...] "
    "E[1/p_{i,tau_k+1}] - 1 = E[E[G_k | F_{tau_k}]] = E[G_k] = sum_{r=0}^infinity Pr(G_k >= r).",
)
EQ_18 = at(
    "Proof of Lemma 8, eq. (18)",
    "Pr[G_k < r] >= Pr[MAX_r > y_i] >= Pr[MAX_r > mu-hat + sqrt(c/(k+b+1)) z >= y_i] = [...] = E[1(mu-hat + "
    "sqrt(c/(k+b+1)) z >= y_i) Pr(MAX_r > mu-hat + sqrt(c/(k+b+1)) z | F)].",
)
EQ_19 = at(
    "Proof of Lemma 8, eq. (19)",
    "Pr[MAX_r > mu-hat + sqrt(c/(k+b+1)) z | F] = 1 - prod Pr[Theta_k <= mu-hat + sqrt(c/(k+b+1)) z | F] >= "
    "1 - (1 - (1/sqrt(2 pi)) e^{-z^2/2}/z)^r = 1 - (1 - 1/sqrt(2 pi r log r))^r >= 1 - e^{-sqrt(r/(2 pi log r))}",
)
EQ_20 = at(
    "Proof of Lemma 8, eq. (20)",
    "Pr[G_k < r] >= (1 - e^{-sqrt(r/(2 pi log r))}) Pr(mu-hat + sqrt(c/(k+b+1)) z >= y_i) for 1 < r < e^11.",
)


@chapter.identity(
    "lemma-8/geometric/trials",
    GEOMETRIC,
    over={"p": Real(0, 1)},
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.NONE,
    repaired_by=("ou24/lemma-8/geometric/repaired",),
    note="If G counts trials, the sum is larger than 1/p - 1 by two, because r = 0 and r = 1 each add 1. The error is "
    "harmless: the sum is used as an upper bound.",
)
def lemma_8_geometric_trials(m: Vocabulary, p: Number) -> Sides:
    """G counts the trials up to the first success, so that the sum is 1 + E[G] = 1 + 1/p."""
    return 1 / p - 1, 1 + 1 / p


@chapter.identity(
    "lemma-8/geometric/failures",
    GEOMETRIC,
    over={"p": Real(0, 1)},
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.NONE,
    repaired_by=("ou24/lemma-8/geometric/repaired",),
    same_error_as="ou24/lemma-8/geometric/trials",
    note="If G counts failures, the sum is larger than 1/p - 1 by one. The sum has to start at r = 1. The error is "
    "harmless: the sum is used as an upper bound.\n"
    "If G counts failures, equation (18) is right.",
)
def lemma_8_geometric_failures(m: Vocabulary, p: Number) -> Sides:
    """G counts the failures before the first success, so that the sum is 1 + E[G] = 1/p."""
    return 1 / p - 1, 1 / p


@chapter.identity(
    "lemma-8/geometric/repaired",
    GEOMETRIC,
    over={"p": Real(0, 1)},
    reading=Reading.REPAIRED,
    formula_only=True,
    expect=Verdict.PROVED,
    note="The sample Theta is distributed as theta_{1,tau_k+1}. The text prints theta_{i,tau_k}.",
)
def lemma_8_geometric_repaired(m: Vocabulary, p: Number) -> Sides:
    """The formula states that the expected number of failures is the sum of Pr(G >= r) = (1-p)^r from r = 1."""
    return 1 / p - 1, (1 - p) / (1 - (1 - p))


@chapter.inequality(
    "eq-18/trials",
    EQ_18,
    over={"p": Real(0, 1), "r": Whole(2)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="If G counts trials, MAX_r > y_i implies only G <= r, not G < r. The error is harmless: E[1/p] - 1 is the "
    "expected number of failures, and if G counts failures, both sides are 1 - (1-p)^r.",
)
def eq_18_trials(m: Vocabulary, p: Number, r: Number) -> Sides:
    """The formula is the first step if G counts the trials up to the first success, so that Pr(G < r) = 1 -
    (1-p)^(r-1)."""
    return 1 - (1 - p) ** r, 1 - (1 - p) ** (r - 1)


@chapter.inequality(
    "eq-18/second",
    EQ_18,
    over={"y": UNIT, "room": MORE, "above": SOME},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The lines after this step use the tower property: given the history, the level and y_i are constants.",
)
def eq_18_second(m: Vocabulary, y: Number, room: Number, above: Number) -> Sides:
    """In the formula, the level is y_i + room, and MAX_r is level + above. The formula states that MAX_r exceeds
    y_i."""
    return y, (y + room) + above


@chapter.inequality(
    "eq-19/second",
    EQ_19,
    over={"r": TRIALS},
    expect=Verdict.REFUTED,
    fault=Fault.DIRECTION,
    harm=Harm.PROOF,
    note="The line is false for every r > 1, because Mills' inequality (Lemma 10, here at z = sqrt(log r)) is "
    "strict.\n"
    "So the printed proof fails: with the exact probability the sum for E[G] exceeds 71 (`ou24/lemma-8/route`).\n"
    "The step needs a lower bound such as phi(z) z/(z^2+1).",
    related=("ou24/lemma-8/route",),
)
def eq_19_second(m: Vocabulary, r: Number) -> Sides:
    """The second line inserts Mills' upper bound of a tail, but the step needs a lower bound."""
    return 1 - (1 - mills(m, m.sqrt(m.log(r)))) ** r, 1 - m.ncdf(m.sqrt(m.log(r))) ** r


@chapter.identity(
    "eq-19/third",
    EQ_19,
    over={"root": GAP, "z": SOME},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def eq_19_third(m: Vocabulary, root: Number, z: Number) -> Sides:
    """The formula is the step with both sides squared. The formula is written in terms of z = sqrt(log r) and root =
    e^{-z^2/2} = 1/sqrt(r)."""
    return root**2 / (2 * m.pi * z**2), 1 / (2 * m.pi * (1 / root**2) * z**2)


@chapter.inequality(
    "eq-19/fourth",
    EQ_19,
    over={"x": UNIT},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def eq_19_fourth(m: Vocabulary, x: Number) -> Sides:
    """The formula uses x = 1/sqrt(2 pi r log r) and r x = sqrt(r/(2 pi log r)). The step follows by raising the
    inequality to the r-th power."""
    return 1 - x, m.exp(-x)


@chapter.inequality(
    "eq-19/whole",
    EQ_19,
    over={"r": TRIALS},
    expect=Verdict.REFUTED,
    fault=Fault.DIRECTION,
    harm=Harm.PROOF,
    same_error_as="ou24/eq-19/second",
    note="At r = 2 the probability is 0.364, but equation (19) claims at least 0.492.\n"
    "Equation (19) fails for every r up to e^11: the probability of staying below the level is at least 1.17 times "
    "the value that equation (19) allows.",
)
def eq_19_whole(m: Vocabulary, r: Number) -> Sides:
    """The formula compares the first expression of the chain with the last one."""
    return 1 - first_term(m, r), 1 - maximum_term(m, r)


@chapter.inequality(
    "lemma-8/e-11",
    at("Proof of Lemma 8, after eq. (19)", "If r >= e^11, we have e^{-sqrt(r/(2 pi log r))} <= 1/r^2."),
    over={"log_r": Real(11, inf, closed=True)},
    expect=Verdict.PROVED,
    note="The inequality is true for r >= e^10.188.",
)
def lemma_8_e_11(m: Vocabulary, log_r: Number) -> Sides:
    """The logarithm of the printed inequality is 2 log r <= sqrt(r/(2 pi log r)). The formula compares the squares of
    both sides."""
    return m.log(8 * m.pi) + 3 * m.log(log_r), log_r


@chapter.inequality(
    "lemma-8/large-r",
    at(
        "Proof of Lemma 8, after eq. (19)",
        "Pr[MAX_r > mu-hat + sqrt(c/(k+b+1)) z | F] >= 1 - e^{-sqrt(r/(2 pi log r))} for 1 < r < e^11, and "
        ">= 1 - 1/r^2 for r >= e^11.",
    ),
    over={"log_r": Real(11, inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So the statement is true for r >= e^11, although the paper derives it from equation (19). For r < e^11 the "
    "statement is false.",
)
def lemma_8_large_r(m: Vocabulary, log_r: Number) -> Sides:
    """In the case r >= e^11, Phi(z)^r <= e^{-r Q(z)} <= 1/r^2 by the lower bound Q(z) >= phi(z) z/(1+z^2). The formula
    compares the logarithms of the two sides of 2 log r <= r Q(z).
    """
    return m.log(2 * log_r) + m.log(2 * m.pi) / 2 + m.log(1 + log_r), log_r / 2 + m.log(log_r) / 2


def below_root_log(m: Vocabulary, r: Number, y: Number, **others: Number) -> Sides:
    """y <= sqrt(log r)."""
    return y, m.sqrt(m.log(r))


@chapter.inequality(
    "eq-20",
    EQ_20,
    over={"r": TRIALS, "y": Real(0, 1)},
    where=(below_root_log,),
    expect=Verdict.REFUTED,
    fault=Fault.DIRECTION,
    harm=Harm.PROOF,
    same_error_as="ou24/eq-19/second",
    note="Equation (20) uses the lower bound of equation (19), which is false.",
)
def eq_20(m: Vocabulary, r: Number, y: Number) -> Sides:
    """The claim is for b = k = 0 and c = 1. Then mu-hat = 0, the second factor is 1, and p = 1 - Phi(y_i) with y_i =
    mu_1 - Delta_i/3 < 1."""
    return 1 - first_term(m, r), 1 - m.ncdf(y) ** r
