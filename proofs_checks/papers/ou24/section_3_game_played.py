"""The game played out: what an adversary achieves who sets the other arm's score in every round.

The bound's grid says, state by state, about which threshold is the best. That choice is a strategy, and what it
achieves is no matter of grids: every transcript is a branch with two probabilities, products of values of ndtr, and all
of them are followed. So this is a lower end of the game's value, for short runs; what it may be off by is counted as in
`attack`.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from dpbandits.extensions.thompson.attack import Attack
from dpbandits.extensions.thompson.bound import POLYGON_WIDTH, Upper, powers_bound, ratio_grid
from dpbandits.extensions.thompson.grids import Kept
from dpbandits.extensions.thompson.ratios import layers
from dpbandits.extensions.thompson.rules import Sampler, any_arms
from dpbandits.proofs_checks.exact.engine import LAW_ERROR
from dpbandits.proofs_checks.exact.privacy_profile import MeasurePair, SortedAtoms
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.bandits.noise import Array

MAX_ENUMERATED_ROUNDS = 18  # rounds: every one of them doubles the transcripts
PLAYED_THRESHOLDS = np.arange(-3.0, 6.01, 0.05)  # thresholds


def played_out(bound: Upper, eps: float) -> Attack:
    """The attack that plays for delta at this eps, where the changed arm pays more on the right side.

    bound: for any number of arms, no pre-pulls, at most MAX_ENUMERATED_ROUNDS rounds; ValueError otherwise.
    """
    sampler = bound.sampler
    if (
        not isinstance(sampler, Sampler)
        or sampler.arms is not None
        or sampler.prepulls
        or sampler.horizon > MAX_ENUMERATED_ROUNDS
    ):
        raise ValueError(
            f"{sampler} cannot be enumerated; arms must be None (any number), prepulls 0, and T at most "
            f"{MAX_ENUMERATED_ROUNDS}"
        )
    T = sampler.horizon
    grid, rare = ratio_grid(bound, "right", 1e-9, 1.0), powers_bound(sampler, "right", T)
    kept = {layer.total: layer.game for layer in layers(sampler, "right", grid, T, POLYGON_WIDTH, rare)}
    ratios = np.append(grid.ratios, grid.ratios[-1] + grid.step)
    masses, pulls = np.array([[1.0], [1.0]]), np.array([1])
    for total in range(1, T):
        coins, tails = coins_and_tails(sampler, pulls)
        best = np.zeros(pulls.size, dtype=np.int64)
        for n in np.unique(pulls).tolist():
            rows = np.flatnonzero(pulls == n)
            here = el.log(masses[0, rows] / masses[1, rows])[:, None] - eps
            same, more = (kept[total + 1].get(k) for k in (n, n + 1))
            worth = np.zeros((rows.size, PLAYED_THRESHOLDS.size))
            for side, state in ((coins, more), (tails, same)):
                assert state is not None
                p, q = side[:, rows]
                worth += p * value_at(state, ratios, here + el.log(p / q))
            best[rows] = worth.argmax(axis=1)
        chosen = np.arange(pulls.size), best
        pulled, not_pulled = (masses * np.stack([side[0][chosen], side[1][chosen]]) for side in (coins, tails))
        masses, pulls = np.concatenate([pulled, not_pulled], axis=1), np.concatenate([pulls + 1, pulls])
    return Attack(SortedAtoms(MeasurePair(*masses)), T * (LAW_ERROR + 24 * UNIT_ROUNDOFF))


def coins_and_tails(sampler: Sampler, pulls: Array) -> tuple[Array, Array]:
    """How likely the changed arm is pulled after these pulls of it, and is not, (2 sides, pulls, thresholds)."""
    shift = any_arms(sampler, pulls).shift
    coins = np.stack([ndtr(-PLAYED_THRESHOLDS) + 0 * shift[:, None], ndtr(shift[:, None] - PLAYED_THRESHOLDS)])
    tails = np.stack([ndtr(PLAYED_THRESHOLDS) + 0 * shift[:, None], ndtr(PLAYED_THRESHOLDS - shift[:, None])])
    return coins, tails


def value_at(state: Kept, ratios: Array, at: Array) -> Array:
    """g at these ratios, by straight lines: no matter for what is achieved. ratios: the grid's, and one more."""
    size = len(ratios) - 1
    return np.interp(at, ratios + state.offset, state.values[size : 2 * size + 1])
