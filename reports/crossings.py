"""The picture of a refuted formula: both of its sides as functions of one variable, around the counterexample.

It is computed from the certificate and the ranges of the statement in floating-point arithmetic. So the picture
illustrates; only the counterexample is certified.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.claims import formula_trees
from dpbandits.reference.claims.findings import VariableRange
from dpbandits.reference.claims.records import Certificate, FormulaCertificate, of_formula
from dpbandits.reports import vector
from dpbandits.reports.plotting import DASHES, PICTURE_WIDTH, Array, Picture, dashed, legend_entry, pictured, ticks
from dpbandits.reports.refutations import floats
from dpbandits.reports.words import format_number, symbols

CROSSING_POINTS = 161  # of a continuous range
MAX_WHOLE_POINTS = 60  # so many whole numbers are drawn one by one
SEVERAL = 12  # of fewer points each gets a mark
DECADES = 1e3  # a range that spans a larger factor is drawn on a logarithmic axis,
ORIGIN_SHARE = 0.12  # and so is one that begins at 0, for a counterexample within this share of it
BROKEN_TOLERANCE = 1e-12  # of doubles, relative: nothing so near is called broken
MAX_SHOWN_FACTOR = 1e4  # so many times the counterexample's values are shown: what grows beyond makes all else flat
HEIGHT = 180.0  # points
SIDE_WORDS = {  # what each side is, by the relation that was claimed
    "<=": ("claimed to be at most the other", "claimed to be at least the other"),
    "<": ("claimed to be the smaller side", "claimed to be the larger side"),
    "==": ("one side", "the other side, claimed to be equal"),
}


class Sides(NamedTuple):
    """Both sides of a formula at points of a range where its preconditions hold, and whether it fails there. log:
    whether the points are logarithmically spaced."""

    name: str
    points: Array
    left: Array
    right: Array
    broken: NDArray[np.bool_]
    log: bool

    @property
    def informativeness(self) -> tuple[float, float, float]:
        """A sort key: the larger, the better a picture of these sides shows where the formula holds and where it fails.
        Its parts are whether the formula both holds and fails, and how much the sides change."""
        share, gap = float(self.broken.mean()), self.left - self.right
        return min(share, 1 - share), relative_spread(gap), max(relative_spread(self.left), relative_spread(self.right))


def crossing(certificate: Certificate, ranges: Sequence[VariableRange], name: str) -> Picture | None:
    """The picture of both sides of a refuted formula, as functions of the most informative variable.
    ranges: the ranges of the formula's variables.

    None if there is no variable, or nothing to draw but the counterexample itself.
    """
    if not of_formula(certificate):
        return None
    try:
        sides = most_informative_sides(certificate, ranges)
        point = floats(certificate["variables"])
    except (KeyError, TypeError, ValueError, ArithmeticError):
        return None
    if sides is None:
        return None
    with vector.drawing():
        return draw_crossing(certificate, sides, point, name)


def most_informative_sides(certificate: FormulaCertificate, ranges: Sequence[VariableRange]) -> Sides | None:
    """Returns both sides as functions of the variable that shows best where the formula holds and fails.
    None if nothing can be drawn."""
    pairs = [
        [tree for side in pair if (tree := formula_trees.parse_formula(str(side))) is not None]
        for pair in ((certificate["left"], certificate["right"]), *certificate.get("given", ()))
    ]
    if any(len(pair) < 2 for pair in pairs):
        return None
    trees, *given = pairs
    point = floats(certificate["variables"])
    known = [each for each in ranges if each.name in point]
    drawable = [sides_along(certificate, each, trees, given, point) for each in known]
    return max((each for each in drawable if each is not None), key=lambda each: each.informativeness, default=None)


def relative_spread(values: Array) -> float:
    """Returns the largest minus the smallest value, as a fraction of the largest absolute value."""
    return float(np.ptp(values) / (np.abs(values).max() or 1.0))


def sides_along(
    certificate: FormulaCertificate,
    line: VariableRange,
    trees: Sequence[ast.expr],
    given: Sequence[Sequence[ast.expr]],
    point: Mapping[str, float],
) -> Sides | None:
    """Evaluates both sides along one variable, with all other variables as in the counterexample.
    None for fewer than two points. line: that variable and its range."""
    places, log = sample_points(line, point[line.name])
    rows = []
    for place in places:
        here = {"pi": np.pi, **point, line.name: float(place)}
        if all(side_value(low, here) <= side_value(high, here) for low, high in given):
            ends = [side_value(tree, here) for tree in trees]
            if np.isfinite(ends).all():
                rows.append((float(place), *ends))
    most = MAX_SHOWN_FACTOR * (
        max((abs(end) for x, *ends in rows if x == point[line.name] for end in ends), default=0.0) or 1.0
    )
    rows = [row for row in rows if max(map(abs, row[1:])) <= most]
    if len(rows) < 2:
        return None
    x, left, right = np.array(rows).T
    return Sides(line.name, x, left, right, failing_points(certificate, left, right), log)


def side_value(tree: ast.expr, values: Mapping[str, float]) -> float:
    """Returns the value of one side of the formula at these values of the variables; nan if undefined."""
    try:
        return formula_trees.evaluated(tree, values)
    except (ArithmeticError, ValueError, KeyError, TypeError):
        return float("nan")


def failing_points(certificate: FormulaCertificate, left: Array, right: Array) -> NDArray[np.bool_]:
    """Whether the formula fails at each point, by more than rounding errors of doubles."""
    gap = left - right
    least = BROKEN_TOLERANCE * np.maximum(np.abs(left), np.abs(right))
    relation, slack = certificate["relation"], float(certificate["within"])
    if relation == "==":
        return np.asarray(np.abs(gap) > slack + least)
    return np.asarray(gap >= -least if relation == "<" else gap > slack + least)


def sample_points(line: VariableRange, at: float) -> tuple[Array, bool]:
    """Returns the points at which to draw the sides, and whether they are logarithmically spaced.
    The value `at` of the counterexample is among them. An unbounded range is cut at about three times that value."""
    if line.values:
        return np.array(sorted({*line.values, at})), False
    reach = 3 * abs(at) + (10 if line.whole else 3)
    low = min(at - reach, -reach) if line.low is None else line.low
    high = max(low + reach, at + reach / 3) if line.high is None else line.high
    if line.whole and high - low <= MAX_WHOLE_POINTS:
        return np.arange(np.ceil(low), np.floor(high) + 1), False
    inner = (high - low) * 1e-4
    least = max(low, 1.0 if line.whole else inner)
    if log := high > DECADES * least and (line.whole or low > 0 or 0 < at <= ORIGIN_SHARE * high):
        points = np.geomspace(least, high, CROSSING_POINTS)
    else:
        points = np.linspace(low, high, CROSSING_POINTS + 2)[1:-1]
        points = np.concatenate([[low + inner], points, [high - inner]])
    points = np.concatenate([points, [at]])
    if line.whole:
        points = points.round()
    return np.unique(points), bool(log and (points > 0).all())


# -- the drawing -------------------------------------------------------------------------------------------------


def draw_crossing(certificate: FormulaCertificate, sides: Sides, point: Mapping[str, float], name: str) -> Picture:
    """The picture of both sides as functions of the variable, with the counterexample marked."""
    figure, axes = vector.canvas(PICTURE_WIDTH, HEIGHT)
    values = np.concatenate([sides.left, sides.right])
    log_y = bool(values.min() > 0 and values.max() > DECADES * values.min())
    axes.set(xscale="log" if sides.log else "linear", yscale="log" if log_y else "linear")
    few = len(sides.points) <= SEVERAL or (sides.points == sides.points.round()).all()
    mark: dict[str, Any] = (
        {"marker": "o", "markersize": 2.2} if few and len(sides.points) <= MAX_WHOLE_POINTS + 1 else {}
    )
    middles = (sides.points[1:] + sides.points[:-1]) / 2
    edges = np.concatenate([sides.points[:1], middles, sides.points[-1:]])
    for first, last in stretches(sides):
        axes.axvspan(edges[first], edges[last + 1], color=vector.CERTIFIED, alpha=0.13, linewidth=0)
    axes.plot(sides.points, sides.left, color=vector.EXACT, **mark)
    axes.plot(sides.points, sides.right, color=vector.CLAIMED, linestyle=dashed(DASHES[1]), **mark)
    at = point[sides.name]
    place = int(np.abs(sides.points - at).argmin())
    ends = [float(sides.left[place]), float(sides.right[place])]
    axes.plot([at, at], ends, "o", color=vector.CERTIFIED, markersize=4.2, zorder=5)
    axes.plot([at, at], ends, color=vector.CERTIFIED, linewidth=1.0, linestyle=dashed(DASHES[2]))
    axes.set(xlabel=symbols(sides.name), ylabel="value of a side")
    ticks(axes, sides.log, log_y)
    one, other = SIDE_WORDS[str(certificate["relation"])]
    keys = [
        legend_entry(one, "line", vector.EXACT),
        legend_entry(other, "line", vector.CLAIMED, DASHES[1]),
        legend_entry("counterexample", "dot", vector.CERTIFIED),
        legend_entry("here it fails", "band", vector.CERTIFIED),
    ]
    rows = [(format_number(x, 3), left, right, "no" if bad else "yes") for x, left, right, bad in table_points(sides)]
    return pictured(name, figure, keys, [caption_words(sides, point)], (sides.name, one, other, "holds"), rows)


def stretches(sides: Sides) -> list[tuple[int, int]]:
    """The runs of neighbouring points at which the formula fails: (first, last) positions."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], sides.broken, [False]]).astype(int)))
    return [(int(first), int(last) - 1) for first, last in ends.reshape(-1, 2)]


def caption_words(sides: Sides, point: Mapping[str, float]) -> str:
    """Returns the caption: where the formula fails along the variable, and the values of the other variables."""
    others = ", ".join(f"{name} = {format_number(value)}" for name, value in point.items() if name != sides.name)
    at = f", at {others}" if others else ""
    runs = []
    for first, last in stretches(sides):
        ends = format_number(float(sides.points[first]), 3), format_number(float(sides.points[last]), 3)
        runs.append(f"at {ends[0]}" if ends[0] == ends[1] else f"from {ends[0]} to {ends[1]}")
    where = "everywhere that is shown" if sides.broken.all() else f"{', '.join(runs)}, as far as is shown"
    return f"Both sides against {sides.name}{at}. The formula fails {where}."


def table_points(sides: Sides) -> list[tuple[float, float, float, bool]]:
    """At most nine points (x, left side, right side, whether it fails) for the picture's table, including both ends."""
    chosen = np.unique(np.linspace(0, len(sides.points) - 1, min(9, len(sides.points))).round().astype(int))
    columns = (sides.points, sides.left, sides.right, sides.broken)
    return [
        (float(x), float(a), float(b), bool(bad)) for x, a, b, bad in zip(*(c[chosen] for c in columns), strict=True)
    ]
