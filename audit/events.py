"""From scores to certified points: the search half chooses thresholds, the fresh half certifies them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpbandits.audit.curve import Excess, Point, Resolution, certified, excess, resolution, upper_limit
from dpbandits.reference.curves import Curve
from dpbandits.reference.noise import Array

EVENTS = 5  # thresholds certified in one audit: the best for the claim, and four that draw the rest of the curve
CANDIDATES = 400  # thresholds looked at on the search half


class Sampled(NamedTuple):
    """What fresh trials certified about one pair. All points hold together with confidence 1 - level."""

    points: tuple[Point, ...]
    best: Point  # the one that says most about the claim
    excess: Excess  # what it says; positive amounts refute
    resolution: Resolution
    trials: int  # fresh trials on each side
    level: float


def thresholds(left: Array, right: Array, curve: Curve, fresh: int, level: float) -> Array:
    """At most EVENTS thresholds for "right if score >= threshold", the most telling one first.

    left, right: search scores on either side. fresh: how many trials a side will certify. level: each point's.
    """
    pooled = np.unique(np.concatenate([left, right]))
    if len(pooled) > CANDIDATES:  # every rank in the tails, even steps between
        pooled = np.unique(np.quantile(pooled, even_ranks(len(pooled)), method="nearest"))
    alpha = 1 - np.searchsorted(np.sort(left), pooled, side="left") / len(left)
    beta = np.searchsorted(np.sort(right), pooled, side="left") / len(right)
    # A half more of an error keeps an event that was never seen from looking impossible.
    guess = [(error * len(side) + 0.5) / (len(side) + 1) for error, side in ((alpha, left), (beta, right))]
    likely = [upper_limit(error * fresh, fresh, level / 2) for error in guess]
    best = pooled[int(np.argmax(excess(curve, likely[0], likely[1]).amount))]
    others = [*np.quantile(left, [0.98, 0.8], method="nearest"), *np.quantile(right, [0.2, 0.02], method="nearest")]
    return np.array(list(dict.fromkeys([best, *others]))[:EVENTS])


def even_ranks(size: int) -> Array:
    tails = np.arange(60) / size
    return np.concatenate([tails, np.linspace(0, 1, CANDIDATES - 120), 1 - tails])


def certify(left: Array, right: Array, cuts: Array, curve: Curve, level: float) -> Sampled:
    """The certified points of the tests "right if score >= cut" on fresh scores (trials,) of either side."""
    trials = len(left)
    share = level / EVENTS
    points = tuple(certified(int((left >= cut).sum()), int((right < cut).sum()), trials, share) for cut in cuts)
    said = [excess(curve, point.alpha_upper, point.beta_upper) for point in points]
    most = int(np.argmax([float(each.amount) for each in said]))
    return Sampled(points, points[most], said[most], resolution(curve, trials, share), trials, level)
