"""The static potential from every round and one pull count on: what a grid of ratios knows of the counts beyond.

For each price c of a round, M_N(n) = exp(lam c (T-N) + b_n + b_(n+1) + ...) bounds V_N(n) (`potential`), and all later
states; so the best price is chosen for every N by itself.
"""

from __future__ import annotations

import numpy as np

from dpbandits.extensions.thompson.moments import MOMENT_ORDERS, Moments, largest_orders
from dpbandits.extensions.thompson.potential import (
    STEEPEST_COIN,
    SUM_ERROR,
    count_groups,
    least_steps,
    powers_of,
    static_coins,
)
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.policy import Ints

MAX_PLAYED_POWERS = 300  # rounds; beyond, powers are not played round by round, but with a price for each
EARLY_SHARE = 0.4  # of the counts are followed in the first rounds of long runs, and all of them in the last ones
LONG_RUN_ROUNDS = 1000  # more is long
RUN_PRICES = el.geometric(0.01, 300.0, 30)  # c times the number of rounds


def are_priced(sampler: Sampler) -> bool:
    """Whether the static potential stands beyond the last pull count that is followed."""
    steep = sampler.variance * (sampler.first + 1) * STEEPEST_COIN**2
    return sampler.rounds > 0 and sampler.horizon > MAX_PLAYED_POWERS and steep >= 1


def are_growing(sampler: Sampler, higher: str) -> bool:
    """Whether fewer pull counts are followed in early rounds; on the left side mu would lose much by it."""
    return higher == "right" and sampler.arms == 2 and sampler.horizon > LONG_RUN_ROUNDS and are_priced(sampler)


def last_counts(sampler: Sampler, higher: str, levels: int) -> Ints:
    """Of every total, 0 to T, the first pull count that is not followed: at most first + levels, never falling.

    The static potential bounds the game from any count on, so that these may be any. In early rounds many pulls are
    rare, and few counts lose little.
    """
    share = np.ones(sampler.horizon + 1)
    if are_growing(sampler, higher):
        share = EARLY_SHARE + (1 - EARLY_SHARE) * np.arange(sampler.horizon + 1) / sampler.horizon
    return np.asarray(sampler.first + np.ceil(levels * share).astype(np.int64))


def priced_moments(sampler: Sampler, higher: str, watched: Ints) -> Moments:
    """As `moments` has them. watched: for every total, the pull count whose M is kept, (horizon + 1,)."""
    orders, rounds = largest_orders(sampler, MOMENT_ORDERS), max(sampler.rounds, 1)
    coins, begins = static_coins(sampler, higher), count_groups(sampler)[0]
    beyond = np.maximum(np.searchsorted(begins, watched, side="right") - 1, 0)  # the groups that they are in
    left = np.minimum(np.arange(sampler.horizon, -1, -1), rounds)
    start, edge = np.full(orders.size, np.inf), np.full((sampler.horizon + 1, orders.size), np.inf)
    for place, lam in enumerate((orders - 1).tolist()):
        logs, other = powers_of(coins, lam)
        pulled = el.exp(logs)
        for price in (RUN_PRICES / rounds).tolist():
            steps = coins.many * least_steps(pulled, other, lam, price)
            start[place] = min(start[place], (lam * price * rounds + steps.sum()) * (1 + SUM_ERROR))
            later = np.cumsum(steps[::-1])[::-1]
            found = (lam * price * left + later[beyond]) * (1 + SUM_ERROR)
            edge[:, place] = np.minimum(edge[:, place], found)
    return Moments(orders, start, edge)
