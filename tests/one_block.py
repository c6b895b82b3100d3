"""A policy that reaches very many states in one step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpbandits import Pair, Pulls, flipped
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import Ints, Law


@dataclass(frozen=True)
class OneBlock:
    """Pulls both arms in one block, which uses up the horizon: 0, 1, ..., T - 1 times arm 0, and arm 1 otherwise.

    Nearly always it pulls arm 1 alone, so that the other blocks are states that take little time to follow.
    """

    horizon: int
    arms: int = 2

    def init(self, trials: int) -> Array:
        return np.zeros((trials, 1))

    def act(self, t: int, state: Array, noise: Noise) -> Pulls:
        raise NotImplementedError

    def law(self, t: int, state: Array) -> Law:
        first = np.arange(self.horizon)
        counts: Ints = np.stack([first, self.horizon - first], axis=1)
        chance = np.append(1.0, np.full(self.horizon - 1, 1e-25))
        return Law(np.tile(counts, (len(state), 1, 1)), np.tile(chance, (len(state), 1)))

    def learn(self, t: int, state: Array, pulls: Pulls, sums: Array, noise: Noise) -> Array:
        return state

    @property
    def pair(self) -> Pair:
        """The tables differ in the last reward of arm 0, so that no state is settled before."""
        return flipped("pull", np.zeros((2, self.horizon)), 0, self.horizon - 1, 1.0)
