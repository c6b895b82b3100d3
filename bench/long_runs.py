"""What long runs in few steps cost: DP-SE at T = 1e8, whose tables stand in runs.

Processor seconds for all candidate pairs, and for 1000 runs on the first one's left table; peak memory of the process.
Run as `python bench/long_runs.py`; each number of arms has its own process.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

HORIZON, TRIALS = 10**8, 1000
ARMS = (2, 5, 20)


def measure(arms: int) -> str:
    from dpbandits.audit.privacy.search.pairs import candidates
    from dpbandits.reference.bandits.noise import Seeded
    from dpbandits.reference.bandits.play import play
    from dpbandits.reference.papers.sajed19 import DPSE

    policy = DPSE(arms, HORIZON, 1.0)
    play(policy, candidates(policy, "pull")[0].environments()[0], Seeded(0, 1), 1)  # what is imported on the way
    start = time.process_time()
    pairs = candidates(policy, "pull")
    looked = time.process_time()
    played = play(policy, pairs[0].environments()[0], Seeded(0, TRIALS), TRIALS)
    ended = time.process_time()
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    steps = played.released.shape[1]
    return f"{arms:4d} {len(pairs):6d} {looked - start:10.3f} {steps:6d} {ended - looked:10.3f} {megabytes:6.0f}"


def main(arguments: list[str]) -> None:
    if arguments:
        print(measure(int(arguments[0])))
        return
    print(f"DP-SE, T = {HORIZON:.0e}, {TRIALS} runs")
    print(f"{'arms':>4} {'pairs':>6} {'s, pairs':>10} {'steps':>6} {'s, runs':>10} {'MB':>6}", flush=True)
    for arms in ARMS:
        subprocess.run([sys.executable, __file__, str(arms)], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
