"""Searches for the smallest variance for which a bound proves the required privacy: with any bound, or within seconds
with the static potential."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, sqrt

import numpy as np

from dpbandits.extensions.thompson.potential import STATIC_ORDERS, static_moments
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.reference.arithmetic import elementary as el

LEAST_VARIANCE = 1e-6  # no smaller variance is tried
# Orders of the potential: those of a small eps are large, about ln(1/delta)/eps.
QUICK_ORDERS = np.concatenate([STATIC_ORDERS[20::4], el.geometric(2.0, 1000.0, 18)])


def least_variance(start: Sampler, low: float, eps: float, value: Callable[[Sampler], float], within: float) -> Sampler:
    """Searches for the sampler with the smallest variance for which value(sampler) <= eps, and returns it.
    Returns a sampler that satisfies this and whose variance is at most `within` times the smallest one that suffices.
    The variance of `start` suffices, `low` does not; LEAST_VARIANCE is returned if it suffices."""
    high, step = start.variance, 2.0
    values = {high: value(start)}

    def value_at_most_eps(variance: float) -> bool:
        """Whether the value at this variance is at most eps. The value is stored."""
        values[variance] = value(start._replace(variance=variance))
        return values[variance] <= eps

    while low == 0 and high > LEAST_VARIANCE:  # down, by ever longer steps
        below = max(high / step, LEAST_VARIANCE)
        low, high, step = (low, below, step**2) if value_at_most_eps(below) else (below, high, step)
    while high > within * low > 0:
        middle, margin = power_law_crossing(low, high, eps, values), min(within, high / low) ** 0.4
        # Just above where eps is expected to be reached; or just below, when the last look was there.
        near = middle * margin if high > middle * margin**2 else middle / margin
        near = near if low < near < high else sqrt(low * high)
        low, high = (low, near) if value_at_most_eps(near) else (near, high)
    return start._replace(variance=high)


def power_law_crossing(low: float, high: float, eps: float, values: dict[float, float]) -> float:
    """The variance at which a power law through the values at `low` and `high` equals eps.
    The geometric mean of both variances if one of the values is unknown."""
    above, below = values.get(low, inf), values.get(high, 0.0)
    if not (isfinite(above) and 0 < below < eps < above):
        return sqrt(low * high)
    share = float(el.log(above / eps) / el.log(above / below))
    return float(low * el.power(high / low, min(max(share, 0.02), 0.98)))


def potential_eps(sampler: Sampler, delta: float) -> float:
    """Returns the smallest eps at delta, in (0, 1), that the static potential certifies.
    It holds for neighbours of either relation. It is inf if one reward changes a sample too much. For three or more
    arms, the bound for any number of arms."""
    if sampler.rounds < 1:
        return 0.0
    try:
        return max(0.0, *(static_moments(sampler, side, QUICK_ORDERS).eps(delta) for side in ("right", "left")))
    except ValueError:
        return inf


def potential_variance(sampler: Sampler, eps: float, delta: float, within: float = 1.02) -> Sampler:
    """Returns the sampler with the smallest variance for which `potential_eps` is at most eps.
    The variance may exceed the smallest one by the factor `within`. The variance of the given sampler must suffice."""
    return least_variance(sampler, 0.0, eps, lambda one: potential_eps(one, delta), within)
