"""Computes the eps that a Rocq theorem about the threshold game will state. The computation uses doubles; Rocq's kernel
then checks the stated eps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, expm1, floor, frexp, ldexp, log, trunc
from typing import Any, NamedTuple

import numpy as np

from dpbandits.extensions.thompson.theorems.game_corners import (
    CHANCE_UNIT,
    STEP_UNIT,
    VALUE_UNIT,
    WEIGHT_UNIT,
    GameSide,
    Shape,
    first_chance,
    side_of,
)
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

SLACK, ROUNDINGS = 1e-5, 3 / VALUE_UNIT  # what doubles propose lies below delta by this share, by that each round
EPS_PARTS = 1000  # the eps of a theorem is a multiple of 1/EPS_PARTS
LARGEST_GAME_EPS = 80


class GameTheorem(NamedTuple):
    """The numbers of a theorem about `horizon` rounds and a number of initial pulls of each arm. two: whether for two
    arms and one relation, or for any number of arms and either relation. last: the number of pulls from which on all
    counts are one state."""

    horizon: int
    variance: Fraction
    prepulls: int
    two: bool
    relation: str
    last: int
    eps: Fraction
    delta: Fraction
    right: GameSide
    left: GameSide


class Played:
    """The values of the game for one side of the change, by rounds left and by pulls from `first` on, each on its grid
    of ratios."""

    def __init__(self, side: GameSide, first: int, last: int, rises: bool) -> None:
        """Computes the values of the game for one side of the change, from the last round to the first."""
        self.step, self.below = log(side.ratio / STEP_UNIT), side.below
        self.growth, self.cut = side.growth, side.cut / VALUE_UNIT
        places = np.arange(-side.below, side.above + 1)
        end = np.maximum(1 - el.exp(self.step * places), 0)
        self.rows: list[list[tuple[float, Array]]] = [[(0.0, end)] * (last - first + 1)]
        for shapes in side.rounds:
            self.rows.append([self.best(shape, i, i == last - first, rises) for i, shape in enumerate(shapes)])

    def best(self, shape: Shape, i: int, stays: bool, rises: bool) -> tuple[float, Array]:
        """Returns the game's values before a round, at pull count number i: the largest over the polygon's corners.
        stays: whether a pull leaves the count as it is."""
        before = self.rows[-1]
        same, more = before[i], before[i if stays else i + 1]
        here = same[0] + log(shape.drift / STEP_UNIT)
        here -= self.step * trunc(here / self.step)
        first = shape.corners[0][1]
        found = np.zeros(same[1].size + self.growth)
        for p, q in [(first, first), *(each[1:] for each in shape.corners)]:
            x, y = (p / CHANCE_UNIT, q / CHANCE_UNIT) if rises else (q / CHANCE_UNIT, p / CHANCE_UNIT)
            outcome = self.moved(more, here, x, y, found.size) + self.moved(same, here, 1 - x, 1 - y, found.size)
            found = np.maximum(found, outcome)
        ends = np.flatnonzero(found <= found[-1] + self.cut)
        return here, np.minimum(found[: ends[0] + 1], 1.0)

    def moved(self, row: tuple[float, Array], here: float, p: float, q: float, size: int) -> Array:
        """Returns the contribution of one outcome of a round to a row of values, computed as the kernel does.
        p and its shares are in units of 1/WEIGHT_UNIT."""
        theta, values = row
        if p <= 0:
            return np.zeros(size)
        mantissa, exponent = frexp(p)
        mass = ceil(mantissa * WEIGHT_UNIT)
        p = ldexp(mass / WEIGHT_UNIT, exponent)
        at = (log(q / p) + here - theta) / self.step if q > 0 else -2.0 * size
        o = min(max(floor(at), -size - 1), values.size)
        share = min(max(floor(expm1(self.step * (at - o)) / expm1(self.step) * mass) / mass, 0.0), 1.0)
        lead = min(max(-o, 0), size + 1)
        told = values[max(o, 0) : max(o, 0) + size + 1 - lead]
        wide = np.concatenate([np.ones(lead), told, np.full(size + 1 - lead - told.size, values[-1])])
        return np.asarray(p * ((1 - share) * wide[:size] + share * wide[1 : 1 + size]))

    def worth(self, left: int, i: int, eps: float) -> float:
        """The game's value at eps when `left` rounds are left, at pull count number i.
        It is interpolated between two ratios of the grid."""
        theta, values = self.rows[left][i]
        at = (eps - theta) / self.step + self.below
        o = floor(at)
        if o < 0 or o + 1 >= values.size:
            return 1.0 if o < 0 else float(values[-1])
        share = expm1(self.step * (at - o)) / expm1(self.step)
        return float((1 - share) * values[o] + share * values[o + 1])


def waited_and_worst(
    horizon: int, variance: Fraction, prepulls: int, right: GameSide, sides: tuple[Played, Played], eps: float
) -> tuple[float, float]:
    """Returns the game's values that the kernel will compute, for relation "pull" and for relation "round".
    Before its first pull an arm's probability is at most a half; after initial pulls the game has certainly started."""
    states = len(sides[0].rows[0])
    waits, worst = [0.0] * (states + 1), 0.0
    for left, shapes in enumerate((*right.rounds, ())):
        values = [max(each.worth(left, i, eps) for each in sides) for i in range(len(sides[0].rows[left]))]
        worst = max([worst, *values])
        started = [max(one, other) for one, other in zip(values, waits[1:], strict=False)]
        entry = CHANCE_UNIT if prepulls else first_chance(horizon - left - 1, variance)
        ends = [(entry, max(entry, CHANCE_UNIT // 2)), *((each.corners[0][1], each.corners[-1][2]) for each in shapes)]
        waits = [
            max(a * started[min(i, states - 1)] + (CHANCE_UNIT - a) * waits[i] for a in each) / CHANCE_UNIT
            for i, each in enumerate(ends)
        ]
    return waits[0], worst


def game_theorem(
    horizon: int,
    variance: Fraction,
    prepulls: int,
    two: bool,
    relation: str,
    delta: Fraction,
    games: Sequence[Mapping[str, Any]],
) -> GameTheorem:
    """Returns the game's theorem with the smallest eps that a computation in doubles finds at delta.
    eps is a multiple of 1/EPS_PARTS. games: the choices of a ceiling for both sides. Raises ValueError if there is
    none."""
    last = min(horizon - prepulls, *(int(each["last"]) for each in games))
    right, left = (
        side_of(horizon, variance, prepulls, {**each, "last": last}, float(delta), two)
        for each in sorted(games, key=pays_more_on_right, reverse=True)
    )
    first = max(prepulls, 1)
    sides = Played(right, first, last, True), Played(left, first, last, False)
    enough = float(delta) * (1 - SLACK) - horizon * ROUNDINGS

    def value_at(parts: int) -> float:
        """The value of the game at eps = parts/EPS_PARTS, for the relation of the theorem."""
        eps = parts / EPS_PARTS
        if not two:
            return max(each.worth(len(right.rounds), 0, eps) for each in sides)
        return waited_and_worst(horizon, variance, prepulls, right, sides, eps)[relation == "round"]

    low, high = 0, LARGEST_GAME_EPS * EPS_PARTS
    if value_at(high) > enough:
        raise ValueError(f"no eps up to {LARGEST_GAME_EPS} can be proved for T = {horizon} at delta = {float(delta):g}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if value_at(middle) <= enough else (middle, high)
    return GameTheorem(horizon, variance, prepulls, two, relation, last, Fraction(high, EPS_PARTS), delta, right, left)


def pays_more_on_right(choices: Mapping[str, Any]) -> bool:
    """Whether the changed arm pays more on the right, by a ceiling's settings for one side."""
    return bool(choices["higher"] == "right")
