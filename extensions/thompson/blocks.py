"""Plays several rounds of a long run at once, as a block, in the search of `ascent` for tables that are easy to
distinguish. The result approximates the effect of r rounds on E_P e^(zL), where L is the privacy loss.

In a long run the changed arm is pulled rarely, and the pull probabilities hardly change from one round to the next. So
r rounds are played as one. With p and q the chances of a pull in the block's middle, a = p (p/q)^z, b = (1-p)
((1-p)/(1-q))^z, and k = 0, 1, ..., MAX_BLOCK_PULLS pulls in the block, M at n + k after it counts at n before it

    C(r, k) a(n) ... a(n+k-1) (b(n) ... b(n+k))^((r-k)/(k+1))

times: the pulls come in any k of the r rounds, and those without one are shared evenly by the k + 1 counts. With r = 1
that is the round itself. Otherwise it is an approximation, and more pulls than MAX_BLOCK_PULLS count as 0: what is
certified rests on no block.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, log_ndtr, ndtr

from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

MAX_BLOCK_PULLS = 3  # pulls of the changed arm in a block
PULLED = 0.4  # so many are expected in one, at most,
TURNS = 30  # and so many blocks there are at least in the rounds from 1/e of N to N
THIN = 8  # where no law is known yet, sqrt(N)/THIN rounds are a block
UNLIKELY = 1e-9  # pull counts with less are left out, but for a margin:
MARGIN_FACTOR, MARGIN_PULLS = 1.3, 8  # so many times as many, and so many more
BLOCKS_PER_BATCH = 50  # blocks whose coins are computed at once


class Blocks(NamedTuple):
    """Blocks of rounds. begins, lengths: the rounds N of each block, which are consecutive. rows: the number of pull
    counts that are followed."""

    begins: Ints
    lengths: Ints
    rows: Ints

    @property
    def middles(self) -> Ints:
        """The round in the middle of each block, (blocks,)."""
        return np.asarray(self.begins + (self.lengths - 1) // 2)

    def groups(self) -> Iterator[tuple[slice, int]]:
        """Yields groups of BLOCKS_PER_BATCH blocks, as slices, with the largest number of pull counts in each."""
        for begin in range(0, self.begins.size, BLOCKS_PER_BATCH):
            part = slice(begin, min(begin + BLOCKS_PER_BATCH, self.begins.size))
            yield part, int(self.rows[part].max())


def of_lengths(sampler: Sampler, lengths: Ints, rows: Ints) -> Blocks:
    """Blocks of rounds with these lengths, one after another. rows: the number of pull counts in each block."""
    return Blocks(2 * sampler.prepulls + np.cumsum(lengths) - lengths, lengths, rows)


def single(sampler: Sampler, rows: int) -> Blocks:
    """A division of the run into blocks of one round each, with which all results are exact."""
    rounds = sampler.horizon - 2 * sampler.prepulls
    return of_lengths(sampler, np.ones(rounds, dtype=np.int64), np.full(rounds, rows))


def thin(sampler: Sampler, rows: int) -> Blocks:
    """A division of the run into blocks, used before the tables are known.
    Short blocks for early pulls and longer ones for later pulls, because pulls are rare in long runs."""
    lengths, total = [], 2 * sampler.prepulls
    while total < sampler.horizon:
        lengths.append(min(max(isqrt(total) // THIN, 1), sampler.horizon - total))
        total += lengths[-1]
    return of_lengths(sampler, np.array(lengths, dtype=np.int64), np.full(len(lengths), rows))


def fitted(sampler: Sampler, known: Blocks, law: Array, lead: Array) -> Blocks:
    """A division of the run into blocks for known tables: blocks are shorter where pulls are likely.

    known: the blocks of this law. law: (blocks, rows), of the pull count at the beginning of each block. lead: where
    the changed arm pays more, in deviations.
    """
    T, begin = sampler.horizon, 2 * sampler.prepulls
    chance = np.interp(np.arange(begin, T), known.middles, (law * ndtr(lead)).sum(axis=1))
    longest = np.minimum(PULLED / np.maximum(chance, 1e-9), np.maximum(np.arange(begin, T) / TURNS, 1))
    lengths, total = [], begin
    while total < T:
        length = min(int(longest[total - begin]), T - total)
        lengths.append(max(min(length, int(longest[min(total + length, T - 1) - begin])), 1))
        total += lengths[-1]
    found = of_lengths(sampler, np.array(lengths, dtype=np.int64), np.zeros(len(lengths), dtype=np.int64))
    highest = [int(np.flatnonzero(each > UNLIKELY)[-1]) for each in law]
    needed = MARGIN_FACTOR * np.interp(found.begins, known.begins, np.maximum.accumulate(highest)) + MARGIN_PULLS
    return found._replace(rows=np.minimum(needed.astype(np.int64), law.shape[1]))


def factors(lengths: Ints, low: Array, high: Array, orders: Array) -> list[Array]:
    """Returns the factors by which a block with k pulls enters E_P e^(zL), for k = 0, 1, ....
    They are arrays (blocks, rows - k, orders).

    lengths: (blocks,). low, high: the leads on the two sides, (blocks, rows). orders: real, or start + i step k.
    """
    pulled, tails = log_ndtr(low), log_ndtr(-low)
    losses = pulled - log_ndtr(high), tails - log_ndtr(-high)
    found = []
    for k in range(min(MAX_BLOCK_PULLS, int(lengths.max()), low.shape[1] - 1) + 1):
        mass = log_binomials(lengths, k) + block_sums(pulled, tails, lengths, k)
        found.append(exponential_powers(mass, block_sums(*losses, lengths, k), orders))
    return found


def log_binomials(lengths: Ints, pulls: int) -> Array:
    """The logarithms of the binomial coefficients C(r, k), for blocks of r rounds with k pulls, (blocks, 1).
    (blocks, 1). -inf for k > r."""
    rest = lengths - pulls
    some = gammaln(lengths + 1) - gammaln(pulls + 1) - gammaln(np.maximum(rest, 0) + 1)
    return np.where(rest >= 0, some, -np.inf)[:, None]


def block_sums(pulled: Array, tails: Array, lengths: Ints, pulls: int) -> Array:
    """Returns a block's sum of `pulled` over its pulls and of `tails` over its rounds without a pull."""
    width = pulled.shape[1] - pulls
    waits = sum((tails[:, i : i + width] for i in range(1, pulls + 1)), tails[:, :width])
    return np.asarray(
        sum((pulled[:, i : i + width] for i in range(pulls)), rounds_without_pull(lengths, pulls) * waits)
    )


