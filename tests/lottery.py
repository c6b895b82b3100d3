"""A policy that releases blocks of random size, of one arm or of both, truncates some, and forgets: to try laws with.

Its law has nothing to do with any paper. What it releases next depends on the sums since it last pulled both arms, so
that runs with the same pull counts may be in different states, and runs with different ones in the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpbandits import Noise, Pulls
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints, Law

OUTCOMES = np.array([[2, 2], [1, 0], [0, 1], [0, 3]])
BOUNDS = np.array([[0.5, 1], [1, 1], [1, 1], [1, 0.75]])


class State(NamedTuple):
    fresh: Ints  # (trials,): pulls since both arms were pulled
    total: Array  # (trials, 2): the sums since then


@dataclass(frozen=True)
class Lottery:
    """bias: so much less often than its law says, act pulls both arms, and so much more often the first one alone.
    since: a block of three is drawn from this step on."""

    horizon: int
    bias: float = 0.0
    since: int = 2
    arms: int = 2

    def init(self, trials: int) -> State:
        return State(np.zeros(trials, dtype=np.int64), np.zeros((trials, 2)))

    def chance(self, t: int, state: State) -> Array:
        weight = np.stack(
            [
                1 + 0 * state.total[:, 0],
                1 + state.total[:, 0],
                1 + state.total[:, 1] + state.fresh,
                (t >= self.since) * (0.5 + state.total[:, 1] ** 2),
            ],
            axis=1,
        )
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))

    def law(self, t: int, state: State) -> Law:
        shape = (len(state.fresh), *OUTCOMES.shape)
        return Law(np.broadcast_to(OUTCOMES, shape), self.chance(t, state), np.broadcast_to(BOUNDS, shape), 1e-14)

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        ends = np.cumsum(self.chance(t, state), axis=1)[:, :-1]
        ends[:, 0] -= self.bias
        drawn = (noise.uniform("lottery", t)[:, None] > ends).sum(axis=1)
        return Pulls(OUTCOMES[drawn], BOUNDS[drawn])

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        both = (pulls.counts > 0).all(axis=1)
        fresh = np.where(both, 0, state.fresh + pulls.counts.sum(axis=1))
        return State(fresh, np.where(both[:, None], sums, state.total + sums))
