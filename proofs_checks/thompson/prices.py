"""The game for powers where a round has a price: for runs of any length, in a second.

For c >= 0 and lam = a - 1 let b_n >= 0 be so that e^(-b_n) p^a q^(1-a) + (1-p)^a (1-q)^(1-a) <= e^(lam c) for all coins
of rounds with n pulls. Then M_N(n) = exp(lam c (T-N) + b_n + b_(n+1) + ...) obeys the recursion of `moments`: divide it
by M_(N+1)(n). So V_N(n; P, Q) <= w_a M_N(n) P^a Q^(1-a), for every c. At larger n the coins are fewer, and b_n falls:
that of a group's first count serves for all of them. With two arms the means are free here, and the shift is that of
the last round, the largest at every count.
"""

from __future__ import annotations

import numpy as np

from dpbandits.proofs_checks.thompson.moments import (
    MOMENT_ORDERS,
    POWER_ROUNDING,
    THRESHOLDS,
    Moments,
    largest_orders,
    rounds_at,
    weights,
)
from dpbandits.proofs_checks.thompson.rules import Sampler
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

RUN_PRICES = el.geometric(0.01, 300.0, 40)  # c times the number of rounds
ALONE = 64  # counts beyond the watched one that have a b_n of their own; then those within a factor share one
SHARED = 1.03
SUM_ROUNDING = 1e-9  # relative, of sums over counts of logs that POWER_ROUNDING alone would make 1e-11


def priced_moments(sampler: Sampler, higher: str, watched: int) -> Moments:
    """`moments` with the best price for each number of rounds to go. Its arguments are those of `moments`."""
    counts, many = count_groups(sampler, watched)
    orders = largest_orders(sampler, MOMENT_ORDERS, THRESHOLDS)
    lam, rounds = orders - 1, max(sampler.rounds, 1)
    pulled, other = weights(rounds_at(sampler, counts, sampler.horizon - 1).shift, higher, orders, THRESHOLDS)
    start, edge = np.full(orders.size, np.inf), np.full((sampler.horizon + 1, orders.size), np.inf)
    left = np.minimum(np.arange(sampler.horizon, -1, -1), rounds)[:, None]
    for price in (RUN_PRICES / rounds).tolist():
        sums = (many[:, None] * steps(pulled, other, lam * price))[::-1].cumsum(axis=0)[::-1]
        beyond = sums[counts == watched][0] if watched in counts else 0.0
        np.minimum(start, (lam * price * rounds + sums[0]) * (1 + SUM_ROUNDING), out=start)
        np.minimum(edge, (lam * price * left + beyond) * (1 + SUM_ROUNDING), out=edge)
    return Moments(orders, start, edge)


def count_groups(sampler: Sampler, watched: int) -> tuple[Array, Array]:
    """The first pull count of each group, and how many are in it; the one that is watched begins a group."""
    first, beyond = sampler.first, sampler.first + max(sampler.rounds, 1)
    found = list(range(first, min(watched + ALONE, beyond)))
    while (at := max(found[-1] + 1, int(found[-1] * SHARED))) < beyond:
        found.append(at)
    return np.array(found, dtype=np.float64), np.diff([*found, beyond])


def steps(pulled: Array, other: Array, paid: Array) -> Array:
    """The least b_n, (counts, orders), where a round costs e^paid, (orders,); inf where no b_n is enough."""
    room = el.exp(paid) * (1 - POWER_ROUNDING) - other * (1 + POWER_ROUNDING)
    ratio = np.where(room > 0, pulled * (1 + POWER_ROUNDING) / np.where(room > 0, room, 1.0), np.inf).max(axis=0)
    with np.errstate(divide="ignore"):
        return np.asarray(el.log(np.maximum(ratio, 1.0)))
