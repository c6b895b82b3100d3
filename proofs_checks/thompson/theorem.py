"""What the paper's theorem says of a sampler: a Gaussian, and its eps at a delta."""

from __future__ import annotations

from math import log, pi, sqrt

import numpy as np
from scipy.special import log_ndtr

from dpbandits.proofs_checks.exact.gaussian import log_tangent
from dpbandits.proofs_checks.thompson.rules import Sampler
from dpbandits.reference.arithmetic.bisection import ending_bracket


def theorem_eps(sampler: Sampler, delta: float) -> float:
    """The eps at which the paper's Gaussian curve falls to delta, rounded up in the last of 12 digits, or by what
    cancels in the curve's formula for a tiny mu."""
    mu = sampler.theorem_mu
    target = log(delta)

    def above(eps: float) -> bool:
        """Whether the curve may lie above delta at eps > 0: its formula is first - second, 1e-14 off in either log."""
        first = float(log_ndtr(mu / 2 - eps / mu)) * (1 - 1e-14)
        value, share = (float(part[0]) for part in log_tangent(np.array([eps]), np.array([eps]), mu))
        off = 1e-14 * (1 - first) / (1 - share) if share < 1 else np.inf
        return min(first, value + off) > target

    if mu / sqrt(2 * pi) <= delta:  # delta(0) = 2 Phi(mu/2) - 1 is less
        return 0.0
    return ending_bracket(above, 1e-12, np.inf)[1]
