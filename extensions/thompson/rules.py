"""A Thompson sampler with the guarantee of its paper, and the threshold game that bounds its privacy loss."""

from __future__ import annotations

from math import log, pi, sqrt
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import log_ndtr

from dpbandits.proofs_checks.exact.gaussian_profile import log_gaussian_tangent
from dpbandits.reference.arithmetic.bisection import ending_bracket
from dpbandits.reference.bandits.noise import Array


class HasArmsAndHorizon(Protocol):
    """The properties of a policy that every bound needs. arms: the number K of arms, or None for a bound that holds for
    any number. horizon: the number T of rounds."""

    @property
    def arms(self) -> int | None:
        """The number of arms."""

    @property
    def horizon(self) -> int:
        """The horizon: the number of pulls of one run."""


class Sampler(NamedTuple):
    """Algorithms 1 and 2 of ou24: theta_i ~ N(total_i/(n_i+1), variance/(n_i+1)), the largest is pulled.

    horizon: T >= 1, pre-pulls included. arms: the number of arms, or None for a bound that holds for any number (at
    least two). prepulls: b >= 0 pulls of every arm before the rounds. variance: c > 0. (b = 0 and c = 1: Algorithm 1.)
    """

    horizon: int
    arms: int | None = None
    prepulls: int = 0
    variance: float = 1.0

    @property
    def fixed(self) -> int:
        """The number of pre-pulls of all arms together (of two arms, if the number of arms is unknown)."""
        return self.prepulls * (self.arms or 2)

    @property
    def first(self) -> int:
        """The smallest number of pulls after which an arm's mean can contain the changed reward."""
        return max(self.prepulls, 1)

    @property
    def rounds(self) -> int:
        """The largest number of rounds in which an arm's mean can differ between the two tables."""
        return self.horizon - (self.fixed or 1)

    @property
    def theorem_mu(self) -> float:
        """The mu for which the paper proves mu-GDP: by Lemma 3 for Algorithm 1, by Lemma 4 otherwise."""
        if self.prepulls == 0 and self.variance == 1:
            return sqrt(self.horizon / 2)
        return sqrt(self.horizon / (self.variance * (self.prepulls + 1)))


def checked_sampler(sampler: Sampler) -> Sampler:
    """Returns the sampler unchanged. Raises ValueError if its parameters are invalid."""
    T, K, b, c = sampler
    are_whole = all(isinstance(number, int | np.integer) for number in (T, K or 2, b))
    if not are_whole or T < 1 or (K is not None and K < 2) or b < 0 or not 0 < c < float("inf"):
        raise ValueError(
            f"{sampler}: horizon must be an integer of at least 1, arms None or an integer of at least 2, "
            "prepulls an integer of at least 0, and variance positive and finite"
        )
    if sampler.fixed > T:
        raise ValueError(
            f"b K = {b} * {K or 2} pre-pulls exceed T = {T}; decrease b (prepulls), or increase T (horizon)"
        )
    return sampler


class RoundLimits(NamedTuple):
    """The limits on the coins of a round with n pulls of the changed arm, for several n (arrays of one shape). The arm
    is pulled with probability Phi(-u) on the side where it pays less, Phi(-v) on the other, for some -low <= v <= u <=
    high with u - v <= shift. low, high: inf where nothing bounds them."""

    shift: Array
    low: Array
    high: Array


def two_arms(sampler: Sampler, pulls: Array, total: int) -> RoundLimits:
    """Returns the limits on the coins (pairs of pull probabilities) of a round with two arms.
    The round comes after `total` pulls, `pulls` of them of the changed arm."""
    other = np.maximum(total - pulls, 0)  # no run gets to where that would be negative
    deviation = (sampler.variance * (1 / (pulls + 1) + 1 / (other + 1))) ** 0.5
    means = pulls / (pulls + 1), other / (other + 1)
    return RoundLimits(1 / (pulls + 1) / deviation, means[0] / deviation, means[1] / deviation)


def any_arms(sampler: Sampler, pulls: Array) -> RoundLimits:
    """Returns the limits on the coins (pairs of pull probabilities) of a round with any number of arms.
    The round comes after `pulls` pulls of the changed arm."""
    nothing = pulls * 0 + float("inf")
    return RoundLimits(1 / (sampler.variance * (pulls + 1.0)) ** 0.5, nothing, nothing)


def theorem_eps(sampler: Sampler, delta: float) -> float:
    """Returns the eps at which the curve of the paper's theorem (mu-GDP) falls to delta.
    Rounded up in the last of 12 digits, or by what cancels in the curve's formula for a tiny mu."""
    mu = sampler.theorem_mu
    target = log(delta)

    def curve_may_exceed(eps: float) -> bool:
        """Whether the curve of the theorem may lie above delta at eps > 0.
        Its formula is first - second, and the log of either may be wrong by 1e-14."""
        first = float(log_ndtr(mu / 2 - eps / mu)) * (1 - 1e-14)
        value, share = (float(part[0]) for part in log_gaussian_tangent(np.array([eps]), np.array([eps]), mu))
        off = 1e-14 * (1 - first) / (1 - share) if share < 1 else np.inf
        return min(first, value + off) > target

    if mu / sqrt(2 * pi) <= delta:  # delta(0) = 2 Phi(mu/2) - 1 is less
        return 0.0
    return ending_bracket(curve_may_exceed, 1e-12, np.inf)[1]