def rounds_without_pull(lengths: Ints, pulls: int) -> Array:
    """Returns the number of rounds without a pull at each pull count of a block with `pulls` pulls, (blocks, 1).
    These rounds are spread evenly over the k + 1 pull counts."""
    return np.asarray(np.maximum(lengths - pulls, 0)[:, None] / (pulls + 1))


def transposed_block_sums(sums: list[Array], lengths: Ints) -> tuple[Array, Array]:
    """The transpose of the linear map `block_sums`, for backpropagation from blocks to single rounds.
    It leads from the weights of the blocks with k pulls, (blocks, rows - k, ..), to the weights of the rounds with and
    without a pull at each count, (blocks, rows, ..)."""
    pulled, tails = np.zeros_like(sums[0]), np.zeros_like(sums[0])
    for k, each in enumerate(sums):
        width, waits = each.shape[1], rounds_without_pull(lengths, k)[..., None] * each
        for i in range(k + 1):
            tails[:, i : i + width] += waits
        for i in range(k):
            pulled[:, i : i + width] += each
    return pulled, tails


def exponential_powers(mass: Array, loss: Array, orders: Array) -> Array:
    """Returns exp(mass + z loss) for all orders z, along a new last axis."""
    if orders.dtype != complex:
        return np.asarray(el.exp(mass[..., None] + loss[..., None] * orders))
    found = np.empty((*mass.shape, orders.size), dtype=complex)
    found[..., 0] = el.exp(mass + orders[0].real * loss)
    found[..., 1:] = np.exp((orders[-1] - orders[0]) / max(orders.size - 1, 1) * loss)[..., None]
    return np.asarray(np.cumprod(found, axis=-1, out=found))
