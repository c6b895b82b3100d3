"""Treats one round of a policy as a one-shot mechanism, to check claims about a single step in states that the policy's
own runs reach.

A bound composed over many rounds may be so loose that it hides a bug. A single round, in the state with the largest
sensitivity, shows the bug. `rounds` chooses the rounds to test and to certify.

A round is judged in a state that some run reaches: in every step of its history, the pulled arm is one that the policy
was seen to release there, on either table. `rounds.guided_runs` follows many runs together and takes, among the
released arms, the one that a plan wants. So counts and step always fit together, and no state is used that the policy
cannot reach (an arm out of turn, a pull after the horizon). The state is computed by `learn`, step by step. Draws in
these steps are fresh, so for a policy that stores its draws, the earlier arms look as if they had been chosen without
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.proofs_checks.exact.state_graph import DrawsWhileLearning, ForbiddenNoise
from dpbandits.reference.bandits.noise import Array, Noise, Once, Seeded, frozen
from dpbandits.reference.bandits.passing import State, checked_pulls, state_rows
from dpbandits.reference.bandits.policy import HasLaw, Ints, Law, Policy, Pulls, Step
from dpbandits.reference.bandits.release_laws.checked import Accuracy, arm_chances, checked_law, in_doubles
from dpbandits.reference.bandits.reward_ranges import nearest_payable


class NoRounds(Exception):
    """The reason, in a sentence, why a policy's rounds cannot be tested one by one."""


class History(NamedTuple):
    """The steps before a round: the arm and the number of pulls of each, and their rewards on either side. The sides
    differ in one reward."""

    arms: tuple[int, ...]  # of every step
    sizes: tuple[int, ...]  # its pulls, mostly 1
    left: tuple[float, ...]  # the sum of its rewards
    right: tuple[float, ...]

    @property
    def t(self) -> int:
        """The number, from 1, of the step that follows the history's pulls."""
        return len(self.arms) + 1

    def counts(self, arms: int) -> tuple[int, ...]:
        """Returns the number of earlier pulls of each arm, for this many arms."""
        return tuple(int(n) for n in np.bincount(self.arms, weights=self.sizes, minlength=arms))

    def totals(self, arms: int, side: int) -> tuple[float, ...]:
        """Returns the total reward of each arm on the left (side 0) or right (side 1)."""
        return tuple(float(s) for s in np.bincount(self.arms, weights=self.paid(side), minlength=arms))

    def paid(self, side: int) -> tuple[float, ...]:
        """Returns the rewards paid in each earlier step on the left (side 0) or right (side 1)."""
        return (self.left, self.right)[side]


def state_after_histories(
    policy: Policy, histories: Sequence[History], side: int, noise: Noise, always: int | None = None
) -> State:
    """The policy's state after each of several histories of equal length, computed step by step with `learn`.
    The state has one row for each history. always: if given, the step number that `learn` receives in every step."""
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


def states_after(policy: Policy, histories: Sequence[History], side: int) -> State:
    """Returns the policy's state after each of several histories of equal length, one row each.
    None if trials may differ in their state, because the policy draws noise while it learns, or if rows cannot be taken
    from the state."""
    try:
        state = state_after_histories(policy, histories, side, ForbiddenNoise())
    except DrawsWhileLearning:
        return None
    return state if has_rows(state, len(histories)) else None


def has_rows(state: State, trials: int) -> bool:
    """Whether a state is an array with one row for each trial, or a tuple of such arrays."""
    if isinstance(state, tuple):
        return all(has_rows(part, trials) for part in state)
    return isinstance(state, np.ndarray) and state.ndim > 0 and len(state) == trials and state.dtype != object


def single_arms(policy: Policy, t: int, counts: Ints) -> Ints:
    """The arms (trials,) of releases (trials, arms) that pull one arm each. Raises NoRounds for other releases."""
    if ((counts > 0).sum(axis=1) != 1).any():
        raise NoRounds(
            f"{type(policy).__name__} does not release exactly one arm in step {t}, so single rounds cannot "
            "be audited; audit whole runs (relation 'pull')"
        )
    return np.asarray(counts.argmax(axis=1))


