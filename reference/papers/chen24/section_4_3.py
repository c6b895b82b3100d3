"""Section 4.3: the early stopping policy, and the bridges of the lower bound.

Lemma 4.5 speaks of every mechanism. Its left side is attained: a coordinate of the input multiplies a probability by
at most 1 + TV (e^eps - 1), and `respondent` (proofs_checks) has this factor n times.
"""

from __future__ import annotations

from math import inf

from dpbandits.reference.curves import Approximate
from dpbandits.reference.ledger import Fault, Harm, Reading, Real, Stated, Verdict, Whole
from dpbandits.reference.papers.chen24.algorithms import dp_bai
from dpbandits.reference.papers.chen24.early_stopping import EarlyStopping
from dpbandits.reference.papers.chen24.instances import UNITS
from dpbandits.reference.papers.chen24.page import page
from dpbandits.reference.vocabulary import Number, Sides, Vocabulary

chapter = page.chapter("Section 4.3")

TV = Real(0, 1, closed=True)
WIDEST = 2.9  # e^2.9 - 1 <= 6 * 2.9; the two are equal near eps = 2.9182
COROLLARY_4_4 = page.source("Corollary 4.4")
LEMMA_4_5 = page.source("Lemma 4.5")


def exact_exponent(m: Vocabulary, eps: Number, n: Number, TV: Number) -> Number:
    """The logarithm of (1 + TV (e^eps - 1))^n."""
    return n * m.log(1 + TV * (m.exp(eps) - 1))


chapter.add(
    "lemma-4.3",
    page.source("Lemma 4.3, (20)"),
    Stated("P_v^pi(E) = P_v^{ES(pi, n, iota)}(E) for E = {recommendation in A} and {N_{iota,T} < n}"),
    scope="For every policy, instance, n, iota and set A. 'Pulls arm iota with certainty' below (18) is read as (18).",
    expect=Verdict.ARGUED,
)
chapter.add(
    "corollary-4.4",
    COROLLARY_4_4,
    Stated("if pi meets the eps-DP constraint, then ES(pi, n, iota) on X^(n, iota) does"),
    scope="For every policy, eps > 0, n and iota; n = 0 and n > T included.",
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
    note="By the exact law of the wrapper: stopped within the second phase of DP-BAI, at its end, and never.",
)
def corollary_4_4_arms(policy: EarlyStopping) -> Approximate:
    """(eps, 0)-DP of ES(DP-BAI, n, iota): its pulls, those of the auxiliary arm among them, and its recommendation."""
    return Approximate(policy.policy.spread.eps, 0.0)  # type: ignore[attr-defined]


@chapter.inequality(
    "lemma-4.5",
    LEMMA_4_5,
    over={"eps": Real(0, inf), "n": Whole(1), "TV": TV},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.STATEMENT,
    note="The constant 6 is right for small eps only. The left side is what lemma-4.5/attained shows for one "
    "mechanism that satisfies all that the lemma asks. The lower bound uses the lemma with eps < 1 (Appendix H, (d)) "
    "and there it holds: see lemma-4.5/repaired. TV is the largest difference of probabilities, as (100) takes it; "
    "twice that would not save a large eps either.",
)
def lemma_4_5(m: Vocabulary, eps: Number, n: Number, TV: Number) -> Sides:
    """For every eps > 0, n and TV, against an eps-DP mechanism of n pulls on Ber(TV) and Ber(0)."""
    return exact_exponent(m, eps, n, TV), 6 * eps * n * TV


chapter.add(
    "lemma-4.5/attained",
    LEMMA_4_5,
    Stated("an ES(pi, n, iota) that is eps-DP, and an event whose probabilities differ by (1 + TV (e^eps - 1))^n"),
    scope="Three arms, T = n: exact for n = 1, 2, 3, and e^eps = 2, 10, 100.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="So the left side of lemma-4.5 is a probability ratio of a policy, and no bound of ours.",
)


@chapter.inequality(
    "lemma-4.5/repaired",
    LEMMA_4_5,
    over={"eps": Real(0, WIDEST, closed=True), "n": Whole(1), "TV": TV},
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    note="With lemma-4.5/exact this is the lemma for eps <= 2.9.",
)
def lemma_4_5_repaired(m: Vocabulary, eps: Number, n: Number, TV: Number) -> Sides:
    """For eps <= 2.9, any n and TV: the exact exponent is at most the printed one."""
    return exact_exponent(m, eps, n, TV), 6 * eps * n * TV


chapter.add(
    "lemma-4.5/exact",
    LEMMA_4_5,
    Stated("P_v(M in S) <= (1 + TV (e^eps - 1))^n P_v'(M in S)"),
    scope="For every eps > 0, n and TV; attained, so that no better factor holds for all mechanisms.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
)
