"""Computes the value of the threshold game on a grid of likelihood ratios P/Q: the sharpest upper bound on delta.

The value of the game is V_N(n; P, Q) = P g(log P/Q). For each pull count n, upper bounds on g are stored at the ratios
offset + step * i, where each count has its own offset in every round (see `pull_levels.Level`). Four facts of
docs/explanation/threshold_game.md make a round of arithmetic an upper bound again:

- V is convex and homogeneous: a loss between two grid points is split over both with P and Q kept, which bounds V by
  its chord;
- V is largest at a corner of a polygon around the coins;
- g rises with the ratio, and is at most 1: below the grid stands its lowest value, above it 1;
- V grows with P: so the losses and the masses of a coin may be rounded up (`pull_levels.outcomes`).

Rounding of the sums: all terms are positive, so the relative error of a round is a few units; `best_coins` adds it.

**Two arms before the changed reward is read** (`Waiting`): how the game can reach its start. The change is at the m-th
pull of an arm. Until then both sides are alike, and a round with n pulls out of N leads to n + 1 with a probability
that means in [0, n/(n+1)] and [0, (N-n)/(N-n+1)] bound from both sides. B_N(n) lets the adversary choose those
probabilities, and m as well, at any time: B_N(n) is the largest a max(B_{N+1}(n+1), V_{N+1}(n+1)) + (1-a) B_{N+1}(n),
linear in a, so largest at an end of a's range. At n = last, the value of the game with unbounded thresholds stands for
all later starts: there, V falls with n, and she may waste rounds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from dpbandits.extensions.thompson.best_coins import CompiledRows, rows_by_size
from dpbandits.extensions.thompson.grids import Grid, Kept, Readings, at_stored_ratios, readings, stored_ratios_slice
from dpbandits.extensions.thompson.moments import Moments, rounds_at, totals_sharing_coins
from dpbandits.extensions.thompson.potential import are_growing, last_counts
from dpbandits.extensions.thompson.pull_levels import Level, bounds_before_round, joined_outcomes, renew_coins
from dpbandits.extensions.thompson.rival_thresholds import chances_above
from dpbandits.extensions.thompson.rules import RoundLimits, Sampler, two_arms
from dpbandits.proofs_checks.compiled_cache import cached_kernel
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

COMPILED_WAITS = 1e7  # values of all rounds; with fewer, compiling takes longer than it saves
WAITING_ROUNDING = 1e-12  # relative, of one round: of a, 1 - a, and three operations
RATIO_COIN_SPAN = 1.03  # rounds that share their coins lie within this factor
# Of long runs, polygons are so many times wider beyond this share of the pull counts, where little is told
FAR_WIDTH, FINE_COUNTS_SHARE = 4.0, 0.4


class Layer(NamedTuple):
    """The bounds after `total` pulls. game: by pull count, below `last`. edge: g at `last` and larger counts, at the
    grid's ratios. levels: the present choices, by pull count. table: the values of `game` as one array, where they are
    known as one."""

    total: int
    last: int
    game: dict[int, Kept]
    edge: Array
    levels: dict[int, Level]
    table: Array | None = None


def layers(sampler: Sampler, higher: str, grid: Grid, levels: int, width: float, rare: Moments) -> Iterator[Layer]:
    """Yields the bounds at all pull counts, one layer for each total of pulls, from the horizon down.
    In long runs, the content of a layer is overwritten when two more layers have been made, and is not filled in below
    the grid (`CompiledRows`)."""
    first, T, spare = sampler.first, sampler.horizon, sampler.fixed - sampler.prepulls
    lasts = last_counts(sampler, higher, levels).tolist()
    last = lasts[T]
    gain = Kept(grid.padded(np.maximum(-el.expm1(-grid.ratios), 0.0)), 0.0)  # (P - Q)_+ at P = 1
    every = lru_cache(maxsize=1)(partial(rounds_at, sampler, np.arange(first, last, dtype=np.float64)))
    rules = {n: partial(of_count, every, n - first) for n in range(first, last)}
    given = sampler.arms not in (None, 2)
    pulls = np.arange(first, last)[:, None]
    begin = first + FINE_COUNTS_SHARE * (last - first) if are_growing(sampler, higher) else last
    wide = {n: width * (FAR_WIDTH if n >= begin else 1.0) for n in rules}
    counts = {n: Level(rules[n], T, higher, wide[n], grid) for n in rules}
    layer = Layer(T, last, dict.fromkeys(range(first, last), gain), rare_values(rare, T, grid), counts)
    reached = rows_by_size(sampler.rounds * levels * grid.size, grid.digits)
    yield layer
    for top, totals in totals_sharing_coins(sampler, RATIO_COIN_SPAN):
        renew_coins(list(counts.values()), top, partial(chances_above, sampler, pulls, totals) if given else None)
        dealt = joined_outcomes(list(counts.values())) if counts else None
        for total in totals:
            most = min(lasts[total] - 1, total - spare)
            some = range(first, most + 1)  # the edge counts where it stands next to these
            kept = [*layer.game.values(), Kept(grid.padded(layer.edge), 0.0)][: len(some) + 1]
            earlier = bounds_before_round(list(counts.values())[: len(some)], total, kept, reached, dealt)
            game = dict(zip(some, earlier, strict=True))
            table = reached.together(len(game)) if isinstance(reached, CompiledRows) and game else None
            layer = Layer(total, lasts[total], game, rare_values(rare, total, grid), counts, table)
            yield layer


def of_count(rules: Callable[[int], RoundLimits], row: int, total: int) -> RoundLimits:
    """The limits on the coins of a round at one of several pull counts, after `total` pulls in all.
    rules: returns the limits at all of these counts. row: the index of the count."""
    return RoundLimits(*(part[row : row + 1] for part in rules(total)))


class Curves(NamedTuple):
    """Upper bounds on delta at the `stored_eps` of a grid, by relation of the neighbours."""

    pull: Array
    round: Array


def ratios(sampler: Sampler, higher: str, grid: Grid, levels: int, width: float, rare: Moments) -> Curves:
    """Returns the upper bounds on delta(eps) at the start of the game, for both relations.

    levels: how many pull counts have values on the grid; from there on `rare`, with watched = first + levels, counts.
    width: of the polygons, see `coins.thresholds`.
    """
    first = sampler.first
    played_layers = layers(sampler, higher, grid, levels, width, rare)
    layer = next(played_layers)
    if sampler.arms is None:
        start = at_stored_ratios(grid, [deque(chain([layer], played_layers), maxlen=1).pop().game[first]])[0]
        return Curves(start, start)
    gain = at_stored_ratios(grid, [layer.game[first]])[0]  # no round is left: the same at every count
    largest, edge, spare = gain.copy(), gain, sampler.fixed - sampler.prepulls
    waiting = Waiting(sampler, layer.last, gain, grid.digits) if sampler.arms == 2 else None
    for layer in played_layers:
        begin, stride = stored_ratios_slice(grid)
        edge, kept = layer.edge[begin : grid.below + 1 : stride][::-1], list(layer.game.values())
        if waiting is not None and waiting.kernel is not None and layer.table is not None:
            waiting.read_and_step(layer, first, readings(grid, kept), edge, largest)
        else:
            found = at_stored_ratios(grid, kept, layer.table) if kept else gain[None]
            largest = np.maximum(largest, found.max(axis=0))
            if waiting is not None:
                waiting.step(layer.total, first, found[: len(kept)], edge, layer.last)
        if layer.total >= layer.last + spare:
            largest = np.maximum(largest, edge)
    if waiting is None:
        return Curves(largest, largest)
    if sampler.prepulls == 0:
        waiting.step(0, first, gain[:0, None], edge, layer.last)  # the first round reads no reward
    return Curves(waiting.bound_at_start(), largest)


def rare_values(rare: Moments, total: int, grid: Grid) -> Array:
    """The upper bound on delta by moments after `total` pulls, at the ratios of the grid."""
    return np.asarray(el.exp(rare.log_curve(rare.edge[total], -grid.ratios)))


class Waiting:
    """The bounds B_N(n) before the changed reward is read, for decreasing N, as values at P = 1 on a grid of ratios.
    last: where the game's own values end. digits: the number type of the values."""

    def __init__(self, sampler: Sampler, last: int, final: Array, digits: str = "float64") -> None:
        """Starts at the end of the run. last: the pull count from which on `final`, (ratios,), bounds all values."""
        self.sampler, self.pulls = sampler, np.arange(sampler.prepulls, last, dtype=np.float64)
        self.values = np.tile(final, (self.pulls.size + 1, 1))
        self.started = self.values.copy()  # the largest of B and V, one round later
        self.kernel: Any = wait_kernel(digits) if self.values.size * sampler.rounds >= COMPILED_WAITS else None

    def chances(self, total: int, last: int) -> tuple[Array, Array]:
        """Bounds (least, most) on the probability that an arm is pulled, for each of its pull counts before `last`."""
        rules = two_arms(self.sampler, self.pulls[: last - self.sampler.prepulls], total)
        return ndtr(-rules.high), ndtr(rules.low)

    def step(self, total: int, begin: int, game: Array, edge: Array, last: int) -> None:
        """Replaces the bounds after a round by the bounds before it, for runs that have not read the changed reward.
        game: V_total(n) for n from `begin` on, (counts, ratios). edge: the bound from `last` on, (ratios,)."""
        least, most = (each[:, None] for each in self.chances(total, last))
        beyond = len(least)  # what stands there is known
        values, pulled, place = self.values[:beyond], self.started[1 : beyond + 1], begin - self.sampler.prepulls
        best = np.maximum(least * pulled + (1 - least) * values, most * pulled + (1 - most) * values)
        values[:] = self.started[:beyond] = best * (1 + WAITING_ROUNDING)
        some = self.started[place : min(place + len(game), beyond)]
        np.maximum(some, game[: len(some)], out=some)
        self.values[beyond:] = self.started[beyond:] = edge

    def read_and_step(self, layer: Layer, begin: int, read: Readings, edge: Array, largest: Array) -> None:
        """Plays one round like `step`, by compiled code that reads values from a layer's table.
        largest: (ratios,), raised to the largest of these values."""
        chances = self.chances(layer.total, layer.last)
        beyond = chances[0].size
        place = begin - self.sampler.prepulls
        self.kernel(layer.table, *read, *chances, self.values[:beyond], self.started[: beyond + 1], place, largest)
        self.values[beyond:] = self.started[beyond:] = edge

    def bound_at_start(self) -> Array:
        """The upper bound on delta at the start of the run, for every likelihood ratio of the grid, (ratios,)."""
        return np.asarray(self.started[0])


