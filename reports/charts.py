"""Pictures of any other series, of regret beside its bound, and what matrices say in words."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from dpbandits.reference.claims.findings import Column, above, below, columns_of
from dpbandits.reports import vector
from dpbandits.reports.plotting import (
    DASHES,
    PICTURE_HEIGHT,
    PICTURE_WIDTH,
    Array,
    Key,
    Picture,
    TableRow,
    curve_rows,
    dashed,
    decades,
    empty_picture,
    finite_points,
    key,
    pictured,
    ticks,
)
from dpbandits.reports.words import DASH, count_phrase, format_number, shorten_text, symbols

CUT = " …"
SPELT = 4  # with more series than this, their ends are not spelt out in words


class Series(NamedTuple):
    label: str
    points: Array  # (points, 4): x, y, low, high; low and high equal y where there is no band
    banded: bool
    certified: bool
    colour: str
    dash: str


def lines(item: Mapping[str, Any], name: str) -> Picture:
    log_x, log_y = item["log_x"], item["log_y"]
    series = styled(item["series"])
    shown = [drawable(one, log_x, log_y) for one in series]
    if not any(len(one.points) for one in shown):
        return empty_picture(name, "None of the series has a point that these axes can show.")
    figure, axes = vector.canvas(PICTURE_WIDTH, PICTURE_HEIGHT)
    axes.set(xscale="log" if log_x else "linear", yscale="log" if log_y else "linear")
    values = np.concatenate([one.points for one in shown])
    bottom = -np.inf
    if log_y and (limits := decades(seen(values))):
        axes.set_ylim(*limits)
        bottom = limits[0]
    for one in shown:
        draw_series(axes, one, bottom)
    if log_x:
        axes.set_xlim(float(values[:, 0].min()) / 1.1, float(values[:, 0].max()) * 1.1)
    axes.set(xlabel=symbols(shorten_text(item["x"], 50)), ylabel=symbols(shorten_text(item["y"], 36)))
    ticks(axes, log_x, log_y)
    axes.margins(x=0.02)
    keys = [
        Key(one.label, "dot" if one.certified else "line", vector.VARIABLES[one.colour], one.dash) for one in series
    ]
    upright = symbols(item["y"])
    upright = upright if upright != item["y"] else upright[:1].upper() + upright[1:]
    words = [f"{upright} against {item['x']}{scales(log_x, log_y)}.", *ends_in_words(series)]
    lost = sum(len(all_.points) - len(kept.points) for all_, kept in zip(series, shown, strict=True))
    if lost:
        words.append(f"{count_phrase(lost, 'point', 'points')} at or below zero cannot be shown on a logarithmic axis.")
    if hidden := int((values[:, 1] < bottom).sum()):
        words.append(f"{count_phrase(hidden, 'point lies', 'points lie')} below the picture.")
    rows = [
        row for one in series for row in curve_rows(one.label, one.points, *(one.points.T[2:] if one.banded else ()))
    ]
    return pictured(name, figure, keys, words, ("series", item["x"], item["y"], below("low"), above("high")), rows)


def draw_series(axes: Axes, one: Series, bottom: float) -> None:
    """One series: dots if it is certified, else a line; with its band. bottom: of the vertical axis, if logarithmic."""
    x, y, low, high = one.points.T
    low = np.maximum(low, bottom / 10)  # a band that goes down to zero leaves the picture
    if one.certified:
        if one.banded:
            axes.vlines(x, low, high, color=one.colour, linewidth=0.8, alpha=0.8)
        axes.plot(x, y, "o", color=one.colour, markersize=3.4 if len(x) < 40 else 2)
        return
    if one.banded:
        axes.fill_between(x, low, high, color=one.colour, alpha=0.18, linewidth=0)
    mark: dict[str, Any] = {"marker": "s", "markersize": 3.6} if len(x) == 1 else {}
    axes.plot(x, y, color=one.colour, linestyle=dashed(one.dash), **mark)


def ends_in_words(series: Sequence[Series]) -> list[str]:
    """Where each series begins and ends; of many, only how many there are."""
    if len(series) > SPELT:
        return [f"{len(series)} series; their numbers are listed below the figure."]
    words = []
    for one in series:
        if len(one.points):
            (x0, y0, *_), (x1, y1, *_) = one.points[0].tolist(), one.points[-1].tolist()
            words.append(
                f"{one.label}: {format_number(y0)} at {format_number(x0)}, {format_number(y1)} at {format_number(x1)}."
            )
        else:
            words.append(f"{one.label}: no points.")
    return words


def styled(items: Sequence[Mapping[str, Any]]) -> list[Series]:
    """Every series with its colour and dash: the colour says what it is, the dash tells equals apart."""
    fixed = {"claimed": vector.CLAIMED, "exact": vector.EXACT, "certified": vector.CERTIFIED}
    seen: dict[str, int] = {}
    out = []
    for item in items:
        turn = seen[item["style"]] = seen.get(item["style"], -1) + 1
        if item["style"] in fixed:
            colour, dash = fixed[item["style"]], DASHES[turn % len(DASHES)]
        else:
            colour = vector.OTHER_COLOURS[turn % len(vector.OTHER_COLOURS)]
            dash = DASHES[(turn + turn // len(vector.OTHER_COLOURS)) % len(DASHES)]
        ys = [y for _, y in item["points"]]
        low, high = (
            [y if end is None else end for end, y in zip(item.get(side) or ys, ys, strict=True)]
            for side in ("low", "high")
        )
        ends = zip(item["points"], low, high, strict=True)
        points = finite_points([[*point, bottom, top] for point, bottom, top in ends], 4)
        banded = "low" in item or "high" in item
        certified = item["style"] == "certified"
        out.append(Series(item["label"], points, banded, certified, colour, "" if certified else dash))
    return out


def drawable(one: Series, log_x: bool, log_y: bool) -> Series:
    """The series without what a logarithmic axis cannot show."""
    x, y = one.points[:, 0], one.points[:, 1]
    return one._replace(points=one.points[((x > 0) | (not log_x)) & ((y > 0) | (not log_y))])


def seen(points: Array) -> Array:
    """The values that a logarithmic vertical axis has to show: all but ends of bands that are far below."""
    _, y, low, high = points.T
    return np.concatenate([y, high, low[low > y.min() / 1e3]])


def scales(log_x: bool, log_y: bool) -> str:
    if log_x and log_y:
        return ", on logarithmic axes"
    return ", on a logarithmic horizontal axis" if log_x else ", on a logarithmic vertical axis" if log_y else ""


# -- regret --------------------------------------------------------------------------------------------------


def regret(item: Mapping[str, Any], name: str) -> Picture:
    rows = [{**row, "place": str(i), "trials": row["trials"] or None} for i, row in enumerate(item["rows"], 1)]
    numbered = any(wrapped(row["label"]).endswith(CUT) for row in rows)
    columns, table = regret_table(rows, numbered)
    shown = [row for row in rows if row["mean"] is not None]
    if not shown:
        bounded = any(row["bound"] is not None for row in rows)
        said = "Nothing was played: the finding gives the bounds alone." if bounded else "Nothing was played."
        return Picture(name, "", (), said, columns if bounded else (), table if bounded else ())
    labels = [f"row {row['place']}" if numbered else wrapped(row["label"]) for row in shown]
    figure, axes = vector.canvas(PICTURE_WIDTH + 30, 44 + sum(15 + 10 * label.count("\n") for label in labels))
    bounds = [row["bound"] for row in shown if row["bound"] is not None]
    values = [row["mean"] for row in shown] + bounds
    log = min(values) > 0 and max(values) > 30 * min(values)
    axes.set(xscale="log" if log else "linear", ylim=(len(shown) - 0.4, -0.6), xlabel="regret")
    least = min(values) / 10 if log else -np.inf  # a logarithmic axis cannot show an interval down to zero
    for place, row in enumerate(shown):
        values += draw_regret_row(axes, place, row, least)
    if not log:
        axes.set_xlim(min(0.0, 1.05 * min(values)), max(0.0, 1.05 * max(values)) or 1.0)
    ticks(axes, log_x=log)
    axes.set_yticks(range(len(shown)), labels)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    keys = [key("mean regret with its confidence interval", "dot", vector.EXACT)]
    keys += [key("claimed bound", "tick", vector.CLAIMED)] if bounds else []
    words = [f"Mean regret of {count_phrase(len(shown), 'setting', 'settings')}{scales(log, False)}."]
    if numbered:
        words.append("The rows are those of the table below.")
    if ratios := [float(row["ratio"]) for row in shown if row["ratio"] is not None]:
        ends = list(dict.fromkeys([beside_one(min(ratios)), beside_one(max(ratios))]))
        words.append(f"The mean is {' to '.join(ends)} times its bound.")
    return Picture(name, vector.svg(figure, name), tuple(keys), " ".join(words), columns, table)


def regret_table(rows: Sequence[Mapping[str, Any]], numbered: bool) -> tuple[tuple[Column, ...], tuple[TableRow, ...]]:
    """The heads of the columns, and the rows; numbered: with the rows' places in front."""
    parts: dict[str, object] = {"place": "row", "label": "setting", "mean": "mean", "low": below("low")}
    parts |= {"high": above("high"), "bound": "bound", "ratio": "mean / bound", "trials": "trials"}
    if not numbered:
        del parts["place"]
    told = [part for part in parts if any(row[part] is not None for row in rows)]  # no columns of dashes
    return columns_of(parts[part] for part in told), tuple(tuple(row[part] for part in told) for row in rows)


