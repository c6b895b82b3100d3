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
from scipy.special import expit, ndtr
from scipy.stats import binom

from dpbandits.audit.tradeoff.curve import eps_lower, family_points, mu_lower, upper_limit
from dpbandits.proofs_checks.vocabulary.contexts import fp
from dpbandits.reference.curves import Approximate, Curve, Family, Gaussian, gaussian_delta
from dpbandits.reference.noise import Array

POWER = 0.9  # a resolution is what a run catches with this probability
SHARES = (
    0.5,
    0.8,
    0.98,
)  # of the level, for alpha; the mechanisms are symmetric, so beta needs no list
FAMILY = 6  # so many deltas of a Family are looked at
MOST_TRIALS = 10**12


class Resolution(NamedTuple):
    """The smallest violation by this mechanism that is caught with probability POWER: mu, or eps at delta; inf for
    none."""

    value: float
    delta: float  # nan for a Gaussian claim
    mechanism: str  # a key of MECHANISMS


Errors = tuple[Array, Array]


def gaussian_errors(value: Array, delta: Array) -> Errors:
    """N(0, 1) against N(mu, 1): mu = value where delta is nan, else the mu whose eps at delta is the value."""
    mu = np.where(np.isnan(delta), value, gaussian_mu(value, delta))[:, None]
    cut = mu / 2 + np.linspace(-4.0, 4.0, 41)
    return ndtr(-cut), ndtr(cut - mu)


def gaussian_mu(eps: Array, delta: Array) -> Array:
    """The mu of which gaussian_delta(eps, mu) is delta, elementwise; 0 where delta is 0, which none attains."""
    low, high = np.zeros(eps.shape), np.full(eps.shape, 64.0)
    for _ in range(40):
        middle = (low + high) / 2
        with np.errstate(all="ignore"):
            over = ~(np.asarray(gaussian_delta(fp, eps, middle)) <= delta)  # e^eps may overflow: then it is over
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    return low


def laplace_errors(eps: Array, delta: Array) -> Errors:
    """Laplace noise of scale 1 on 0 against the same on s, where s is such that eps at delta is as given:
    delta(eps) = 1 - e^((eps - s)/2)."""
    shift = (eps - 2 * np.log1p(-delta))[:, None]
    cut = shift / 2 + np.linspace(-1.0, 1.0, 41) * (shift / 2 + 4.0)
    cut = np.concatenate([cut, np.zeros_like(shift), shift], axis=1)  # where the ratio begins to change
    return laplace_tail(cut), laplace_tail(shift - cut)


def laplace_tail(x: Array) -> Array:
    """P(a standard Laplace variable is at least x)."""
    tail = 0.5 * np.exp(-np.abs(x))
    return np.where(x >= 0, tail, 1 - tail)


def response_errors(eps: Array, delta: Array) -> Errors:
    """The (eps, delta) randomized response: it tells the truth in so many words with probability delta."""
    corner = ((1 - delta) * expit(-eps))[:, None]
    nothing, all_but = np.zeros_like(corner), (1 - delta)[:, None] * np.ones_like(corner)
    return np.concatenate([nothing, corner, all_but], axis=1), np.concatenate([all_but, corner, nothing], axis=1)


# What each tells apart: (value (m,), delta (m,)) to the errors (m, tests) of its likelihood-ratio tests.
MECHANISMS: dict[str, Callable[[Array, Array], Errors]] = {
    "randomized response": response_errors,
    "Laplace": laplace_errors,
    "Gaussian": gaussian_errors,
}


def seen(mechanism: str, value: Array, delta: Array, trials: int, level: float, power: float = POWER) -> Array:
    """The mu, or the eps at delta, that is certified with this probability about the mechanism; (m,) to (m,)."""
    unlucky = 1 - (1 - power) / 2  # each count stays below its quantile with this probability, both with `power`
    counts = [binom.ppf(unlucky, trials, error) for error in MECHANISMS[mechanism](value, delta)]
    best = np.zeros(len(value))
    for share in SHARES:
        alpha = upper_limit(counts[0], trials, level * share)
        beta = upper_limit(counts[1], trials, level * (1 - share))
        in_mu = np.isnan(delta)[:, None]
        shown = np.where(in_mu, mu_lower(alpha, beta), eps_lower(alpha, beta, delta[:, None]))
        best = np.maximum(best, shown.max(axis=1))
    return best


