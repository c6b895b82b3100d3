"""What the coarser grids of the threshold game cost and save, setting by setting.

The first answer about a long run has a grid that is coarser in two ways: in the ratios (COARSE_FINENESS) and in the
pull counts (COARSE_COUNTS). For each choice: the processor seconds, and the certified eps. With `--epochs`: the same
with and without a coarse grid before the fine one, of each epoch of DP-TS-UCB (FIRST_GRID_COARSENING). A factor of 1 is
the fine grid at once.

Run as `python bench/coarser_games.py [T] [--epochs]`: T = 1000 takes half a minute.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Callable
from math import ceil, log

from dpbandits import Sampler
from dpbandits.extensions.thompson import answers, bound, epochs

DELTA = 1e-6


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("horizon", type=int, nargs="?", default=1000)
    parser.add_argument("--epochs", action="store_true")
    asked = parser.parse_args()
    bound.certified_curve(Sampler(asked.horizon // 2, 2), "pull", DELTA / 1000)  # compiles
    (print_epochs if asked.epochs else print_first_answers)(asked.horizon)


def print_first_answers(horizon: int) -> None:
    """A row for each choice of the grid of a first answer."""
    print("| fineness | counts | s | eps |\n|--:|--:|--:|--:|")
    for fineness in (1.0, answers.COARSE_FINENESS):
        for counts in (bound.COUNTS, answers.COARSE_COUNTS):
            measured = row(
                lambda f=fineness, c=counts: bound.certified_curve(Sampler(horizon, 2), "pull", DELTA / 1000, f, c)
            )
            print(f"| {fineness:g} | {counts:g} | {measured} |", flush=True)


def print_epochs(horizon: int) -> None:
    """A row for each factor by which the first grid of an epoch of DP-TS-UCB is coarser."""
    print("| factor | s | eps |\n|--:|--:|--:|")
    game = epochs.Epochs(horizon, log(horizon), 2)  # alpha = 1
    for factor in (1.0, epochs.FIRST_GRID_COARSENING):
        epochs.FIRST_GRID_COARSENING = factor
        measured = row(lambda: epochs.epochs_curve(game, DELTA / 10, deltas=[DELTA]))
        print(f"| {factor:g} | {measured} |", flush=True)


def row(certified: Callable[[], bound.Upper]) -> str:
    """The processor seconds of a bound, and its eps at DELTA, rounded up."""
    start = time.process_time()
    eps = certified().eps(DELTA)
    return f"{time.process_time() - start:.1f} | {ceil(100 * eps) / 100:.2f}"


if __name__ == "__main__":
    main()
