"""Plays runs of policies against random arms, with several settings in one batch, because a step of T = 1e5 costs about
as much for all settings as for one.

Policies of one class that differ only in numeric parameters, and set `side_by_side = True`, are played as one policy
whose parameters are columns of shape (trials, 1), because the first axis of every array is the trial. Policies without
this attribute keep plain numbers, because a formula that does not broadcast would fail or compute something else.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import NamedTuple

import numpy as np

from dpbandits.audit.play.fastest import play_fastest
from dpbandits.reference.bandits.environments import Environment
from dpbandits.reference.bandits.noise import Array, Noise, Reals, Seeded, address
from dpbandits.reference.bandits.passing import State
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.policy import Ints, Policy, Pulls
from dpbandits.reference.bandits.quantities import Runs
from dpbandits.reference.bandits.recommendations import answers

BATCH_NUMBERS = 10_000  # runs times arms of a batch: more leave a processor's cache, with fewer a step costs more


def side_by_side(
    policies: tuple[Policy, ...], environment: Environment, runs: int, seed: int, batch_numbers: int = BATCH_NUMBERS
) -> tuple[Runs, ...]:
    """Plays `runs` runs of every policy against the same random arms, with separate noise for each run.
    batch_numbers: the largest number of runs times arms in a batch."""
    every = batches(policies, environment, runs, seed, batch_numbers)
    return gather_runs(policies, [batch.played() for batch in every], runs)


class RunBatch(NamedTuple):
    """A run of policies[of[i]] for every i; the batch has its own noise address."""

    policies: tuple[Policy, ...]
    of: Ints
    environment: Environment
    seed: int
    block: int

    def played(self) -> tuple[Ints, Runs]:
        """Plays the batch; returns the index of the policy that each run belongs to, and the runs."""
        trials = len(self.of)
        policy, noise = joint_policy(self.policies, self.of), Seeded(self.seed, trials, self.block)
        played = play_fastest(policy, self.environment, noise, trials, keep=False)
        return self.of, Runs(played.pulls, played.sums, played.answers)


def batches(
    policies: tuple[Policy, ...], environment: Environment, runs: int, seed: int, batch_numbers: int = BATCH_NUMBERS
) -> list[RunBatch]:
    """Divides `runs` runs of every policy into batches that are played together.
    batch_numbers: the largest number of runs times arms in a batch; the noise of a run depends on it."""
    groups: dict[Hashable, list[int]] = {}
    for place, policy in enumerate(policies):
        groups.setdefault(joint_key(policy, place), []).append(place)
    found = []
    for number, places in enumerate(groups.values()):
        # The longest runs first: those that have ended stand at the end of a batch, and are played no more.
        places = sorted(places, key=lambda place: -stated_steps(policies[place]))
        of, together = np.repeat(places, runs), max(1, batch_numbers // policies[places[0]].arms)
        for start in range(0, len(of), together):
            block = address(number, start) if start else number
            found.append(RunBatch(policies, of[start : start + together], environment, seed, block))
    return found


def gather_runs(policies: tuple[Policy, ...], parts: Sequence[tuple[Ints, Runs]], runs: int) -> tuple[Runs, ...]:
    """Puts the runs of each policy together, in order, from the runs of all batches."""
    found = []
    for place in range(len(policies)):
        mine = [Runs(*(part[of == place] for part in played)) for of, played in parts if (of == place).any()]
        found.append(Runs(*map(np.concatenate, zip(*mine, strict=True))))
        assert len(found[-1].pulls) == runs
    return tuple(found)


def stated_steps(policy: Policy) -> int:
    """Returns the number of steps of a run that the policy declares, by default its horizon.
    Only speed depends on it."""
    return int(getattr(policy, "steps", policy.horizon))


def joint_key(policy: Policy, place: int) -> Hashable:
    """Returns a key that is equal for policies whose runs can be played in one batch as runs of one policy.
    They share all properties except their numeric parameters, and also arms and horizon."""
    if not (is_dataclass(policy) and getattr(policy, "side_by_side", False)):
        return place
    shared = [(each.name, getattr(policy, each.name)) for each in fields(policy)]
    return type(policy), *(
        (name, value) for name, value in shared if name in ("arms", "horizon") or not isinstance(value, int | float)
    )


def joint_policy(policies: Sequence[Policy], of: Ints) -> Policy:
    """Returns one policy whose trial i is a run of policies[of[i]], where all policies are of one kind.
    Every parameter that differs becomes a column (trials, 1). Each policy has already checked its own parameters."""
    first = policies[of[0]]
    differ = {}
    for field in fields(first) if (of != of[0]).any() else ():
        values = [getattr(policies[place], field.name) for place in np.unique(of)]
        if any(value != values[0] for value in values):
            differ[field.name] = np.array([getattr(policies[place], field.name) for place in of])[:, None]
    steps = np.array([stated_steps(policies[place]) for place in of])
    return JointPolicy(first, differ, steps, with_numbers(first, differ)) if differ else first


def with_numbers(policy: Policy, differ: dict[str, np.ndarray]) -> Policy:
    """A copy of the policy in which these numeric parameters are columns, (trials, 1), with a number for each trial."""
    joint = copy.copy(policy)
    for name, values in differ.items():
        object.__setattr__(joint, name, values)
    return joint


class JointPolicy(NamedTuple):
    """Policies of one kind that are played as one. differ: their differing parameters, (trials, 1). steps: of each run,
    (trials,), as the policies declare, the longest first."""

    one: Policy
    differ: dict[str, np.ndarray]
    steps: Ints
    joint: Policy

    @property
    def arms(self) -> int:
        """The number of arms."""
        return int(self.one.arms)

    @property
    def horizon(self) -> int:
        """The horizon: the number of pulls of one run."""
        return int(self.one.horizon)

    @property
    def answers(self) -> bool:
        """Whether the policies end their runs with an answer."""
        return answers(self.one)

    def fewer(self, left: Ints) -> int:
        """The number of trials, counted from the first, that a batch must keep.
        All up to the last one with steps left, and all up to the first run that is shorter than the longest. Properties
        common to all runs, such as whether any run has initial pulls, must not change while some runs continue."""
        shorter = np.flatnonzero(self.steps < self.steps[0])
        return max(int(left.nonzero()[0][-1]) + 1, int(shorter[0]) + 1 if shorter.size else len(left))

    def first(self, many: int) -> JointPolicy:
        """Returns this joint policy for the first `many` trials alone."""
        differ = {name: values[:many] for name, values in self.differ.items()}
        return JointPolicy(self.one, differ, self.steps[:many], with_numbers(self.one, differ))

    def init(self, trials: int) -> State:
        """Returns the state of `trials` runs of the joint policy before the first step."""
        return self.joint.init(trials)

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        """Returns the pulls, or the answers, that the joint policy releases in step t."""
        return self.joint.act(t, state, noise)  # type: ignore[no-any-return]

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        """Returns the joint policy's state after the pulls of step t."""
        return self.joint.learn(t, state, pulls, sums, noise)


