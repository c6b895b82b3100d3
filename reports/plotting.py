"""Shared elements of figures: legends, axes, and tables with the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator
from numpy.typing import NDArray

from dpbandits.reference.claims.findings import Column, columns_of
from dpbandits.reference.claims.records import Cell
from dpbandits.reports import vector
from dpbandits.reports.words import format_number, format_power

Array = NDArray[np.float64]
TableRow = tuple[Cell, ...]

LineStyle = str | tuple[float, tuple[float, ...]]  # as matplotlib takes it: a name, or an offset and lengths

DASHES = ("", "5 2", "1.2 1.8", "6 1.8 1.2 1.8")  # lines of one colour are told apart by these
PICTURE_WIDTH, PICTURE_HEIGHT = 300.0, 208.0  # points
MIN_DRAWN_VALUE = 1e-15  # nothing smaller is drawn on a logarithmic axis: doubles know no smaller probabilities
MIN_DECADE_SPAN = 50  # a logarithmic axis that spans less fits its data, not its decades
SMALLEST_PLAIN = 1e-4  # smaller numbers are powers of ten in the text; then so are all on their axis
DETAIL = 7  # as many points of a curve are listed as numbers


class Key(NamedTuple):
    """One entry of a legend. look: line, band, dot or tick; colour: a CSS colour; dash: as in SVG."""

    label: str
    look: str
    colour: str
    dash: str = ""


class Picture(NamedTuple):
    """A drawing and its equivalents.

    name: the prefix of its ids on the page. svg: empty if there was nothing to draw. legend: the meaning of its marks.
    words: a description. columns, rows: its numbers, a cell for each column.
    """

    name: str
    svg: str
    legend: tuple[Key, ...]
    words: str
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]


def legend_entry(label: str, look: str, colour: str, dash: str = "") -> Key:
    """An entry of a legend. look: "line", "dot" and the like. colour: the drawing's placeholder colour."""
    return Key(label, look, vector.VARIABLES[colour], dash)


def finite_points(points: Sequence[Sequence[float | None]], coordinates: int = 2) -> Array:
    """Returns the points without null coordinates as an array (points, coordinates), ordered by x."""
    finite = ([value for value in point if value is not None] for point in points)
    kept = sorted((point for point in finite if len(point) == coordinates), key=lambda point: point[0])
    return np.array(kept, dtype=float).reshape(len(kept), coordinates)


def thin_curve(axes: Axes, curve: Array) -> Array:
    """Returns the curve without points that are too close to others to be visible.
    The limits of the axes must be set already.

    matplotlib does this by itself for long lines, but not for filled shapes.
    """
    if len(curve) < 20:
        return curve
    # The transformation is applied first: `cleaned` itself takes none but affine ones, so no logarithms.
    seen = Path(axes.transData.transform(curve)).cleaned(simplify=True)
    corners = np.asarray(seen.vertices)[np.asarray(seen.codes) != Path.STOP]
    return np.asarray(axes.transData.inverted().transform(corners), dtype=float)


def dashed(dash: str) -> LineStyle:
    """A dash pattern of SVG in the form that matplotlib expects."""
    return (0, tuple(float(length) for length in dash.split())) if dash else "solid"


# -- axes ----------------------------------------------------------------------------------------------------


def ticks(axes: Axes, log_x: bool = False, log_y: bool = False) -> None:
    """Sets a few ticks on both axes, with numbers written as in the text.
    The limits of the axes must be set already."""
    for axis, log in ((axes.xaxis, log_x), (axes.yaxis, log_y)):
        low, high = sorted(axis.get_view_interval())
        # Below two decades there may be a single power of ten, which tells no scale
        narrow, wide = log and high < 100 * low, log and (high > 1e5 * low or low < SMALLEST_PLAIN)
        locator = LogLocator(subs=(1.0, 2.0, 5.0) if narrow else (1.0,), numticks=7) if log else MaxNLocator(6)
        # Without the ticks beyond the limits: matplotlib would make them, which takes its time, and not draw them
        places, rounding = locator.tick_values(low, high), 1e-9 * (high - low)
        axis.set_major_locator(FixedLocator([each for each in places if low - rounding <= each <= high + rounding]))
        axis.set_minor_locator(NullLocator())
        # One tells ticks apart
        digits = 4 if log else max(4, int(np.log10(max(abs(low), abs(high)) / (high - low))) + 3)
        write = format_power if wide else partial(format_number, digits=digits)
        axis.set_major_formatter(FuncFormatter(lambda value, _, write=write: write(float(value))))


def decades(values: Array) -> tuple[float, float] | None:
    """Limits of a logarithmic axis that include the positive values; None if there are none."""
    positive = values[values > 0]
    if not positive.size:
        return None
    high = float(positive.max())
    low = min(max(float(positive.min()), MIN_DRAWN_VALUE if high > MIN_DRAWN_VALUE else 0.0), high)
    # No whole decades around what spans less than a few: half of the picture would be empty.
    if high < MIN_DECADE_SPAN * low:
        return low / 1.25, high * 1.25
    return float(10 ** np.floor(np.log10(low) - 0.15)) or low, float(high * 1.5)


def empty_picture(name: str, words: str) -> Picture:
    """A picture without a drawing, which consists of these words."""
    return Picture(name, "", (), words, (), ())


def curve_rows(label: str, points: Array, low: Array | None = None, high: Array | None = None) -> list[TableRow]:
    """Returns the rows of the table of a curve, as (label, x, y, low, high).
    There are at most DETAIL points, including the ends. low and high are the ends of a band."""
    chosen = np.unique(np.linspace(0, len(points) - 1, min(DETAIL, len(points))).round().astype(int))
    ends = [(None, None) if low is None or high is None else (float(low[i]), float(high[i])) for i in chosen]
    return [(label, float(points[i][0]), float(points[i][1]), *end) for i, end in zip(chosen, ends, strict=True)]


def exact_curve_rows(low: Array, high: Array) -> list[TableRow]:
    """Returns the rows of the table of an exact curve; as one band if both bounds are given at the same places."""
    if low.shape == high.shape and (low[:, 0] == high[:, 0]).all():
        return [(label, x, None, *ends) for label, x, _, *ends in curve_rows("exact", low, low[:, 1], high[:, 1])]
    return [*curve_rows("exact, lower end", low), *curve_rows("exact, upper end", high)]


def pictured(
    name: str, figure: Figure, keys: list[Key], words: list[str], heads: Sequence[object], rows: Sequence[TableRow]
) -> Picture:
    """The finished picture of a figure, with legend, caption and table. Empty columns are left out of the table."""
    every = columns_of(heads)
    kept = [i for i in range(len(every)) if any(row[i] is not None for row in rows)]
    columns = tuple(every[i] for i in kept)
    table = tuple(tuple(row[i] for i in kept) for row in rows)
    return Picture(name, vector.svg(figure, name), tuple(keys), " ".join(words), columns, table)


def enclosure_in_words(low: float, high: float) -> str:
    """Returns an enclosed number as the end of a sentence: "is 0.5" or "lies between 0.4 and 0.5"."""
    ends = format_number(low), format_number(high)
    return f"is {ends[0]}" if ends[0] == ends[1] else f"lies between {ends[0]} and {ends[1]}"


def curve_at(curve: Array, x: float) -> float:
    """The value of the curve at x, interpolated linearly."""
    return float(np.interp(x, curve[:, 0], curve[:, 1]))
