"""The reward tables with which the search for an attack on Thompson sampling with two arms begins. Their rewards
imitate the adversary's optimal play in the threshold game.

In the game the adversary wants the changed arm to be pulled rarely on the side where it pays less: about log(1/delta)
pulls over all rounds, so that "hardly ever pulled" has probability delta there, and is far less likely where it pays
more. This requires a threshold x with T Phi(-x) about log(1/delta). So the changed arm (arm 0) first has the reward 0
or 1, and after its n-th pull its mean is x deviations below the other arm's, if rewards in the range allow this; the
other arm pays `level` at first and `late` from a fraction of the rounds on, when fewer rounds are left and the
threshold may decrease. `ascent` finds the best rewards; each table's attack is certified, so nothing depends on the
search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import Pair, flipped

REWARD_STEP = 1 / 64  # rewards are multiples of it, so that their sums are exact
SHORT_RUN_ROUNDS = 300  # rounds; beyond, the arm has to be pulled rarely from the beginning
# With 1.5 the search is blind to tables that show 1 per cent more at T = 10 000 and delta = 1e-3
FOLLOWED_PULL_FACTOR = 2.5
SEARCH_STEP_HALVINGS = 4
RISE = 1e-3


class TableShape(NamedTuple):
    """The parameters of tables. level, late: the rewards of arm 1 before and after the fraction `until` of the rounds.
    threshold: x, in deviations, at the first pull; slope: its change for each factor e of pulls."""

    level: float
    until: float
    late: float
    threshold: float
    slope: float


def pair_of_shape(sampler: Sampler, shape: TableShape) -> Pair:
    """Returns the pair of reward tables for two arms with the parameters `shape`.
    The first reward of arm 0 is 0 in one table and 1 in the other."""
    T = sampler.horizon
    second = np.full(T, rounded_reward(shape.level))
    second[int(shape.until * T) :] = rounded_reward(shape.late)
    pulls = np.arange(1, T + 1)
    distance = (shape.threshold + shape.slope * el.log(pulls)) * np.sqrt(sampler.variance / (pulls + 1))
    wanted = np.maximum(shape.level - distance, 0.0) * (pulls + 1)
    first, total = np.zeros(T), 0.0
    for n in range(1, T):
        first[n] = rounded_reward(min(max(wanted[n] - total, 0.0), 1.0))
        total += first[n]
    return flipped("pull", np.stack([first, second]), 0, 0, 1.0)


def rounded_reward(reward: float) -> float:
    """The multiple of REWARD_STEP that is nearest to the reward."""
    return round(reward / REWARD_STEP) * REWARD_STEP


def first_shapes(sampler: Sampler, delta: float) -> tuple[TableShape, ...]:
    """Returns the parameters of tables with which a search starts.
    Which of them is best depends on the horizon and on the noise."""
    rare = float(-ndtri(min(log(1 / delta) / max(sampler.rounds, 1), 0.4)))
    rarely = TableShape(1.0, 0.5, 0.65, rare, 0.0), TableShape(1.0, 0.5, 0.6, max(rare - 0.5, 0.0), 0.0)
    often = (
        TableShape(0.85, 0.65, 0.45, 0.7, -0.2),
        TableShape(0.5, 1.0, 0.5, 0.0, 0.0),
        TableShape(0.1, 1.0, 0.1, 0.0, 0.0),
    )
    return (*rarely, *often) if sampler.horizon <= SHORT_RUN_ROUNDS else rarely


def followed_pulls(horizon: int, often: float = FOLLOWED_PULL_FACTOR) -> int:
    """The number of pulls of the changed arm that an attack distinguishes: 15 + often sqrt(T), rounded down.
    More than the attack aims at. often: the factor of sqrt(T)."""
    return int(15 + often * horizon**0.5)


def local_maximum(
    value: Callable[[Sequence[float]], float],
    start: Sequence[float],
    steps: Sequence[float],
    limits: Sequence[tuple[float, float]],
    proposals: int,
) -> tuple[float, tuple[float, ...], int]:
    """Searches along the coordinates for a local maximum of `value`.
    Returns the value, the point where it was found, and the number of points that were tried."""
    point = tuple(start)
    best, tried = value(point), 1
    scale = 1.0
    for _ in range(SEARCH_STEP_HALVINGS):
        improved = True
        while improved and tried < proposals:
            improved = False
            for place, sign in ((place, sign) for place in range(len(point)) for sign in (1, -1)):
                least, most = limits[place]
                new = min(max(point[place] + sign * scale * steps[place], least), most)
                proposal = (*point[:place], new, *point[place + 1 :])
                if proposal == point or tried >= proposals:
                    continue
                found, tried = value(proposal), tried + 1
                if found > best * (1 + RISE):
                    best, point, improved = found, proposal, True
        scale /= 2
    return best, point, tried
