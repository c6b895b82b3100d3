"""Sequential Halving's error probability, and what it reveals."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.quantities import ERROR_PROBABILITY, gaps
from dpbandits.reference.claims.model import Reading, Stated, Verdict
from dpbandits.reference.papers.karnin13 import PRINTED, SequentialHalving
from dpbandits.reference.papers.karnin13.page import page

chapter = page.chapter("Analysis")

PLAYED = tuple(
    {"arms": each.arms, "horizon": horizon, "environment": each}
    for each, horizon in (
        (Bernoulli((0.9, *[0.5] * 7)), 6_000),
        (Bernoulli((0.7, 0.5, 0.4, 0.3)), 6_000),
        (Bernoulli((0.9, 0.6, 0.5, 0.4, 0.3)), 3_000),
    )
)


def hardness(environment: Any) -> float:
    """H_2 = max_{i >= 2} i/D_i^2, the gaps in increasing order."""
    away = np.sort(gaps(environment))[1:]
    return float((np.arange(2, len(away) + 2) / away**2).max())


@chapter.at_most(
    "theorem-4.1",
    page.source("Theorem 4.1"),
    ERROR_PROBABILITY,
    subject=PRINTED,
    params=PLAYED,
    reading=Reading.QUOTED,
    expect=Verdict.CONSISTENT,
)
def theorem_4_1(policy: SequentialHalving, environment: Any) -> float:
    """The bound is read as other papers quote it, because we did not have the paper's sentence: 3 log2(K) exp(-T/(8 H_2
    log2 K)), for rewards in [0, 1] and a single best arm."""
    halvings = el.log(policy.arms) / el.log(2)
    return float(3 * halvings * el.exp(-policy.horizon / (8 * hardness(environment) * halvings)))


chapter.add(
    "privacy/none",
    page.source("Sequential Halving"),
    Stated("already with two arms and T = 2, Sequential Halving is not (eps, delta)-DP for any eps and any delta < 1"),
    reading=Reading.OURS,
    scope="The pulls and the recommendation are released, and one reward of the table changes. Every step is "
    "deterministic, so the output reveals the change with certainty.",
    expect=Verdict.PROVED,
)
