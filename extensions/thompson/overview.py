"""The first section of the report's overview: how private Thompson sampling is, for a horizon that the reader types.

Its numbers are in a table, which `bench/curves/horizons.py` computes. Between its horizons they hold by monotonicity:
the releases of T rounds are a part of those of more rounds, so an upper bound for more rounds holds for T, and so does
an attack's lower bound for fewer rounds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from math import inf, log, log10, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from dpbandits.reference.claims.findings import above, below, columns_of
from dpbandits.reference.claims.model import ESTABLISHED_VERDICTS
from dpbandits.reports import vector
from dpbandits.reports.page import HeadlineBlock, PageVariables, fragment
from dpbandits.reports.plotting import PICTURE_HEIGHT, PICTURE_WIDTH, Array, Key, Picture, dashed, legend_entry, ticks
from dpbandits.reports.words import format_power

HORIZON_FILE = Path(__file__).with_name("horizons.json")


class HorizonRow(NamedTuple):
    """The bounds at one horizon, for c = 1, b = 0 and one changed pull; a number for each delta of the table. theorem:
    the eps of Theorem 3 of ou24. two_arms, any_arms: certified upper bounds on eps for two arms and for any number of
    arms. attack: a certified lower bound on eps for two arms; empty where no attack is stored. method: the basis of the
    upper bounds, as of `ThompsonPrivacy`."""

    horizon: int
    method: str
    theorem: tuple[float, ...]
    two_arms: tuple[float, ...]
    any_arms: tuple[float, ...]
    attack: tuple[float, ...] = ()


class HorizonTable(NamedTuple):
    """The bounds at all horizons, in increasing order."""

    deltas: tuple[float, ...]
    rows: tuple[HorizonRow, ...]

    def certified(self, horizon: int, arms: int | None, delta: float) -> tuple[float, int]:
        """A certified upper bound on eps and the horizon of its row in the table; inf and 0 beyond the table.
        arms: 2, or another number or None for the bound for any number."""
        place = self.deltas.index(delta)
        at = next((row for row in self.rows if row.horizon >= horizon), None)
        if at is None:
            return inf, 0
        return (at.two_arms if arms == 2 else at.any_arms)[place], at.horizon

    def attacked(self, horizon: int, delta: float) -> tuple[float, int]:
        """A certified lower bound on eps from an attack on two arms, and the number of rounds that it attacks.
        0 and 0 if there is none."""
        place = self.deltas.index(delta)
        at = next((row for row in reversed(self.rows) if row.horizon <= horizon and row.attack), None)
        return (at.attack[place], at.horizon) if at else (0.0, 0)

    def theorem(self, horizon: int, delta: float) -> float:
        """The eps of Theorem 3, interpolated between the two nearest horizons of the table.
        eps is mu^2 / 2 + z mu with mu = sqrt(T / 2), where z changes so little that it is interpolated along log T. For
        horizons within the table."""
        place = self.deltas.index(delta)
        above = next(k for k, row in enumerate(self.rows) if row.horizon >= horizon)
        beside = [self.rows[max(above - 1, 0)], self.rows[above]]
        zs = [(row.theorem[place] - row.horizon / 4) / sqrt(row.horizon / 2) for row in beside]
        whole = log(beside[1].horizon / beside[0].horizon)
        share = log(horizon / beside[0].horizon) / whole if whole else 0.0
        return horizon / 4 + (zs[0] + share * (zs[1] - zs[0])) * sqrt(horizon / 2)


@cache
def horizon_table() -> HorizonTable:
    """The table of bounds that is part of the package."""
    found = json.loads(HORIZON_FILE.read_text("utf-8"))
    columns = HorizonRow._fields[2:]
    rows = (
        HorizonRow(row["horizon"], row["method"], *(tuple(row.get(name, ())) for name in columns))
        for row in found["rows"]
    )
    return HorizonTable(tuple(found["deltas"]), tuple(rows))


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


def headline_block(variables: PageVariables) -> HeadlineBlock:
    """Returns the parts of the overview page's first section: controls, picture and table.
    variables: those of the overview's templates."""
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
    """Returns the rows of the overview's table for one delta: certified bounds and attacks at all horizons.
    place: the index of this delta."""
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
    """Returns the corners, (points, 2), of a staircase of upper bounds on eps.
    The bound at a horizon also holds for all shorter horizons."""
    corners = [(rows[0].horizon, values[0])]
    for row, value in zip(rows[1:], values[1:], strict=True):
        corners += [(corners[-1][0], value), (row.horizon, value)]
    return np.array(corners, dtype=float)


def lower_steps(rows: Sequence[HorizonRow], values: Sequence[float], last: int) -> Array:
    """Returns the corners, (points, 2), of a staircase of lower bounds on eps.
    The bound at a horizon also holds for all longer horizons, up to `last`."""
    corners: list[tuple[float, float]] = []
    ends = [row.horizon for row in rows[1:]] + [last]
    for row, value, end in zip(rows, values, ends, strict=True):
        corners += [(row.horizon, value), (end, value)]
    return np.array(corners, dtype=float).reshape(-1, 2)


def drawn_horizons(table: HorizonTable) -> Placed:
    """Draws eps against the horizon, for two arms at FIRST_DELTA, and returns the picture."""
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
        legend_entry("certified: the true ε is at most this", "line", vector.EXACT),
        legend_entry("attack on two arms: the true ε is at least this", "line", ATTACK, "5 2"),
        legend_entry("the chosen T", "line", MARK, "1.2 1.8"),
    )
    words = (
        "ε against T, both on logarithmic axes. Bounds were computed for the horizons in the table. Between them the "
        "bound of the next larger horizon holds, and the attack of the next smaller one, because the releases of a run "
        "contain those of its first rounds."
    )
    x = (log10(rows[0].horizon), left), (log10(rows[-1].horizon), right)
    y = (log10(LOWEST), round(height - bottom, 2)), (log10(HIGHEST), round(height - top, 2))
    return Placed(Picture(NAME, svg, keys, words, (), ()), x, y)
