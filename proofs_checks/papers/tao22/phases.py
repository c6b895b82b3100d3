"""The regret of Algorithms 3 and 4 on Pareto arms at any horizon, between two bounds, by the arithmetic of epochs.

What an epoch decides depends on nothing but the set of active arms: so a run is a chain over sets. A noisy mean lies
within `spread` of the mean of a truncated reward, by Bernstein's inequality with its exact variance and by the tail of
the noise, except with probability RARE. An arm whose distance to the best is beyond the threshold even so is certainly
eliminated, one whose distance is within certainly survives, and where neither is known both ways are followed.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.papers.tao22 import Elimination, Pareto
from dpbandits.reference.papers.tao22.algorithms.elimination import Flags, in_turns

RARE = 1e-18  # of one side of one deviation; an epoch has at most four of them for each arm
LOG = float(np.log(1 / RARE))


class Between(NamedTuple):
    """Two bounds."""

    low: float
    high: float


def truncated_moments(environment: Pareto, bound: float) -> tuple[Array, Array]:
    """E[X; X <= bound] and E[X^2; X <= bound] of every arm, in closed form for a shape below 2."""
    shape, scales = environment.shape, np.asarray(environment.scales)
    at = np.maximum(bound, scales)  # a bound below the scale keeps nothing
    one = shape / (shape - 1) * scales * (1 - (scales / at) ** (shape - 1))
    two = shape / (2 - shape) * scales**shape * (at ** (2 - shape) - scales ** (2 - shape))
    return one, two


def spread(policy: Elimination, length: float, bound: float, second: Array) -> Array:
    """How far a noisy mean may lie from the truncated mean, (arms,). second: E[X^2; X <= bound]."""
    sampling = np.sqrt(2 * second * LOG / length) + bound * LOG / (3 * length)
    if not policy.local:
        return np.asarray(sampling + 2 * bound / (length * policy.eps) * LOG)
    if length < LOG:
        return np.full(len(second), np.inf)
    # Chernoff's bound for the mean of many Laplace variables of scale 2 B/eps (Lemma 8, repaired).
    return np.asarray(sampling + 2 * np.sqrt(2) * 2 * bound / policy.eps * np.sqrt(LOG / length))


def survivors(policy: Elimination, environment: Pareto, epoch: int, active: Flags) -> list[Flags]:
    """The sets that may be left after the epoch, each (arms,) of flags."""
    now = policy.numbers(np.array([epoch]), active[None])
    length, bound, err = (float(part[0, 0]) for part in now)
    mean, second = truncated_moments(environment, bound)
    off = spread(policy, length, bound, second)
    low, high = np.where(active, mean - off, -np.inf), np.where(active, mean + off, -np.inf)
    goes = active & (low.max() - high > policy.cut * err)
    best_other = np.array([np.delete(high, arm).max() for arm in range(policy.arms)])
    stays = active & (best_other - low <= policy.cut * err)
    open_arms = np.flatnonzero(active & ~goes & ~stays)
    found = []
    for kept in product((False, True), repeat=len(open_arms)):
        left = active & ~goes
        left[open_arms] = kept
        if left.any():
            found.append(left)
    return found


def regret(policy: Elimination, environment: Pareto) -> Between:
    """Bounds on the expected pseudo-regret. Raises ValueError for another number of arms, or a shape from 2 on."""
    if environment.arms != policy.arms or environment.shape >= 2:
        raise ValueError(
            f"the environment has arms = {environment.arms} and shape {environment.shape}, and the policy "
            f"has arms = {policy.arms}; give equally many arms, and a shape below 2"
        )
    gaps = max(environment.means) - np.asarray(environment.means)

    def rest(epoch: int, active: Flags, left: int) -> Between:
        """What the run still costs from this epoch on."""
        many = int(active.sum())
        if many == 1:
            cost = left * float(gaps[active][0])
            return Between(cost, cost)
        length = float(policy.numbers(np.array([epoch]), active[None]).length[0, 0])
        if length * many > left:
            cost = float((in_turns(np.array([[left]]), active[None])[0] * gaps).sum())
            return Between(cost, cost)
        cost = length * float(gaps[active].sum())
        ways = [
            rest(epoch + 1, kept, left - int(length) * many) for kept in survivors(policy, environment, epoch, active)
        ]
        return Between(cost + min(way.low for way in ways), cost + max(way.high for way in ways))

    found = rest(1, np.ones(policy.arms, dtype=bool), policy.horizon)
    # At most 4 deviations of each arm in at most 64 epochs (R grows at least fourfold).
    slip = 256 * policy.arms * RARE
    most = policy.horizon * float(gaps.max())
    return Between(max(0.0, found.low - slip * most), min(most, found.high + slip * most))
