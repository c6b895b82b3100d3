"""Section 5 and Appendix E.2: the experiments."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.ledger import Fault, Harm, Ordering, Reading, Stated, Verdict
from dpbandits.reference.papers.chen24.algorithms import baseline, dp_bai
from dpbandits.reference.papers.chen24.arms import Uniform
from dpbandits.reference.papers.chen24.instances import Features
from dpbandits.reference.papers.chen24.od_linbai import dp_od, od_linbai
from dpbandits.reference.papers.chen24.page import page
from dpbandits.reference.quantities import ERROR_PROBABILITY
from dpbandits.reference.vocabulary import Sides, Vocabulary

chapter = page.chapter("Section 5 and Appendix E.2")
FIGURE_1 = page.source(
    "Section 5, Figure 1",
    "the DP-BAI policy significantly outperforms Baseline and DP-OD",
)
SEED, AVERAGED = 2024, 5  # of the random omega; and the runs of each setting in a repetition
OMEGA = tuple(np.random.default_rng(SEED).uniform(0, 0.8, 27).tolist())
FEATURES: Features = ((0.0, 1.0), (0.0, 0.9), (10.0, 0.0), *((1.0, omega) for omega in OMEGA))
ARMS = Uniform(tuple(0.045 * a + 0.5 * b for a, b in FEATURES))
WHERE = ((1000, 0.2), (1000, 1.0), (4000, 0.05))  # T and eps


def figure_1() -> dict[str, tuple[Any, Any]]:
    """Every policy at every T and eps."""
    found: dict[str, tuple[Any, Any]] = {}
    for horizon, eps in WHERE:
        here = f"T = {horizon}, eps = {eps}"
        found[f"DP-BAI, {here}"] = dp_bai(FEATURES, horizon, eps), ARMS
        found[f"Baseline, {here}"] = baseline(FEATURES, horizon, eps), ARMS
        found[f"DP-OD, {here}"] = dp_od(FEATURES, horizon, eps), ARMS
    return found


for other in ("Baseline", "DP-OD"):
    chapter.add(
        f"figure-1/{other.lower()}",
        FIGURE_1,
        Ordering(
            ERROR_PROBABILITY,
            figure_1(),
            tuple((f"DP-BAI, T = {T}, eps = {eps}", f"{other}, T = {T}, eps = {eps}") for T, eps in WHERE),
            AVERAGED,
        ),
        scope=f"omega from numpy's default_rng({SEED}); T = 1000 and 4000, eps = 0.05 to 1: the paper prints neither "
        "grid.",
        expect=Verdict.CONSISTENT,
    )
chapter.add(
    "figure-1/epsilon",
    page.source("Section 5, Figure 1", "the performances of DP-BAI and the non-private state-of-the-art OD-LinBAI"),
    Ordering(
        ERROR_PROBABILITY,
        {
            **{f"DP-BAI, eps = {eps}": (dp_bai(FEATURES, 300, eps), ARMS) for eps in (0.02, 0.2, 5.0)},
            "OD-LinBAI": (od_linbai(FEATURES, 300), ARMS),
        },
        (
            ("DP-BAI, eps = 0.2", "DP-BAI, eps = 0.02"),
            ("DP-BAI, eps = 5.0", "DP-BAI, eps = 0.02"),
            ("OD-LinBAI", "DP-BAI, eps = 0.02"),
        ),
        AVERAGED,
    ),
    scope="T = 300: more eps, fewer errors, and OD-LinBAI has few. That they are alike for large eps is seen in the "
    "averages, and is no ordering.",
    expect=Verdict.CONSISTENT,
)


@chapter.inequality(
    "figure-1/support",
    page.source("Section 5; Section 2"),
    over={},
    expect=Verdict.PROVED,
    note="omega_i <= 0.8 gives means of at most 0.445 for the other arms.",
)
def figure_1_support(m: Vocabulary) -> Sides:
    """Rewards uniform on [0, 2 mu_i] lie in [0, 1]: the largest mean is mu_1 = 0.5."""
    return 2 * m.number("0.5"), m.number(1)


@chapter.inequality(
    "figure-2/support",
    page.source("Appendix E.2; Section 2", "the reward distribution is uniform distribution in [0,2μ_i] for arm i=1,2"),
    over={},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NUMBER,
    note="Rewards up to 1.1, where the model has [0, 1] and the noise is calibrated to it: one reward moves a mean by "
    "1.1/n, so the runs of Figure 2 are 1.1 eps-DP. Its orderings do not hang on that.",
)
def figure_2_support(m: Vocabulary) -> Sides:
    """Rewards uniform on [0, 2 mu_i] lie in [0, 1], with mu_1 = 0.5 + Delta and Delta = 0.05."""
    return 2 * (m.number("0.5") + m.number("0.05")), m.number(1)


@chapter.inequality(
    "figure-2/arms",
    page.source("Appendix E.2; Section 2", "a multi-armed bandit with K>2 arms"),
    over={},
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="K >= 2 is meant: DP-BAI is well defined for two arms.",
)
def figure_2_arms(m: Vocabulary) -> Sides:
    """Two arms are more than two."""
    return m.number(2), m.number(2)


FIGURE_2 = page.source(
    "Appendix E.2, Figure 2", "when the ratio x∨y/x∧y increases, the performance of DP-OD becomes worse"
)
LENGTHS = (2.0, 10.0, 50.0)  # y


def longer(y: float) -> Features:
    return (1.0, 0.0), (0.0, y)


chapter.add(
    "figure-2/dp-od",
    FIGURE_2,
    Ordering(
        ERROR_PROBABILITY,
        {
            **{f"DP-OD, y = {y}": (dp_od(longer(y), 1000, 0.5), Uniform((0.55, 0.5))) for y in LENGTHS},
            "DP-BAI, y = 50.0": (dp_bai(longer(50.0), 1000, 0.5), Uniform((0.55, 0.5))),
        },
        (
            ("DP-OD, y = 2.0", "DP-OD, y = 50.0"),
            ("DP-OD, y = 10.0", "DP-OD, y = 50.0"),
            ("DP-BAI, y = 50.0", "DP-OD, y = 50.0"),
        ),
        AVERAGED,
    ),
    scope="T = 1000, eps = 0.5, x = 1.",
    expect=Verdict.CONSISTENT,
)
chapter.add(
    "figure-2/dp-bai",
    page.source(
        "Appendix E.2, Figure 2",
        "the performance of DP-BAI is essentially independent of this ratio as the theory suggests",
    ),
    Stated("on two arms along the axes, DP-BAI does not depend on how long they are"),
    scope="At all: its law is the same.",
    expect=Verdict.ARGUED,
)
