"""What a deep pass knows of the far tail: moments of the privacy loss, and what they say of delta from either side."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

TAIL_ROUNDING = 1e-12  # of 1 and of a logarithm's size, or of a product's: some thousand roundings


class Tail(NamedTuple):
    """What is known of the mass that was pruned, beyond its size.

    orders: alpha, any reals, ascending or descending, among them 0 and 1. lost: an upper bound on the log of the pruned
    transcripts' moment sum P^alpha Q^(1-alpha). total: the log of all transcripts' moment. low, high: the extreme
    losses log(P/Q) of all transcripts. drift: all of this is for probabilities within a factor exp(+-drift) of the
    true ones. sharp: no probability on the way was so small that a double loses its relative precision.
    """

    orders: Array
    lost: Array
    total: Array
    low: float
    high: float
    drift: float
    sharp: bool = True

    @property
    def swapped(self) -> Tail:
        """The tail of the pair with its sides swapped."""
        return Tail(1 - self.orders, self.lost, self.total, -self.high, -self.low, self.drift, self.sharp)

    def log_lost(self, eps: Array) -> Array:
        """The log of what the pruned transcripts add to delta at most, left over right.

        For y >= 0, (1 - e^-y) e^(-(alpha-1) y) is at most c = ((alpha-1)/alpha)^(alpha-1)/alpha; so a part
        with moment M of order alpha >= 1 adds at most c M e^(-(alpha-1) eps).
        """
        some = self.orders >= 1
        alpha, lost = self.orders[some], self.lost[some]
        slope = alpha - 1
        # x log x -> 0 at 0, which gives c = 1 for alpha = 1.
        ratio = np.where(slope > 0, slope, 1) / alpha
        start = slope * el.log(ratio) - el.log(alpha) + lost + (alpha + slope) * self.drift
        falls = np.multiply.outer(eps, slope)
        return np.asarray((start - falls + TAIL_ROUNDING * np.abs(falls)).min(axis=-1, initial=np.inf))

    def log_least(self, eps: Array, largest: float) -> Array:
        """The log of what delta is at least, left over right; -inf where the moments do not show anything.

        largest: no transcript has a larger loss. eps: (n,), from 0 to below it.

        With M(alpha) = E e^((alpha-1) loss) under left, and orders a > b >= 1, the function of the loss
        A (e^((a-1) y) - e^((b-1) y)), y = loss - eps, is negative where y < 0. Where y > 0, its quotient by 1 - e^-y,
        which is A e^(by) (e^((a-b)y) - 1)/(e^y - 1), rises in y: the logarithm's slope is b + c/(1 - e^(-cy)) -
        1/(1 - e^-y), c = a - b, and there c/(1 - e^(-cy)) > 1/y > 1/(1 - e^-y) - 1. So with the A at which the quotient
        is 1 at the largest y, it lies below max(0, 1 - e^-y) throughout, whose expectation under left is delta(eps).
        """
        some = (self.orders >= 1) & np.isfinite(self.total)
        order = np.argsort(self.orders[some], kind="stable")
        alpha, total = self.orders[some][order], self.total[some][order]
        a, b, high, low = alpha[1:, None], alpha[:-1, None], total[1:, None], total[:-1, None]
        away = largest - eps
        more = high - (a - 1) * eps - self.off(a, high, eps)
        less = low - (b - 1) * eps + self.off(b, low, eps)
        with np.errstate(divide="ignore", invalid="ignore"):
            gap = el.log(-el.expm1(-away)) + el.log(-el.expm1(less - more)) - el.log(-el.expm1((b - a) * away))
        value = more + gap - (a - 1) * away - TAIL_ROUNDING * (1 + np.abs(gap) + (a - 1) * away)
        return np.asarray(np.fmax.reduce(np.where(more > less, value, -np.inf), axis=0, initial=-np.inf))

    def off(self, alpha: Any, log: Any, eps: Array) -> Array:
        """What the log of a moment of this order over e^((alpha-1) eps) may be wrong by."""
        return np.asarray((2 * alpha - 1) * self.drift + TAIL_ROUNDING * (1 + np.abs(log) + (alpha - 1) * eps))
