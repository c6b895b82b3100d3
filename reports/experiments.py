"""The page about the papers' experiments, which are repeated more often here than in the audit. A figure shows a
measured quantity against the parameter that varies, with one line for each combination of the other parameters. No side
effects."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from math import log as logarithm
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

from markupsafe import Markup

from dpbandits.reports import vector
from dpbandits.reports.page import PageVariables, rendered_page
from dpbandits.reports.plotting import DASHES, PICTURE_WIDTH, Key, Picture, dashed, legend_entry, pictured, ticks
from dpbandits.reports.tally import Again
from dpbandits.reports.words import count_phrase, format_number, symbols

VARIED = ("T", "b", "y", "eps", "alpha")  # what a figure may have on its horizontal axis, the first that it varies
MIN_LINE_VALUES = 3  # values of what varies: with fewer there is no line to see
MAX_LINES = 12
FIGURE_LOG_FACTOR = 50  # measures that span a larger factor are drawn on a logarithmic axis
COLOURS = (vector.EXACT, vector.CERTIFIED, *vector.OTHER_COLOURS)
FIGURE_HEIGHT = 214.0  # points
TICK_CHARACTERS = 45  # below a figure, if all marks are as long as the longest; more of them are written aslant

FigurePlace = tuple[str, str, str]  # a paper, its figure or "", and what was measured
FIELDS = (
    *("claim", "paper", "section", "figure", "quote", "reading", "verdict", "repetitions"),
    *("certified", "reversed", "undecided", "measure", "settings"),
)
DOT_PICTURE_WIDTH, DOT_PICTURE_EDGE = 240.0, 6.0  # of a row's picture, in its own units
LOG_AXIS_FACTOR = 100  # averages that span a larger factor are drawn on a logarithmic axis


class PartRecord(TypedDict):
    """A part of a setting's label, as in `findings.LabelPart`."""

    text: str
    name: str
    value: float | None


class ResultRow(TypedDict):
    """An experiment in `experiments/results.json`. repetitions: how often it was played. certified, reversed,
    undecided: the numbers of its comparisons. figure: in the paper; "" for none. measure: the measured quantity.
    settings: (label, average, standard deviation). parts: of the labels, if known."""

    claim: str
    paper: str
    section: str
    figure: str
    quote: str
    reading: str
    verdict: str
    repetitions: int
    certified: int
    reversed: int
    undecided: int
    measure: str
    settings: Sequence[tuple[str, float, float]]
    parts: NotRequired[Mapping[str, Sequence[PartRecord]]]


class Results(TypedDict):
    """The content of `experiments/results.json`. profile: of the run."""

    profile: str
    experiments: Sequence[ResultRow]


class MeasuredPoint(NamedTuple):
    """The result of a setting. x: the value of the varying parameter. repetitions: the number of repetitions in the
    average."""

    x: float
    average: float
    spread: float
    repetitions: int


class Figure(NamedTuple):
    """The content of a figure. varied: the name on its horizontal axis; lines: the other parameters, with their
    points."""

    varied: str
    measure: str
    lines: Mapping[str, Sequence[MeasuredPoint]]


def figures_of(rows: Iterable[ResultRow]) -> dict[FigurePlace, Figure]:
    """The figures that can be drawn from these experiments, by paper, figure and measured quantity."""
    sorted_out: dict[FigurePlace, list[ResultRow]] = {}
    for row in rows:
        sorted_out.setdefault(figure_key(row), []).append(row)
    made = {where: figure_of(own) for where, own in sorted_out.items() if where[1]}
    return {where: drawn for where, drawn in made.items() if drawn is not None}


def figure_key(row: ResultRow) -> FigurePlace:
    """The figure to which an experiment belongs: paper, figure or section ("" for none), and measured quantity."""
    return row["paper"], row["figure"], row["measure"]


def figure_title(where: FigurePlace) -> str:
    """The title of a figure, such as "Section 5.1: the pseudo-regret of every setting"."""
    _, figure, measure = where
    return f"{figure}: {measure[:1].lower()}{measure[1:]}"


