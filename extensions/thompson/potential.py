"""The static potential, which bounds the privacy loss of Thompson sampling for runs of any length: each round costs a
price c, and each pull count n of the changed arm has a number b_n.

The coins (p, q) of a round are the pairs of probabilities with which it may pull the changed arm, under P and under Q.
For lam > 0 and c >= 0, choose b_n >= 0 such that every coin of every round after n pulls of this arm satisfies

    e^(-b_n) p^(1+lam) q^(-lam) + (1-p)^(1+lam) (1-q)^(-lam) <= e^(lam c).

Then M_N(n) = exp(lam c (T-N) + b_n + b_(n+1) + ...) is a solution of the game for powers (`moments`), as an inequality:
V_N(n; P, Q) <= w M_N(n) P^(1+lam) Q^(-lam), w = lam^lam/(1+lam)^(1+lam), and M falls with N and n, so that the first
state bounds all others. A certificate is the pair (lam, c), one for each side of the change: `ceilings` finds the b_n
by itself. Its proof is in docs/explanation/threshold_game.md, section 4.

With two arms the thresholds at n pulls are bounded, most loosely in the last round. With K arms they are so but for
those that are paid for (`rival_thresholds`): a threshold far above 1 is the sample of an arm with few pulls, and uses
it up.

Logs are rounded outward: COIN_ERROR bounds the relative error of a coin's chances, ndtr's and that of shifts and bounds
included, and its share of p that of ln(1-p); expm1 errs by less than LAST_PLACES.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from dpbandits.extensions.thompson.coins import THRESHOLD_RANGE, crossings, tangent_thresholds
from dpbandits.extensions.thompson.moments import MOMENT_ORDERS, Moments, largest_orders
from dpbandits.extensions.thompson.rules import Sampler, any_arms, two_arms
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

STATIC_ORDERS = el.geometric(0.008, 1.6, 40)  # lam
SINGLE_COUNTS, COUNT_GROUP = 64, 1.02  # pull counts up to there stand alone; beyond, those within this factor together
STATIC_WIDTH, STATIC_NEAR = 0.1, (-1.0, 5.5)  # of tangents, and where they are close
STEEPEST_COIN = 8.5  # deviations by which a reward may move a sample
COIN_ERROR, LAST_PLACES = 1e-13, 4e-15
SUM_ERROR = 1e-11  # relative, of a sum over pull counts and of its products
LEAST_WEIGHT = -690.0  # a smaller log is taken for this one: its exponential is a double
ROUND_PRICES = el.geometric(0.02, 4000.0, 25)  # times the number of rounds: what is tried first
REFINEMENTS = 3  # then seven prices between the neighbours of the best one, so many times less one


class StaticCoins(NamedTuple):
    """Corners around all coins, a row for each group of pull counts. many: counts of a group, (groups,); the others
    (groups, corners): logs of P's and Q's chances of a pull and of none, an error of the latter, and how large the best
    of the other samples has to be, in units of rewards, to reach the cell before the corner's."""

    many: Array
    pulled: Array
    pulled_q: Array
    other: Array
    other_q: Array
    error: Array
    reach: Array


class StaticMoments(NamedTuple):
    """For orders lam, prices c of a round, (orders,): log M at the start. lost: an additional delta."""

    orders: Array
    prices: Array
    start: Array
    lost: float = 0.0

    def log_bounds(self, eps: float) -> Array:
        """Returns, for each order, the log of the bound on delta at eps, (orders,), without the addend `lost`."""
        lam = self.orders
        return np.asarray(self.start + lam * el.log(lam) - (1 + lam) * el.log(1 + lam) - lam * eps + SUM_ERROR)

    def eps(self, delta: float) -> float:
        """Returns the smallest eps certified for this delta, which must exceed `lost`."""
        return float(((self.log_bounds(0.0) - log(delta - self.lost)) / self.orders).min()) * (1 + SUM_ERROR)


def count_groups(sampler: Sampler) -> tuple[Array, Array]:
    """Groups pull counts that are treated alike; returns the first and the last count of each group, (groups,)."""
    first, beyond = sampler.first, sampler.first + sampler.rounds
    starts = list(range(first, min(first + SINGLE_COUNTS, beyond)))
    at = first + SINGLE_COUNTS
    while at < beyond:
        starts.append(at)
        at = max(at + 1, int(at * COUNT_GROUP))
    found = np.array([*starts, beyond], dtype=np.float64)
    return found[:-1], found[1:] - 1


