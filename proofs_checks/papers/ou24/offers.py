"""Algorithm 2 by our own bound of the threshold game."""

from __future__ import annotations

from dataclasses import replace

from dpbandits.proofs_checks.thompson.quick_bound import quick_eps, quick_variance
from dpbandits.proofs_checks.thompson.rules import Sampler
from dpbandits.reference.claims.offers import Offer, Wanted
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling
from dpbandits.reference.papers.ou24.offers import TOLD, by_theorem_4, some_prepulls, without_prepulls


def by_the_game(wanted: Wanted, prepulls: int) -> ModifiedThompsonSampling:
    """Algorithm 2 with the least variance that is certified; never more than Theorem 4 asks for."""
    theirs = by_theorem_4(wanted, prepulls)
    found = quick_variance(sampler_of(theirs), wanted.eps, wanted.delta, theirs.variance)
    return replace(theirs, variance=found.variance)


def certified(policy: ModifiedThompsonSampling, delta: float) -> Approximate:
    return Approximate(quick_eps(sampler_of(policy), delta), delta)


def sampler_of(policy: ModifiedThompsonSampling) -> Sampler:
    return Sampler(policy.horizon, policy.arms, policy.prepulls, policy.variance)


CLAIM = "ou24/theorem-3/law/potential"
OFFERS = (
    Offer("TS, variance by our bound", lambda w: by_the_game(w, without_prepulls(w)), CLAIM, TOLD, certified),
    Offer(
        "TS, pre-pulls and variance by our bound", lambda w: by_the_game(w, some_prepulls(w)), CLAIM, TOLD, certified
    ),
)
