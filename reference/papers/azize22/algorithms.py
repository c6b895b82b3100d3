"""Azize, Basu: When Privacy Meets Partial Information (NeurIPS 2022).

AdaP-UCB, a private UCB with doubling episodes that forgets. The submitted version was read; this module says nothing
about the printed version, its appendix, or AdaP-KLUCB. log is natural, an argmax takes the lowest index; the lines of
Algorithm 1 with the index (7) are numbered as follows.

     1  pull every arm once; N_a <- 1
     2  mu_a <- this reward + Lap(1/eps); n_a <- 1
     3  while rounds are left, from the round t_l on:
     4      A <- argmax mu_a + sqrt(alpha ln(2 t_l)/(2 n_a)) + alpha ln(t_l)/(eps n_a)
     5      pull A until N_A has doubled
     6      n_A <- N_A/2, the rewards of this episode alone; all earlier ones are forgotten
     7      mu_A <- their mean + Lap(1/(eps n_A)), drawn once
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dpbandits.reference.arithmetic.checks import at_least, normalize_numeric_fields, positive
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.noise import Array, Noise, again
from dpbandits.reference.bandits.noisy_values import Noisy
from dpbandits.reference.bandits.policy import Ints, Pulls
from dpbandits.reference.bandits.release_laws.declared_steps import Comparing
from dpbandits.reference.papers.azize22 import formulas as f

ALPHA = 3.1  # alpha > 3 in the analysis; 3.1 in experiments


class State(NamedTuple):
    """What AdaP-UCB remembers between episodes; one step is one episode. Episodes do not overlap: no reward outlives
    its own."""

    pulls: Ints  # (trials, arms): N_a
    length: Ints  # (trials, arms): n_a, the pulls of the last episode; 0 before the first
    total: Array  # (trials, arms): the sums of the last episode. SECRET
    fresh: Ints  # (trials, arms): 1 where the mean of the last episode has not met its noise yet
    mean: Array  # (trials, arms): mu_a, with its noise; where `fresh`, of the episode before


@dataclass(frozen=True)
class AdaPUCB:
    """AdaP-UCB. arms: K >= 1. horizon: T >= K. eps: > 0. alpha: > 0; the analysis needs more than 3.

    If T ends within an episode, only its pulls are released.
    """

    side_by_side: ClassVar[bool] = True
    arms: int
    horizon: int
    eps: float = 1.0
    alpha: float = ALPHA

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        at_least("K (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, self.arms)
        positive("eps", self.eps)
        positive("alpha", self.alpha)

    def init(self, trials: int) -> State:
        shape = (trials, self.arms)
        none: Ints = np.zeros(shape, dtype=np.int64)
        return State(none, none, np.zeros(shape), none, np.zeros(shape))

    def noisy(self, t: int, state: State) -> Noisy:
        """Lines 2 and 7: the noisy means of episodes that have just ended; scale 0 where none is drawn."""
        length, fresh = np.maximum(state.length, 1), (state.fresh > 0) & (t > self.arms)
        return Noisy(
            "laplace", "mean", state.total / length, np.where(fresh, f.noise_scale(doubles, self.eps, length), 0)
        )

    def means(self, t: int, state: State, noise: Noise) -> Array:
        """mu_a of every arm, (trials, arms), for t > K."""
        drawn = self.noisy(t, state)
        fresh = drawn.centre + drawn.scale * noise.laplace(drawn.site, t, (self.arms,))
        return np.where(drawn.scale > 0, fresh, state.mean)

    def bonus(self, state: State) -> Array:
        """The bonuses that line 4 adds to the means."""
        start = state.pulls.sum(axis=1, keepdims=True) + 1  # t_l
        squared = f.squared_mean_bonus(doubles, self.alpha, start, state.length)
        return np.asarray(np.sqrt(squared) + f.noise_bonus(doubles, self.alpha, start, self.eps, state.length))

    def first(self, t: int, trials: int) -> Pulls:
        """Line 1: step t <= K pulls arm t - 1."""
        return Pulls.one(np.full(trials, t - 1), self.arms)

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        if t <= self.arms:
            return self.first(t, len(state.pulls))  # line 1
        best = (self.means(t, state, noise) + self.bonus(state)).argmax(axis=1)  # line 4
        return Pulls(state.pulls * Pulls.one(best, self.arms).counts)  # line 5

    def compares(self, t: int, state: State) -> Comparing:
        """Line 4 for two arms: arm 0 is played if mu_0 - mu_1 is at least the difference between the bonuses of arm 1
        and arm 0."""
        trials, infinite = len(state.pulls), np.full(len(state.pulls), np.inf)
        if t <= self.arms:
            return Comparing(self.first(t, trials).counts[:, None], -infinite[:, None], infinite[:, None])
        bonus = self.bonus(state)
        least = bonus[:, 1] - bonus[:, 0]
        counts = state.pulls[:, :, None] * np.eye(self.arms, dtype=np.int64)
        return Comparing(counts, np.stack([least, -infinite], axis=1), np.stack([infinite, least], axis=1))

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        played = pulls.counts > 0
        mean, fresh = state.mean, state.fresh
        if t > self.arms:
            mean, fresh = self.means(t, state, again(noise)), np.zeros_like(fresh)  # the very draws of act
        return State(
            pulls=state.pulls + pulls.counts,
            length=np.where(played, pulls.counts, state.length),  # line 6
            total=np.where(played, sums, state.total),  # line 6
            fresh=np.where(played, 1, fresh),
            mean=mean,
        )


PRINTED: Callable[..., Any] = AdaPUCB
