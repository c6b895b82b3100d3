"""Lines that a CI shows beside the code of a failed audit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from toy_page import FOLDER

from dpbandits.audit.pytest_plugin.plugin import annotation, is_asked_for

LINE = re.compile(
    r"^::error file=(?P<file>[^,:]*)(?:,line=(?P<line>\d+))?,title=(?P<title>[^,:]*)::(?P<said>.*)$", re.M
)
TESTS = """
    import pytest

    def test_right(audit):
        assert True

    @pytest.mark.parametrize("name", ["a,b: 100%"])
    def test_wrong(audit, name):
        audit("toy/consistent")

    def test_of_something_else():
        assert False
"""


def unescaped(text: str) -> str:
    for code, char in (("%3A", ":"), ("%2C", ","), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(code, char)
    return text


def test_what_a_ci_reads_back_is_what_was_said():
    """Whatever stands in it: the fields end at commas and colons, the line at its end."""
    title, said = "100%, a:b", "line one: a, b\r\nline two %0A 50%"
    (found,) = LINE.finditer(annotation(title, said, Path("/repo/a,b/test_x.py"), 7, {"GITHUB_WORKSPACE": "/repo"}))
    assert unescaped(found["file"]) == "a,b/test_x.py"
    assert (found["line"], unescaped(found["title"]), unescaped(found["said"])) == ("7", title, said)
    assert "\n" not in found[0]
    elsewhere = annotation("t", "s", Path("/other/test_x.py"), None, {"GITHUB_WORKSPACE": "/repo"})
    assert elsewhere == "::error file=/other/test_x.py,title=t::s"


@pytest.mark.parametrize(("value", "wanted"), [("true", True), ("false", False), (None, False)])
def test_annotations_are_for_a_ci_that_asks(value: str | None, wanted: bool):
    assert is_asked_for({} if value is None else {"GITHUB_ACTIONS": value}) is wanted


@pytest.mark.parametrize("options", [(), pytest.param(("-n", "1"), marks=pytest.mark.thorough)])
def test_a_failed_audit_is_annotated_at_its_test_and_others_are_not(pytester, monkeypatch, options):
    """A claim that is expected to be refuted, and is not."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(pytester.path.parent))
    pytester.makepyfile(test_it=TESTS)
    result = pytester.runpytest_inprocess(f"--audit-page={FOLDER}", *options)
    result.assert_outcomes(passed=1, failed=2)
    (found,) = LINE.finditer(result.stdout.str())
    lines = (pytester.path / "test_it.py").read_text().splitlines()
    assert found["file"] == f"{pytester.path.name}/test_it.py"
    assert "def test_wrong" in "".join(lines[int(found["line"]) - 1 : int(found["line"]) + 1])
    assert unescaped(found["title"]) == "audit failed: test_wrong[a,b: 100%]"
    assert unescaped(found["said"]).startswith("toy/consistent: CONSISTENT, expected REFUTED")
    monkeypatch.setenv("GITHUB_ACTIONS", "false")
    assert "::error" not in pytester.runpytest_inprocess(f"--audit-page={FOLDER}", *options).stdout.str()
