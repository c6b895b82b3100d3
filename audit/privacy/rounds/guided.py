"""Guided runs: many walks at once, each towards a plan, by pulls that the policy is seen to make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.privacy.rounds.plans import Plan
from dpbandits.audit.privacy.rounds.single import History, NoRounds, has_rows, single_arms, sure_sizes, takes
from dpbandits.reference.bandits.noise import Array, Once, Seeded, address
from dpbandits.reference.bandits.passing import checked_pulls, cut_to_horizon, state_rows
from dpbandits.reference.bandits.policy import Ints, Policy, Pulls

TRIES, AGAIN = 16, 64  # trials that show which arms a policy may release; more where no wanted arm is among them
WANTED = 2.0  # scores from here on are what the plan asks for; 0 is what would spoil it


class GuidedRuns(NamedTuple):
    """What guided runs did, one row per plan."""

    arms: Ints  # (plans, steps)
    sizes: Ints  # (plans, steps)
    paid: Array  # (2, plans, steps)
    last: Ints  # (plans,): the last step that is a round of the run

    def history(self, plan: int, t: int) -> History:
        """What came before step t."""
        row = np.s_[plan, : t - 1]
        left, right = self.paid[0][row], self.paid[1][row]
        return History(*(tuple(each.tolist()) for each in (self.arms[row], self.sizes[row], left, right)))

    def standing(self, plan: int, arms: int) -> tuple[Ints, Array]:
        """After every number of steps, from 0 on: the pulls of each arm (steps + 1, arms), and what they paid on
        either side (2, steps + 1, arms); as `History.counts` and `History.totals` have them."""
        size, paid = self.sizes[plan], self.paid[:, plan]
        at, step = self.arms[plan], np.arange(1, self.arms.shape[1] + 1)
        counts, totals = np.zeros((len(step) + 1, arms), dtype=np.int64), np.zeros((2, len(step) + 1, arms))
        counts[step, at], totals[:, step, at] = size, paid
        return counts.cumsum(axis=0), totals.cumsum(axis=1)


class Walks(NamedTuple):
    """Walks of a policy, so many on either side. splits: whether each has one state, from which many trials may start;
    a state without rows is there TRIES times from the beginning."""

    policy: Policy
    many: int
    splits: bool
    seed: int

    def look(self, step: int, state: Any, alive: NDArray[np.bool_], scores: Array) -> Ints:
        """How often each arm is pulled where a few trials release it on both sides, (walks, arms), or more, where they
        release none that is wanted; 0 where it was not seen. scores: how welcome it is."""
        policy, many = self.policy, self.many
        noise = Seeded(address(self.seed, step), 2 * many * TRIES)
        shown = state_rows(state, np.repeat(np.arange(2 * many), TRIES)) if self.splits else state
        size = releases(policy, step, shown, noise, alive)
        missed = alive & (np.where(size > 0, scores, 0).max(axis=1) < WANTED)
        if self.splits and missed.any():
            some = np.flatnonzero(missed)
            again = Seeded(address(self.seed, step, "again"), 2 * len(some) * AGAIN)
            shown = state_rows(state, np.repeat(np.concatenate([some, many + some]), AGAIN))
            size[some] = np.maximum(size[some], releases(policy, step, shown, again, alive[some]))
        return size

    def learn(self, step: int, state: Any, counts: Ints, sums: Sequence[Array]) -> Any:
        """The state after these pulls, (walks, arms) on both sides, and what each side is paid for them."""
        copies = 1 if self.splits else TRIES
        pulls = Pulls(np.repeat(np.concatenate([counts, counts]), copies, axis=0))
        noise = Seeded(address(self.seed, step), 2 * self.many * copies)
        return self.policy.learn(step, state, pulls, np.repeat(np.concatenate(sums), copies, axis=0), noise)


def guided(policy: Policy, plans: Sequence[Plan], steps: int, seed: int) -> GuidedRuns:
    """Walk towards all plans at once, for so many steps at most. In every step an arm is pulled that the policy
    released on both sides in a few trials; a walk ends where none of these would do, or with the horizon.

    Raises NoRounds where several arms are released at once, how often an arm is pulled is not certain, or rewards are
    truncated.
    """
    many, row, wants = len(plans), np.arange(len(plans)), Wants(plans, takes(policy, 0.5))
    arms, sizes = np.zeros((many, steps), dtype=np.int64), np.zeros((many, steps), dtype=np.int64)
    paid, last = np.zeros((2, many, steps)), np.ones(many, dtype=np.int64)
    made, alive = np.zeros((many, policy.arms), dtype=np.int64), np.ones(many, dtype=bool)
    state = policy.init(2 * many)
    walks = Walks(policy, many, has_rows(state, 2 * many), seed)
    if not walks.splits:
        state = policy.init(2 * many * TRIES)
    for step in range(1, steps + 1):
        if not alive.any():
            break
        scores = wants.scores(made)
        size = walks.look(step, state, alive, scores)
        last[alive] = step
        possible = np.where(size > 0, scores, 0)
        arm = np.where(possible.any(axis=1, keepdims=True), possible, size).argmax(axis=1)  # as a run goes on
        alive &= possible.max(axis=1) > 0
        counts = np.zeros((many, policy.arms), dtype=np.int64)
        counts[row, arm] = np.maximum(size[row, arm], 1)
        (counts, _), pulled = cut_to_horizon(Pulls(counts), policy.horizon - made.sum(axis=1))
        sums = [wants.total(made + counts, side) - wants.total(made, side) for side in (0, 1)]
        arms[:, step - 1], sizes[:, step - 1] = arm, pulled
        paid[:, :, step - 1] = [each[row, arm] for each in sums]
        state = walks.learn(step, state, counts, sums)
        made = made + counts
        alive &= made.sum(axis=1) < policy.horizon
    return GuidedRuns(arms, sizes, paid, last)


def releases(policy: Policy, step: int, state: Any, noise: Seeded, alive: NDArray[np.bool_]) -> Ints:
    """How often each arm is pulled where it is released on both sides, (walks, arms); 0 where it was not seen. alive:
    (walks,); of others nothing is asked."""
    pulls = checked_pulls(step, policy.act(step, state, Once(noise, noise.trials, step)), (noise.trials, policy.arms))
    if pulls.bound is not None:
        raise NoRounds(f"{type(policy).__name__} truncates rewards: audit its runs instead of its rounds")
    seen = pulls.counts.reshape(2, len(alive), -1, policy.arms)
    single_arms(policy, step, seen[:, alive].reshape(-1, policy.arms))
    sure_sizes(policy, step, seen[:, alive].swapaxes(0, 1).reshape(alive.sum(), -1, policy.arms))
    most = seen.max(axis=2)
    return np.where((most > 0).all(axis=0), most.max(axis=0), 0)


class Wants:
    """The wishes of many plans in arrays."""

    def __init__(self, plans: Sequence[Plan], halves: bool = True) -> None:
        self.halves = halves  # whether a reward may be 1/2
        self.row = np.arange(len(plans))
        self.arm = np.array([plan.arm for plan in plans])
        self.n = np.array([plan.n for plan in plans])
        self.main = np.array([plan.main for plan in plans])
        self.ones = np.array([plan.ones for plan in plans])
        self.place = np.array([plan.place for plan in plans])
        self.mean = np.array([plan.mean for plan in plans])[:, None]
        self.to = np.array([plan.to for plan in plans])

    def scores(self, made: Ints) -> Array:
        """How welcome a pull of each arm is after these, (plans, arms)."""
        least_first = 1 / (2.0 + made)
        others = np.where((self.main < 0)[:, None], WANTED + least_first, least_first)
        main = np.flatnonzero(self.main >= 0)
        others[main, self.main[main]] = WANTED + 1
        short = made[self.row, self.arm] < self.n
        scores = np.where(short[:, None], least_first, others)
        scores[self.row, self.arm] = np.where(short, WANTED + 1, 0.0)
        return np.asarray(scores)

    def total(self, made: Ints, side: int) -> Array:
        """What so many pulls of each arm pay in all, (plans, arms): rewards 0 and 1, evenly spread, but 1/2 in
        every pull of an arm whose mean is 1/2, where that is a reward; and the changed reward."""
        paid = np.where((self.mean == 0.5) & self.halves, 0.5 * made, np.floor(self.mean * made + 1e-9))
        own = made[self.row, self.arm]
        paid[self.row, self.arm] = np.minimum(own, self.ones) + side * self.to * (own > self.place)
        return np.asarray(paid)
