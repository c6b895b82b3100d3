"""How far randomness alignment on merged states reaches: the largest horizon that takes ten CPU seconds, by policy.

    python bench/alignment.py [CPU seconds of one horizon]

One row for each policy: the largest horizon tried whose search, certificate not included, takes at most so long; the
bound there, the claimed value, the merged states and their transitions, and the size of the certificate. Horizons
are multiplied by 4, then halves and three quarters are tried. The table in docs/explanation/randomness_alignment.md is
from this script.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits import Pulls
from dpbandits.papers.azize22 import AdaPUCB
from dpbandits.papers.hu21 import AnytimeLazyUCB
from dpbandits.papers.ou24 import ThompsonSampling
from dpbandits.papers.sajed19 import DPSE
from dpbandits.papers.tao22 import DPRSE
from dpbandits.proofs_checks.alignment.bounds import Alignment, Outcome, root_rounded_up, rounded_up
from dpbandits.proofs_checks.alignment.merged_bounds import merged_bound
from dpbandits.proofs_checks.alignment.merged_certificate import merged_certificate
from dpbandits.proofs_checks.checker.untrusted import Rejected
from dpbandits.proofs_checks.checker.verification import require_schema
from dpbandits.reference.papers.tao22.algorithms.dprucb import with_whole_levels

SECONDS = 10.0  # of processor time
EFFORT = 5_000_000  # more than so many seconds allow
LARGEST = 10**6  # horizon


class State(NamedTuple):
    pulls: np.ndarray  # (trials, arms)
    total: np.ndarray  # (trials, arms), with noise


@dataclass(frozen=True)
class LocalNoise:
    """Every reward gets noise when it arrives; the arm with the best noisy mean is pulled."""

    arms: int
    horizon: int
    kind: str = "laplace"

    def init(self, trials: int) -> State:
        return State(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms)))

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        mean = state.total / np.maximum(state.pulls, 1)
        return Pulls.one(np.where(state.pulls == 0, np.inf, mean).argmax(axis=1), self.arms)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        drawn = getattr(noise, self.kind)("reward", t, (self.arms,))
        return State(state.pulls + pulls.counts, state.total + sums + pulls.counts * drawn)


class Row(NamedTuple):
    """A policy as a function of its horizon. claim: what its noise is made for, in words."""

    name: str
    claim: str
    made: Callable[[int], Any]
    first: int = 8


ROWS = [
    *(Row(f"DP-SE, K = {k}", "eps = 1", lambda T, k=k: DPSE(k, T, 1.0), LARGEST) for k in (2, 3, 5)),
    *(Row(f"DPRSE, K = {k}", "eps = 1", lambda T, k=k: DPRSE(k, T, 1.0, 1.0, 1.0), LARGEST) for k in (2, 5)),
    *(Row(f"AdaP-UCB, K = {k}", "eps = 1", lambda T, k=k: AdaPUCB(k, T, 1.0)) for k in (2, 3, 5)),
    *(Row(f"Anytime-Lazy-UCB, K = {k}", "eps = 1", lambda T, k=k: AnytimeLazyUCB(k, T, 1.0)) for k in (2, 3, 5)),
    *(
        Row(
            f"DPRUCB, whole levels, K = {k}",
            "eps = 1",
            lambda T, k=k: with_whole_levels(arms=k, horizon=T, eps=1.0, v=1.0, u=1.0),
        )
        for k in (2, 5)
    ),
    *(Row(f"local Laplace noise, K = {k}", "eps = 1", lambda T, k=k: LocalNoise(k, T)) for k in (2, 3, 5)),
    Row("local normal noise, K = 2", "mu = 1", lambda T: LocalNoise(2, T, "normal")),
    Row("Thompson sampling, K = 2", "", lambda T: ThompsonSampling(2, T)),
]


def timed(policy: Any) -> tuple[Alignment, float]:
    start = time.process_time()
    found = merged_bound(policy, EFFORT)
    return found, time.process_time() - start


def largest_horizon(row: Row, seconds: float) -> tuple[int, Alignment, float] | None:
    """The largest horizon tried that takes at most so long, what was found there, and how long it took."""
    best, failed, horizon = None, LARGEST + 1, row.first
    while horizon < failed:
        found, took = timed(row.made(horizon))
        if found.outcome is Outcome.BOUND and took <= seconds:
            best = horizon, found, took
            horizon = min(4 * horizon, LARGEST) if failed > LARGEST else failed * 3 // 4
        else:
            failed = horizon
            horizon = failed // 2
        if best is not None and horizon <= best[0]:
            break
    return best


def size_text(found: Alignment) -> str:
    """The size of the certificate, and whether the checker takes one of this size."""
    assert found.merged is not None
    certificate = merged_certificate(found.merged, "bench/alignment", found.cost)
    kilobytes = f"{len(json.dumps(certificate)) // 1000} kB"
    try:
        require_schema(certificate)
    except Rejected:
        return f"{kilobytes}, too large"
    return kilobytes


def main(seconds: float = SECONDS) -> None:
    print("| policy | T | bound | noise made for | CPU s | states | transitions | certificate |")
    print("|---|---|---|---|---|---|---|---|")
    for row in ROWS:
        best = largest_horizon(row, seconds)
        if best is None:
            print(f"| {row.name} | none | | {row.claim} | | | | |", flush=True)
            continue
        horizon, found, took = best
        merged = found.merged
        assert merged is not None
        name, value = (
            ("mu", root_rounded_up(found.cost)) if found.noise == "normal" else ("eps", rounded_up(found.cost))
        )
        print(
            f"| {row.name} | {f'{horizon:,}'.replace(',', ' ')} | {name} <= {value:.4g} | {row.claim} | {took:.1f} | "
            f"{len(merged.nodes)} | {found.paths} | {size_text(found)} |",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
