"""Policies that end with an answer: to try releases with that are no pulls. Of no paper.

`Tournament` halves the arms by their noisy sums and recommends the last one, with pulls left; `Stopping` pulls both
arms and stops the sooner the further their sums are apart, or when the horizon is used up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits import Noise, Pulls
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Law, one_answer
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, subsets, top


class State(NamedTuple):
    active: NDArray[np.bool_]  # (trials, arms)
    total: Array  # (trials, arms): the sums of the last block


@dataclass(frozen=True)
class Tournament:
    """arms: a power of 2. each: pulls of an active arm in a phase. eps: of every phase, for rewards in the range.
    shrunk: what the noise is multiplied by."""

    arms: int = 4
    horizon: int = 100
    each: int = 3
    eps: float = 1.0
    shrunk: float = 1.0
    answers: bool = True
    reward_range: tuple[float, float] = (0.0, 1.0)

    @property
    def scale(self) -> float:
        """Of the noise of a sum."""
        return (self.reward_range[1] - self.reward_range[0]) / self.eps

    def init(self, trials: int) -> State:
        return State(np.ones((trials, self.arms), dtype=bool), np.zeros((trials, self.arms)))

    def left(self, t: int) -> int:
        """How many arms take part in phase t, 1 for the answer."""
        return max(1, self.arms >> (t - 1))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        if t == 1:
            return Pulls(np.full(state.active.shape, self.each))
        noisy = state.total + self.shrunk * self.scale * noise.laplace("sum", t, (self.arms,))
        order = np.argsort(np.where(state.active, -noisy, np.inf), axis=1)
        kept = np.zeros_like(state.active)
        np.put_along_axis(kept, order[:, : self.left(t)], True, axis=1)
        if self.left(t) == 1:
            return Pulls.answer(kept.argmax(axis=1), self.arms)
        return Pulls(kept * self.each)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        return State(pulls.counts > 0, sums)

    def law(self, t: int, state: State) -> Law:
        many = len(state.total)
        if t == 1:
            return Law(np.full((many, 1, self.arms), self.each), np.ones((many, 1)))
        sets = subsets(self.arms, self.left(t), self.left(t))
        chance, error = np.zeros((many, len(sets))), 0.0
        for active in np.unique(state.active, axis=0):
            rows, arms = np.flatnonzero((state.active == active).all(axis=1)), np.flatnonzero(active)
            found = top(LAPLACE, state.total[rows][:, arms], self.scale, self.left(t))
            wide = np.zeros((len(found.sets), self.arms), dtype=bool)
            wide[:, arms] = found.sets
            places = (wide[:, None] == sets).all(axis=2).argmax(axis=1)
            chance[np.ix_(rows, places)] = found.chance
            error = max(error, float(found.error.max()))
        if self.left(t) == 1:
            return one_answer(chance[:, sets.argmax(axis=1).argsort()], error, 0.0)
        return Law(np.broadcast_to(sets * self.each, (many, *sets.shape)), chance, None, error)


class Sums(NamedTuple):
    total: Array  # (trials, 2)


@dataclass(frozen=True)
class Stopping:
    """Each step pulls both arms once, or answers: with chance q(d) the first arm, with q(-d) the second, where d is the
    difference of the sums and q(d) = e^d/(3 + e^d + e^-d); e^d/(e^d + e^-d) where the horizon is used up."""

    horizon: int = 6
    bias: float = 0.0
    arms: int = 2
    answers: bool = True

    def init(self, trials: int) -> Sums:
        return Sums(np.zeros((trials, 2)))

    def chance(self, t: int, state: Sums) -> Array:
        """(trials, 3): of going on, and of the answers."""
        d = state.total[:, 0] - state.total[:, 1]
        stay = np.full(len(d), 3.0 if 2 * (t - 1) < self.horizon else 0.0)
        weight = np.stack([stay, np.exp(d), np.exp(-d)], axis=1)
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))

    def law(self, t: int, state: Sums) -> Law:
        counts = np.array([[1, 1], [-1, 0], [0, -1]])
        return Law(np.broadcast_to(counts, (len(state.total), 3, 2)), self.chance(t, state), None, 1e-14)

    def act(self, t: int, state: Sums, noise: Noise) -> Pulls:
        ends = np.cumsum(self.chance(t, state), axis=1)
        ends[:, 1] -= self.bias
        drawn = (noise.uniform("draw", t)[:, None] > ends[:, :2]).sum(axis=1)
        said = Pulls.answer(np.maximum(drawn - 1, 0), 2).counts
        return Pulls(np.where((drawn > 0)[:, None], said, 1))

    def learn(self, t: int, state: Sums, pulls: Pulls, sums: Array, noise: Noise) -> Sums:
        return Sums(state.total + sums)
