"""How much noisy numbers tell, exactly: what is measured on the algorithms for it.

All noise is Laplace and independent. So the log-ratio of the densities of a release is a sum over noisy numbers, each
of which contributes at most shift/scale, and all of them at once where every number lies beyond both centres: the
supremum is the sum of shift/scale. Shifts and scales are measured on the algorithms themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.papers.tao22 import DPRUCB
from dpbandits.reference.papers.tao22.algorithms.tree import binary_log, natural_log, trailing_zeros, whole_levels

ROUNDING = 1e-9


class Constant:
    """Laplace noise that is always the same number."""

    def __init__(self, trials: int, value: float = 0.0) -> None:
        self.trials, self.value = trials, value

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = (), where: Any = True) -> Array:
        return np.full((self.trials, *shape), self.value)

    normal = uniform = laplace


def tree_losses(tree: Any, bounds: Array) -> Array:
    """The supremum of the privacy loss when item t of a stream goes from B_t to -B_t, for every t, (items,): the sum of
    shift/scale over all noisy p-sums. bounds: B_1, ..., B_n, non-decreasing."""
    n = len(bounds)
    sums, loss = tree.empty(n), np.zeros(n)
    for time in range(1, n + 1):
        items = np.where(np.arange(n) == time - 1, bounds[time - 1], 0.0)  # stream t holds B_t at time t, else 0
        sums = tree.insert(sums, items, bounds[time - 1], 1.0)
        written = int(trailing_zeros(np.array([time]))[0])
        exact, noisy = sums.exact[:, written], sums.noisy[:, written]
        loss += 2 * np.abs(exact) / (noisy - exact)
    return np.asarray(loss)


LOGS: Mapping[str, Callable[[int], float]] = {
    "log to the base e": natural_log,
    "log to the base 2": binary_log,
    "floor(log2 T) + 1": whole_levels,
}


def ucb_losses(horizon: int, v: float, log: Callable[[int], float], arms: int = 2) -> float:
    """The exact eps of Algorithm 1's noisy p-sums at eps = 1: its longest stream has T - K + 1 items."""
    policy = DPRUCB(arms, horizon, 1.0, v, 1.0, log)
    counts = np.arange(1.0, horizon - arms + 2)
    return float(tree_losses(policy.tree, np.asarray(policy.threshold(counts))).max())
