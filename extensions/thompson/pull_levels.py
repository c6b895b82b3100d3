"""Computes one round of the threshold game on a grid of likelihood ratios, for every pull count. It gives how the
values of the game change if the arm is pulled and if it is not.

`ratios` explains how the game begins and ends, which pull counts there are, and why the arithmetic of a round preserves
upper bounds. COIN_ROUNDING covers the rounding of losses and masses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from dpbandits.extensions.thompson.best_coins import (
    LEAST_SINGLE,
    NO_WEIGHTS,
    CompiledRows,
    ReachedRows,
    Taps,
    in_single_precision,
    reached_rows,
)
from dpbandits.extensions.thompson.coins import (
    DENSE_THRESHOLD_RANGE,
    MAX_TANGENT_GAP,
    THRESHOLD_RANGE,
    Coins,
    around_each,
    tangents_of_each,
)
from dpbandits.extensions.thompson.grids import Grid, Kept, without_padding
from dpbandits.extensions.thompson.potential import LONG_RUN_ROUNDS
from dpbandits.extensions.thompson.rival_thresholds import weighed_polygons
from dpbandits.extensions.thompson.rules import RoundLimits
from dpbandits.proofs_checks.compiled_cache import cached_kernel
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

COIN_ROUNDING = 1e-10  # the losses of coins are good to 1e-12, and their masses to 1e-13, relatively
LOOK_INTERVAL_ROUNDS = 8  # so often, in rounds, a count looks at what is played; in long runs
MAX_COMPILED_STEP = 0.5  # of a grid
MAX_LOOKS = 128  # times, about


class Tangents(NamedTuple):
    """Where tangents are drawn. Around the thresholds that are played, up to `margin` beyond them, their distance is
    the share `width` of the requested one. spread, widest: of `tangents_of_each`. most_left: where more than this
    share of delta is left, the play is ignored, because nearly all coins are then as good as the best one."""

    margin: float
    width: float
    spread: float
    widest: float
    most_left: float


SHORT_RUN_TANGENTS = Tangents(0.3, 1.0, 3.0, MAX_TANGENT_GAP, 1.0)
LONG_RUN_TANGENTS = Tangents(0.1, 0.5, 1.2, 3.0, 0.3)


class Outcomes(NamedTuple):
    """The outcomes of a round's coins, a pull and no pull: losses and masses on the left side, (2, coins); thresholds
    that have about their chance of a pull, (coins,); and weights, of `Taps`."""

    losses: Array
    masses: Array
    at: Array
    weights: Array = NO_WEIGHTS


def outcomes(coins: Coins, higher: str) -> Outcomes:
    """Returns the loss and the mass of a pull and of no pull for each coin, and the coin's threshold.
    A coin is a pair of pull probabilities. Masses are rounded up. higher: "right" or "left", the side where the changed
    arm pays more."""
    p, tails_p, q, tails_q = coins if higher == "right" else (coins.q, coins.tails_q, coins.p, coins.tails_p)
    left, right = np.stack([p, tails_p]), np.stack([q, tails_q])
    with np.errstate(divide="ignore"):
        losses = el.log(left) - el.log(right) + COIN_ROUNDING
    at = np.clip(-ndtri(np.clip(coins.p, 0.0, 1.0)), *THRESHOLD_RANGE)
    return Outcomes(losses, left * (1 + COIN_ROUNDING), at)


def shifted_rows(outcomes_of_coins: Outcomes, grid: Grid, here: Any, with_pull: Any, without_pull: Any) -> Taps:
    """Returns the shifts and weights by which each coin's outcomes map the next round's values to this round's.
    here, with_pull, without_pull: the offsets of the ratios of this round, and one round later at n + 1 and at n pulls;
    numbers, or one for each coin."""
    cells = (
        outcomes_of_coins.losses + np.stack([np.atleast_1d(here - with_pull), np.atleast_1d(here - without_pull)])
    ) / grid.step
    np.minimum(np.maximum(cells, -grid.size, out=cells), grid.size, out=cells)
    below = np.floor(cells)
    # P and Q stay: 1 = w + w', exp(-x) = w + w' exp(-step) for the part x of the loss above the lower point.
    high = el.expm1((below - cells) * grid.step) / el.expm1(-grid.step)
    kernels = outcomes_of_coins.masses[..., None] * np.stack([1 - high, high], axis=-1)
    kernels = in_single_precision(kernels) if grid.single else kernels
    return Taps(below.astype(np.int64) + grid.size, kernels, outcomes_of_coins.weights)


class Level:
    """One pull count of the changed arm, followed from round to round: its coins, where their tangents are close, and
    how the ratios of its values are shifted.

    These choices decide how sharp the bound is, not whether it is valid. Without a pull, a threshold changes the ratio
    by the same small amount in every round, and a chord each time would make the bound much weaker. So the ratios at
    which values are stored are shifted as under the threshold that is played. Tangents are close to this threshold,
    too. The play is read off at ratios whose value is what should be left of the grid's goals at this time. outcomes:
    of the coins that `renew_coins` has given it.
    """

    outcomes: Outcomes

    def __init__(
        self,
        rules: Callable[[int], RoundLimits],
        horizon: int,
        higher: str,
        width: float,
        grid: Grid,
    ) -> None:
        """Prepares the coins and outcomes of the rounds at one pull count of the changed arm.
        rules: the limits of a round at this pull count, as a function of the total number of pulls."""
        self.rules, self.horizon, self.higher, self.grid = rules, horizon, higher, grid
        self.tangents = LONG_RUN_TANGENTS if horizon > LONG_RUN_ROUNDS else SHORT_RUN_TANGENTS
        self.width = width * self.tangents.width
        self.lowest = grid.below  # no ratio below 1 is worth anything yet
        self.near, self.drift = DENSE_THRESHOLD_RANGE, 0.0


def renew_coins(levels: Sequence[Level], top: int, above: Callable[[Array], Array] | None = None) -> None:
    """Gives these pull counts new coins, which are valid for all totals of pulls up to `top`.
    above: the chances of a threshold above each of these, at the pull counts of the levels, for the totals that share
    the coins: from (levels, thresholds) to (laws, levels, thresholds). None if any threshold may be played in every
    round."""
    if levels:
        rules, near = [each.rules(top) for each in levels], [each.near for each in levels]
        drawn, width = levels[0].tangents, np.array([each.width for each in levels])
        polygons, weights = around_each(rules, width, near, drawn.spread, drawn.widest), [NO_WEIGHTS] * len(levels)
        if above is not None:
            shifts = np.concatenate([each.shift for each in rules])
            tangents = tangents_of_each(width, shifts, np.array(near), drawn.spread, drawn.widest)
            polygons, weights = weighed_polygons(polygons, *tangents, above)
        every = outcomes(Coins(*(np.concatenate(parts) for parts in zip(*polygons, strict=True))), levels[0].higher)
        stop = 0
        for level, coins, some in zip(levels, polygons, weights, strict=True):
            start, stop = stop, stop + coins.p.size
            losses, masses, at, _ = every
            level.outcomes = Outcomes(losses[:, start:stop], masses[:, start:stop], at[start:stop], some)


def joined_outcomes(levels: Sequence[Level]) -> tuple[Outcomes, Ints]:
    """Joins the outcomes of the coins of all pull counts in one array.
    Returns the array and, for each pull count, the index at which its outcomes end."""
    parts = zip(*(level.outcomes for level in levels), strict=True)
    every = Outcomes(*(np.concatenate(part, axis=-1) for part in parts))
    return every, np.cumsum([level.outcomes.at.size for level in levels])


def shifts_on_one_grid(
    grid: Grid,
    outcomes_of_coins: Outcomes,
    stops: Ints,
    here: Sequence[float],
    bounds: Sequence[Kept],
    kernel: Any = None,
) -> Taps:
    """Returns the shifts and weights of the coins of several pull counts, on one grid of likelihood ratios.
    All counts are computed in one operation, because each has few coins. here: the offsets of the ratios of each count.
    kernel: of `shifted_rows_kernel`."""
    there = np.array([each.offset for each in bounds])
    if kernel is None:
        sizes = np.diff(stops, prepend=0)
        return shifted_rows(
            outcomes_of_coins, grid, *(np.repeat(each, sizes) for each in (here, there[1:], there[:-1]))
        )
    moves, many = np.stack([here - there[1:], here - there[:-1]]), outcomes_of_coins.at.size
    found = Taps(
        np.empty((2, many), dtype=np.int64), np.empty((2, many, 2), dtype=grid.digits), outcomes_of_coins.weights
    )
    whole = float(el.expm1(-grid.step))
    kernel(outcomes_of_coins.losses, outcomes_of_coins.masses, stops, moves, grid.step, grid.size, whole, *found[:2])
    return found


@lru_cache(maxsize=2)
def shifted_rows_kernel(digits: str = "float64") -> Any:
    """Returns a compiled function that computes `shifted_rows` for many pull counts.
    It writes the results into its last two arguments. None if numba is not installed.

    digits: the type of the weights. The steps are those of `elementary.expm1`, for numbers from -MAX_COMPILED_STEP to
    0.
    """
    (high_of, low_of), (high_step, low_step, turns) = el.powers_of_two(), el.step_of_exp()
    to_whole, mask, least = el.TO_WHOLE, el.SIZE - 1, LEAST_SINGLE
    fourth, (sixth, half), single = el.FOURTH, el.SERIES_OF_EXP, digits == "float32"

    @cached_kernel(
        f"void(float64[:,:],float64[:,:],int64[:],float64[:,:],float64,int64,float64,int64[:,::1],{digits}[:,:,::1])"
    )
    def kernel(losses, masses, stops, moves, step, size, whole, places, kernels):  # type: ignore[no-untyped-def]
        """Computes the shifts and weights of all coins, and writes them into `places` and `kernels`."""
        bits = kernels.view(np.int32)
        for side in range(2):
            for row in range(stops.size):
                for coin in range(stops[row - 1] if row else 0, stops[row]):
                    cell = min(max((losses[side, coin] + moves[side, row]) / step, -size), size)
                    below = np.floor(cell)
                    x = (below - cell) * step
                    nearest = (x * turns + to_whole) - to_whole
                    rest = (x - nearest * high_step) - nearest * low_step
                    grown = (((rest * fourth + sixth) * rest + half) * rest) * rest + rest
                    index = int(nearest)
                    high, low, power = high_of[index & mask], low_of[index & mask], 0.5 if index < 0 else 1.0
                    share = ((power * high - 1) + (grown * high + low) * power) / whole
                    places[side, coin] = int(below) + size
                    for k in range(2):
                        weight = masses[side, coin] * (share if k else 1 - share)
                        weight = max(weight, least) if single else weight
                        kernels[side, coin, k] = weight
                        if single and kernels[side, coin, k] < weight:
                            bits[side, coin, k] += 1  # the next number, of those above 0

    return kernel


def move_tangents(levels: Sequence[Level], total: int, bounds: Sequence[Kept], every: Outcomes, stops: Ints) -> None:
    """Finds the optimal coins of a round, and moves the tangents and ratios of each pull count near them.
    The play is that at the ratios whose value is what should be left of the grid's goals. From then on, each pull count
    draws its tangents close to this play and shifts its ratios accordingly. every, stops: as of `joined_outcomes`."""
    grid, drawn = levels[0].grid, levels[0].tangents
    still = shifts_on_one_grid(grid, every, stops, [now.offset for now in bounds[:-1]], bounds)
    left = np.minimum(el.power(np.array(grid.goals), 1 - total / levels[0].horizon), drawn.most_left)
    starts = np.array([np.searchsorted(without_padding(grid, now.values), left) for now in bounds[:-1]])
    # Pulled or not, the lower point or the upper one, coins, goals; below the grid stands what stands at its end.
    places = still.places[:, None, :, None] + np.repeat(starts, np.diff(stops, prepend=0), axis=0) + [[[[0]], [[1]]]]
    places, kernels, best = (
        np.maximum(places, grid.size),
        still.kernels.swapaxes(1, 2)[..., None],
        np.empty_like(starts),
    )
    for row, (begin, stop) in enumerate(pairwise([0, *stops.tolist()])):
        some = np.s_[:, begin:stop]
        more, same = (bounds[row + 1 - k].values[places[k][some]] * kernels[k][some] for k in (0, 1))
        best[row] = begin + (more[0] + more[1] + same[0] + same[1]).argmax(axis=0)
    played, drifts = every.at[best], every.losses[1, best[:, grid.goal]]
    drifts[~np.isfinite(drifts)] = 0.0  # a coin beyond the last threshold may tell all
    near = np.stack([played.min(axis=1) - drawn.margin, played.max(axis=1) + drawn.margin], axis=1)
    for level, each, drift in zip(levels, near.tolist(), drifts.tolist(), strict=True):
        level.near, level.drift = (each[0], each[1]), drift


def bounds_before_round(
    levels: Sequence[Level],
    total: int,
    kept: Sequence[Kept],
    reached: ReachedRows = reached_rows,
    dealt: tuple[Outcomes, Ints] | None = None,
) -> list[Kept]:
    """Returns the bounds before a round at several pull counts, computed from the bounds after the round.
    They are computed from the bounds at these counts and the next one. dealt: the result of `joined_outcomes` for these
    levels, perhaps with more levels after them."""
    if not levels:
        return []
    grid = levels[0].grid
    every, stops = dealt or joined_outcomes(levels)
    stops = stops[: len(levels)]
    every = Outcomes(*(part[..., : stops[-1]] for part in every))
    if total % max(LOOK_INTERVAL_ROUNDS, levels[0].horizon // MAX_LOOKS) == 0:
        move_tangents(levels, total, kept, every, stops)
    there, drifts = ([each.offset for each in kept[:-1]], [level.drift for level in levels])
    offsets = ((np.array(there) - np.array(drifts)) % grid.step).tolist()
    kernel = (
        shifted_rows_kernel(grid.digits)
        if isinstance(reached, CompiledRows) and grid.step < MAX_COMPILED_STEP
        else None
    )
    moved, lowest = shifts_on_one_grid(grid, every, stops, offsets, kept, kernel), [level.lowest for level in levels]
    found, lowest = reached(moved, stops, [each.values for each in kept], grid.size, grid.floor, lowest)
    for level, begin in zip(levels, lowest, strict=True):
        level.lowest = begin
    return [Kept(values, offset) for values, offset in zip(found, offsets, strict=True)]
