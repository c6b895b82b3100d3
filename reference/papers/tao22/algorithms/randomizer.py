"""Lines 15 and 16 of Algorithm 4: how a user randomizes a reward before sending it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.checks import normalize_numeric_fields, positive
from dpbandits.reference.bandits.noise import Array, Noise


@dataclass(frozen=True)
class Randomizer:
    """Lines 15 and 16 of Algorithm 4: what one user sends. bound: B > 0. eps > 0. scale: 2 B/eps in print."""

    bound: float
    eps: float

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        positive("B (bound)", self.bound)
        positive("eps", self.eps)

    @property
    def scale(self) -> float:
        return 2 * self.bound / self.eps

    def truncated(self, reward: Any) -> Array:
        """The reward where |x| <= B, else 0 (truncation, not clipping). ValueError for what is not finite."""
        rewards = np.asarray(reward, dtype=np.float64)
        if not np.isfinite(rewards).all():
            raise ValueError(f"a reward is {rewards[~np.isfinite(rewards)].flat[0]}; rewards must be finite")
        return np.where(np.abs(rewards) <= self.bound, rewards, 0.0)

    def report(self, reward: Any, noise: Noise, index: int = 0) -> Array:
        """The message, (trials,), of a user with this reward."""
        return np.asarray(self.truncated(reward) + self.scale * noise.laplace("report", index))

    def loss(self, one: Any, other: Any) -> Array:
        """The supremum over messages of the log-ratio of their densities for two rewards: attained beyond both."""
        return np.asarray(np.abs(self.truncated(one) - self.truncated(other)) / self.scale)
