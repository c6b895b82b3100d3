"""What Thompson sampling is known to lose in 10 000 rounds: two tables for each delta, found by ascent, certified here.

Two arms, unit variance, no pre-pulls; one reward changed, the first of arm 0, from 0 to 1. attacks.json holds the
tables in runs of equal rewards (how many, how many 1024ths), those of arm 0 as far as its pulls are followed. How they
were found does not matter: `attack` evaluates them for itself, and no smaller eps than the one it prints is private.

Run as `python bench/attacks.py` (some processor minutes); with --bound also what nobody exceeds, by `certified_curve`
for each delta (two minutes more for each, with numba).
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from dpbandits.extensions.thompson.attack import attack
from dpbandits.extensions.thompson.bound import certified_curve
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.reference.bandits.adjacency import flipped

SAMPLER = Sampler(10_000, 2)
UNIT = 1 / 1024
STEP = 0.025  # a step of 0.05 shows 0.03 less at delta = 1e-3


def main(arguments: list[str]) -> None:
    found = []
    for table in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")):
        start = time.process_time()
        rewards = np.array([np.repeat([v for _, v in row], [n for n, _ in row]) for row in table["rewards"]]) * UNIT
        pair = flipped("pull", rewards, 0, 0, 1.0)
        eps = attack(SAMPLER, pair, STEP, table["levels"], (-12.0, table["reach"])).eps(table["delta"])
        found.append((table["delta"], eps))
        print(f"delta = {table['delta']:g}: eps >= {eps:.3f}, {time.process_time() - start:.0f} s", flush=True)
    for delta, eps in found if arguments == ["--bound"] else ():
        start = time.process_time()
        most = certified_curve(SAMPLER, smallest=delta / 1000).eps(delta)  # as the command asks
        seconds = time.process_time() - start
        print(f"delta = {delta:g}: eps <= {most:.3f}, {most / eps:.4f} times the attack, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
