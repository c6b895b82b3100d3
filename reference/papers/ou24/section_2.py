"""Claims of Sections 2.1 and 2.2: the running mean, Gaussian differential privacy, composition.

Lemma 1, adaptive composition, is a theorem of another paper. It is not judged here, and nothing rests on it: what
rounds of Thompson sampling need of it is a part of the proof of ou24/lemma-3/all-samples.
"""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Source, Stated, Unjudged, Verdict, Whole
from dpbandits.reference.curves import compose_gdp, gaussian_delta, threshold_delta
from dpbandits.reference.papers.ou24.page import page

chapter = page.chapter("Section 2")

EPS = Real(0, inf, closed=True)
MU = Real(0, inf)
LINE = Real(-inf, inf)
ROUNDS = Whole(1)
DEFINITION_2 = Source(
    "ou24",
    "Definition 2 (arXiv: Lemma 1)",
    "A mechanism M is eta-GDP if and only if it is (eps, delta(eps))-DP for all eps >= 0, where "
    "delta(eps) = Phi(-eps/eta + eta/2) - e^eps Phi(-eps/eta - eta/2).",
)

LEMMA_1 = Source(
    "ou24",
    "Lemma 1 (arXiv: Lemma 2)",
    "Let M_t be an eta_t-GDP mechanism, for t = 1, ..., T. Then the adaptive T-fold composition of all M_1, ..., M_T "
    "is sqrt(sum_t eta_t^2)-GDP.",
    statement="Lemma 1",
)
GAUSSIAN_MECHANISM = Source(
    "ou24",
    "Section 2.2",
    "The Gaussian Mechanism satisfies (s_f/sigma)-GDP, where s_f is the sensitivity of f.",
)
UPDATE = Source(
    "ou24",
    "Section 2.1; Algorithm 1, line 7; Algorithm 2, lines 7 and 14",
    "For i = a_t, update mu-hat_{i,t} = (mu-hat_{i,t-1}(n_{i,t-1}+1) + r_t)/(n_{i,t-1}+2), and n_{i,t} = n_{i,t-1} + 1",
)


def product_profile(m: Vocabulary, eps: Number, etas: list[Number]) -> Number:
    """The profile of independent N(eta_t, 1) against N(0, 1): their loss is N(V/2, V) with V = sum eta_t^2."""
    variance = sum((eta**2 for eta in etas), m.number(0))
    scale = m.sqrt(variance)
    return m.ncdf((variance / 2 - eps) / scale) - m.exp(eps) * m.ncdf((-variance / 2 - eps) / scale)


@chapter.identity(
    "update",
    UPDATE,
    over={"total": Real(0, inf, closed=True), "n": Whole(0), "reward": Real(0, 1, closed=True)},
    expect=Verdict.PROVED,
    note="Both sides start from mu-hat = 0 at n = 0. Here `total` is the sum S before the round.",
)
def update(m: Vocabulary, total: Number, n: Number, reward: Number) -> Sides:
    """The recursion preserves mu-hat = S/(n+1), the definition in Section 2.1. S is the sum of the arm's rewards."""
    return (total / (n + 1) * (n + 1) + reward) / (n + 2), (total + reward) / ((n + 1) + 1)


