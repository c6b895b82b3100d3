"""The static potential for a given number K of arms. Its bound is smaller than the bound for every number of arms,
because high thresholds are rare: a threshold far above 1 is the sample of an arm with few pulls, and this arm is pulled
unless the changed arm is pulled.

The potential for every number of arms requires J(x) <= e^(lam price) for every threshold x with coin (p, q), where

    J(x) = e^(-b_n) p^(1+lam) q^(-lam) + (1-p)^(1+lam) (1-q)^(-lam).

For K arms it is enough that the inequality holds on average over a random threshold. This threshold exceeds each value
at least as often as the largest of the K-1 other samples can, and J(x) is replaced by the largest J up to x
(`rival_thresholds`).

Let G > 0. Given the released past, let l be the pull count of the other arm with the largest sample. The mean of this
arm is below 1, so its sample is at most 1 + G sqrt(c/(l+1)), except with probability at most (K-1) Phi(-G). In the
exceptional case V <= P. All rounds together therefore add at most (T-1) (K-1) Phi(-G) to delta.

Let g > 0, and let J_n be the largest J of all thresholds up to 1 + g. Choose w_l >= 0 such that for all n and every
coin of a threshold up to 1 + G sqrt(c/(l+1)),

    e^(-b_n) p^(1+lam) q^(-lam) + e^(-lam w_l) (1-p)^(1+lam) (1-q)^(-lam) <= J_n

(w_l = 0 if G sqrt(c/(l+1)) <= g). The potential has the factors e^(lam w_l), for all other arms and all l from the
arm's pull count on. If the changed arm is not pulled, the arm that attains the threshold is pulled, and the potential
loses a factor. Thresholds above 1 + g therefore count as J_n in the average. With g = inf these factors are not needed.
Thresholds are measured from the changed arm's lower mean, which is at least 0.
"""

from __future__ import annotations

from math import ceil, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri

from dpbandits.extensions.thompson.potential import (
    COIN_ERROR,
    LAST_PLACES,
    LEAST_WEIGHT,
    ROUND_PRICES,
    SUM_ERROR,
    StaticCoins,
    StaticMoments,
    count_groups,
    powers_of,
    static_coins,
)
from dpbandits.extensions.thompson.rival_thresholds import chance_above, corner_order, corner_weights
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

ARM_ORDERS = el.geometric(0.05, 0.8, 14)  # lam
FREE_GAPS = (0.1, 0.22, 0.46, 1.0, inf)  # g: thresholds up to 1 + g need no arm with few pulls
PRICE_FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0)  # times the best price of the order before
LOST_SHARE = 0.1  # of the smallest delta that is asked about
NEWTON_STEPS, AIM_SHARE = 40, 1e-6  # at most so many, to so much less than what is enough, relative
AVERAGE_ERROR = 3e-14  # relative, of each term of a sum over some hundred corners, and of its weight


class OrderedCoins(NamedTuple):
    """All coins at one order lam. coins: corners in the order of their thresholds. weights: of the corners, (groups,
    corners). log_pulled, other: of `powers_of`, the latter rounded up once more. pulled: e^log_pulled."""

    lam: float
    coins: StaticCoins
    weights: Array
    log_pulled: Array
    pulled: Array
    other: Array


def ordered_coins(coins: StaticCoins, weights: Array, lam: float) -> OrderedCoins:
    """Returns the coins with their likelihood-ratio powers at the order lam, and their weights."""
    log_pulled, other = powers_of(coins, lam)
    pulled = el.exp(log_pulled) * (1 + LAST_PLACES)
    return OrderedCoins(lam, coins, weights, log_pulled, pulled, other + LAST_PLACES * (pulled + np.abs(other)))


def arm_coins(sampler: Sampler) -> tuple[StaticCoins, Array]:
    """Returns the corners of the coins' polygons, ordered by threshold, and their weights, (groups, corners).
    For the case that the changed arm pays more on the right."""
    coins, (first, end) = static_coins(sampler, "right"), (counts[:, None] for counts in count_groups(sampler))
    cells = coins.pulled.shape[1] - 2
    begins = (
        coins.reach[0, 1:-1] * ((end[0] + 1) / sampler.variance) ** 0.5
    )  # those of cells are the same in all groups
    order, diagonal = corner_order(begins.size)
    at, reach = np.tile(begins[diagonal], (end.size, 1)), coins.reach[:, diagonal - diagonal[0]]
    logs = [log_ndtr(-at)] * 2 + [log_ndtr(at)] * 2
    added = [*logs, COIN_ERROR * np.minimum(1, 2 * ndtr(-at)), reach]
    listed = [*range(cells), cells + 1, cells]  # the corner before the first cell comes last there
    parts = (np.concatenate([part[:, listed], more], axis=1) for part, more in zip(coins[1:], added, strict=True))
    chances, tails = el.exp(coins.pulled[:, :cells]), el.exp(coins.other[:, :cells])
    # G_n(x) grows with n where x is above 0, and falls below: one end of a group has the most.
    above = np.maximum(*(chance_above(sampler, counts, counts, begins) for counts in (first, end)))
    weights = corner_weights(chances, tails, begins, above)
    return StaticCoins(coins.many, *(part[:, order] for part in parts)), weights[:, order]


