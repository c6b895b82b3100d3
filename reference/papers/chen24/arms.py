"""The arms of the experiments: rewards uniform on [0, 2 mu_i]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.checks import is_number, normalize_numeric_fields
from dpbandits.reference.bandits.environments import one_per_arm, require_seeded, truncated_rewards
from dpbandits.reference.bandits.noise import Array, Noise, frozen
from dpbandits.reference.bandits.policy import Ints


@dataclass(frozen=True)
class Uniform:
    """Arms that pay a uniform variable on [0, 2 mean]. means: positive; above 1/2, rewards leave [0, 1]."""

    means: tuple[float, ...]

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        one_per_arm(self.means, "uniform means")
        if not all(is_number(mean) and 0 < mean < np.inf for mean in self.means):
            raise ValueError(f"uniform arms: means is {self.means}; every mean must be positive and finite")

    @property
    def arms(self) -> int:
        return len(self.means)

    @property
    def reward_range(self) -> tuple[float, float]:
        return 0.0, 2 * max(self.means)

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        sums = np.zeros(counts.shape)
        source = require_seeded(noise).generator("rewards", t)
        limit = np.broadcast_to(np.asarray(np.inf if bound is None else bound, dtype=np.float64), counts.shape)
        for trial, arm in zip(*np.nonzero(counts), strict=True):  # in this order: the first trials draw first
            rewards = 2 * self.means[arm] * source.random(int(counts[trial, arm]))
            sums[trial, arm] = truncated_rewards(rewards, limit[trial, arm]).sum()
        return frozen(sums)
