"""Why the bonuses are what they are: what the algorithm shows of its analysis, and a bound with constants.

These statements are ours: they say which property each bonus is there for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.environments import Bernoulli
from dpbandits.reference.ledger import Reading, Real, Verdict
from dpbandits.reference.papers.azize22 import PRINTED, AdaPUCB
from dpbandits.reference.papers.azize22 import formulas as f
from dpbandits.reference.papers.azize22.page import SECONDARY, page
from dpbandits.reference.quantities import PSEUDO_REGRET, gaps
from dpbandits.reference.vocabulary import Number, Sides, Vocabulary, doubles

chapter = page.chapter("Analysis")

AT_LEAST_1 = Real(1, np.inf, closed=True)
POSITIVE = Real(0, np.inf)
ARMS = Bernoulli((0.75, 0.625, 0.5, 0.375, 0.25))
CLOSE = Bernoulli((0.5, 0.45))
PLAYED = tuple(
    {"arms": each.arms, "horizon": horizon, "eps": eps, "environment": each}
    for each, horizon, eps in ((ARMS, 100_000, 1.0), (ARMS, 10**8, 0.1), (CLOSE, 10**8, 1.0))
)


@chapter.identity(
    "bonus/mean",
    page.source(f"AdaP-UCB, line 4, {SECONDARY}"),
    over={"alpha": POSITIVE, "round": AT_LEAST_1, "used": AT_LEAST_1},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def bonus_mean(m: Vocabulary, alpha: Number, round: Number, used: Number) -> Sides:
    """By Hoeffding's inequality the mean of n rewards is too low by more than the first bonus h with probability
    exp(-2 n h^2) at most: that is (2 t)^-alpha."""
    squared = f.squared_mean_bonus(m, alpha, round, used)
    return m.exp(-2 * used * squared), m.exp(-alpha * m.log(2 * round))


@chapter.identity(
    "bonus/noise",
    page.source(f"AdaP-UCB, line 4, {SECONDARY}"),
    over={"alpha": POSITIVE, "round": AT_LEAST_1, "used": AT_LEAST_1, "eps": POSITIVE},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def bonus_noise(m: Vocabulary, alpha: Number, round: Number, used: Number, eps: Number) -> Sides:
    """The noise of scale 1/(eps n) is below minus the second bonus c with probability exp(-c eps n)/2: that is
    t^-alpha/2."""
    bonus = f.noise_bonus(m, alpha, round, eps, used)
    return m.exp(-bonus / f.noise_scale(m, eps, used)) / 2, m.exp(-alpha * m.log(round)) / 2


@chapter.at_most(
    "regret/explicit",
    page.source(f"The regret of AdaP-UCB, {SECONDARY}"),
    PSEUDO_REGRET,
    subject=PRINTED,
    params=PLAYED,
    reading=Reading.OURS,
    expect=Verdict.CONSISTENT,
)
def explicit_regret(policy: AdaPUCB, environment: Any) -> float:
    """sum_a D_a min(T, 2 n_a) + max D sum_k 2^k 2^{k+1} K (k + 2) ((2 2^k)^-alpha + (2^k)^-alpha/2), where n_a is the
    first power of two with both bonuses at T below D_a/2 together, and k goes from log2(K + 1), rounded down, to log2
    T. While the best arm's index is no lower than its mean, and no noisy mean too high by more than the bonuses, arm a
    is not played once its last episode had n_a pulls. The second sum is what episodes cost that start otherwise: in the
    rounds from 2^k to 2^{k+1}, each no longer than 2^{k+1}, by one of K (k + 2) means.
    """
    away, total = gaps(environment), 0.0
    for gap in away[away > 0]:
        used = 1
        while 2 * bonuses(policy, used) >= gap and used < policy.horizon:
            used *= 2
        total += gap * min(policy.horizon, 2 * used)
    k = np.arange(int(np.log2(policy.arms + 1)), int(np.log2(policy.horizon)) + 1)
    start = 2.0**k
    missed = (2 * start) ** -policy.alpha + start**-policy.alpha / 2
    return float(total + away.max() * (2 * start**2 * policy.arms * (k + 2) * missed).sum())


def bonuses(policy: AdaPUCB, used: int) -> float:
    """Both bonuses of a mean of so many rewards in round T."""
    last = float(policy.horizon)
    squared = f.squared_mean_bonus(doubles, policy.alpha, last, used)
    return float(np.sqrt(squared) + f.noise_bonus(doubles, policy.alpha, last, policy.eps, used))