def arm_moments(sampler: Sampler, smallest: float) -> StaticMoments:
    """Returns the static potential's bound for K >= 3 arms and at least one round.
    For the case that the changed arm pays more on the right, which gives by far the larger bound. smallest: the delta
    down to which it should be useful."""
    (coins, weights), lost = arm_coins(sampler), smallest * LOST_SHARE
    deviations = rare_deviations(sampler, lost)
    nearest = np.argsort(coins.reach, axis=None, kind="stable")
    prices = ROUND_PRICES[4:20] / sampler.rounds
    found: list[tuple[float, float]] = []
    for lam in ARM_ORDERS.tolist():
        at_order = ordered_coins(coins, weights, lam)
        tried = {
            (price, gap): log_start(sampler, at_order, nearest, float(price), gap, deviations)
            for price in prices
            for gap in FREE_GAPS
        }
        (price, _), least = min(tried.items(), key=lambda pair: pair[1])
        found.append((float(price), least))
        if least < np.inf:
            prices = price * np.array(PRICE_FACTORS)
    best, start = np.array(found).T
    return StaticMoments(ARM_ORDERS, best, start, lost)


def rare_deviations(sampler: Sampler, lost: float) -> float:
    """The number of standard deviations by which some other arm's sample exceeds its mean, in any round of the run,
    with probability at most `lost`."""
    rivals = (sampler.arms or 2) - 1
    return -float(ndtri(lost / (sampler.rounds * rivals))) + 1e-9


def log_start(
    sampler: Sampler, at_order: OrderedCoins, nearest: NDArray[np.intp], price: float, gap: float, deviations: float
) -> float:
    """Returns the log of the potential M at the start of the run; inf if the price of a round is too small.
    nearest: the order of the corners by the smallest threshold that reaches their cell."""
    coins, lam = at_order.coins, at_order.lam
    steps, largest = least_average_steps(at_order, price, gap)
    if not np.isfinite(steps).all():
        return inf
    total = lam * price * sampler.rounds + (coins.many * steps).sum()
    if gap < inf:
        few = sampler.prepulls + np.arange(min(ceil(sampler.variance * (deviations / gap) ** 2) + 1, sampler.horizon))
        reached = 1 + deviations * (sampler.variance / (few + 1)) ** 0.5
        paid = waiting_terms(at_order.log_pulled - steps[:, None], at_order.other, largest).ravel()[nearest]
        places = np.searchsorted(coins.reach.ravel()[nearest], reached * (1 + COIN_ERROR)) - 1
        most = np.maximum.accumulate(paid)[places]
        total += ((sampler.arms or 2) - 1) * most[reached > 1 + gap].sum()
    return float(total * (1 + SUM_ERROR))


def least_average_steps(at_order: OrderedCoins, price: float, gap: float) -> tuple[Array, Array]:
    """Returns, for each group of pull counts, the smallest b_n (rounded up, inf if none suffices) and J_n - 1.
    Thresholds above 1 + gap count as J_n.

    The average is convex in e^(-b_n): so Newton's steps from 1 decrease to the largest that suffices, up to AIM_SHARE.
    """
    free = at_order.coins.reach < 1 + gap
    pulled, other = np.where(free, at_order.pulled, 0.0), np.where(free, at_order.other, -1.0)
    paid = float(el.expm1(min(at_order.lam * price, -LEAST_WEIGHT))) * (1 - LAST_PLACES)
    share, largest = np.zeros(len(pulled)), np.zeros(len(pulled))
    if (averages(at_order.weights, pulled, other, share)[0] > paid).any():
        return np.full(share.size, inf), share
    share, rows = np.ones(len(pulled)), np.arange(len(pulled))
    for _ in range(NEWTON_STEPS):
        average, slope, largest[rows] = averages(at_order.weights[rows], pulled[rows], other[rows], share[rows])
        more = average > paid
        rows = rows[more]
        if not rows.size:
            break
        less = (average[more] - paid * (1 - AIM_SHARE)) / np.maximum(slope[more], 1e-300)
        share[rows] = np.maximum(share[rows] - less, 0.0)
    with np.errstate(divide="ignore"):
        steps = np.where(share == 1, 0.0, -el.log(share) * (1 + COIN_ERROR) + COIN_ERROR)
    steps[rows] = inf
    return steps, largest


def averages(weights: Array, pulled: Array, other: Array, share: Array) -> tuple[Array, Array, Array]:
    """For each group: an upper bound on the average of J - 1, its derivative, and the largest J - 1; J: see the module.
    The derivative is with respect to share. share: e^(-b_n); for J and b_n see the module's docstring."""
    value = share[:, None] * pulled + other
    best = np.maximum.accumulate(value, axis=1)
    at = np.maximum.accumulate(np.where(value == best, np.arange(value.shape[1]), 0), axis=1)
    terms = weights * best
    average = terms.sum(axis=1) + AVERAGE_ERROR * np.abs(terms).sum(axis=1)
    return average, (weights * np.take_along_axis(pulled, at, axis=1)).sum(axis=1), best[:, -1]


def waiting_terms(log_pulled: Array, other: Array, largest: Array) -> Array:
    """Returns, for each corner, lam times the number w_l of the module's docstring, rounded up.
    log_pulled: the logs of the powers for a pull, less b_n. largest: J_n - 1."""
    room = (1 + largest[:, None] - el.exp(log_pulled)) * (1 - COIN_ERROR) - COIN_ERROR
    with np.errstate(divide="ignore", invalid="ignore"):
        least = np.where(room > 0, el.log1p(other) - el.log(np.maximum(room, 1e-300)) + COIN_ERROR, np.inf)
    return np.maximum(least, 0.0)
