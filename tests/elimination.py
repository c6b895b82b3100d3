"""Private successive elimination on truncated means: a policy that pulls blocks, to try the protocol with.

It has the shape of DP-SE (Sajed and Sheffet 2019) and of its heavy-tailed kin: in epoch e every active arm is pulled
R times, rewards above a bound count as 0, the epoch's means get Laplace noise, and arms far below the best go.
The constants are made up so that short runs see several epochs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits import Noise, Pulls
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints


class State(NamedTuple):
    """No reward outlives its epoch: what is remembered has been released, or follows from it."""

    epoch: Ints  # (trials,): 1, 2, ...
    active: NDArray[np.bool_]  # (trials, arms)


@dataclass(frozen=True)
class Elimination:
    """arms: K >= 1. horizon: T >= 1. eps: the privacy parameter, > 0. first: the pulls of an arm in epoch 1."""

    arms: int
    horizon: int
    eps: float = 1.0
    first: int = 4

    def init(self, trials: int) -> State:
        return State(np.ones(trials, dtype=np.int64), np.ones((trials, self.arms), dtype=bool))

    def length(self, state: State) -> Ints:
        """R (trials, 1): the pulls of each active arm, doubled in every epoch; the horizon for a sole survivor."""
        doubled = self.first * 2.0 ** (state.epoch - 1)  # in floating point: it may exceed every integer type
        alone = state.active.sum(axis=1) == 1
        return np.where(alone, self.horizon, np.minimum(doubled, self.horizon)).astype(np.int64)[:, None]

    def bound(self, state: State) -> Array:
        """B (trials, arms): grows with the epoch, and is here another one for odd arms than for even ones."""
        return 1 - 0.5 ** state.epoch[:, None] / (1 + np.arange(self.arms) % 2)

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        return Pulls(np.where(state.active, self.length(state), 0), self.bound(state))

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        rounds, bound = self.length(state), self.bound(state)
        scale = bound / (rounds * self.eps)  # a truncated reward moves the mean by at most B/R
        mean = np.where(state.active, sums / rounds + scale * noise.laplace("mean", t, (self.arms,)), -np.inf)
        width = np.sqrt(1 / rounds) + 1 / (rounds * self.eps)
        stays = state.active & (mean.max(axis=1, keepdims=True) - mean <= width)
        # An epoch that the horizon cuts short releases no means; neither does one without competitors.
        whole = np.where(state.active, pulls.counts == rounds, True).all(axis=1) & (state.active.sum(axis=1) > 1)
        return State(state.epoch + whole, np.where(whole[:, None], stays, state.active))