@lru_cache(maxsize=2)
def wait_kernel(digits: str = "float64") -> Any:
    """Returns a function compiled by numba that plays a round for `Waiting`, row by row; None without numba.
    It goes row by row, because readings are not stored. digits: the type of the table."""

    @cached_kernel(
        f"void({digits}[:,::1],int64,int64,float64[:],float64[:],float64[:],float64[:],float64[:,::1],float64[:,::1],"
        "int64,float64[::1])"
    )
    def kernel(table, first, stride, high, rounded, least, most, values, started, place, largest):  # type: ignore[no-untyped-def]
        """Computes one round of `Waiting` in place, and raises `largest` to the values read from the table."""
        one, many, apart = np.uint64(1), largest.size, np.uint64(stride)
        for row in range(values.shape[0]):  # a row needs nothing of those before it
            low, top, pulled, here, best = least[row], most[row], started[row + 1], values[row], started[row]
            for i in range(many):
                lowest = low * pulled[i] + (1 - low) * here[i]
                highest = top * pulled[i] + (1 - top) * here[i]
                here[i] = (lowest if lowest > highest else highest) * (1 + WAITING_ROUNDING)
                best[i] = here[i]
            if place <= row < place + table.shape[0]:
                known = row - place
                game, shares = table[known, first - 1 :], (1 - high[known], high[known])
                for i in range(many):
                    at, ratio = np.uint64(i) * apart, np.uint64(many - 1 - i)
                    value = (game[at] * shares[0] + game[at + one] * shares[1]) * rounded[known]
                    best[ratio] = value if value > best[ratio] else best[ratio]
                    largest[ratio] = value if value > largest[ratio] else largest[ratio]

    return kernel
