"""How much of Lemma 3's sqrt(T/2) Algorithm 1 really spends: claims of ours, next to the paper's."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.ledger import PROVED, Claim, Prose, Source
from dpbandits.reference.neighbours import Pair, flipped

HORIZONS = (10, 20, 50, 100)
LONGER = (200, 500, 1000)  # where the effort allows it
# What arms 0 and 1 pay, and what the first reward of arm 0 becomes: the worst constant tables that a search found.
CONSTANT = {"both pay 0": (0.0, 0.0, 1.0), "both pay 1": (1.0, 1.0, 0.0), "arm 0 pays 0, arm 1 pays 1": (0.0, 1.0, 1.0)}


def constant_pair(name: str, horizon: int) -> Pair:
    """Two arms that always pay the same, and the neighbour in which the first reward of arm 0 is another."""
    first, second, becomes = CONSTANT[name]
    return flipped("pull", np.array([[first] * horizon, [second] * horizon]), 0, 0, becomes)


ATTAINED: tuple[Claim, ...] = (
    Claim(
        "ou24/lemma-3/attained",
        Source("ou24", "Lemma 3 (arXiv: Lemma 4), how tight it is", "satisfies sqrt(T/2)-GDP"),
        Prose(
            f"two arms, T = {', '.join(map(str, HORIZONS))}: 0.4 sqrt(T) <= mu, for the exact mu of the released arms "
            "on the worst pair of tables found"
        ),
        reading="ours: sqrt(T/2) = 0.707 sqrt(T) is too large by a factor below 1.78 for T >= 10",
        expect=PROVED,
        note="The largest mu is found where both arms pay 0 and the first reward of arm 0 becomes 1. There the "
        "transcript 'arm 0 once, then arm 1 for ever' has log-probabilities -T log 2 and T log Phi(-1/sqrt 2) to first "
        "order, which alone makes mu/sqrt(T) tend to at least sqrt(-2 log Phi(-1/sqrt 2)) - sqrt(2 log 2) = 0.512. So "
        "the growth like sqrt(T) is real, but it sits at delta near 2^-T, out of reach of any sampling. At delta = "
        "1e-3 or 1e-6 the true eps grows much more slowly: see the table.",
    ),
)
