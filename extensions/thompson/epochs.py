"""An upper bound on the privacy curve delta(eps) of the policy DP-TS-UCB (hu25), computed from a threshold game, for
runs in which the budget of samples is never used up.

A mean is made of the n = 2^r observations of one epoch, and serves while the arm is pulled 2n times; then it is
dropped. So the changed reward moves one mean, by |d|/n <= 1/n, which is s = 1/sqrt(v n) in units of a sample's
deviation sqrt(v/n), v = ln^alpha T; each round in which that mean serves is a coin with this shift; and the 2n-th pull
ends the game. Where floor(phi) >= T - K every score is a fresh draw, given the released history, as the game wants it
(docs/explanation/threshold_game.md, section 6). With V_N(k) the value after N steps, k pulls of the arm in this epoch,

    V_T = (P - Q)_+,    V_N(2n) = (P - Q)_+,    V_N(k) = sup_x V_{N+1}(k+1; pP, qQ) + V_{N+1}(k; (1-p)P, (1-q)Q).

The mean of epoch r is first used after K + 2 + 4 + ... + 2^r pulls, with T - K - 2n + 2 rounds to go at most.
delta(eps) is at most the largest V over r, over the rounds to go, and over both sides of the change; under either
relation. With two arms, N and k say how often the other one was pulled, hence of how many observations n' its mean is
made. D^2 = v/n + v/n' is the variance of what is compared, 1/(nD) the shift, and both means lie in [0, 1], so at most
1/D apart. All this grows with n', hence with N: the coins of a later round serve for earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import inf
from typing import NamedTuple

import numpy as np

from dpbandits.extensions.thompson.attack import CLEAN, Attack, Losses, negligible_mass
from dpbandits.extensions.thompson.best_coins import rows_by_size
from dpbandits.extensions.thompson.bound import POLYGON_WIDTH, TARGETS, Upper, one_sided, ratio_grid
from dpbandits.extensions.thompson.grids import Grid, Kept, at_stored_ratios, stored_eps
from dpbandits.extensions.thompson.initial_tables import local_maximum
from dpbandits.extensions.thompson.moments import (
    MOMENT_ORDERS,
    POWER_ROUNDING,
    THRESHOLDS,
    Moments,
    moment_factors,
    moments_before_round,
)
from dpbandits.extensions.thompson.pull_levels import Level, bounds_before_round, renew_coins
from dpbandits.extensions.thompson.rules import RoundLimits
from dpbandits.proofs_checks.exact.engine import LAW_ERROR
from dpbandits.proofs_checks.exact.privacy_profile import SortedAtoms
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

MAX_SERVED_PULLS = (
    2**7
)  # epochs whose mean serves for more pulls are bounded as Gaussians, which they hardly differ from
FIRST_GRID_COARSENING = 3.0  # so much coarser is a side's first grid
EPOCH_COIN_SPAN = 1.1  # rounds that share their coins lie within this factor, counted from either end
STAGES = 3  # of every side: by powers, on a coarse grid, on a fine one
FOLLOWED = 8  # epochs of the other arm whose means are looked for one by one
MEAN_RESOLUTION = 64  # means are multiples of 1/MEAN_RESOLUTION
COARSE_ATTACK_STEP, FINE_ATTACK_STEP = 0.2, 0.02  # the steps of an attack's losses, while searching and after


class Epochs(NamedTuple):
    """A DP-TS-UCB whose budget is never spent: floor(phi) >= T - K.

    horizon: T. variance: v = ln^alpha(T) > 0. arms: K >= 2, or None for any number of them.
    """

    horizon: int
    variance: float
    arms: int | None = None

    def rounds(self, epoch: int) -> int:
        """The largest number of rounds in which the mean of epoch number `epoch` is used."""
        return self.horizon - (self.arms or 2) - ((2 << epoch) - 2)

    def rule(self, epoch: int, pulls: int, total: int) -> RoundLimits:
        """Returns the limits on the coins (pairs of pull probabilities) of a round of an epoch.
        The round comes after `total` pulls in all and `pulls` pulls of the changed arm since the mean of this epoch
        came into use."""
        n = 2.0**epoch
        if self.arms != 2:
            return RoundLimits(*(np.array([x]) for x in (1 / np.sqrt(self.variance * n), np.inf, np.inf)))
        others = max(total - ((2 << epoch) - 1) - pulls, 1)  # no run has less of them
        apart = 1 / np.sqrt(self.variance / n + self.variance / 2.0 ** serving_epoch(np.array(others)))
        return RoundLimits(*(np.array([x]) for x in (apart / n, apart, apart)))


def epochs_curve(
    game: Epochs, smallest: float = 1e-9, fineness: float = 1.0, deltas: Iterable[float] | None = None
) -> Upper:
    """Returns a certified upper bound on delta(eps), valid under either relation.

    smallest: the delta down to which the curve should be sharp. fineness: as for `certified_curve`. deltas: the deltas
    at which the curve is made sharp; None means `smallest`, and the TARGETS above it. The directions of the change are
    named by epoch: in "right 0", the changed arm pays more on the right, and its mean has one observation. Raises
    ValueError for an invalid game.
    """
    T, v, arms = game
    if T < 3 or not 0 < v < np.inf or (arms is not None and not 2 <= arms <= T):
        raise ValueError(
            f"{game}: T must be at least 3, v positive and finite, and arms None or an integer from 2 to T"
        )
    if not (0 < smallest < 1 and 0 < fineness < inf):
        raise ValueError(
            f"smallest = {smallest}, fineness = {fineness}; smallest must lie strictly between 0 and 1, and "
            "fineness must be positive and finite"
        )
    bound = Upper(game, "pull", {}, {})
    epochs = [r for r in range(T.bit_length()) if game.rounds(r) >= 1]
    if not epochs:  # all pulls are the first ones of their arms
        bound.powers["right 0"] = Moments(
            MOMENT_ORDERS, np.zeros(MOMENT_ORDERS.size), np.zeros((1, MOMENT_ORDERS.size))
        )
        bound.curves["right 0"] = (np.array([0.0, 1.0]), np.zeros(2))
        return bound
    bound.powers |= {f"{side} {epoch}": gaussian(game, epoch) for epoch in epochs for side in ("right", "left")}
    sharpened = dict.fromkeys(bound.powers, 0)
    asked = [*(delta for delta in TARGETS if delta > smallest), smallest] if deltas is None else list(deltas)
    known: dict[tuple[str, int, float], float] = {}
    while name := next_side_to_sharpen(bound, sharpened, asked, known):
        side, epoch, stage = name.split()[0], int(name.split()[1]), sharpened[name]
        if stage == 0:
            bound.powers[name] = epoch_moments(game, epoch, side)
        else:
            coarser = FIRST_GRID_COARSENING if stage == 1 else 1.0
            grid = ratio_grid(bound, name, smallest, fineness / coarser)
            values = epoch_bounds_on_grid(game, epoch, side, grid, POLYGON_WIDTH * coarser / fineness)
            bound.curves[name] = (stored_eps(grid), values)
        sharpened[name] += 1
    return bound


def next_side_to_sharpen(
    bound: Upper, sharpened: Mapping[str, int], deltas: Sequence[float], known: dict[tuple[str, int, float], float]
) -> str:
    """Returns the side that determines the bound at one of these deltas and can still be computed more sharply.
    known: the eps of each side at each delta, by the number of refinements; this dict is extended."""
    for delta in deltas:
        for name, stage in sharpened.items():
            if (name, stage, delta) not in known:
                known[name, stage, delta] = one_sided(bound, name, delta)
        eps = {name: known[name, stage, delta] for name, stage in sharpened.items()}
        name = max(eps, key=lambda one: eps[one])
        if eps[name] > 0 and sharpened[name] < STAGES and 2 << int(name.split()[1]) <= MAX_SERVED_PULLS:
            return name
    return ""


def gaussian(game: Epochs, epoch: int) -> Moments:
    """Returns the bound for one epoch by composition: all samples together are mu-GDP with mu^2 = rounds/(v n)."""
    square = game.rounds(epoch) / (game.variance * 2.0**epoch)
    return Moments(
        MOMENT_ORDERS,
        MOMENT_ORDERS * (MOMENT_ORDERS - 1) * square / 2 * (1 + POWER_ROUNDING),
        np.zeros((1, MOMENT_ORDERS.size)),
    )


def epoch_moments(game: Epochs, epoch: int, higher: str) -> Moments:
    """Returns the bound for one epoch by powers of the likelihood ratio (see `moments`), with unbounded thresholds."""
    shift = 1 / np.sqrt(game.variance * 2.0**epoch)
    orders = MOMENT_ORDERS[(MOMENT_ORDERS - 1) * shift <= min(-THRESHOLDS[0], THRESHOLDS[-1] - shift)]
    pulled, not_pulled = moment_factors(np.array([shift]), higher, orders, THRESHOLDS)
    value = np.ones(((2 << epoch), orders.size))
    best = np.ones(orders.size)
    for _ in range(game.rounds(epoch)):
        after = np.concatenate([value[1:], np.ones((1, orders.size))])
        value = moments_before_round(pulled, not_pulled, after, value)
        best = np.maximum(best, value[0])
    return Moments(orders, el.log(best), np.zeros((1, orders.size)))


def epoch_bounds_on_grid(game: Epochs, epoch: int, higher: str, grid: Grid, width: float) -> Array:
    """Returns upper bounds on delta for one epoch, at the eps of the stored curves.
    These are eps = -ratio for ratios of the grid."""
    T, most = game.horizon, (2 << epoch)
    gain = Kept(grid.padded(np.maximum(-el.expm1(-grid.ratios), 0.0)), 0.0)  # (P - Q)_+ at P = 1
    levels = [Level(partial(game.rule, epoch, k), T, higher, width, grid) for k in range(most)]
    values, best, top = [gain] * (most + 1), at_stored_ratios(grid, [gain])[0], inf
    reached = rows_by_size(float(game.rounds(epoch) * most * grid.size), grid.digits)
    for total in range(T - 1, T - 1 - game.rounds(epoch), -1):
        if (
            EPOCH_COIN_SPAN * total < top or EPOCH_COIN_SPAN * (T - top) < T - total
        ):  # new coins, with tangents close where they were played
            top = total
            renew_coins(levels, total)
        values = [*bounds_before_round(levels, total, values, reached), gain]
        best = np.maximum(best, at_stored_ratios(grid, values[:1])[0])
    return np.asarray(best)


# -- two arms, from below --------------------------------------------------------------------------------------------


class WorstMeans(NamedTuple):
    """Tables for two arms. Arm 0 pays own[e] in its epochs e < r = len(own), then nothing; on the other side its first
    reward of epoch r is 1. Arm 1 pays other[e] in its epochs e, the last of them forever. attack: the certified attack.
    """

    own: tuple[float, ...]
    other: tuple[float, ...]
    attack: Attack


def serving_epoch(pulls: Ints) -> Ints:
    """The number of the epoch whose mean is used after this many pulls >= 1 of an arm.
    Epoch e ends with pull 2^(e+1) - 1."""
    return np.asarray(el.whole_log2(pulls + 1.0), dtype=np.int64) - 1


def certified_attack(
    game: Epochs,
    own: Sequence[float],
    other: Sequence[float],
    step: float,
    reach: tuple[float, float] = (-12.0, 60.0),
    smallest: float = 1.0,
) -> Attack:
    """The certified attack on two arms with the tables of `WorstMeans`; computed as by `attack.attack`.

    own, other: multiples of 1/MEAN_RESOLUTION in [0, 1]. step: of the losses; reach: the range that is followed.
    smallest: as in `attack`. After the epoch that follows the changed one, both sides are equal.
    """
    T, v, _ = game
    changed = len(own)
    last = (4 << changed) - 1
    losses = Losses(step, reach, last + 1, negligible_mass(smallest))
    losses.start(1)
    pulls, theirs = np.arange(1, last), np.array(other)
    serving = serving_epoch(pulls)
    low = np.append(own, 0.0)[serving]
    high = low + (serving == changed) / 2.0**changed
    for total in range(2, T):
        rows = pulls[: total - 1]  # arm 1 was pulled at least once
        mine, rest = serving[: rows.size], serving_epoch(total - rows)
        mean = theirs[np.minimum(rest, theirs.size - 1)]
        deviation = np.sqrt(v / 2.0**mine + v / 2.0**rest)
        losses.move(rows, (low[: rows.size] - mean) / deviation, (high[: rows.size] - mean) / deviation)
        if total % CLEAN == 0:
            losses.clean()
    losses.clean()
    return Attack(SortedAtoms(losses.all()), T * (LAW_ERROR + 24 * UNIT_ROUNDOFF))


def worst_means(game: Epochs, epoch: int, delta: float, highest: float, proposals: int = 60) -> WorstMeans:
    """Searches for the reward tables with the strongest attack if a reward of this epoch changes; returns them.
    The search is deterministic.

    highest: an upper bound on the eps of interest.
    """
    reach = (-12.0, highest + 10.0)
    numbers = epoch + min(int(serving_epoch(np.array(game.horizon - 1))) + 1, FOLLOWED)

    def rounded(values: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Returns the means before the epoch and from the epoch on, rounded to multiples of 1/MEAN_RESOLUTION."""
        means = tuple(round(one * MEAN_RESOLUTION) / MEAN_RESOLUTION for one in values)
        return means[:epoch], means[epoch:]

    def value(values: Sequence[float]) -> float:
        """The certified eps of the attack on tables with these means, on a coarse grid."""
        return certified_attack(game, *rounded(values), COARSE_ATTACK_STEP, reach, delta).eps(delta)

    _, found, _ = local_maximum(value, [1.0] * numbers, [0.25] * numbers, [(0.0, 1.0)] * numbers, proposals)
    return WorstMeans(*rounded(found), certified_attack(game, *rounded(found), FINE_ATTACK_STEP, reach, delta))
