"""`dpbandits show`: everything that a finding says, in the terminal, and nothing that nobody found."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dpbandits.audit.cli.command_line import main
from dpbandits.reports.terminal import MARGIN_COLUMNS, TERMINAL_COLUMNS, finding_text, paragraphs

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "reports" / "example" / "findings.json"
DOCUMENT = json.loads(EXAMPLE.read_text(encoding="utf-8"))
SAMPLE = runpy.run_path(str(ROOT / "tests" / "sample_findings.py"))["document"]()


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["show", *map(str, arguments)])


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("document", [DOCUMENT, SAMPLE], ids=["example", "sample"])
def test_every_finding_can_be_shown_in_lines_that_fit(document):
    for finding in document["findings"]:
        text = finding_text(finding, document["findings"], document["papers"])
        assert text.startswith(f"{finding['id']}: {finding['verdict']}")
        assert ("as expected" in text.splitlines()[0]) is not finding["surprise"]
        for name in ("quote", "statement", "resolution"):
            assert words(finding[name]) in words(text)
        assert all(
            len(line) <= TERMINAL_COLUMNS or " " not in line[MARGIN_COLUMNS:] or line.startswith("    ")
            for line in text.splitlines()[1:]
        )


def test_a_refuted_formula_comes_with_a_line_that_shows_it():
    """The line is run, as a reader would."""
    result = run("ou24/lemma-12", "--findings", EXAMPLE)
    assert result.exit_code == 0, result.output
    (line,) = [line.strip() for line in result.output.splitlines() if line.strip().startswith("python3 -c")]
    done = subprocess.run(
        line.replace("python3", sys.executable, 1), shell=True, capture_output=True, text=True, check=True
    )
    left, right = map(float, done.stdout.split())
    (found,) = [finding for finding in DOCUMENT["findings"] if finding["id"] == "ou24/lemma-12"]
    (made,) = [item["certificate"] for item in found["evidence"] if item["kind"] == "certificate"]
    assert float(made["left_enclosure"][0]) == pytest.approx(left, rel=1e-9)
    assert left > right
    assert f"{left:.6g}" in result.output


def test_what_holds_instead_is_named_with_its_verdict():
    text = words(run("ou24/lemma-12", "--findings", EXAMPLE).output)
    holds = [finding for finding in DOCUMENT["findings"] if finding["id"].startswith("ou24/lemma-12/")]
    assert holds
    for finding in holds:
        assert (f"holds {finding['id']} ({finding['verdict']})" in text) is (finding["verdict"] != "REFUTED")


def test_a_pattern_shows_several_and_a_claim_without_a_finding_is_an_error(tmp_path):
    assert run("ou24/lemma-12*", "--findings", EXAMPLE).output.count("rests on") > 1
    result = run("ou24/lemma-12", "ou24/lemma-1", "--findings", EXAMPLE)
    assert result.exit_code == 2
    assert "ou24/lemma-12: REFUTED" in result.output
    assert "error: ou24/lemma-1: is not in" in result.output
    assert "did you mean" in run("ou24/lemma12").output
    assert run().exit_code == 2


def test_without_findings_the_claim_is_judged_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("ou24/lemma-12")
    assert result.exit_code == 0, result.output
    kept = run("ou24/lemma-12", "--findings", EXAMPLE)
    assert [line for line in kept.output.splitlines() if "holds" not in line][:12] == result.output.splitlines()[:12]
    assert not list(tmp_path.iterdir())


def test_a_text_in_the_place_of_findings_is_an_error_with_the_file(tmp_path):
    (tmp_path / "x.json").write_text('{"findings": 1}')
    result = run("ou24/lemma-12", "--findings", tmp_path / "x.json")
    assert result.exit_code == 2
    assert "x.json" in result.output


def test_words_come_in_the_order_of_a_readers_questions():
    (found,) = [finding for finding in DOCUMENT["findings"] if finding["id"] == "ou24/lemma-12"]
    leads = [word for word, text in paragraphs(found, DOCUMENT["findings"], DOCUMENT["papers"]) if text]
    assert leads[:4] == ["paper", "sentence", "reading", "checked"]
    assert (
        leads.index("point")
        < leads.index("harm")
        < leads.index("repair")
        < leads.index("holds")
        < leads.index("repeat")
    )


def test_a_number_of_thousands_is_shown_as_one_number_without_escapes():
    """A value of six digits: its separator is a space that every terminal shows, and at which no line breaks."""
    claim = "tao22/lemma-4/u"
    result = run(claim)
    assert result.exit_code == 0, result.output
    assert "\\u202f" not in result.output
    assert "\u202f" not in result.output
    (shown,) = re.findall(r"\+ 1 = (\d[\d ]*\d)", " ".join(result.output.split()))
    assert shown == f"{int(shown.replace(' ', '')):,}".replace(",", " ")
    assert int(shown.replace(" ", "")) > 1000
