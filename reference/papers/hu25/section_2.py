"""Section 2."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Real, Stated, Unjudged, Verdict
from dpbandits.reference.curves import gaussian_delta, threshold_delta
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import EPS, ETA, source

chapter = page.chapter("Section 2")
THEOREM_2_4 = source(
    "Theorem 2.4 (Dong et al. 2022)",
    "A randomized algorithm is eta-GDP if and only if it is (eps, delta(eps))-DP for all eps >= 0, where "
    "delta(eps) = Phi(-eps/eta + eta/2) - e^eps Phi(-eps/eta - eta/2).",
    statement="Theorem 2.4",
)


@chapter.inequality(
    "theorem-2.4",
    THEOREM_2_4,
    over={"eps": EPS, "eta": ETA, "t": Real(-np.inf, np.inf)},
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="By the Neyman-Pearson lemma, the best tests between two normals are threshold tests. Together with "
    "`hu25/theorem-2.4/attained`, this gives the profile of eta-GDP, which is the 'only if' part. The 'if' part uses "
    "that the convex trade-off curve is the supremum of its tangents. The slopes of these tangents are -e^eps and, "
    "with the two inputs exchanged, -e^-eps.",
    related=("hu25/theorem-2.4/attained",),
)
def theorem_2_4(m: Vocabulary, eps: Number, eta: Number, t: Number) -> Sides:
    """The formula states that no threshold test attains more than delta(eps)."""
    return m.ncdf(eta - t) - m.exp(eps) * m.ncdf(-t), gaussian_delta(m, eps, eta)


@chapter.identity(
    "theorem-2.4/attained",
    THEOREM_2_4,
    over={"eps": EPS, "eta": ETA},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_2_4_attained(m: Vocabulary, eps: Number, eta: Number) -> Sides:
    """The formula states that the threshold test at eps/eta + eta/2 attains delta(eps)."""
    return threshold_delta(m, eps, eta, eps / eta + eta / 2), gaussian_delta(m, eps, eta)


@chapter.identity(
    "definition-2.2",
    source(
        "Before Definition 2.3",
        "G_eta(x) := T(N(0,1), N(eta,1))(x) = Phi(Phi^{-1}(1-x) - eta) denote the trade-off function of two normal "
        "distributions.",
    ),
    over={"eta": ETA, "t": Real(-np.inf, np.inf)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="With t = Phi^-1(1 - x), the type II error is 1 - Phi(eta - t) = Phi(t - eta). The definition is that of "
    "Dong, Roth and Su.",
)
def definition_2_2(m: Vocabulary, eta: Number, t: Number) -> Sides:
    """The formula is the trade-off function G_eta(x) = Phi(Phi^-1(1-x) - eta), at x = Phi(-t). The test 'above t' of
    N(0, 1) against N(eta, 1) has the type I error x and the type II error G_eta(x)."""
    return m.ncdf(eta - t), 1 - m.ncdf(t - eta)


@chapter.inequality(
    "theorem-2.4/remark",
    source("Remark after Theorem 2.4", "We can also view delta(eps) = [...] as an increasing function of eta."),
    over={"eps": EPS, "eta": ETA, "more": Real(0, np.inf, closed=True)},
    expect=Verdict.ARGUED,
    note="The derivative of delta(eps) in eta is phi(-eps/eta + eta/2) > 0.",
)
def theorem_2_4_remark(m: Vocabulary, eps: Number, eta: Number, more: Number) -> Sides:
    return gaussian_delta(m, eps, eta), gaussian_delta(m, eps, eta + more)


chapter.add(
    "theorem-2.4/equivalence",
    THEOREM_2_4,
    Stated(
        "let P and Q be two laws, eta > 0, and let the tests be all events or all randomized tests. The following "
        "two conditions are equivalent. (1) For every t, every test with P(reject) <= Phi(t) has Q(reject) <= Phi(t "
        "+ eta). (2) For every eps >= 0, every test has Q(reject) <= e^eps P(reject) + delta(eps) and P(reject) <= "
        "e^eps Q(reject) + delta(eps)"
    ),
    scope="P and Q are the laws of the outputs on neighbouring data sets. The left side of the equivalence says that "
    "the trade-off function of P and Q is at least that of N(0,1) and N(eta,1). The right side is (eps, "
    "delta(eps))-DP. A randomized test is an average of events, so DP is the same for events and for randomized tests.",
    expect=Verdict.ARGUED,
    follows=("hu25/theorem-2.4", "hu25/theorem-2.4/attained"),
)

chapter.add(
    "definition-2.1/prefixes",
    source(
        "Definition 2.1",
        "we have P{A(X_{1:t}) in D_{1:t}} <= e^eps P{A(X'_{1:t}) in D_{1:t}} + delta holds for all t <= T "
        "simultaneously.",
    ),
    Unjudged(
        "a prefix of the released arms is post-processing of all of them (Theorem 4.8), so the case t = T "
        "implies the others"
    ),
    expect=Verdict.UNSUPPORTED,
)
