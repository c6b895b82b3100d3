"""Bad tables for two arms, by what the game teaches.

In the game the adversary wants the changed arm to be pulled rarely where it pays less: about log(1/delta) pulls over
all rounds, so that "hardly ever pulled" has probability delta there, and is far less likely where it pays more. That
asks for a threshold x with T Phi(-x) about log(1/delta). So the changed arm (arm 0) pays 0 or 1 first, and after its
n-th pull has the mean that lies x deviations below the other arm's, if its rewards can get there; the other arm pays
`level` at first and `late` from a share of the rounds on, when fewer rounds are left and the threshold may fall. What
the five numbers should be, a short search finds; each table's attack is certified, so nothing rests on the search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from dpbandits.proofs_checks.game.attack import attack
from dpbandits.proofs_checks.game.rules import Sampler, checked
from dpbandits.reference.neighbours import Pair, flipped

COARSE = 0.3  # the step of the losses while searching,
FINE = 0.05  # and for the pair that was found
UNIT = 1 / 64  # rewards are multiples of it, so that their sums are exact
FIRST_STEPS = (0.2, 0.3, 0.2, 0.4, 0.2)
LIMITS = ((0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 6.0), (-2.0, 2.0))
OFTEN = 1.5  # with half as many pulls, the search is blind to tables that show 1 to 2 per cent more at delta = 1e-3
HALVINGS = 4
RISE = 1e-3


class Shape(NamedTuple):
    """The five numbers. level, late: what arm 1 pays, before and after the share `until` of the rounds. threshold: x,
    in deviations, at the first pull; slope: how much it changes with each e-fold of pulls."""

    level: float
    until: float
    late: float
    threshold: float
    slope: float


class Bad(NamedTuple):
    """A bad pair and the eps that is certified: no smaller one is private at delta. tried: how many were looked at."""

    pair: Pair
    shape: Shape
    eps: float
    tried: int


def pair_of(sampler: Sampler, shape: Shape) -> Pair:
    """The two tables of a shape: the first reward of arm 0 is 0, and 1 beside it."""
    T = sampler.horizon
    second = np.full(T, rounded(shape.level))
    second[int(shape.until * T) :] = rounded(shape.late)
    pulls = np.arange(1, T + 1)
    distance = (shape.threshold + shape.slope * np.log(pulls)) * np.sqrt(sampler.variance / (pulls + 1))
    wanted = np.maximum(shape.level - distance, 0.0) * (pulls + 1)
    first, total = np.zeros(T), 0.0
    for n in range(1, T):
        first[n] = rounded(min(max(wanted[n] - total, 0.0), 1.0))
        total += first[n]
    return flipped("pull", np.stack([first, second]), 0, 0, 1.0)


def rounded(reward: float) -> float:
    return round(reward / UNIT) * UNIT


def worst_shape(sampler: Sampler, delta: float, highest: float, proposals: int = 60) -> Bad:
    """The worst pair that a search over shapes finds; deterministic.

    highest: no larger eps is looked for: an upper bound, such as the game's. proposals: how many shapes are tried.
    """
    T = checked(sampler).horizon
    often = min(log(1 / delta) / max(sampler.rounds, 1), 0.4)
    shape = Shape(1.0, 0.5, 0.65, float(-ndtri(often)), 0.0)
    reach = (-12.0, highest + 10.0)

    levels = sampler.first + min(T, followed(T))

    def value(one: Shape, step: float) -> float:
        return attack(sampler, pair_of(sampler, one), step, levels, reach).eps(delta)

    coarse = min(COARSE, max(highest, 0.1) / 100)
    best, found, tried = uphill(lambda values: value(Shape(*values), coarse), shape, FIRST_STEPS, LIMITS, proposals)
    shape = Shape(*found)
    fine = value(shape, min(FINE, coarse / 4))
    return Bad(pair_of(sampler, shape), shape, max(best, fine), tried)


def followed(horizon: int, often: float = OFTEN) -> int:
    """Pulls of the changed arm that an attack follows: more than it wants to happen."""
    return int(15 + often * horizon**0.5)


def uphill(
    value: Callable[[Sequence[float]], float],
    start: Sequence[float],
    steps: Sequence[float],
    limits: Sequence[tuple[float, float]],
    proposals: int,
) -> tuple[float, tuple[float, ...], int]:
    """The largest value that a search finds, one number moved at a time; where; and how many were tried."""
    point = tuple(start)
    best, tried = value(point), 1
    scale = 1.0
    for _ in range(HALVINGS):
        improved = True
        while improved and tried < proposals:
            improved = False
            for place, sign in ((place, sign) for place in range(len(point)) for sign in (1, -1)):
                proposal = moved(point, place, sign * scale * steps[place], limits[place])
                if proposal == point or tried >= proposals:
                    continue
                new, tried = value(proposal), tried + 1
                if new > best * (1 + RISE):
                    best, point, improved = new, proposal, True
        scale /= 2
    return best, point, tried


def moved(point: tuple[float, ...], place: int, step: float, limits: tuple[float, float]) -> tuple[float, ...]:
    new = min(max(point[place] + step, limits[0]), limits[1])
    return (*point[:place], new, *point[place + 1 :])
