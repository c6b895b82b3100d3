"""Bounds on the eps of Thompson sampling for many horizons: the numbers in the picture on the report's overview.

They are stored in a table, which `bench/curves/horizons.py` computes. Between its horizons they hold by monotonicity:
the releases of T rounds are a part of those of more rounds, so an upper bound for more rounds holds for T, and so does
an attack's lower bound for fewer rounds.
"""

from __future__ import annotations

import json
from functools import cache
from math import inf, log, sqrt
from pathlib import Path
from typing import NamedTuple

HORIZON_FILE = Path(__file__).with_suffix(".json")


class HorizonRow(NamedTuple):
    """What is known at one horizon, c = 1 and b = 0, one pull changed; a number for each delta of the table.

    theorem: the eps of Theorem 3 of ou24. two_arms, any_arms: no larger eps is needed, for two arms and for any number
    of arms. attack: no smaller eps is valid for two arms; empty where no attack is kept. method: the basis of the upper
    bounds, as of `ThompsonPrivacy`.
    """

    horizon: int
    method: str
    theorem: tuple[float, ...]
    two_arms: tuple[float, ...]
    any_arms: tuple[float, ...]
    attack: tuple[float, ...] = ()


class HorizonTable(NamedTuple):
    """All rows, by rising horizons."""

    deltas: tuple[float, ...]
    rows: tuple[HorizonRow, ...]

    def certified(self, horizon: int, arms: int | None, delta: float) -> tuple[float, int]:
        """A certified upper bound on eps, and the horizon it was computed for; inf and 0 beyond the table. arms: 2, or
        another number or None for the bound for any number."""
        place = self.deltas.index(delta)
        at = next((row for row in self.rows if row.horizon >= horizon), None)
        if at is None:
            return inf, 0
        return (at.two_arms if arms == 2 else at.any_arms)[place], at.horizon

    def attacked(self, horizon: int, delta: float) -> tuple[float, int]:
        """A certified lower bound on eps from an attack on two arms, and the number of rounds that it attacks; 0 and 0
        if there is none."""
        place = self.deltas.index(delta)
        at = next((row for row in reversed(self.rows) if row.horizon <= horizon and row.attack), None)
        return (at.attack[place], at.horizon) if at else (0.0, 0)

    def theorem(self, horizon: int, delta: float) -> float:
        """The eps of Theorem 3, interpolated between the two nearest horizons of the table: eps is mu^2 / 2 + z mu
        with mu = sqrt(T / 2), where z changes so little that it is interpolated along log T. For horizons within the
        table."""
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
