"""The game on a grid of ratios P/Q: the sharp upper bound.

V_N(n; P, Q) = P g(log P/Q); g is kept at the ratios step * i, as numbers that are never below the true ones. Four facts
of README.md make a round of arithmetic an upper bound again:

- V is convex and homogeneous: a loss between two grid points is split over both with P and Q kept, which bounds V by
  its chord;
- V is largest at a corner of a polygon around the coins;
- g rises with the ratio, and is at most 1: below the grid stands its lowest value, above it 1;
- V grows with P: so the losses and the masses of a coin may be rounded up, by MARGIN, which covers their rounding.

Rounding of the sums: all terms are positive, so the relative error of a round is a few units; ROUNDING is added.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.game.coins import Coins, around
from dpbandits.proofs_checks.game.moments import Moments, rounds_at, spans
from dpbandits.proofs_checks.game.rules import Sampler
from dpbandits.proofs_checks.game.waiting import Waiting
from dpbandits.reference.noise import Array

MARGIN = 1e-10  # the losses of coins are good to 1e-12, and their masses to 1e-13, relatively
ROUNDING = 1e-12  # relative, of one round: four products and three sums
STRETCH = 50  # where values above the floor have reached further down, the next look is this share of the grid further


class Grid(NamedTuple):
    """Ratios log(P/Q) = step * i for -below <= i <= above. floor: smaller values of g need not be told apart."""

    step: float
    below: int
    above: int
    floor: float = 0.0

    @property
    def size(self) -> int:
        return self.below + self.above + 1

    @property
    def ratios(self) -> Array:
        return np.asarray(self.step * np.arange(-self.below, self.above + 1))

    def padded(self, values: Array) -> Array:
        """Values of g, with what is true beyond both ends of the grid."""
        return np.concatenate([np.full(self.size, values[0]), values, np.ones(self.size + 1)])


class Taps(NamedTuple):
    """A coin as what it does to padded values, either outcome: kernel . values[place + i : place + i + 2] at i."""

    pulled: int
    pulled_kernel: Array
    tails: int
    tails_kernel: Array


def taps(coins: Coins, higher: str, grid: Grid) -> list[Taps]:
    """higher: "right" or "left", the side where the changed arm pays more."""
    p, tails_p, q, tails_q = coins if higher == "right" else (coins.q, coins.tails_q, coins.p, coins.tails_p)
    sides = [tap(left, right, grid) for left, right in ((p, q), (tails_p, tails_q))]
    (places, kernels), (tails, tails_kernels) = sides
    return [Taps(*row) for row in zip(places.tolist(), kernels, tails.tolist(), tails_kernels, strict=True)]


def tap(left: Array, right: Array, grid: Grid) -> tuple[Array, Array]:
    """Where outcomes of mass (left, right) lead, and the chord's two weights there, (coins, 2)."""
    with np.errstate(divide="ignore"):
        loss = np.log(left) - np.log(right) + MARGIN
    cells = np.clip(loss / grid.step, -grid.size, grid.size)
    below = np.floor(cells)
    # P and Q stay: 1 = w + w', exp(-x) = w + w' exp(-step) for the part x of the loss above the lower point.
    high = np.expm1(-(cells - below) * grid.step) / np.expm1(-grid.step)
    kernels = (left * (1 + MARGIN))[:, None] * np.stack([1 - high, high], axis=1)
    return (below + grid.size).astype(int), kernels


def played(grid: Grid, coins: list[Taps], same: Array, more: Array, lowest: int = 0) -> Array:
    """The best over the coins, one round earlier: `same` and `more` are padded values at n and n + 1.

    lowest: where on the grid to begin; what lies below is given that value, which is no smaller.
    """
    best = np.zeros(grid.size - lowest)
    for place, kernel, tails, tails_kernel in coins:
        value = np.correlate(more[lowest + place : place + grid.size + 1], kernel)
        value += np.correlate(same[lowest + tails : tails + grid.size + 1], tails_kernel)
        np.maximum(best, value, out=best)
    best *= 1 + ROUNDING
    return np.concatenate([np.full(lowest, best[0]), best])


def reached(grid: Grid, coins: list[Taps], same: Array, more: Array, lowest: int) -> tuple[Array, int]:
    """`played` from a place where the value is at most the grid's floor, or from the grid's end; and that place."""
    values = played(grid, coins, same, more, lowest)
    while lowest > 0 and values[lowest] > grid.floor:
        lowest = max(lowest - 1 - grid.size // STRETCH, 0)
        values = played(grid, coins, same, more, lowest)
    return values, lowest


class Layer(NamedTuple):
    """The bound after `total` pulls. game: padded values of g by pull count. edge: g at the count beyond them."""

    total: int
    game: dict[int, Array]
    edge: Array


def layers(sampler: Sampler, higher: str, grid: Grid, levels: int, width: float, rare: Moments) -> Iterator[Layer]:
    """The bound for falling totals, from the horizon on. See `ratios`."""
    first, T = sampler.first, sampler.horizon
    last = first + levels
    gain = grid.padded(np.maximum(-np.expm1(-grid.ratios), 0.0))  # (P - Q)_+ at P = 1
    layer = Layer(T, dict.fromkeys(range(first, last), gain), rare_values(rare, T, grid))
    yield layer
    lowest = dict.fromkeys(range(first, last), grid.below)  # no ratio below 1 is worth anything yet
    for top, totals in spans(sampler):
        coins: dict[int, list[Taps]] = {}
        for total in totals:
            most = min(last - 1, total - (sampler.prepulls if sampler.arms == 2 else 0))
            after = {**layer.game, last: grid.padded(layer.edge)}
            game = {}
            for n in range(first, most + 1):
                if n not in coins:
                    coins[n] = taps(around(rounds_at(sampler, np.array([float(n)]), top), width), higher, grid)
                values, lowest[n] = reached(grid, coins[n], after[n], after[n + 1], lowest[n])
                game[n] = grid.padded(values)
            layer = Layer(total, game, rare_values(rare, total, grid))
            yield layer


class Curves(NamedTuple):
    """Upper bounds on delta at eps = -ratio, for all ratios of a grid, by relation of the neighbours."""

    pull: Array
    round: Array


def ratios(sampler: Sampler, higher: str, grid: Grid, levels: int, width: float, rare: Moments) -> Curves:
    """The bound at the start of the game.

    levels: how many pull counts have values on the grid; from there on `rare`, with watched = first + levels, counts.
    width: of the polygons, see `coins.thresholds`.
    """
    first, last = sampler.first, sampler.first + levels
    played_layers = layers(sampler, higher, grid, levels, width, rare)
    final = inner(grid, next(played_layers).game[first])  # no round is left: the same at every count
    waiting, largest, edge = Waiting(sampler, last, final), final, final
    start = final
    for layer in played_layers:
        game = {n: inner(grid, value) for n, value in layer.game.items()}
        start, edge = game[first], layer.edge
        if sampler.arms == 2:
            waiting.step(layer.total, game, edge)
            reached = [edge] if layer.total >= last + sampler.prepulls else []
            largest = np.max([largest, *game.values(), *reached], axis=0)
    if sampler.arms != 2:
        return Curves(start, start)
    if sampler.prepulls == 0:
        waiting.step(0, {}, edge)  # the first round reads no reward
    return Curves(waiting.finished(), largest)


def rare_values(rare: Moments, total: int, grid: Grid) -> Array:
    return np.asarray(np.exp(rare.log_curve(rare.edge[total], -grid.ratios)))


def inner(grid: Grid, padded: Array) -> Array:
    return padded[grid.size : 2 * grid.size]