def require_equal_pulls(policy: Policy, t: int, counts: Ints) -> None:
    """Raises NoRounds if the number of pulls of a released arm varies among the trials of a round.
    Numbers of pulls are not compared. counts: the released pulls, (rounds, trials, arms)."""
    most = counts.max(axis=1, keepdims=True)
    if ((counts > 0) & (counts < most)).any():
        raise NoRounds(
            f"{type(policy).__name__} pulls a varying number of times in step {t} after the same earlier "
            "pulls, so single rounds cannot be audited; audit whole runs (relation 'pull')"
        )


def accepts_reward(policy: Policy, reward: float) -> bool:
    """Whether the policy accepts this reward; False for a reward outside its range or set of rewards."""
    return float(nearest_payable(policy, reward)) == reward


def are_same_states(a: State, b: State) -> bool:
    """Whether two states are equal up to rounding."""
    if isinstance(a, tuple):
        return len(a) == len(b) and all(are_same_states(x, y) for x, y in zip(a, b, strict=True))
    same_shape = np.shape(a) == np.shape(b)
    return bool(same_shape and np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True))


def takes_blocks(policy: Policy, t: int) -> bool:
    """Whether learning several pulls together has the same effect as learning them one by one.
    The same state; or at least the same law, if there is one, and the same releases with the same noise, so that the
    difference is never used. Rewards are 0 and 1. Raises the policy's own ValueError."""
    trials, rewards = 200, (1.0, 0.0, 1.0)
    some = [History((arm,) * n, (1,) * n, rewards[:n], ()) for arm in range(policy.arms) for n in (2, 3)]
    for each in some:
        counts = np.array([each.counts(policy.arms)])
        try:
            one_by_one = state_after_histories(policy, [each], 0, ForbiddenNoise(), always=t)
            totals = np.array([each.totals(policy.arms, 0)])
            block = policy.learn(t, policy.init(1), Pulls(frozen(counts)), frozen(totals), ForbiddenNoise())
            if are_same_states(block, one_by_one):
                continue
            many = [state_rows(state, np.zeros(trials, dtype=np.int64)) for state in (block, one_by_one)]
            seen = [policy.act(t, state, Seeded(0, trials)).counts for state in many]
        except DrawsWhileLearning:  # no state of one row is what any trial has
            return False
        except ValueError:  # it says so itself, or a program of its does
            raise
        except Exception:  # whatever it dies of where it is taught what it need not take
            return False
        if not np.array_equal(seen[0], seen[1]):
            return False
        if isinstance(policy, HasLaw):
            laws = [checked_law(policy, t, state, 1).chance for state in (block, one_by_one)]
            if not are_same_states(laws[0], laws[1]):
                return False
    return True


@dataclass(frozen=True)
class UnknownArm:
    """The arm that a policy releases in step t, as a function of its arms' running means total_i/(pulls_i + 1). Without
    a law it can only be sampled.

    history: the steps that led to the state, learned one by one; the running means of its left and right sides are the
    only possible values.
    """

    policy: Policy
    pulls: tuple[int, ...]
    t: int
    history: History

    def release(self, values: Sequence[float] | Array, noise: Seeded) -> NDArray[np.int64]:
        """Plays the round in all trials; returns the released arms (trials,).
        values: the running means (arms,). noise: with `trials`."""
        return released(self, values, noise)


