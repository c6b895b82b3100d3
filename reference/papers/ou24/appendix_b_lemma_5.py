"""Appendix B.2: the proof of Lemma 5, equation (11), and the tail bound that it uses, Lemma 9.

log_y: log((T-bN) Delta_i^2). Steps are written in the variables that the checks use; the notes
explain the substitution.
"""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Real, Verdict, Whole
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.regret_formulas import GAP, MORE, UNIT, at, at_least, at_most, mean_too_high

chapter = page.chapter("Appendix B: Lemmas 5 and 6")
EQ_11 = at(
    "Proof of Lemma 5 (arXiv: Lemma 6), eq. (11)",
    "sum_{k=1}^{T-bN} Pr[mu-hat_{i,tau_{i,k}-1} - mu_i > Delta_i/3] <= sum_{k=1}^{T-bN} e^{-2(k+b-1) Delta_i^2/9} = "
    "[...] = e^{-2b Delta_i^2/9} sum_{k=0}^{T-bN-1} (e^{-2 Delta_i^2/9})^k = e^{-2b Delta_i^2/9} (1 - e^{-2(T-bN) "
    "Delta_i^2/9})/(1 - e^{-2 Delta_i^2/9}).",
)


@chapter.inequality(
    "lemma-5",
    at(
        "Lemma 5 (arXiv: Lemma 6)",
        "sum_{t=1}^{T-bN} Pr[a_t = i, not E_i^mu(t)] <= (9/Delta_i^2) e^{-2b Delta_i^2/9}.",
        statement="Lemma 5",
    ),
    over={"rounds": Whole(1), "b": Whole(0), "mu": UNIT, "gap": GAP},
    of=mean_too_high,
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    follows=("ou24/lemma-5/average", "ou24/eq-11/second", "ou24/eq-11/geometric", "ou24/lemma-5/two-over-x"),
    note="9/Delta_i^2 can be improved to 9/(2 Delta_i^2) + 0.52, by 1/(1-e^-x) <= 1/x + 1/2 + x/12.",
)
def lemma_5(m: Vocabulary, rounds: Number, b: Number, mu: Number, gap: Number) -> Number:
    """The arm is pulled in every round (the worst case), so T-bN = rounds. The arm pays 0 or 1. In the formula,
    `mean_too_high` is the sum of the lemma."""
    return m.number(9) / gap**2 * m.exp(m.number(-2) * b * gap**2 / 9)


@chapter.inequality(
    "lemma-5/average",
    at(
        "Proof of Lemma 5",
        "At time tau_{i,k}, the empirical mean mu-hat_{i,tau_{i,k}-1} used by the algorithm to make the decision is "
        "upper bounded by the average of the outcomes of (b+k-1) i.i.d. plays of arm i.",
    ),
    over={"n": Whole(1), "total": MORE},
    expect=Verdict.PROVED,
    note="n = b+k-1 >= 1. Before the first pull there is no average, and the mean is 0.",
)
def lemma_5_average(m: Vocabulary, n: Number, total: Number) -> Sides:
    return total / (n + 1), total / n


def mean_high(m: Vocabulary, n: Number, k: Number, mu: Number, gap: Number, **others: Number) -> Sides:
    """mu-hat = k/(n + 1) is at least mu + Delta_i/3."""
    return (n + 1) * (mu + gap / 3), m.number(1) * k


@chapter.inequality(
    "eq-11/second",
    EQ_11,
    over={"n": Whole(0), "k": Whole(0), "mu": UNIT, "gap": GAP},
    of=at_least,
    where=(mean_high,),
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    follows=("ou24/lemma-9",),
)
def eq_11_second(m: Vocabulary, n: Number, k: Number, mu: Number, gap: Number) -> Number:
    """In the formula, `at_least` is the probability that k or more of n = b+k-1 rewards, each 0 or 1, are 1."""
    return m.exp(-2 * n * gap**2 / 9)


@chapter.identity(
    "eq-11/geometric",
    EQ_11,
    over={"q": GAP, "power": GAP},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def eq_11_geometric(m: Vocabulary, q: Number, power: Number) -> Sides:
    """The formula is the induction step of the geometric sum from k to k + 1 terms, with q = e^{-2 Delta_i^2/9} and
    power = q^k.
    """
    return (1 - power) / (1 - q) + power, (1 - power * q) / (1 - q)


@chapter.inequality(
    "lemma-5/two-over-x",
    at(
        "Proof of Lemma 5",
        "(1-e^{-xt})/(1-e^{-x}) <= 1/(1-e^{-x}) <= 2/x for t >= 0 and x in (0, 2/9].",
    ),
    over={"x": Real(0, 0.2223)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The second inequality is true up to x = 1.5936. The first inequality holds because 1 - e^{-xt} <= 1.",
)
def lemma_5_two_over_x(m: Vocabulary, x: Number) -> Sides:
    """The formula is the second inequality, multiplied by its denominators."""
    return x, 2 * (1 - m.exp(-x))


def total_below_mean(m: Vocabulary, n: Number, k: Number, mu: Number, **others: Number) -> Sides:
    """S = k is at most its mean."""
    return m.number(1) * k, n * mu


@chapter.inequality(
    "lemma-9",
    at(
        "Lemma 9 (arXiv: Lemma 10), Hoeffding's inequality",
        "Let X_1, ..., X_n in [0, 1] be i.i.d. and E[X_i] = mu. Let S_n = X_1 + ... + X_n. Then for all a >= 0, "
        "Pr[S_n >= n mu + a] <= e^{-2a^2/n} and Pr[S_n <= n mu - a] <= e^{-2a^2/n}.",
        statement="Lemma 9",
    ),
    over={"n": Whole(1), "k": Whole(0), "mu": UNIT},
    of=at_most,
    where=(total_below_mean,),
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="The same bound holds for rewards in [0, 1], because e^{tX} <= 1 - X + X e^t makes rewards of 0 and 1 the "
    "worst case.",
)
def lemma_9(m: Vocabulary, n: Number, k: Number, mu: Number) -> Number:
    """The formula is the lower tail for rewards of 0 or 1. The upper tail is the lower tail of 1 - X_i. In the formula,
    `at_most` is the probability that at most k of the n rewards are 1."""
    return m.exp(-2 * (n * mu - k) ** 2 / n)
