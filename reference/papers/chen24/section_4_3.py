"""Section 4.3: the early stopping policy, and the bridges of the lower bound.

Lemma 4.5 speaks of every mechanism. Its left side is attained: a coordinate of the input multiplies a probability by
at most 1 + TV (e^eps - 1), and `respondent` (proofs_checks) has this factor n times.
"""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, OneOf, Reading, Real, Stated, Verdict
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.chen24.algorithms.dp_bai import dp_bai
from dpbandits.reference.papers.chen24.algorithms.early_stopping import EarlyStopping
from dpbandits.reference.papers.chen24.instances import UNITS
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Section 4.3")

WIDEST = 2.9  # e^2.9 - 1 <= 6 * 2.9; the two are equal near eps = 2.9182
LEMMA_4_3 = page.source(
    "Lemma 4.3, (20)",
    "For any A ⊆ [K] and E = {I-hat_T in A} ∩ {N_{iota,T} < n}, P_v^pi(E) = P_v^{ES(pi, n, iota)}(E)",
    statement="Lemma 4.3",
)
COROLLARY_4_4 = page.source(
    "Corollary 4.4",
    "If pi [...] meets the eps-DP constraint, then ES(pi, n, iota) [...] also meets the eps-DP constraint",
)
LEMMA_4_5 = page.source(
    "Lemma 4.5, (21)",
    "suppose that M = ES(pi, n, iota) satisfies the eps-DP constraint [...] P_v(M(...) in S) <= e^{eps'} P_{v'}(M(...) "
    "in S) [...] where in (21), (i) eps' = 6 eps n TV(v_iota, v'_iota)",
    statement="Lemma 4.5",
)


chapter.add(
    "early-stopping/sentence",
    page.source("Section 4.3, after (18)", "Else, ES(pi, n, iota) pulls arm iota with certainty"),
    Stated("after the n-th pull of arm iota, ES(pi, n, iota) pulls arm iota"),
    scope="The policy ES is defined by (18) and the line after (18).",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The paper means 'pulls arm 0', as in the preceding line: P(A_t = 0 | H_{t-1}) = 1.",
)
chapter.add(
    "lemma-4.3",
    LEMMA_4_3,
    Stated("P_v^pi(E) = P_v^{ES(pi, n, iota)}(E) for E = {the recommendation is in A} ∩ {N_{iota,T} < n}"),
    scope="The claim is for every policy, instance, n, iota and set A. ES is defined by (18), not by the sentence "
    "after (18) (`chen24/early-stopping/sentence`).",
    expect=Verdict.ARGUED,
    related=("chen24/early-stopping/sentence",),
)
chapter.add(
    "corollary-4.4",
    COROLLARY_4_4,
    Stated("if pi meets the eps-DP constraint, then ES(pi, n, iota) on X^(n, iota) meets it, too"),
    scope="The claim is for every policy, eps > 0, n and iota, including n = 0 and n > T.",
    expect=Verdict.ARGUED,
)


def stopped_dp_bai(horizon: int, eps: float, n: int, iota: int) -> EarlyStopping:
    """ES(DP-BAI, n, iota) on three independent features, which take two phases."""
    return EarlyStopping(dp_bai(UNITS, horizon, eps), n, iota)


@chapter.private(
    "corollary-4.4/arms",
    COROLLARY_4_4,
    relation="pull",
    view="arms",
    subject=stopped_dp_bai,
    params=(
        {"horizon": 20, "eps": 1.0, "n": 4, "iota": 1},
        {"horizon": 20, "eps": 1.0, "n": 7, "iota": 1},
        {"horizon": 20, "eps": 5.0, "n": 20, "iota": 2},
    ),
    expect=Verdict.CONSISTENT,
    note="The privacy loss is computed by the exact law of ES. In the instances, ES stops within the second phase of "
    "DP-BAI, at the end of this phase, or never.",
)
def corollary_4_4_arms(policy: EarlyStopping) -> Approximate:
    """The claim is that the pulls of ES(DP-BAI, n, iota), including those of the auxiliary arm, and its recommendation
    are (eps, 0)-DP."""
    return Approximate(policy.policy.spread.eps, 0.0)  # type: ignore[attr-defined]


