"""What the exact engine costs: seconds, peak memory and the certified gap on pairs of Algorithm 1.

clear-cut: arm 0 pays 0, arm 1 pays 1. all zero: both pay 0. In either, the first reward of arm 0 is changed to 1.
three: all zero with three arms, on a grid three times as coarse. stream: rewards are 0 and 1 at random, and the first
round pays the opposite.

Run as `python bench/exact_profile.py [--long]`. Each case has its own process, and so its own peak memory.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

CASES = [(name, horizon, "shallow") for name in ("clear-cut", "all zero") for horizon in (100, 200, 500, 1000, 2000)]
CASES += [("all zero", horizon, "deep") for horizon in (100, 200, 500, 1000)]
CASES += [("clear-cut", 10_000, "shallow"), ("stream", 30, "shallow"), ("stream", 50, "shallow")]
CASES += [("three", 60, "shallow"), ("three", 200, "shallow")]
GRIDS = {("all zero", 2000): 0.007}  # finer, where the gap at 0.01 is above 1 %
LONG = [
    ("three", 100, "shallow"),
    ("clear-cut", 1000, "deep"),
    ("clear-cut", 2000, "deep"),
]
HEADER = f"{'pair':10} {'T':>6} {'pass':8} {'seconds':>8} {'MB':>6} {'gap':>9}  eps(1e-6)              mu"


def measure(name: str, horizon: int, kind: str) -> str:
    from dpbandits.proofs_checks.exact.engine import exact_profile
    from dpbandits.reference.bandits.adjacency import Pair, flipped
    from dpbandits.reference.papers.ou24 import ALGORITHM_1

    arms, grid = (3, 0.03) if name == "three" else (2, GRIDS.get((name, horizon), 0.01))
    rewards = np.zeros((arms, horizon))
    rewards[1] = name == "clear-cut"
    pair = flipped("pull", rewards, 0, 0, 1.0)
    if name == "stream":
        rewards = np.random.default_rng(1).integers(0, 2, rewards.shape).astype(float)
        pair = Pair("round", rewards, np.concatenate([1 - rewards[:, :1], rewards[:, 1:]], axis=1))
    start = time.process_time()
    profile = exact_profile(ALGORITHM_1(arms, horizon), pair, grid, deep=kind == "deep")
    seconds = time.process_time() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    low, high = profile.delta(np.linspace(0, profile.eps(1e-6)[0], 200))
    (eps_low, eps_high), (mu_low, mu_high) = profile.eps(1e-6), profile.mu()
    gap = float(((high - low) / high).max())
    return (
        f"{name:10} {horizon:6d} {kind:8} {seconds:8.2f} {megabytes:6.0f} {gap:9.2e}  "
        f"[{eps_low:.4f}, {eps_high:.4f}]  [{mu_low:.5f}, {mu_high:.5f}]"
    )


def main(arguments: list[str]) -> None:
    if len(arguments) == 3:
        print(measure(arguments[0], int(arguments[1]), arguments[2]))
        return
    print("gap: the largest (high - low)/high of delta(eps) where delta >= 1e-6")
    print(HEADER)
    for case in CASES + (LONG if "--long" in arguments else []):
        subprocess.run([sys.executable, __file__, *map(str, case)], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
