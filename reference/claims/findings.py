"""What the tables and curves of a finding hold: columns and sides, as data that every reader has to round alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from enum import StrEnum
from typing import Any


class Side(StrEnum):
    """On which side of the truth a number lies, and so which way it may be rounded."""

    BELOW = "below"  # a lower bound: rounded down
    ABOVE = "above"  # an upper bound: rounded up
    NEAREST = "nearest"  # an estimate, or a value of a formula: rounded to the nearest
    EXACT = "exact"  # words, counts and settings: not rounded in what is stored


ROUNDING = {
    Side.BELOW: ROUND_FLOOR,
    Side.ABOVE: ROUND_CEILING,
    Side.NEAREST: ROUND_HALF_EVEN,
    Side.EXACT: ROUND_HALF_EVEN,
}


def rounded(value: float, side: Side, digits: int) -> float:
    """The number with so many significant digits, toward its side: a bound is never rounded into a stronger one."""
    return float(Context(digits, ROUNDING[side]).create_decimal(Decimal(value)))


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and the side of the numbers below it."""

    name: str
    side: Side = Side.EXACT


def below(name: str) -> Column:
    """A column of certified lower bounds."""
    return Column(name, Side.BELOW)


def above(name: str) -> Column:
    """A column of certified upper bounds."""
    return Column(name, Side.ABOVE)


def nearest(name: str) -> Column:
    """A column of estimates, or of values of a formula."""
    return Column(name, Side.NEAREST)


def columns_of(heads: Iterable[object]) -> tuple[Column, ...]:
    """The columns. heads: columns, and headings alone for words, counts and settings."""
    return tuple(head if isinstance(head, Column) else Column(str(head)) for head in heads)


def table_item(title: str, columns: Iterable[object], rows: Iterable[Sequence[Any]]) -> dict[str, Any]:
    """A table as evidence of a finding. columns: as `columns_of` takes them. rows: a cell for each column: text, a
    number, a truth value or None."""
    heads = [asdict(column) for column in columns_of(columns)]
    return {"kind": "table", "title": title, "columns": heads, "rows": [list(row) for row in rows]}
