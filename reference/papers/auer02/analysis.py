"""UCB1's regret, and what it reveals."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET, gaps
from dpbandits.reference.claims.model import Reading, Real, Stated, Verdict
from dpbandits.reference.papers.auer02 import EXPLORATION, PRINTED, UCB1
from dpbandits.reference.papers.auer02 import formulas as f
from dpbandits.reference.papers.auer02.page import page

chapter = page.chapter("Analysis")

PLAYED = tuple(
    {"arms": each.arms, "horizon": horizon, "environment": each}
    for each, horizon in (
        (Bernoulli((0.9, 0.1)), 1_000),
        (Bernoulli((0.9, 0.5)), 3_000),
        (Bernoulli((0.95, 0.75, 0.55, 0.35, 0.15)), 5_000),
    )
)


@chapter.identity(
    "bonus",
    page.source("UCB1, line 2"),
    over={"plays": Real(1, np.inf, closed=True), "used": Real(1, np.inf, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def bonus(m: Vocabulary, plays: Number, used: Number) -> Sides:
    """The formula states that, by Hoeffding's inequality, the mean of n_j rewards deviates to one side by more than the
    bonus h with probability at most exp(-2 n_j h^2) = n^-4."""
    squared = f.squared_bonus(m, m.number(EXPLORATION), plays, used)
    return m.exp(-2 * used * squared), 1 / (plays * plays * plays * plays)


@chapter.at_most(
    "theorem-1",
    page.source(
        "Theorem 1",
        "For all K > 1, if policy UCB1 is run on K machines having arbitrary reward distributions P_1, ..., P_K with "
        "support in [0, 1], then its expected regret after any number n of plays is at most [8 sum_{i: mu_i < mu*} "
        "(ln n/Delta_i)] + (1 + pi^2/3) (sum_{j=1}^K Delta_j)",
    ),
    PSEUDO_REGRET,
    subject=PRINTED,
    params=PLAYED,
    reading=Reading.QUOTED,
    expect=Verdict.CONSISTENT,
)
def theorem_1(policy: UCB1, environment: Any) -> float:
    """The bound is 8 sum_{D_i > 0} ln(T)/D_i + (1 + pi^2/3) sum_i D_i, for rewards in [0, 1]."""
    away = gaps(environment)
    first = 8 * (el.log(policy.horizon) / away[away > 0]).sum()
    return float(first + (1 + np.pi**2 / 3) * away.sum())


chapter.add(
    "privacy/none",
    page.source("UCB1"),
    Stated("already with two arms and T = 3, UCB1 is not (eps, delta)-DP for any eps and any delta < 1"),
    reading=Reading.OURS,
    scope="The arms are released, and one reward of the table changes. Every step is deterministic, so the pulls "
    "reveal a change with certainty.",
    expect=Verdict.PROVED,
)
