"""Goodness of fit: does a policy behave as the law it declares? The exact engine trusts the law, so this must.

Given the transcripts so far, the arms that trials in the same state release next are independent draws from the
law of this state: the number of trials that release an arm is binomial. Every step's most visited states are
tested, each arm from both sides, at levels that add up to the whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from dpbandits.audit.play.transcripts import Transcripts
from dpbandits.audit.scores.distinguishers import visits
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.policy import HasLaw

FIT = 0.2  # the share of an audit's risk that the goodness of fit spends; the certified points get the rest
STATES = 8  # tested in each step, the most visited first
SLACK = 1e-12  # what a law's probability may be wrong by numerically (argmax_law states 1e-13)


class Misfit(NamedTuple):
    """The most striking cell: in this step and state, an arm came far more or less often than its law says."""

    step: int
    visits: int
    arm: int
    observed: float
    declared: float
    chance: float  # of a count at least as extreme, before the correction for many cells


def misfit(policy: HasLaw, pair: Pair, seen: Transcripts, level: float) -> Misfit | None:
    """The worst cell that the law cannot explain, or None. seen: transcripts from the pair's left table, released
    in the form that `scores.fits_law` demands. A law that is right gives None with probability >= 1 - level."""
    worst: Misfit | None = None
    share = level / (seen.arms.shape[1] * STATES * policy.arms * 2)
    for visit in visits(policy, pair, seen.arms):
        cells = len(visit.left_law) * policy.arms
        edges = visit.node * policy.arms + seen.arms[:, visit.step - 1]
        counts = np.bincount(edges, minlength=cells).reshape(-1, policy.arms)
        visited = counts.sum(axis=1)
        most = np.argsort(-visited, kind="stable")[:STATES]
        hits, of, law = counts[most], visited[most][:, None], visit.left_law[most]
        many = binom.sf(hits - 1, of, np.clip(law + SLACK, 0, 1))
        few = binom.cdf(hits, of, np.clip(law - SLACK, 0, 1))
        chance = np.minimum(many, few)
        state, arm = np.unravel_index(int(chance.argmin()), chance.shape)
        if chance[state, arm] < min(share, worst.chance if worst else 1.0):
            trials = int(of[state, 0])
            observed, declared = float(hits[state, arm] / trials), float(law[state, arm])
            worst = Misfit(visit.step, trials, int(arm), observed, declared, float(chance[state, arm]))
    return worst
