"""Ridge regression of rewards on contexts, the state of linear bandits: one for all arms, or one for each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpbandits.reference.arithmetic.linear import cholesky_factor, solve_lower_triangle
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Pulls


class Ridge(NamedTuple):
    """B = lambda I + the sum of x x' and f = the sum of r x, over the pulls of all arms, or of each."""

    gram: Array  # (trials, d, d), or (trials, arms, d, d). SECRET where contexts are
    moments: Array  # (trials, d), or (trials, arms, d). SECRET


def no_rewards_yet(*shape: int, ridge: float = 1.0) -> Ridge:
    """The state of a ridge regression before any reward, for each trial, or for each trial and arm.
    shape: (trials, d) or (trials, arms, d). ridge: lambda > 0."""
    return Ridge(np.array(np.broadcast_to(ridge * np.eye(shape[-1]), (*shape, shape[-1]))), np.zeros(shape))


def after_rewards(ridge: Ridge, pulls: Pulls, sums: Array, seen: Array) -> Ridge:
    """The state after the rewards of a step with the contexts `seen`, (trials, arms, d)."""
    squares = pulls.counts[..., None, None] * (seen[..., :, None] * seen[..., None, :])
    paid = sums[..., None] * seen
    if ridge.moments.ndim == 2:
        squares, paid = squares.sum(axis=1), paid.sum(axis=1)
    return Ridge(ridge.gram + squares, ridge.moments + paid)


def predictions(ridge: Ridge, seen: Array) -> tuple[Array, Array]:
    """The ridge prediction x . B^-1 f and its width sqrt(x . B^-1 x) for every arm, (trials, arms) each."""
    factor = cholesky_factor(ridge.gram)
    centre = solve_lower_triangle(factor, ridge.moments)
    if ridge.moments.ndim == 2:
        factor, centre = factor[:, None], centre[:, None]
    turned = solve_lower_triangle(factor, seen)
    return np.asarray((turned * centre).sum(axis=-1)), np.sqrt((turned * turned).sum(axis=-1))
