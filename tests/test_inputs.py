"""The neighbouring inputs of a refutation, as a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpbandits import QUICK, Pair, Verdict, audit_policy, flipped
from dpbandits.audit.privacy import evidence
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.reference.claims.text import NEIGHBOURS_TITLE, neighbours_table
from dpbandits.reference.papers.ou24 import ThompsonSampling

FEW = replace(QUICK, trials=2_000, pair_tries=2)


def typed(pair: Pair) -> Any:
    """The table that somebody types in."""
    return neighbours_table(evidence.stored_neighbours(pair))


def test_equal_rewards_are_one_line_and_the_changed_one_stands_alone() -> None:
    table = np.array([[0, 0, 0, 0, 1], [0.25, 0.25, 0.25, 0.25, 0.25]])
    pair = flipped("pull", table, 0, 1, 1.0)
    made = typed(pair)
    assert [each.side for each in evidence.stored_neighbours(pair).stretches] == ["", "left", "right", "", ""]
    assert [each["name"] for each in made["columns"]] == ["pull", "arm 0", "arm 1"]
    assert made["rows"] == [
        ["1", "0", "0.25"],
        ["2, left", "0", "0.25"],
        ["2, right", "1", "0.25"],
        ["3 to 4", "0", "0.25"],
        ["5", "1", "0.25"],
    ]


def test_rounds_and_runs() -> None:
    """A round changes all arms; where tables stand in runs, it is rewards that are counted."""
    pair = Pair("round", np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([[0.0, 0.0], [0.0, 0.5]]))
    made = typed(pair)
    assert (made["columns"][0]["name"], made["rows"]) == (
        "round",
        [["1", "0", "0"], ["2, left", "1", "1"], ["2, right", "0", "0.5"]],
    )
    long = flipped("pull", np.array([[0.0, 1.0]]), 0, 7, 0.0, lengths=[5, 10])
    assert typed(long)["rows"] == [
        ["1 to 5", "0"],
        ["6 to 7", "1"],
        ["8, left", "1"],
        ["8, right", "0"],
        ["9 to 15", "1"],
    ]


def test_many_stretches_are_counted() -> None:
    table = np.resize([0.0, 1.0], (1, 100))
    rows = typed(flipped("pull", table, 0, 0, 1.0))["rows"]
    assert len(rows) == evidence.MAX_WRITTEN_STRETCHES + 1
    assert rows[-1] == ["61 more", "..."]


@pytest.mark.thorough
def test_a_refutation_can_be_typed_in() -> None:
    """The table of a finding gives the pair back, whose exact loss is the finding's; what is not refuted has none."""
    policy = ThompsonSampling(2, 3)
    finding = audit_policy(policy, eps=0.5, profile=FEW)
    assert finding.verdict is Verdict.REFUTED
    (table,) = (item for item in finding.evidence if item.get("title") == NEIGHBOURS_TITLE)
    sides: dict[str, list[list[float]]] = {"left": [], "right": []}
    for place, *rewards in table["rows"]:
        where, _, side = place.partition(", ")
        first, _, last = where.partition(" to ")
        for each in [side] if side else list(sides):
            sides[each] += [[float(reward) for reward in rewards]] * (int(last or first) - int(first) + 1)
    profile = exact_profile(policy, Pair("pull", np.array(sides["left"]).T, np.array(sides["right"]).T))
    assert f"exact computation: eps at delta 0 is {profile.eps(0.0)[0]:.5g}" in finding.summary
    kept = audit_policy(policy, eps=9.0, profile=FEW)
    assert kept.verdict is not Verdict.REFUTED
    assert not [item for item in kept.evidence if item.get("title") == NEIGHBOURS_TITLE]
