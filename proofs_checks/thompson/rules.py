"""What is played: a Thompson sampler, and the threshold game that bounds its privacy loss."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple, Protocol

import numpy as np

from dpbandits.reference.bandits.noise import Array


class HasArmsAndHorizon(Protocol):
    """What a bound is about, as far as it has to know. arms: K, or None for any number. horizon: T."""

    @property
    def arms(self) -> int | None: ...
    @property
    def horizon(self) -> int: ...


class Sampler(NamedTuple):
    """Algorithms 1 and 2 of ou24: theta_i ~ N(total_i/(n_i+1), variance/(n_i+1)), the largest is pulled.

    horizon: T >= 1, pre-pulls included. arms: how many, or None for a bound that holds for any number (at least two).
    prepulls: b >= 0 pulls of every arm before the rounds. variance: c > 0. (b = 0 and c = 1: Algorithm 1.)
    """

    horizon: int
    arms: int | None = None
    prepulls: int = 0
    variance: float = 1.0

    @property
    def fixed(self) -> int:
        """Pulls that read no reward; of an unknown number of arms there are at least two."""
        return self.prepulls * (self.arms or 2)

    @property
    def first(self) -> int:
        """The smallest pull count of an arm whose changed reward is in its mean."""
        return max(self.prepulls, 1)

    @property
    def rounds(self) -> int:
        """The largest number of rounds in which an arm's mean can differ."""
        return self.horizon - (self.fixed or 1)

    @property
    def theorem_mu(self) -> float:
        """What the paper promises: Lemma 3 for Algorithm 1, Lemma 4 otherwise."""
        if self.prepulls == 0 and self.variance == 1:
            return sqrt(self.horizon / 2)
        return sqrt(self.horizon / (self.variance * (self.prepulls + 1)))


def checked_sampler(sampler: Sampler) -> Sampler:
    """The sampler, if there is such a one; else ValueError."""
    T, K, b, c = sampler
    if T < 1 or (K is not None and K < 2) or b < 0 or not 0 < c < float("inf"):
        raise ValueError(f"{sampler}: want horizon >= 1, arms >= 2 (or None), prepulls >= 0 and variance > 0")
    if sampler.fixed > T:
        raise ValueError(f"b K = {b} * {K or 2} pre-pulls exceed T = {T}: lower prepulls or raise the horizon")
    return sampler


class RoundLimits(NamedTuple):
    """What a round with n pulls of the changed arm can show, for a family of n (arrays of one shape).

    The arm is pulled with probability Phi(-u) on the side where it pays less, Phi(-v) on the other, for some
    -low <= v <= u <= high with u - v <= shift. low, high: inf where nothing bounds them.
    """

    shift: Array
    low: Array
    high: Array


def two_arms(sampler: Sampler, pulls: Array, total: int) -> RoundLimits:
    """The rounds after `total` pulls of two arms, of which `pulls` were of the changed one."""
    other = np.maximum(total - pulls, 0)  # no run gets to where that would be negative
    deviation = (sampler.variance * (1 / (pulls + 1) + 1 / (other + 1))) ** 0.5
    means = pulls / (pulls + 1), other / (other + 1)
    return RoundLimits(1 / (pulls + 1) / deviation, means[0] / deviation, means[1] / deviation)


def any_arms(sampler: Sampler, pulls: Array) -> RoundLimits:
    """The rounds with any number of other arms, in units of the changed arm's own deviation."""
    nothing = pulls * 0 + float("inf")
    return RoundLimits(1 / (sampler.variance * (pulls + 1.0)) ** 0.5, nothing, nothing)
