"""The static potential from every round and one pull count on: what a grid of ratios knows of the counts beyond.

For each price c of a round, M_N(n) = exp(lam c (T-N) + b_n + b_(n+1) + ...) bounds V_N(n) (`potential`), and all later
states; so the best price is chosen for every N by itself.
"""

from __future__ import annotations

import numpy as np

from dpbandits.proofs_checks.thompson.moments import MOMENT_ORDERS, Moments, largest_orders
from dpbandits.proofs_checks.thompson.potential import SUM_ERROR, count_groups, least_steps, powers_of, static_coins
from dpbandits.proofs_checks.thompson.rules import Sampler
from dpbandits.reference.arithmetic import elementary as el

RUN_PRICES = el.geometric(0.01, 300.0, 30)  # c times the number of rounds


def priced_moments(sampler: Sampler, higher: str, watched: int) -> Moments:
    """As `moments` has them. watched: the pull count whose M is kept for every total."""
    orders, rounds = largest_orders(sampler, MOMENT_ORDERS), max(sampler.rounds, 1)
    coins, begins = static_coins(sampler, higher), count_groups(sampler)[0]
    beyond = max(int(np.searchsorted(begins, watched, side="right")) - 1, 0)  # the group that it is in
    left = np.minimum(np.arange(sampler.horizon, -1, -1), rounds)
    start, edge = np.full(orders.size, np.inf), np.full((sampler.horizon + 1, orders.size), np.inf)
    for place, lam in enumerate((orders - 1).tolist()):
        logs, other = powers_of(coins, lam)
        pulled = el.exp(logs)
        for price in (RUN_PRICES / rounds).tolist():
            steps = coins.many * least_steps(pulled, other, lam, price)
            start[place] = min(start[place], (lam * price * rounds + steps.sum()) * (1 + SUM_ERROR))
            found = (lam * price * left + steps[beyond:].sum()) * (1 + SUM_ERROR)
            edge[:, place] = np.minimum(edge[:, place], found)
    return Moments(orders, start, edge)
