"""Confidence limits for the expectation of a quantity from n independent runs, and what n runs can detect.

For a quantity with a known range: Anderson's (1969) limits. E[X] = low + integral of P(X > x), and by the inequality of
Dvoretzky, Kiefer and Wolfowitz (with Massart's constant) the true P(X > x) is at no x below its estimate from n runs
minus sqrt(log(1/level)/(2n)), except with probability `level`; nor, by the same inequality, above the estimate plus
this. This requires nothing but the range of X: no normal approximation has to be trusted at levels like 1e-8. For a
quantity with two values: the exact limits of Clopper and Pearson (1934) for a probability.

Limits for the mean of variables in a range that are tighter if the variables vary little: by one stake on all of them.

Let X lie in [0, 1], with mean mu, and let lam be chosen before the runs that count. For m <= 1/lam the capital K(m) =
the product of 1 + lam (X_i - m) over the runs is never negative, decreases in m, and has expectation 1 at m = mu. So
P(K(mu) >= 1/level) <= level (Markov), and the largest m with K(m) >= 1/level exceeds mu with no larger probability: it
is a lower limit. The same limit for 1 - X gives an upper one. The mean of the capitals of several stakes works as well;
a stake with lam m > 1 counts as 0, and the mean still decreases.

The stakes are computed from the first tenth of the runs, which then do not count: near sqrt(2 ln(1/level)/(n v)), the
best one for variance v (as in Waudby-Smith and Ramdas 2024, whose bets change throughout), and below 1/m for the
estimated mean m.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from dpbandits.audit.statistics.region import probability_upper_limit
from dpbandits.audit.statistics.resolution import RESOLUTION_POWER
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.linear import matrix_product
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.quantities import Quantity
from dpbandits.reference.claims.findings import Refuting, stored

MEAN_ROUNDING = 1e-9  # relative; sums over 1e6 rounds err by less than 1e-12
PILOT_PART = 10  # one run in so many chooses the stakes
STAKE_MULTIPLES = (0.5, 1.0, 2.0)  # of the best stake, if the variance is the pilot's
MAX_STAKED = 0.9  # of all that can be staked on a mean that is the pilot's
STAKED_ROUNDING = 1e-9  # of the range: more than all roundings, and what 40 halvings leave


class MeanLimits(NamedTuple):
    """A mean, and limits that each hold with probability 1 - level."""

    mean: float
    low: float
    high: float


class MeanMethod(NamedTuple):
    """A method that certifies expectations.

    limits: (values, low, high, level) -> Limits, for values in [low, high]. slack: (bound, low, high) -> by how much a
    limit must exceed a bound, because of rounding. reach: (runs, bound, low, high, level, upper) -> the threshold for
    the mean of the values beyond which they would have refuted the bound, `upper` or lower; inf if no mean would.
    refuting: (runs, bound, low, high, level, upper) -> this threshold in the form of a finding, if it is finite.
    """

    limits: Callable[[Array, float, float, float], MeanLimits]
    slack: Callable[[float, float, float], float]
    reach: Callable[[int, float, float, float, float, bool], float]
    refuting: Callable[[int, float, float, float, float, bool], Refuting]


def rounding_of_sums(bound: float, low: float, high: float) -> float:
    """Returns an upper bound on the rounding error of a mean of many values, in units of the values."""
    return MEAN_ROUNDING * max(abs(low), abs(high), 1.0)


def require_in_range(values: Array, low: float, high: float) -> Array:
    """Returns the values, clipped to the range [low, high]; raises ValueError for values outside.
    Raises ValueError as well if there are no values. An excess within rounding errors is clipped, because the limits
    depend on the range."""
    if not len(values):
        raise ValueError("values is empty; give the result of at least one run")
    slack = rounding_of_sums(low, low, high)
    bad = np.flatnonzero(~((values >= low - slack) & (values <= high + slack)))
    if len(bad):
        raise ValueError(
            f"run {bad[0]} has the result {values[bad[0]]}, but the range of this quantity is [{low:.6g}, {high:.6g}]"
        )
    return np.clip(values, low, high)


# -- a range and nothing else --------------------------------------------------------------------------------------


def tail_error_by_massart(n: int, level: float) -> float:
    """Bounds the error, to one side, of the estimate of P(X > x) from n runs, at all x together.
    The bound fails with probability at most `level`. Massart's constant is proved for levels up to 1/2; for larger
    levels, and for few runs, the result is the trivial bound 1."""
    return min(1.0, float(np.sqrt(el.log(1 / level) / (2 * n)))) if level <= 0.5 else 1.0


def mean_limits_by_anderson(values: Array, low: float, high: float, level: float) -> MeanLimits:
    """Returns confidence limits for the mean of variables with values in [low, high].
    values: (n,). Raises ValueError as `require_in_range`."""
    ordered = np.sort(require_in_range(values, low, high))
    n = len(ordered)
    shift = tail_error_by_massart(n, level)
    share = np.arange(n, 0, -1) / n  # P(X >= ordered[i]), estimated
    widths = np.diff(np.concatenate([[low], ordered, [high]]))
    above = np.concatenate([share, [0.0]])
    least = low + float(matrix_product(np.maximum(0.0, above - shift), widths))
    most = low + float(matrix_product(np.minimum(1.0, above + shift), widths))
    return MeanLimits(float(values.mean()), least, most)


def refuting_mean_by_anderson(n: int, bound: float, low: float, high: float, level: float, upper: bool) -> float:
    """The value beyond which all n runs, in [low, high], must lie to refute the claimed bound; inf if impossible.
    upper: whether the bound is an upper one."""
    shift, end = tail_error_by_massart(n, level), low if upper else high
    reach = end + (bound - end) / max(1e-12, 1 - shift)
    return reach if shift < 1 and low <= reach <= high else np.inf


def refuting_by_anderson(n: int, bound: float, low: float, high: float, level: float, upper: bool) -> Refuting:
    """Returns what would refute the bound by Anderson's limits: the mean beyond which all n runs would have to lie."""
    return Refuting(stored(float(refuting_mean_by_anderson(n, bound, low, high, level, upper))))