@chapter.inequality(
    "lemma-4.5",
    LEMMA_4_5,
    over={"n": OneOf((1, 2, 3)), "base": OneOf((2, 10, 100)), "percent": OneOf((1, 10, 50))},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.STATEMENT,
    note="The lemma holds for eps up to 2.9182, the solution of e^eps - 1 = 6 eps.\n"
    "The lower bound uses the lemma for eps < 1 only (Appendix H, (d)), so the lower bound is not affected: "
    "`chen24/lemma-4.5/repaired`.\n"
    "TV is the largest difference of probabilities, as in (100). If TV denoted twice this value, the lemma would "
    "still fail for large eps.",
    related=("chen24/lemma-4.5/repaired", "chen24/lemma-4.5/attained"),
)
def lemma_4_5(m: Vocabulary, n: Number, base: Number, percent: Number) -> Sides:
    """An eps-DP mechanism attains the log-ratio n log(1 + TV (e^eps - 1)) exactly (`chen24/lemma-4.5/attained`). The
    claim is that this log-ratio is at most the printed eps' = 6 eps n TV. In the formula, e^eps = base and TV =
    percent/100."""
    TV = percent / 100
    return n * m.log(1 + TV * (base - 1)), 6 * m.log(base) * n * TV


chapter.add(
    "lemma-4.5/attained",
    LEMMA_4_5,
    Stated(
        "there is an ES(pi, n, iota) that is eps-DP, and an event whose two probabilities have the ratio (1 + TV "
        "(e^eps - 1))^n"
    ),
    scope="There are three arms and T = n rounds. The probabilities are computed exactly for n = 1, 2, 3, e^eps = 2, "
    "10, 100 and TV = 0.01, 0.1, 0.5.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="So the left side of `chen24/lemma-4.5` is attained by a policy.",
    related=("chen24/lemma-4.5",),
)


@chapter.inequality(
    "lemma-4.5/exponential",
    LEMMA_4_5,
    over={"eps": Real(0, WIDEST, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def lemma_4_5_exponential(m: Vocabulary, eps: Number) -> Sides:
    """The formula is e^eps - 1 <= 6 eps for eps <= 2.9."""
    return m.exp(eps) - 1, 6 * eps


@chapter.inequality(
    "lemma-4.5/logarithm",
    LEMMA_4_5,
    over={"x": Real(0, inf, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def lemma_4_5_logarithm(m: Vocabulary, x: Number) -> Sides:
    """The formula is log(1 + x) <= x, used for x = TV (e^eps - 1)."""
    return m.log(1 + x), x


chapter.add(
    "lemma-4.5/repaired",
    LEMMA_4_5,
    Consequence("for eps <= 2.9, inequality (21) holds, that is, P_v(M in S) <= e^{6 eps n TV} P_v'(M in S)"),
    scope="The claim is for every n and TV, and every eps in (0, 2.9].",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-4.5/exact", "chen24/lemma-4.5/exponential", "chen24/lemma-4.5/logarithm"),
    by="because n log(1 + TV (e^eps - 1)) <= n TV (e^eps - 1) <= 6 eps n TV",
)


chapter.add(
    "lemma-4.5/exact",
    LEMMA_4_5,
    Stated("P_v(M in S) <= (1 + TV (e^eps - 1))^n P_v'(M in S)"),
    scope="The claim is for every eps > 0, n and TV. For the n, eps and TV of `chen24/lemma-4.5/attained`, no "
    "smaller factor holds for all mechanisms.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    related=("chen24/lemma-4.5/attained",),
)
chapter.add(
    "lemma-4.5/exact/finite",
    LEMMA_4_5,
    Stated("P_v(M in S) <= (1 + TV (e^eps - 1))^n P_v'(M in S) for rewards with finitely many values"),
    scope="The claim is for every policy, horizon, n, iota and eps >= 0, and for all laws of rewards with finitely "
    "many values.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-4.5/exact",),
    note="In this case of `chen24/lemma-4.5/exact`, probabilities may be in any ordered field, and the theorem of Rocq "
    "depends on no axiom.",
)
