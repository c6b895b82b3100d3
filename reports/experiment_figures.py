"""The printed experiments as figures: what was measured against the parameter that they vary, a line for each of the
other settings. Of tables of single experiments nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from dpbandits.reports import vector
from dpbandits.reports.plotting import DASHES, Key, Picture, dashed, key, pictured, ticks
from dpbandits.reports.words import format_number, symbols

VARIED = ("T", "b", "y", "eps", "alpha")  # what a figure may have on its horizontal axis, the first that it varies
FIGURE = re.compile(r"\d+\.\d+|figure-\w+", re.ASCII)  # the part of a claim's id that names the figure
MIN_LINE_VALUES = 3  # values of what varies: with fewer there is no line to see
MAX_LINES = 12
FIGURE_LOG_FACTOR = 50  # measures that span a larger factor are drawn on a logarithmic axis
COLOURS = (vector.EXACT, vector.CERTIFIED, *vector.OTHER_COLOURS)
FIGURE_WIDTH, FIGURE_HEIGHT = 330.0, 214.0  # points

ResultRow = Mapping[str, Any]
FigurePlace = tuple[str, str, str]  # a paper, its figure or "", and what was measured


class MeasuredPoint(NamedTuple):
    """A setting's outcome. x: the value of what varies. repetitions: over how many the average was taken."""

    x: float
    average: float
    spread: float
    repetitions: int


class Figure(NamedTuple):
    """What a figure shows. varied: the name on its horizontal axis; lines: the other settings, with their points."""

    varied: str
    measure: str
    lines: Mapping[str, Sequence[MeasuredPoint]]


def figures_of(rows: Iterable[ResultRow]) -> dict[FigurePlace, Figure]:
    """The figures of these experiments, by paper, figure and measure, where there is a line to draw."""
    sorted_out: dict[FigurePlace, list[ResultRow]] = {}
    for row in rows:
        sorted_out.setdefault(figure_place(row), []).append(row)
    made = {where: figure_of(own) for where, own in sorted_out.items() if where[1]}
    return {where: drawn for where, drawn in made.items() if drawn is not None}


def figure_place(row: ResultRow) -> FigurePlace:
    """Where an experiment is drawn."""
    named = (part for part in row["claim"].split("/")[1:] if FIGURE.fullmatch(part))
    return row["paper"], next(named, ""), row["measure"]


def figure_of(rows: Sequence[ResultRow]) -> Figure | None:
    """The figure of experiments that measured one thing; None where nothing varies enough."""
    for varied in VARIED:
        lines = lines_along(varied, rows)
        values = {point.x for points in lines.values() for point in points}
        if len(values) >= MIN_LINE_VALUES and 0 < len(lines) <= MAX_LINES:
            return Figure(varied, rows[0]["measure"], lines)
    return None


def lines_along(varied: str, rows: Sequence[ResultRow]) -> dict[str, list[MeasuredPoint]]:
    """The settings that name what varies once, by what else they say; of a setting that several experiments played,
    what rests on the most repetitions."""
    pattern = re.compile(rf"(?:, )?\b{varied} ?= ?(\d+(?:\.\d+)?)\b(?:, )?")
    best: dict[tuple[str, float], MeasuredPoint] = {}
    for row in rows:
        for setting, average, spread in row["settings"]:
            found = pattern.findall(setting)
            if len(found) != 1 or " minus " in setting:
                continue
            name = pattern.sub(lambda cut: ", " if cut[0].startswith(",") and cut[0].endswith(" ") else "", setting)
            made = MeasuredPoint(float(found[0]), average, spread, row["repetitions"])
            known = best.get((name, made.x))
            if known is None or known.repetitions < made.repetitions:
                best[name, made.x] = made
    lines: dict[str, list[MeasuredPoint]] = {}
    for (name, _), point in sorted(best.items(), key=lambda each: each[0]):
        lines.setdefault(name, []).append(point)
    return {name: points for name, points in lines.items() if len(points) > 1}


def draw_figure(shown: Figure, name: str) -> Picture:
    """The picture. Values of what varies stand side by side, whatever lies between them: they grow like powers."""
    with vector.drawing():
        canvas, axes = vector.canvas(FIGURE_WIDTH, FIGURE_HEIGHT)
        values = sorted({point.x for points in shown.lines.values() for point in points})
        averages = [point.average for points in shown.lines.values() for point in points]
        log = min(averages) > 0 and max(averages) > FIGURE_LOG_FACTOR * min(averages)
        axes.set_yscale("log" if log else "linear")
        keys: list[Key] = []
        for turn, (label, points) in enumerate(shown.lines.items()):
            colour, dash = COLOURS[turn % len(COLOURS)], DASHES[turn // len(COLOURS) % len(DASHES)]
            x = [values.index(point.x) for point in points]
            y = [point.average for point in points]
            axes.plot(x, y, "o", color=colour, markersize=3)
            axes.plot(x, y, color=colour, linestyle=dashed(dash))
            for at, point in zip(x, points, strict=True):
                low = max(point.average - point.spread, min(averages) / 2 if log else point.average - point.spread)
                axes.plot([at, at], [low, point.average + point.spread], color=colour, linewidth=0.8, alpha=0.6)
            keys.append(key(label or "all settings", "line", colour, dash))
        ticks(axes, log_y=log)
        axes.set_xticks(range(len(values)), [format_number(as_whole_number(value)) for value in values])
        axes.set(xlabel=symbols(shown.varied), ylabel="average")
        rows = [
            (label, as_whole_number(point.x), point.average, point.spread, point.repetitions)
            for label, points in shown.lines.items()
            for point in points
        ]
        columns = ("setting", shown.varied, "average", "deviation", "repetitions")
        return pictured(name, canvas, keys, [caption_words(shown, log)], columns, rows)


def as_whole_number(value: float) -> float | int:
    return int(value) if value == int(value) else value


def caption_words(shown: Figure, log: bool) -> str:
    axis = ", on a logarithmic axis" if log else ""
    return (
        f"{shown.measure}, against {shown.varied}, as it was played here{axis}: averages, and one standard deviation "
        f"of a repetition to either side. The values of {shown.varied} are set side by side, not to scale."
    )