def draw_regret_row(axes: Axes, place: int, row: Mapping[str, Any], least: float) -> list[float]:
    """A mean with its interval and its bound; returns the ends of the interval, if any, from `least` on."""
    ends = []
    if row["low"] is not None and row["high"] is not None:
        ends = [max(row["low"], least), max(row["high"], least)]
        axes.plot(ends, [place, place], color=vector.EXACT, linewidth=3, alpha=0.35, solid_capstyle="butt")
    axes.plot([row["mean"]], [place], "o", color=vector.EXACT, markersize=4)
    if row["bound"] is not None:
        axes.plot([row["bound"]], [place], "|", color=vector.CLAIMED, markersize=12, markeredgewidth=1.6)
    return ends


def beside_one(ratio: float) -> str:
    """The ratio in print, which never says 1 of what is above or below."""
    shown = format_number(ratio)
    return shown if ratio == 1 or shown != "1" else f"just {'above' if ratio > 1 else 'below'} 1"


def wrapped(label: str) -> str:
    return "\n".join(textwrap.wrap(label, 24, max_lines=2, placeholder=CUT)) or DASH


# -- matrices ------------------------------------------------------------------------------------------------


def matrix(item: Mapping[str, Any], name: str) -> Picture:
    """What the cells say in words, and in rows only what fails: row, column, where. A page has room for cells and the
    columns' numbers alone; the words spell the numbers out."""
    names, columns, cells = item["names"], item["columns"], item["cells"]
    if not names or not columns:
        return empty_picture(name, "The matrix is empty.")
    clean = [names[row] for row, line in enumerate(cells) if not any(line)]
    words = ["; ".join(f"{place + 1}: {each}" for place, each in enumerate(columns)) + "."]
    words.append(f"In these rows all holds: {'; '.join(clean)}." if clean else "In no row does all hold.")
    failing = tuple(
        (each, f"{place + 1}: {column}", where)
        for each, line in zip(names, cells, strict=True)
        for place, (column, where) in enumerate(zip(columns, line, strict=True))
        if where
    )
    return Picture(name, "", (), " ".join(words), columns_of((item["of"], "fails", "at")) if failing else (), failing)
