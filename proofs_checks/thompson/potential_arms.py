"""The static potential of K arms: a threshold far above 1 is a sample of an arm with few pulls, and uses it up.

Let G > 0. Given the released past, the best of the K-1 other samples is that of an arm with l pulls, and but for a
chance of (K-1) Phi(-G) at most 1 + G sqrt(c/(l+1)), for a mean is below 1. There V <= P. So, with g > 0, b_n for
thresholds up to 1 + g alone, and w_l >= 0 such that for every coin of a threshold up to 1 + G sqrt(c/(l+1)), all n,

    e^(-b_n) p^(1+lam) q^(-lam) + e^(-lam w_l) (1-p)^(1+lam) (1-q)^(-lam) <= e^(lam price)

(0 once G sqrt(c/(l+1)) <= g), the potential with the factors e^(lam w_l), for all l from an arm's pull count on and all
other arms, decides: where the changed arm is not pulled, the arm that reached the threshold is, and a factor goes. Of
delta, (T-1) (K-1) Phi(-G) is lost. The changed arm's lower mean is at least 0: thresholds are measured from there.

Whoever is ahead, a round pulls the changed arm with a chance p of at least p_n (`least_pull_logs`): a high threshold
must be rare. On average over what the best of the others is, p - p_n is not negative; so with any nu_n >= 0

    e^(-b_n) p^(1+lam) q^(-lam) + e^(-lam w_l) (1-p)^(1+lam) (1-q)^(-lam) + nu_n (p - p_n) <= e^(lam price)

is enough, for every coin, the diagonal's end (1, 1) among them. With g = inf nothing else is needed: no w_l, and no
threshold is left out. Else those that are, of a chance L = (K-1) Phi(-G), may have L of p_n; the others have p_n - L.
"""

from __future__ import annotations

from math import ceil, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri, ndtri_exp

from dpbandits.proofs_checks.thompson.potential import (
    COIN_ERROR,
    LAST_PLACES,
    LEAST_WEIGHT,
    ROUND_PRICES,
    SUM_ERROR,
    StaticCoins,
    StaticMoments,
    count_groups,
    least_steps,
    powers_of,
    static_coins,
)
from dpbandits.proofs_checks.thompson.rival_thresholds import chance_below
from dpbandits.proofs_checks.thompson.rules import Sampler, any_arms
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

ARM_ORDERS = el.geometric(0.05, 0.8, 14)  # lam
FREE_GAPS = (0.1, 0.15, 0.22, 0.32, 0.46, 0.68, 1.0, inf)  # g: thresholds up to 1 + g need no arm with few pulls
PRICE_FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0)  # times the best price of the order before
LOST_SHARE = 0.1  # of the smallest delta that is asked about
THRESHOLD_CELLS = np.linspace(-4.0, 5.0, 451)  # around 1, in deviations of the sample of an arm without pulls
CHANCE_ERROR = 1e-9  # of the log of a least chance, relative: a sum over the cells of terms that are good to 1e-12
SLOPE_SHARES = (
    0.0,
    0.5,
    0.8,
    0.9,
    1.0,
    1.1,
    1.25,
    1.6,
)  # nu that are tried, in units of lam times the slope of q at p_n


class Rarity(NamedTuple):
    """How rare a pull of the changed arm may be. pull: the corners' p, rounded up, (groups, corners). least: p_n,
    rounded down, (groups,). slope: of the curve's q at p_n, (groups,)."""

    pull: Array
    least: Array
    slope: Array

    def credits(self, lam: float, lost: float) -> Array:
        """nu (p - p_n), rounded up, for each nu that is tried: (shares, groups, corners). lost: the chance of
        thresholds that are left out."""
        nu = np.multiply.outer(np.array(SLOPE_SHARES) * lam, self.slope)[:, :, None]
        found = nu * (self.pull - np.maximum(self.least - lost, 0.0)[:, None])
        return np.asarray(found + LAST_PLACES * np.abs(found))


class OrderedCoins(NamedTuple):
    """The corners at one order lam. log_pulled, other: of `powers_of`. pulled: e^log_pulled. credits: of `Rarity`,
    where some thresholds are left out; all_credits: where none are."""

    lam: float
    log_pulled: Array
    pulled: Array
    other: Array
    credits: Array
    all_credits: Array


def ordered_coins(coins: StaticCoins, rarity: Rarity, lam: float, lost: float) -> OrderedCoins:
    """lost: the chance, in a round, of thresholds that are left out."""
    log_pulled, other = powers_of(coins, lam)
    credits = rarity.credits(lam, lost), rarity.credits(lam, 0.0)
    return OrderedCoins(lam, log_pulled, el.exp(log_pulled), other, *credits)


