"""Runs of policies against random arms, many settings side by side: a step of T = 1e5 costs the same for all.

Policies of one kind that differ only in numbers, and say `side_by_side = True`, are played as one policy whose numbers
are columns, (trials, 1): the leading axis of every array is the trial, and a policy's parameters are no exception. Who
says nothing gets the numbers that it was made with: a formula that does not broadcast would fail, or mean other things.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from dpbandits.reference.environments import Environment
from dpbandits.reference.noise import Array, Noise, Seeded
from dpbandits.reference.policy import Ints, play
from dpbandits.reference.quantities import Runs


def side_by_side(policies: tuple[Any, ...], environment: Any, runs: int, seed: int) -> tuple[Runs, ...]:
    """`runs` runs of every policy against the same random arms, each with noise of its own."""
    groups: dict[Any, list[int]] = {}
    for place, policy in enumerate(policies):
        groups.setdefault(kind(policy, place), []).append(place)
    found: dict[int, Runs] = {}
    for block, places in enumerate(groups.values()):
        joint, trials = columns(tuple(policies[place] for place in places), runs), runs * len(places)
        played = play(joint, environment, Seeded(seed, trials, block), trials, keep=False)
        for row, place in enumerate(places):
            rows = slice(row * runs, (row + 1) * runs)
            found[place] = Runs(played.pulls[rows], played.sums[rows], played.answers[rows])
    return tuple(found[place] for place in range(len(policies)))


def kind(policy: Any, place: int) -> Any:
    """What policies must share to be played as one: all but their numbers, and arms and horizon."""
    if not (is_dataclass(policy) and getattr(policy, "side_by_side", False)):
        return place
    shared = [(each.name, getattr(policy, each.name)) for each in fields(policy)]
    return type(policy), *(
        (name, value) for name, value in shared if name in ("arms", "horizon") or not isinstance(value, int | float)
    )


def columns(policies: tuple[Any, ...], runs: int) -> Any:
    """One policy of the same kind that holds, in every number in which the policies differ, a column (trials, 1).
    Every policy has already checked its own numbers."""
    first = policies[0]
    if len(policies) == 1:
        return first
    joint = copy.copy(first)
    for field in fields(first):
        values = [getattr(each, field.name) for each in policies]
        if any(value != values[0] for value in values):
            object.__setattr__(joint, field.name, np.repeat(np.asarray(values), runs)[:, None])
    return joint


SLOW = 1_000  # steps after which a pace is known: blocks that grow by a factor have long used up any horizon


class TooLong(Exception):
    """A run has more steps than were asked for."""


@dataclass(frozen=True)
class Counting:
    """An environment that is drawn from in so many steps, and in no more; from SLOW steps on only by who gets through
    `horizon` pulls in so many steps, at the pace so far."""

    environment: Environment
    most: int
    horizon: int

    @property
    def arms(self) -> int:
        return self.environment.arms

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        if t > self.most or (t > SLOW and int(made.sum()) * self.most < self.horizon * (t - 1)):
            raise TooLong
        return self.environment.draw(t, made, counts, bound, noise)


def steps_of(policy: Any, environment: Environment, most: int) -> int:
    """How many steps one run of the policy has, at least 1; most + 1 where it has more than `most`, or would have at
    the pace of its first SLOW steps."""
    try:
        played = play(policy, Counting(environment, most, policy.horizon), Seeded(0, 1), 1)
    except TooLong:
        return most + 1
    return max(1, int(played.released.shape[1]))
