"""Two arms before the changed reward is read: how the game can reach its start.

The change is at the m-th pull of an arm. Until then both sides are alike, and a round with n pulls out of N leads to
n + 1 with a probability that means in [0, n/(n+1)] and [0, (N-n)/(N-n+1)] bound from both sides. B_N(n) lets the
adversary choose those probabilities, and m as well, at any time: B_N(n) is the largest a max(B_{N+1}(n+1),
V_{N+1}(n+1)) + (1-a) B_{N+1}(n), linear in a, so largest at an end of a's range. At n = last, the value of the game
with unbounded thresholds stands for all later starts: there, V falls with n, and she may waste rounds.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from dpbandits.proofs_checks.thompson.rules import Sampler, two_arms
from dpbandits.reference.bandits.noise import Array

WAITING_ROUNDING = 1e-12  # relative, of one round: of a, 1 - a, and three operations


class Waiting:
    """B_N(n) for falling N, as values at P = 1 on a grid of ratios. last: where the game's own values end."""

    def __init__(self, sampler: Sampler, last: int, final: Array) -> None:
        self.sampler, self.pulls = sampler, np.arange(sampler.prepulls, last, dtype=np.float64)
        self.values = np.tile(final, (self.pulls.size + 1, 1))
        self.started = self.values  # the largest of B and V, one round later

    def step(self, total: int, game: dict[int, Array], edge: Array) -> None:
        """One round earlier. game: V_total(n) by n, of those that were computed. edge: the bound at `last`."""
        rules = two_arms(self.sampler, self.pulls, total)
        least, most = ndtr(-rules.high)[:, None], ndtr(rules.low)[:, None]
        pulled, not_pulled = self.started[1:], self.values[:-1]
        best = np.maximum(least * pulled + (1 - least) * not_pulled, most * pulled + (1 - most) * not_pulled)
        self.values = np.concatenate([best * (1 + WAITING_ROUNDING), edge[None]])
        self.started = self.values.copy()
        for n, values in game.items():
            place = n - self.sampler.prepulls
            self.started[place] = np.maximum(self.started[place], values)

    def finished(self) -> Array:
        """The bound at the start of the run."""
        return np.asarray(self.started[0])
