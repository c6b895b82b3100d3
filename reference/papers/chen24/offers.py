"""DP-BAI and DP-BAI-Gauss on independent arms, whose features are the unit vectors."""

from __future__ import annotations

from typing import Any

from dpbandits.reference.claims.offers import Offer, OutOfReach, Wanted
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.chen24 import dp_bai, dp_bai_gauss

LARGEST_EPS = 3.7  # up to which the classical calibration is right


def unit_vectors(arms: int) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(one == other) for other in range(arms)) for one in range(arms))


def laplace(wanted: Wanted) -> Any:
    return dp_bai(unit_vectors(wanted.arms), wanted.horizon, wanted.eps)


def gauss(wanted: Wanted) -> Any:
    if wanted.delta == 0:
        raise OutOfReach("Normal noise is not eps-DP for delta = 0.")
    return dp_bai_gauss(unit_vectors(wanted.arms), wanted.horizon, min(wanted.eps, LARGEST_EPS), wanted.delta)


def promised(policy: Any, delta: float) -> Approximate:
    return Approximate(policy.spread.eps, getattr(policy.spread, "delta", 0.0))


OFFERS = (
    Offer("DP-BAI", laplace, "chen24/proposition-4.1", (), promised, best_arm=True),
    Offer("DP-BAI-Gauss", gauss, "chen24/proposition-d.2/repaired/policy", (), promised, best_arm=True),
)
