"""One round of any policy as a one-shot mechanism, so that a claim about a single step can be judged on it.

A bound composed over many rounds may be so loose that no bug shows against it; a single round, in the state where
its sensitivity is attained, shows it. Which rounds are worth a look is the business of `spots`, and which of these
are certified that of `ranking`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.privacy.rounds.histories import (
    History,
    are_same_states,
    single_arms,
    states_after,
    sure_sizes,
    taught,
)
from dpbandits.proofs_checks.exact.walk import DrawsWhileLearning, Silence
from dpbandits.reference.bandits.noise import Array, Once, Seeded, frozen
from dpbandits.reference.bandits.passing import checked_pulls, state_rows
from dpbandits.reference.bandits.policy import HasLaw, Law, Policy, Pulls
from dpbandits.reference.bandits.release_laws.checked import Accuracy, arm_chances, checked_law, in_doubles
from dpbandits.reference.bandits.release_laws.mechanisms import Step


def takes_blocks(policy: Policy, t: int) -> bool:
    """Whether several pulls taught at once leave what they leave one by one: the same state; or at least the same
    law, if there is one, and the same releases with the same noise, so that the difference is never used.
    Rewards are 0 and 1. Raises the policy's own ValueError."""
    trials, rewards = 200, (1.0, 0.0, 1.0)
    some = [History((arm,) * n, (1,) * n, rewards[:n], ()) for arm in range(policy.arms) for n in (2, 3)]
    for each in some:
        counts = np.array([each.counts(policy.arms)])
        try:
            one_by_one = taught(policy, [each], 0, Silence(), always=t)
            totals = np.array([each.totals(policy.arms, 0)])
            block = policy.learn(t, policy.init(1), Pulls(frozen(counts)), frozen(totals), Silence())
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
class NextArm:
    """The arm that a policy releases in step t, as a function of its arms' running means total_i/(pulls_i + 1).

    history: how the state came about, taught step by step; its own running means on the left and right are the only
    values.
    """

    policy: HasLaw
    pulls: tuple[int, ...]
    t: int
    history: History

    def release(self, values: Any, noise: Any) -> NDArray[np.int64]:
        """values: the running means (arms,). noise: with `trials`. Returns the released arms (trials,)."""
        return released(self, values, noise)

    def law(self, values: Any) -> Array:
        """The law of the released arm, (arms,)."""
        return np.asarray(arm_chances(self.said(values), type(self.policy).__name__)[0])

    def said(self, values: Any) -> Law:
        """The policy's law in this state, in doubles."""
        return in_doubles(checked_law(self.policy, self.t, self.state(values), 1))

    def state(self, values: Any) -> Any:
        """The state with these running means."""
        return taught(self.policy, [self.history], side_of(self.history, self.pulls, values), Silence())

    def accuracy(self, values: Any) -> Accuracy:
        """What the law's chances may be wrong by."""
        said = self.said(values)
        return Accuracy(said.error, said.blur)


@dataclass(frozen=True)
class UnknownArm:
    """The arm that a policy without a law releases in step t: it can only be sampled."""

    policy: Policy
    pulls: tuple[int, ...]
    t: int
    history: History

    def release(self, values: Any, noise: Any) -> NDArray[np.int64]:
        """values: the running means (arms,). noise: with `trials`. Returns the released arms (trials,)."""
        return released(self, values, noise)


@dataclass(frozen=True)
class Singly:
    """A round whose trials are released one after another, for a policy that may let the trials of a batch share
    randomness of its own. Its law is not asked for."""

    mechanism: NextArm | UnknownArm

    def release(self, values: Any, noise: Any) -> NDArray[np.int64]:
        """values: the running means (arms,). noise: with `trials`. Returns the released arms (trials,)."""
        each = (replace(noise, trials=1, block=trial) for trial in range(noise.trials))
        return np.concatenate([released(self.mechanism, values, one) for one in each])


def released(mechanism: NextArm | UnknownArm, values: Any, noise: Any) -> NDArray[np.int64]:
    """The arms (trials,) that a policy releases; NoRounds where it releases several at once."""
    side = side_of(mechanism.history, mechanism.pulls, values)
    return arms_after(mechanism.policy, mechanism.t, [mechanism.history], side, noise)


def arms_after(policy: Policy, t: int, histories: Sequence[History], side: int, noise: Any) -> NDArray[np.int64]:
    """The arms that a policy releases in step t after histories of equal length, in as many trials of each, one
    history after another. noise: with the `trials` of all. NoRounds where it releases several arms at once."""
    row: NDArray[np.int64] = np.repeat(np.arange(len(histories)), noise.trials // len(histories))
    state = states_after(policy, histories, side)
    if state is None:
        state = taught(policy, [histories[k] for k in row.tolist()], side, noise)
    else:
        state = state_rows(state, row)
    counts = checked_pulls(t, policy.act(t, state, Once(noise, len(row), t)), (len(row), policy.arms)).counts
    sure_sizes(policy, t, counts.reshape(len(histories), -1, policy.arms))
    return single_arms(policy, t, counts)


def side_of(history: History, pulls: tuple[int, ...], values: Any) -> int:
    """Whether these running means are those on the left (0) or on the right (1); ValueError for others."""
    for side in (0, 1):
        if tuple(values) == means_of(pulls, history.totals(len(pulls), side)):
            return side
    raise ValueError(f"running means {tuple(values)}: this round was taught two histories, and knows no others")


def means_of(pulls: tuple[int, ...], totals: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(total / (n + 1) for n, total in zip(pulls, totals, strict=True))


@dataclass(frozen=True, repr=False)
class SomeRound:
    """A round of a policy, before one is chosen: as much as a claim about a step may ask of its form."""

    policy: Policy

    @property
    def left(self) -> tuple[float, ...]:
        return (0.0,) * self.policy.arms

    right = left

    def __repr__(self) -> str:
        return repr(self.policy)


def round_of(mechanism: NextArm | UnknownArm, left: tuple[float, ...], right: tuple[float, ...]) -> Step:
    """The round of a mechanism, between two histories with these reward totals."""
    pulls = mechanism.pulls
    return Step(mechanism, means_of(pulls, left), means_of(pulls, right), tuple(1 / (n + 1) for n in pulls))
