"""Timings of earlier runs: what a plan says, and how a run is divided by them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dpbandits import QUICK
from dpbandits.audit.judges.effort import asking_kernel
from dpbandits.audit.runner.progress import duration_in_words
from dpbandits.audit.runner.timings import (
    LISTED_CLAIMS,
    plan_text,
    profile_key,
    read_timings,
    seconds_of_group,
    shipped_timings,
    updated,
)
from dpbandits.reference.claims.ledger import ledger

CLAIMS = [ledger().by_id[name] for name in ("ou24/lemma-3", "ou24/lemma-4", "ou24/lemma-1")]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 seconds"),
        (1.4, "1 second"),
        (1.6, "2 seconds"),
        (89.4, "89 seconds"),
        (90, "2 minutes"),
        (5399, "90 minutes"),
        (5400, "1.5 hours"),
    ],
)
def test_durations_are_written_with_a_unit_that_fits(seconds: float, said: str) -> None:
    assert duration_in_words(seconds) == said


@pytest.mark.parametrize("text", ["", "{", "[]", '{"profiles": []}', '{"profiles": {"ci": 3}}',
                                  '{"profiles": {"ci": {"a": "x"}}}'])  # fmt: skip
def test_a_file_without_timings_has_none(text: str, tmp_path: Path) -> None:
    path = tmp_path / "timings.json"
    assert read_timings(path) == {}
    path.write_text(text)
    assert read_timings(path) == {}
    path.write_text(json.dumps({"profiles": {"ci": {"a": 3, "b": 0.5}}}))
    assert read_timings(path) == {"ci": {"a": 3.0, "b": 0.5}}


def test_a_later_run_replaces_the_timings_of_its_claims_alone() -> None:
    earlier = {"quick": {"a": 1.0, "b": 2.0}, "ci": {"a": 9.0}}
    assert updated(earlier, "quick", {"b": 3.0, "c": 4.0}) == {
        "quick": {"a": 1.0, "b": 3.0, "c": 4.0},
        "ci": {"a": 9.0},
    }
    assert earlier["quick"]["b"] == 2.0


def test_a_plan_adds_up_what_was_measured_and_counts_the_rest() -> None:
    """Claims that are finished cost nothing in this profile; of another profile they are counted."""
    timings = {"quick": {"ou24/lemma-3": 10.0, "ou24/lemma-1": 200.0}, "ci": {"ou24/lemma-1": 7200.0}}
    lines = plan_text(CLAIMS, QUICK, 2, timings).splitlines()
    assert lines[1].split() == ["200.0", "ou24/lemma-1"]
    assert lines[2].split() == ["10.0", "ou24/lemma-3"]
    assert lines[3:] == [
        "profile quick: 210 core seconds for 2 claims, about 2 minutes with --jobs 2; 1 claim was not measured",
        "profile ci: 7200 core seconds for 1 claim, about 60 minutes with --jobs 2; 2 claims were not measured",
        "profile deep: no earlier run is known; its timings.json will say",
    ]
    lines = plan_text(CLAIMS, QUICK, 1, timings, finished={"ou24/lemma-1"}).splitlines()
    assert "profile quick: 10 core seconds for 1 claim, about 10 seconds with --jobs 1; 1 claim" in lines[2]
    assert "profile ci: 7200 core seconds" in lines[3]
    assert lines[-1] == "finished in the folder, and not counted above: 1 claim"


def test_a_plan_of_many_claims_lists_the_longest() -> None:
    claims = ledger().claims[: LISTED_CLAIMS + 5]
    timings = {"quick": {claim.id: 1.0 + number for number, claim in enumerate(claims)}}
    lines = plan_text(claims, QUICK, 1, timings).splitlines()
    assert lines[1].split() == [f"{LISTED_CLAIMS + 5:.1f}", claims[-1].id]
    assert lines[LISTED_CLAIMS + 1].split() == ["15.0", "5", "more", "claims", "together"]


def test_timings_with_the_kernel_are_another_profiles() -> None:
    """So a plan with --rocq does not show the seconds of a run without it."""
    asking = asking_kernel(QUICK, True)
    assert (profile_key(QUICK), profile_key(asking)) == ("quick", "quick --rocq")
    timings = {
        "quick": {"ou24/lemma-3": 1.0},
        "quick --rocq": {"ou24/lemma-3": 99.0},
        "ci --rocq": {"ou24/lemma-3": 7.0},
    }
    for profile, seconds in ((QUICK, "1"), (asking, "99")):
        line = next(
            each for each in plan_text(CLAIMS[:1], profile, 1, timings).splitlines() if each.startswith("profile quick")
        )
        assert line.startswith(f"profile {profile_key(profile)}: {seconds} core seconds")
    assert "profile ci --rocq: 7 core seconds" in plan_text(CLAIMS[:1], asking, 1, timings)


def test_installed_timings_know_the_quick_ledger() -> None:
    """Most of it: claims that joined since are not measured."""
    quick = shipped_timings()["quick"]
    known = [claim for claim in ledger().claims if claim.id in quick]
    assert len(known) > 0.8 * len(ledger().claims)
    assert all(0 <= seconds < 600 for seconds in quick.values())
    assert seconds_of_group(CLAIMS, QUICK) == pytest.approx(sum(quick[claim.id] for claim in CLAIMS), rel=1e-12)
    assert seconds_of_group([*CLAIMS, replace(CLAIMS[0], id="toy/new")], QUICK) is None
