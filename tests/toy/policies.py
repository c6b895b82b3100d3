"""The policy of the privacy claim."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpbandits.pages import Array, Noise, Pulls


@dataclass(frozen=True)
class Policy:
    """Pulls the first arm, adds noise to its reward, and pulls the second arm from then on if the sum is large.
    The noise is N(0, 1); a policy that leaks adds N(0, 0.01^2)."""

    horizon: int
    leaks: bool = False
    arms = 2

    def init(self, trials: int) -> Array:
        return np.zeros(trials)

    def act(self, t: int, state: Array, noise: Noise) -> Pulls:
        return Pulls.one((state > 0.5).astype(int), 2)

    def learn(self, t: int, state: Array, pulls: Pulls, sums: Array, noise: Noise) -> Array:
        return sums[:, 0] + (0.01 if self.leaks else 1.0) * noise.normal("Z", t) if t == 1 else state
