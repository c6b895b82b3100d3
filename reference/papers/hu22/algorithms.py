"""Hu, Hegde: Near-Optimal Thompson Sampling-based Algorithms for Differentially Private Stochastic Bandits (UAI 2022).

Lazy-DP-TS: Thompson sampling with Beta priors on noisy means. The algorithm is from a secondary source: the paper's
text was not at hand. log is natural, an argmax takes the lowest index; lines are numbered as follows.

     1  pull every arm once; mu_j <- this reward + Lap(1/eps); O_j <- 1
     2  for every round t from then on:
     3      v_j <- 3 ln(t)/(eps O_j)
     4      m_j <- mu_j + v_j, or the nearer one of 0 and 1 where it lies beyond
     5      theta_j ~ Beta(m_j O_j + 1, (1 - m_j) O_j + 1)
     6      pull A = argmax theta_j, and keep the reward
     7      once there are 2 O_A new rewards of A:
     8          O_A <- 2 O_A; all older rewards are forgotten
     9          mu_A <- (their sum + Lap(1/eps))/O_A, drawn once
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpbandits.reference.arithmetic.checks import at_least, normalize_numeric_fields, positive
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits import lazy_doubling
from dpbandits.reference.bandits.lazy_doubling import Batches
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.noisy_values import Noisy
from dpbandits.reference.bandits.policy import Ints, Pulls
from dpbandits.reference.bandits.release_laws import betas
from dpbandits.reference.papers.hu22 import formulas as f

FOR_NOISE = 3.0  # line 3


@dataclass(frozen=True)
class LazyDPTS:
    """Lazy-DP-TS. arms: K >= 1. horizon: T >= K, which it does not use. eps: > 0. for_noise: line 3's constant, > 0."""

    side_by_side: ClassVar[bool] = True
    arms: int
    horizon: int
    eps: float = 1.0
    for_noise: float = FOR_NOISE

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        at_least("K (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, self.arms)
        positive("eps", self.eps)
        positive("line 3's constant (for_noise)", self.for_noise)

    def init(self, trials: int) -> Batches:
        return lazy_doubling.none_yet(trials, self.arms)

    def noisy(self, t: int, state: Batches) -> Noisy:
        """Lines 1 and 9: the noisy means of batches that have just become whole."""
        return lazy_doubling.noisy(state, self.eps, t > self.arms)

    def with_noise(self, t: int, state: Batches, z: Array) -> Batches:
        """Lines 1 and 9 in step t > K; z: (trials, arms), standard draws of Laplace's law."""
        return lazy_doubling.with_noise(state, self.noisy(t, state), z)

    def beta_posterior(self, log_t: float, state: Batches) -> tuple[Array, Array]:
        """Lines 3 to 5: the parameters of the Beta law of every theta, from means with their noise. log_t: ln(t)."""
        bonus = f.noise_bonus(self.for_noise, log_t, self.eps, state.used)  # 3
        optimistic = np.clip(state.mean + bonus, 0, 1)  # 4
        return optimistic * state.used + 1, (1 - optimistic) * state.used + 1

    def act(self, t: int, state: Batches, noise: Noise) -> Pulls:
        if t <= self.arms:
            return lazy_doubling.initial_pulls(t, len(state.pulls), self.arms)  # line 1
        met = self.with_noise(t, state, noise.laplace("mean", t, (self.arms,)))
        parameters = self.beta_posterior(doubles.log(float(t)), met)
        best = betas.largest_sample(*parameters, noise.uniform("theta", t, (self.arms,)))  # lines 5 and 6
        return Pulls.one(best, self.arms)

    def observed(self, t: int, state: Batches, counts: Ints, sums: Array) -> Batches:
        """Line 6 for every arm."""
        return lazy_doubling.observed(state, counts, sums)

    def ended(self, t: int, state: Batches) -> Any:
        """Line 7: the arms that have a whole batch."""
        return lazy_doubling.ended(state)

    def processed(self, t: int, state: Batches) -> Batches:
        """Lines 8 and 9 for every arm, as if its batch were whole."""
        return lazy_doubling.processed(state)

    def learn(self, t: int, state: Batches, pulls: Pulls, sums: Array, noise: Noise) -> Batches:
        return lazy_doubling.batches_after_pulls(t, state, self.noisy(t, state), pulls, sums, noise)  # lines 7 to 9


PRINTED: Callable[..., Any] = LazyDPTS
