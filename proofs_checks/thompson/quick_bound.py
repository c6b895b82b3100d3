"""A certified eps of a Thompson sampler within seconds, whatever its horizon: the table's, the potential's or the
theorem's, whichever is least. The game itself (`bound`) says less, and takes minutes."""

from __future__ import annotations

from math import inf

import numpy as np

from dpbandits.proofs_checks.thompson.coins import THRESHOLD_RANGE
from dpbandits.proofs_checks.thompson.curve_table import tabled_eps
from dpbandits.proofs_checks.thompson.least_noise import least_variance
from dpbandits.proofs_checks.thompson.potential import (
    STATIC_ORDERS,
    StaticMoments,
    best_price,
    powers_of,
    static_coins,
)
from dpbandits.proofs_checks.thompson.rules import Sampler, any_arms
from dpbandits.proofs_checks.thompson.theorem import theorem_eps
from dpbandits.reference.arithmetic import elementary as el

# Orders of the potential: those of a small eps are large, about ln(1/delta)/eps.
QUICK_ORDERS = np.concatenate([STATIC_ORDERS[20::4], el.geometric(2.0, 1000.0, 18)])


def potential_eps(sampler: Sampler, delta: float) -> float:
    """What the static potential certifies of a sampler of any number of arms, or two, for either relation; inf where a
    reward moves a sample too far for it."""
    steep = float(any_arms(sampler, np.array([sampler.first])).shift[0])
    orders = QUICK_ORDERS[QUICK_ORDERS * steep <= -THRESHOLD_RANGE[0]]
    if not orders.size or sampler.rounds < 1:
        return inf if sampler.rounds >= 1 else 0.0
    found = []
    for higher in ("right", "left"):
        try:
            coins = static_coins(sampler, higher)
        except ValueError:
            return inf
        near = [best_price(*powers_of(coins, lam), coins.many, lam, sampler.rounds) for lam in orders.tolist()]
        prices, start = np.array(near).T
        found.append(max(0.0, StaticMoments(orders, prices, start).eps(delta)))
    return max(found)


def quick_eps(sampler: Sampler, delta: float) -> float:
    """The least eps at delta, in (0, 1), that is certified within seconds, for neighbours of either relation."""
    known = sampler if sampler.arms == 2 else sampler._replace(arms=None)
    return min(tabled_eps(known, "round", delta)[0], theorem_eps(sampler, delta), potential_eps(known, delta))


def quick_variance(sampler: Sampler, eps: float, delta: float, start: float, within: float = 1.02) -> Sampler:
    """The sampler with the least variance, within a factor, at which `quick_eps` is at most eps, which it is at the
    variance `start`."""
    return least_variance(sampler._replace(variance=start), 0.0, eps, lambda one: quick_eps(one, delta), within)
