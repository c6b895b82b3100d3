"""Candidate pairs for a policy with a law that `pairs.candidates` does not contain: pairs with changed rewards strictly
inside the range, and pairs with nearly equal arms.

The pairs of `pairs.candidates` change a reward to an end of its range, in tables whose rewards are the ends, the middle
and the quarter points of the range. They cannot expose a policy that treats, say, 0.37 or every reward above 0.9
differently. So one reward runs through all hundredths, values next to the ends and to 1/2, thirds, and some random
values, each compared with the nearer end; and a change from end to end runs through the places of a table. A policy
that compares means with a threshold can be exposed only by means next to it, so one arm also moves away from the others
in small steps.

A pair becomes a candidate if the laws of its sides differ more than those of the neighbouring pairs in its row, or most
of all pairs. One run of each pair is enough, because the law shows any difference in a state that the run visits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, inf

import numpy as np

from dpbandits.audit.play.transcripts import Transcripts, stacked
from dpbandits.audit.privacy.scores.contexts import symbols
from dpbandits.audit.privacy.scores.distinguishers import scores_of_pairs
from dpbandits.audit.privacy.search.pairs import WRITTEN_OUT, changed_arms, lengths_of_runs
from dpbandits.audit.privacy.search.players import Player, aligned
from dpbandits.audit.privacy.search.proposals import batch_of_pairs, interior_shares
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.bandits.passing import copy_state
from dpbandits.reference.bandits.policy import HasLaw, Policy
from dpbandits.reference.bandits.release_laws.checked import checked_law
from dpbandits.reference.bandits.reward_ranges import Range, reward_range, reward_values
from dpbandits.reference.bandits.reward_rows import columns_of

DRAWN_VALUES = 20  # values that the seed draws
EARLY_PLACES = (0, 1, 2, 3)  # pulls or rounds whose reward runs through the values
TOP = 3  # pairs that are taken for either reason
ALONG = 64  # places that a change runs through
COMPARED_NEIGHBOURS = 4  # values on either side with which one is compared
LEVEL_STEPS = 64  # in which an arm moves from the low end to the high end, and the others against it
ODD_PAIR_STEPS = 10_000  # that the runs of all pairs with rewards between the ends take on either side, about
STATES = 200_000  # pairs of arms in states whose law is asked for, about: some tenths of a second
OUTCOMES = 4096  # of states whose law is asked for, where it lists many, about: some seconds
MIN_WEIGHED_STEPS = 3  # steps of a run that are weighed, at least


def values_between(policy: Policy, seed: int) -> Array:
    """Returns reward values to try, in increasing order: those of `interior_shares`, and random ones.
    There are DRAWN_VALUES random ones if the policy accepts a whole range."""
    fixed = interior_shares(policy)
    if reward_values(policy) is not None:
        return fixed
    drawn = np.random.Generator(np.random.Philox(address("between", seed))).integers(1, 1000, DRAWN_VALUES) / 1000
    return np.unique(np.concatenate([fixed, drawn]))


def rows_of_values(policy: Policy, relation: str, max_pairs: int, seed: int) -> list[list[Pair]]:
    """Series of pairs of tables that differ in one reward; the value of this reward increases along the series.
    All other rewards are 1/2; the changed reward is one of `values_between` on the left, and the nearer end of the
    range on the right. There is one row for each place of the change, for as many places as `max_pairs` pairs allow, at
    least one. Empty if the policy accepts no reward between the ends."""
    values, rewards = values_between(policy, seed), reward_range(policy)
    arms = changed_arms(policy.arms) if relation == "pull" else [None]
    spots = [(arm, place) for place in EARLY_PLACES for arm in arms if place < policy.horizon]
    if not len(values):
        return []
    taken = spots[: max(1, round(max_pairs / len(values)))]
    return [
        [pair_of_halves(policy, relation, arm, place, float(value), rewards) for value in values]
        for arm, place in taken
    ]


def rows_of_places(policy: Policy, relation: str) -> list[list[Pair]]:
    """Series of pairs of tables that differ in one reward; the place of this reward moves along the series.
    The reward is one end of the range on the left and the other on the right; all other rewards are 1/2. In a row, the
    change is at all places in turn, or at ALONG places, spread evenly. There is one row for each arm that gets the
    changed reward, or one row in which the rewards of all arms in a round change."""
    places = np.unique(np.linspace(0, policy.horizon - 1, ALONG).round().astype(int)).tolist()
    arms = changed_arms(policy.arms) if relation == "pull" else [None]
    return [
        [pair_of_halves(policy, relation, arm, place, 1.0, reward_range(policy), 0.0) for place in places]
        for arm in arms
    ]


def rows_between(policy: Policy, relation: str, max_pairs: int, seed: int) -> list[list[Pair]]:
    """Series of neighbouring pairs in which either the place of the change or the changed reward varies.
    So each pair can be compared with the next. The rows are those of `rows_of_places` and of `rows_of_values`.
    max_pairs: see `rows_of_values`."""
    return [*rows_of_places(policy, relation), *rows_of_values(policy, relation, max_pairs, seed)]


def rows_apart(policy: Policy, relation: str, max_pairs: int) -> list[list[Pair]]:
    """Series of pairs that differ in one reward of the first or last arm, while the levels of the arms move apart.
    The reward changes from one end of the range to the other. In a row, the place of the change is fixed, and the level
    of one arm moves away from the others. max_pairs: the approximate number of pairs; there is at least one row of
    them, unless the policy accepts only a few rewards and the tables are long. The places are the first ones of blocks
    of doubling length."""
    if reward_values(policy) is not None and policy.horizon > WRITTEN_OUT:
        return []
    places = [2**k - 1 for k in range(int(policy.horizon).bit_length()) if 2**k <= policy.horizon]
    spots = [(arm, place) for place in places for arm in dict.fromkeys((0, policy.arms - 1))]
    levels = np.linspace(0, 1, LEVEL_STEPS + 1)
    taken = spots[: max(1, max_pairs // len(levels))]
    return [[pair_at_level(policy, relation, arm, place, float(level)) for level in levels] for arm, place in taken]


def pair_at_level(policy: Policy, relation: str, arm: int, place: int, level: float) -> Pair:
    """Returns a pair of tables in which one arm's rewards equal the level, and all other rewards 1 minus the level.
    One reward of the arm differs: it is a different end of the range on either side; in this round, the others have the
    opposite end. If only a few rewards are possible, they alternate so that their mean is the level."""
    lengths = None if policy.horizon <= WRITTEN_OUT else lengths_of_runs(policy.horizon, [place])
    left = np.full((policy.arms, policy.horizon if lengths is None else len(lengths)), 1 - level)
    left[arm] = level
    if reward_values(policy) is not None:
        left = np.diff(np.floor(np.cumsum(left, axis=1)), axis=1, prepend=0)
    right, column = left.copy(), int(columns_of(lengths, place))
    if relation == "round":
        left[:, column], right[:, column] = 1, 0
    left[arm, column], right[arm, column] = 0, 1
    rewards = reward_range(policy)
    return Pair(relation, rewards.at(left), rewards.at(right), lengths, *rewards)


def pair_of_halves(
    policy: Policy, relation: str, arm: int | None, place: int, value: float, rewards: Range, end: float | None = None
) -> Pair:
    """Returns a pair of tables in which all rewards are 1/2 except at one place of this arm (of all arms, for None).
    There the left table has `value`, and the right table `end`, by default the nearer end of the range."""
    lengths = None if policy.horizon <= WRITTEN_OUT else lengths_of_runs(policy.horizon, [place])
    length = policy.horizon if lengths is None else len(lengths)
    left, right = (np.full((policy.arms, length), 0.5) for _ in range(2))
    where, column = slice(None) if arm is None else arm, int(columns_of(lengths, place))
    left[where, column], right[where, column] = value, np.round(value) if end is None else end
    only = reward_values(policy)
    if only is not None:  # what is near the half, where the half is no reward
        middle = rewards.share(only[np.abs(rewards.share(only) - 0.5).argmin()])
        for side in (left, right):
            side[side == 0.5] = middle
    return Pair(relation, rewards.at(left), rewards.at(right), lengths, *rewards)


def most_conspicuous(marks: Array, sizes: Sequence[int]) -> list[int]:
    """Returns the indices of the most conspicuous marks, the most conspicuous first.
    It takes in turn a mark that exceeds its neighbours in the row, and one of the largest marks. marks: one number for
    each pair, row after row. sizes: the lengths of the rows."""
    best = (np.argsort(-each, kind="stable")[:TOP] for each in (excess_over_neighbours(marks, sizes), marks))
    return [k for k in dict.fromkeys(int(k) for two in zip(*best, strict=True) for k in two) if marks[k] > 0]


def excess_over_neighbours(marks: Array, sizes: Sequence[int]) -> Array:
    """For each mark, its difference from the mean of its neighbours in the row. sizes: the lengths of the rows."""
    beside = np.zeros_like(marks)
    for start, size in zip(np.cumsum([0, *sizes[:-1]]).tolist(), sizes, strict=True):
        here = marks[start : start + size]
        padded = np.pad(here, COMPARED_NEIGHBOURS, mode="symmetric")
        around = np.lib.stride_tricks.sliding_window_view(padded, 2 * COMPARED_NEIGHBOURS + 1).sum(axis=1) - here
        beside[start : start + size] = around / (2 * COMPARED_NEIGHBOURS)
    return marks - beside


def interior_rewards_by_law(policy: HasLaw, relation: str, seed: int) -> list[Pair]:
    """Neighbouring pairs, from `rows_between`, whose laws on the two sides differ most.
    Alternately pairs whose laws differ more than those of their neighbours in the row, and pairs whose laws differ
    most; at most twice `between.TOP` pairs, the most revealing first."""
    rows = rows_between(policy, relation, ODD_PAIR_STEPS // policy.horizon, seed)
    return outstanding(policy, rows, address(seed, "between, by law"))


def interior_rewards_by_behaviour(player: Player, relation: str, max_pairs: int, runs: int) -> list[Pair]:
    """Neighbouring pairs of tables whose releases diverge early after the changed reward.
    Alternately pairs whose releases diverge sooner than those of their neighbours in a row of `rows_between`, and pairs
    whose releases diverge soonest. max_pairs: the largest number of pairs that are played. runs: the number of runs of
    each pair, with the same noise on either side."""
    rows = rows_between(player.policy, relation, max_pairs, player.noise)
    while sum(map(len, rows)) > max_pairs:
        rows.pop()
    every = [pair for row in rows for pair in row]
    if not every:
        return []
    batch = batch_of_pairs(every)
    left, right = (symbols(side) for side in aligned(player.play(batch, runs, "odd")))
    differ = left != right
    step = np.where(differ.any(axis=1), differ.argmax(axis=1), np.inf).reshape(runs, len(every))
    soon = (1 / np.maximum(step - batch.place, 1.0)).mean(axis=0)
    return [every[place] for place in most_conspicuous(soon, [len(row) for row in rows])]


def levels_by_law(policy: HasLaw, relation: str, seed: int) -> list[Pair]:
    """Neighbouring pairs of tables in which the rewards of one arm have another level than the rest.
    Alternately pairs whose laws differ more than those of their neighbours in the row, and pairs whose laws differ
    most."""
    return outstanding(
        policy, rows_apart(policy, relation, ODD_PAIR_STEPS // policy.horizon), address(seed, "apart, by law")
    )


def finalists_by_law(policy: HasLaw, pairs: list[Pair], count: int, seed: int, runs: int) -> list[Pair]:
    """Returns the `count` pairs whose laws on the two sides differ most, the largest difference first.
    Alternately by the mean over some runs of either side, and by the largest difference in any of these runs. If there
    is only one run, its mean alone decides."""
    losses = losses_by_law(policy, address(seed, "finalists"), pairs, runs)
    marks = (losses.mean(axis=0), losses.max(axis=0))[: min(runs, 2)]
    ranked = zip(*(np.argsort(-each, kind="stable").tolist() for each in marks), strict=True)
    return [pairs[k] for k in list(dict.fromkeys(k for alike in ranked for k in alike))[:count]]


def outstanding(policy: HasLaw, rows: list[list[Pair]], seed: int) -> list[Pair]:
    """Returns the pairs in these rows whose laws on the two sides differ most.
    It takes in turn pairs that differ more than their neighbours in the row, and pairs that differ most of all."""
    thin = thin_rows(rows, affordable_pairs(policy))
    every = [pair for row in thin for pair in row]
    if not every:
        return []
    return [every[place] for place in most_conspicuous(marks_by_law(policy, seed, every), [len(row) for row in thin])]


def affordable_pairs(policy: HasLaw) -> float:
    """The number of pairs for which the law is evaluated.
    All, unless it lists more outcomes than there are arms, as for selections, where each outcome takes one or more
    integrals."""
    outcomes = checked_law(policy, 1, copy_state(policy.init(1)), 1).counts.shape[1]
    return OUTCOMES / outcomes if outcomes > policy.arms else inf


def thin_rows(rows: list[list[Pair]], max_pairs: float) -> list[list[Pair]]:
    """Leaves pairs out of the series evenly, so that about `max_pairs` pairs remain in all series together."""
    stride = max(1, ceil(sum(map(len, rows)) / max_pairs))
    return [row[::stride] for row in rows]


def marks_by_law(policy: HasLaw, seed: int, pairs: list[Pair]) -> Array:
    """Returns how much the laws of the two sides of every pair differ, (pairs,).
    The measure is the mean absolute log-likelihood ratio of a run on either side."""
    return np.asarray(losses_by_law(policy, seed, pairs, 1).mean(axis=0))


def losses_by_law(policy: HasLaw, seed: int, pairs: list[Pair], most_runs: int) -> Array:
    """Returns the absolute log-likelihood ratios of some runs on either side of every pair, (2 runs, pairs).
    With more than two arms, whose law is expensive, there are fewer runs, and of a single run only the first steps are
    weighed."""
    sides = Player(policy, seed).play(batch_of_pairs(pairs), most_runs, "law")
    if policy.arms > 2:
        of_a_run = 4 * len(pairs) * policy.arms**2
        steps = max(each.arms.shape[1] for each in sides)
        runs = max(1, min(most_runs, STATES // (of_a_run * steps)))
        few = max(MIN_WEIGHED_STEPS, STATES // (of_a_run * runs))
        sides = sides[0].part(0, runs * len(pairs)), sides[1].part(0, runs * len(pairs))
    seen = stacked(sides)
    if policy.arms > 2:
        seen = Transcripts(seen.arms[:, :few], seen.sizes[:, :few], seen.counts[:, :few])
    scores = np.nan_to_num(np.abs(scores_of_pairs(policy, pairs, seen)))  # nan: what the law excludes on either side
    return scores.reshape(-1, len(pairs))
