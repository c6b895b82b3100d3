"""Random policies with few states, whose law is known exactly, for tests of upper bounds on eps."""

from __future__ import annotations

from itertools import product
from math import exp, inf, log
from typing import Any, NamedTuple

import numpy as np

from dpbandits import Pulls

STATES = 3
KINDS = ("laplace", "declared uniform", "linear uniform", "threshold uniform")


class State(NamedTuple):
    place: Any  # (trials,): one of the states


def laplace_above(threshold: float) -> float:
    """The probability of a standard Laplace draw above a threshold."""
    return 0.5 * exp(-threshold) if threshold > 0 else 1 - 0.5 * exp(threshold)


class Automaton:
    """In each state an arm is pulled. Its reward and a fresh draw decide on the next state, by comparisons with
    thresholds of the state.

    kind: the draw is Laplace noise on the reward, which is compared with two thresholds; or a uniform number, which is
    compared with a probability that depends on the reward: linearly (for declared rewards 0 and 1, or all rewards), or
    by whether the reward is above a threshold.
    """

    arms = 2

    def __init__(self, seed: int, kind: str, horizon: int = 4) -> None:
        self.kind, self.horizon = kind, horizon
        draw = np.random.default_rng([seed, KINDS.index(kind)])
        self.arm_of = draw.permutation([0, 1, int(draw.integers(2))])
        self.factor = draw.choice((-1.0, 0.0, 0.5, 1.0, 2.0), STATES)
        self.scale = draw.choice((0.5, 1.0, 2.0), STATES)
        self.thresholds = np.sort(draw.choice((-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0), (STATES, 2)), axis=1)
        self.chance = draw.choice((0.125, 0.25, 0.5, 0.75, 0.875), (STATES, 2))  # for the rewards 0 and 1
        self.reward_range: Any = frozenset((0.0, 1.0)) if kind == "declared uniform" else (0.0, 1.0)

    def init(self, trials: int) -> State:
        return State(np.zeros(trials, dtype=np.int64))

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        return Pulls.one(self.arm_of[state.place], self.arms)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        place, reward = state.place, sums.sum(axis=1)
        if self.kind == "laplace":
            value = self.factor[place] * reward + self.scale[place] * noise.laplace("reward", t)
            return State(sum(np.asarray(value > self.thresholds[place, k]).astype(np.int64) for k in range(2)))
        low, high = self.chance[place, 0], self.chance[place, 1]
        if self.kind == "threshold uniform":
            limit = np.where(np.asarray(reward > 0.5), high, low)
        else:
            limit = low + (high - low) * reward
        below = np.asarray(noise.uniform("reward", t) < limit).astype(np.int64)
        return State((place + 1 + below) % STATES)

    def after(self, place: int, reward: float) -> list[float]:
        """The probabilities of the next states."""
        if self.kind == "laplace":
            shift, scale = self.factor[place] * reward, self.scale[place]
            first, second = (laplace_above((each - shift) / scale) for each in self.thresholds[place])
            return [1 - first, first - second, second]
        low, high = self.chance[place]
        below = (low, high)[reward > 0.5] if self.kind == "threshold uniform" else low + (high - low) * reward
        found = [0.0] * STATES
        found[(place + 1) % STATES] += 1 - below
        found[(place + 2) % STATES] += below
        return found

    def law(self, table: tuple[tuple[float, ...], ...]) -> dict[tuple[int, ...], float]:
        """The probability of each sequence of pulls. table: the rewards of each arm, pull by pull."""
        paths = {((), 0): 1.0}
        for t in range(self.horizon):
            after: dict[tuple[tuple[int, ...], int], float] = {}
            for (pulled, place), chance in paths.items():
                arm = int(self.arm_of[place])
                steps = self.after(place, table[arm][pulled.count(arm)]) if t + 1 < self.horizon else [1.0]
                for following, weight in enumerate(steps):
                    key = ((*pulled, arm), following)
                    after[key] = after.get(key, 0.0) + chance * weight
            paths = after
        found: dict[tuple[int, ...], float] = {}
        for (pulled, _), chance in paths.items():
            found[pulled] = found.get(pulled, 0.0) + chance
        return found

    def eps_at_ends(self) -> float:
        """The largest privacy loss of a sequence of pulls between tables of rewards 0 and 1 that differ in one."""
        many = self.horizon - 1  # the last reward decides nothing
        laws = {
            bits: self.law(((*bits[:many], 0.0), (*bits[many:], 0.0))) for bits in product((0.0, 1.0), repeat=2 * many)
        }
        largest = 0.0
        for bits, law in laws.items():
            for place in range(2 * many):
                other = laws[(*bits[:place], 1.0 - bits[place], *bits[place + 1 :])]
                for pulled, chance in law.items():
                    if chance > 0:
                        largest = max(largest, log(chance / other[pulled]) if other.get(pulled, 0.0) > 0 else inf)
        return largest
