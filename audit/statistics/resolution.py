"""The power of a run: the smallest violation that it detects, and the number of trials needed to detect a violation.

How large a violation must be depends on its shape, not only on its size: an event of probability 1e-4 takes many
trials. So every number here is about a named mechanism with a known trade-off curve, whose two output distributions are
distinguished by their likelihood ratio. A learned score, or a pair of inputs other than the worst one, detects less.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, inf, isfinite, nan
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.statistics.binomial import binomial_quantile
from dpbandits.audit.statistics.region import EVEN_WEIGHT, PLANNED_POINTS, planned_region
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints
from dpbandits.reference.curves import Curve

RESOLUTION_POWER = 0.9  # a resolution is what a run catches with this probability
SYMMETRIC_WEIGHTS = (EVEN_WEIGHT, 0.65, 0.8)  # of alpha; the mechanisms are symmetric, so beta needs no list
MAX_PLANNED_TESTS = 8  # of a mechanism that are tried with every weight
MAX_CURVE_PLACES = 6  # so many of a curve's places are looked at
MAX_TRIALS = 10**12
# So far beyond the claim a truth is looked for, and to so many binary digits of the width.
MAX_SOUGHT_EXCESS, EXCESS_BITS = 64.0, 14


class Resolution(NamedTuple):
    """The smallest violation by this mechanism that is detected with probability RESOLUTION_POWER, in the curve's
    number; inf if there is none."""

    value: float
    at: float  # the delta or the order; nan where the number says it all
    mechanism: str  # a key of the curve's shapes


def certified_with_power(
    curve: Curve,
    mechanism: str,
    value: Array,
    at: Array,
    trials: int,
    level: float,
    power: float = RESOLUTION_POWER,
    enough: Array | float = inf,
) -> Array:
    """Returns the parameter that is certified with probability `power`, (m,), for extremal mechanisms.
    The mechanism attains exactly the parameters `value` at these deltas or orders, (m,). enough: if more than this is
    certified everywhere, the result may be smaller than the full number."""
    unlucky = 1 - (1 - power) / 2  # each count stays below its quantile with this probability, both with `power`
    counts = [binomial_quantile(unlucky, trials, error) for error in curve.extremal_mechanisms[mechanism](value, at)]

    def certain(counts: list[Array], weight: float, points: int) -> Array:
        """Returns the certified parameter of each test if its errors occur this often. counts: on either side."""
        likely = planned_region(counts[0], counts[1], trials, level, weight, points)
        return np.asarray(curve.implied_parameter(*likely, at[:, None, None]).min(axis=2))

    good = np.argsort(-certain(counts, EVEN_WEIGHT, 1), axis=1, kind="stable")[:, :MAX_PLANNED_TESTS]
    few = [np.take_along_axis(count, good, axis=1) for count in counts]
    best = np.full(len(value), -inf)
    for weight in SYMMETRIC_WEIGHTS:
        best = np.maximum(best, certain(few, weight, PLANNED_POINTS).max(axis=1))
        if (best > enough).all():
            break
    return best


def claimed_points(curve: Curve) -> tuple[Array, Array]:
    """Returns the claimed parameters at a few deltas or orders, and these deltas or orders.
    Two arrays (m,), empty if nothing is claimed."""
    claimed, at = curve.claimed_parameters()
    some = np.unique(np.linspace(0, len(claimed) - 1, MAX_CURVE_PLACES).astype(int)) if len(claimed) else np.arange(0)
    return claimed[some], at[some]


@lru_cache(maxsize=256)
def min_caught_violations(curve: Curve, trials: int, level: float) -> tuple[Resolution, ...]:
    """The smallest violation that one certified point detects, for each kind of mechanism of the curve.
    The point has its best threshold. Computed from binomial quantiles without simulation. trials: fresh trials on each
    side. level: of the point. For a curve with many deltas or orders, the one that requires the smallest excess is
    used."""
    claimed, at = claimed_points(curve)
    if not len(claimed):
        return tuple(Resolution(inf, nan, kind) for kind in curve.extremal_mechanisms)
    found = []
    for kind in curve.extremal_mechanisms:

        def certified_parameter(true_value: Array, indices: Ints, kind: str = kind) -> Array:
            """Returns the parameter that the test certifies if the true one is `true_value`.
            indices: indices of deltas or orders."""
            return certified_with_power(curve, kind, true_value, at[indices], trials, level, enough=claimed[indices])

        value, best = min_caught_truth(certified_parameter, claimed)
        found.append(Resolution(value, float(at[best]), kind))
    return tuple(found)


def min_caught_truth(certified_parameter: Callable[[Array, Ints], Array], claimed: Array) -> tuple[float, int]:
    """The smallest true parameter for which the certified parameter exceeds the claim, and the index of its delta.
    The parameter has 4 digits of the excess; it is inf if not even claimed + MAX_SOUGHT_EXCESS suffices. The index is
    that of the delta or order at which the claim is exceeded (the first one if there are several). The certified
    parameter grows with the true one. certified_parameter: the certified parameters for true ones at some of the deltas
    or orders, both (m,); those that need a larger truth are dropped during the search."""
    some, width = np.arange(len(claimed)), 1.0
    while not (caught := certified_parameter(claimed + width, some) > claimed).any():
        if width >= MAX_SOUGHT_EXCESS:
            return inf, 0
        width *= 2
    some, low, high = some[caught], 0.0, width
    for _ in range(EXCESS_BITS):
        middle = (low + high) / 2
        caught = certified_parameter(claimed[some] + middle, some) > claimed[some]
        if caught.any():
            some, high = some[caught], middle
        else:
            low = middle
    values = claimed[some] + high
    best = int(np.argmin(values - claimed[some]))
    return float(values[best]), int(some[best])


def trials_needed(
    curve: Curve, violation: float, risk: float, power: float = RESOLUTION_POWER, mechanism: str | None = None
) -> int:
    """The number of trials with each input that detect a violation with probability `power`, accurate to one per cent.

    curve: a guarantee with fixed parameters, such as Gaussian(mu) or Approximate(eps, delta). violation: the true mu,
    or the true eps at the claim's delta, of the mechanism. risk: the largest probability that a true claim is refuted.
    power: the probability with which the violation is detected. mechanism: the kind of mechanism with this violation,
    "Laplace", "Gaussian" or "randomized response". None means "Laplace" for an (eps, delta) claim, and "Gaussian" for
    all other claims.

    The result assumes that one point of the curve is certified with the whole risk. An audit keeps 4 % of the risk for
    other points, and uses another quarter of its trials to choose the point. Raises ValueError if violation does not
    exceed the claim, if no number of trials detects it, or if risk or power is outside (0, 1); TypeError for a
    guarantee with several parameters.
    """
    claimed, at = curve.claimed_parameters()
    if len(claimed) != 1:
        raise TypeError(
            "trials_needed needs a guarantee with fixed parameters, such as Gaussian(mu) or "
            f"Approximate(eps, delta), not {type(curve).__name__}"
        )
    for name, chance in (("risk", risk), ("power", power)):
        if not 0 < chance < 1:
            raise ValueError(f"{name} is {chance}; it must be a probability strictly between 0 and 1")
    if not (isfinite(violation) and violation > claimed[0]):
        raise ValueError(f"violation is {violation}; it must be finite and larger than the claimed {claimed[0]}")
    usual = "Laplace" if "Laplace" in curve.extremal_mechanisms else next(iter(curve.extremal_mechanisms))
    kind = usual if mechanism is None else mechanism
    if kind not in curve.extremal_mechanisms:
        raise ValueError(
            f"kind is {kind!r}; for this claim it must be the name of one of the mechanisms "
            f"{', '.join(curve.extremal_mechanisms)}"
        )

    def enough(trials: int) -> bool:
        """Whether this many trials on each side detect the violation."""
        value: Any = np.array([violation], dtype=np.float64)
        return bool(certified_with_power(curve, kind, value, at, trials, risk, power)[0] > claimed[0])

    found = min_number(enough, MAX_TRIALS)
    if found is None:
        raise ValueError(
            f"violation is {violation}, which cannot be distinguished from the claimed {claimed[0]} with up to "
            f"{MAX_TRIALS:.0e} trials per side; give a larger violation"
        )
    return found


def min_number(is_sufficient: Callable[[int], bool], limit: float) -> int | None:
    """The smallest sufficient number, to within 1 %; None if it exceeds `limit` (or, in some cases, twice `limit`)."""
    high = 16
    while not is_sufficient(high):
        high *= 2
        if high > limit:
            return None
    low = high // 2
    while high - low > max(1, high // 100):
        middle = ceil((low + high) / 2)
        low, high = (low, middle) if is_sufficient(middle) else (middle, high)
    return high
