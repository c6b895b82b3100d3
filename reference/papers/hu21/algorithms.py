"""Hu, Huang, Mehta: Near-Optimal Algorithms for Private Online Learning in a Stochastic Environment (arXiv 2021).

Anytime-Lazy-UCB, a private UCB that forgets. The algorithm is from a secondary source: the paper's text was not at
hand, its index was recovered in part. c_L = 3 is what Lazy-DP-TS has (hu22, one author in common); c_H = 3 is
unconfirmed. Both are fields. log is natural, an argmax takes the lowest index; lines are numbered as follows.

     1  pull every arm once; mu_j <- this reward + Lap(1/eps); O_j <- 1
     2  for every round t from then on:
     3      v_j <- c_L ln(t)/(eps O_j)
     4      pull A = argmax mu_j + sqrt(c_H ln(t)/O_j) + v_j, and keep the reward
     5      once there are 2 O_A new rewards of A:
     6          O_A <- 2 O_A; all older rewards are forgotten
     7          mu_A <- the mean of the new ones + Lap(1/(eps O_A)), drawn once
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
from dpbandits.reference.bandits.policy import Pulls
from dpbandits.reference.bandits.release_laws.declared_steps import Comparing
from dpbandits.reference.papers.hu21 import formulas as f

FOR_MEAN, FOR_NOISE = 3.0, 3.0  # c_H and c_L


@dataclass(frozen=True)
class AnytimeLazyUCB:
    """Anytime-Lazy-UCB. arms: K >= 1. horizon: T >= K, which it does not use. eps: > 0. for_mean, for_noise: c_H and
    c_L > 0.

    A step is a block of rounds: from one in which an arm begins to lead to the last before another one does, or before
    its batch is whole. That shows what single rounds show. Between two of the bonuses one grows faster all the time, so
    that whoever overtakes stays in front.
    """

    side_by_side: ClassVar[bool] = True
    arms: int
    horizon: int
    eps: float = 1.0
    for_mean: float = FOR_MEAN
    for_noise: float = FOR_NOISE

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        at_least("K (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, self.arms)
        positive("eps", self.eps)
        positive("c_H (for_mean)", self.for_mean)
        positive("c_L (for_noise)", self.for_noise)

    def init(self, trials: int) -> Batches:
        return lazy_doubling.none_yet(trials, self.arms)

    def noisy(self, t: int, state: Batches) -> Noisy:
        """Lines 1 and 7: the noisy means of batches that have just become whole."""
        return lazy_doubling.noisy(state, self.eps, t > self.arms)

    def bonus(self, round: Any, state: Batches) -> Array:
        """What line 4 adds to the means in a round, (trials, 1), or in several, (rounds, trials, 1)."""
        squared = f.squared_mean_bonus(doubles, self.for_mean, round, state.used)
        return np.asarray(np.sqrt(squared) + f.noise_bonus(doubles, self.for_noise, round, self.eps, state.used))

    def act(self, t: int, state: Batches, noise: Noise) -> Pulls:
        if t <= self.arms:
            return lazy_doubling.initial_pulls(t, len(state.pulls), self.arms)  # line 1
        mean, now = (
            lazy_doubling.means(t, state, self.noisy(t, state), noise),
            state.pulls.sum(axis=1, keepdims=True) + 1,
        )
        best = (mean + self.bonus(now, state)).argmax(axis=1)  # line 4
        chosen = Pulls.one(best, self.arms).counts
        # It leads in the first `leads` + 1 rounds, and no longer than the block, which line 5 ends at the latest.
        block = (chosen * (lazy_doubling.next_batch_size(state) - state.waiting)).sum(axis=1, keepdims=True)
        leads, middle = np.zeros_like(block), block - 1  # most blocks end with a whole batch
        while True:
            still = (mean + self.bonus(now + middle, state)).argmax(axis=1)[:, None] == best[:, None]
            leads, block = np.where(still, middle, leads), np.where(still, block, middle)
            if (block - leads <= 1).all():
                return Pulls(chosen * block)  # lines 2 to 4, so many times
            middle = (leads + block) // 2

    def compares(self, t: int, state: Batches) -> Comparing:
        """Lines 2 to 5 of two arms. Arm 0 leads in a round where mu_0 - mu_1 is at least what the bonus of arm 1 has
        over its own; a block that ends before its batch is whole says when that changed."""
        trials = len(state.pulls)
        if t <= self.arms:
            infinite = np.full((trials, 1), np.inf)
            return Comparing(lazy_doubling.initial_pulls(t, trials, self.arms).counts[:, None], -infinite, infinite)
        whole = lazy_doubling.next_batch_size(state) - state.waiting
        lengths = np.arange(1, int(whole.max()) + 1)
        start = state.pulls.sum(axis=1, keepdims=True) + 1
        rounds = start + np.arange(len(lengths) + 1)  # (trials, rounds): from the first to the one after the longest
        bonus = [self.bonus(rounds, state._replace(used=state.used[:, arm, None])) for arm in range(self.arms)]
        least = bonus[1] - bonus[0]
        low, high = np.empty((2, trials, self.arms, len(lengths)))
        last, after = least[:, :-1], np.where(lengths == whole[:, :, None], np.inf, least[:, None, 1:])
        low[:, 0], high[:, 0] = np.maximum(least[:, :1], last), after[:, 0]
        after = np.where(lengths == whole[:, :, None], -np.inf, least[:, None, 1:])
        low[:, 1], high[:, 1] = after[:, 1], np.minimum(least[:, :1], last)
        beyond = lengths > whole[:, :, None]
        low, high = np.where(beyond, np.inf, low), np.where(beyond, -np.inf, high)
        counts = lengths[:, None] * np.eye(self.arms, dtype=np.int64)[:, None]
        every = np.broadcast_to(counts.reshape(-1, self.arms), (trials, self.arms * len(lengths), self.arms))
        return Comparing(every, low.reshape(trials, -1), high.reshape(trials, -1))

    def learn(self, t: int, state: Batches, pulls: Pulls, sums: Array, noise: Noise) -> Batches:
        return lazy_doubling.batches_after_pulls(t, state, self.noisy(t, state), pulls, sums, noise)  # lines 5 to 7


PRINTED: Callable[..., Any] = AnytimeLazyUCB
