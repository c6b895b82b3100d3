"""Laws of selections: how far off, beside what they say of themselves, and what a state costs.

Random centres, scales and widths, gaps up to 500 scales, against 50 digits (`tests/selection_twins.py`). `--points N`
for a wider sweep. The table says for each kind and number of arms: the largest error of a logarithm, the largest stated
one, the largest ratio of the two (above 1 is a bug, and the script fails), and processor time for a state's law.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import mpmath
import numpy as np

from dpbandits.reference.bandits.release_laws.selections import LAPLACE, NORMAL, Chances, argmax, survivors, top

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from selection_twins import DIGITS, selected

STATES = 200


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=10, help="random states for each row (default 10)")
    points = parser.parse_args().points
    generator = np.random.default_rng(0)
    print("kind     arms  largest error  largest stated  largest ratio")
    failed = False
    with mpmath.workdps(DIGITS):
        for kind in (NORMAL, LAPLACE):
            for arms in (2, 3, 4, 5):
                rows = np.array([one(kind, arms, generator) for _ in range(points)])
                ratio = float((rows[:, 0] / rows[:, 1]).max())
                failed |= ratio > 1
                print(f"{kind.name:8} {arms:4}  {rows[:, 0].max():13.2g}  {rows[:, 1].max():14.2g}  {ratio:13.2g}")
    print("\nmicroseconds a state: argmax, all sets of survivors (up to 5 arms)")
    for kind in (NORMAL, LAPLACE):
        for arms in (2, 3, 5, 10, 20):
            centres = generator.uniform(0, 20, (STATES if arms <= 5 else STATES // 10, arms))
            scales = generator.uniform(0.5, 2, centres.shape)
            cost = [seconds(lambda c=centres, s=scales, k=kind: argmax(k, c, s))]
            if arms <= 5:
                cost.append(seconds(lambda c=centres, s=scales, k=kind: survivors(k, c, s, 3.0)))
            print(f"{kind.name:8} {arms:4}  " + "  ".join(f"{1e6 * each / len(centres):8.0f}" for each in cost))
    return int(failed)


def one(kind, arms, generator) -> tuple[float, float]:
    """The error of a random outcome's logarithm at a random state, and the stated one."""
    centres = generator.uniform(0, generator.choice([1, 10, 100]), arms)
    scales = generator.uniform(0.2, 1, arms) if generator.random() < 0.7 else np.ones(arms)
    chosen = np.zeros((1, arms), dtype=bool)
    chosen[0, generator.permutation(arms)[: generator.integers(1, arms)]] = True
    law: Chances
    width = None
    if generator.random() < 0.5:
        law = top(kind, [centres], scales, int(chosen.sum()), chosen)
    else:
        width = float(10 ** generator.uniform(-3, 1.5))
        law = survivors(kind, [centres], scales, width, chosen)
    exact = mpmath.log(selected(kind, centres, scales, chosen[0], width))
    return abs(float(mpmath.mpf(float(law.log[0, 0])) - exact)), float(law.error[0, 0])


def seconds(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
