"""Rewards between the ends, for a policy that says its law: what the law makes of each value, each place, each level.

The pairs are those of `between`. Where releases are drawn, a pair whose sides differ seldom looks like one whose sides
do not differ; by the law, every run that meets the difference shows it, however small it is. So a run of each pair on
either side is enough to see which values stand out, and the exact engine is asked about few of them.
"""

from __future__ import annotations

from functools import partial
from math import ceil, inf
from typing import Any

import numpy as np

from dpbandits.audit.play.transcripts import Transcripts, stacked
from dpbandits.audit.privacy.scores.distinguishers import scores_of_pairs
from dpbandits.audit.privacy.search.between import rows_apart, rows_between, standing_out
from dpbandits.audit.privacy.search.players import Player
from dpbandits.audit.privacy.search.search import pick_from_rows
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.bandits.passing import copy_state
from dpbandits.reference.bandits.policy import HasLaw
from dpbandits.reference.bandits.release_laws.checked import checked_law

ODD_PAIR_STEPS = 10_000  # that the runs of all pairs with rewards between the ends take on either side, about
STATES = 200_000  # pairs of arms in states whose law is asked for, about: some tenths of a second
OUTCOMES = 4096  # of states whose law is asked for, where it lists many, about: some seconds
MIN_WEIGHED_STEPS = 3  # steps of a run that are weighed, at least


def odd_by_law(policy: HasLaw, relation: str, seed: int) -> list[Pair]:
    """The pairs that the law tells apart further than those beside them, and those that it tells apart furthest, in
    turn; at most twice `between.TOP` of them, the most telling first."""
    rows, _ = rows_between(policy, relation, ODD_PAIR_STEPS // policy.horizon, seed)
    return outstanding(policy, rows, address(seed, "between, by law"))


def apart_by_law(policy: HasLaw, relation: str, seed: int) -> list[Pair]:
    """Pairs in which an arm moves against the others that the law tells apart further than those beside them, and
    furthest, in turn."""
    return outstanding(
        policy, rows_apart(policy, relation, ODD_PAIR_STEPS // policy.horizon), address(seed, "apart, by law")
    )


def outstanding(policy: HasLaw, rows: list[list[Pair]], seed: int) -> list[Pair]:
    """The pairs that stand out in their rows, by the law."""
    return pick_from_rows(thin_rows(rows, affordable_pairs(policy)), partial(marks_by_law, policy, seed), standing_out)


def affordable_pairs(policy: HasLaw) -> float:
    """How many pairs the law is asked about: all, unless it lists more outcomes than there are arms, as selections do,
    each of them an integral or several."""
    outcomes = checked_law(policy, 1, copy_state(policy.init(1)), 1).counts.shape[1]
    return OUTCOMES / outcomes if outcomes > policy.arms else inf


def thin_rows(rows: list[list[Pair]], most: float) -> list[list[Pair]]:
    """So many of the pairs, about: evenly from every row."""
    stride = max(1, ceil(sum(map(len, rows)) / most))
    return [row[::stride] for row in rows]


def marks_by_law(policy: Any, seed: int, pairs: list[Pair]) -> Array:
    """How far the law tells the sides of every pair apart, (pairs,): the mean size of the log-likelihood ratio of a run
    on either side. Of more than two arms, whose law is dear, the first steps alone are weighed."""
    seen = stacked(Player(policy, seed).play(pairs, 1, "law"))
    if policy.arms > 2:
        seen = first_steps(seen, max(MIN_WEIGHED_STEPS, STATES // (2 * seen.trials * policy.arms**2)))
    scores = np.nan_to_num(np.abs(scores_of_pairs(policy, pairs, seen)))  # nan: what the law excludes on either side
    return np.asarray(scores.reshape(-1, len(pairs)).mean(axis=0))


def first_steps(seen: Transcripts, steps: int) -> Transcripts:
    """The first steps alone."""
    return Transcripts(seen.arms[:, :steps], seen.sizes[:, :steps], seen.counts[:, :steps])
