"""G-optimal designs: weights under which the worst arm's variance a' V^-1 a is least, V = sum w_i a_i a_i'.

By the equivalence theorem (Kiefer and Wolfowitz 1960) the least worst variance is d, so max_i a_i' V^-1 a_i <= d (1
+ gap) certifies a design by itself, however it was found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import null_space

from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.papers.chen24.algorithms.max_det import greedy

GAP = 1e-6  # relative; the pulls are rounded up to whole ones anyway
STEPS = 20_000


class Design(NamedTuple):
    """weights: (arms,), sum 1, on at most d (d + 1)/2 arms. gap: max_i a_i' V^-1 a_i/d - 1, the certificate."""

    weights: Array
    gap: float


def variances(features: Array, weights: Array) -> Array:
    """a_i' V^-1 a_i for every arm."""
    spread = features.T @ (features * weights[:, None])
    found: Array = np.einsum("ij,ji->i", features, np.linalg.solve(spread, features.T))
    return found


def g_optimal(features: Array, gap: float = GAP) -> Design:
    """A design for features (arms, d) that span d dimensions: Frank-Wolfe steps, and steps away from an arm that has
    too much (Atwood 1973), each of the best length. ArithmeticError where the gap stays open."""
    arms, d = features.shape
    weights = np.zeros(arms)
    weights[greedy(features)] = 1 / d
    for _ in range(STEPS):
        size = variances(features, weights)
        most = int(size.argmax())
        held = np.where(weights > 0, size, np.inf)
        least = int(held.argmin())
        if size[most] <= d * (1 + gap):
            return certified(features, fewer(features, weights))
        if size[most] - d >= d - size[least]:
            arm, step = most, (size[most] / d - 1) / (size[most] - 1)
        else:
            full = -weights[least] / (1 - weights[least])
            arm, step = least, max(full, (size[least] / d - 1) / (size[least] - 1)) if size[least] > 1 else full
        weights = np.maximum((1 - step) * weights + step * (np.arange(arms) == arm), 0)
        weights /= weights.sum()
    raise ArithmeticError(f"the G-optimal design still has a gap above {gap} after {STEPS} steps; rescale the features")


def fewer(features: Array, weights: Array) -> Array:
    """Weights with the V of these on at most d (d + 1)/2 arms (Caratheodory): as long as there are more, they move
    along a direction that leaves V as it is, until one of them is 0. Then sum 1 stays as well, up to the trace of
    V^-1 V = d."""
    d = features.shape[1]
    rows, columns = np.triu_indices(d)
    while (held := np.flatnonzero(weights > 0)).size > len(rows):
        flat = features[held][:, rows] * features[held][:, columns]
        direction = null_space(flat.T)[:, 0]
        direction = direction if direction.max() > 0 else -direction
        ratio = np.where(direction > 0, weights[held] / np.where(direction > 0, direction, 1), np.inf)
        last = int(ratio.argmin())
        weights = weights.copy()
        weights[held] = np.maximum(weights[held] - ratio[last] * direction, 0)
        weights[held[last]] = 0
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def certified(features: Array, weights: Array) -> Design:
    return Design(weights, float(variances(features, weights).max() / features.shape[1] - 1))
