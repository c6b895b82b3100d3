"""The search for a counterexample: simple points, extreme points, random points, then local improvement of the worst
ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.formulas.domains import Axis
from dpbandits.proofs_checks.vocabularies.rounded_doubles import double_above, double_below
from dpbandits.reference.arithmetic.vocabulary import Sides
from dpbandits.reference.bandits.noise import Array, Flags, Ints

STARTS, PROPOSALS, KEPT, SEEN = 12, 24, 256, 4000
CLEAR = -0.01  # a relative slack that leaves no doubt, where the simplest point is worth more than the worst


# Of the variables' values, an array each: the relative slack, and where the preconditions hold.
Slack = Callable[[Mapping[str, Array]], tuple[Array, Flags]]


class SearchResult(NamedTuple):
    """The result of the search. points: (count, axes) in order of their slack, the worst first. slack: relative, in
    [-1, 1], negative if the statement seems violated. strange: points at which doubles gave no number."""

    points: Array
    slack: Array
    strange: Array
    applicable: int


def search_counterexample(
    slack: Slack,
    axes: list[Axis],
    points: int,
    rounds: int,
    rng: np.random.Generator,
) -> SearchResult:
    """Searches for points at which the statement fails, and returns the points with the smallest slack.
    slack(variables) returns, for arrays of points, the relative slack (negative where the statement fails) and whether
    the preconditions hold."""
    table = np.concatenate([special_points(axes, points // 2, rng), random_points(axes, points - points // 2, rng)])
    table = np.unique(table, axis=0) if len(axes) else table[:1]
    value, holds = evaluate_points(slack, table, axes)
    strange = table[holds & np.isnan(value)]
    applicable = int(holds.sum())
    value = np.where(holds & ~np.isnan(value), value, np.inf)
    best = np.union1d(value.argsort(kind="stable")[:KEPT], simple_violations(table, value))
    table, value = table[best], value[best]
    order = value.argsort(kind="stable")
    table, value = table[order], value[order]
    table, value = table[np.isfinite(value)], value[np.isfinite(value)]
    if len(table) and len(axes):
        front, score = table[:STARTS].copy(), value[:STARTS].copy()
        for step in range(rounds):
            radius = 0.5 * 0.9**step
            base = np.repeat(front, PROPOSALS, axis=0)
            moves = np.stack([axis.moved(base[:, i], rng, radius) for i, axis in enumerate(axes)], axis=1)
            new, ok = evaluate_points(slack, moves, axes)
            applicable += int(ok.sum())
            new = np.where(ok & ~np.isnan(new), new, np.inf).reshape(len(front), PROPOSALS)
            pick = new.argmin(axis=1)
            better = new[np.arange(len(front)), pick] < score
            rows = moves.reshape(len(front), PROPOSALS, -1)[np.arange(len(front)), pick]
            front[better], score[better] = rows[better], new[np.arange(len(front)), pick][better]
        table, value = np.concatenate([table, front]), np.concatenate([value, score])
    order = value.argsort(kind="stable")
    return SearchResult(table[order], value[order], strange, applicable)


def simple_violations(table: Array, value: Array) -> Ints:
    """The indices of the clear violations whose points are the easiest to read."""
    rows = np.flatnonzero(value <= CLEAR)[:SEEN]
    return rows[reading_difficulty(table[rows]).argsort(kind="stable")[:KEPT]]


def reading_difficulty(table: Array) -> Array:
    """A score for each point, (points,), that is small for numbers with few digits and magnitudes near 1."""
    return np.array([sum(map(digit_count, row.tolist())) for row in table])


def digit_count(value: float) -> float:
    """The number of digits of the number as the shortest decimal, plus half the absolute value of its exponent."""
    mantissa, _, exponent = f"{Decimal(repr(value)).normalize():e}".partition("e")
    return len(mantissa.strip("-").replace(".", "")) + abs(int(exponent)) / 2


def evaluate_points(slack: Slack, table: Array, axes: list[Axis]) -> tuple[Array, Flags]:
    """Two arrays (points,): the relative slack at each point in doubles, and whether the preconditions hold there.
    table: (points, variables)."""
    variables = {axis.name: table[:, i] for i, axis in enumerate(axes)}
    with np.errstate(all="ignore"):
        value, holds = slack(variables)
    return np.array(np.broadcast_to(value, len(table)), float), np.array(np.broadcast_to(holds, len(table)), bool)


def special_points(axes: list[Axis], count: int, rng: np.random.Generator) -> Array:
    """Combinations of the variables' special values, (points, variables).
    All if there are at most `count`, otherwise `count` random ones."""
    specials = [axis.specials() for axis in axes]
    if not axes:
        return np.zeros((1, 0))
    if np.prod([float(len(values)) for values in specials]) <= count:
        return np.stack(np.meshgrid(*specials, indexing="ij"), axis=-1).reshape(-1, len(axes))
    return np.stack([rng.choice(values, count) for values in specials], axis=1)


def random_points(axes: list[Axis], count: int, rng: np.random.Generator) -> Array:
    """Random points of the domain, (count, variables)."""
    if not axes:
        return np.zeros((0, 0))
    return np.stack([axis.sample(rng, count) for axis in axes], axis=1)


def relative_slack(pairs: list[Sides]) -> Array:
    """The relative slack (right - left)/(|left| + |right|), the smallest of all demanded pairs, at each point.
    0 if both sides are 0. nan if a side is no number, or if both are infinite."""
    worst: Array = np.array(np.inf)
    for left, right in pairs:
        left, right = np.asarray(left, float), np.asarray(right, float)
        size = np.abs(left) + np.abs(right)
        value = np.where(size == 0, np.nan, (right - left) / np.where(size == 0, 1, size))
        one_sided = np.isinf(left) != np.isinf(right)
        value = np.where(one_sided & ~np.isnan(left) & ~np.isnan(right), np.sign(right - left), value)
        worst = np.where(np.isnan(value), np.nan, np.minimum(worst, value))
    return np.asarray(worst, float)


def round_to_digits(value: float, digits: int) -> Fraction:
    """A double rounded to this many significant decimal digits; 17 or more give its printed decimal."""
    return Fraction(repr(value) if digits >= 17 else f"{value:.{digits - 1}e}")


def neighbouring_doubles(end: Fraction | float) -> tuple[float, ...]:
    """The two doubles next to an exact end of a range, below and above it; () for an infinite end."""
    return (double_below(end), double_above(end)) if isinstance(end, Fraction) else ()


def exact_points(row: Array, axes: list[Axis], digits: int = 17) -> dict[str, Fraction] | None:
    """The point with exact coordinates of few digits, {name: value}; None if rounding leaves the domain.
    row: the point in doubles."""
    point = {}
    for axis, value in zip(axes, row, strict=True):
        if axis.values:
            exact = min(axis.values, key=lambda listed: abs(listed - Fraction(float(value))))
        else:
            exact = Fraction(round(value)) if axis.whole and digits >= 17 else round_to_digits(float(value), digits)
        if not axis.contains(exact):  # a decimal end's double may lie just outside
            exact = next((Fraction(end) for end in (axis.low, axis.high) if value in neighbouring_doubles(end)), exact)
        if not axis.contains(exact):
            return None
        point[axis.name] = exact
    return point
