"""Finds draws near those of a recorded run that change the outcome of exactly one comparison.

The draws that lead to the outcomes of a run form a polytope, and each comparison is a hyperplane that bounds it or does
not touch it. Close to a point of one hyperplane that lies strictly on the recorded side of all others, only this
comparison changes its outcome. If there is no such point, the other comparisons imply this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from dpbandits.proofs_checks.alignment.forms import WHOLE, Symbol
from dpbandits.proofs_checks.alignment.moves import connected_sets

DISTANCES = (0.25, 1e-3, 1e-6)  # of the point from the other hyperplanes, tried in turn
POINTS = 3  # of a hyperplane; each is nearest to the recorded draws in another norm, so that other draws move
HEAVIEST = 64  # the largest ratio of two weights in a norm: far above 1, so that the norms differ
SAME_PLACE = 1e-9  # relative: hyperplanes that are closer are one


class HalfSpace(NamedTuple):
    """Where a linear form of draws is positive (above) or not. terms: its coefficients by the numbers of the draws, at
    least one."""

    terms: Mapping[int, Fraction]
    constant: Fraction
    above: bool

    @property
    def norm(self) -> float:
        """The Euclidean norm of the form's coefficients."""
        return sqrt(sum(float(value) ** 2 for value in self.terms.values()))

    def value(self, draws: Mapping[int, float]) -> float:
        """The value of the linear form at these draws."""
        return float(self.constant) + sum(float(part) * draws[draw] for draw, part in self.terms.items())

    def same_hyperplane(self, other: HalfSpace) -> bool:
        """Whether both forms are 0 at the same draws, up to rounding."""
        if self.terms.keys() != other.terms.keys():
            return False
        first = next(iter(self.terms))
        ratio = other.terms[first] / self.terms[first]
        pairs = [(other.terms[number], ratio * value) for number, value in self.terms.items()]
        pairs.append((other.constant, ratio * self.constant))
        size = max(abs(one) for one, _ in pairs)
        return all(abs(one - scaled) <= SAME_PLACE * size for one, scaled in pairs)


class WholeDraws(ValueError):
    """Raised for draws that are whole numbers: they lie on no hyperplane with room on both sides."""


class Crossing(NamedTuple):
    """Draws by their numbers, close to each other on the two sides of a hyperplane. inside: where all outcomes are the
    recorded ones. beyond: where the outcome of this comparison is another one."""

    inside: dict[int, float]
    beyond: dict[int, float]


def crossings(
    spaces: Sequence[HalfSpace], crossed: HalfSpace, values: Mapping[int, float], symbols: Sequence[Symbol]
) -> Iterator[Crossing]:
    """Yields pairs of draws on the two sides of the boundary of `crossed`, up to POINTS of them.
    None are found if the other half-spaces imply `crossed`.

    spaces: of all comparisons of a run. values: the recorded draws. Raises WholeDraws.
    """
    places, reached = connected_sets([each.terms.keys() for each in spaces], crossed.terms.keys())
    near, draws = [spaces[place] for place in places], sorted(reached)
    if any(symbols[draw].kind in WHOLE for draw in draws):
        raise WholeDraws("integer-valued noise cannot be moved to the boundary of a comparison")
    others = [each for each in near if not each.same_hyperplane(crossed)]
    elsewhere = {draw for each in others for draw in each.terms}
    own = [draw for draw in crossed.terms if draw not in elsewhere and symbols[draw].low == -inf]
    if own:  # no other comparison depends on this draw, so it may have any value
        moved = values[own[0]] - crossed.value(values) / float(crossed.terms[own[0]])
        yield around(crossed, {own[0]: moved}, DISTANCES[0])
    weights = np.random.default_rng(0)
    for _ in range(POINTS - bool(own)):
        weight = 1 + (HEAVIEST - 1) * weights.random(len(draws)) ** 3
        for distance in DISTANCES:
            point = nearest(others, crossed, draws, values, symbols, weight, distance)
            if point is not None:
                yield around(crossed, point, distance)
                break
        else:
            return


def nearest(
    others: Sequence[HalfSpace],
    crossed: HalfSpace,
    draws: Sequence[int],
    values: Mapping[int, float],
    symbols: Sequence[Symbol],
    weight: np.ndarray,
    distance: float,
) -> dict[int, float] | None:
    """The draws on the boundary of `crossed` that are nearest to the recorded draws; None if there are none.
    They keep this distance from the hyperplanes of all `others`. Nearness is a weighted sum of absolute differences."""
    place = {draw: k for k, draw in enumerate(draws)}

    def row_of(space: HalfSpace) -> np.ndarray:
        """The coefficients of the half-space's form, in the order of `draws`."""
        row = np.zeros(len(draws))
        for number, part in space.terms.items():
            row[place[number]] = float(part)
        return row

    upper, limits = [], []
    for each in others:
        row = row_of(each)
        sign = 1.0 if each.above else -1.0  # sign (value + row . moved) >= distance * norm
        upper.append(-sign * np.concatenate([row, -row]))
        limits.append(sign * each.value(values) - distance * each.norm)
    row = row_of(crossed)
    room = [(0.0, None if symbols[draw].low == -inf else max(0.0, values[draw] - float(symbols[draw].low)))
            for draw in draws]  # fmt: skip
    found = linprog(
        np.concatenate([weight, weight]),
        A_ub=np.array(upper) if upper else None,
        b_ub=np.array(limits) if upper else None,
        A_eq=np.concatenate([row, -row])[None, :],
        b_eq=[-crossed.value(values)],
        bounds=[(0.0, None)] * len(draws) + room,
        method="highs",
    )
    if found.status != 0:
        return None
    moved = found.x[: len(draws)] - found.x[len(draws) :]
    return {draw: float(values[draw] + moved[place[draw]]) for draw in draws}


def around(crossed: HalfSpace, point: Mapping[int, float], distance: float) -> Crossing:
    """Two points on the two sides of the boundary of `crossed`, each a quarter of `distance` away from `point` on it.
    point: some of the draws, of which at least one is in the crossed form."""
    rest = sqrt(sum(float(crossed.terms[draw]) ** 2 for draw in point if draw in crossed.terms))
    step = (1.0 if crossed.above else -1.0) * distance / 4 / rest
    sides = [
        {draw: value + sign * step * float(crossed.terms.get(draw, 0)) for draw, value in point.items()}
        for sign in (1, -1)
    ]
    return Crossing(*sides)