def figure_of(rows: Sequence[ResultRow]) -> Figure | None:
    """The figure of experiments that measured the same quantity.
    None if no parameter takes enough values for a line."""
    for varied in VARIED:
        lines = lines_along(varied, rows)
        values = {point.x for points in lines.values() for point in points}
        if len(values) >= MIN_LINE_VALUES and 0 < len(lines) <= MAX_LINES:
            return Figure(varied, rows[0]["measure"], lines)
    return None


def lines_along(varied: str, rows: Sequence[ResultRow]) -> dict[str, list[MeasuredPoint]]:
    """Returns the points of each line of a figure, by the values of all parameters except `varied`.
    They are the results of all settings in which exactly one part is the varying parameter. If a setting was measured
    in several experiments, the result with the most repetitions counts."""
    best: dict[tuple[str, float], MeasuredPoint] = {}
    for row in rows:
        for setting, average, spread in row["settings"]:
            parts = row.get("parts", {}).get(setting, ())
            found = [part["value"] for part in parts if part["name"] == varied and part["value"] is not None]
            if len(found) != 1:
                continue
            name = ", ".join(part_name(part) for part in parts if part["name"] != varied)
            made = MeasuredPoint(found[0], average, spread, row["repetitions"])
            known = best.get((name, made.x))
            if known is None or known.repetitions < made.repetitions:
                best[name, made.x] = made
    lines: dict[str, list[MeasuredPoint]] = {}
    for (name, _), point in sorted(best.items(), key=lambda each: each[0]):
        lines.setdefault(name, []).append(point)
    return {name: points for name, points in lines.items() if len(points) > 1}


