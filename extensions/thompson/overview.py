"""The first section of the report's overview: how private Thompson sampling is, for a horizon that the reader types."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import log10
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from dpbandits.extensions.thompson.horizons import HorizonRow, HorizonTable, horizon_table
from dpbandits.reference.claims.findings import above, below, columns_of
from dpbandits.reference.claims.model import ESTABLISHED_VERDICTS
from dpbandits.reports import vector
from dpbandits.reports.page import HeadlineBlock, fragment
from dpbandits.reports.plotting import PICTURE_HEIGHT, PICTURE_WIDTH, Array, Key, Picture, dashed, key, ticks
from dpbandits.reports.words import format_power

HERE = Path(__file__).parent
FIRST_HORIZON, FIRST_DELTA = 1000, 1e-6  # what is shown before a reader chooses, as in the text beside the picture
MARK, ATTACK = vector.OTHER_COLOURS[1], vector.OTHER_COLOURS[0]  # of the chosen horizon, and of attacks
NAME = "figure-horizons"
THEOREM = "ou24/theorem-3"
METHODS = {"ratios": "the threshold game", "potential": "the static potential"}
LOWEST, HIGHEST = 1.0, 1e6  # of the picture's eps


class Placed(NamedTuple):
    """A picture, and where its axes put the numbers: (logarithm, units) at two places of either axis."""

    picture: Picture
    x: tuple[tuple[float, float], tuple[float, float]]
    y: tuple[tuple[float, float], tuple[float, float]]


def headline_block(variables: Mapping[str, Any]) -> HeadlineBlock:
    """Controls, picture and table of the headline. variables: those of the overview's templates."""
    table = horizon_table()
    place, first = table.deltas.index(FIRST_DELTA), next(row for row in table.rows if row.horizon == FIRST_HORIZON)
    drawn = drawn_horizons(table)
    holds = (each for each in variables["document"]["findings"] if each["verdict"] in ESTABLISHED_VERDICTS)
    data = {
        "deltas": table.deltas,
        "rows": [
            [row.horizon, row.theorem, row.two_arms, row.any_arms, row.attack, METHODS[row.method]]
            for row in table.rows
        ],
        "x": drawn.x,
        "y": drawn.y,
    }
    given = {
        **variables,
        "drawn": drawn.picture._replace(svg=Markup(drawn.picture.svg)),
        "deltas": [(delta, format_power(delta)) for delta in table.deltas],
        "first": first,
        "method": METHODS[first.method],
        "theorem": next((each for each in holds if each["id"] == THEOREM), None),
        "first_delta": FIRST_DELTA,
        "values": [part[place] for part in (first.theorem, first.two_arms, first.attack)],
        "ends": (table.rows[0].horizon, table.rows[-1].horizon),
        "heads": columns_of(
            ("T", "Theorem 3", above("two arms"), above("any number of arms"), below("attack, two arms"))
        ),
        "rows": [(delta, table_rows(table, place)) for place, delta in enumerate(table.deltas)],
        "data": Markup(json.dumps(data, separators=(",", ":"))),
    }
    template = HERE / "templates" / "horizons.html"
    controls, figure = (fragment(template, part=part, **given) for part in ("controls", "figure"))
    return HeadlineBlock(controls, figure, HERE / "horizons.js")


def table_rows(table: HorizonTable, place: int) -> list[tuple[Any, ...]]:
    """The numbers of all horizons at one delta."""
    return [
        (
            row.horizon,
            row.theorem[place],
            row.two_arms[place],
            row.any_arms[place],
            row.attack[place] if row.attack else None,
        )
        for row in table.rows
    ]


def upper_steps(rows: Sequence[HorizonRow], values: Sequence[float]) -> Array:
    """The corners, (points, 2), of a staircase above eps: the upper bound of each horizon holds for all shorter
    horizons."""
    corners = [(rows[0].horizon, values[0])]
    for row, value in zip(rows[1:], values[1:], strict=True):
        corners += [(corners[-1][0], value), (row.horizon, value)]
    return np.array(corners, dtype=float)


def lower_steps(rows: Sequence[HorizonRow], values: Sequence[float], last: int) -> Array:
    """The corners of a staircase below eps: the lower bound of each horizon holds for all longer horizons, up to
    `last`."""
    corners: list[tuple[float, float]] = []
    ends = [row.horizon for row in rows[1:]] + [last]
    for row, value, end in zip(rows, values, ends, strict=True):
        corners += [(row.horizon, value), (end, value)]
    return np.array(corners, dtype=float).reshape(-1, 2)


def drawn_horizons(table: HorizonTable) -> Placed:
    """The curves for two arms at FIRST_DELTA; the script of the page draws the others on the same axes."""
    place, rows = table.deltas.index(FIRST_DELTA), table.rows
    attacked = [row for row in rows if row.attack]
    with vector.drawing():
        figure, axes = vector.canvas(PICTURE_WIDTH, PICTURE_HEIGHT)
        axes.set(xscale="log", yscale="log", xlim=(rows[0].horizon, rows[-1].horizon), ylim=(LOWEST, HIGHEST))
        theorem = np.array([(row.horizon, row.theorem[place]) for row in rows])
        upper = upper_steps(rows, [row.two_arms[place] for row in rows])
        lower = lower_steps(attacked, [row.attack[place] for row in attacked], rows[-1].horizon)
        axes.axvline(FIRST_HORIZON, color=MARK, linewidth=1, linestyle=dashed("1.2 1.8"))
        axes.plot(*theorem.T, color=vector.CLAIMED)
        axes.plot(*upper.T, color=vector.EXACT)
        axes.plot(*lower.T, color=ATTACK, linestyle=dashed("5 2"))
        axes.set(xlabel="T, rounds", ylabel="ε")
        ticks(axes, log_x=True, log_y=True)
        svg = vector.svg(figure, NAME)
        height = figure.get_figheight() * 72
        scale = 72 / figure.dpi
        corners = axes.transData.transform([(rows[0].horizon, LOWEST), (rows[-1].horizon, HIGHEST)]) * scale
    (left, bottom), (right, top) = corners.round(2).tolist()
    keys = (
        Key("Theorem 3", "line", vector.VARIABLES[vector.CLAIMED]),
        key("certified: the true ε is at most this", "line", vector.EXACT),
        key("attack on two arms: the true ε is at least this", "line", ATTACK, "5 2"),
        key("the chosen T", "line", MARK, "1.2 1.8"),
    )
    words = (
        "ε against T, both on logarithmic axes. Bounds were computed for the horizons in the table. Between them the "
        "bound of the next larger horizon holds, and the attack of the next smaller one, because the releases of a run "
        "contain those of its first rounds."
    )
    x = (log10(rows[0].horizon), left), (log10(rows[-1].horizon), right)
    y = (log10(LOWEST), round(height - bottom, 2)), (log10(HIGHEST), round(height - top, 2))
    return Placed(Picture(NAME, svg, keys, words, (), ()), x, y)
