"""Appendix A: technical lemmas."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import POSITIVE, SHARE

chapter = page.chapter("Appendix A")


chapter.add(
    "lemma-5",
    source(
        "Lemma 5 (Tail Bound of Laplacian Vairable)",
        "If X ~ Lap(b), then P(|X| >= t b) = exp(-t).",
        statement="Lemma 5",
    ),
    Stated("P(|X| >= t b) = e^{-t} for X ~ Lap(b)"),
    expect=Verdict.ARGUED,
    given="t >= 0",
)


chapter.add(
    "lemma-6",
    source(
        "Lemma 6 (Bernstein's Inequality)",
        "Let X_1, ..., X_n be n independent zero-mean random variables. Suppose |X_i| <= M and E[X_i^2] <= s for all "
        "i in [n]. Then for any t > 0, we have P{(1/n) sum_{i=1}^n X_i >= t} <= exp(-((1/2) t^2 n)/(s + (1/3) M t))",
        statement="Lemma 6",
    ),
    Stated("P((1/n) sum X_i >= t) <= exp(-n t^2/(2 (s + M t/3)))"),
    expect=Verdict.ARGUED,
    note="Lemmas 11, 4 and 13 use the inequality at t = sqrt(2 s L/n) + M L/(3 n) and claim the probability e^-L. "
    "Lemma 6 gives a weaker bound at this t (`tao22/lemma-6/inverted`). The sub-gamma form of the inequality gives "
    "e^-L (`tao22/lemma-6/sub-gamma`).",
    related=("tao22/lemma-6/inverted", "tao22/lemma-6/sub-gamma"),
)


BERNSTEIN = source(
    "Proofs of Lemmas 11, 4 and 13",
    "From Bernstein's inequality for bounded random variables [...] with probability at least 1 - delta, |(1/n_a) "
    "sum_{i=1}^{n_a} [x_{a,i} I_{|x_{a,i}| <= B_i} - E(X_a I_{|X_a| <= B_i})]| <= sqrt(2 B_{n_a}^{1-v} u "
    "log(1/delta)/n_a) + B_{n_a} log(1/delta)/(3 n_a).",
)


chapter.add(
    "lemma-6/sub-gamma",
    BERNSTEIN,
    Stated("(1/n) sum (X_i - E X_i) exceeds sqrt(2 s r) + M r/3 with probability at most e^{-n r}"),
    scope="The claim is one-sided, for independent X_i with |X_i| <= M and E X_i^2 <= s, whatever their means are. "
    "So the absolute value exceeds the bound with probability at most 2 e^{-n r}.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    note="The proofs apply the inequality to truncated rewards, whose means are not 0. Lemma 6 requires centred "
    "variables, and centred truncated rewards may be as large as 2 B.",
)


def bound_below_1(m: Vocabulary, delta: Number) -> Sides:
    """The printed bound is at most 0.9999 for n_a = 2, u = v = 1 and B_2 = sqrt(2)."""
    ell = -m.log(delta)
    return m.sqrt(ell) + m.sqrt(m.number(2)) * ell / 6, m.number("0.9999")


@chapter.inequality(
    "lemma-6/both-sides",
    source(
        "Proof of Lemma 11",
        "Where the last inequality is due to Lemma 7 and Lemma 5, and Lemma 6 that with probability at least 1 - "
        "delta, |(1/n_a) sum_{i=1}^{n_a} [x_{a,i} I_{|x_{a,i}| <= B_i} - E(X_a I_{|X_a| <= B_i})]| <= sqrt(2 "
        "B_{n_a}^{1-v} u log(1/delta)/n_a) + B_{n_a} log(1/delta)/(3 n_a).",
    ),
    over={"delta": Real(0, 0.5)},
    where=(bound_below_1,),
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.NONE,
    same_error_as="tao22/lemma-11/count",
    repaired_by=("tao22/lemma-6/sub-gamma",),
    related=("tao22/lemma-11", "tao22/lemma-4/union", "tao22/lemma-13/union"),
    note="The sentence is about the absolute value. Lemma 6 bounds one side with probability 1 - delta, and so both "
    "sides with probability 1 - 2 delta (`tao22/lemma-6/sub-gamma`).\n"
    "The counterexample needs delta between 0.497 and 0.5, and eps = log^1.5 T, which is above 1 for T >= 3. Lemmas 4 "
    "and 13 use delta of at most 1/8, Lemma 3 uses 1/(2 t^4), and later steps use eps <= 1. We know no counterexample "
    "with delta <= 1/8 or eps <= 1.\n"
    "No lemma depends on the error. The constant of Lemma 11 leaves room for 2 delta (`tao22/lemma-11`). The proof of "
    "Lemma 4 needs one side for each arm (`tao22/lemma-4/union`), and Lemma 13's union bound covers both sides "
    "(`tao22/lemma-13/union`).",
)
def lemma_6_both_sides(m: Vocabulary, delta: Number) -> Sides:
    """The claim is for every eps > 0, and for delta < 1/2, because Lemma 11 says nothing about larger delta. An arm
    pays 1 or -1 with probability 1/2 each, u = v = 1, and eps = log^1.5 T, so B_i = sqrt(i) and no reward is truncated.
    After n_a = 2 pulls the bound is sqrt(L) + sqrt(2) L/6 with L = log(1/delta). If this bound is below 1, it is
    exceeded if |(x_1 + x_2)/2| = 1, which has probability 1/2. The sentence allows probability delta."""
    return m.number("0.5"), delta


@chapter.inequality(
    "lemma-6/inverted",
    BERNSTEIN,
    over={"s": POSITIVE, "r": POSITIVE},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.PROOF,
    note="Lemma 6 itself gives the deviation sqrt(2 s L/n) + 2 M L/(3 n).\n"
    "The sub-gamma form (Boucheron, Lugosi and Massart, Theorem 2.10) gives the bound that the lemmas use, also for "
    "uncentred variables of size M. So the lemmas hold.",
)
def lemma_6_inverted(m: Vocabulary, s: Number, r: Number) -> Sides:
    """Let M = 1 and t = sqrt(2 s r) + r/3. The claim is that the bound of Lemma 6 is at most e^{-n r}, that is, r <=
    (t^2/2)/(s + t/3). Here r = log(1/delta)/n, and s bounds the second moments."""
    t = m.sqrt(2 * s * r) + r / 3
    return r, t * t / 2 / (s + t / 3)


LEMMA_7 = source(
    "Lemma 7",
    "Given a random variable X with E[|X|^{1+v}] <= u for some v in (0, 1], for any B > 0 we have E[X I_{|X| > B}] <= "
    "u/B^v.",
)


chapter.add("lemma-7", LEMMA_7, Stated("if E|X|^{1+v} <= u, then E[X 1_{|X| > B}] <= u/B^v"), expect=Verdict.ARGUED)


@chapter.identity(
    "lemma-7/proof",
    source(
        "Proof of Lemma 7",
        ">= B^v int_B^inf P(|X| > t) dt = B^v int_0^inf P(X I_{|X| > B} > t) dt = B^v E[X I_{|X| > B}].",
    ),
    over={"c": Real(1, np.inf)},
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.PROOF,
    note="The preceding line lacks the part of the integral from 0 to B, which is B P(X > B). The lemma has a "
    "simpler proof (`tao22/lemma-7`).",
    related=("tao22/lemma-7",),
)
def lemma_7_proof(m: Vocabulary, c: Number) -> Sides:
    """The formula is the first equality, divided by B^v, for the constant X = c > B = 1. The left side is int_1^inf
    P(|X| > t) dt = c - 1, and the right side is int_0^inf P(X 1_{|X| > 1} > t) dt = c. The formula states that they are
    equal."""
    return c - 1, c


chapter.add(
    "lemma-7/second-moment",
    source(
        "Proofs of Lemmas 11, 4 and 13",
        "noting that E(X_a^2 I_{|X_a| <= B}) <= u B^{1-v} if E|X|^{1+v} <= u",
    ),
    Stated("if E|X|^{1+v} <= u, then E[X^2 1_{|X| <= B}] <= u B^{1-v}"),
    expect=Verdict.ARGUED,
)


LEMMA_8 = source(
    "Lemma 8 (Concentration of Laplace Variables)",
    "If X_1, ..., X_n ~ Lap(s/eps), then with probability at least 1 - beta, we have |(1/n) sum_{i=1}^n X_i| <= (2 "
    "s/(eps sqrt(n))) sqrt(log(2/beta)).",
    statement="Lemma 8",
)


@chapter.inequality(
    "lemma-8",
    LEMMA_8,
    over={"beta": SHARE},
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.STATEMENT,
    note="A Laplace tail is heavier than a Gaussian tail: for n = 1 and beta = 0.001, the mean exceeds the bound "
    "with probability 0.004.\n"
    "A bound of this form needs n of at least a constant times log(2/beta), and at n = log(2/beta) the constant 2 is "
    "too small, as the tail is about e^{-0.755 n}.\n"
    "With 2 sqrt(2), the bound holds for n >= log(2/beta) (`tao22/lemma-8/repaired`).\n"
    "Algorithm 4 has R >= log(8|S|tau^2/beta), and its proof also works with the larger constant "
    "(`tao22/lemma-13/seven/large-R`).",
    related=("tao22/lemma-13/seven/large-R",),
    repaired_by=("tao22/lemma-8/repaired",),
)
def lemma_8(m: Vocabulary, beta: Number) -> Sides:
    """The claim is that for n = 1, the mean exceeds the bound with probability at most beta."""
    return m.exp(-2 * m.sqrt(m.log(2 / beta))), beta


chapter.add(
    "lemma-8/repaired",
    LEMMA_8,
    Stated(
        "|(1/n) sum X_i| <= (2 sqrt(2) s/(eps sqrt(n))) sqrt(log(2/beta)) with probability at least 1 - beta, for n >= "
        "log(2/beta)"
    ),
    scope="The repaired lemma has 2 sqrt(2) in place of 2, and says that the X_i are independent.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
)


chapter.add(
    "lemma-9",
    source(
        "Lemma 9 (Jensen's Inequality)",
        "Let X be an integrable, real-valued random variable, and psi be a convex function. Then psi(E[X]) <= "
        "E[psi(X)].",
        statement="Lemma 9",
    ),
    Stated("psi(E X) <= E psi(X) for convex psi"),
    scope="Here psi is a convex function on the real line.",
    expect=Verdict.ARGUED,
)


chapter.add(
    "lemma-10/1",
    source(
        "Lemma 10 (1)",
        "When E[|X|^{1+v}] < inf for some v in (0, 1], we have E[|X - mu|^{1+v}] <= 4 E[|X|^{1+v}] < inf.",
        statement="Lemma 10",
    ),
    Stated("E|X - mu|^{1+v} <= 4 E|X|^{1+v}, where mu = E X"),
    expect=Verdict.ARGUED,
)


chapter.add(
    "lemma-10/2",
    source(
        "Lemma 10 (2)",
        "When E[|X - mu|^{1+v}] < inf for some v in (0, 1], we have E[|X|^{1+v}] <= 2 E[|X - mu|^{1+v}] + 2 "
        "|mu|^{1+v} < inf.",
        statement="Lemma 10",
    ),
    Stated("E|X|^{1+v} <= 2 E|X - mu|^{1+v} + 2 |mu|^{1+v}, where mu = E X"),
    expect=Verdict.ARGUED,
)
