"""Bounds become neither looser nor tighter, and searches find neither less nor more, without somebody's notice."""

from __future__ import annotations

from math import nan

import pytest
from kept_results import RESULTS, changes, kept, recorded

RECORD = recorded()
HOW = "see tests/kept_results.py: how to read what changed, and how to record it"


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_the_recorded_one(name: str) -> None:
    assert changes(RECORD.get(name, {}), kept(RESULTS[name]())) == [], HOW


def test_the_record_has_no_other_results() -> None:
    assert list(RECORD) == list(RESULTS), HOW


def test_a_changed_number_a_missing_and_a_new_one_are_changes() -> None:
    old = kept({"bound": 1.0, "pairs": [1, 2], "words": "one of 7 pairs, with many others that are not counted here"})
    assert old == {"bound": 1.0, "pairs/0": 1, "pairs/1": 2, "words": "7"}
    assert changes(old, kept({"bound": 1.0 + 1e-9, "pairs": [1, 2], "words": "7"})) == []
    assert changes(old, kept({"bound": 1.1, "pairs": [1], "words": "8", "verdict": "REFUTED"})) == [
        "bound: 1.0 -> 1.1", "pairs/1: 2 -> None", "words: 7 -> 8", "verdict: None -> REFUTED"
    ]  # fmt: skip


def test_long_lists_are_summed_with_and_without_weights() -> None:
    assert kept([1.0] * 13) == {", 13 numbers, sum": 13.0, ", 13 numbers, weighted": 6.5}
    first, last = ([float(k == place) for k in range(13)] for place in (0, 12))
    assert changes(kept(first), kept(last)) == [", 13 numbers, weighted: 0.0 -> 1.0"]
    assert kept([*first, nan]) == kept([*first, 0.0])
