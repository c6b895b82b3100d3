"""Section 2: what is promised of Algorithm 1, and a lemma whose proof stands in `proofs.section_2`."""

from __future__ import annotations

from math import sqrt
from typing import Any

from dpbandits.pages import PSEUDO_REGRET, Bernoulli, Fault, Gaussian, Harm, Reading, Stated, Verdict
from skeleton.algorithms import FirstImpression
from skeleton.page import page

chapter = page.chapter("Section 2")
THEOREM_1 = page.source("Theorem 1", "Algorithm 1 is 1/sigma-GDP.")
SIZES = ({"arms": 2, "horizon": 8},)


@chapter.private(
    "theorem-1",
    THEOREM_1,
    "pull",
    "arms",
    subject=FirstImpression,
    params=SIZES,
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.GUARANTEE,
    note="The noise is fresh in every round, and its rounds compose.",
)
def theorem_1(policy: FirstImpression) -> Gaussian:
    """As printed: of one round's noise."""
    return Gaussian(1 / policy.sigma)


@chapter.private(
    "theorem-1/repaired",
    THEOREM_1,
    "pull",
    "arms",
    subject=FirstImpression,
    params=SIZES,
    reading=Reading.REPAIRED,
    expect=Verdict.CONSISTENT,
)
def theorem_1_repaired(policy: FirstImpression) -> Gaussian:
    """With the factor sqrt(T - K)."""
    return Gaussian(sqrt(policy.horizon - policy.arms) / policy.sigma)


chapter.add(
    "lemma-1",
    page.source("Lemma 1", "Of two arms, the worse one is pulled with probability at most 1/2 in every round after 2."),
    Stated("0/1 rewards, means 0 <= worse <= better <= 1: the chance of the worse arm is at most 1/2"),
    expect=Verdict.ARGUED,
)


@chapter.at_most(
    "theorem-2",
    page.source("Theorem 2", "With two arms, the expected regret is at most Delta T/2."),
    PSEUDO_REGRET,
    subject=FirstImpression,
    params=({"arms": 2, "horizon": 20, "environment": Bernoulli((0.9, 0.1))},),
    follows=(f"{page.key}/lemma-1",),
    by="summing over the rounds",
    expect=Verdict.ARGUED,
)
def theorem_2(policy: Any, environment: Any) -> float:
    better, worse = environment.means
    return float((better - worse) * policy.horizon / 2)
