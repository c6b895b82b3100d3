"""Algorithm 2 by our own bound of the threshold game."""

from __future__ import annotations

from dpbandits.proofs_checks.thompson.quick_bound import quick_eps, quick_variance
from dpbandits.proofs_checks.thompson.rules import Sampler
from dpbandits.reference.claims.offers import Offer, Wanted
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling
from dpbandits.reference.papers.ou24.offers import by_theorem_4


def by_the_game(wanted: Wanted) -> ModifiedThompsonSampling:
    """Algorithm 2 without pre-pulls, with the least variance that is certified; never more than Theorem 4 asks for."""
    theirs = by_theorem_4(wanted)
    found = quick_variance(sampler_of(theirs), wanted.eps, wanted.delta, theirs.variance)
    return ModifiedThompsonSampling(wanted.arms, wanted.horizon, variance=found.variance)


def certified(policy: ModifiedThompsonSampling, delta: float) -> Approximate:
    return Approximate(quick_eps(sampler_of(policy), delta), delta)


def sampler_of(policy: ModifiedThompsonSampling) -> Sampler:
    return Sampler(policy.horizon, policy.arms, policy.prepulls, policy.variance)


NAME = "Thompson sampling, variance by our bound"
OFFERS = (Offer(NAME, by_the_game, "ou24/theorem-3/law/potential", ("variance",), certified),)