def draw_figure(figure: Figure, name: str) -> Picture:
    """The picture of a figure. The values of the varying parameter are evenly spaced, because they grow like powers."""
    with vector.drawing():
        canvas, axes = vector.canvas(PICTURE_WIDTH, FIGURE_HEIGHT)
        values = sorted({point.x for points in figure.lines.values() for point in points})
        averages = [point.average for points in figure.lines.values() for point in points]
        log = min(averages) > 0 and max(averages) > FIGURE_LOG_FACTOR * min(averages)
        axes.set_yscale("log" if log else "linear")
        keys: list[Key] = []
        for turn, (label, points) in enumerate(figure.lines.items()):
            colour, dash = COLOURS[turn % len(COLOURS)], DASHES[turn // len(COLOURS) % len(DASHES)]
            x = [values.index(point.x) for point in points]
            y = [point.average for point in points]
            axes.plot(x, y, "o", color=colour, markersize=3)
            axes.plot(x, y, color=colour, linestyle=dashed(dash))
            for at, point in zip(x, points, strict=True):
                low = max(point.average - point.spread, min(averages) / 2 if log else point.average - point.spread)
                axes.plot([at, at], [low, point.average + point.spread], color=colour, linewidth=0.8, alpha=0.6)
            keys.append(legend_entry(label or "all settings", "line", colour, dash))
        ticks(axes, log_y=log)
        marks = [format_number(as_whole_number(value)) for value in values]
        crowded = len(marks) * max(map(len, marks)) > TICK_CHARACTERS
        aslant: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
        axes.set_xticks(range(len(values)), marks, **aslant)
        axes.set(xlabel=symbols(figure.varied), ylabel="average")
        rows = [
            (label, as_whole_number(point.x), point.average, point.spread, point.repetitions)
            for label, points in figure.lines.items()
            for point in points
        ]
        columns = ("setting", figure.varied, "average", "deviation", "repetitions")
        return pictured(name, canvas, keys, [caption_words(figure, log)], columns, rows)


def setting_name(row: ResultRow, setting: str) -> str:
    """The name of a setting made of its parts, such as "eta = 1, b = 100".
    The setting's own text if it has no parts."""
    return ", ".join(map(part_name, row.get("parts", {}).get(setting, ()))) or setting


def part_name(part: PartRecord) -> str:
    """A part of a setting as text: a parameter with its value, or words."""
    if part["value"] is None:
        return part["text"]
    return f"{part['name']} = {format_number(as_whole_number(part['value']))}"


def settings_in_order(row: ResultRow) -> list[tuple[str, float, float]]:
    """The settings of an experiment as (name, average, deviation).
    They are ordered by the values of their parameters if all have the same parameters, otherwise as in the results."""
    known = [row.get("parts", {}).get(name, ()) for name, _, _ in row["settings"]]
    alike = {tuple(part["name"] or part["text"] for part in parts) for parts in known}
    if len(alike) != 1:
        return list(row["settings"])
    values = [tuple(part["value"] for part in parts if part["value"] is not None) for parts in known]
    return [each for _, each in sorted(zip(values, row["settings"], strict=True), key=lambda pair: pair[0])]


def as_whole_number(value: float) -> float | int:
    """The value as an int if it is an integer, otherwise unchanged."""
    return int(value) if value == int(value) else value


def caption_words(figure: Figure, log: bool) -> str:
    """The caption of a figure. log: whether its vertical axis is logarithmic."""
    axis = ", on a logarithmic axis" if log else ""
    return (
        f"{figure.measure}, against {figure.varied}, as it was played here{axis}: averages, and one standard deviation "
        f"of a repetition to either side. The values of {figure.varied} are set side by side, not to scale."
    )


class Dot(NamedTuple):
    """A setting: the position of its average in the row's picture, and one standard deviation to either side."""

    setting: str
    average: str
    spread: str
    left: float
    centre: float
    right: float


class PlayedExperiment(NamedTuple):
    """An experiment. row: as in the results. came_out: its comparisons, in words. ends: of its axis. log: whether the
    axis is logarithmic."""

    row: ResultRow
    came_out: str
    dots: tuple[Dot, ...]
    ends: tuple[str, str]
    log: bool
    unfolded: bool
    figure: FigurePlace | None = None  # among whose lines it is drawn


def validate_results(results: object) -> Results:
    """The results of experiments, checked to have the form of `experiments/results.json`.
    Raises ValueError otherwise."""
    fields = results if isinstance(results, Mapping) else {}
    rows = fields.get("experiments")
    if not isinstance(rows, Sequence) or "profile" not in fields:
        raise ValueError("the results of experiments must have the keys 'experiments' and 'profile'")
    for position, row in enumerate(rows):
        if lacking := [field for field in FIELDS if not isinstance(row, Mapping) or field not in row]:
            raise ValueError(f"the results of experiments, row {position}: missing keys: {', '.join(lacking)}")
        if not row["settings"]:
            raise ValueError(f"the results of experiments, row {position}: the list of settings is empty")
    return cast(Results, results)


def outcomes(results: Results) -> dict[str, Again]:
    """The result of every experiment, {claim: result}. results: validated ones."""
    return {
        row["claim"]: Again(row["verdict"], f"{repetitions(row)}; {came_out(row)}") for row in results["experiments"]
    }


def repetitions(row: ResultRow) -> str:
    """The number of repetitions of an experiment in words."""
    return count_phrase(row["repetitions"], "repetition", "repetitions")


def came_out(row: ResultRow) -> str:
    """Returns in words how many comparisons agree with an experiment's claim, contradict it, or are undecided."""
    counts = (row["certified"], "as claimed"), (row["reversed"], "the other way round"), (row["undecided"], "undecided")
    ways = ", ".join(f"{count} {words}" for count, words in counts if count)
    return f"of {count_phrase(sum(count for count, _ in counts), 'comparison', 'comparisons')}: {ways}"


def experiments_page(results: Results, variables: PageVariables) -> str:
    """The HTML page about the experiments. results: validated ones. variables: used by every template.
    Figures are drawn only for their `papers`, because drawing takes seconds; the other experiments are shown as numbers
    and dots."""
    rows = results["experiments"]
    against = [row for row in rows if row["verdict"] == "REFUTED"]
    agreeing = [row for row in rows if row["verdict"] != "REFUTED"]
    shown = {paper.key for paper in variables["papers"]}
    drawn = draw_figures(json.dumps([row for row in rows if row["paper"] in shown]))
    shelves = {paper: [row for row in agreeing if row["paper"] == paper] for paper in {r["paper"]: 0 for r in agreeing}}
    disagreeing = group_by_quote(against, drawn)
    titles = {paper: known["title"] for paper, known in variables["document"].get("papers", {}).items()}
    return rendered_page(
        "experiments.html",
        **variables,
        profile_played=results["profile"],
        against=disagreeing,
        drawn_at=figures_by_sentence(disagreeing),
        titles={where: figure_title(where) for where in drawn},
        headings={paper: ": ".join(filter(None, (paper, titles.get(paper, "")))) for paper in shelves},
        shelves={paper: group_by_quote(own, drawn) for paper, own in shelves.items()},
        opened={figure_key(row) for row in against},
        figures={where: each._replace(svg=Markup(each.svg)) for where, each in drawn.items()},  # our own, so safe
        repetitions=sorted({row["repetitions"] for row in rows}),
        counts={name: sum(row["verdict"] == name for row in rows) for name in ("CONSISTENT", "REFUTED")},
        box=(DOT_PICTURE_WIDTH, DOT_PICTURE_EDGE),
    )


@lru_cache(maxsize=2)
def draw_figures(rows: str) -> Mapping[FigurePlace, Picture]:
    """The figures of these experiments as pictures. rows: the experiments as JSON.
    Each figure is drawn once in a process, even if it writes many reports."""
    figures = figures_of(json.loads(rows))
    return {where: draw_figure(each, f"drawn-{i}") for i, (where, each) in enumerate(figures.items(), 1)}


def group_by_quote(
    rows: Sequence[ResultRow], drawn: Container[FigurePlace]
) -> dict[tuple[str, str, str], list[PlayedExperiment]]:
    """The experiments grouped by the sentence that they test: {(paper, sentence, section): experiments}.
    drawn: the existing figures."""
    said: dict[tuple[str, str, str], list[PlayedExperiment]] = {}
    for row in rows:
        made = played_experiment(row)
        if figure_key(row) in drawn:
            made = made._replace(figure=figure_key(row))
        said.setdefault((row["paper"], row["quote"], row["section"]), []).append(made)
    return said


def figures_by_sentence(
    experiments_by_sentence: Mapping[tuple[str, str, str], Sequence[PlayedExperiment]],
) -> dict[tuple[str, str, str], list[FigurePlace]]:
    """The figures to draw below each sentence, {(paper, sentence, section): figures}.
    Each figure is drawn once, below the first sentence that is about it."""
    seen = set[FigurePlace]()
    made: dict[tuple[str, str, str], list[FigurePlace]] = {}
    for place, experiments in experiments_by_sentence.items():
        figures = dict.fromkeys(each.figure for each in experiments if each.figure is not None)
        made[place] = [figure for figure in figures if figure not in seen]
        seen.update(figures)
    return made


def played_experiment(row: ResultRow) -> PlayedExperiment:
    """An experiment with the dots of its small picture.
    The axis goes from the smallest average minus its spread, or from 0, to the largest."""
    averages = [average for _, average, _ in row["settings"]]
    log = min(averages) > 0 and max(averages) > LOG_AXIS_FACTOR * min(averages)
    low = min(averages) / 1.5 if log else min(0.0, *(average - spread for _, average, spread in row["settings"]))
    high = max(average + spread for _, average, spread in row["settings"])
    high = high if high > low else low + 1.0

    def spot(value: float) -> float:
        """Returns the horizontal position of a value in the picture, in units of the drawing."""
        value = max(value, low)
        share = logarithm(value / low) / logarithm(high / low) if log else (value - low) / (high - low)
        return round(DOT_PICTURE_EDGE + (DOT_PICTURE_WIDTH - 2 * DOT_PICTURE_EDGE) * share, 1)

    dots = tuple(
        Dot(
            setting_name(row, name),
            format_number(average),
            format_number(spread),
            spot(average - spread),
            spot(average),
            spot(average + spread),
        )
        for name, average, spread in settings_in_order(row)
    )
    unfolded = row["verdict"] == "REFUTED"
    return PlayedExperiment(row, came_out(row), dots, (format_number(low), format_number(high)), log, unfolded)
