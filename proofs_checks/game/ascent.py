"""Bad tables for two arms by ascent: eps at delta as a smooth function of every reward, and uphill from a first guess.

`attack` certifies what two tables achieve, but says nothing about which reward to change. Here the same delta(eps) is
one integral. With L the loss log(P/Q) of a transcript and z = z_0 + iw, z_0 > 0,

    delta(eps) = E_P (1 - e^(eps - L))_+ = 1/pi int_0^inf Re[ E_P(e^(z L)) e^(-z eps) / (z (z + 1)) ] dw,

and E_P e^(zL) is one number for each order z and state (N, n): M_T = 1 and, p and q the chances on the two sides,

    M_N(n) = p (p/q)^z M_{N+1}(n+1) + (1-p) ((1-p)/(1-q))^z M_{N+1}(n).

So eps at delta has a slope in every p, hence in every reward, for the price of a run there and one back. Nothing is
certified here: nodes and orders are cut off. The tables that are found are evaluated by `attack`, for themselves.
"""

from __future__ import annotations

from functools import cached_property
from math import log, pi
from typing import Any, NamedTuple

import numpy as np
import scipy  # whose submodules are imported where they are first used
from scipy.special import log_ndtr

from dpbandits.proofs_checks.game.attack import means
from dpbandits.proofs_checks.game.rules import Sampler
from dpbandits.reference.neighbours import Pair, flipped
from dpbandits.reference.noise import Array
from dpbandits.reference.policy import Ints

NODES = 36  # of the integral; its step is small against 1/eps, its end near w = 2
REAL = np.geomspace(0.04, 1.0, 16)  # z_0 has the least Chernoff bound of these; beyond, too much cancels
TOGETHER = 200  # rounds whose coins are computed at once
PIECES = 40  # of arm 1's rewards, the longer the later
UNIT = 1 / 1024  # rewards are multiples of it, so that their sums are exact
STRIDE = 0.05  # the length of the first move, in units of the slope
HALF_LOG = 0.5 * log(2 * pi)


class Orders(NamedTuple):
    """The nodes of the integral: z = start + i step k. largest: no eps beyond it is looked for."""

    start: float
    step: float
    largest: float

    @property
    def nodes(self) -> Array:
        return np.asarray(self.start + 1j * self.step * np.arange(NODES))

    def share(self, eps: float) -> Array:
        """What each node's E_P e^(zL) adds to delta(eps), as the real part of a product."""
        z = self.nodes
        width = np.full(NODES, self.step / pi)
        width[0] /= 2  # the trapezoid's end
        return np.asarray(width * np.exp(-z * eps) / (z * (z + 1)))


