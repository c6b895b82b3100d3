"""Limits for the mean of variables in a range, that gain where they vary little: by one stake on all of them.

Let X lie in [0, 1], with mean mu, and lam be chosen before the runs that count. For m <= 1/lam the capital K(m) = the
product of 1 + lam (X_i - m) over the runs is never negative, falls with m, and has the expectation 1 at m = mu. So
P(K(mu) >= 1/level) <= level (Markov), and the largest m with K(m) >= 1/level lies above mu with no larger probability:
it is a lower limit. The same of 1 - X is an upper one. The mean of the capitals of several stakes does as well; a stake
with lam m > 1 counts as 0 there, and falls still.

The stakes come from the first tenth of the runs, which then do not count: near sqrt(2 ln(1/level)/(n v)), the best one
for variance v (as in Waudby-Smith and Ramdas 2024, whose bets change all along), and below 1/m where the mean seems to
be.
"""

from __future__ import annotations

from math import log

from dpbandits.audit.statistics.expectation import Limits, in_range
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

PILOT = 10  # one run in so many chooses the stakes
STAKE_SHARES = (0.5, 1.0, 2.0)  # of the best stake, if the variance is the pilot's
MOST_STAKED = 0.9  # of all that can be staked on a mean that is the pilot's
WIDENED = 1e-9  # of the range: more than all roundings, and what 40 halvings leave


def staked_limits(values: Array, low: float, high: float, level: float) -> Limits:
    """Limits of the mean of independent values in [low, high], each missed with probability at most `level`.

    values: (n,), in the order in which they were drawn. Raises ValueError as `in_range`.
    """
    inside = in_range(values, low, high)
    if high <= low:
        return Limits(float(inside.mean()), low, high)
    share = (inside - low) / (high - low)
    below = max(0.0, lower_share(share, level) - WIDENED)
    above = min(1.0, 1 - lower_share(1 - share, level) + WIDENED)
    return Limits(float(inside.mean()), low + (high - low) * below, low + (high - low) * above)


def lower_share(share: Array, level: float) -> float:
    """The lower limit of the mean of values in [0, 1]."""
    pilot = max(1, len(share) // PILOT)
    first, rest = share[:pilot], share[pilot:]
    if not len(rest):
        return 0.0
    # One more run at each end keeps the variance of a pilot whose runs agree from being 0.
    variance = float(((first - first.mean()) ** 2).sum() + 1 / len(rest)) / (pilot + 1)
    best = (2 * log(1 / level) / (len(rest) * variance)) ** 0.5
    most = MOST_STAKED / max(float(first.mean()), 1 / len(rest))
    stakes = [min(best * each, most) for each in STAKE_SHARES]

    def enough(m: float) -> bool:
        logs = [float(el.log1p(stake * (rest - m)).sum()) for stake in stakes if stake * m < 1]
        if not logs:
            return False
        largest = max(logs)
        return largest + log(sum(float(el.exp(each - largest)) for each in logs) / len(stakes)) >= log(1 / level)

    at, end = 0.0, 1.0
    if not enough(at):
        return 0.0
    for _ in range(40):
        middle = (at + end) / 2
        at, end = (middle, end) if enough(middle) else (at, middle)
    return at
