"""The auditors' benchmark: how much of a known privacy loss does the audit certify from samples, and how fast?

Thompson sampling, two arms, T = 20; arm 1 always pays 0 and arm 2 always 1; the neighbour pays 1 for the first pull
of arm 1. Only the released arms are seen, 200 000 runs a side. Black-box auditors that are publicly available
certify an eps between 0.3 and 4.15 here, at delta = 1e-3 and 95 % confidence. At 95 %, one seed in twenty may
overshoot the exact value.

Run with: python bench/auditor.py
"""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import numpy as np

from dpbandits.audit.play.transcripts import simulate_transcripts, transcripts_of_arms
from dpbandits.audit.privacy.scores.distinguishers import log_likelihood_ratio, probabilities
from dpbandits.audit.statistics.events import Event, plan_tests
from dpbandits.audit.statistics.region import joint_region
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.reference.bandits.adjacency import Pair, flipped
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.curves import Approximate
from dpbandits.reference.curves.conversions import eps_lower
from dpbandits.reference.papers.ou24 import ThompsonSampling

TRIALS, DELTA, HORIZON, SEEDS = 200_000, 1e-3, 20, 5
RISKS = {"95 %": 0.05, "1 - 1e-6": 1e-6}


def instance() -> tuple[ThompsonSampling, Pair]:
    table = np.zeros((2, HORIZON))
    table[1] = 1
    return ThompsonSampling(2, HORIZON), flipped("pull", table, 0, 0, 1.0)


class Law(NamedTuple):
    """All 2^20 transcripts by their score, log P_right/P_left."""

    score: Array
    alpha: Array  # P_left(a score at least this)
    beta: Array  # P_right(a score below this)


def exact_law(policy: ThompsonSampling, pair: Pair) -> Law:
    every = np.empty((2**HORIZON, HORIZON), dtype=np.int16, order="F")
    for step in range(HORIZON):
        every[:, step] = np.arange(2**HORIZON) >> step & 1
    left, right = probabilities(policy, pair, transcripts_of_arms(every, 2))
    score = np.log(right) - np.log(left)
    order = np.argsort(score)
    left, right = left[order], right[order]
    return Law(score[order], np.cumsum(left[::-1])[::-1], np.cumsum(right) - right)


def best_event(law: Law, risk: float) -> Event:
    """The test that should certify most, by the exact law: no trial is spent on it."""
    wanted = np.geomspace(1 / TRIALS, 0.5, 300)  # errors worth a look; a limit for each of 2^20 cuts takes long
    places = np.concatenate([np.searchsorted(law.beta, wanted), np.searchsorted(-law.alpha, -wanted)])
    places = np.unique(places[places < len(law.score)])
    cuts = law.score[places] - 1e-9  # sums of logarithms are rounded in another order elsewhere
    return plan_tests(cuts, law.alpha[places], law.beta[places], Approximate(1.0, DELTA), TRIALS, risk)[0]


def scores(policy: ThompsonSampling, pair: Pair, seed: int) -> tuple[Array, Array]:
    sides = []
    for side, table in zip(("left", "right"), pair.environments(), strict=True):
        seen = simulate_transcripts(policy, table, TRIALS, address(seed, "bench", side))
        sides.append(log_likelihood_ratio(policy, pair, seen))
    return sides[0], sides[1]


def main() -> None:
    policy, pair = instance()
    start = perf_counter()
    low, high = exact_profile(policy, pair).eps(DELTA)
    print(f"exact, without a sample: eps at delta = {DELTA} is between {low:.7f} and {high:.7f}", end=" ")
    print(f"({perf_counter() - start:.2f} s)")
    start = perf_counter()
    law = exact_law(policy, pair)
    events = {name: best_event(law, risk) for name, risk in RISKS.items()}
    print(f"thresholds from the exact law ({perf_counter() - start:.2f} s)")
    found: dict[str, list[float]] = {name: [] for name in RISKS}
    start = perf_counter()
    for seed in range(SEEDS):
        left, right = scores(policy, pair, seed)
        for name, (cut, own, weight) in events.items():
            errors = joint_region(int((left >= cut).sum()), int((right < cut).sum()), TRIALS, own, weight)
            found[name].append(float(eps_lower(*errors, DELTA).min()))
    seconds = (perf_counter() - start) / SEEDS
    for name, values in found.items():
        told = ", ".join(f"{value:.3f}" for value in values)
        print(f"{TRIALS} transcripts a side, confidence {name}: eps >= {told} (median {np.median(values):.3f})")
    print(f"({seconds:.2f} s for each seed, both confidences)")


if __name__ == "__main__":
    main()
