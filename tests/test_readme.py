"""The README is run: its policy as a test file, its command lines as far as they parse."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import dpbandits.audit.plugin_support  # noqa: F401  (numpy does not like to be imported twice, by pytest in pytest)
from dpbandits.audit.cli import main

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.mark.thorough
def test_the_readmes_own_policy(pytester: pytest.Pytester) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    pytester.makepyfile(test_mine=snippet)
    result = pytester.runpytest_inprocess("--audit-html", "report.html")
    result.assert_outcomes(passed=2, failed=1)
    said, told = (" ".join("\n".join(lines).split()) for lines in (result.outlines, README.splitlines()))
    shown = told[told.index("ou24/lemma-3@test_mine.py") : told.index(" 1 failed, 2 passed")]
    for part in shown.replace("...", "\n").splitlines():
        assert part.strip() in said
    assert (pytester.path / "report.html").exists()


def test_the_readmes_own_policy_is_three_tests(pytester: pytest.Pytester) -> None:
    """It can be imported, and pytest finds what stands in it."""
    (snippet,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    pytester.makepyfile(test_mine=snippet)
    result = pytester.runpytest_inprocess("--collect-only")
    result.stdout.fnmatch_lines([f"*<Function {name}>" for name in ("test_law", "test_shrunk", "test_right")])


def test_the_readmes_ci_snippet() -> None:
    """Its commands are commands, and its options are options."""
    (snippet,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    lines = [shlex.split(line.removeprefix("- run: "), comments=True) for line in snippet.splitlines()]
    assert [line[:3] for line in lines[:2]] == [["python", "-m", "pip"], ["python", "-m", "pytest"]]
    options = (Path(__file__).parents[1] / "audit" / "pytest_plugin.py").read_text(encoding="utf-8")
    for option in (word for word in lines[1] if word.startswith("--")):
        assert f'"{option}"' in options
    assert lines[2][0] == "dpbandits"
    main.commands[lines[2][1]].make_context(lines[2][1], lines[2][2:])


@pytest.mark.parametrize("line", re.findall(r"^    \$ dpbandits (.*)$", README, re.MULTILINE))
def test_the_readmes_command_lines(line: str) -> None:
    name, *arguments = shlex.split(line)
    main.commands[name].make_context(name, arguments)


@pytest.mark.parametrize(
    "title", ["Audit any mechanism", pytest.param("The words of a claim", marks=pytest.mark.thorough)]
)
def test_the_readmes_snippets(title: str) -> None:
    (section,) = re.findall(rf"^\*\*{title}\.\*\*.*?(?=^\*\*)", README, re.DOTALL | re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(section, {}, "README", None, None)
    assert len(examples.examples) > 5
    told: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(
        examples, out=told.append
    )
    assert outcome.failed == 0, "".join(told)


def test_the_readme_names_what_the_makefile_has() -> None:
    makefile = (Path(__file__).parents[1] / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^ +make (\w+)", README, re.MULTILINE))
    assert targets == {"audit", "test"}
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_make_clean_removes_what_make_has_made_and_no_report_elsewhere() -> None:
    """OUT may stand in the environment, for another program."""
    ask = ["make", "--no-print-directory", "--dry-run", "clean", "OUT=/elsewhere"]
    done = subprocess.run(ask, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
    assert done.stdout.split() == ["rm", "-rf", ".venv", "build", "*.egg-info", "reports/out"]


def shown_after(command: str) -> list[str]:
    """The lines that the README shows below a command, as far as they stand in the same block."""
    block = README.partition(f"    $ dpbandits {command}")[2].partition("\n")[2].split("\n\n")[0]
    return [line.strip() for line in block.splitlines()]


def printed_by(arguments: list[str]) -> list[str]:
    """The lines that the command prints."""
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return [row.strip() for row in result.output.splitlines()]


def assert_shown(wanted: list[str], printed: list[str]) -> None:
    """Each line is printed; one that ends in "..." is shown in part."""
    for one in wanted:
        start = one.removesuffix("...")
        assert any(row == one or (start != one and row.startswith(start)) for row in printed), one


@pytest.mark.parametrize("whole", [pytest.param(True, marks=pytest.mark.thorough), False])
def test_what_the_readme_shows_is_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool) -> None:
    """The audit's verdicts, and the certificate that it writes. Of the audit, the quick half: the second of its globs,
    and what is said of these claims and of the report."""
    monkeypatch.chdir(tmp_path)
    (audit,), (verify,) = (
        map(shlex.split, re.findall(rf"^    \$ dpbandits ({command} .*)$", README, re.MULTILINE))
        for command in ("audit --claims", "verify")
    )
    wanted = shown_after("audit --claims")
    assert len(wanted) == 7
    if not whole:
        assert audit[3:5] == ["--claims", "ou24/lemma-12*"]
        del audit[1:3]
        wanted = wanted[-2:]
        assert "ou24/lemma-12 " in wanted[0]
    assert_shown(wanted, printed_by(audit))
    wanted = shown_after("verify")
    assert len(wanted) >= 5
    assert_shown(wanted, printed_by(verify))
