"""Seconds of `dpbandits compare` at T = 10 000, and whether the committed front agrees with what papers' figures show.

The question is the default one: five arms, eps = 1, delta = 1e-6, 400 runs on three families, two processes. A figure
is held against the front at the eps nearest to its own, on all families: the order of two policies is certified there,
certified the other way round, or neither. The papers' arms and horizons are others: an order that differs refutes no
figure.

Run as `python bench/comparisons.py`: about two minutes; with --figures the second part alone, at once.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from dpbandits.extensions.comparison.asking import Question, compare_policies

FRONT = Path(__file__).parents[1] / "docs" / "comparison" / "front.json"
TS = "TS, pre-pulls and variance by Theorem 4"
FIGURES = (  # who prints it; eps of the figure; who is better, than whom, by its words
    ("ou24, Figure 8 (arXiv), T = 100 000", 4.88, "Anytime-Lazy-UCB", "DP-SE"),
    ("ou24, Figure 8 (arXiv), T = 100 000", 4.88, "Anytime-Lazy-UCB", TS),
    ("ou24, Figure 8 (arXiv), T = 100 000", 35.57, "Anytime-Lazy-UCB", "DP-SE"),
    ("ou24, Figure 8 (arXiv), T = 100 000", 35.57, TS, "Anytime-Lazy-UCB"),
    ("tao22, Section 6, heavy tails", 1.0, "DPRSE", "DPRUCB"),
)


def figures(comparisons: list[dict[str, Any]]) -> None:
    at_one_horizon = [one for one in comparisons if one["horizon"] == 3000]
    for where, eps, better, worse in FIGURES:
        one = min(at_one_horizon, key=lambda each: abs(each["eps"] - eps) / (each["eps"] + eps))
        told = []
        for family in one["families"]:
            found = {(order["better"], order["worse"]) for order in one["orders"] if order["family"] == family["name"]}
            word = "certified" if (better, worse) in found else "the other way" if (worse, better) in found else "open"
            told.append(f"{family['name']}: {word}")
        print(f"{where}, eps = {eps:g} (here {one['eps']:g}): {better} < {worse}: {'; '.join(told)}")


def main(arguments: list[str]) -> None:
    if arguments != ["--figures"]:
        start = time.perf_counter()
        found = compare_policies(Question(5, 10_000, 1.0, 1e-6), jobs=2)
        print(f"{time.perf_counter() - start:.0f} s for {len(found.measured)} rows of {found.runs} runs")
        print(found.advice.sentence)
    figures(json.loads(FRONT.read_text("utf-8"))["comparisons"])


if __name__ == "__main__":
    main(sys.argv[1:])
