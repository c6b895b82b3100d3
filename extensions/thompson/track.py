"""Computes the smallest eps at a given delta, for two reward tables with two arms, and its derivative with respect to
each reward.

delta(eps) is one integral. With L the loss log(P/Q) of a transcript and z = z_0 + iw, z_0 > 0,

    delta(eps) = E_P (1 - e^(eps - L))_+ = 1/pi int_0^inf Re[ E_P(e^(z L)) e^(-z eps) / (z (z + 1)) ] dw,

and E_P e^(zL) is one number for each order z and state (N, n): M_T = 1 and, p and q the chances on the two sides,

    M_N(n) = p (p/q)^z M_{N+1}(n+1) + (1-p) ((1-p)/(1-q))^z M_{N+1}(n).

So eps at delta has a derivative with respect to every p, hence to every reward; all of them are computed by one
backward and one forward pass over the rounds. Nothing is certified here: nodes and orders are cut off, and in long runs
rounds are played in `blocks`, which are fitted to the tables again and again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import log, pi
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

from dpbandits.extensions.thompson.attack import means
from dpbandits.extensions.thompson.blocks import Blocks, factors, fitted, single, thin, transposed_block_sums
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

MAX_INTEGRAL_NODES = 36  # of the integral, at most; its step is small against 1/eps, its end near w = 2
ENOUGH = 1e-5  # of delta: nodes beyond the last that adds so much are left out
REAL = el.geometric(0.04, 1.0, 16)  # z_0 has the least Chernoff bound of these; beyond, too much cancels
GROWTH, MIN_TABLE_PIECES = (
    0.2,
    60,
)  # a piece of arm 1's rewards is such a share of what lies before it, T/MIN_TABLE_PIECES at most
MOST_REMEMBERED = 2**27  # bytes of factors that a step back leaves for the step forth
FITTED = 2  # so often, blocks are fitted to what is known by then
HALF_LOG = 0.5 * log(2 * pi)


class Orders(NamedTuple):
    """The nodes of the integral for delta: z = start + i step k, k < many. largest: no eps beyond it is searched
    for."""

    start: float
    step: float
    largest: float
    many: int = MAX_INTEGRAL_NODES

    @property
    def nodes(self) -> Array:
        """The complex orders z at which the integral for delta(eps) is evaluated, (nodes,)."""
        return np.asarray(self.start + 1j * self.step * np.arange(self.many))

    def share(self, eps: float) -> Array:
        """Returns the weight of E_P e^(zL) at each node z in the quadrature sum for delta(eps), (nodes,).
        delta(eps) is the real part of the sum of the products."""
        z = self.nodes
        width = np.full(self.many, self.step / pi)
        width[0] /= 2  # the trapezoid's end
        return np.asarray(width * np.exp(-z * eps) / (z * (z + 1)))

    def eps(self, value: Array, delta: float) -> float:
        """Returns the eps at which delta(eps) falls to delta. value: E_P e^(zL) at the nodes."""
        low, high = 0.0, self.largest
        for _ in range(50):
            middle = (low + high) / 2
            enough = float((self.share(middle) * value).sum().real) > delta
            low, high = (middle, high) if enough else (low, middle)
        return low


class Track:
    """The smallest eps for two arms as a function of their rewards: the changed arm (arm 0, its first reward) up to
    `levels` pulls, arm 1 in pieces. blocks: how the rounds are played; each for itself unless told otherwise."""

    def __init__(self, sampler: Sampler, delta: float, levels: int, blocks: Blocks | None = None) -> None:
        """Prepares the pull counts and standard deviations of the blocks of a run.
        levels: the largest number of pulls of arm 0 that are followed."""
        self.sampler, self.delta, self.levels = sampler, delta, levels
        b = sampler.prepulls
        self.blocks = single(sampler, levels + 1 - b) if blocks is None else blocks
        total = self.blocks.middles[:, None]
        self.pulls = np.arange(b, levels + 1)[None, :]
        self.rest = np.maximum(total - self.pulls, b)
        self.played = total - self.pulls >= b
        self.deviation = np.sqrt(sampler.variance * (1 / (self.pulls + 1) + 1 / (self.rest + 1)))
        self.shift = np.where(self.pulls > 0, 1 / (self.pulls + 1) / self.deviation, 0.0)

    @cached_property
    def pieces(self) -> Ints:
        """The indices at which new pieces of arm 1's rewards begin; the rewards of one piece are equal."""
        T, found = self.sampler.horizon, [0]
        while found[-1] < T:
            found.append(found[-1] + max(min(int(GROWTH * found[-1]), T // MIN_TABLE_PIECES), 1))
        return np.array(found[:-1])

    def lead(self, first: Array, second: Array) -> Array:
        """Returns the lead of arm 0's mean over arm 1's, in standard deviations, on the side where arm 0 pays less.
        The result is for each block and pull count: (blocks, pulls). first, second: the rewards of arms 0 and 1."""
        own, other = means(first, self.levels), means(second, self.sampler.horizon)
        return np.asarray((own[self.pulls] - other[self.rest]) / self.deviation)

    def orders(self, lead: Array) -> Orders:
        """Returns nodes of the integral for delta; their real part is the order with the smallest Chernoff bound."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value = el.log(self.backward_pass(lead, REAL)[0][0])
            best = (value + REAL * el.log(REAL) - (1 + REAL) * el.log1p(REAL) - log(self.delta)) / REAL
        best[~np.isfinite(best)] = np.inf
        place = int(best.argmin())
        highest = max(float(best[place]), 1.0)
        return Orders(float(REAL[place]), 2 * pi / (2.2 * highest + 25), 1.4 * highest)

    def without_negligible_nodes(self, lead: Array, orders: Orders) -> Orders:
        """Returns the nodes of the integral without the last ones, which contribute almost nothing to delta."""
        value = self.backward_pass(lead, orders.nodes)[0][0]
        added = np.abs(orders.share(orders.eps(value, self.delta)) * value) > ENOUGH * self.delta
        return (
            orders._replace(many=min(int(np.flatnonzero(added)[-1]) + 3, MAX_INTEGRAL_NODES)) if added.any() else orders
        )

    def factors(
        self, lead: Array, part: slice, rows: int, orders: Array, known: dict[int, list[Array]] | None = None
    ) -> list[Array]:
        """Returns the factors by which the blocks in `part` enter E_P e^(zL), for each number of pulls in a block.
        known: the stored factors for this lead and these orders, by the first block of their part."""
        if known and part.start in known:
            return known.pop(part.start)
        low = lead[part, :rows]
        return factors(self.blocks.lengths[part], low, low + self.shift[part, :rows], orders)

    def backward_pass(
        self, lead: Array, orders: Array, keep: bool = False, known: dict[int, list[Array]] | None = None
    ) -> tuple[Array, Array]:
        """Computes E_P e^(zL) at the start of the run, by a backward pass over the blocks.
        Returns it from the start, (pulls, orders), and, if `keep`, also from every block on. What leads to more pulls
        than a block follows counts as 0. known: where factors are remembered, up to MOST_REMEMBERED bytes."""
        room = MOST_REMEMBERED
        blocks, rows = lead.shape
        value = np.ones((rows, orders.size), dtype=orders.dtype)
        kept = np.ones((blocks + 1 if keep else 0, rows, orders.size), dtype=np.result_type(orders, np.complex64))
        for part, followed in reversed(list(self.blocks.groups())):
            terms = self.factors(lead, part, followed, orders)
            room -= sum(each.nbytes for each in terms)
            if known is not None and room > 0:
                known[part.start] = terms
            for at in range(part.stop - part.start - 1, -1, -1):
                before = terms[0][at] * value[:followed]
                for k, each in enumerate(terms[1:], start=1):
                    before[: followed - k] += each[at] * value[k:followed]
                value[:followed] = before
                if keep:
                    kept[part.start + at] = value
        return value, kept

    def forward_pass(
        self, lead: Array, orders: Array, start: Array, known: dict[int, list[Array]] | None = None
    ) -> Iterator[tuple[int, list[Array]]]:
        """Yields, for each block of a forward pass, the masses times e^(zL) of its transcripts, by pull counts.
        The masses are those of the transcripts that have k pulls in the block, by the pull count before it, for k = 0,
        1, ...: (rows - k, orders). They begin with `start`, (orders,)."""
        reached = np.zeros((lead.shape[1], orders.size), dtype=orders.dtype)
        reached[0] = start
        for part, followed in self.blocks.groups():
            terms = self.factors(lead, part, followed, orders, known)
            for at in range(part.stop - part.start):
                leaving = [reached[: followed - k] * each[at] for k, each in enumerate(terms)]
                yield part.start + at, leaving
                reached[:followed] = leaving[0]
                for k, each in enumerate(leaving[1:], start=1):
                    reached[k:followed] += each

    def law(self, lead: Array, order: float) -> Array:
        """Returns the distribution of the pull count before each block, (blocks, rows).
        Every transcript is weighted by its contribution to E_P e^(zL)."""
        z = np.array([order])
        kept, weights = self.backward_pass(lead, z, keep=True)[1][..., 0].real, np.zeros(lead.shape)
        for block, leaving in self.forward_pass(lead, z, np.ones(1)):
            for k, each in enumerate(leaving):
                weights[block, : each.size] += each[:, 0] * kept[block + 1, k : k + each.size]
        # 0 where more pulls are so sure that nothing is left: all counts alike.
        every = weights.sum(axis=1, keepdims=True)
        return np.asarray(np.where(every > 0, weights, 1.0) / np.where(every > 0, every, lead.shape[1]))

    def eps(self, lead: Array, orders: Orders) -> tuple[float, Array]:
        """Returns the approximate eps at delta, and its derivative with respect to every lead."""
        known: dict[int, list[Array]] = {}
        value, kept = self.backward_pass(lead, orders.nodes, keep=True, known=known)
        found = orders.eps(value[0], self.delta)
        share = orders.share(found)
        fall = float((orders.nodes * share * value[0]).sum().real)
        return found, self.derivative_by_lead(lead, orders.nodes, share, kept, known) / fall

    def derivative_by_lead(
        self, lead: Array, z: Array, share: Array, kept: Array, known: dict[int, list[Array]]
    ) -> Array:
        """Returns the derivative of delta(eps) with respect to every lead, (blocks, rows).
        known: as for `factors`.
        """
        blocks, rows = lead.shape
        sums: list[Array] = []
        for block, leaving in self.forward_pass(lead, z, share, known):
            sums += [np.zeros((blocks, rows - k, 2)) for k in range(len(sums), len(leaving))]
            for k, each in enumerate(leaving):
                there = each * kept[block + 1, k : k + each.shape[0]]
                for place, weight in enumerate((1 + z, z)):
                    sums[k][block, : each.shape[0], place] = (there * weight).sum(axis=-1).real
        found = np.zeros(lead.shape)
        for part, followed in self.blocks.groups():
            some = [each[part, : followed - k] for k, each in enumerate(sums)]
            pulled, tails = transposed_block_sums(some, self.blocks.lengths[part])
            low = lead[part, :followed]
            high = low + self.shift[part, :followed]
            found[part, :followed] = (
                log_phi_slope(low) * pulled[..., 0]
                - log_phi_slope(high) * pulled[..., 1]
                - log_phi_slope(-low) * tails[..., 0]
                + log_phi_slope(-high) * tails[..., 1]
            )
        return found

    def derivatives_by_reward(self, slope: Array) -> tuple[Array, Array]:
        """Converts derivatives with respect to the leads to derivatives with respect to the rewards of both arms.
        The rewards are those of arm 0 and of arm 1."""
        by_mean = np.where(self.played, slope / self.deviation, 0.0)
        own = np.zeros(self.levels + 1)
        own[self.pulls[0]] = by_mean.sum(axis=0)
        size = self.sampler.horizon + 1
        other = -np.bincount(self.rest[self.played], weights=by_mean[self.played], minlength=size)
        later = (np.cumsum((each / np.arange(1, each.size + 1))[::-1])[::-1] for each in (own, other))
        first, second = (each[1:] for each in later)  # a reward counts in all later means
        return np.asarray(first), np.asarray(second)


def log_phi_slope(x: Array) -> Array:
    """The derivative phi(x)/Phi(x) of log Phi at x."""
    return np.asarray(el.exp(-x * x / 2 - HALF_LOG - log_ndtr(x)))


def fit_track(sampler: Sampler, delta: float, levels: int, first: Array, second: Array, order: float) -> Track:
    """Returns a track (an approximation of eps for two tables) whose blocks fit the rewards `first` and `second`.
    order: the order z of `law`, which determines the blocks.
    """
    track = Track(sampler, delta, levels, thin(sampler, levels + 1 - sampler.prepulls))
    for _ in range(FITTED):  # what blocks that do not fit say of the law may be wrong
        lead = track.lead(first, second)
        blocks = fitted(sampler, track.blocks, track.law(lead, order), lead + track.shift)
        track = Track(sampler, delta, levels, blocks)
    return track