def arm_moments(sampler: Sampler, smallest: float) -> StaticMoments:
    """The bound for K >= 3 arms and at least one round, where the changed arm pays more on the right, by far the larger
    side. smallest: the delta down to which it is meant to serve."""
    coins, rounds, rivals = static_coins(sampler, "right"), sampler.rounds, (sampler.arms or 2) - 1
    deviations = -float(ndtri(smallest * LOST_SHARE / (rounds * rivals))) + 1e-9
    rarity, lost = rarity_of(sampler, coins), rivals * float(ndtr(-deviations)) * (1 + COIN_ERROR)
    nearest = np.argsort(coins.reach, axis=None, kind="stable")
    prices = ROUND_PRICES[4:20] / rounds
    found: list[tuple[float, float]] = []
    for lam in ARM_ORDERS.tolist():
        at_order = ordered_coins(coins, rarity, lam, lost)
        tried = {
            (price, gap): log_start(sampler, coins, nearest, at_order, float(price), gap, deviations)
            for price in prices
            for gap in FREE_GAPS
        }
        (price, _), least = min(tried.items(), key=lambda pair: pair[1])
        found.append((float(price), least))
        if least < np.inf:
            prices = price * np.array(PRICE_FACTORS)
    best, start = np.array(found).T
    return StaticMoments(ARM_ORDERS, best, start, smallest * LOST_SHARE)


def least_pull_logs(sampler: Sampler) -> Array:
    """Of each group of pull counts the log of p_n, rounded down: the least chance of a pull in any round.

    Given the past the samples are independent. The changed arm's is at least N(0, c/(n+1)) where it pays less; another
    arm's is at most m with a chance of at least `chance_below`. So p is at least the mean of its (K-1)-th power over m,
    a sum over the cells of m in which the power stands at its smallest. A group's chance to be above m > 0 falls with
    n, and to be above m < 0 grows.
    """
    begin, end = count_groups(sampler)
    level = 1 + THRESHOLD_CELLS * max(sampler.variance, 1.0) ** 0.5
    below = el.exp(((sampler.arms or 2) - 1) * chance_below(sampler, level, sampler.prepulls))
    with np.errstate(divide="ignore"):
        gained = el.log(np.maximum(np.diff(below, prepend=0.0), 0.0))
    unit = ((np.stack([begin, end]) + 1) / sampler.variance) ** 0.5
    above = log_ndtr(-level * unit[..., None]).min(axis=0)
    found = gained + above
    largest = found.max(axis=1)
    with np.errstate(invalid="ignore"):
        summed = el.log(el.exp(found - largest[:, None]).sum(axis=1)) + largest
    return np.asarray(np.where(largest == -inf, -inf, summed - CHANCE_ERROR * (1 + np.abs(summed))))


def rarity_of(sampler: Sampler, coins: StaticCoins) -> Rarity:
    least, begin = least_pull_logs(sampler), count_groups(sampler)[0]
    shift = any_arms(sampler, begin).shift
    slope = el.exp(np.minimum(-shift * ndtri_exp(least) - shift**2 / 2, -LEAST_WEIGHT / 2))
    return Rarity(el.exp(coins.pulled) * (1 + 4 * COIN_ERROR), el.exp(least), slope)


def log_start(
    sampler: Sampler,
    coins: StaticCoins,
    nearest: NDArray[np.intp],
    at_order: OrderedCoins,
    price: float,
    gap: float,
    deviations: float,
) -> float:
    """log M at the start. nearest: the corners by the least threshold that reaches their cell."""
    steps, credit = least_steps_and_credit(coins, at_order, price, gap)
    if not np.isfinite(steps).all():
        return inf
    total = at_order.lam * price * sampler.rounds + (coins.many * steps).sum()
    if gap < inf:
        few = sampler.prepulls + np.arange(ceil(sampler.variance * (deviations / gap) ** 2) + 1)
        reached = 1 + deviations * (sampler.variance / (few + 1)) ** 0.5
        log_pulled = at_order.log_pulled - steps[:, None]
        paid = waits(log_pulled, at_order.other, credit, at_order.lam, price).ravel()[nearest]
        places = np.searchsorted(coins.reach.ravel()[nearest], reached * (1 + COIN_ERROR)) - 1
        most = np.maximum.accumulate(paid)[places]
        total += ((sampler.arms or 2) - 1) * most[reached > 1 + gap].sum()
    return float(total * (1 + SUM_ERROR))


def least_steps_and_credit(coins: StaticCoins, at_order: OrderedCoins, price: float, gap: float) -> tuple[Array, Array]:
    """The least b_n, (groups,), by the best nu_n of each, and nu_n (p - p_n) of every corner: thresholds up to 1 + gap
    need no arm with few pulls."""
    free = coins.reach < 1 + gap
    pulled = np.where(free, at_order.pulled, 0.0)
    credits = at_order.all_credits if gap == inf else at_order.credits
    other = (np.where(free, at_order.other + credit, -1.0) for credit in credits)
    steps = np.stack([least_steps(pulled, each, at_order.lam, price) for each in other])
    best = steps.argmin(axis=0), np.arange(coins.many.size)
    return steps[best], credits[best]


def waits(log_pulled: Array, other: Array, credit: Array, lam: float, price: float) -> Array:
    """lam w for each corner, rounded up; log_pulled: less b_n."""
    room = (el.exp(lam * price) - el.exp(log_pulled)) * (1 - COIN_ERROR) - COIN_ERROR - credit
    with np.errstate(divide="ignore", invalid="ignore"):
        least = np.where(room > 0, el.log1p(other) - el.log(np.maximum(room, 1e-300)) + COIN_ERROR, np.inf)
    return np.maximum(least, 0.0)
