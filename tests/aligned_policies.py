"""Small policies whose noise is right, and the same ones with planted faults, for tests of randomness alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits import Pulls


class State(NamedTuple):
    pulls: np.ndarray  # (trials, arms)
    total: np.ndarray  # (trials, arms), with noise


@dataclass(frozen=True)
class LocalNoise:
    """Every reward gets noise when it arrives; the arm with the best noisy mean is pulled.

    forgets: from which pull of an arm on the noise is forgotten. shrinks: the power of the pull count by which noise is
    divided. reuses: whether all rewards of an arm get the same draw.
    """

    arms: int
    horizon: int
    scale: float = 1.0
    kind: str = "laplace"
    forgets: int = 10**9
    shrinks: float = 0.0
    reuses: bool = False

    def init(self, trials: int) -> State:
        return State(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms)))

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        mean = state.total / np.maximum(state.pulls, 1)
        return Pulls.one(np.where(state.pulls == 0, np.inf, mean).argmax(axis=1), self.arms)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        drawn = getattr(noise, self.kind)("reward", 0 if self.reuses else t, (self.arms,))
        size = self.scale * (state.pulls < self.forgets) / (state.pulls + 1.0) ** self.shrinks
        return State(state.pulls + pulls.counts, state.total + sums + pulls.counts * size * drawn)


@dataclass(frozen=True)
class Raw(LocalNoise):
    """Compares the last reward of arm 0 without noise in its last step."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        if t == self.horizon:
            return Pulls.one(np.asarray(state.total[:, 0] > 0.5).astype(np.int64), self.arms)
        return Pulls.one(np.full(len(state.pulls), (t - 1) % self.arms), self.arms)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        return State(state.pulls + pulls.counts, np.where(pulls.counts > 0, sums, state.total))


@dataclass(frozen=True)
class Squares(LocalNoise):
    """Compares squares of noisy values."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        return Pulls.one((state.total**2).argmax(axis=1), self.arms)


class OwnGenerator(LocalNoise):
    """Draws its noise from a generator of its own."""

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        noise.laplace("reward", t, (self.arms,))
        drawn = np.random.default_rng().laplace(size=state.total.shape)
        return State(state.pulls + pulls.counts, state.total + sums + pulls.counts * drawn)
