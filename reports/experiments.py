"""The printed experiments as a page, with more repetitions than the run that the report is about. Pure."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from math import log as logarithm
from typing import Any, NamedTuple

from markupsafe import Markup

from dpbandits.reports.experiment_figures import FigurePlace, draw_figure, figure_place, figures_of
from dpbandits.reports.page import filled
from dpbandits.reports.plotting import Picture
from dpbandits.reports.words import count_phrase, format_number

FIELDS = (
    *("claim", "paper", "section", "quote", "reading", "verdict", "repetitions"),
    *("certified", "reversed", "undecided", "measure", "settings"),
)
DOT_PICTURE_WIDTH, DOT_PICTURE_EDGE = 240.0, 6.0  # of a row's picture, in its own units
LOG_AXIS_FACTOR = 100  # averages that span a larger factor are drawn on a logarithmic axis


class Dot(NamedTuple):
    """A setting: its average, as a place on the row's picture, and one standard deviation to either side."""

    setting: str
    average: str
    spread: str
    left: float
    centre: float
    right: float


class Again(NamedTuple):
    """How an experiment ended, for whoever reads what a run with fewer repetitions, or none, says of it."""

    verdict: str
    words: str


class PlayedExperiment(NamedTuple):
    """An experiment. row: as the results have it. came_out: its comparisons, in words. ends: of its axis. log: whether
    that is logarithmic."""

    row: Mapping[str, Any]
    came_out: str
    dots: tuple[Dot, ...]
    ends: tuple[str, str]
    log: bool
    unfolded: bool
    figure: FigurePlace | None = None  # among whose lines it is drawn


def validate_results(results: Any) -> Mapping[str, Any]:
    """The results, as `experiments/results.json` has them. Raises ValueError for anything else."""
    rows = results.get("experiments") if isinstance(results, Mapping) else None
    if not isinstance(rows, Sequence) or "profile" not in results:
        raise ValueError("no results of experiments: they need 'experiments' and 'profile'")
    for position, row in enumerate(rows):
        if lacking := [field for field in FIELDS if not isinstance(row, Mapping) or field not in row]:
            raise ValueError(f"the results of experiments, row {position}: lacks {', '.join(lacking)}")
        if not row["settings"]:
            raise ValueError(f"the results of experiments, row {position}: no setting was played")
    return dict(results)


def outcomes(results: Mapping[str, Any]) -> dict[str, Again]:
    """How every experiment ended, by claim. results: as `known` lets through."""
    return {
        row["claim"]: Again(row["verdict"], f"{repetitions(row)}; {came_out(row)}") for row in results["experiments"]
    }


def repetitions(row: Mapping[str, Any]) -> str:
    return count_phrase(row["repetitions"], "repetition", "repetitions")


def came_out(row: Mapping[str, Any]) -> str:
    """The comparisons of an experiment, in words."""
    counts = (row["certified"], "as claimed"), (row["reversed"], "the other way round"), (row["undecided"], "undecided")
    ways = ", ".join(f"{count} {words}" for count, words in counts if count)
    return f"of {count_phrase(sum(count for count, _ in counts), 'comparison', 'comparisons')}: {ways}"


def experiments_page(results: Mapping[str, Any], variables: dict[str, Any]) -> str:
    """The page. results: as `known` lets through. variables: what every template may use; figures are drawn of their
    `papers` alone, for drawing takes seconds: what others played stands there in numbers and dots."""
    rows = results["experiments"]
    against = [row for row in rows if row["verdict"] == "REFUTED"]
    agreeing = [row for row in rows if row["verdict"] != "REFUTED"]
    shown = {paper.key for paper in variables["papers"]}
    drawn = draw_figures(json.dumps([row for row in rows if row["paper"] in shown]))
    shelves = {paper: [row for row in agreeing if row["paper"] == paper] for paper in {r["paper"]: 0 for r in agreeing}}
    return filled(
        "experiments.html",
        **variables,
        profile_played=results["profile"],
        against=group_by_quote(against, drawn),
        shelves={paper: group_by_quote(own, drawn) for paper, own in shelves.items()},
        opened={figure_place(row) for row in against},
        figures={where: each._replace(svg=Markup(each.svg)) for where, each in drawn.items()},  # our own, so safe
        repetitions=sorted({row["repetitions"] for row in rows}),
        counts={name: sum(row["verdict"] == name for row in rows) for name in ("CONSISTENT", "REFUTED")},
        box=(DOT_PICTURE_WIDTH, DOT_PICTURE_EDGE),
    )


@lru_cache(maxsize=2)
def draw_figures(rows: str) -> Mapping[FigurePlace, Picture]:
    """The figures of these experiments, given as JSON: drawn once in a process, for whoever writes many reports."""
    figures = figures_of(json.loads(rows))
    return {where: draw_figure(each, f"drawn-{i}") for i, (where, each) in enumerate(figures.items(), 1)}


def group_by_quote(
    rows: Sequence[Mapping[str, Any]], drawn: Container[FigurePlace]
) -> dict[tuple[str, str, str], list[PlayedExperiment]]:
    """The experiments by paper, sentence and place. drawn: the figures that there are."""
    said: dict[tuple[str, str, str], list[PlayedExperiment]] = {}
    for row in rows:
        made = played_experiment(row)
        if figure_place(row) in drawn:
            made = made._replace(figure=figure_place(row))
        said.setdefault((row["paper"], row["quote"], row["section"]), []).append(made)
    return said


def played_experiment(row: Mapping[str, Any]) -> PlayedExperiment:
    """The experiment with its picture: from the smallest average less its spread, or from 0, to the largest."""
    averages = [average for _, average, _ in row["settings"]]
    log = min(averages) > 0 and max(averages) > LOG_AXIS_FACTOR * min(averages)
    low = min(averages) / 1.5 if log else min(0.0, *(average - spread for _, average, spread in row["settings"]))
    high = max(average + spread for _, average, spread in row["settings"])
    high = high if high > low else low + 1.0

    def spot(value: float) -> float:
        value = max(value, low)
        share = logarithm(value / low) / logarithm(high / low) if log else (value - low) / (high - low)
        return round(DOT_PICTURE_EDGE + (DOT_PICTURE_WIDTH - 2 * DOT_PICTURE_EDGE) * share, 1)

    dots = tuple(
        Dot(
            name,
            format_number(average),
            format_number(spread),
            spot(average - spread),
            spot(average),
            spot(average + spread),
        )
        for name, average, spread in row["settings"]
    )
    unfolded = row["verdict"] == "REFUTED"
    return PlayedExperiment(row, came_out(row), dots, (format_number(low), format_number(high)), log, unfolded)
