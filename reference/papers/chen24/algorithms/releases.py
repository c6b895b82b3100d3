"""Laws of releases that are sets of arms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.bandits.policy import RELATIVE, Ints, Law
from dpbandits.reference.bandits.release_laws.selections import Chances

Part = tuple[NDArray[np.intp], Ints, Chances]  # some trials, and the counts and chances of their outcomes
FAINTEST = 1e-300  # what a double cannot tell from 0 any more


def certain(counts: Ints) -> Law:
    """The law of a release that is certain, counts (m, arms)."""
    return Law(counts[:, None, :], np.ones((len(counts), 1)), None, 0.0)


def assembled(many: int, arms: int, parts: list[Part]) -> Law:
    """One law of trials with outcomes of their own. A chance that is lost in a double is in the absolute error."""
    width = max(len(counts) for _, counts, _ in parts)
    counts, chance, error, absolute_error = (
        np.zeros((many, width, arms), dtype=np.int64),
        np.zeros((many, width)),
        0.0,
        0.0,
    )
    for trials, mine, kept in parts:
        counts[trials[:, None], np.arange(len(mine))] = mine
        chance[trials[:, None], np.arange(len(mine))] = kept.chance
        error = max(error, float(kept.error.max()))
        absolute_error = FAINTEST if (kept.chance < FAINTEST).any() else absolute_error
    return Law(counts, chance, None, max(error, RELATIVE), absolute_error)