PACE_STEPS = 1_000  # steps that show a run's pace: blocks that grow by a factor have used up any horizon by then


class TooLong(Exception):
    """A run has more steps than allowed."""


@dataclass(frozen=True)
class CountedEnvironment:
    """An environment whose `draw` raises TooLong after `most` steps, or after `pace_steps` steps if a run with the
    pulls so far per step would not get through `horizon` pulls in `most` steps."""

    environment: Environment
    most: int
    horizon: int
    pace_steps: int = PACE_STEPS

    @property
    def arms(self) -> int:
        """The number of arms."""
        return self.environment.arms

    def draw(self, t: int, made: Ints, counts: Ints, bound: Reals | None, noise: Noise) -> Array:
        """Draws rewards as `Environment.draw`. Raises TooLong after `most` steps, or if the runs advance too slowly."""
        if t > self.most or (t > self.pace_steps and int(made.sum()) * self.most < self.horizon * (t - 1)):
            raise TooLong
        return self.environment.draw(t, made, counts, bound, noise)


def steps_of(policy: Policy, environment: Environment, most: int) -> int:
    """The number of steps of one run of the policy, at least 1.
    If a run has more than `most` steps, or would have at the pace of its first PACE_STEPS steps, `most` + 1."""
    try:
        played = play(policy, CountedEnvironment(environment, most, policy.horizon), Seeded(0, 1), 1)
    except TooLong:
        return most + 1
    return max(1, int(played.released.shape[1]))
