"""How the numbers of a finding are written: with DIGITS significant digits, the low ends of what is certified rounded
down, the high ones up, and 0 without a sign. So no finding says more than was found, and none hangs on the last bits of
functions that the C library computes one way or another (its exp has an FMA or not, scipy's ndtr is made of it).

Certificates are left as they are: their checker has its own say about every digit.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context
from typing import Any

DIGITS = 6
LOW, NEAREST, HIGH = (Context(DIGITS, rounding) for rounding in (ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_CEILING))

# What a column or a line is an end of, where its name has one of these words.
LOW_WORDS = ("at least", "shown", "no smaller", "no less", "attack", "certified from samples")
HIGH_WORDS = ("at most", "enough", "to be true")
# Of evidence of these kinds, which parts are ends; the others are rounded to the nearest. In a trade-off curve or a
# profile both coordinates: a curve that falls, and is convex, stays above all that lies below and left of it.
ENDS: Mapping[str, Mapping[str, Context]] = {
    "tradeoff": {"exact_low": LOW, "exact_high": HIGH, "alpha_upper": HIGH, "beta_upper": HIGH},
    "profile": {"exact_low": LOW, "exact_high": HIGH, "eps": LOW, "delta_lower": LOW},
    "lines": {"low": LOW, "high": HIGH},
    "regret": {"low": LOW, "high": HIGH},
}


def printed(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """An item of evidence as it is written."""
    if item["kind"] == "table":
        ends = [end_of(name) for name in item["columns"]]
        rows = [[rounded(cell, end) for cell, end in zip(row, ends, strict=True)] for row in item["rows"]]
        return {**item, "rows": rows}
    if item["kind"] == "lines":
        return {**item, "series": [line(series) for series in item["series"]]}
    if item["kind"] in ENDS:
        return by_name(item, ENDS[item["kind"]], NEAREST)  # type: ignore[no-any-return]
    return item


def line(series: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**by_name(series, ENDS["lines"], NEAREST), "points": rounded(series["points"], end_of(series["label"]))}


def end_of(name: str) -> Context:
    """How numbers under this heading are rounded."""
    for words, end in ((LOW_WORDS, LOW), (HIGH_WORDS, HIGH)):
        if any(word in name for word in words):
            return end
    return NEAREST


def by_name(part: Any, ends: Mapping[str, Context], end: Context) -> Any:
    """All numbers of a part rounded, by the names under which they stand."""
    if isinstance(part, Mapping):
        return {name: by_name(below, ends, ends.get(name, end)) for name, below in part.items()}
    if isinstance(part, list | tuple):
        return [by_name(below, ends, end) for below in part]
    return rounded(part, end)


def rounded(part: Any, end: Context) -> Any:
    """A number to DIGITS digits; whole ones, texts, truth values and None as they are; of a list all of it."""
    if isinstance(part, list | tuple):
        return [rounded(each, end) for each in part]
    if not isinstance(part, float):
        return part
    return part + 0.0 if part.is_integer() else float(end.create_decimal_from_float(part)) + 0.0
