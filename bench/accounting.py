"""Thompson sampling's privacy for an accountant: how long an answer takes, how sharp it is, and what it replaces.

Two arms, c = 1, b = 0, one pull changed. For each question the seconds of the kept answer and what it says; with
--exact also those of computing it. Then a composition: Thompson sampling beside a Gaussian of the same noise, by
Theorem 3 and by the kept curve, where dp_accounting is installed (`make accounting` installs it).

Run as `python bench/accounting.py`: a second; with --exact some minutes.
"""

from __future__ import annotations

import sys
import time
from decimal import ROUND_CEILING, Decimal

from dpbandits import Sampler, thompson_privacy
from dpbandits.games import loss_distribution, tabled_curve

HORIZONS = (100, 200, 300, 500, 1000)
DELTAS = (1e-3, 1e-6, 1e-9)
COMPOSED = ((Sampler(1000, 2), 0.5), (Sampler(200, 2, 0, 64.0), 4.0))  # beside a Gaussian of this deviation


def timed(sampler: Sampler, delta: float, exact: bool) -> str:
    start = time.process_time()
    found = thompson_privacy(sampler, delta, exact=exact)
    taken = time.process_time() - start
    ratio = found.certified / found.attack
    bound = Decimal(str(found.certified)).quantize(Decimal("0.01"), ROUND_CEILING)  # an upper bound is rounded up
    return f"{taken:6.3f} | {bound:7} | {found.attack:7.2f} | {ratio:5.3f} | {found.theorem:7.1f}"


def composed() -> None:
    from dp_accounting.pld import privacy_loss_distribution as known

    interval = 1e-3
    for sampler, deviation in COMPOSED:
        curve = tabled_curve(sampler)
        assert curve is not None
        beside = known.from_gaussian_mechanism(deviation, value_discretization_interval=interval)
        paper = known.from_gaussian_mechanism(1 / sampler.theorem_mu, value_discretization_interval=interval)
        start = time.process_time()
        ours = loss_distribution(curve, interval).compose(beside).get_epsilon_for_delta(1e-6)
        taken = time.process_time() - start
        theirs = paper.compose(beside).get_epsilon_for_delta(1e-6)
        alone = beside.get_epsilon_for_delta(1e-6)
        print(
            f"T = {sampler.horizon}, c = {sampler.variance:g} beside a Gaussian of deviation {deviation:g} "
            f"(alone {alone:.2f}): "
            f"eps = {ours:.2f}; by the theorem {theirs:.2f}; {taken:.2f} s"
        )


def main(arguments: list[str]) -> None:
    print("T, delta: seconds | certified | attack | ratio | theorem")
    for horizon in HORIZONS:
        for delta in DELTAS:
            for exact in (False, True) if arguments == ["--exact"] else (False,):
                told = "computed" if exact else "kept"
                print(f"{horizon:5d} {delta:g} {told:>8} | {timed(Sampler(horizon, 2), delta, exact)}", flush=True)
    try:
        composed()
    except ImportError:
        print("dp_accounting is not installed: make accounting")


if __name__ == "__main__":
    main(sys.argv[1:])