# -- two values ----------------------------------------------------------------------------------------------------


def count_high_runs(values: Array, low: float, high: float) -> int:
    """Counts the runs whose value is `high`; every other run must have the value `low`.
    Raises ValueError as `require_in_range` does, and for a value at neither end."""
    inside = require_in_range(values, low, high)
    between = np.flatnonzero((inside != low) & (inside != high))
    if len(between):
        raise ValueError(
            f"run {between[0]} has the result {values[between[0]]}, but this quantity is always {low:g} or {high:g}"
        )
    return int((inside == high).sum())


def rounding_of_shares(bound: float, low: float, high: float) -> float:
    """Returns a bound on the rounding error of the claimed bound, a double that was rounded a few times.
    Counts are exact."""
    return 1e-12 * abs(bound)


def probability_lower_limit(count: ArrayLike, runs: int, level: float) -> Array:
    """The one-sided Clopper-Pearson lower limit of a probability.
    It exceeds the truth with probability at most `level`."""
    count = np.asarray(count, dtype=np.float64)
    return np.where(count > 0, special.betaincinv(np.maximum(count, 1), runs - np.maximum(count, 1) + 1, level), 0.0)


def mean_limits_by_clopper_pearson(values: Array, low: float, high: float, level: float) -> MeanLimits:
    """Limits for the mean of variables with the values low and high. Raises ValueError as `count_high_runs` does."""
    many, n = count_high_runs(values, low, high), len(values)
    least, most = float(probability_lower_limit(many, n, level)), float(probability_upper_limit(many, n, level))
    return MeanLimits(float(values.mean()), low + (high - low) * least, low + (high - low) * most)


def refuting_count(n: int, bound: float, low: float, high: float, level: float, upper: bool) -> int | None:
    """How many of n runs must have the value `high`, instead of `low`, to just refute the bound; None if impossible.
    For an upper bound it is the smallest such number, for a lower bound the largest."""
    counts, slack = np.arange(n + 1), rounding_of_shares(bound, low, high)
    if upper:
        found = counts[low + (high - low) * probability_lower_limit(counts, n, level) > bound + slack]
        return int(found[0]) if len(found) else None
    found = counts[low + (high - low) * probability_upper_limit(counts, n, level) < bound - slack]
    return int(found[-1]) if len(found) else None


