"""JUnit's XML: every finding once, with what a display of it must know, whatever the texts hold."""

from __future__ import annotations

import json
import re
import runpy
import sys
from errno import ENOSPC
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from dpbandits import QUICK, Finding, Verdict
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.cli_shared.outputs import document_texts
from dpbandits.audit.judges.effort import Plan
from dpbandits.audit.runner import store
from dpbandits.audit.runner.junit import as_junit
from dpbandits.extensions.conformance.battery import Judged
from dpbandits.extensions.conformance.document import document
from dpbandits.extensions.conformance.results_text import FORMS, Badge
from dpbandits.reference.claims.ledger import Ledger

ROOT = Path(__file__).parents[1]
SAMPLE = runpy.run_path(str(ROOT / "tests" / "sample_findings.py"))["document"]()
THOMPSON = ["--page", "ou24", "--arms", "2", "--horizon", "3", "--trials", "400"]
PLAN = Plan(Ledger(()), QUICK, 0)
EXAMPLE = [*THOMPSON, "--", "python", str(ROOT / "examples" / "thompson.py")]


def cases(text: str) -> dict[str, ElementTree.Element]:
    return {str(case.get("name")): case for case in ElementTree.fromstring(text).iter("testcase")}


def test_every_finding_and_error_is_a_case_with_its_outcome():
    text = as_junit(SAMPLE, "the sample")
    made = cases(text)
    assert set(made) == {each["id"] for each in SAMPLE["findings"] + SAMPLE["errors"]}
    for found in SAMPLE["findings"]:
        case = made[found["id"]]
        tags = {child.tag for child in case}
        assert ("failure" in tags) is found["surprise"]
        assert "error" not in tags
        if found["verdict"] in (Verdict.PROVED, Verdict.CONSISTENT, Verdict.ARGUED, Verdict.REFUTED):
            assert "skipped" not in tags
        if found["surprise"]:
            assert case[0].get("type") == f"{found['verdict']}, expected {' or '.join(found['expect'])}"
        else:
            said = " ".join([*(case[0].attrib.values()), case[0].text or ""])
            assert found["verdict"] in said
    for failed in SAMPLE["errors"]:
        assert {child.tag for child in made[failed["id"]]} == {"error"}
    suite = ElementTree.fromstring(text)[0]
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert suite.get(name) == str(len(list(suite.iter(tag))))
    assert suite.get("tests") == str(len(made))
    assert any(found["surprise"] for found in SAMPLE["findings"])
    assert SAMPLE["errors"]


def test_a_check_is_told_in_its_own_words_with_the_reason_why_it_may_fail():
    """A known failure that fails, one that does not, and one that nobody knew of."""
    checks = [
        (Judged(name, Finding("x", verdict, "what was found"), reason), "faults", None)
        for name, verdict, reason in (
            ("page law", Verdict.REFUTED, "the authors divide by n"),
            ("regret", Verdict.CONSISTENT, "it explores too much"),
            ("blocks", Verdict.REFUTED, ""),
        )
    ]
    content = document("./ts.js", checks, PLAN)
    law, regret, blocks = ElementTree.fromstring(as_junit(content, "./ts.js")).iter("testcase")
    assert [child.tag for child in (law[0], regret[0], blocks[0])] == ["system-out", "failure", "failure"]
    assert law[0].text == "REFUTED: what was found\nexpected to fail: the authors divide by n"
    said = ["./ts.js passes the check regret", "expected to fail: it explores too much"]
    assert str(regret[0].text).splitlines()[:2] == said
    assert str(blocks[0].text).splitlines()[0] == "./ts.js passes the check blocks"
    assert "Claim: " not in str(content["findings"])


@pytest.mark.parametrize("text", ["\x00 \x1b[31m ]]> <b>&amp;", "\ud800 half", "\ufffe"])
def test_no_text_breaks_the_file(text):
    found = {**SAMPLE["findings"][0], "id": f"x/{text}", "summary": text, "surprise": True, "repro": text}
    (name,) = cases(as_junit({"findings": [found], "errors": []}, text))
    assert name.startswith("x/")


@pytest.mark.thorough
def test_a_battery_leaves_report_findings_junit_and_badge(tmp_path):
    files = {name: tmp_path / name for name in ("x.html", "x.json", "x.xml", "x.svg")}
    options = [
        part
        for name, path in zip(("--html", "--json", "--junit", "--badge"), files.values(), strict=True)
        for part in (name, str(path))
    ]
    result = CliRunner().invoke(main, ["check", *options, *EXAMPLE])
    assert result.exit_code == 0, result.output
    document = json.loads(files["x.json"].read_text())
    assert set(cases(files["x.xml"].read_text())) == {found["id"] for found in document["findings"]}
    (closing,) = document["judgements"]
    assert closing in result.output
    assert f"<bdi>{closing}</bdi>" in files["x.html"].read_text()
    assert "fits ou24, 400 runs" in files["x.svg"].read_text()
    for found in document["findings"]:
        assert re.search(rf"^{found['verdict']} +{re.escape(found['own']['test'])}$", result.output, re.MULTILINE)
        assert files["x.html"].read_text().count(found["own"]["test"])
    again = CliRunner().invoke(main, ["check", *options, "--arms", "2", "--page", "nowhere"])
    assert again.exit_code == 2
    assert "there is no paper 'nowhere'" in again.output


