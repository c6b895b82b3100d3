"""Appendix A: Lemmas A.1, A.3 and A.4, as the proofs use them."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Real, Stated, Verdict
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendix G")
LEMMA_A_1 = page.source(
    "Lemma A.1, (25), (26)",
    "Then, for all epsilon > 0, P(S_n - E[S_n] >= epsilon) <= exp(-2 epsilon^2/(sum_{i=1}^n (b_i - a_i)^2))",
    statement="Lemma A.1",
)
LEMMA_A_3 = page.source(
    "Lemma A.3",
    "the random variable sum_{i=1}^n a_i X_i is (tau^2, b)-sub-exponential, where tau^2 = sum_{i=1}^n a_i^2 tau_i^2 "
    "and b = max_i b_i |a_i|",
)
LEMMA_A_4 = page.source(
    "Lemma A.4, (28)",
    "P(X - E[X] >= epsilon) <= exp(-epsilon^2/(2 tau^2)) [for] 0 <= epsilon <= tau^2/b, exp(-epsilon/(2 b)) [for] "
    "epsilon > tau^2/b",
    statement="Lemma A.4",
)
POSITIVE = Real(0, inf)


@chapter.inequality(
    "lemma-a.1/variance",
    LEMMA_A_1,
    over={"q": Real(0, 1, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The second derivative of log E exp(s X), X in [0, 1], is the variance of a random variable in [0, 1]. So "
    "log E exp(s (X - E X)) <= s^2/8, which is Hoeffding's lemma.",
)
def lemma_a_1_variance(m: Vocabulary, q: Number) -> Sides:
    """The formula is q (1 - q) <= 1/4. The variance of a random variable in [0, 1] with mean q is at most q (1 - q)."""
    return q * (1 - q), m.number(1) / 4


@chapter.identity(
    "lemma-a.1/exponent",
    LEMMA_A_1,
    over={"x": POSITIVE, "ranges": POSITIVE},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def lemma_a_1_exponent(m: Vocabulary, x: Number, ranges: Number) -> Sides:
    """The claim is that at s = 4 x/ranges, the exponent s^2 ranges/8 - s x of Chernoff's bound is the printed exponent.
    Here x = epsilon and ranges = sum_i (b_i - a_i)^2."""
    s = 4 * x / ranges
    return s * s * ranges / 8 - s * x, -2 * x * x / ranges


chapter.add(
    "lemma-a.1",
    LEMMA_A_1,
    Stated("(25) and (26) hold for independent random variables in [a_i, b_i]"),
    scope="The claim is for every n, every epsilon > 0, and ranges of which at least one has a positive length.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-a.1/variance", "chen24/lemma-a.1/exponent"),
)


@chapter.inequality(
    "lemma-a.3/share",
    LEMMA_A_3,
    over={"part": Real(0, 1), "b": POSITIVE, "a": POSITIVE, "excess": Real(0, inf, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="Under this condition, |lambda a_i| < 1/b_i, the moment generating function of a_i X_i is bounded.",
)
def lemma_a_3_share(m: Vocabulary, part: Number, b: Number, a: Number, excess: Number) -> Sides:
    """The claim is |lambda a_i| b_i <= 1 for every i. In the formula, a = |a_i| and b = b_i. The maximum max_j b_j
    |a_j| is b a + excess, and |lambda| is `part` divided by this maximum, with part < 1."""
    return part / (b * a + excess) * a * b, m.number(1)


chapter.add(
    "lemma-a.3",
    LEMMA_A_3,
    Stated("linear combinations of independent sub-exponential random variables with mean 0 are sub-exponential"),
    scope="The linear combinations are sub-exponential with the parameters of the lemma, in the sense of Definition "
    "A.2.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-a.3/share",),
)


@chapter.identity(
    "lemma-a.4/small",
    LEMMA_A_4,
    over={"x": POSITIVE, "tau": POSITIVE},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The choice lambda = x/tau^2 is allowed, that is, below 1/b, if x < tau^2/b. The case x = tau^2/b follows by "
    "continuity.",
)
def lemma_a_4_small(m: Vocabulary, x: Number, tau: Number) -> Sides:
    """The formula states that at lambda = x/tau^2 with x = epsilon, the exponent lambda^2 tau^2/2 - lambda x of
    Chernoff's bound is -x^2/(2 tau^2)."""
    at = x / tau**2
    return at * at * tau**2 / 2 - at * x, -x * x / (2 * tau**2)


@chapter.inequality(
    "lemma-a.4/large",
    LEMMA_A_4,
    over={"x": POSITIVE, "b": POSITIVE, "part": Real(0, 1)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def lemma_a_4_large(m: Vocabulary, x: Number, b: Number, part: Number) -> Sides:
    """The formula states that in the limit lambda = 1/b, the exponent tau^2/(2 b^2) - x/b of Chernoff's bound is at
    most -x/(2 b), for x = epsilon > tau^2/b. In the formula, tau^2 = part b x with part < 1."""
    return part * b * x / (2 * b**2) - x / b, -x / (2 * b)


chapter.add(
    "lemma-a.4",
    LEMMA_A_4,
    Stated("(28) holds for every sub-exponential random variable"),
    scope="The claim uses Definition A.2, which implies that the mean is 0.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-a.4/small", "chen24/lemma-a.4/large"),
)
