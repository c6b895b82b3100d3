"""Searches for two reward tables that are easy to distinguish: for three or more arms, and for two arms if all
rewards of a round may change. The result is certified afterwards.

Relation "pull": the tables of `initial_tables`, with several copies of the second arm. Relation "round": arm 0 pays 0
or 1 in the first round, and a constant reward after it; the other arms pay one constant reward up to some round, and
another one after it. No result depends on the search: the pair that it finds is evaluated by `many_arm_attack`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dpbandits.extensions.thompson.attack import Attack
from dpbandits.extensions.thompson.initial_tables import (
    TableShape,
    followed_pulls,
    local_maximum,
    pair_of_shape,
    rounded_reward,
)
from dpbandits.extensions.thompson.many_arm_attack import many_arm_attack
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.reference.bandits.adjacency import Pair, flipped

MAX_ROUNDS_BY_ARMS = {2: 1000, 3: 100, 4: 30, 5: 15, 6: 10}  # rounds, by arms: their states are too many beyond
SWITCHED = 200  # rounds; beyond, the other arms pay the same all the time, because totals are states
RIVAL_PULL_FACTOR = 0.7  # of `initial_tables.followed_pulls`: every pull has states of its own here
COARSE_LOSS_STEP, FINE_LOSS_STEP = 0.3, 0.1  # the steps of the losses, while searching and after
LOWEST = -8.0  # no smaller loss is followed
LOSS_HEADROOM = 10.0  # nor one so much above the largest eps that is looked for
PULL_SEARCH_START = (0.3, 0.3, 0.15, 0.5, -0.2), (0.2, 0.3, 0.2, 0.4, 0.2), ((0, 1), (0, 1), (0, 1), (-4, 6), (-2, 2))
ROUND_SEARCH_START = (0.85, 0.5, 0.5, 0.5), (0.15, 0.25, 0.2, 0.2), ((0, 1), (0, 1), (0, 1), (0, 1))


class WorstCoins(NamedTuple):
    """A pair of tables, the certified attack on it, and the tables in words."""

    pair: Pair
    attack: Attack
    words: str


def followable(sampler: Sampler) -> bool:
    """Whether an attack on this many arms and rounds can be computed within minutes."""
    return not sampler.prepulls and sampler.horizon <= MAX_ROUNDS_BY_ARMS.get(sampler.arms or 2, 0)


def search_worst_coins(sampler: Sampler, relation: str, delta: float, highest: float, proposals: int) -> WorstCoins:
    """Returns the pair of tables with the strongest attack that a deterministic search finds, and this attack.
    highest: the search ignores any larger eps."""
    levels = min(sampler.horizon, followed_pulls(sampler.horizon, RIVAL_PULL_FACTOR))
    reach = (LOWEST, highest + LOSS_HEADROOM)
    start, steps, limits = PULL_SEARCH_START if relation == "pull" else ROUND_SEARCH_START
    if relation == "round" and sampler.horizon > SWITCHED:
        start, limits = (start[0], 1.0, *start[2:]), (limits[0], (1, 1), *limits[2:])

    def value(values: Sequence[float]) -> float:
        """The certified eps of the attack on the tables with these parameters, on a coarse grid."""
        return many_arm_attack(sampler, pair_of_coins(sampler, relation, values), levels, COARSE_LOSS_STEP, reach).eps(
            delta
        )

    _, found, _ = local_maximum(value, start, steps, limits, proposals)
    pair = pair_of_coins(sampler, relation, found)
    return WorstCoins(
        pair,
        many_arm_attack(sampler, pair, levels, FINE_LOSS_STEP, reach),
        tables_in_words(relation, found, sampler.horizon),
    )


def pair_of_coins(sampler: Sampler, relation: str, values: Sequence[float]) -> Pair:
    """Returns the pair of tables with these parameters: those of a `TableShape` or, for relation "round", four numbers.
    The rewards of the other arms at first, the fraction of the rounds in which they are paid, the later rewards, and
    those of arm 0."""
    others = (sampler.arms or 2) - 1
    if relation == "pull":
        two = pair_of_shape(sampler._replace(arms=2), TableShape(*values)).left
        return flipped("pull", np.concatenate([two[:1], np.repeat(two[1:], others, axis=0)]), 0, 0, 1.0)
    level, until, late, own = values
    T = sampler.horizon
    left = np.full((others + 1, T), rounded_reward(level))
    left[:, int(until * T) :] = rounded_reward(late)
    left[0] = rounded_reward(own)
    left[0, 0] = 0.0
    return flipped("round", left, 0, 0, 1.0)


def tables_in_words(relation: str, values: Sequence[float], horizon: int) -> str:
    """Describes the two reward tables with the parameters `values` in words."""
    level, until, late = values[:3]
    switch = f", {late:.3g} from {relation} {int(until * horizon) + 1} on" if until < 1 and late != level else ""
    first = f"other arms pay {level:.3g}{switch}; arm 0 pays 0 (changed to 1),"
    if relation == "round":
        return f"{first} in round 1, then {values[3]:.3g}"
    return f"{first} and then keeps its mean {values[3]:.3g} {values[4]:+.2g} log n deviations below the others'"