def refuting_mean_by_clopper_pearson(n: int, bound: float, low: float, high: float, level: float, upper: bool) -> float:
    """The mean of n runs, each `low` or `high`, that just refutes the claimed bound; inf if impossible.
    It is the mean if `refuting_count` runs are at the high end."""
    count = refuting_count(n, bound, low, high, level, upper)
    return np.inf if count is None else low + (high - low) * count / n


def refuting_by_clopper_pearson(n: int, bound: float, low: float, high: float, level: float, upper: bool) -> Refuting:
    """How many of n runs must have the value `high` to refute the bound, and a mean at which this is likely.
    The second result is the mean at which so many (or few) of them occur with the stated power."""
    count = refuting_count(n, bound, low, high, level, upper)
    assert count is not None  # asked for finite reaches only
    # At this probability, so many runs or more (or fewer) come out high with probability RESOLUTION_POWER.
    caught = (
        probability_lower_limit(count, n, RESOLUTION_POWER)
        if upper
        else probability_upper_limit(count, n, RESOLUTION_POWER)
    )
    return Refuting(None, int(count), stored(low + (high - low) * float(caught)), RESOLUTION_POWER)


ANDERSON = MeanMethod(mean_limits_by_anderson, rounding_of_sums, refuting_mean_by_anderson, refuting_by_anderson)
CLOPPER_PEARSON = MeanMethod(
    mean_limits_by_clopper_pearson, rounding_of_shares, refuting_mean_by_clopper_pearson, refuting_by_clopper_pearson
)


def mean_method(quantity: Quantity) -> MeanMethod:
    """Returns the method for confidence limits: exact binomial for two values, otherwise Anderson's."""
    return CLOPPER_PEARSON if quantity.two_valued else ANDERSON


def quantity_range(quantity: Quantity, policy: Policy, environment: Any) -> tuple[float, float]:
    """Returns the range of the quantity, whatever the policy does. Raises ValueError if the range is unknown."""
    if quantity.span is None:
        raise ValueError(
            f"the range of {quantity.name!r} is unknown, so no bound on its expectation can be checked; give "
            "span= to the Quantity"
        )
    return quantity.span(policy, environment)


def mean_limits_by_staking(values: Array, low: float, high: float, level: float) -> MeanLimits:
    """Returns limits for the mean of independent values in [low, high], each wrong with probability at most `level`.

    values: (n,), in the order in which they were drawn. Raises ValueError as `require_in_range` does.
    """
    inside = require_in_range(values, low, high)
    if high <= low:
        return MeanLimits(float(inside.mean()), low, high)
    share = (inside - low) / (high - low)
    below = max(0.0, lower_limit_by_staking(share, level) - STAKED_ROUNDING)
    above = min(1.0, 1 - lower_limit_by_staking(1 - share, level) + STAKED_ROUNDING)
    return MeanLimits(float(inside.mean()), low + (high - low) * below, low + (high - low) * above)


def lower_limit_by_staking(share: Array, level: float) -> float:
    """Returns a lower confidence limit on the mean of independent values in [0, 1], by betting on the later values.
    share: the values. level: the error probability."""
    pilot = max(1, len(share) // PILOT_PART)
    first, rest = share[:pilot], share[pilot:]
    if not len(rest):
        return 0.0
    # One more run at each end keeps the variance of a pilot whose runs agree from being 0.
    variance = float(((first - first.mean()) ** 2).sum() + 1 / len(rest)) / (pilot + 1)
    best = (2 * log(1 / level) / (len(rest) * variance)) ** 0.5
    most = MAX_STAKED / max(float(first.mean()), 1 / len(rest))
    stakes = [min(best * each, most) for each in STAKE_MULTIPLES]

    def enough(m: float) -> bool:
        """Whether the bets against the mean m have earned 1/level."""
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
