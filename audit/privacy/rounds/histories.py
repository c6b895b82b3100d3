"""Histories that a policy's own run may have, and the states that they lead to, taught pull by pull.

A round is judged in a state that some run reaches: in every step of a history, the arm that is pulled is one that
the policy was seen to release there, on either table. `guided` walks many runs at once and takes, of the arms that
it sees, the one that a plan wants. So counts and step always fit together, and what a policy does not do (an arm
out of turn, a pull after the horizon) is not done to it. A state is taught as the run would teach it, one step
after another; a policy need not take blocks. What it draws meanwhile is drawn anew: of a policy that remembers its
draws, the past arms are as if somebody else had chosen them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.proofs_checks.exact.walk import DrawsWhileLearning, Silence
from dpbandits.reference.bandits.environments import nearest_payable
from dpbandits.reference.bandits.noise import Array, Noise, Once, Seeded, address
from dpbandits.reference.bandits.passing import checked_pulls, cut_to_horizon, state_rows
from dpbandits.reference.bandits.policy import Ints, Policy, Pulls

TRIES, AGAIN = 16, 64  # trials that show which arms a policy may release; more where no wanted arm is among them


class NoRounds(Exception):
    """Why a policy's rounds cannot be looked at one by one, in a sentence."""


class History(NamedTuple):
    """What happened in the steps before a round: which arm was pulled how often, and what this paid on either
    side. The sides differ in one reward."""

    arms: tuple[int, ...]  # of every step
    sizes: tuple[int, ...]  # its pulls, mostly 1
    left: tuple[float, ...]  # the sum of its rewards
    right: tuple[float, ...]

    @property
    def t(self) -> int:
        """The step of the round."""
        return len(self.arms) + 1

    def counts(self, arms: int) -> tuple[int, ...]:
        """The earlier pulls of each arm."""
        return tuple(int(n) for n in np.bincount(self.arms, weights=self.sizes, minlength=arms))

    def totals(self, arms: int, side: int) -> tuple[float, ...]:
        """The reward totals of each arm on the left (0) or right (1)."""
        return tuple(float(s) for s in np.bincount(self.arms, weights=self.paid(side), minlength=arms))

    def paid(self, side: int) -> tuple[float, ...]:
        return (self.left, self.right)[side]


def taught(policy: Policy, histories: Sequence[History], side: int, noise: Noise, always: int | None = None) -> Any:
    """The state after these histories of equal length, one row each, taught step by step. always: a number that
    `learn` gets for every step in the place of its own."""
    none = np.zeros((len(histories), policy.arms), dtype=np.int64)
    arms = np.array([each.arms for each in histories], dtype=np.int64).reshape(len(histories), -1)
    sizes = np.array([each.sizes for each in histories], dtype=np.int64).reshape(arms.shape)
    paid = np.array([each.paid(side) for each in histories]).reshape(arms.shape)
    state, row = policy.init(len(histories)), np.arange(len(histories))
    for step in range(arms.shape[1]):
        counts, sums = none.copy(), none.astype(np.float64)
        counts[row, arms[:, step]], sums[row, arms[:, step]] = sizes[:, step], paid[:, step]
        state = policy.learn(always or step + 1, state, Pulls(counts), sums, noise)
    return state


def states_after(policy: Policy, histories: Sequence[History], side: int) -> Any:
    """The states after these histories of equal length, one row each, where one row speaks for all trials. None where
    it does not: because the policy draws while it learns, or its state is nothing whose rows can be taken."""
    try:
        state = taught(policy, histories, side, Silence())
    except DrawsWhileLearning:
        return None
    return state if has_rows(state, len(histories)) else None


def has_rows(state: Any, trials: int) -> bool:
    """Whether a state is an array with a row per trial, or a tuple of such."""
    if isinstance(state, tuple):
        return all(has_rows(part, trials) for part in state)
    return isinstance(state, np.ndarray) and state.ndim > 0 and len(state) == trials and state.dtype != object


def single_arms(policy: Policy, t: int, counts: Ints) -> Ints:
    """The arms (trials,) of releases (trials, arms) that pull one arm each; NoRounds for others."""
    if ((counts > 0).sum(axis=1) != 1).any():
        raise NoRounds(
            f"{type(policy).__name__} does not release a single arm in step {t}: audit its runs instead of its rounds"
        )
    return np.asarray(counts.argmax(axis=1))


