"""What a few trials show without statistics: releases that happen always on one side and never on the other.

A tell is no verdict: it says which pair to play anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpbandits.audit.play.transcripts import Transcripts, spelt_out
from dpbandits.audit.scores.contexts import Words, mixed, symbols
from dpbandits.reference.noise import Array

STEPS = 64  # of a run that are compared one by one, spread over it
PREFIXES = 12  # lengths of prefixes that are compared


class Mark(NamedTuple):
    """How two sides differ. tell: what differs for certain, in words. deviations: the largest difference of a
    released feature's means, in standard deviations of this difference."""

    tell: str
    deviations: float


def told_apart(left: Transcripts, right: Transcripts) -> Mark:
    """Compare the same number of trials on either side, padded alike."""
    steps = left.arms.shape[1]
    if not steps:
        return Mark("", 0.0)
    places = np.unique(np.linspace(0, steps - 1, min(steps, STEPS)).round().astype(int))
    counts = [spelt_out(side, side.counts.shape[2]) for side in (left, right)]
    deviations, tell = 0.0, ""
    for what, sides in (("releases", counts), ("has released so far", [np.cumsum(c, axis=1) for c in counts])):
        one, other = (side[:, places].astype(np.float64) for side in sides)
        fixed = (one == one[:1]).all(axis=0) & (other == other[:1]).all(axis=0)
        apart = fixed & (one[0] != other[0])
        if apart.any() and not tell:
            place, arm = (int(i) for i in np.argwhere(apart)[0])
            tell = f"what step {places[place] + 1} {what} of arm {arm} is certain on either side, and differs"
        deviations = max(deviations, float(distance(one, other).max()))
    return Mark(tell or prefix_tell(left, right), deviations)


def distance(one: Array, other: Array) -> Array:
    """How many standard deviations the means over trials are apart."""
    trials = len(one)
    # Half a trial's worth of variance keeps a feature that hardly ever varies from looking certain.
    spread = one.var(axis=0) + other.var(axis=0) + 0.5 / trials
    return np.asarray(np.abs(one.mean(axis=0) - other.mean(axis=0)) / np.sqrt(spread / trials))


def prefix_tell(left: Transcripts, right: Transcripts) -> str:
    """Whether the first steps together tell the sides apart for certain, where no single step does."""
    words = [symbols(side) for side in (left, right)]
    few = left.trials // 4  # more different prefixes than these are different by chance
    for length in range(2, min(words[0].shape[1], PREFIXES) + 1):
        one, other = (np.unique(folded(side[:, :length])) for side in words)
        if len(one) + len(other) > few:
            return ""
        if not np.isin(one, other).any():
            return f"no run's first {length} steps are the same on both sides"
    return ""


def folded(words: Words) -> Words:
    """One word for each row, which depends on the order."""
    out = np.zeros(len(words), dtype=np.uint64)
    for step in range(words.shape[1]):
        out = mixed(out * np.uint64(3) + words[:, step] + np.uint64(step))
    return out
