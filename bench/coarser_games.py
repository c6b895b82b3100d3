"""What the coarser grids of the threshold game cost and save, setting by setting.

The first answer about a long run has a grid that is coarser in two ways: in the ratios (COARSE_FINENESS) and in the
pull counts (COARSE_COUNTS). For each choice: the processor seconds, and the certified eps.

Run as `python bench/coarser_games.py [T]`: T = 1000 takes half a minute.
"""

from __future__ import annotations

import sys
import time
from math import ceil

from dpbandits import Sampler
from dpbandits.extensions.thompson import answers, bound

DELTA = 1e-6


def main() -> None:
    horizon = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    bound.certified_curve(Sampler(horizon // 2, 2), "pull", DELTA / 1000)  # compiles
    print("| fineness | counts | s | eps |\n|--:|--:|--:|--:|")
    for fineness in (1.0, answers.COARSE_FINENESS):
        for counts in (bound.COUNTS, answers.COARSE_COUNTS):
            start = time.process_time()
            eps = bound.certified_curve(Sampler(horizon, 2), "pull", DELTA / 1000, fineness, counts).eps(DELTA)
            print(
                f"| {fineness:g} | {counts:g} | {time.process_time() - start:.1f} | {ceil(100 * eps) / 100:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