def points(curve: Curve) -> tuple[Array, Array]:
    """What is claimed: the values, and their deltas (nan for a Gaussian claim); both (m,), m = 0 for no claim."""
    if isinstance(curve, Gaussian):
        return np.array([curve.mu], dtype=np.float64), np.array([nan])
    if isinstance(curve, Approximate):
        return np.array([curve.eps], dtype=np.float64), np.array([curve.delta], dtype=np.float64)
    if isinstance(curve, Family):
        deltas, eps = family_points(curve)
        some = np.unique(np.linspace(0, len(eps) - 1, FAMILY).astype(int)) if len(eps) else np.arange(0)
        return np.asarray(eps)[some], np.asarray(deltas)[some]
    raise TypeError(f"no resolution for {type(curve).__name__}")


def kinds(curve: Curve) -> list[str]:
    """The mechanisms that a claim's resolution is stated for, the one that is seen best first."""
    if isinstance(curve, Gaussian):
        return ["Gaussian"]
    pure = isinstance(curve, Approximate) and curve.delta == 0  # which no Gaussian mechanism is
    return ["randomized response", "Laplace"] + ([] if pure else ["Gaussian"])


@lru_cache(maxsize=256)
def resolutions(curve: Curve, trials: int, level: float) -> tuple[Resolution, ...]:
    """What one certified point, at its best threshold, resolves, for each mechanism of `kinds`; from binomial
    quantiles, not simulated. trials: fresh trials on each side. level: the point's. For a Family, at the delta
    where the mechanism needs to exceed it least. Raises TypeError for a curve that errors cannot contradict."""
    claimed, delta = points(curve)
    found = []
    for kind in kinds(curve):
        if not len(claimed):
            found.append(Resolution(inf, nan, kind))
            continue
        values = smallest(partial(seen, kind, delta=delta, trials=trials, level=level), claimed)
        best = int(np.argmin(values - claimed))
        found.append(Resolution(float(values[best]), float(delta[best]), kind))
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

    curve: the claim, Gaussian(mu) or Approximate(eps, delta). violation: the mu, or the eps at the claim's delta, that
    the mechanism really has. risk: the probability with which a true claim may be refuted. mechanism: whose violation
    it is, a key of MECHANISMS; None for a Gaussian one of a GDP claim and a Laplace one of an (eps, delta) claim. One
    certified point gets the whole risk; an audit keeps 4 % of it for other points, and uses a quarter of its trials
    to choose the point. Raises ValueError for a violation that is none, that no number of trials shows, or a risk or
    power outside of (0, 1); TypeError for other curves.
    """
    if not isinstance(curve, Gaussian | Approximate):
        raise TypeError(f"trials_needed takes Gaussian(mu) or Approximate(eps, delta), not {type(curve).__name__}")
    for name, chance in (("risk", risk), ("power", power)):
        if not 0 < chance < 1:
            raise ValueError(f"{name} = {chance} is no probability between 0 and 1")
    claimed, delta = points(curve)
    if not (isfinite(violation) and violation > claimed[0]):
        raise ValueError(f"{violation} is no violation of a claim of {claimed[0]}: it must be finite and larger")
    usual = "Gaussian" if isinstance(curve, Gaussian) else "Laplace"
    kind = usual if mechanism is None else mechanism
    if kind not in kinds(curve):
        raise ValueError(f"{kind!r} mechanisms do not break this claim; know {', '.join(kinds(curve))}")

    def enough(trials: int) -> bool:
        value: Any = np.array([violation], dtype=np.float64)
        return bool(seen(kind, value, delta, trials, risk, power)[0] > claimed[0])

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
