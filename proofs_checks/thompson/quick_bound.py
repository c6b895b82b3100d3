"""A certified eps of a Thompson sampler within seconds, whatever its horizon, variance and pre-pulls: the static
potential's. The table and the game know smaller ones, of few samplers or in minutes."""

from __future__ import annotations

from math import inf

import numpy as np

from dpbandits.proofs_checks.thompson.least_noise import least_variance
from dpbandits.proofs_checks.thompson.potential import STATIC_ORDERS, static_moments
from dpbandits.proofs_checks.thompson.rules import Sampler
from dpbandits.reference.arithmetic import elementary as el

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
