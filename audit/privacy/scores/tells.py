"""What a few trials show without statistics: releases that happen always on one side and never on the other.

A tell is no verdict: it says which pair to play anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpbandits.audit.play.transcripts import Transcripts, spelt_out
from dpbandits.audit.privacy.scores.contexts import Words, mixed, symbols
from dpbandits.reference.bandits.noise import Array

MAX_COMPARED_STEPS = 64  # of a run that are compared one by one, spread over it
PREFIXES = 12  # lengths of prefixes that are compared
MAX_COMPARED_COUNTS = 2**20  # pull counts that are compared at once, about


class Mark(NamedTuple):
    """How two sides differ. tell: what differs for certain, in words. deviations: the largest difference of a
    released feature's means, in standard deviations of this difference."""

    tell: str
    deviations: float


def told_apart(left: Transcripts, right: Transcripts, pairs: int = 1) -> list[Mark]:
    """Compare the same number of trials on either side, padded alike, for each of so many pairs: a trial is one of the
    pair that its number is, modulo their number."""
    steps = left.arms.shape[1]
    if not steps:
        return [Mark("", 0.0)] * pairs
    most = max(1, MAX_COMPARED_COUNTS // max(1, left.trials // pairs * steps * left.counts.shape[2]))
    if pairs <= most:
        return marks(left, right, pairs)
    block, found = np.arange(left.trials) % pairs // most, []
    for number in range(-(-pairs // most)):
        one, other = (Transcripts(*(part[block == number] for part in side)) for side in (left, right))
        found += marks(one, other, min(most, pairs - number * most))
    return found


def marks(left: Transcripts, right: Transcripts, pairs: int) -> list[Mark]:
    """The marks of as many pairs as are compared at once."""
    steps = left.arms.shape[1]
    places = np.unique(np.linspace(0, steps - 1, min(steps, MAX_COMPARED_STEPS)).round().astype(int))
    counts = [spelt_out(side, arms := side.counts.shape[2]).reshape(-1, pairs, steps, arms) for side in (left, right)]
    tells, deviations = [""] * pairs, np.zeros(pairs)
    for what, sides in (("releases", counts), ("has released so far", [np.cumsum(c, axis=2) for c in counts])):
        one, other = (side[:, :, places].astype(np.float64) for side in sides)
        fixed = (one == one[:1]).all(axis=0) & (other == other[:1]).all(axis=0)
        for pair, step, arm in np.argwhere(fixed & (one[0] != other[0])).tolist():
            tells[pair] = tells[pair] or (
                f"what step {places[step] + 1} {what} of arm {arm} is certain on either side, and differs"
            )
        deviations = np.maximum(deviations, distance(one, other).max(axis=(1, 2)))
    unsure = [pair for pair, tell in enumerate(tells) if not tell]
    words = [symbols(side).reshape(-1, pairs, steps)[:, unsure] for side in (left, right)]
    for pair, tell in zip(unsure, prefix_tells(*words), strict=True):
        tells[pair] = tell
    return [Mark(tell, float(size)) for tell, size in zip(tells, deviations, strict=True)]


def distance(one: Array, other: Array) -> Array:
    """How many standard deviations the means over trials are apart."""
    trials = len(one)
    # Half a trial's worth of variance keeps a feature that hardly ever varies from looking certain.
    spread = one.var(axis=0) + other.var(axis=0) + 0.5 / trials
    return np.asarray(np.abs(one.mean(axis=0) - other.mean(axis=0)) / np.sqrt(spread / trials))


def prefix_tells(left: Words, right: Words) -> list[str]:
    """Whether the first steps together tell the sides apart for certain, where no single step does: of each pair,
    whose releases are (trials, pairs, steps)."""
    few = len(left) // 4  # more different prefixes than these are different by chance
    tells = [""] * left.shape[1]
    some = np.arange(left.shape[1])
    nothing = np.zeros(left.shape[:2], dtype=np.uint64)
    prefixes = [folded(nothing, side[:, :, :1]) for side in (left, right)]
    for length in range(2, min(left.shape[2], PREFIXES) + 1):
        steps = (side[:, some, length - 1 : length] for side in (left, right))
        prefixes = [folded(past, step, length - 1) for past, step in zip(prefixes, steps, strict=True)]
        ordered = [np.sort(side, axis=0) for side in prefixes]
        distinct = sum(1 + (side[1:] != side[:-1]).sum(axis=0) for side in ordered)
        going = distinct <= few
        for place in np.flatnonzero(going).tolist():
            if not np.isin(ordered[0][:, place], ordered[1][:, place]).any():
                tells[some[place]] = f"no run's first {length} steps are the same on both sides"
                going[place] = False
        some, prefixes = some[going], [side[:, going] for side in prefixes]
        if not some.size:
            break
    return tells


def folded(past: Words, words: Words, first: int = 0) -> Words:
    """One word for what was released before, (...), and in these steps, (..., steps), the first of which has this
    number: it depends on the order."""
    for step in range(words.shape[-1]):
        past = mixed(past * np.uint64(3) + words[..., step] + np.uint64(first + step))
    return past
