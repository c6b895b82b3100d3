"""How the numbers of a finding are written: with PRINTED_DIGITS significant digits, the low ends of what is certified
rounded down, the high ones up, and 0 without a sign. So no finding says more than was found, and none hangs on the last
bits of functions that the C library computes one way or another (its exp has an FMA or not, scipy's ndtr is made of
it).

Certificates are left as they are: their checker has its own say about every digit.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context
from typing import Any

PRINTED_DIGITS = 6
ROUND_LOW, ROUND_NEAREST, ROUND_HIGH = (
    Context(PRINTED_DIGITS, rounding) for rounding in (ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_CEILING)
)

# What a column or a line is an end of, where its name has one of these words.
LOW_WORDS = ("at least", "shown", "no smaller", "no less", "attack", "certified from samples")
HIGH_WORDS = ("at most", "enough", "to be true")
# Of evidence of these kinds, which parts are ends; the others are rounded to the nearest. In a trade-off curve or a
# profile both coordinates: a curve that falls, and is convex, stays above all that lies below and left of it.
ROUNDED_FIELDS: Mapping[str, Mapping[str, Context]] = {
    "tradeoff": {"exact_low": ROUND_LOW, "exact_high": ROUND_HIGH, "alpha_upper": ROUND_HIGH, "beta_upper": ROUND_HIGH},
    "profile": {"exact_low": ROUND_LOW, "exact_high": ROUND_HIGH, "eps": ROUND_LOW, "delta_lower": ROUND_LOW},
    "lines": {"low": ROUND_LOW, "high": ROUND_HIGH},
    "regret": {"low": ROUND_LOW, "high": ROUND_HIGH},
}


def printed(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """An item of evidence as it is written."""
    if item["kind"] == "table":
        ends = [end_of(name) for name in item["columns"]]
        rows = [[round_printed(cell, end) for cell, end in zip(row, ends, strict=True)] for row in item["rows"]]
        return {**item, "rows": rows}
    if item["kind"] == "lines":
        return {**item, "series": [printed_series(series) for series in item["series"]]}
    if item["kind"] in ROUNDED_FIELDS:
        return by_name(item, ROUNDED_FIELDS[item["kind"]], ROUND_NEAREST)  # type: ignore[no-any-return]
    return item


def printed_series(series: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        **by_name(series, ROUNDED_FIELDS["lines"], ROUND_NEAREST),
        "points": round_printed(series["points"], end_of(series["label"])),
    }


def end_of(name: str) -> Context:
    """How numbers under this heading are rounded."""
    for words, end in ((LOW_WORDS, ROUND_LOW), (HIGH_WORDS, ROUND_HIGH)):
        if any(word in name for word in words):
            return end
    return ROUND_NEAREST


def by_name(part: Any, ends: Mapping[str, Context], end: Context) -> Any:
    """All numbers of a part rounded, by the names under which they stand."""
    if isinstance(part, Mapping):
        return {name: by_name(below, ends, ends.get(name, end)) for name, below in part.items()}
    if isinstance(part, list | tuple):
        return [by_name(below, ends, end) for below in part]
    return round_printed(part, end)


def round_printed(part: Any, end: Context) -> Any:
    """A number to PRINTED_DIGITS digits; whole ones, texts, truth values and None as they are; of a list all of it."""
    if isinstance(part, list | tuple):
        return [round_printed(each, end) for each in part]
    if not isinstance(part, float):
        return part
    return part + 0.0 if part.is_integer() else float(end.create_decimal_from_float(part)) + 0.0
