"""What a run could have seen: the smallest violation that is caught, and the trials that a violation needs.

How large a violation must be to be seen depends on its shape, not on its size alone: an event of probability 1e-4
takes many trials. So every number here is about a mechanism with a name, whose trade-off curve is known and whose
two laws are told apart by its likelihood ratio. A score that is learnt, or a pair of inputs that shows less than the
worst one, sees less.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from math import ceil, inf, isfinite, nan
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.tradeoff.binomial import quantile
from dpbandits.audit.tradeoff.curve import EVEN, OUTLINE, outline
from dpbandits.reference.curves import Curve
from dpbandits.reference.noise import Array

POWER = 0.9  # a resolution is what a run catches with this probability
WEIGHTS = (EVEN, 0.65, 0.8)  # of alpha; the mechanisms are symmetric, so beta needs no list
TESTS = 8  # of a mechanism that are tried with every weight
PLACES = 6  # so many of a curve's places are looked at
MOST_TRIALS = 10**12


class Resolution(NamedTuple):
    """The smallest violation by this mechanism that is caught with probability POWER, in the curve's number; inf for
    none."""

    value: float
    at: float  # the delta or the order; nan where the number says it all
    mechanism: str  # a key of the curve's shapes


def seen(
    curve: Curve, mechanism: str, value: Array, at: Array, trials: int, level: float, power: float = POWER
) -> Array:
    """The number, in the curve's own unit, that is certified with this probability about the mechanism that keeps
    exactly `value` at these places; (m,) to (m,)."""
    unlucky = 1 - (1 - power) / 2  # each count stays below its quantile with this probability, both with `power`
    counts = [quantile(unlucky, trials, error) for error in curve.shapes[mechanism](value, at)]

    def certain(counts: list[Array], weight: float, points: int) -> Array:
        likely = outline(counts[0], counts[1], trials, level, weight, points)
        return np.asarray(curve.shown(*likely, at[:, None, None]).min(axis=2))

    good = np.argsort(-certain(counts, EVEN, 1), axis=1, kind="stable")[:, :TESTS]
    few = [np.take_along_axis(count, good, axis=1) for count in counts]
    best = [certain(few, weight, OUTLINE).max(axis=1) for weight in WEIGHTS]
    return np.asarray(np.max(best, axis=0))


def points(curve: Curve) -> tuple[Array, Array]:
    """What is claimed, at a few places: the numbers, and their deltas or orders; both (m,), m = 0 for no claim."""
    claimed, at = curve.points()
    some = np.unique(np.linspace(0, len(claimed) - 1, PLACES).astype(int)) if len(claimed) else np.arange(0)
    return claimed[some], at[some]


@lru_cache(maxsize=256)
def resolutions(curve: Curve, trials: int, level: float) -> tuple[Resolution, ...]:
    """What one certified point, at its best threshold, resolves, for each mechanism that the curve names; from
    binomial quantiles, not simulated. trials: fresh trials on each side. level: the point's. Of a curve with many
    places, the one where the mechanism needs to exceed it least."""
    claimed, at = points(curve)
    found = []
    for kind in curve.shapes:
        if not len(claimed):
            found.append(Resolution(inf, nan, kind))
            continue
        values = smallest(partial(seen, curve, kind, at=at, trials=trials, level=level), claimed)
        best = int(np.argmin(values - claimed))
        found.append(Resolution(float(values[best]), float(at[best]), kind))
    return tuple(found)


def smallest(shown: Callable[[Array], Array], claimed: Array) -> Array:
    """The smallest truth, elementwise, of which more than `claimed` is shown, to 4 digits of the excess; inf where
    not even claimed + 64 is. What is shown grows with the truth."""
    width = np.ones(claimed.shape)
    while (short := (shown(claimed + width) <= claimed) & (width < 64)).any():
        width = np.where(short, 2 * width, width)
    low, high = np.zeros(claimed.shape), width
    never = shown(claimed + width) <= claimed
    for _ in range(14):
        middle = (low + high) / 2
        caught = shown(claimed + middle) > claimed
        low, high = np.where(caught, low, middle), np.where(caught, middle, high)
    return np.where(never, np.inf, claimed + high)


def trials_needed(
    curve: Curve, violation: float, risk: float, power: float = POWER, mechanism: str | None = None
) -> int:
    """How many fresh trials on each side catch a violation of a claim with probability `power`, to within 1 %.

    curve: a claim of one number, such as Gaussian(mu) or Approximate(eps, delta). violation: the mu, or the eps at
    the claim's delta, that the mechanism really has. risk: the probability with which a true claim may be refuted.
    mechanism: whose violation it is, a key of the curve's shapes; None for a Laplace one of an (eps, delta) claim and
    a Gaussian one of others. One certified point gets the whole risk; an audit keeps 4 % of it for other points, and
    uses a quarter of its trials to choose the point. Raises ValueError for a violation that is none, that no number of
    trials shows, or a risk or power outside of (0, 1); TypeError for a claim of many numbers.
    """
    claimed, at = curve.points()
    if len(claimed) != 1:
        raise TypeError(
            "trials_needed takes a claim of one number, such as Gaussian(mu) or Approximate(eps, delta), not "
            f"{type(curve).__name__}"
        )
    for name, chance in (("risk", risk), ("power", power)):
        if not 0 < chance < 1:
            raise ValueError(f"{name} = {chance} is no probability between 0 and 1")
    if not (isfinite(violation) and violation > claimed[0]):
        raise ValueError(f"{violation} is no violation of a claim of {claimed[0]}: it must be finite and larger")
    usual = "Laplace" if "Laplace" in curve.shapes else next(iter(curve.shapes))
    kind = usual if mechanism is None else mechanism
    if kind not in curve.shapes:
        raise ValueError(f"{kind!r} mechanisms do not break this claim; know {', '.join(curve.shapes)}")

    def enough(trials: int) -> bool:
        value: Any = np.array([violation], dtype=np.float64)
        return bool(seen(curve, kind, value, at, trials, risk, power)[0] > claimed[0])

    high = 16
    while not enough(high):
        high *= 2
        if high > MOST_TRIALS:
            raise ValueError(f"not even {MOST_TRIALS:.0e} trials a side tell {violation} from {claimed[0]}")
    low = high // 2
    while high - low > max(1, high // 100):
        middle = ceil((low + high) / 2)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
