"""Whether a bound obeys the rules: the same recursion, at sampled states, in 30 digits and by other formulas.

`ratios` rests on one inequality per state: the kept value is at least the best over the coins of a round, with chords
between the grid's points. Here the coins are points of the curve itself, which the bound's polygon must enclose; the
chord comes from the two equations "P stays, Q stays" instead of a kernel; all is done with mpmath, and the rules of the
round are written out once more. An implementation that is wrong in any of this is noticed where states are sampled;
that the inequality makes a bound is the business of docs/explanation/threshold_game.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import mpmath
import numpy as np

from dpbandits.extensions.thompson.grids import Grid, Kept, without_padding
from dpbandits.extensions.thompson.moments import Moments
from dpbandits.extensions.thompson.ratios import Layer, layers
from dpbandits.extensions.thompson.rules import Sampler

CHECK_DIGITS = 30
CHECKED_THRESHOLDS = np.arange(-7.0, 8.1, 0.375)  # thresholds on the curve: others than those of the bound's tangents


class Excess(NamedTuple):
    """The worst state that was looked at. excess: the best coin's value over the kept one, minus 1."""

    excess: float
    total: int
    pulls: int
    ratio: float
    states: int


def worst_excess(
    sampler: Sampler, higher: str, grid: Grid, levels: int, width: float, rare: Moments, every: int, points: int
) -> Excess:
    """The largest excess over every `every`-th total, the first, middle and last pull count, `points` ratios.

    It must not be positive. The last count on the grid is left out: the next one's values are the least of several
    powers, which is a bound, but not convex; so its round need not be largest at a corner, only the true one is.
    """
    worst, seen = Excess(-np.inf, 0, 0, 0.0, 0), 0
    before: Layer | None = None
    for layer in layers(sampler, higher, grid, levels, width, rare):
        if before is not None and layer.total % every == 0:
            counts = sorted(n for n in layer.game if n + 1 in before.game)
            for n in sorted({counts[0], counts[len(counts) // 2], counts[-1]}) if counts else ():
                for i in np.linspace(0, grid.below, points).astype(int).tolist():
                    values, offset = layer.game[n]
                    kept, ratio = float(without_padding(grid, values)[i]), float(grid.ratios[i]) + offset
                    best = best_coin(sampler, higher, grid, layer.total, n, ratio, before.game[n], before.game[n + 1])
                    excess = float(best / mpmath.mpf(kept)) - 1 if kept > 0 else float(best > 0)
                    seen += 1
                    if excess > worst.excess:
                        worst = Excess(excess, layer.total, n, ratio, seen)
        before = layer
    return worst._replace(states=seen)


def best_coin(sampler: Sampler, higher: str, grid: Grid, total: int, n: int, at: float, same: Kept, more: Kept) -> Any:
    """The largest value over coins of this round that the rules allow, from the ratio `at`. For a given number of arms
    above two, over mixtures of coins whose thresholds are as high, as often, as the best of the others' samples may be:
    each of CHECKED_THRESHOLDS stands for what lies up to the next one."""
    with mpmath.workdps(CHECK_DIGITS):
        c, ndtr = mpmath.mpf(sampler.variance), mpmath.ncdf
        xs = [mpmath.mpf(float(x)) for x in CHECKED_THRESHOLDS]
        if sampler.arms == 2:
            other = total - n
            spread = mpmath.sqrt(c / (n + 1) + c / (other + 1))
            shift = 1 / ((n + 1) * spread)
            top, bottom = (mpmath.mpf(other) / (other + 1)) / spread, (mpmath.mpf(n) / (n + 1)) / spread
            xs = [shift - bottom, *(x for x in xs if shift - bottom < x < top), top]
        else:
            shift = 1 / mpmath.sqrt(c * (n + 1))
        coins = [(ndtr(-x), ndtr(x), ndtr(shift - x), ndtr(x - shift)) for x in xs]
        if higher == "left":
            coins = [(q, tails_q, p, tails_p) for p, tails_p, q, tails_q in coins]
        ratio = mpmath.mpf(at)
        worth = [
            p * chord(grid, more, ratio + mpmath.log(p / q)) + tails_p * chord(grid, same, ratio + mpmath.log(a))
            for p, tails_p, q, tails_q in coins
            for a in (tails_p / tails_q,)
        ]
        if sampler.arms in (None, 2):
            return max(worth)
        so_far = [max(worth[: place + 1]) for place in range(len(worth))]
        levels = [x * mpmath.sqrt(c / (n + 1)) for x in xs[1:]]
        return max(
            sum((many - few) * best for few, many, best in zip([0, *below], [*below, 1], so_far, strict=True))
            for below in ([chance_below(sampler, split, m) for m in levels] for split in splits(sampler, total - n))
        )


def splits(sampler: Sampler, pulls: int) -> Iterator[tuple[int, ...]]:
    """How the other arms may have shared so many pulls, each in one order."""
    counts = product(range(sampler.prepulls, pulls + 1), repeat=(sampler.arms or 2) - 1)
    return (split for split in counts if sum(split) == pulls and list(split) == sorted(split))


def chance_below(sampler: Sampler, split: tuple[int, ...], level: Any) -> Any:
    """The least chance that the best sample of other arms with these pulls is at most `level`."""
    return mpmath.fprod(
        mpmath.ncdf((level - mpmath.mpf(k) / (k + 1)) * mpmath.sqrt((k + 1) / mpmath.mpf(sampler.variance)))
        for k in split
    )


def chord(grid: Grid, kept: Kept, at: Any) -> Any:
    """The chord of g at any ratio: the masses 1 and exp(-ratio) split over the two grid points around it."""
    step, ratio = mpmath.mpf(grid.step), at - mpmath.mpf(kept.offset)
    place = int(mpmath.floor(ratio / step)) + grid.below
    if place < 0:
        return mpmath.mpf(float(without_padding(grid, kept.values)[0]))
    if place + 1 >= grid.size:
        return mpmath.mpf(1)
    low, high = (mpmath.exp(-step * (place + k - grid.below)) for k in (0, 1))
    share = (low - mpmath.exp(-ratio)) / (low - high)
    values = without_padding(grid, kept.values)
    return (1 - share) * mpmath.mpf(float(values[place])) + share * mpmath.mpf(float(values[place + 1]))
