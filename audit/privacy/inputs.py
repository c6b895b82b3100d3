"""The neighbours of an audit as a table: what somebody types in who wants to see for himself."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np

from dpbandits.reference.neighbours import Pair

TITLE = "The neighbouring inputs: what each arm pays"
MOST = 40  # stretches of equal rewards that are written out


def inputs(pair: Pair) -> dict[str, Any]:
    """The evidence: a line for each stretch of equal rewards, two for what is changed. Pull n is the n-th of an arm."""
    many = np.ones(pair.left.shape[1], dtype=int) if pair.lengths is None else np.asarray(pair.lengths)
    ends = np.cumsum(many).tolist()
    changed = None if pair.spot is None else pair.column(pair.spot[1])
    rows: list[list[Any]] = []
    for _, stretch in groupby(range(len(many)), lambda k: (k == changed, *pair.left[:, k].tolist())):
        places = list(stretch)
        first, last = ends[places[0]] - int(many[places[0]]) + 1, ends[places[-1]]
        where = f"{first}" if first == last else f"{first} to {last}"
        if places[0] == changed:
            rows += [[f"{where}, {side}", *paid(getattr(pair, side), changed)] for side in ("left", "right")]
        else:
            rows.append([where, *paid(pair.left, places[0])])
    if len(rows) > MOST:
        rows = [*rows[:MOST], [f"{len(rows) - MOST} more", *["..."] * len(pair.left)]]
    return {
        "kind": "table",
        "title": TITLE,
        "columns": [pair.relation, *map(name, range(len(pair.left)))],
        "rows": rows,
    }


def name(arm: int) -> str:
    return f"arm {arm}"


def paid(table: Any, column: int) -> list[str]:
    return [f"{value:.12g}" for value in table[:, column].tolist()]
