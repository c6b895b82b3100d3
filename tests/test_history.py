"""What became of claims from release to release, and the verdicts that a list of claims shows."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dpbandits.audit.cli.command_line import main
from dpbandits.audit.runner.changes import histories, release_records, with_histories
from dpbandits.reports.document import validate_document

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "reports" / "example" / "findings.json"
DOCUMENT = json.loads(EXAMPLE.read_text(encoding="utf-8"))


def document(version: str, seed: int = 0, **verdicts: str) -> dict[str, Any]:
    findings = [
        {"id": f"a/{name}", "verdict": verdict, "summary": f"it is {verdict}", "statement": "x <= 1", "follows": []}
        for name, verdict in verdicts.items()
    ]
    return {"version": version, "profile": {"name": "quick"}, "seed": seed, "findings": findings}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


def test_each_stage_is_compared_with_the_last_one_that_knows_the_claim():
    """A run of a part of the ledger says nothing of the others, and is no gap."""
    found = histories(
        [
            ("one", document("1", b="PROVED", c="CONSISTENT")),
            ("part", document("2", c="CONSISTENT")),
            ("two", document("2", seed=4, b="REFUTED", c="CONSISTENT", d="PROVED")),
            ("three", document("3", seed=4, b="REFUTED")),
        ]
    )
    assert [(stage["source"], stage["verdict"], stage["kinds"]) for stage in found["a/b"]] == [
        ("one", "PROVED", ()),
        ("two", "REFUTED", ("verdict", "wording")),
        ("three", "REFUTED", ()),
    ]
    assert found["a/b"][1]["why"] == "the run's seed is 4, not 0"
    assert [(stage["source"], stage["kinds"]) for stage in found["a/c"]] == [("one", ()), ("part", ()), ("two", ())]
    assert [stage["source"] for stage in found["a/d"]] == ["two"]
    with pytest.raises(ValueError, match="broken has no list `findings`;"):
        histories([("one", document("1")), ("broken", {})])


def test_the_records_of_all_releases_are_installed():
    records = release_records()
    names = {path.stem for path in (ROOT / "docs" / "ledger").glob("*.json")}
    assert {record["version"] for _, record in records} == names
    assert {source for source, _ in records} == {"release"}


def test_releases_are_in_the_order_of_their_numbers(tmp_path):
    for version in ("0.10.0", "0.9.0", "1.0"):
        (tmp_path / f"{version}.json").write_text(json.dumps(document(version)))
    assert [record["version"] for _, record in release_records(tmp_path)] == ["0.9.0", "0.10.0", "1.0"]


def test_the_command_says_what_changed_and_why(tmp_path):
    changed = deepcopy(release_records()[-1][1])
    (entry,) = [finding for finding in changed["findings"] if finding["id"] == "ou24/lemma-12"]
    entry["verdict"] = "CONSISTENT"
    (tmp_path / "new.json").write_text(json.dumps(changed))
    done = run("history", "ou24/lemma-12", "--findings", tmp_path / "new.json")
    assert done.exit_code == 0, done.output
    assert "  release 0.9.0 (quick, seed 0): REFUTED\n" in done.output
    assert f"  {tmp_path / 'new.json'} 0.9.0 (quick, seed 0): CONSISTENT; changed: verdict\n" in done.output
    assert "    why: neither the claim nor the run was changed" in done.output
    told = json.loads(run("history", "ou24/lemma-12*", "--json").stdout)
    assert "ou24/lemma-12/classical" in told
    assert all(stages[0]["version"] == "0.9.0" for stages in told.values())
    assert "did you mean" in run("history", "ou24/lemma12").output
    (tmp_path / "bad.json").write_text("[]")
    bad = run("history", "ou24/lemma-12", "--findings", tmp_path / "bad.json")
    assert bad.exit_code == 2
    assert "bad.json has no list `findings`;" in bad.output


def test_the_page_of_a_claim_shows_its_history_where_the_document_carries_it(tmp_path):
    told = with_histories(DOCUMENT)
    assert validate_document(told)["findings"] != DOCUMENT["findings"]
    name, findings = "claims/ou24__lemma-12.html", tmp_path / "findings.json"
    some = [finding for finding in DOCUMENT["findings"] if finding["id"] == "ou24/lemma-12"]
    findings.write_text(json.dumps(DOCUMENT | {"findings": some, "headlines": []}))
    for options, has_history in (((), True), (("--no-history",), False)):
        assert run("report", findings, *options).exit_code == 0
        assert ("Release, 0.9.0 (quick, seed 0)" in (tmp_path / name).read_text()) is has_history
        overview = (tmp_path / "index.html").read_text()
        assert ("Changes since the ledger of release 0.9.0" in overview) is has_history
        assert ("<strong>Refuted: +0, −0.</strong> 0 verdicts changed" in overview) is has_history
        first = overview.partition("</header>")[0]
        assert ('<a href="#since">Since release 0.9.0</a>, 0 verdicts changed' in first) is has_history


def test_the_overview_links_what_is_newly_refuted(tmp_path):
    """A claim with another id than in any release is new; it is refuted, so it is named and linked."""
    findings = tmp_path / "findings.json"
    (old,) = [finding for finding in DOCUMENT["findings"] if finding["id"] == "ou24/lemma-12"]
    new = {**old, "id": "ou24/lemma-12/new"}
    findings.write_text(json.dumps(DOCUMENT | {"findings": [old, new], "headlines": []}))
    assert run("report", findings).exit_code == 0
    overview = (tmp_path / "index.html").read_text()
    assert "<strong>Refuted: +1, −0.</strong> 0 verdicts changed, and 1 claim is new." in overview
    assert re.search(
        r'Refuted now</h3>\s*<p .*</p>\s*<ul class="changes">\s*<li><a href="papers/ou24.html#claim-ou24/lemma-12/new"',
        overview,
    )


# -- verdicts in the list of claims --------------------------------------------------------------------------


def listed(*arguments: object) -> tuple[list[dict[str, Any]], str]:
    done = run("claims", "--json", "ou24/lemma-12*", "ou24/lemma-1", *arguments)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout), done.stderr


def test_claims_carry_the_verdicts_of_a_file_or_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    none, aside = listed()
    assert {claim["verdict"] for claim in none} == {None}
    assert "verdicts: none" in aside
    known = {finding["id"]: finding for finding in DOCUMENT["findings"]}
    claims, aside = listed("--findings", EXAMPLE)
    for claim in claims:
        found = known.get(claim["id"], {})
        assert [claim[name] for name in ("verdict", "surprise", "summary")] == [
            found.get(name) for name in ("verdict", "surprise", "summary")
        ]
    assert any(claim["verdict"] for claim in claims)
    assert any(claim["verdict"] is None for claim in claims)
    assert (
        aside == f"verdicts: {sum(claim['verdict'] is not None for claim in claims)} of {len(claims)}, from {EXAMPLE}\n"
    )
    assert "    found: REFUTED. violated at" in run("claims", "ou24/lemma-12", "--findings", EXAMPLE).stdout


def test_the_last_runs_verdicts_are_taken_and_those_of_another_wording_are_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    changed = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    (entry,) = [finding for finding in changed["findings"] if finding["id"] == "ou24/lemma-12"]
    folder = tmp_path / "dpbandits-report"
    folder.mkdir()
    for statement, verdict in ((entry["statement"], "REFUTED"), ("x <= 1", None)):
        entry["statement"] = statement
        (folder / "findings.json").write_text(json.dumps(changed))
        claims, aside = listed()
        assert {claim["id"]: claim["verdict"] for claim in claims}["ou24/lemma-12"] == verdict
        assert "from dpbandits-report/findings.json" in aside


def test_a_file_without_findings_is_an_error(tmp_path):
    (tmp_path / "x.json").write_text("{}")
    done = run("claims", "--findings", tmp_path / "x.json")
    assert done.exit_code == 2
    assert "x.json has no list `findings`;" in done.output
