"""Histories that a policy's own run may have, and the states that they lead to, taught pull by pull.

A round is judged in a state that some run reaches: in every step of a history, the arm that is pulled is one that the
policy was seen to release there, on either table. `guided.guided` walks many runs at once and takes, of the arms that
it sees, the one that a plan wants. So counts and step always fit together, and what a policy does not do (an arm out of
turn, a pull after the horizon) is not done to it. A state is taught as the run would teach it, one step after another;
a policy need not take blocks. What it draws meanwhile is drawn anew: of a policy that remembers its draws, the past
arms are as if somebody else had chosen them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.walk import DrawsWhileLearning, Silence
from dpbandits.reference.bandits.noise import Noise
from dpbandits.reference.bandits.policy import Ints, Policy, Pulls
from dpbandits.reference.bandits.reward_ranges import nearest_payable


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


def are_same_states(one: Any, other: Any) -> bool:
    """Whether two states are the same up to rounding."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(are_same_states(a, b) for a, b in zip(one, other, strict=True))
    same_shape = np.shape(one) == np.shape(other)
    return bool(same_shape and np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True))
