"""Algorithms 1 and 2 by the paper's own theorems, and Thompson sampling as it is played without privacy."""

from __future__ import annotations

from dpbandits.reference.claims.offers import Offer, OutOfReach, Wanted, largest_reaching
from dpbandits.reference.curves import Gaussian
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling, ThompsonSampling

QUIETEST_MU, LOUDEST_MU = 1e-12, 1e6


def plain(wanted: Wanted) -> ThompsonSampling:
    return ThompsonSampling(wanted.arms, wanted.horizon)


def by_theorem_4(wanted: Wanted) -> ModifiedThompsonSampling:
    """Algorithm 2 without pre-pulls, with the variance whose sqrt(T/c)-GDP keeps what is wanted. With pre-pulls less
    variance is enough, c (b+1) being the same; they cost what they promise to save."""
    if wanted.delta == 0:
        raise OutOfReach("Normal samples keep no eps without a delta.")

    def reaches(mu: float) -> bool:
        return float(Gaussian(mu).delta_at(wanted.eps)) <= wanted.delta

    mu = largest_reaching(reaches, QUIETEST_MU, LOUDEST_MU)
    return ModifiedThompsonSampling(wanted.arms, wanted.horizon, variance=wanted.horizon / mu**2)


OFFERS = (
    Offer("Thompson sampling", plain, "ou24/theorem-3"),
    Offer("Thompson sampling, variance by Theorem 4", by_theorem_4, "ou24/theorem-4", ("variance",)),
    Offer("Thompson sampling without privacy", plain),
)
