"""Checks upper bounds on the privacy loss of runs of any length, by a static potential: each round costs a price c, and
each pull count n has a number b_n.

A ceiling (certificate) of this kind contains two numbers for either side of the change: lam > 0, and the price c >= 0
of a round. From these two numbers, this module computes b_n >= 0 so large that every coin (p, q) of a round with n
pulls satisfies the following inequality. Here p and q are the probabilities of a pull under P and under Q.

    e^(-b_n) p^(1+lam) q^(-lam) + (1-p)^(1+lam) (1-q)^(-lam) <= e^(lam c).

Then delta <= w exp(lam c R + sum of b_n - lam eps), w = lam^lam/(1+lam)^(1+lam), over the R rounds and R pull counts in
which an arm's mean can differ: proved in docs/explanation/threshold_game.md, section 4. The left side is convex in (p,
q) and at most 1 where p = q: so corners around the arc of coins decide. Pull counts stand in groups: the shift of the
first one and the bound on thresholds of the last one serve for all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from .numbers import FIXED_POINT_ONE, ONE_ENDS, POINT, Ends, phi, root_rounded_up
from .rounds import PART, Coin, crossings, round_limits, tangent_positions
from .sampler import Rejected, Sampler
from .statement import read_entry, read_nonnegative

BITS = 192  # after the point, of exponentials and logs
UNIT = 1 << BITS
EXP_OFF = 1 << BITS - 168  # what an exponential is off by at most
LOG_OFF = 1 << BITS - 80  # and a log
SINGLE, GROUP = 64, Fraction(33, 32)  # so many pull counts stand alone; beyond, those within this factor together
NEAR, WIDTH = (-PART, 11 * PART // 2), PART // 8  # where tangents are close, and how far they are apart there
STEEPEST, FALLING_FROM = 15, 64  # squares of s, so that Phi(8 + s) is told from 1, and of (1 + lam) s, see `least_step`
LONGEST_RUN = 10**9  # rounds of a priced ceiling: they take ten processor seconds or less
LARGEST_LAM, LARGEST_EPS = 16, 10**4


class Price(NamedTuple):
    """One side of a ceiling: lam, the price of a round, and the side on which the changed arm pays more."""

    higher: str
    lam: Fraction
    price: Fraction


class CoinGroup(NamedTuple):
    """Pull counts that are bounded together. many: their number. coins: corners around their coins, in the order of
    thresholds. free: whether the thresholds are unbounded; then the last coin is that of the last tangent."""

    many: int
    coins: list[Coin]
    free: bool


def log_worth(sampler: Sampler, prices: tuple[Price, ...]) -> list[int]:
    """Returns, for each price of a round, the log of the potential at the start: lam c R + sum b_n, rounded up.
    Raises Rejected if lam is too large."""
    rounds = max(sampler.horizon - sampler.begin, 0)
    steepest = round_limits(sampler, sampler.first, max(sampler.horizon - 1, sampler.first), False).shift
    if steepest > STEEPEST or any((1 + each.lam) ** 2 * steepest > FALLING_FROM for each in prices):
        raise Rejected(
            "prices: lam is too large for this sampler: the change of one reward shifts a sample so far that the "
            "function to be maximised may increase beyond the last tangent; choose a smaller lam"
        )
    totals = [math.ceil(each.lam * each.price * rounds * UNIT) for each in prices]
    open_ones = set(range(len(prices)))
    for group in coin_groups(sampler, rounds):
        for i in sorted(open_ones):
            step = least_step(group, prices[i])
            totals[i] += group.many * step
            if group.free and step == 0:  # later counts show less
                open_ones.remove(i)
        if not open_ones:
            break
    return totals


def coin_groups(sampler: Sampler, rounds: int) -> Iterator[CoinGroup]:
    """Yields groups of pull counts, each with coins that are valid for all of its counts.
    Within a group, the round with the largest total of pulls, T - 1, covers all others, because a round with n pulls
    then reveals most, and thresholds have the weakest bound."""
    n, beyond = sampler.first, sampler.first + rounds
    while n < beyond:
        end = n if n < sampler.first + SINGLE else max(n, min(int(n * GROUP), beyond - 1))
        rule = round_limits(sampler, n, sampler.horizon - 1, False)
        high = rule.high if end == n else (end + 1) / sampler.variance
        s, xs = root_rounded_up(rule.shift), [x * FIXED_POINT_ONE // PART for x in tangent_positions(NEAR, WIDTH)]
        bound = None if not sampler.two or high is None else root_rounded_up(Fraction(high))
        free = bound is None or bound >= xs[-1]
        if bound is not None and not free:
            gap = FIXED_POINT_ONE // (4 * PART)
            xs = [*(x for x in xs if x < bound - gap), bound]
        last = Coin(phi(-xs[-1]), phi(s - xs[-1]))
        yield CoinGroup(end - n + 1, [Coin(phi(-xs[0]), phi(s - xs[0])), *crossings(s, xs), last], free)
        n = end + 1


def least_step(group: CoinGroup, price: Price) -> int:
    """Returns the smallest number b_n that suffices for all pull counts of a group, in units, rounded up.
    Raises Rejected if no number suffices, because outcomes without a pull reveal too much.

    Before the first threshold, right: the power of a pull is at most 1, and that of no pull rises with x up to -lam s;
    left: q^(1+lam) p^(-lam) <= p^(-lam), and the other power is at most 1-q. Beyond the last one, if nothing bounds x,
    right: at most p, and (1-q)^(-lam); left: q^(1+lam) p^(-lam) decreases from x = (1+lam) s on, and the other power is
    at most 1.
    """
    lam, right = price.lam, price.higher == "right"
    first, *inner, last = group.coins
    paid = exponential_ends(math.floor(lam * price.price * UNIT)).low
    pairs = []
    for coin in inner if group.free else [*inner, last]:
        pulled, other = (coin.p, coin.q), (complement(coin.p), complement(coin.q))
        pairs.append((pulled, other) if right else (pulled[::-1], other[::-1]))
    none_p, none_q = complement(first.p), complement(first.q)
    pairs.append(((ONE_ENDS, ONE_ENDS), (none_p, none_q)) if right else ((ONE_ENDS, first.p), (none_q, none_q)))
    if group.free:
        pairs.append(
            ((last.p, last.p), (ONE_ENDS, complement(last.q))) if right else ((last.q, last.p), (ONE_ENDS, ONE_ENDS))
        )
    best = 0
    for pulled, other in pairs:
        room = paid - exponential_ends(log_power(*other, lam)).high
        if room <= 0:
            raise Rejected(
                f"prices, side {price.higher!r}: the price of a round is too low, because a round in which the "
                "changed arm is not pulled costs more privacy than the price"
            )
        best = max(best, log_power(*pulled, lam) - log_ends(room << POINT - BITS).low)
    return best


def complement(probability: Ends) -> Ends:
    """Encloses 1 - probability."""
    return Ends(FIXED_POINT_ONE - probability.high, FIXED_POINT_ONE - probability.low)


def log_power(numerator: Ends, other: Ends, lam: Fraction) -> int:
    """An upper bound on (1 + lam) ln numerator - lam ln other, in units; Rejected if `other` may be 0."""
    if other.low <= 0:
        raise Rejected("a probability is so small that the checker cannot distinguish it from 0")
    top = log_ends(numerator.high).high if numerator.high > 0 else -64 * UNIT
    return math.ceil((1 + lam) * top - lam * log_ends(other.low).low)


def exponential_ends(x: int) -> Ends:
    """Encloses e^x for -inf < x <= 1, x in units: the series of e^(x/2^12), squared 12 times.

    For |x| <= 64 a term is off by less than 2 units, and what follows the 24th is below (2^-6)^24/24! < 2^-220; a
    square v^2 is off by 2 v times what v is off by, and a unit: by less than 2^12 e (100 + 1) units in the end.
    """
    if x < -64 * UNIT:
        return Ends(0, exponential_ends(-64 * UNIT).high)
    if x > UNIT:
        raise Rejected("the check needs e^x for an x above 1, which is not supported")
    small, term, total = x >> 12, UNIT, 0
    for k in range(1, 25):
        total, term = total + term, (term * small >> BITS) // k
    for _ in range(12):
        total = total * total >> BITS
    return Ends(max(total - EXP_OFF, 0), total + EXP_OFF)


@lru_cache(maxsize=1)
def log_of_2() -> int:
    """Returns ln 2 in units, with an error below EXP_OFF, by the series 2 (1/3 + 1/(3 3^3) + 1/(5 3^5) + ...)."""
    return sum(2 * UNIT // ((2 * k + 1) * 3 ** (2 * k + 1)) for k in range(70))


def log_ends(x: int) -> Ends:
    """Encloses ln x for x > 0. The argument is in units of 2^-POINT, the log in units of 2^-BITS.

    x = m 2^k with m in [1, 2), and g, the log of m in doubles, is a guess: ln m = g + ln(1 + d), d = m e^-g - 1, and
    with |d| < 2^-44 the log of 1 + d is within d^2 of d.
    """
    k = x.bit_length() - 1 - POINT
    m = x >> POINT - BITS + k if POINT - BITS + k >= 0 else x << BITS - POINT - k
    guess = int(math.log(m / UNIT) * (1 << 52)) << BITS - 52
    d = (m * exponential_ends(-guess).low >> BITS) - UNIT
    if abs(d) >> BITS - 44:
        raise Rejected("the floating-point approximation of a logarithm is too inaccurate on this machine")
    middle = guess + d + k * log_of_2()
    return Ends(middle - LOG_OFF, middle + LOG_OFF)


def least_eps(sampler: Sampler, delta: Fraction, prices: tuple[Price, ...]) -> Fraction:
    """Returns the smallest eps at delta that the prices of both sides prove. Raises Rejected if there is none."""
    found = []
    for worth, (_, lam, _) in zip(log_worth(sampler, prices), prices, strict=True):
        log_w = lam * log_of_fraction(lam).high - (1 + lam) * log_of_fraction(1 + lam).low
        found.append((worth + log_w - log_of_fraction(delta).low) / lam / UNIT)
    return max(*found, Fraction(0))


def log_of_fraction(x: Fraction) -> Ends:
    """Encloses the log of a positive fraction, as the log of its numerator minus that of its denominator."""
    return log_ends(x.numerator << POINT).minus(log_ends(x.denominator << POINT))


def read_prices(ceiling: Mapping[str, Any]) -> tuple[Price, ...]:
    """Reads the two prices of a ceiling, one for each side of the change. Raises Rejected for invalid prices."""
    found = []
    for i, entry in enumerate(read_entry(ceiling, "prices", Sequence)[:2]):
        lam, price = (read_nonnegative(read_entry(entry, name, str), f"prices/{i}/{name}") for name in ("lam", "price"))
        if not Fraction(1, 10**6) <= lam <= LARGEST_LAM or lam * price > 1:
            raise Rejected(f"prices/{i}: lam must be from 1e-6 to {LARGEST_LAM}, and lam times price at most 1")
        found.append(Price(str(entry.get("higher")), lam, price))
    if sorted(price.higher for price in found) != ["left", "right"]:
        raise Rejected('prices: there must be two entries, one with "higher": "left" and one with "higher": "right"')
    return tuple(found)