@dataclass(frozen=True)
class NextArm(UnknownArm):
    """The arm that a policy with a law releases in step t."""

    policy: HasLaw

    def law(self, values: Sequence[float] | Array) -> Array:
        """Returns the probability that each arm is released in this round, (arms,).
        values: the running means (arms,)."""
        return np.asarray(arm_chances(self.law_after_history(values), type(self.policy).__name__)[0])

    def law_after_history(self, values: Sequence[float] | Array) -> Law:
        """Returns the policy's law in the state after this history, in doubles. values: the running means (arms,)."""
        side = side_of(self.history, self.pulls, values)
        state = state_after_histories(self.policy, [self.history], side, ForbiddenNoise())
        return in_doubles(checked_law(self.policy, self.t, state, 1))

    def accuracy(self, values: Sequence[float] | Array) -> Accuracy:
        """Returns an upper bound on the error of the law's probabilities."""
        said = self.law_after_history(values)
        return Accuracy(said.error, said.absolute_error)


@dataclass(frozen=True)
class Singly:
    """A round whose trials are released one after another, for a policy whose trials in a batch may share randomness.
    Its law is not used."""

    mechanism: UnknownArm

    def release(self, values: Sequence[float] | Array, noise: Seeded) -> NDArray[np.int64]:
        """Plays each trial of the round on its own; returns the released arms (trials,).
        values: the running means (arms,). noise: with `trials`."""
        each = (replace(noise, trials=1, block=trial) for trial in range(noise.trials))
        return np.concatenate([released(self.mechanism, values, one) for one in each])


def released(mechanism: UnknownArm, values: Sequence[float] | Array, noise: Seeded) -> NDArray[np.int64]:
    """Plays the round, and returns the released arms (trials,). Raises NoRounds if it releases several together."""
    side = side_of(mechanism.history, mechanism.pulls, values)
    return arms_after(mechanism.policy, mechanism.t, [mechanism.history], side, noise)


def arms_after(policy: Policy, t: int, histories: Sequence[History], side: int, noise: Seeded) -> NDArray[np.int64]:
    """Returns the arms that a policy releases in step t after several histories of equal length.
    There are equally many trials of each history, one history after another. noise: has as many trials as all histories
    together. Raises NoRounds if the policy releases several arms together."""
    row: NDArray[np.int64] = np.repeat(np.arange(len(histories)), noise.trials // len(histories))
    state = states_after(policy, histories, side)
    if state is None:
        state = state_after_histories(policy, [histories[k] for k in row.tolist()], side, noise)
    else:
        state = state_rows(state, row)
    counts = checked_pulls(t, policy.act(t, state, Once(noise, len(row), t)), (len(row), policy.arms)).counts
    require_equal_pulls(policy, t, counts.reshape(len(histories), -1, policy.arms))
    return single_arms(policy, t, counts)


def side_of(history: History, pulls: tuple[int, ...], values: Sequence[float] | Array) -> int:
    """Returns 0 if these running means are those of the left history, 1 if they are those of the right.
    Raises ValueError for other means."""
    for side in (0, 1):
        if tuple(values) == means_of(pulls, history.totals(len(pulls), side)):
            return side
    raise ValueError(
        f"the running means {tuple(values)} belong to neither of the two histories of this round; give the running "
        "means of one of these histories"
    )


def means_of(pulls: tuple[int, ...], totals: tuple[float, ...]) -> tuple[float, ...]:
    """Returns the mean total/(n + 1) of each arm after n = pulls, as the paper ou24 defines it."""
    return tuple(total / (n + 1) for n, total in zip(pulls, totals, strict=True))


@dataclass(frozen=True, repr=False)
class SomeRound:
    """A round of a policy before one is chosen, for what a claim about a step may ask about the form of the round."""

    policy: Policy

    @property
    def left(self) -> tuple[float, ...]:
        """Zeros, one for each arm, where a step with fixed inputs has its left input."""
        return (0.0,) * self.policy.arms

    right = left

    def __repr__(self) -> str:
        """The text of the round's policy."""
        return repr(self.policy)


def round_of(mechanism: UnknownArm, left: tuple[float, ...], right: tuple[float, ...]) -> Step:
    """Returns a round of a policy as a step between two histories. left, right: the histories' reward totals."""
    pulls = mechanism.pulls
    return Step(mechanism, means_of(pulls, left), means_of(pulls, right), tuple(1 / (n + 1) for n in pulls))
