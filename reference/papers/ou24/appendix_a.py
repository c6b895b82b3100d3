"""Claims of Appendix A: the proofs of Lemmas 2 and 4, step by step."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, OneOf, Reading, Real, Source, Verdict, Whole
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import half, lemma_4_mu, mean_sensitivity, step_mu
from dpbandits.reference.papers.ou24.section_2 import ROUNDS
from dpbandits.reference.papers.ou24.section_4_1_lemma_4 import PREPULLS

chapter = page.chapter("Appendix A")

A_1 = Source(
    "ou24",
    "Appendix A.1",
    "Let j denote this arm [the one pulled at time t+1]. Since theta_{j,t+1} is the only value that would depend on "
    "the reward observed at time t, then it would be the only value that differs between neighboring databases",
)
EQUATION_4 = Source("ou24", "Equation (4)", "|(1/(n_j+1))/sqrt(1/(n_j+1))| = 1/sqrt(n_j+1) <= 1/sqrt(2)")
A_2 = Source(
    "ou24",
    "Appendix A.2 and Section 4.1",
    "|(1/(n_j+1))/sqrt(c/(n_j+1))| = 1/sqrt(c(n_j+1)) <= 1/sqrt(c(b+1))",
)


@chapter.inequality(
    "a1/index",
    A_1,
    over={"reward": Real(0, 1, closed=True)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The index is a slip. With two arms and t = 1, the probability that the arm pulled at time t+1 is the arm "
    "whose reward changed at time t is at most 0.66.\n"
    "The proof is right if j denotes the arm whose reward differs, whatever the time s <= t of this reward.",
)
def a1_index(m: Vocabulary, reward: Number) -> Sides:
    """The claim is about round 2 of two arms: arm j, pulled at t + 1, is the arm whose reward changed at t."""
    return m.number(1), m.ncdf(half(m) * reward / m.sqrt(1 + half(m)))


@chapter.inequality(
    "a1/sensitivity",
    Source("ou24", "Appendix A.1", "has sensitivity s = max |mu-hat_j(F_t) - mu-hat_j(F'_t)| <= 1/(n_j+1)."),
    over={
        "n": Whole(1),
        "rest": Real(0, inf, closed=True),
        "one": Real(0, 1, closed=True),
        "other": Real(0, 1, closed=True),
    },
    expect=Verdict.PROVED,
    note="In the formula, `rest` is the sum of the other rewards. The variables `one` and `other` are "
    "the two values of the reward that changes.",
)
def a1_sensitivity(m: Vocabulary, n: Number, rest: Number, one: Number, other: Number) -> Sides:
    return (rest + one) / (n + 1) - (rest + other) / (n + 1), mean_sensitivity(m, n)


@chapter.inequality(
    "eq-4",
    EQUATION_4,
    over={"n": Whole(1)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="n_j >= 1 because one of arm j's rewards has changed. (In PMLR's text n_{j,t+1} means n_{j,t} + 1.)",
)
def eq_4(m: Vocabulary, n: Number) -> Sides:
    """The claim is the inequality 1/sqrt(n_j+1) <= 1/sqrt(2)."""
    return step_mu(m, n), 1 / m.sqrt(m.number(2))


@chapter.identity(
    "eq-4/equality",
    EQUATION_4,
    over={"n": Whole(0)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def eq_4_equality(m: Vocabulary, n: Number) -> Sides:
    """The equality is checked with 1/sqrt(n_j+1)."""
    return step_mu(m, n), 1 / m.sqrt(n + 1)


@chapter.identity(
    "a1/no-rewards",
    Source(
        "ou24",
        "Appendix A.1",
        "Note that if this were not the case, then theta_{j,t+1} ~ N(0, 1), and there would be no privacy loss "
        "associated with arm j because there would be no data to protect.",
    ),
    over={"n": OneOf((0,)), "one": Real(0, 1, closed=True), "other": Real(0, 1, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="In the formula, `one` and `other` are hypothetical average rewards of the arm on the two inputs. With n_j = "
    "0 these rewards have no effect.",
)
def a1_no_rewards(m: Vocabulary, n: Number, one: Number, other: Number) -> Sides:
    """The formula states that at n_j = 0 the mean of theta_j is 0, whatever the rewards are. The variance of theta_j is
    then 1/(0+1)."""
    return n * one / (n + 1), n * other / (n + 1)


@chapter.inequality(
    "a2/step",
    A_2,
    over={"n": Whole(0), "b": PREPULLS, "c": Real(0, inf)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def a2_step(m: Vocabulary, n: Number, b: Number, c: Number) -> Sides:
    """The claim is for n_j = b + n with n >= 0, and any c > 0."""
    return step_mu(m, n + b, c), 1 / m.sqrt(c * (b + 1))


@chapter.identity(
    "a2/equality",
    A_2,
    over={"n": Whole(0), "c": Real(0, inf)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def a2_equality(m: Vocabulary, n: Number, c: Number) -> Sides:
    """The equality is checked with 1/sqrt(c(n_j+1))."""
    return step_mu(m, n, c), 1 / m.sqrt(c * (n + 1))


@chapter.identity(
    "a2/composition",
    Source(
        "ou24",
        "Appendix A.2",
        "the GDP parameter over T timesteps is sqrt(sum_{t=1}^T (1/sqrt(c(b+1)))^2) = sqrt(T/(c(b+1))).",
    ),
    over={"T": ROUNDS, "b": PREPULLS, "c": Real(0, inf)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The arXiv version prints this equality. In our copy of PMLR the root on the right ends too early "
    "(`ou24/lemma-4/bracket`).",
    related=("ou24/lemma-4/bracket",),
)
def a2_composition(m: Vocabulary, T: Number, b: Number, c: Number) -> Sides:
    """The left side is a sum of T equal terms."""
    return m.sqrt(T * (1 / m.sqrt(c * (b + 1))) ** 2), lemma_4_mu(m, T, b, c)
