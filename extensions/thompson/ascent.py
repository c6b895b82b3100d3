"""Searches for two reward tables with two arms that Thompson sampling makes easy to distinguish, by gradient ascent in
all rewards. `track` computes the gradients.

This search certifies nothing; `attack` evaluates the tables that it finds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # whose submodules are imported where they are first used

from dpbandits.extensions.thompson.attack import Attack, attack
from dpbandits.extensions.thompson.initial_tables import SHORT_RUN_ROUNDS, TableShape, first_shapes, pair_of_shape
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.extensions.thompson.track import Orders, Track, fit_track
from dpbandits.reference.bandits.adjacency import Pair, flipped
from dpbandits.reference.bandits.noise import Array

# Tables are multiples of 1/TABLE_RESOLUTION: the last bits of an ascent, in which BLAS has a part, are no part of them.
TABLE_RESOLUTION = 2.0**12
INITIAL_ORDER = 0.35  # the order at which pull counts weigh before that is known
EXACT_REWARD_STEP = 1 / 1024  # rewards are multiples of it, so that their sums are exact
STAGES = 4  # so often, blocks and orders are chosen anew
STRIDE = 0.05  # the length of the first move, in units of the slope
MU_DELTAS, MU_STEPS = (0.1, 0.01), 12  # of the walks for mu
TINY, SOFTER = 1e-12, 0.6  # below TINY much cancels; a walk that asks about delta^SOFTER may lead to worse tables then


class Bad(NamedTuple):
    """Two reward tables that are easy to distinguish, with the certified attack on them, the shape with which the
    search began, and whether the tables come from the ascent: in short runs with few outcomes the initial tables may be
    better."""

    pair: Pair
    attack: Attack
    shape: TableShape
    uphill: bool


def worst_tables(sampler: Sampler, delta: float, levels: int, steps: int, highest: float) -> Bad:
    """Returns the reward tables with the strongest attack that a gradient ascent finds.
    The ascent starts at the best of the tables with `first_shapes`. For short runs, tables are compared by their
    certified eps. For long runs, they are compared by an approximation of eps; if the certified eps of the result is 0,
    the table with the largest certified eps is returned. highest: an upper bound on eps. The other arguments are those
    of `climb_tables`."""
    starts = [(pair_of_shape(sampler, shape), shape) for shape in first_shapes(sampler, delta)]

    def certified_attack(pair: Pair, approximate_eps_of_pair: float) -> Attack:
        """The certified attack that distinguishes this pair of tables, whose eps is known approximately."""
        # Losses are larger on the way, and beyond eps they count as well.
        return attack(sampler, pair, levels=levels, reach=(-12.0, 1.2 * approximate_eps_of_pair + 30.0), smallest=delta)

    if sampler.horizon > SHORT_RUN_ROUNDS:
        start, shape = max(starts, key=lambda each: approximate_eps(sampler, each[0], delta, levels))
        pair = climb_tables(sampler, start, delta, levels, steps)
        high = Bad(pair, certified_attack(pair, approximate_eps(sampler, pair, delta, levels)), shape, True)
        if high.attack.eps(delta) > 0:
            return high

    def eps(tables: Bad) -> float:
        """The certified eps at delta of the attack on the tables `tables`."""
        return tables.attack.eps(delta)

    began = max((Bad(pair, certified_attack(pair, highest), shape, False) for pair, shape in starts), key=eps)
    if sampler.horizon > SHORT_RUN_ROUNDS:
        return began
    found = []
    for asked in (delta, delta**SOFTER) if delta < TINY else (delta,):
        pair = climb_tables(sampler, began.pair, asked, levels, steps)
        found.append(Bad(pair, certified_attack(pair, highest), began.shape, True))
    return max((*found, began), key=eps)


def best_attack_in_mu(sampler: Sampler, bad: Bad, error: float, levels: int) -> Attack:
    """Returns the attack with the largest certified mu among tests whose errors are at least `error`.
    It is searched over the given tables and those that short walks from them find. A walk maximises eps at one of
    MU_DELTAS, in long runs at the first, because tests with a large mu are likely."""
    found = [bad.attack]
    for delta in MU_DELTAS if sampler.horizon <= SHORT_RUN_ROUNDS else MU_DELTAS[:1]:
        pair = climb_tables(sampler, bad.pair, delta, levels, MU_STEPS)
        largest = approximate_eps(sampler, pair, delta, levels)
        found.append(attack(sampler, pair, levels=levels, reach=(-12.0, 1.2 * largest + 30.0)))
    return max(found, key=lambda each: each.mu(error))


def approximate_eps(sampler: Sampler, pair: Pair, delta: float, levels: int) -> float:
    """An approximation of eps at delta; nothing is certified."""
    first, second = pair.left
    with np.errstate(all="ignore"):
        track = fit_track(sampler, delta, min(levels, sampler.horizon), first, second, INITIAL_ORDER)
        lead = track.lead(first, second)
        orders = track.orders(lead)
        return orders.eps(track.backward_pass(lead, orders.nodes)[0][0], delta)


def climb_tables(sampler: Sampler, pair: Pair, delta: float, levels: int, steps: int) -> Pair:
    """Returns the best tables on a gradient ascent (L-BFGS-B) that begins at a pair of tables.
    The first reward of the pair's arm 0 is changed from 0 to 1.

    levels: the largest number of pulls of arm 0 that are followed. steps: the number of tables that are tried.
    Deterministic.
    """
    levels = min(levels, sampler.horizon)
    first, second, order, left = pair.left[0].copy(), pair.left[1, : sampler.horizon].copy(), INITIAL_ORDER, steps
    with np.errstate(all="ignore"):  # what leaves the range of doubles is no better than the best
        for stage in range(STAGES):
            track = fit_track(sampler, delta, levels, first, second, order)
            alone = track.blocks.lengths.max() == 1  # no blocks to fit again
            share = left if alone else left // (STAGES - stage)
            orders, first, second, tried = gradient_ascent(track, first, second, share)
            order, left = orders.start, left - tried
            if alone or left <= 0:
                break
    rounded = [np.round(each / EXACT_REWARD_STEP) * EXACT_REWARD_STEP for each in (first, second)]
    return flipped("pull", np.stack([rounded[0][: sampler.horizon], rounded[1]]), 0, 0, 1.0)


def gradient_ascent(track: Track, first: Array, second: Array, steps: int) -> tuple[Orders, Array, Array, int]:
    """Runs one gradient ascent in the rewards of two tables, and returns the best tables that it found.
    Returns the orders that it used, the best two rows of rewards, and the number of tables that it tried."""
    levels, T = track.levels, track.sampler.horizon
    lengths = np.diff(np.append(track.pieces, T))
    start = np.concatenate([first[:levels], np.add.reduceat(second, track.pieces) / lengths])
    lead = track.lead(first, second)
    orders = track.without_negligible_nodes(lead, track.orders(lead))
    best: list[Any] = [-np.inf, first, second, 0]

    def value(rewards: Array) -> tuple[float, Array]:
        """Minus the approximate eps of tables with these rewards, and its gradient, for the minimiser.
        Both are multiplied by STRIDE."""
        own, other = first.copy(), np.repeat(rewards[levels:], lengths)
        own[:levels], own[0] = rewards[:levels], 0.0
        eps, slope = track.eps(track.lead(own, other), orders)
        if eps > best[0]:
            best[:3] = [eps, own, other]
        best[3] += 1
        mine, others = track.derivatives_by_reward(slope)
        mine[0] = 0.0
        return -STRIDE * eps, -STRIDE * np.concatenate([mine[:levels], np.add.reduceat(others[:T], track.pieces)])

    options = {"maxfun": steps, "maxiter": steps, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-9}
    scipy.optimize.minimize(value, start, jac=True, method="L-BFGS-B", bounds=[(0, 1)] * start.size, options=options)
    own, other = (np.rint(side * TABLE_RESOLUTION) / TABLE_RESOLUTION for side in best[1:3])
    return orders, own, other, best[3]