class Track:
    """Two arms whose rewards vary: the changed arm (arm 0, its first reward) up to `levels` pulls, arm 1 in pieces."""

    def __init__(self, sampler: Sampler, delta: float, levels: int) -> None:
        self.sampler, self.delta, self.levels = sampler, delta, levels
        T, b = sampler.horizon, sampler.prepulls
        self.total = np.arange(2 * b, T)[:, None]
        self.pulls = np.arange(b, levels + 1)[None, :]
        self.rest = np.maximum(self.total - self.pulls, b)
        self.played = self.total - self.pulls >= b
        self.deviation = np.sqrt(sampler.variance * (1 / (self.pulls + 1) + 1 / (self.rest + 1)))
        self.shift = np.where(self.pulls > 0, 1 / (self.pulls + 1) / self.deviation, 0.0)

    @cached_property
    def pieces(self) -> Ints:
        """Where a piece of arm 1's rewards begins."""
        T = self.sampler.horizon
        return np.unique(np.round(np.geomspace(1, T + 1, PIECES + 1)).astype(int) - 1)[:-1]

    def lead(self, first: Array, second: Array) -> Array:
        """How many deviations arm 0's mean lies above arm 1's where it pays less, by (round, pulls)."""
        own, other = means(first, self.levels), means(second, self.sampler.horizon)
        return np.asarray((own[self.pulls] - other[self.rest]) / self.deviation)

    def orders(self, lead: Array) -> Orders:
        """The nodes through the order with the least Chernoff bound on eps."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value = np.log(self.back(lead, REAL)[0][0])
            best = (value + REAL * np.log(REAL) - (1 + REAL) * np.log1p(REAL) - log(self.delta)) / REAL
        best[~np.isfinite(best)] = np.inf
        place = int(best.argmin())
        highest = max(float(best[place]), 1.0)
        return Orders(float(REAL[place]), 2 * pi / (2.2 * highest + 25), 1.4 * highest)

    def back(self, lead: Array, orders: Array, keep: bool = False) -> tuple[Array, Array]:
        """E_P e^(zL) from the start, (pulls + 1, orders), and, if kept, from every round on. What leads to more than
        `levels` pulls counts as 0."""
        rounds, rows = lead.shape
        value = np.ones((rows + 1, orders.size), dtype=orders.dtype)
        value[-1] = 0
        kept = np.empty((rounds + 1 if keep else 0, rows + 1, orders.size), dtype=np.complex64)
        for begin in range((rounds - 1) // TOGETHER * TOGETHER, -1, -TOGETHER):
            end = min(begin + TOGETHER, rounds)
            pulled, tails = factors(lead[begin:end], self.shift[begin:end], orders)
            for at in range(end - 1, begin - 1, -1):
                if keep:
                    kept[at + 1] = value
                value[:-1] = pulled[at - begin] * value[1:] + tails[at - begin] * value[:-1]
        return value, kept

    def eps(self, lead: Array, orders: Orders) -> tuple[float, Array]:
        """eps at delta, and its slope in every lead."""
        value, kept = self.back(lead, orders.nodes, keep=True)
        low, high = 0.0, orders.largest
        for _ in range(50):
            middle = (low + high) / 2
            enough = float((orders.share(middle) * value[0]).sum().real) > self.delta
            low, high = (middle, high) if enough else (low, middle)
        share = orders.share(low)
        fall = float((orders.nodes * share * value[0]).sum().real)
        return low, self.forth(lead, orders.nodes, share, kept) / fall

    def forth(self, lead: Array, z: Array, share: Array, kept: Array) -> Array:
        """The slope of delta in every lead."""
        rounds, rows = lead.shape
        slope, reached = np.zeros(lead.shape), np.zeros((rows, NODES), dtype=complex)
        reached[0] = share
        for begin in range(0, rounds, TOGETHER):
            part = slice(begin, min(begin + TOGETHER, rounds))
            low, high = lead[part], lead[part] + self.shift[part]
            pulled, tails = factors(low, self.shift[part], z)
            steep = [np.exp(-x * x / 2 - HALF_LOG - log_ndtr(sign * x)) for sign in (1, -1) for x in (low, high)]
            for at in range(low.shape[0]):
                later = kept[begin + at + 1]
                up, stay = reached * pulled[at], reached * tails[at]
                up_there, stay_there = up * later[1:], stay * later[:-1]
                sums = [(x @ y).real for x in (up_there, stay_there) for y in (1 + z, z)]
                a, b, c, d = (steep[i][at] * sums[i] for i in range(4))
                slope[begin + at] = a - b - c + d
                reached = stay
                reached[1:] += up[:-1]
        return slope

    def slopes(self, slope: Array) -> tuple[Array, Array]:
        """From the slope in every lead to those in the rewards: of arm 0, and of arm 1."""
        by_mean = np.where(self.played, slope / self.deviation, 0.0)
        own = np.zeros(self.levels + 1)
        own[self.pulls[0]] = by_mean.sum(axis=0)
        size = self.sampler.horizon + 1
        other = -np.bincount(self.rest[self.played], weights=by_mean[self.played], minlength=size)
        later = (np.cumsum((each / np.arange(1, each.size + 1))[::-1])[::-1] for each in (own, other))
        first, second = (each[1:] for each in later)  # a reward counts in all later means
        return np.asarray(first), np.asarray(second)


def factors(lead: Array, shift: Array, orders: Array) -> tuple[Array, Array]:
    """What a round does to e^(zL): p (p/q)^z and (1-p) ((1-p)/(1-q))^z. orders: real, or of `Orders`; last."""
    found = []
    for sign in (1, -1):
        mass = log_ndtr(sign * lead)
        loss = mass - log_ndtr(sign * (lead + shift))
        if orders.dtype != complex:
            found.append(np.exp(mass[..., None] + loss[..., None] * orders))
            continue
        powers = np.empty((*lead.shape, orders.size), dtype=complex)
        powers[..., 0] = np.exp(mass + orders[0].real * loss)
        powers[..., 1:] = np.exp((orders[1] - orders[0]) * loss)[..., None]
        found.append(np.cumprod(powers, axis=-1, out=powers))
    return found[0], found[1]


def climbed(sampler: Sampler, pair: Pair, delta: float, levels: int, steps: int) -> Pair:
    """The best tables on a walk uphill (L-BFGS-B) from a pair whose arm 0 has its first reward changed from 0 to 1.

    levels: the most pulls of arm 0 that count. steps: how many tables are tried. Deterministic.
    """
    levels = min(levels, sampler.horizon)
    track, T = Track(sampler, delta, levels), sampler.horizon
    lengths = np.diff(np.append(track.pieces, T))
    first, second = pair.left[0].copy(), pair.left[1, :T]
    orders = track.orders(track.lead(first, second))
    best: list[Any] = [-np.inf, first, second]

    def value(rewards: Array) -> tuple[float, Array]:
        own, other = first.copy(), np.repeat(rewards[levels:], lengths)
        own[:levels], own[0] = rewards[:levels], 0.0
        eps, slope = track.eps(track.lead(own, other), orders)
        if eps > best[0]:
            best[:] = [eps, own, other]
        mine, others = track.slopes(slope)
        mine[0] = 0.0
        return -STRIDE * eps, -STRIDE * np.concatenate([mine[:levels], np.add.reduceat(others[:T], track.pieces)])

    start = np.concatenate([first[:levels], np.add.reduceat(second, track.pieces) / lengths])
    options = {"maxfun": steps, "maxiter": steps, "ftol": 1e-9, "gtol": 1e-9}
    with np.errstate(all="ignore"):  # what leaves the range of doubles is no better than the best
        scipy.optimize.minimize(
            value, start, jac=True, method="L-BFGS-B", bounds=[(0, 1)] * start.size, options=options
        )
    rounded = [np.round(each / UNIT) * UNIT for each in best[1:]]
    return flipped("pull", np.stack([rounded[0][:T], rounded[1]]), 0, 0, 1.0)
