"""The property that each constant ensures, and a regret bound with constants.

The paper proves an order. These statements are ours: they reconstruct the analysis from the algorithm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.model import Reading, Real, Verdict
from dpbandits.reference.papers.sajed19 import DPSE, PRINTED
from dpbandits.reference.papers.sajed19 import formulas as f
from dpbandits.reference.papers.sajed19.page import page

chapter = page.chapter("Analysis")

AT_LEAST_1 = Real(1, np.inf, closed=True)
POSITIVE = Real(0, np.inf)
ARMS = Bernoulli((0.75, 0.625, 0.5, 0.375, 0.25))
CLOSE = Bernoulli((0.5, 0.45))
PLAYED = tuple(
    {"arms": each.arms, "horizon": horizon, "eps": eps, "environment": each}
    for each, horizon, eps in (
        (ARMS, 100_000, 1.0),
        (ARMS, 100_000_000, 1.0),
        (ARMS, 100_000_000, 0.1),
        (CLOSE, 100_000_000, 1.0),
    )
)
EPOCHS = {"active": AT_LEAST_1, "epoch": AT_LEAST_1, "beta": Real(0, 1)}


@chapter.identity(
    "epoch/mean",
    page.source("DP-SE, line 8"),
    over={**EPOCHS, "rounds": AT_LEAST_1},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def epoch_mean(m: Vocabulary, active: Number, epoch: Number, beta: Number, rounds: Number) -> Sides:
    """The formula states that, by Hoeffding's inequality, the mean of R rewards is too high by more than h with
    probability at most exp(-2 R h^2) = beta/(8 |S| e^2). The same bound holds for a mean that is too low."""
    h_squared = f.squared_mean_error(m, active, epoch, rounds, beta)
    return m.exp(-2 * rounds * h_squared), beta / (8 * active * epoch * epoch)


@chapter.identity(
    "epoch/noise",
    page.source("DP-SE, line 9"),
    over={**EPOCHS, "rounds": AT_LEAST_1, "eps": POSITIVE},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def epoch_noise(m: Vocabulary, active: Number, epoch: Number, beta: Number, rounds: Number, eps: Number) -> Sides:
    """The formula states that the noise of scale 1/(eps R) exceeds c in absolute value with probability exp(-c eps R) =
    beta/(4 |S| e^2). So in epoch e, with probability at most beta/(2 e^2), the mean or the noise of one of the |S| arms
    has such a large error. The probability of such an error in any epoch is at most pi^2 beta/12 < beta."""
    c = f.noise_error(m, active, epoch, rounds, eps, beta)
    return m.exp(-c / f.noise_scale(m, eps, rounds)), beta / (4 * active * epoch * epoch)


@chapter.identity(
    "epoch/width/mean",
    page.source("DP-SE, line 5"),
    over={**EPOCHS, "gap": Real(0, 0.5, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def width_mean(m: Vocabulary, active: Number, epoch: Number, beta: Number, gap: Number) -> Sides:
    """The formula states that h = Delta/8 if R is the first term of line 5. The number h decreases as R grows, and the
    R of the algorithm is larger than this term."""
    rounds = f.rounds_for_mean(m, active, epoch, gap, beta)
    return f.squared_mean_error(m, active, epoch, rounds, beta), gap * gap / 64


@chapter.identity(
    "epoch/width/noise",
    page.source("DP-SE, line 5"),
    over={**EPOCHS, "gap": Real(0, 0.5, closed=True), "eps": POSITIVE},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def width_noise(m: Vocabulary, active: Number, epoch: Number, beta: Number, gap: Number, eps: Number) -> Sides:
    """The formula states that c = Delta/8 if R is the second term of line 5. So the R of the algorithm makes 4 (h + c)
    < Delta. In an epoch that does not fail, the error of every noisy mean is at most h + c. So an arm with a gap of at
    least Delta is more than 2 (h + c) below the best arm and is eliminated, and the best arm remains."""
    rounds = f.rounds_for_noise(m, active, epoch, gap, eps, beta)
    return f.noise_error(m, active, epoch, rounds, eps, beta), gap / 8


@chapter.at_most(
    "regret/explicit",
    page.source("The regret of DP-SE"),
    PSEUDO_REGRET,
    subject=PRINTED,
    params=PLAYED,
    reading=Reading.OURS,
    expect=Verdict.CONSISTENT,
    related=("sajed19/epoch/mean", "sajed19/epoch/noise", "sajed19/epoch/width/mean", "sajed19/epoch/width/noise"),
)
def explicit_regret(policy: DPSE, environment: Any) -> float:
    """The bound is sum_a D_a min(T, sum_{e <= e_a} R_e(K)) + beta T max D, where D_a is the gap of arm a, and e_a is
    the first epoch e with 2^-e <= D_a. The bound follows from `sajed19/epoch/mean`, `sajed19/epoch/noise`,
    `sajed19/epoch/width/mean` and `sajed19/epoch/width/noise`, as R_e(|S|) is at most R_e(K)."""
    gaps = np.max(environment.means) - np.asarray(environment.means)
    total = policy.risk * policy.horizon * gaps.max()
    for gap in gaps[gaps > 0]:
        last = max(1, -int(el.whole_log2(gap)))
        pulls = policy.numbers(np.arange(1, last + 1), policy.arms).rounds.sum()
        total += gap * min(policy.horizon, pulls)
    return float(total)
