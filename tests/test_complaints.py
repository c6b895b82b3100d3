"""What a failing test says: short, with the event that tells the inputs apart."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from dpbandits import Verdict, audit_mechanism, from_object
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.privacy.own_claims import own_claim
from dpbandits.audit.pytest_plugin.failures import complaint
from dpbandits.reference.bandits.protocol import complaint_text, protocol_faults
from dpbandits.reference.claims.codec import as_data
from dpbandits.reference.claims.findings import Bound, Event, PrivacyFound, Side, rounded
from dpbandits.reference.claims.text import EVENT_TITLE
from dpbandits.reports.alone import headline

ROOT = Path(__file__).parents[1]
EVENT = Event(0.0196, 0.0027, 12_000, Bound(1.2, Side.BELOW, "eps", 0.0, "delta"))
ENTRY: dict[str, Any] = {
    "id": "own/Mine@test_mine.py::test_mine",
    "verdict": "REFUTED",
    "expect": ["PROVED", "CONSISTENT"],
    "paper": "own",
    "where": "Mine",
    "quote": "Mine is (1, 0)-DP.",
    "statement": "released arms: (1, 0)-DP [Mine()]",
    "summary": "(1, 0)-DP is claimed; samples certify eps >= 1.2 at delta 0.",
    "evidence": [
        {"kind": "profile", "points": [{"eps": 0.1 * k, "delta_lower": 0.2 - 0.1 * k} for k in range(2)]},
    ],
    "found": as_data(PrivacyFound((), event=EVENT)),
    "resolution": "a Laplace mechanism would be seen",
    "note": "",
    "repro": "pytest test_mine.py",
}


def test_one_line_says_what_tells_the_inputs_apart() -> None:
    assert complaint(ENTRY).splitlines() == [
        "own/Mine@test_mine.py::test_mine: REFUTED, expected PROVED or CONSISTENT",
        "  statement  released arms: (1, 0)-DP [Mine()]",
        "  found      (1, 0)-DP is claimed; samples certify eps >= 1.2 at delta 0.",
        "  event      P[event] 0.0196 on the left against 0.0027 on the right, in 12000 runs each: "
        "eps at delta 0 >= 1.2",
        "  repeat     pytest test_mine.py",
    ]


def test_without_an_event_one_point_of_a_curve_stands_for_all() -> None:
    lines = complaint(ENTRY | {"found": None}).splitlines()
    assert [line for line in lines if "certified  " in line] == [
        "  certified  delta(0.1) >= 0.1, and 1 more in the report"
    ]


def test_what_would_have_been_seen_is_said_where_nothing_was() -> None:
    unseen = ENTRY | {"verdict": "NOT_EXERCISED", "evidence": [], "found": None, "paper": "toy", "note": "a remark"}
    lines = complaint(unseen).splitlines()
    assert "  source     toy, Mine: Mine is (1, 0)-DP." in lines
    assert "  resolution a Laplace mechanism would be seen" in lines
    assert "  note       a remark" in lines


def answered(share: dict[int, float], value: int, trials: int, seed: int) -> Any:
    """A one where the share says so."""
    return (np.random.default_rng(seed).random(trials) < share[value]).astype(float)


@pytest.mark.parametrize(
    ("left", "right", "rare"), [(0.9, 0.5, (0.1, 0.5)), (0.5, 0.9, (0.5, 0.1)), (0.5, 0.1, (0.5, 0.1))]
)
@pytest.mark.first(1)
def test_the_event_is_one_whose_chances_differ_by_the_largest_factor(left, right, rare) -> None:
    """Of an output and its complement, with the chances of either side; what it certifies is what the summary says."""
    shares = {0: left, 1: right}
    mechanism = partial(answered, shares)
    finding = audit_mechanism(mechanism, 0, 1, eps=0.5, trials=20_000)
    assert finding.verdict == Verdict.REFUTED
    (table,) = [item for item in finding.evidence if item.get("title") == EVENT_TITLE]
    ((_, on_left, on_right, runs, shown),) = table["rows"]
    assert (on_left, on_right) == pytest.approx(rare, abs=5 * math.sqrt(0.25 / runs))
    assert 0.5 < shown < math.log(5)
    assert f"samples certify eps >= {rounded(shown, Side.BELOW, 4):.4g} at delta 0" in finding.summary


def test_what_keeps_its_promise_has_no_event() -> None:
    finding = audit_mechanism(partial(answered, {0: 0.5, 1: 0.6}), 0, 1, eps=1.0, trials=4_000)
    assert finding.verdict == Verdict.CONSISTENT
    assert not [item for item in finding.evidence if item.get("title") == EVENT_TITLE]


class OfOneRun:
    def __init__(self, rng: Any) -> None:
        self.rng = rng

    def select(self) -> int:
        return 0

    def update(self, arm: int, reward: float) -> None: ...


@pytest.mark.parametrize(
    ("make", "name", "claim"),
    [
        (OfOneRun, "OfOneRun", "own/OfOneRun"),
        (partial(OfOneRun), "OfOneRun", "own/OfOneRun"),
        (lambda rng: OfOneRun(rng), "OfOneRun", "own/OfOneRun"),
        (lambda rng: {}, "make", "own/from_object"),
    ],
)
def test_objects_are_called_by_their_class(make: Any, name: str, claim: str) -> None:
    policy = from_object(make, OfOneRun.select, OfOneRun.update, arms=2, horizon=3)
    assert repr(policy) == f"from_object({name}, arms=2, horizon=3)"
    assert own_claim(policy, eps=1.0, delta=None, mu=None).id == claim
    other = from_object(make, OfOneRun.select, OfOneRun.update, arms=2, horizon=3, reward_range=(0, 2))
    assert "reward_range=" in repr(other)


def test_who_plays_one_run_is_told_of_from_object() -> None:
    for each in (OfOneRun, OfOneRun(None)):
        assert "from_object(make, select, update" in complaint_text(each, protocol_faults(each))
    assert "from_object" not in complaint_text(None, protocol_faults(None))


# -- the picture of an overview ------------------------------------------------------------------------------


def test_the_picture_of_an_overview_is_a_file_of_its_own(tmp_path: Path) -> None:
    findings, picture = ROOT / "reports" / "example" / "findings.json", tmp_path / "picture.svg"
    run = CliRunner().invoke(main, ["report", str(findings), "--picture", str(picture)])
    assert (run.exit_code, run.output) == (0, f"picture: {picture}\n")
    drawn = picture.read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in drawn
    assert "How private is Thompson sampling? Two arms, T = 1000" in drawn
    both = CliRunner().invoke(main, ["report", str(findings), "--picture", str(picture), "--out", "x.html"])
    assert (both.exit_code, "cannot be combined with" in both.output) == (2, True)
    (tmp_path / "mine.svg").write_text("<svg/>", encoding="utf-8")
    mine = CliRunner().invoke(main, ["report", str(findings), "--picture", str(tmp_path / "mine.svg")])
    assert mine.exit_code == 2
    assert (tmp_path / "mine.svg").read_text(encoding="utf-8") == "<svg/>"


def test_a_document_without_curves_has_no_picture() -> None:
    document = json.loads((ROOT / "reports" / "example" / "findings.json").read_text(encoding="utf-8"))
    with pytest.raises(ValueError, match="there is no picture"):
        headline(document | {"findings": [], "headlines": []})
