"""Algorithms 1 and 3 at the wanted eps, without a delta, for rewards in [0, 1]: their second moments are at most 1."""

from __future__ import annotations

from dpbandits.reference.claims.offers import Offer, Wanted
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.tao22.algorithms.dprucb import DPRUCB, with_whole_levels
from dpbandits.reference.papers.tao22.algorithms.elimination import DPRSE, Elimination

SECOND_MOMENTS = {"v": 1.0, "u": 1.0}


def dprucb(wanted: Wanted) -> DPRUCB:
    """Line 4 of Algorithm 2 divides by floor(log2 T) + 1, by which its privacy is beyond doubt."""
    return with_whole_levels(arms=wanted.arms, horizon=wanted.horizon, eps=wanted.eps, **SECOND_MOMENTS)


def dprse(wanted: Wanted) -> Elimination:
    return DPRSE(arms=wanted.arms, horizon=wanted.horizon, eps=wanted.eps, **SECOND_MOMENTS)


def promised(policy: DPRUCB | Elimination, delta: float) -> Approximate:
    return Approximate(policy.eps, 0.0)


OFFERS = (
    Offer("DPRUCB", dprucb, "tao22/theorem-1/repaired", ("eps", "v", "u"), promised),
    Offer("DPRSE", dprse, "tao22/theorem-3", ("eps", "v", "u"), promised),
)