def sure_sizes(policy: Policy, t: int, counts: Ints) -> None:
    """NoRounds unless, in each round, (rounds, trials, arms), an arm that is pulled is pulled equally often: the sizes
    of releases are not compared."""
    most = counts.max(axis=1, keepdims=True)
    if ((counts > 0) & (counts < most)).any():
        raise NoRounds(
            f"{type(policy).__name__} pulls an arm now more and now less often in step {t}, after the same pulls: "
            "audit its runs instead of its rounds"
        )


def takes(policy: Policy, reward: float) -> bool:
    """Whether the policy takes this reward, which is none beyond its range."""
    return float(nearest_payable(policy, reward)) == reward


# -- guided runs -------------------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """Where a guided run wants to go: first n pulls of the arm whose reward changes, then pulls of the others."""

    arm: int
    n: int
    ones: int  # how many of its other rewards are 1; they come first
    mean: float  # of the others' rewards, all the time
    late: bool = False  # the changed reward is the n-th; else it comes right after the ones
    main: int = -1  # the only other arm that is wanted; -1 for all alike
    to: float = 1.0  # what the changed reward is on the right; 0 on the left

    @property
    def place(self) -> int:
        """Which of the arm's pulls pays the changed reward, counted from 0."""
        return self.n - 1 if self.late else self.ones


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
    splits = has_rows(state, 2 * many)
    if not splits:
        state = policy.init(2 * many * TRIES)
    for step in range(1, steps + 1):
        if not alive.any():
            break
        noise = Seeded(address(seed, step), 2 * many * TRIES)
        shown = state_rows(state, np.repeat(np.arange(2 * many), TRIES)) if splits else state
        size = releases(policy, step, shown, noise, alive)
        scores = wants.scores(made)
        missed = alive & (np.where(size > 0, scores, 0).max(axis=1) < WANTED)
        if splits and missed.any():
            some = np.flatnonzero(missed)
            again = Seeded(address(seed, step, "again"), 2 * len(some) * AGAIN)
            shown = state_rows(state, np.repeat(np.concatenate([some, many + some]), AGAIN))
            size[some] = np.maximum(size[some], releases(policy, step, shown, again, alive[some]))
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
        copies = 1 if splits else TRIES
        pulls = Pulls(np.repeat(np.concatenate([counts, counts]), copies, axis=0))
        own = Seeded(noise.seed, 2 * many) if splits else noise
        state = policy.learn(step, state, pulls, np.repeat(np.concatenate(sums), copies, axis=0), own)
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


WANTED = 2.0  # scores from here on are what the plan asks for; 0 is what would spoil it


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


# -- the same policy, run on ---------------------------------------------------------------------------------------


def run_on(policy: Policy, horizon: int) -> Policy | None:
    """The same policy with a longer horizon, for a claim that speaks of a step and of no horizon; None where it is
    no dataclass that has one, cannot be made so, or does anything else within its own horizon."""
    try:
        longer = with_horizon(policy, policy.horizon, horizon)
        same = longer is not None and longer.horizon == horizon and has_same_releases(policy, longer)
        return longer if same else None
    except Exception:  # whatever a longer run of somebody's policy dies of, it was not asked for
        return None


def with_horizon(value: Any, now: int, then: int) -> Any:
    """A dataclass with another horizon, in its own field or in that of a dataclass that it holds; None for others."""
    if not is_dataclass(value) or isinstance(value, type):
        return None
    names = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
    if "horizon" in names:
        return replace(value, horizon=then) if names["horizon"] == now else None
    inner = {name: changed for name, part in names.items() if (changed := with_horizon(part, now, then)) is not None}
    return replace(value, **inner) if inner else None


def has_same_releases(one: Policy, other: Policy, trials: int = 64) -> bool:
    """Whether both release the same with the same noise, up to the horizon of the first."""
    states, noise = [each.init(trials) for each in (one, other)], Seeded(address(0, "same"), trials)
    paid = nearest_payable(one, np.linspace(0, 1, one.arms))
    left = np.full(trials, one.horizon)
    for step in range(1, one.horizon + 1):
        pulls = [each.act(step, state, noise) for each, state in zip((one, other), states, strict=True)]
        if not np.array_equal(pulls[0].counts, pulls[1].counts):
            return False
        left -= pulls[0].counts.sum(axis=1)
        if (left <= 0).any():
            break
        sums = pulls[0].counts * paid
        states = [
            each.learn(step, state, pull, sums, noise)
            for each, state, pull in zip((one, other), states, pulls, strict=True)
        ]
    return True


def are_same_states(one: Any, other: Any) -> bool:
    """Whether two states are the same up to rounding."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(are_same_states(a, b) for a, b in zip(one, other, strict=True))
    same_shape = np.shape(one) == np.shape(other)
    return bool(same_shape and np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True))
