"""Algorithm 2 by our own bound: the static potential of the threshold game, a certified eps within seconds, whatever
the horizon, variance and pre-pulls. The value of the game itself is smaller, but takes minutes to compute."""

from __future__ import annotations

from dataclasses import replace

from dpbandits.extensions.thompson.least_noise import potential_eps, potential_variance
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.reference.claims.offers import Offer, OutOfReach, Wanted
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling
from dpbandits.reference.papers.ou24.offers import TOLD, by_theorem_4, some_prepulls, without_prepulls


def plain(wanted: Wanted) -> ModifiedThompsonSampling:
    """Thompson sampling as it is. OutOfReach for pure DP, for which the bound has no finite eps."""
    if not wanted.delta:
        raise OutOfReach("The bound by the static potential needs delta > 0; at delta = 0 it gives no finite eps.")
    return ModifiedThompsonSampling(wanted.arms, wanted.horizon, 0, 1.0)


def by_the_potential(wanted: Wanted, prepulls: int) -> ModifiedThompsonSampling:
    """Algorithm 2 with the least variance that is certified. OutOfReach where that is no less than Theorem 4's."""
    theirs = by_theorem_4(wanted, prepulls)
    if potential_eps(sampler_of(theirs), wanted.delta) > wanted.eps:
        raise OutOfReach(
            "For these parameters the bound by the static potential needs more variance than Theorem 4. The policy "
            "with the variance of Theorem 4 is in another row of the table."
        )
    found = potential_variance(sampler_of(theirs), wanted.eps, wanted.delta)
    return replace(theirs, variance=found.variance)


def certified(policy: ModifiedThompsonSampling, delta: float) -> Approximate:
    return Approximate(potential_eps(sampler_of(policy), delta), delta)


def sampler_of(policy: ModifiedThompsonSampling) -> Sampler:
    return Sampler(policy.horizon, policy.arms, policy.prepulls, policy.variance)


CLAIM = "ou24/theorem-3/law/potential/modified"
PLAIN = "Thompson sampling by the potential"
PREPULLS_TOO = "TS, pre-pulls and variance by the potential"
OFFERS = (
    Offer(PLAIN, plain, CLAIM, (), certified, short="TS by potential"),
    Offer(
        "TS, variance by the potential",
        lambda w: by_the_potential(w, without_prepulls(w)),
        CLAIM,
        TOLD,
        certified,
        short="TS, c by potential",
    ),
    Offer(
        PREPULLS_TOO,
        lambda w: by_the_potential(w, some_prepulls(w)),
        CLAIM,
        TOLD,
        certified,
        short="TS, b, c by potential",
    ),
)
