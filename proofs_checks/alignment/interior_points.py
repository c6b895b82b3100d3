"""Finds noise draws and rewards with which a run takes a given path through the decision tree: a point in the interior
of a polytope.

A path restricts each compared form to an interval. The point is found by projections, starting from random draws, or
otherwise by a linear programme that maximises the smallest distance to the ends of all intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from dpbandits.proofs_checks.alignment.branches import Interval, Key
from dpbandits.proofs_checks.alignment.forms import CONTINUOUS, WHOLE, Symbol
from dpbandits.proofs_checks.alignment.moves import eliminated

DISTANCE = 0.25  # of a compared form from the ends of its interval, where that is so long; else a quarter of its length
SWEEPS = 60  # of projections, before the linear programme
FAR = 1e6  # where draws and unknowns end for the linear programme
THIN = 1e-9  # distances below which the linear programme does not know whether there is an interior
RELATIVE = 1e-9  # distances that are smaller, in parts of the summands, may be lost when a run adds doubles up


class NoPoint(Exception):
    """Raised if no interior point was found, and the interior is not known to be empty."""


class Row(NamedTuple):
    """A compared form, the ends of its interval, and the required distance of a point from them."""

    terms: tuple[tuple[int, float], ...]
    low: float
    high: float
    distance: float


def rows_of(intervals: Mapping[Key, Interval], symbols: Sequence[Symbol]) -> list[Row]:
    """The intervals of linear forms as rows for interior-point searches.
    Coefficients, ends, and the distance that a point should keep from the ends."""
    rows = []
    for key, (low, high, _, _) in intervals.items():
        if key[0][0] < 0:  # the outcome of a finite draw
            continue
        length = float(high) - float(low)
        distance = DISTANCE if length > 4 * DISTANCE else length / 4
        rows.append(Row(tuple((number, float(value)) for number, value in key), float(low), float(high), distance))
    return rows


def interior_point(
    intervals: Mapping[Key, Interval], symbols: Sequence[Symbol], start: Mapping[int, float]
) -> dict[int, float] | None:
    """Draws and rewards for which every form lies inside its interval: {number of a symbol: value}.
    None if the interior is empty, so that no run takes the path.

    start: values of these symbols, from which the search starts. Raises NoPoint.
    """
    rows = rows_of(intervals, symbols)
    numbers = sorted({number for row in rows for number, _ in row.terms})
    values = {number: float(start[number]) for number in numbers}
    whole = {number for number in numbers if symbols[number].kind in WHOLE}
    for fixed in [frozenset[int]()] if not whole else [frozenset[int](), frozenset(whole)]:
        for number in fixed:
            values[number] = float(max(1, round(values[number])))
        projected(rows, symbols, values, fixed)
    if is_inside(intervals, symbols, values):
        return values
    found = by_programme(rows, symbols, numbers)
    if found is not None and is_inside(intervals, symbols, found):
        return found
    if is_empty(intervals, symbols):
        return None
    raise NoPoint


def projected(rows: Sequence[Row], symbols: Sequence[Symbol], values: dict[int, float], fixed: frozenset[int]) -> None:
    """Moves `values`, in place, until every form keeps its distance from the ends of its interval.
    It stops after SWEEPS sweeps. fixed: the symbols whose values stay."""
    rooms = {number: (float(symbols[number].low), float(symbols[number].high)) for number in values}
    for _ in range(SWEEPS):
        moved = False
        for terms, low, high, distance in rows:
            value = sum(factor * values[number] for number, factor in terms)
            if value < low + distance:
                apart = low + 1.5 * distance - value
            elif value > high - distance:
                apart = high - 1.5 * distance - value
            else:
                continue
            moving = [each for each in terms if each[0] not in fixed]
            square = sum(factor * factor for _, factor in moving)
            if not square:
                continue
            moved = True
            for number, factor in moving:
                least, most = rooms[number]
                values[number] = min(max(values[number] + factor * apart / square, least), most)
        if not moved:
            return


def is_inside(intervals: Mapping[Key, Interval], symbols: Sequence[Symbol], values: Mapping[int, float]) -> bool:
    """Whether each linear form lies in its interval, not so near to an end that rounding could matter."""
    for number, value in values.items():
        symbol = symbols[number]
        if not symbol.low <= value <= symbol.high or (symbol.kind in WHOLE and value != round(value)):
            return False
    for key, (low, high, low_open, high_open) in intervals.items():
        if key[0][0] < 0:
            continue
        parts = [factor * Fraction(values[number]) for number, factor in key]
        total, size = sum(parts, Fraction(0)), float(sum((abs(part) for part in parts), Fraction(0)))
        exact = not any(symbols[number].kind in CONTINUOUS for number, _ in key)
        for end, is_open, sign in ((low, low_open, 1), (high, high_open, -1)):
            if isfinite(end):
                apart = sign * (total - Fraction(end))
                if (
                    apart < 0
                    or (not exact and apart <= RELATIVE * Fraction(max(size, abs(float(end)))))
                    or (exact and is_open and apart == 0)
                ):
                    return False
    return True


def points_at_ends(
    intervals: Mapping[Key, Interval], symbols: Sequence[Symbol], point: Mapping[int, float]
) -> list[dict[int, float]]:
    """Points in the same intervals whose rewards are at the lower, or at the upper ends of their ranges.
    Only rewards that are compared without noise are moved there. At such points, rounding may decide a comparison that
    has only one outcome in real numbers."""
    keys = [[number for number, _ in key] for key in intervals if key[0][0] >= 0]
    clear = [key for key in keys if not any(symbols[number].kind in CONTINUOUS for number in key)]
    rewards = {number for key in clear for number in key if isfinite(symbols[number].high)}
    compared = {number for key in keys for number in key}
    found = []
    for ends in ("low", "high") if rewards else ():
        values = {number: point[number] for number in compared}
        values |= {number: float(getattr(symbols[number], ends)) for number in rewards}
        if is_inside(intervals, symbols, values):
            found.append(values)
    return found


def by_programme(rows: Sequence[Row], symbols: Sequence[Symbol], numbers: Sequence[int]) -> dict[int, float] | None:
    """The point with the largest smallest distance from all ends, by a linear programme; None if none is found.
    Distances are in units of those that the rows require."""
    places = {number: place for place, number in enumerate(numbers)}
    matrix, ends = [], []
    for terms, low, high, distance in rows:
        for end, sign in ((low, -1.0), (high, 1.0)):
            if isfinite(end):
                row = [0.0] * (len(numbers) + 1)
                for number, factor in terms:
                    row[places[number]] = sign * factor
                row[-1] = distance
                matrix.append(row)
                ends.append(sign * end)
    if not matrix:
        return dict.fromkeys(numbers, 0.0)
    bounds = [(max(float(symbols[n].low), -FAR), min(float(symbols[n].high), FAR)) for n in numbers]
    whole = np.array([*(symbols[number].kind in WHOLE for number in numbers), False])
    found = linprog(
        [*([0.0] * len(numbers)), -1.0],
        A_ub=np.array(matrix),
        b_ub=np.array(ends),
        bounds=[*bounds, (0.0, 1.0)],
        method="highs",
        integrality=whole.astype(int) if whole.any() else None,
    )
    if found.status != 0:
        return None
    return {
        number: min(max(float(round(each) if symbols[number].kind in WHOLE else each), low), high)
        for (number, each, (low, high)) in zip(numbers, found.x, bounds, strict=False)
    }


# -- paths without an interior -----------------------------------------------------------------------------------------


def is_empty(intervals: Mapping[Key, Interval], symbols: Sequence[Symbol]) -> bool:
    """Whether the interior is empty: no draws and rewards lie inside all intervals, except with probability 0.
    This is proved by rational multipliers of the inequalities that add up to a contradiction (Farkas)."""
    sides: list[tuple[dict[int, Fraction], Fraction, bool]] = []  # terms . values >= end, or > where it is strict
    numbers = sorted({number for key in intervals if key[0][0] >= 0 for number, _ in key})
    for key, (low, high, low_open, high_open) in intervals.items():
        if key[0][0] < 0:
            continue
        noisy = any(symbols[number].kind in CONTINUOUS for number, _ in key)
        for end, is_open, sign in ((low, low_open, 1), (high, high_open, -1)):
            if isfinite(end):
                terms = {number: sign * value for number, value in key}
                sides.append((terms, sign * Fraction(end), is_open or noisy))
    for number in numbers:
        for end, sign in ((symbols[number].low, 1), (symbols[number].high, -1)):
            if isfinite(end):
                strict = symbols[number].kind in CONTINUOUS
                sides.append(({number: Fraction(sign)}, sign * Fraction(end), strict))
    if not sides:
        return False
    # multipliers y >= 0 of sum 1 with sum y terms = 0 and sum y end as large as possible
    equal = np.array([[float(terms.get(number, 0)) for terms, _, _ in sides] for number in numbers])
    equal = np.vstack([equal, np.ones(len(sides))])
    right = np.zeros(len(equal))
    right[-1] = 1.0
    cost = [-float(end) - THIN * strict for _, end, strict in sides]
    found = linprog(cost, A_eq=equal, b_eq=right, bounds=[(0, None)] * len(sides), method="highs")
    if found.status != 0:
        return False
    used = [place for place, each in enumerate(found.x) if each > THIN]
    equations = [[*(sides[place][0].get(number, Fraction(0)) for place in used), Fraction(0)] for number in numbers]
    equations.append([Fraction(1)] * (len(used) + 1))
    multipliers = eliminated(equations, len(used))
    if multipliers is None or min(multipliers) < 0:
        return False
    most = sum((each * sides[place][1] for each, place in zip(multipliers, used, strict=True)), Fraction(0))
    strict = any(each and sides[place][2] for each, place in zip(multipliers, used, strict=True))
    return most > 0 or (most == 0 and strict)
