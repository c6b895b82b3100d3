"""An upper bound on the value of the threshold game in states that are rarely reached. It uses moments P^a Q^(1-a)
instead of a grid of likelihood ratios P/Q.

W(P, Q) = P^a Q^(1-a) with a > 1 is convex and homogeneous, and (P - Q)_+ <= w_a W(P, Q) with w_a = (a-1)^(a-1)/a^a. So
if M_N(n) is at least the largest, over all coins (p, q) of a round, of

    M_{N+1}(n+1) p^a q^(1-a) + M_{N+1}(n) (1-p)^a (1-q)^(1-a),        M_T = 1,

then V_N(n; P, Q) <= w_a M_N(n) P^a Q^(1-a): induction, one number for each state. The coins are those of `coins`, any
threshold allowed. Beyond the first and the last tangent: f(x) = Phi(x)^a Phi(x-s)^(1-a), a tail's power where the
changed arm pays less on the left side, has the slope a h(x) - (a-1) h(x-s) >= h(x) - (a-1) s in its log, for h =
phi/Phi has slope in (-1, 0); h(x) > -x; so f increases up to x = -(a-1) s, and is largest at the first tangent.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from dpbandits.extensions.thompson.coins import crossings
from dpbandits.extensions.thompson.rules import RoundLimits, Sampler, any_arms, two_arms
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

MOMENT_ORDERS = 1 + el.geometric(0.03, 60.0, 24)
THRESHOLDS = np.concatenate([np.arange(-8, -3, 0.5), np.arange(-3, 4, 0.25), np.arange(4, 9.6, 0.5)])
POWER_ROUNDING = 1e-11  # relative, of one round: powers with |a log q| < 3000 of ndtr's values, and a dozen roundings
LOG_ROUNDING = 1e-9  # absolute, of logs of size up to 1e5
MOMENT_COIN_SPAN = 1.05  # rounds that share their coins lie within this factor
MAX_MOMENT = 1e250
POWERS_PER_BATCH = 2**14  # powers that are multiplied at once: they fit a processor's inner cache


class Moments(NamedTuple):
    """Upper bounds on the game for each order. orders: (orders,). start: the log of M at the start of the game,
    (orders,). edge: (horizon + 1, orders), the log of M_N(watched)."""

    orders: Array
    start: Array
    edge: Array

    def log_curve(self, log: Array, eps: Array) -> Array:
        """Returns the log of an upper bound on delta at eps, at most 0, in the shape of eps.
        log: the logs of M, (orders,)."""
        best, eps = log_shares(self.orders.tobytes()) + log, np.asarray(eps)
        lines = np.multiply.outer(self.orders - 1, -eps)
        lines += best.reshape(-1, *[1] * eps.ndim)
        return np.asarray(np.minimum(lines.min(axis=0) + LOG_ROUNDING, 0.0))


@lru_cache(maxsize=64)
def log_shares(orders: bytes) -> Array:
    """Returns log w_a, w_a = (a-1)^(a-1)/a^a, for all orders a, (orders,).
    orders: the bytes of an array, so that the result can be cached.
    """
    a = np.frombuffer(orders)
    found: Array = (a - 1) * el.log(a - 1) - a * el.log(a)
    found.flags.writeable = False
    return found


def moments(sampler: Sampler, higher: str, levels: int, watched: int, orders: Array = MOMENT_ORDERS) -> Moments:
    """Upper bounds on the moments of the likelihood ratio in the game with unbounded thresholds.

    higher: "right" or "left", the side where the changed arm pays more. levels: the pull count from which on all counts
    are merged. watched: the pull count whose M is returned for every total. orders: fewer are faster, and give a weaker
    bound.
    """
    first, T = sampler.first, sampler.horizon
    pulls = np.arange(first, first + levels, dtype=np.float64)
    orders = largest_orders(sampler, orders)
    value = np.ones((levels, orders.size))
    edge = np.zeros((T + 1, orders.size))
    place = min(watched - first, levels - 1)
    for top, totals in totals_sharing_coins(sampler, MOMENT_COIN_SPAN):
        pulled, not_pulled = moment_factors(rounds_at(sampler, pulls, top).shift, higher, orders, THRESHOLDS)
        for total in totals:
            after = np.concatenate([value[1:], value[-1:]])  # the last level stays where it is
            value = moments_before_round(pulled, not_pulled, after, value)
            edge[total] = el.log(value[place])
    return Moments(orders, el.log(value[0]), edge)


def largest_orders(sampler: Sampler, orders: Array) -> Array:
    """Returns the orders for which the bound by moments is valid.
    For these, the first and the last of THRESHOLDS lie far enough from 0."""
    steep = float(rounds_at(sampler, np.array([float(sampler.first)]), sampler.horizon).shift[0])
    return np.asarray(orders[(orders - 1) * steep <= min(-THRESHOLDS[0], THRESHOLDS[-1] - steep)])


def moments_before_round(pulled: Array, not_pulled: Array, after: Array, value: Array) -> Array:
    """Returns the moments M before a round, (levels, orders): the largest value over the coins.
    pulled, not_pulled: (coins, levels, orders). after: M at the next pull count. value: M at the same count.
    """
    best, together = np.zeros_like(value), max(1, POWERS_PER_BATCH // max(1, value.size))
    for start in range(0, len(pulled), together):
        some = slice(start, start + together)
        np.maximum(best, (pulled[some] * after + not_pulled[some] * value).max(axis=0), out=best)
    best *= 1 + POWER_ROUNDING
    best[best > MAX_MOMENT] = np.inf
    return best


def rounds_at(sampler: Sampler, pulls: Array, total: int) -> RoundLimits:
    """The limits on the coins (pairs of pull probabilities) of rounds, for each pull count in `pulls`.
    total: of all pulls; matters only with two arms."""
    return two_arms(sampler, pulls, total) if sampler.arms == 2 else any_arms(sampler, pulls)


def totals_sharing_coins(sampler: Sampler, factor: float) -> Iterator[tuple[int, range]]:
    """Yields groups of total pull counts that share one set of coins, as (top, totals).
    totals: decreasing numbers N of all pulls at which the game is played; top: the largest of the group.

    factor: within which the totals of a group lie. At fixed n a round with two arms shows more, and allows more
    thresholds, the larger N is: the coins of `top` serve. With a given number of more arms the chances of a threshold
    depend on N: those that serve are found for a whole group (`rival_thresholds.chances_above`).
    """
    last, begin = sampler.horizon - 1, sampler.horizon - sampler.rounds
    while last >= begin:
        least = begin if sampler.arms is None else max(begin, ceil(last / factor))
        yield last, range(last, least - 1, -1)
        last = least - 1


def moment_factors(shift: Array, higher: str, orders: Array, thresholds: Array) -> tuple[Array, Array]:
    """Returns the factors by which each coin multiplies the moments P^a Q^(1-a), with a pull and without one.
    (coins, levels, orders) each."""
    coins = crossings(shift, thresholds[:-1, None], thresholds[1:, None])
    first, last = np.float64(thresholds[0]), np.float64(thresholds[-1])
    a, b, ones = orders, orders - 1, np.ones((shift.size, orders.size))
    if higher == "right":
        pulled, tails = power_products(coins.p, coins.q, a), power_products(coins.tails_p, coins.tails_q, a)
        begin = ones, power_products(ndtr(first), ndtr(first - shift), a)
        end = ndtr(-last) * ones, el.power((ndtr(last) / ndtr(last - shift))[:, None], b)
    else:
        pulled, tails = power_products(coins.q, coins.p, a), power_products(coins.tails_q, coins.tails_p, a)
        begin = el.power((ndtr(shift - first) / ndtr(-first))[:, None], b), ndtr(first - shift)[:, None] * ones
        end = power_products(ndtr(shift - last), ndtr(-last), a), ones
    sides = zip((pulled, tails), begin, end, strict=True)
    up, down = (np.maximum(np.concatenate([inside, [before], [after]]), 1e-300) for inside, before, after in sides)
    return up, down


def power_products(left: Array, right: Array, orders: Array) -> Array:
    """Returns left^a right^(1-a) for all orders a, along a new last axis."""
    left, right = np.broadcast_arrays(el.log(left), el.log(right))
    return np.asarray(el.exp(left[..., None] * orders + right[..., None] * (1 - orders)))
