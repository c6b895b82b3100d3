"""Algorithm 2 by our own bound: the static potential of the threshold game, a certified eps within seconds, whatever
the horizon, variance and pre-pulls. The table and the game know smaller ones, of few samplers or in minutes."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from dpbandits.proofs_checks.thompson.least_noise import least_variance
from dpbandits.proofs_checks.thompson.potential import STATIC_ORDERS, static_moments
from dpbandits.proofs_checks.thompson.rules import Sampler
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.claims.offers import Offer, OutOfReach, Wanted
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling
from dpbandits.reference.papers.ou24.offers import TOLD, by_theorem_4, some_prepulls, without_prepulls

# Orders of the potential: those of a small eps are large, about ln(1/delta)/eps.
QUICK_ORDERS = np.concatenate([STATIC_ORDERS[20::4], el.geometric(2.0, 1000.0, 18)])


def potential_eps(sampler: Sampler, delta: float) -> float:
    """The least eps at delta, in (0, 1), that the static potential certifies for neighbours of either relation; inf
    where a reward moves a sample too far for it. Three arms or more have the coins of any number."""
    if sampler.rounds < 1:
        return 0.0
    try:
        return max(0.0, *(static_moments(sampler, side, QUICK_ORDERS).eps(delta) for side in ("right", "left")))
    except ValueError:
        return inf


def potential_variance(sampler: Sampler, eps: float, delta: float, within: float = 1.02) -> Sampler:
    """The sampler with the least variance, within a factor, at which `potential_eps` is at most eps, which it is at the
    sampler's own."""
    return least_variance(sampler, 0.0, eps, lambda one: potential_eps(one, delta), within)


def by_the_potential(wanted: Wanted, prepulls: int) -> ModifiedThompsonSampling:
    """Algorithm 2 with the least variance that is certified. OutOfReach where that is no less than Theorem 4's."""
    theirs = by_theorem_4(wanted, prepulls)
    if potential_eps(sampler_of(theirs), wanted.delta) > wanted.eps:
        raise OutOfReach("Our bound asks for more variance here than Theorem 4, whose row stands beside.")
    found = potential_variance(sampler_of(theirs), wanted.eps, wanted.delta)
    return replace(theirs, variance=found.variance)


def certified(policy: ModifiedThompsonSampling, delta: float) -> Approximate:
    return Approximate(potential_eps(sampler_of(policy), delta), delta)


def sampler_of(policy: ModifiedThompsonSampling) -> Sampler:
    return Sampler(policy.horizon, policy.arms, policy.prepulls, policy.variance)


CLAIM = "ou24/theorem-3/law/potential/modified"
PREPULLS_TOO = "TS, pre-pulls and variance by our bound"
OFFERS = (
    Offer("TS, variance by our bound", lambda w: by_the_potential(w, without_prepulls(w)), CLAIM, TOLD, certified),
    Offer(PREPULLS_TOO, lambda w: by_the_potential(w, some_prepulls(w)), CLAIM, TOLD, certified),
)
