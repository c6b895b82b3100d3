"""Pictures of matrices: which statement holds in which reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpbandits.reports import vector
from dpbandits.reports.plotting import WIDTH, Picture, key, nothing, pictured

CELL = 13.0  # points
NUMBERS = 20.0  # the room above the cells for the columns' numbers
LETTER, EDGE = 4.1, 12.0  # and beside them for the rows' names


def matrix(item: Mapping[str, Any], name: str) -> Picture:
    """A square for every row and column: empty where it holds, filled where it fails. Columns have numbers, which the
    words below spell out; what fails where is in the table."""
    names, columns, cells = item["names"], item["columns"], item["cells"]
    if not names or not columns:
        return nothing(name, "The matrix is empty.")
    longest = max(map(len, names))
    width, height = LETTER * longest + EDGE + CELL * len(columns), NUMBERS + CELL * len(names)
    figure, axes = vector.canvas(max(width, WIDTH), height)
    axes.set(xlim=(-0.6, len(columns) - 0.4), ylim=(len(names) - 0.4, -0.6))
    axes.set_aspect("equal")
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.set_xticks(range(len(columns)), [str(place + 1) for place in range(len(columns))])
    axes.set_yticks(range(len(names)), names)
    for row, line in enumerate(cells):
        for column, fails in enumerate(line):
            corners = [(column + x, row + y) for x, y in ((-0.36, -0.36), (0.36, -0.36), (0.36, 0.36), (-0.36, 0.36))]
            x, y = zip(*corners, strict=True)
            if fails:
                axes.fill(x, y, color=vector.CLAIMED, linewidth=0)
            else:
                axes.fill(x, y, facecolor="none", edgecolor=vector.MUTED, linewidth=0.5)
    clean = [names[row] for row, line in enumerate(cells) if not any(line)]
    words = ["; ".join(f"{place + 1}: {each}" for place, each in enumerate(columns)) + "."]
    words.append(f"In these rows all holds: {'; '.join(clean)}." if clean else "In no row does all hold.")
    keys = [key("fails", "band", vector.CLAIMED), key("holds", "line", vector.MUTED)]
    rows = [
        (each, *(f"fails: {where}" if where else "holds" for where in line))
        for each, line in zip(names, cells, strict=True)
    ]
    return pictured(name, figure, keys, words, (item["of"], *columns), rows)
