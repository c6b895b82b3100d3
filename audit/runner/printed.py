"""Rounds the numbers in a finding's evidence to PRINTED_DIGITS significant digits, lower bounds down and upper bounds
up. A rounded 0 has no sign.

So no finding states more than was found, and none depends on the last bits of functions of the C library, such as exp
with or without FMA. Certificates are not rounded, because their checker verifies every digit.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context
from typing import Any

from dpbandits.reference.claims.findings import ROUNDING, STORED_DIGITS, Side
from dpbandits.reference.claims.records import Cell, ColumnRecord, Item, SeriesRecord

PRINTED_DIGITS = STORED_DIGITS
ROUND_LOW, ROUND_NEAREST, ROUND_HIGH = (
    Context(PRINTED_DIGITS, ROUNDING[side]) for side in (Side.BELOW, Side.NEAREST, Side.ABOVE)
)
CONTEXTS = {Side.BELOW: ROUND_LOW, Side.NEAREST: ROUND_NEAREST, Side.ABOVE: ROUND_HIGH}

# Of evidence of these kinds, which parts are bounds; the others are rounded to the nearest. In a trade-off curve or a
# profile both coordinates: a curve that falls, and is convex, stays above all that lies below and left of it.
ROUNDED_FIELDS: Mapping[str, Mapping[str, Context]] = {
    "tradeoff": {"exact_low": ROUND_LOW, "exact_high": ROUND_HIGH, "alpha_upper": ROUND_HIGH, "beta_upper": ROUND_HIGH},
    "profile": {"exact_low": ROUND_LOW, "exact_high": ROUND_HIGH, "eps": ROUND_LOW, "delta_lower": ROUND_LOW},
    "lines": {"low": ROUND_LOW, "high": ROUND_HIGH},
    "regret": {"low": ROUND_LOW, "high": ROUND_HIGH},
}


def rounded_item(item: Item) -> Item:
    """Returns an item of evidence with rounded numbers.
    Raises ValueError for a table with a column that does not state in which direction its numbers are rounded."""
    if item["kind"] == "table":
        if texts := [column for column in item["columns"] if not isinstance(column, Mapping)]:
            raise ValueError(
                f'table {item["title"]!r}: the column {texts[0]!r} is a string; write {{"name": '
                f'{texts[0]!r}, "side": "below"}}, where side is below (lower bounds), above (upper bounds), '
                "nearest or exact"
            )
        rows = [
            [printed_cell(item["title"], column, cell) for column, cell in zip(item["columns"], row, strict=True)]
            for row in item["rows"]
        ]
        return {**item, "rows": rows}
    if item["kind"] == "lines":
        return {**item, "series": [printed_series(series) for series in item["series"]]}
    if item["kind"] in ROUNDED_FIELDS:
        made: Item = by_name(item, ROUNDED_FIELDS[item["kind"]], ROUND_NEAREST)
        return made
    return item


def printed_cell(title: str, column: ColumnRecord, cell: Cell) -> Cell:
    """Rounds a table's cell in the direction of its column. title: the table's."""
    if column["side"] != Side.EXACT:
        return round_printed(cell, CONTEXTS[Side(column["side"])]) if isinstance(cell, float) else cell
    if not isinstance(cell, float):
        return cell
    if round_printed(cell, ROUND_NEAREST) != cell:
        raise ValueError(
            f"table {title!r}, column {column['name']!r}: {cell!r} has more than {PRINTED_DIGITS} "
            "digits, but the column does not state how to round. Create the column with below(...) for lower bounds, "
            "with above(...) for upper bounds, or with nearest(...)"
        )
    return round_printed(cell, ROUND_NEAREST)


def printed_series(series: SeriesRecord) -> SeriesRecord:
    """Rounds the points of a curve in the direction that the curve states, by default to the nearest number."""
    made: SeriesRecord = by_name(series, ROUNDED_FIELDS["lines"], ROUND_NEAREST)
    points = by_name(series["points"], {}, CONTEXTS[Side(series.get("side", Side.NEAREST))])
    return {**made, "points": points}


def by_name(part: Any, ends: Mapping[str, Context], end: Context) -> Any:
    """Returns a copy of JSON data with all numbers rounded; integers, texts, truth values and None are unchanged.
    ends: the direction of rounding for the numbers below a field of this name. end: the direction for all other
    numbers."""
    if isinstance(part, Mapping):
        return {name: by_name(below, ends, ends.get(name, end)) for name, below in part.items()}
    if isinstance(part, list | tuple):
        return [by_name(below, ends, end) for below in part]
    return round_printed(part, end) if isinstance(part, float) else part


def round_printed(number: float, end: Context) -> float:
    """Rounds a number to PRINTED_DIGITS digits, in the direction of `end`."""
    short = number.is_integer() or float(f"{number:.{end.prec - 1}e}") == number  # so rounding again changes nothing
    return number + 0.0 if short else float(end.create_decimal_from_float(number)) + 0.0
