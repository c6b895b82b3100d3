"""Two arms before the changed reward is read: how the game can reach its start.

The change is at the m-th pull of an arm. Until then both sides are alike, and a round with n pulls out of N leads to
n + 1 with a probability that means in [0, n/(n+1)] and [0, (N-n)/(N-n+1)] bound from both sides. B_N(n) lets the
adversary choose those probabilities, and m as well, at any time: B_N(n) is the largest a max(B_{N+1}(n+1),
V_{N+1}(n+1)) + (1-a) B_{N+1}(n), linear in a, so largest at an end of a's range. At n = last, the value of the game
with unbounded thresholds stands for all later starts: there, V falls with n, and she may waste rounds.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import ndtr

from dpbandits.proofs_checks.thompson.rules import Sampler, two_arms
from dpbandits.proofs_checks.vocabularies.kept_code import kept_kernel
from dpbandits.reference.bandits.noise import Array

COMPILED_WAITS = 1e7  # values of all rounds; with fewer, compiling takes longer than it saves
WAITING_ROUNDING = 1e-12  # relative, of one round: of a, 1 - a, and three operations


class Waiting:
    """B_N(n) for falling N, as values at P = 1 on a grid of ratios. last: where the game's own values end."""

    def __init__(self, sampler: Sampler, last: int, final: Array) -> None:
        self.sampler, self.pulls = sampler, np.arange(sampler.prepulls, last, dtype=np.float64)
        self.values = np.tile(final, (self.pulls.size + 1, 1))
        self.started = self.values.copy()  # the largest of B and V, one round later
        self.kernel = wait_kernel() if self.values.size * sampler.rounds >= COMPILED_WAITS else None

    def step(self, total: int, begin: int, game: Array, edge: Array, last: int) -> None:
        """One round earlier. game: V_total(n) for n from `begin` on, (counts, ratios). edge: the bound from `last` on,
        (ratios,)."""
        beyond = last - self.sampler.prepulls  # what stands there is known
        rules = two_arms(self.sampler, self.pulls[:beyond], total)
        least, most = ndtr(-rules.high)[:, None], ndtr(rules.low)[:, None]
        values, started, place = self.values[:beyond], self.started[: beyond + 1], begin - self.sampler.prepulls
        if self.kernel is not None:
            self.kernel(least, most, values, started, place, game)
        else:
            pulled = started[1:]
            best = np.maximum(least * pulled + (1 - least) * values, most * pulled + (1 - most) * values)
            values[:] = started[:-1] = best * (1 + WAITING_ROUNDING)
            some = started[place : place + len(game)]
            np.maximum(some, game[: len(some)], out=some)
        self.values[beyond:] = self.started[beyond:] = edge

    def finished(self) -> Array:
        """The bound at the start of the run."""
        return np.asarray(self.started[0])


@lru_cache(maxsize=1)
def wait_kernel() -> Any:
    """numba's `Waiting.step` but for the edge, in place; None where there is no numba."""

    @kept_kernel("void(float64[:,:],float64[:,:],float64[:,::1],float64[:,::1],int64,float64[:,:])")
    def kernel(least, most, values, started, place, game):  # type: ignore[no-untyped-def]
        for row in range(values.shape[0]):  # a row needs nothing of those before it
            low, high, pulled, here, best = least[row, 0], most[row, 0], started[row + 1], values[row], started[row]
            for i in range(here.size):
                first = low * pulled[i] + (1 - low) * here[i]
                second = high * pulled[i] + (1 - high) * here[i]
                here[i] = (first if first > second else second) * (1 + WAITING_ROUNDING)
                best[i] = here[i]
            if place <= row < place + game.shape[0]:
                given = game[row - place]
                for i in range(here.size):
                    best[i] = given[i] if given[i] > here[i] else here[i]

    return kernel
