"""How the numbers of findings are written: few digits, outward, and no sign of 0."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from dpbandits.audit.runner.printed import (
    PRINTED_DIGITS,
    ROUND_HIGH,
    ROUND_LOW,
    ROUND_NEAREST,
    by_name,
    round_printed,
    rounded_item,
)
from dpbandits.reference.claims.findings import above, below, nearest, table_item

DRAWN = (np.random.default_rng(7).normal(size=300) * 10.0 ** np.arange(-150, 150)).tolist()


def test_ends_are_rounded_outward() -> None:
    for number in [*DRAWN, 1 - 2.0**-53, 1e-310, 0.1 + 0.2]:
        low, nearest, high = (round_printed(number, end) for end in (ROUND_LOW, ROUND_NEAREST, ROUND_HIGH))
        assert low <= nearest <= high
        assert low == number or Decimal(repr(low)) <= Decimal(number)
        assert high == number or Decimal(number) <= Decimal(repr(high))
        assert high - low <= 10.0 ** (1 - PRINTED_DIGITS) * abs(number) * (1 + 1e-9) + 1e-320


@pytest.mark.parametrize("number", [0.5, 0.0, 3.0, 1234567.0, 17, True, None, "0.123456789"])
def test_what_is_short_stays(number: Any) -> None:
    assert all(by_name(number, {}, end) == number for end in (ROUND_LOW, ROUND_NEAREST, ROUND_HIGH))


def test_to_round_again_changes_nothing() -> None:
    """A table is made from numbers that were rounded already: 1.2 as a double is a little less than 1.2."""
    for number in [*DRAWN, 1.2, 0.3, 1.11417]:
        for end in (ROUND_LOW, ROUND_NEAREST, ROUND_HIGH):
            once = round_printed(number, end)
            assert round_printed(once, end) == once


def test_zero_has_no_sign() -> None:
    assert json.dumps([round_printed(number, ROUND_LOW) for number in (-0.0, -2.0)]) == "[0.0, -2.0]"


def test_every_kind_of_evidence() -> None:
    at = 0.123456789
    low, nearest_at, high = 0.123456, 0.123457, 0.123457
    head = {"title": "", "claimed": [[at, at]], "exact_low": [[at, at]], "exact_high": [[at, at]]}
    ends = {"alpha": at, "beta": at, "alpha_upper": at, "beta_upper": at}
    found = rounded_item({"kind": "tradeoff", **head, "points": [ends]})
    assert found["exact_low"] == [[low, low]]
    assert found["exact_high"] == [[high, high]]
    assert found["claimed"] == [[nearest_at, nearest_at]]
    assert found["points"] == [{"alpha": nearest_at, "beta": nearest_at, "alpha_upper": high, "beta_upper": high}]
    found = rounded_item({"kind": "profile", **head, "points": [{"eps": at, "delta_lower": at}]})
    assert found["points"] == [{"eps": low, "delta_lower": low}]
    row = {"label": "a", "mean": at, "low": at, "high": at, "bound": None, "ratio": at, "trials": 7}
    found = rounded_item({"kind": "regret", "title": "", "rows": [row]})
    assert found["rows"] == [{**row, "mean": nearest_at, "low": low, "high": high, "ratio": nearest_at}]
    columns = ["T", below("eps"), nearest("eps"), above("eps"), "claimed"]
    found = rounded_item(table_item("", columns, [[1, at, at, -at, "0.123456789"]]))
    assert found["rows"] == [[1, low, nearest_at, -low, "0.123456789"]]
    line = {"label": "attack", "points": [[1, at]], "low": [at], "high": [at], "style": "exact", "side": "below"}
    found = rounded_item({"kind": "lines", "log_x": False, "series": [line]})
    assert found["series"] == [{**line, "points": [[1, low]], "low": [low], "high": [high]}]
    certificate = {"kind": "certificate", "certificate": {"type": "formula", "within": at}}
    assert rounded_item(certificate) is certificate


@pytest.mark.parametrize("name", ["eps, at least", "enough", "shown by an attack"])
def test_words_in_a_heading_choose_no_direction(name: str) -> None:
    """The side of a column does, whatever stands above it."""
    found = [rounded_item(table_item("", [head(name)], [[0.123456789]]))["rows"] for head in (below, nearest, above)]
    assert found == [[[0.123456]], [[0.123457]], [[0.123457]]]


def test_a_number_that_must_be_rounded_needs_a_side() -> None:
    assert rounded_item(table_item("", ["eps"], [[0.125, 3, None, True, "0.123456789"][k : k + 1] for k in range(5)]))
    with pytest.raises(ValueError, match=r"table 'T', column 'eps': 0.123456789 has more than 6 digits.*below"):
        rounded_item(table_item("T", ["eps"], [[0.123456789]]))
    with pytest.raises(ValueError, match=r"table 'T': the column 'eps' is a string; write .\"name\": 'eps', \"side\""):
        rounded_item({"kind": "table", "title": "T", "columns": ["eps"], "rows": []})
