"""SARIF: every unexpected verdict once, with a place that exists, whatever the texts hold."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dpbandits.audit.cli.command_line import main
from dpbandits.audit.runner.sarif import as_sarif

ROOT = Path(__file__).parents[1]
SAMPLE = runpy.run_path(str(ROOT / "tests" / "sample_findings.py"))["document"]()


def run_of(text: str) -> dict[str, Any]:
    content = json.loads(text)
    assert content["version"] == "2.1.0"
    (run,) = content["runs"]
    return dict(run)


def uri(found: dict[str, Any]) -> str:
    (result,) = run_of(as_sarif({"findings": [found], "errors": []}, ""))["results"]
    return str(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])


def test_unexpected_verdicts_are_results_and_no_others():
    run = run_of(as_sarif(SAMPLE, "the sample"))
    surprises = [found for found in SAMPLE["findings"] if found["surprise"]]
    assert 0 < len(surprises) < len(SAMPLE["findings"])
    assert [each["partialFingerprints"]["dpbanditsClaim/v1"] for each in run["results"]] == [
        found["id"] for found in surprises
    ]
    for result, found in zip(run["results"], surprises, strict=True):
        assert result["level"] == "error"
        assert result["message"]["text"].startswith(f"{found['id']}: {found['verdict']}, expected ")
        assert found["summary"] in result["message"]["text"]
        assert found["repro"] in result["message"]["text"]
    assert [each["id"] for each in run["tool"]["driver"]["rules"]].count("REFUTED") == 1
    assert {each["id"] for each in run["tool"]["driver"]["rules"]} == {each["ruleId"] for each in run["results"]}


@pytest.mark.parametrize("errors", [[], SAMPLE["errors"]])
def test_a_check_that_failed_is_a_notification(errors):
    (invocation,) = run_of(as_sarif(SAMPLE | {"errors": errors}, ""))["invocations"]
    assert invocation["executionSuccessful"] is not bool(errors)
    said = [each["message"]["text"] for each in invocation["toolExecutionNotifications"]]
    assert [text.partition(": ")[0] for text in said] == [each["id"] for each in errors]


def test_a_result_is_where_the_test_the_subject_or_the_page_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("")
    found = next(found for found in SAMPLE["findings"] if found["surprise"] and "own" not in found)
    assert uri(found) == f"reference/papers/{found['paper']}/__init__.py"
    assert uri(found | {"page_file": "pages/smith26"}) == "pages/smith26/__init__.py"
    assert uri(found | {"page_file": "smith26.py"}) == "smith26.py"
    assert uri(found | {"own": {"file": "tests/test_a.py", "line": 3, "subject": "mine.py:Mine"}}) == "tests/test_a.py"
    assert uri(found | {"own": {"file": "", "line": None, "subject": "mine.py:Mine"}}) == "mine.py"
    assert uri(found | {"own": {"file": "", "line": None, "subject": "python mine.py --fast"}}) == "mine.py"


def test_the_line_of_the_test_is_given_where_it_is_known():
    found = next(found for found in SAMPLE["findings"] if found["surprise"])
    for line in (3, None):
        own = {"file": "tests/test_a.py", "line": line, "subject": "Mine()"}
        (result,) = run_of(as_sarif({"findings": [found | {"own": own}], "errors": []}, ""))["results"]
        region = result["locations"][0]["physicalLocation"].get("region")
        assert region == (None if line is None else {"startLine": line})


@pytest.mark.parametrize("text", ["\x00 \x1b[31m", "\ud800 half", "\ufffe"])
def test_no_text_breaks_the_file(text, tmp_path):
    found = {**SAMPLE["findings"][0], "id": f"x/{text}", "summary": text, "surprise": True, "repro": text}
    (tmp_path / "x.sarif").write_text(as_sarif({"findings": [found], "errors": []}, text), encoding="utf-8")
    (result,) = run_of((tmp_path / "x.sarif").read_text(encoding="utf-8"))["results"]
    assert text in result["message"]["text"]


@pytest.mark.thorough
def test_an_audit_leaves_sarif_and_writes_it_again(tmp_path):
    line = ["audit", "ou24/update/*", "--out", str(tmp_path / "out"), "--sarif", str(tmp_path / "x.sarif")]
    for _ in range(2):
        result = CliRunner().invoke(main, line)
        assert result.exit_code == 0, result.output
    assert run_of((tmp_path / "x.sarif").read_text())["results"] == []