def static_coins(sampler: Sampler, higher: str) -> StaticCoins:
    """Returns the logarithms of the coins (pairs of pull probabilities) for all groups of pull counts.
    higher: the side where the changed arm pays more. Raises ValueError if one reward changes a sample by more than
    STEEPEST_COIN deviations."""
    begin, end = count_groups(sampler)
    unit = ((end + 1) / sampler.variance) ** 0.5  # 1 in deviations, most of a group's
    shift, high = any_arms(sampler, begin).shift, np.full(begin.size, np.inf)
    if sampler.arms == 2:
        last = two_arms(sampler, begin, sampler.horizon - 1)
        shift, high = last.shift, np.where(begin == end, last.high, unit)
    steep = float(shift.max())
    if steep > STEEPEST_COIN:
        raise ValueError(
            f"a reward may change a sample by {steep:.3g} standard deviations; at most {STEEPEST_COIN:g} are "
            "supported; increase the variance or the number of pre-pulls"
        )
    grid = tangent_thresholds(STATIC_WIDTH, STATIC_NEAR, shift=steep)
    edges = np.minimum(np.append(grid, THRESHOLD_RANGE[1] + steep), high[:, None])
    p, tails_p, q, tails_q = crossings(shift[:, None], edges[:, :-1], edges[:, 1:])
    ends, error = end_coins(shift, edges[:, -1], high, higher)
    corners = [logs_of(p), logs_of(q), logs_of_complements(p, tails_p), logs_of_complements(q, tails_q)]
    if higher == "left":
        corners = [corners[1], corners[0], corners[3], corners[2]]
    pulled, pulled_q, other, other_q = (np.concatenate(part, axis=1) for part in zip(corners, ends, strict=True))
    errors = np.concatenate([COIN_ERROR * np.minimum(1, 2 * q), error], axis=1)
    never = np.full((begin.size, 1), -np.inf)  # an arc that ends in a cell needs the next one's corner as well
    reach = np.concatenate([never, edges[:, :-1], never], axis=1)
    return StaticCoins(end - begin + 1, pulled, pulled_q, other, other_q, errors, reach / unit[:, None])


def end_coins(shift: Array, last: Array, high: Array, higher: str) -> tuple[list[Array], Array]:
    """Returns the corners of a group's polygon beyond its outermost thresholds, and a bound on their errors.
    The corners are logs like in StaticCoins, (groups, 2); the error is that of these logs.

    Where the last one is `high`, it is a coin. Else, right: pulled p^(1+lam) q^(-lam) <= p, and not pulled
    (1-p)^(1+lam) (1-q)^(-lam) <= (1-q)^(-lam); left: as `moments` proves, the first power falls from here on, and the
    other one is at most 1. Before the first threshold, right: at most 1, and what it is there (`moments`); left:
    q^(1+lam) p^(-lam) <= p^(-lam), and (1-q)^(1+lam) (1-p)^(-lam) <= 1-q.
    """
    first, none = np.full(shift.size, THRESHOLD_RANGE[0]), np.zeros(shift.size)
    p, tails_p, q, tails_q = (ndtr(x) for x in (-last, last, shift - last, last - shift))
    p_0, q_0, tails_q_0 = ndtr(-first), ndtr(shift - first), ndtr(first - shift)
    coin = [logs_of(p), logs_of(q), logs_of_complements(p, tails_p), logs_of_complements(q, tails_q)]
    if higher == "right":
        beyond = [coin[0], coin[0], none, coin[3]]
        before = [none, none, el.log(ndtr(first)) + none, logs_of(tails_q_0)]
    else:
        coin = [coin[1], coin[0], coin[3], coin[2]]
        beyond = [coin[0], coin[1], none, none]
        before = [none, el.log(p_0), logs_of(tails_q_0), logs_of(tails_q_0)]
    at_last = (np.where(last >= high, *pair) for pair in zip(coin, beyond, strict=True))
    logs = [np.stack(pair, axis=1) for pair in zip(at_last, before, strict=True)]
    return logs, COIN_ERROR * np.minimum(1, 2 * np.stack([q, np.maximum(q_0, 0.5)], axis=1))


def logs_of(probabilities: Array) -> Array:
    """The natural logarithms of probabilities; a probability of 0 counts as 1e-300."""
    return np.asarray(el.log(np.maximum(probabilities, 1e-300)))


def logs_of_complements(probabilities: Array, complements: Array) -> Array:
    """ln(1 - chances), computed from the smaller of `probabilities` and `complements`."""
    return np.where(probabilities < 0.5, el.log1p(-np.minimum(probabilities, 0.5)), logs_of(complements))


def powers_of(coins: StaticCoins, lam: float) -> tuple[Array, Array]:
    """Returns upper bounds on P^(1+lam) Q^(-lam) for each coin, after a pull and after no pull.
    Its log for a pull, and its value minus 1 for no pull."""
    off = (1 + 2 * lam) * COIN_ERROR
    pulled = np.maximum((1 + lam) * coins.pulled - lam * coins.pulled_q + off, LEAST_WEIGHT)
    logs = (1 + lam) * coins.other - lam * coins.other_q + (1 + 2 * lam) * coins.error
    other = el.expm1(np.minimum(logs, -LEAST_WEIGHT))
    return pulled, other + LAST_PLACES * np.abs(other)


