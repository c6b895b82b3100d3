"""Algorithm 1, with the printed line numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpbandits.pages import Array, Noise, Pulls, at_least, positive


class State(NamedTuple):
    """What Algorithm 1 remembers."""

    first: Array  # (trials, arms): every arm's first reward. SECRET


@dataclass(frozen=True)
class FirstImpression:
    """Algorithm 1. arms: K >= 1. horizon: T >= K. sigma: the standard deviation of the noise, > 0."""

    arms: int
    horizon: int
    sigma: float = 1.0

    def __post_init__(self) -> None:
        at_least("K (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, self.arms)
        positive("sigma", self.sigma)

    def init(self, trials: int) -> State:
        return State(np.zeros((trials, self.arms)))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        if t <= self.arms:
            return Pulls.one(np.full(len(state.first), t - 1), self.arms)  # line 1: every arm once
        seen = state.first + self.sigma * noise.normal("X", t, (self.arms,))  # line 2: X_i ~ N(r_i, sigma^2)
        return Pulls.one(seen.argmax(axis=1), self.arms)  # line 3

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        return State(state.first + sums) if t <= self.arms else state  # line 4: later rewards are ignored