DYING = """
import subprocess, sys
with subprocess.Popen([sys.executable, sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as good:
    for _ in range(40):
        good.stdin.write(sys.stdin.readline())
        good.stdin.flush()
        print(good.stdout.readline(), end="", flush=True)
    good.kill()
sys.exit("out of tokens")
"""
RAISING = """
from dpbandits.papers.ou24 import ThompsonSampling

class Mine(ThompsonSampling):
    def learn(self, t, state, pulls, sums, noise):
        if t == 2 and len(sums) > 100:
            raise KeyError("no such arm")
        return super().learn(t, state, pulls, sums, noise)
"""


@pytest.fixture
def yesterdays(tmp_path):
    """What a battery found that passed, in every form: by option, the file."""
    good = document("mine", [(Judged("page law", Finding("x", Verdict.CONSISTENT, "green"), ""), "faults", None)], PLAN)
    badge = FORMS[".svg"](Badge("fits ou24, green", "brightgreen"))
    texts = {option: text() for option, text in document_texts(good, "mine").items()} | {"--badge": badge}
    files = {option: tmp_path / f"x{'.svg' if option == '--badge' else option}" for option in texts}
    for option, path in files.items():
        path.write_text(texts[option])
    return files


@pytest.mark.parametrize(
    ("text", "given", "message", "status"),
    [
        (DYING, ["--", sys.executable, "mine.py", str(ROOT / "examples" / "thompson.py")], "out of tokens", 2),
        (RAISING, ["--python", "mine.py:Mine"], "mine.py:7: KeyError: 'no such arm'", 2),
        (RAISING, ["--only", "nothing", "--python", "mine.py:Mine"], "--only 'nothing': unknown check", 2),
        ("raise KeyboardInterrupt", ["--python", "mine.py:Mine"], "interrupted", 130),
    ],
    ids=["dies", "raises", "has no such check", "is interrupted"],
)
def test_a_battery_that_comes_to_no_end_leaves_no_file_of_yesterday(
    tmp_path, monkeypatch, yesterdays, text, given, message, status
):
    """Whoever shows them would show what was found before."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(text)
    options = [part for option, path in yesterdays.items() for part in (option, str(path))]
    done = CliRunner().invoke(main, ["check", *options, *THOMPSON, *given])
    assert done.exit_code == status, done.output
    now = {option: path.read_text() for option, path in yesterdays.items()}
    assert not [option for option, text in now.items() if "green" in text]
    content = json.loads(now["--json"])
    assert content["findings"] == []
    (failed,) = content["errors"]
    assert message in failed["error"]
    assert failed["repro"].startswith("dpbandits check --reference ou24 --arms 2 --horizon 3 ")
    (case,) = ElementTree.fromstring(now["--junit"]).iter("testcase")
    assert (case.get("classname"), [child.tag for child in case]) == ("own", ["error"])
    assert message in str(case[0].get("message"))
    assert "error" in [
        each.text for each in ElementTree.fromstring(now["--badge"]).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert message in unescape(now["--html"])
    assert "1 audit could not be made" in now["--html"]
    again = CliRunner().invoke(main, ["check", *options, *THOMPSON, "--only", "protocol", "--", *EXAMPLE[-2:]])
    assert again.exit_code == 0, again.output  # they are ours to overwrite


def test_one_file_that_cannot_be_written_takes_no_other_with_it(tmp_path, monkeypatch):
    def full(path: Path, text: str) -> None:
        if path.name == "x.html":
            raise OSError(ENOSPC, "No space left on device")
        path.write_text(text)

    monkeypatch.setattr(store, "write_whole", full)
    options = [part for name in ("html", "json", "junit") for part in (f"--{name}", str(tmp_path / f"x.{name}"))]
    result = CliRunner().invoke(main, ["check", *options, "--only", "protocol", *EXAMPLE])
    assert result.exit_code == 2
    assert "x.html: cannot write the report (No space left on device); make room" in result.output
    assert {path.name for path in tmp_path.iterdir()} == {"x.json", "x.junit"}


@pytest.mark.parametrize("option", [*document_texts({}, ""), "--badge"])
def test_a_file_of_others_is_refused_before_anything_is_judged(tmp_path, option):
    mine = tmp_path / "mine.svg"  # as a badge has to be called
    mine.write_text("<testsuites name='mine'/>")
    result = CliRunner().invoke(main, ["check", option, str(mine), *EXAMPLE])
    assert result.exit_code == 2
    assert f"{option}: {mine} exists already" in " ".join(result.output.split())
    assert mine.read_text() == "<testsuites name='mine'/>"


def test_one_file_cannot_be_two_things(tmp_path):
    given = ["--json", str(tmp_path / "x"), "--junit", str(tmp_path / "x")]
    result = CliRunner().invoke(main, ["check", *given, *EXAMPLE])
    assert result.exit_code == 2
    assert "name the same file" in result.output


def test_an_audit_leaves_junit_and_writes_it_anew(tmp_path):
    line = ["audit", "ou24/update/*", "--out", str(tmp_path / "out"), "--junit", str(tmp_path / "out" / "x.xml")]
    for _ in range(2):
        result = CliRunner().invoke(main, line)
        assert result.exit_code == 0, result.output
    document = json.loads((tmp_path / "out" / "findings.json").read_text())
    made = cases((tmp_path / "out" / "x.xml").read_text())
    assert set(made) == {found["id"] for found in document["findings"]}
    assert not any(child.tag == "failure" for case in made.values() for child in case)
