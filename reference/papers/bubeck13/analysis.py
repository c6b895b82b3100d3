"""Robust UCB's regret, and what it reveals."""

from __future__ import annotations

from typing import Any

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.heavy_tails import Pareto
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET, gaps
from dpbandits.reference.claims.model import Reading, Stated, Verdict
from dpbandits.reference.papers.bubeck13 import PRINTED, RobustUCB
from dpbandits.reference.papers.bubeck13 import formulas as f
from dpbandits.reference.papers.bubeck13.page import page

chapter = page.chapter("Analysis")

ARMS = Pareto(4.0, (0.75, 0.0075))
PLAYED = ({"arms": 2, "horizon": 1_800, "v": 1.0, "u": ARMS.moment(2.0), "environment": ARMS},)


@chapter.at_most(
    "regret/explicit",
    page.source("The regret of robust UCB with the truncated mean"),
    PSEUDO_REGRET,
    subject=PRINTED,
    params=PLAYED,
    reading=Reading.OURS,
    expect=Verdict.CONSISTENT,
    note="By a lemma that the paper cites, the truncated mean of n rewards deviates to one side by more than the bonus "
    "with probability at most t^-2. The sum of these probabilities over all n <= t is at most 1/t, and their sum over "
    "all rounds is about ln(T). So the second term is not a constant times D. In the order ln(T) (u/D)^{1/v} + D that "
    "tao22 quotes, the second term is D.",
)
def explicit_regret(policy: RobustUCB, environment: Any) -> float:
    """The bound is sum_a D_a min(T, n_a + 2 ln T), where n_a is the first n for which the bonus at T is below D_a/2.
    Suppose that the best arm's estimate is too low by at most its bonus, and that arm a's estimate is too high by at
    most its bonus. Then a is not pulled again after n_a pulls."""
    total = 0.0
    for gap in gaps(environment)[gaps(environment) > 0]:
        used = 1
        while used < policy.horizon and 2 * last_bonus(policy, used) >= gap:
            used += 1
        total += gap * min(policy.horizon, used + 2 * el.log(policy.horizon))
    return float(total)


def last_bonus(policy: RobustUCB, used: int) -> float:
    """The bonus of so many rewards in round T."""
    return float(f.bonus(doubles, policy.width, policy.u, policy.v, float(used), float(policy.horizon)))


@chapter.at_most(
    "theorem-1",
    page.source("Theorem 1"),
    PSEUDO_REGRET,
    subject=PRINTED,
    params=PLAYED,
    reading=Reading.QUOTED,
    expect=Verdict.CONSISTENT,
    note="Twice the bonus is below D if n >= 2 ln(t) (8/D)^((1+v)/v) u^(1/v). This number of pulls is 2^((1+v)/v) "
    "times the number that the constant 8 4^(1/v) allows, so the usual proof does not give the quoted constant. No "
    "counterexample is known.",
)
def theorem_1(policy: RobustUCB, environment: Any) -> float:
    """The bound is read as other papers quote it, because we did not have the paper's sentence: sum_a [8 (4
    u/D_a)^{1/v} ln T + 5 D_a] over D_a > 0."""
    away = gaps(environment)[gaps(environment) > 0]
    terms = 8 * el.exp(el.log(4 * policy.u / away) / policy.v) * el.log(policy.horizon) + 5 * away
    return float(terms.sum())


chapter.add(
    "privacy/none",
    page.source("Robust UCB with the truncated mean"),
    Stated("already with two arms and T = 3, robust UCB is not (eps, delta)-DP for any eps and any delta < 1"),
    reading=Reading.OURS,
    scope="The arms are released, and one reward of the table changes, u = v = 1. Every step is deterministic, so the "
    "pulls reveal a change with certainty.",
    expect=Verdict.PROVED,
)