@chapter.identity(
    "update/pre-pulls",
    Source(
        "ou24",
        "Algorithm 2, line 7",
        "Update mu-hat_i = (mu-hat_{i,0}(n_{i,0}+1) + r_{i,j})/(n_{i,0}+2), and n_{i,0} = n_{i,0} + 1",
    ),
    over={"b": Whole(1), "mean": Real(0, 1, closed=True)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The paper has a misprint here: mu-hat_{i,0} is meant on the left.\n"
    "Read literally, the b pre-pulls count in n, but their rewards (of average `mean`) are lost. Appendix B.1 "
    "includes these rewards: mu-hat_{i,t} = (sum_j r_{i,j} + sum r_tau)/(n_{i,t}+1).",
)
def update_pre_pulls(m: Vocabulary, b: Number, mean: Number) -> Sides:
    """The left side of the line is mu-hat_i, so mu-hat_{i,0}, the value at the start of the rounds, stays 0."""
    return 0 * mean * b, mean * b / (b + 1)


@chapter.identity(
    "section-2/posterior",
    Source(
        "ou24",
        "Section 2.1",
        "Concretely, given the initial prior N(0, 1) and a sequence of rewards (r_1, ..., r_t), the posterior "
        "for arm i from which theta_i will be sampled is N(mu-hat_{i,t}, 1/(n_{i,t}+1))",
    ),
    over={"theta": LINE, "n": Whole(0), "total": Real(0, inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def section_2_posterior(m: Vocabulary, theta: Number, n: Number, total: Number) -> Sides:
    """The formula is -2 log of prior times likelihood, for rewards of variance 1, up to terms without theta. Here
    `total` is the sum of the arm's n rewards."""
    left = theta**2 + n * theta**2 - 2 * total * theta
    right = (n + 1) * (theta - total / (n + 1)) ** 2 - total**2 / (n + 1)
    return left, right


chapter.add(
    "algorithm-2/horizon",
    Source("ou24", "Algorithm 2, line 10", "for t = 1, 2, ..., T - bN do"),
    Unjudged(
        "this is a definition. For T >= bN the definition gives bN pre-pulls and then T - bN rounds, together T pulls"
    ),
    expect=Verdict.UNSUPPORTED,
    note="The paper's algorithm does not exclude T < bN, although the algorithm would then pull more often than T "
    "times. Our implementation refuses such a T. Theorem 5 excludes it.",
)


@chapter.inequality(
    "section-1/problem-independent",
    Source(
        "ou24",
        "Section 1.1",
        "When the Delta_i are all bounded away from 0, this gives a problem-independent regret bound of O(N^2 log T).",
    ),
    over={"N": Whole(2), "least": Real(0, 1), "more": Real(0, inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The bound depends on the problem only through the smallest gap, `least`.",
)
def section_1_problem_independent(m: Vocabulary, N: Number, least: Number, more: Number) -> Sides:
    """The formula states that sum_i 1/Delta_i <= N/least if every gap is at least `least`. The paper squares this
    bound."""
    return (N - 1) / (least + more), N / least


chapter.add(
    "abstract/no-loss",
    Source(
        "ou24",
        "Abstract",
        "since the algorithm is unchanged, existing O(sqrt(NT log N)) regret bounds still hold and there is no "
        "loss in performance due to privacy.",
    ),
    Unjudged(
        "the algorithm is not changed, so there is nothing to compare. The cited regret bound is `ou24/theorem-2`"
    ),
    expect=Verdict.UNSUPPORTED,
    related=("ou24/theorem-2",),
)


@chapter.inequality(
    "definition-2",
    DEFINITION_2,
    over={"eps": EPS, "mu": MU, "t": LINE},
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="By the Neyman-Pearson lemma, the best tests between N(0,1) and N(mu,1) are threshold tests. The largest "
    "value over all thresholds t is another expression for delta(eps). Together with `ou24/definition-2/attained`, "
    "this gives the profile of eta-GDP, which is the 'only if' part. The 'if' part uses that the convex trade-off "
    "curve is the supremum of its tangents. The slopes of these tangents are -e^eps and, with the two inputs "
    "exchanged, -e^-eps.",
    related=("ou24/definition-2/attained",),
)
def definition_2(m: Vocabulary, eps: Number, mu: Number, t: Number) -> Sides:
    """The formula states that no threshold test attains more than delta(eps)."""
    return threshold_delta(m, eps, mu, t), gaussian_delta(m, eps, mu)


@chapter.identity(
    "definition-2/attained",
    DEFINITION_2,
    over={"eps": EPS, "mu": MU},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So the maximum over all thresholds is attained, and delta(eps) cannot be made smaller.",
)
def definition_2_attained(m: Vocabulary, eps: Number, mu: Number) -> Sides:
    """The formula states that the threshold test at eps/mu + mu/2 attains delta(eps)."""
    return threshold_delta(m, eps, mu, eps / mu + mu / 2), gaussian_delta(m, eps, mu)


@chapter.inequality(
    "definition-2/monotone",
    DEFINITION_2,
    over={"eps": EPS, "mu": MU, "more": Real(0, inf, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/definition-2", "ou24/definition-2/attained"),
    by="because each threshold shows more for a larger mu, and so does the maximum over thresholds",
    note="The monotonicity is used wherever a bound on the GDP parameter is turned into a bound on delta.",
)
def definition_2_monotone(m: Vocabulary, eps: Number, mu: Number, more: Number) -> Sides:
    """The formula states that delta(eps, eta) increases in eta."""
    return gaussian_delta(m, eps, mu), gaussian_delta(m, eps, mu + more)


chapter.add(
    "definition-2/equivalence",
    DEFINITION_2,
    Stated(
        "let P and Q be two laws, eta > 0, and let the tests be all events or all randomized tests. The following "
        "two conditions are equivalent. (1) For every t, every test with P(reject) <= Phi(t) has Q(reject) <= Phi(t "
        "+ eta). (2) For every eps >= 0, every test has Q(reject) <= e^eps P(reject) + delta(eps) and P(reject) <= "
        "e^eps Q(reject) + delta(eps)"
    ),
    scope="P and Q are the laws of the outputs on neighbouring data sets. Condition (1) says that the trade-off "
    "function of P and Q is at least that of N(0,1) and N(eta,1). Condition (2) is (eps, delta(eps))-DP. A randomized "
    "test is an average of events, so DP is the same for events and for randomized tests.",
    expect=Verdict.ARGUED,
    follows=("ou24/definition-2", "ou24/definition-2/attained"),
)

chapter.add(
    "lemma-1",
    LEMMA_1,
    Unjudged(
        "this is a theorem of another paper (Dong, Roth and Su 2022), cited without proof, about all mechanisms and "
        "all adaptive ways to choose them; `ou24/lemma-1/gaussian` is the special case of Gaussian mechanisms"
    ),
    scope="The lemma is cited without proof.",
    expect=Verdict.UNSUPPORTED,
    note="No finding rests on the lemma: the proof of `ou24/lemma-3/all-samples` composes normal samples that depend "
    "on all samples before them.",
    related=("ou24/lemma-3/all-samples", "ou24/lemma-1/gaussian"),
)


@chapter.identity(
    "lemma-1/gaussian",
    LEMMA_1,
    over={"eps": EPS, "first": MU, "second": MU, "third": MU},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The privacy loss of independent normals is normal with mean M^2/2 and variance M^2, where M^2 = sum eta_t^2. "
    "So no parameter smaller than the lemma's holds for these mechanisms. The cited theorem also states that adaptive "
    "choices are no worse, and the formula does not help to prove this part.",
)
def lemma_1_gaussian(m: Vocabulary, eps: Number, first: Number, second: Number, third: Number) -> Sides:
    """The formula states that three Gaussian mechanisms, chosen in advance, attain the lemma's parameter."""
    left = product_profile(m, eps, [first, second, third])
    right = gaussian_delta(m, eps, compose_gdp(m, [first, second, third]))
    return left, right


@chapter.inequality(
    "gaussian-mechanism",
    GAUSSIAN_MECHANISM,
    over={"eps": EPS, "s": MU, "sigma": MU, "share": Real(-1, 1, closed=True), "t": LINE},
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    follows=("ou24/definition-2", "ou24/definition-2/monotone"),
    by="monotonicity in |share| and the mirrored test for a move to the left",
    note="In units of sigma the two releases are normals at distance |share| s/sigma <= s/sigma.",
)
def gaussian_mechanism(m: Vocabulary, eps: Number, s: Number, sigma: Number, share: Number, t: Number) -> Sides:
    """The value of f changes by share * s with |share| <= 1, and the test is any threshold test."""
    return threshold_delta(m, eps, share * s / sigma, t), gaussian_delta(m, eps, s / sigma)


chapter.add(
    "gaussian-mechanism/every-event",
    GAUSSIAN_MECHANISM,
    Stated(
        "if f has d >= 1 real values and Euclidean sensitivity s > 0, and each value gets independent noise N(0, "
        "sigma^2), the noisy values are (eps, delta(eps))-DP for every eps, with delta(eps) = Phi(-eps sigma/s + "
        "s/(2 sigma)) - e^eps Phi(-eps sigma/s - s/(2 sigma))"
    ),
    scope="The claim covers all events of the mechanism's d noisy values. GDP is stated by its profile, as in "
    "Definition 2.",
    expect=Verdict.ARGUED,
    follows=("ou24/gaussian-mechanism",),
)


@chapter.inequality(
    "section-2/known-variance",
    Source(
        "ou24",
        "Section 2.1",
        "We focus on the single parameter setting where each reward distribution D_i has unknown mean mu_i and known "
        "variance sigma_i^2 = 1.",
    ),
    over={},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.NONE,
    note="The authors mean the variance of the algorithm's model. The preceding paragraph says that the priors 'need "
    "not match the true reward distributions' and are 'not a part of the underlying data model'.\n"
    "The privacy and regret results assume rewards in [0, 1]. The variance of such rewards is at most mean (1 - "
    "mean) <= 1/4, never 1. No result needs rewards of variance 1.",
)
def section_2_known_variance(m: Vocabulary) -> Sides:
    """The claim is that the variance 1 is at most 1/4, the largest variance of a reward in [0, 1]."""
    return m.number(1), 1 / m.number(4)
