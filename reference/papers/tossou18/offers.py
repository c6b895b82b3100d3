"""The variance of Theorem 2."""

from __future__ import annotations

from dpbandits.reference.claims.offers import Offer, Wanted
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling
from dpbandits.reference.papers.tossou18.algorithms import private_for, with_more_variance


def for_eps(wanted: Wanted) -> ModifiedThompsonSampling:
    return with_more_variance(wanted.arms, wanted.horizon, wanted.eps)


def promised(policy: ModifiedThompsonSampling, delta: float) -> Approximate:
    return Approximate(private_for(policy), policy.horizon**-4.0)


NAME = "TS, variance ln^2(T)/eps"
OFFERS = (Offer(NAME, for_eps, "tossou18/theorem-2/privacy", ("variance",), promised),)