def least_steps(pulled: Array, other: Array, lam: float, price: float) -> Array:
    """Returns, for each group of pull counts n, the smallest potential step b_n that suffices at this price of a round.
    (groups,). inf if no b_n suffices.

    pulled: as e^log of `powers_of`. Corners that do not count have 0 there, and -1 in `other`.
    """
    paid = el.expm1(min(lam * price, -LEAST_WEIGHT)) * (1 - LAST_PLACES)
    room = paid - other - LAST_PLACES * (paid + np.abs(other))
    with np.errstate(divide="ignore"):
        ratio = np.where(room > 0, pulled / room, np.where(pulled > 0, np.inf, 0.0)).max(axis=1)
        return np.asarray(np.maximum(el.log(np.maximum(ratio, 0.5)) * (1 + COIN_ERROR) + 2 * COIN_ERROR, 0.0))


def static_moments(sampler: Sampler, higher: str, orders: Array | None = None) -> StaticMoments:
    """Returns the static potential's bound for each order lam, with the best price of a round that a search finds.
    Any other price gives a valid bound as well. For any number of arms, or two. orders: STATIC_ORDERS by default; those
    for which a reward moves a sample too far are left out. Raises ValueError if none is left, and as `static_coins`
    does."""
    steep = float(any_arms(sampler, np.array([sampler.first])).shift[0])
    orders, rounds = STATIC_ORDERS if orders is None else orders, sampler.rounds
    orders = orders[orders * steep <= -THRESHOLD_RANGE[0]]
    if not orders.size:
        raise ValueError(
            f"a reward may change a sample by {steep:.3g} standard deviations, too much for a bound by moments of any "
            "order; increase the variance or the number of pre-pulls"
        )
    if rounds < 1:
        return StaticMoments(orders, 0 * orders, 0 * orders)
    coins = static_coins(sampler, higher)
    found = [best_price(*powers_of(coins, lam), coins.many, lam, rounds) for lam in orders.tolist()]
    prices, start = np.array(found).T
    return StaticMoments(orders, prices, start)


def best_price(log_pulled: Array, other: Array, group_sizes: Array, lam: float, rounds: int) -> tuple[float, float]:
    """The price of a round, among those tried, with the smallest log M at the start of the run, and this log M."""
    pulled = el.exp(log_pulled)

    def log_start(price: float) -> float:
        """An upper bound on log M at the start of the run, for this price of each round."""
        steps = least_steps(pulled, other, lam, price)
        return float((lam * price * rounds + (group_sizes * steps).sum()) * (1 + SUM_ERROR))

    prices = ROUND_PRICES / rounds
    for _ in range(REFINEMENTS):
        found = np.array([log_start(price) for price in prices])
        at = int(np.argmin(found))
        best = float(prices[at]), float(found[at])
        prices = el.geometric(float(prices[max(at - 1, 0)]), float(prices[min(at + 1, prices.size - 1)]), 7)
    return best


# -- from every round and one pull count on: what a grid of ratios knows of the counts beyond ------------------------
#
# For each price c of a round, M_N(n) bounds V_N(n) and all later states; so the best price is chosen for every N by
# itself.

MAX_PLAYED_POWERS = 300  # rounds; beyond, powers are not played round by round, but with a price for each
EARLY_SHARE = 0.4  # of the counts are followed in the first rounds of long runs, and all of them in the last ones
LONG_RUN_ROUNDS = 1000  # more is long
RUN_PRICES = el.geometric(0.01, 300.0, 30)  # c times the number of rounds


def are_priced(sampler: Sampler) -> bool:
    """Whether the static potential bounds the pull counts that are not on the grid."""
    steep = sampler.variance * (sampler.first + 1) * STEEPEST_COIN**2
    return sampler.rounds > 0 and sampler.horizon > MAX_PLAYED_POWERS and steep >= 1


def are_growing(sampler: Sampler, higher: str) -> bool:
    """Whether the number of pull counts on the grid grows from early to late rounds.
    Always false for the left side, where this would make mu too large."""
    return higher == "right" and sampler.arms == 2 and sampler.horizon > LONG_RUN_ROUNDS and are_priced(sampler)


def last_counts(sampler: Sampler, higher: str, levels: int) -> Ints:
    """Returns, for each total of pulls from 0 to T, the first pull count that is not on the grid, (T + 1,).
    At most first + levels, nondecreasing.

    The static potential bounds the game from any count on, so any counts are valid. In early rounds many pulls are
    rare, so few counts lose little.
    """
    share = np.ones(sampler.horizon + 1)
    if are_growing(sampler, higher):
        share = EARLY_SHARE + (1 - EARLY_SHARE) * np.arange(sampler.horizon + 1) / sampler.horizon
    return np.asarray(sampler.first + np.ceil(levels * share).astype(np.int64))


def priced_moments(sampler: Sampler, higher: str, watched: Ints) -> Moments:
    """Returns the bound by the static potential as `Moments`, for the side `higher` of the change.
    watched: for every total, the pull count whose M is returned, (horizon + 1,)."""
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
