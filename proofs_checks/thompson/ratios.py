"""The game on a grid of ratios P/Q: the sharp upper bound.

V_N(n; P, Q) = P g(log P/Q); g is kept at the ratios offset + step * i, as numbers that are never below the true ones.
The offset is each count's own, in every round (see `pull_levels.Level`). Four facts of
docs/explanation/threshold_game.md make a round of arithmetic an upper bound again:

- V is convex and homogeneous: a loss between two grid points is split over both with P and Q kept, which bounds V by
  its chord;
- V is largest at a corner of a polygon around the coins;
- g rises with the ratio, and is at most 1: below the grid stands its lowest value, above it 1;
- V grows with P: so the losses and the masses of a coin may be rounded up (`pull_levels.outcomes`).

Rounding of the sums: all terms are positive, so the relative error of a round is a few units; `best_coins` adds it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.thompson.best_coins import CompiledRows, rows_by_size
from dpbandits.proofs_checks.thompson.grids import Grid, Kept, shown, shown_slice
from dpbandits.proofs_checks.thompson.moments import Moments, rounds_at, spans
from dpbandits.proofs_checks.thompson.prices import are_growing, last_counts
from dpbandits.proofs_checks.thompson.pull_levels import Level, deal, gathered, stepped
from dpbandits.proofs_checks.thompson.rival_thresholds import chance_above
from dpbandits.proofs_checks.thompson.rules import RoundLimits, Sampler
from dpbandits.proofs_checks.thompson.waiting import Waiting
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

RATIO_COIN_SPAN = 1.03  # rounds that share their coins lie within this factor
# Of long runs, polygons are so many times wider beyond this share of the pull counts, where little is told
FAR_WIDTH, FINE_COUNTS_SHARE = 4.0, 0.4


class Layer(NamedTuple):
    """The bound after `total` pulls. game: by pull count, below `last`. edge: g at that one and those beyond, at the
    grid's ratios. levels: what is chosen now, by pull count. table: the values of `game` as one array, where they are
    known as one."""

    total: int
    last: int
    game: dict[int, Kept]
    edge: Array
    levels: dict[int, Level]
    table: Array | None = None


def layers(sampler: Sampler, higher: str, grid: Grid, levels: int, width: float, rare: Moments) -> Iterator[Layer]:
    """The bound for falling totals, from the horizon on; see `ratios`. In long runs what a layer holds is written over
    when two more have come, and stands nowhere below the grid (`CompiledRows`)."""
    first, T = sampler.first, sampler.horizon
    lasts = last_counts(sampler, higher, levels).tolist()
    last = lasts[T]
    gain = Kept(grid.padded(np.maximum(-el.expm1(-grid.ratios), 0.0)), 0.0)  # (P - Q)_+ at P = 1
    every = lru_cache(maxsize=1)(partial(rounds_at, sampler, np.arange(first, last, dtype=np.float64)))
    rules = {n: partial(of_count, every, n - first) for n in range(first, last)}
    given = sampler.arms not in (None, 2)
    above = {n: partial(chance_above, sampler, n) if given else None for n in rules}
    begin = first + FINE_COUNTS_SHARE * (last - first) if are_growing(sampler, higher) else last
    wide = {n: width * (FAR_WIDTH if n >= begin else 1.0) for n in rules}
    counts = {n: Level(rules[n], T, higher, wide[n], grid, above[n]) for n in rules}
    layer = Layer(T, last, dict.fromkeys(range(first, last), gain), rare_values(rare, T, grid), counts)
    reached = rows_by_size(sampler.rounds * levels * grid.size, grid.digits)
    yield layer
    for top, totals in spans(sampler, RATIO_COIN_SPAN):
        deal(list(counts.values()), top, totals[-1])
        dealt = gathered(list(counts.values())) if counts else None
        for total in totals:
            most = min(lasts[total] - 1, total - (sampler.prepulls if sampler.arms == 2 else 0))
            after = {**layer.game, layer.last: Kept(grid.padded(layer.edge), 0.0)}
            some = range(first, most + 1)
            kept = [after[n] for n in range(first, most + 2)]
            earlier = stepped([counts[n] for n in some], total, kept, reached, dealt)
            game = dict(zip(some, earlier, strict=True))
            table = reached.together(len(game)) if isinstance(reached, CompiledRows) and game else None
            layer = Layer(total, lasts[total], game, rare_values(rare, total, grid), counts, table)
            yield layer


def of_count(rules: Callable[[int], RoundLimits], row: int, total: int) -> RoundLimits:
    """What one of many counts can show after so many pulls in all. rules: of all of them."""
    return RoundLimits(*(part[row : row + 1] for part in rules(total)))


class Curves(NamedTuple):
    """Upper bounds on delta at the `shown_eps` of a grid, by relation of the neighbours."""

    pull: Array
    round: Array


def ratios(sampler: Sampler, higher: str, grid: Grid, levels: int, width: float, rare: Moments) -> Curves:
    """The bound at the start of the game.

    levels: how many pull counts have values on the grid; from there on `rare`, with watched = first + levels, counts.
    width: of the polygons, see `coins.thresholds`.
    """
    first = sampler.first
    played_layers = layers(sampler, higher, grid, levels, width, rare)
    layer = next(played_layers)
    if sampler.arms is None:
        start = shown(grid, [deque(chain([layer], played_layers), maxlen=1).pop().game[first]])[0]
        return Curves(start, start)
    if sampler.arms != 2:
        start = worst_start(sampler, grid, layer, played_layers)
        return Curves(start, start)
    gain = shown(grid, [layer.game[first]])[0]  # no round is left: the same at every count
    waiting, largest, edge = Waiting(sampler, layer.last, gain), gain, gain
    for layer in played_layers:
        edge = shown_edge(grid, layer)
        found = shown(grid, list(layer.game.values()), layer.table) if layer.game else gain[None]
        waiting.step(layer.total, first, found[: len(layer.game)], edge, layer.last)
        reached = [edge] if layer.total >= layer.last + sampler.prepulls else []
        largest = np.max([largest, found.max(axis=0), *reached], axis=0)
    if sampler.prepulls == 0:
        waiting.step(0, first, gain[:0, None], edge, layer.last)  # the first round reads no reward
    return Curves(waiting.finished(), largest)


def worst_start(sampler: Sampler, grid: Grid, layer: Layer, earlier: Iterator[Layer]) -> Array:
    """The largest value of a state in which a change may come, for a given number of arms above two.

    V falls with the rounds that were played, and need not fall with n: so each n counts when the other arms have had
    their pre-pulls alone, and all n from the last on as one. layer: after the last round.
    """
    largest, spare = shown(grid, [layer.game[sampler.first]])[0], sampler.fixed - sampler.prepulls
    for layer in earlier:
        n = layer.total - spare
        if n in layer.game:
            largest = np.maximum(largest, shown(grid, [layer.game[n]])[0])
        elif n == layer.last:
            largest = np.maximum(largest, shown_edge(grid, layer))
    return np.asarray(largest)


def shown_edge(grid: Grid, layer: Layer) -> Array:
    """The bound from the last count on, at the ratios that curves show."""
    begin, stride = shown_slice(grid)
    return layer.edge[begin : grid.below + 1 : stride][::-1]


def rare_values(rare: Moments, total: int, grid: Grid) -> Array:
    return np.asarray(el.exp(rare.log_curve(rare.edge[total], -grid.ratios)))
