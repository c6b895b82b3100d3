"""The static potential of K arms: a threshold far above 1 is a sample of an arm with few pulls, and uses it up.

Let G > 0. Given the released past, the best of the K-1 other samples is that of an arm with l pulls, and but for a
chance of (K-1) Phi(-G) at most 1 + G sqrt(c/(l+1)), for a mean is below 1. There V <= P. So, with g > 0, b_n for
thresholds up to 1 + g alone, and w_l >= 0 such that for every coin of a threshold up to 1 + G sqrt(c/(l+1)), all n,

    e^(-b_n) p^(1+lam) q^(-lam) + e^(-lam w_l) (1-p)^(1+lam) (1-q)^(-lam) <= e^(lam price)

(0 once G sqrt(c/(l+1)) <= g), the potential with the factors e^(lam w_l), for all l from an arm's pull count on and all
other arms, decides: where the changed arm is not pulled, the arm that reached the threshold is, and a factor goes. Of
delta, (T-1) (K-1) Phi(-G) is lost. The changed arm's lower mean is at least 0: thresholds are measured from there.
"""

from __future__ import annotations

from math import ceil

import numpy as np
from scipy.special import ndtri

from dpbandits.proofs_checks.thompson.potential import (
    COIN_ERROR,
    ROUND_PRICES,
    SUM_ERROR,
    StaticCoins,
    StaticMoments,
    least_steps,
    powers_of,
    static_coins,
)
from dpbandits.proofs_checks.thompson.rules import Sampler
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

ARM_ORDERS = el.geometric(0.05, 0.8, 14)  # lam
FREE_GAPS = (0.1, 0.15, 0.22, 0.32, 0.46, 0.68, 1.0)  # g: thresholds up to 1 + g need no arm with few pulls
PRICE_FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0)  # times the best price of the order before
LOST_SHARE = 0.1  # of the smallest delta that is asked about


def arm_moments(sampler: Sampler, smallest: float) -> StaticMoments:
    """The bound for K >= 3 arms and at least one round, where the changed arm pays more on the right, by far the larger
    side. smallest: the delta down to which it is meant to serve."""
    coins, rounds, rivals = static_coins(sampler, "right"), sampler.rounds, (sampler.arms or 2) - 1
    deviations = -float(ndtri(smallest * LOST_SHARE / (rounds * rivals))) + 1e-9
    ordered = np.argsort(coins.reach, axis=None, kind="stable")
    prices, gaps = ROUND_PRICES[4:20] / rounds, FREE_GAPS
    found: list[tuple[float, float]] = []
    for lam in ARM_ORDERS.tolist():
        pulled, other = powers_of(coins, lam)
        tried = {
            (price, gap): log_start(sampler, coins, ordered, pulled, other, lam, float(price), gap, deviations)
            for price in prices
            for gap in gaps
        }
        (price, _), least = min(tried.items(), key=lambda pair: pair[1])
        found.append((float(price), least))
        if least < np.inf:
            prices = price * np.array(PRICE_FACTORS)
    best, start = np.array(found).T
    return StaticMoments(ARM_ORDERS, best, start, smallest * LOST_SHARE)


def log_start(
    sampler: Sampler,
    coins: StaticCoins,
    ordered: Array,
    log_pulled: Array,
    other: Array,
    lam: float,
    price: float,
    gap: float,
    deviations: float,
) -> float:
    """log M at the start. ordered: the corners by the least threshold that reaches their cell."""
    free = coins.reach < 1 + gap
    steps = least_steps(np.where(free, el.exp(log_pulled), 0.0), np.where(free, other, -1.0), lam, price)
    if not np.isfinite(steps).all():
        return np.inf
    few = sampler.prepulls + np.arange(ceil(sampler.variance * (deviations / gap) ** 2) + 1)
    reached = 1 + deviations * (sampler.variance / (few + 1)) ** 0.5
    paid = waits(log_pulled - steps[:, None], other, lam, price).ravel()[ordered]
    most = np.maximum.accumulate(paid)[np.searchsorted(coins.reach.ravel()[ordered], reached * (1 + COIN_ERROR)) - 1]
    rivals = (sampler.arms or 2) - 1
    total = lam * price * sampler.rounds + (coins.many * steps).sum() + rivals * most[reached > 1 + gap].sum()
    return float(total * (1 + SUM_ERROR))


def waits(log_pulled: Array, other: Array, lam: float, price: float) -> Array:
    """lam w for each corner, rounded up; log_pulled: less b_n."""
    room = (el.exp(lam * price) - el.exp(log_pulled)) * (1 - COIN_ERROR) - COIN_ERROR
    with np.errstate(divide="ignore", invalid="ignore"):
        least = np.where(room > 0, el.log1p(other) - el.log(np.maximum(room, 1e-300)) + COIN_ERROR, np.inf)
    return np.maximum(least, 0.0)
