"""What the tests of policies with hidden noisy means share."""

from __future__ import annotations

import numpy as np
from fits import chi_square

from dpbandits import Seeded, Table, flipped, play
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts
from dpbandits.proofs_checks.papers.by_comparisons import ByComparisons

HORIZON = 8


def rewards(arms=3, horizon=200, seed=0):
    """Dyadic rewards, whose sums are exact, of arms that are close together."""
    base = np.array([[0.6], [0.5], [0.4]])[:arms]
    return np.floor(256 * (base + np.random.default_rng(seed).random((arms, horizon)) / 4)) / 256


TABLES = {"close": Table(rewards()), "other": Table(rewards(seed=4)[::-1].copy())}


def fit(policy, reference, trials=20_000):
    """The p-value of the policy's whole releases, under the reference's exact law."""
    pair = flipped("pull", rewards(2, reference.horizon), 0, 0, 1.0)
    found = enumerate_transcripts(ByComparisons(reference), pair)
    played = play(policy, Table(pair.left), Seeded(7, trials), trials)
    steps = max(found.released.shape[1], played.released.shape[1])
    wanted, seen = (
        [row.tobytes() for row in np.pad(each, ((0, 0), (0, steps - each.shape[1]), (0, 0)))]
        for each in (found.released, played.released)
    )
    places = {row: place for place, row in enumerate(wanted)}
    counts = np.bincount([places.get(row, len(wanted)) for row in seen], minlength=len(wanted) + 1)
    return 0.0 if counts[-1] else chi_square(counts[:-1], trials * found.left)
