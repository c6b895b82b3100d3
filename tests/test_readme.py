"""The README is run: its policy as a test file, its command lines as far as they parse."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

import dpbandits.audit.plugin_support  # noqa: F401  (numpy does not like to be imported twice, by pytest in pytest)
from dpbandits.audit.cli import main

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_readmes_own_policy(pytester: pytest.Pytester) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    pytester.makepyfile(test_mine=snippet)
    result = pytester.runpytest_inprocess("--audit-html", "report.html")
    result.assert_outcomes(passed=1, failed=1)
    first = next(line.strip() for line in README.splitlines() if line.startswith("    ou24/lemma-3@"))
    assert first in result.outlines
    assert (pytester.path / "report.html").exists()


@pytest.mark.parametrize("line", re.findall(r"^    \$ dpbandits (.*)$", README, re.MULTILINE))
def test_the_readmes_command_lines(line: str) -> None:
    name, *arguments = shlex.split(line)
    main.commands[name].make_context(name, arguments)


def test_the_readmes_mechanism() -> None:
    (section,) = re.findall(r"^\*\*Audit any mechanism\.\*\*.*?(?=^\*\*)", README, re.DOTALL | re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(section, {}, "README", None, None)
    assert len(examples.examples) > 5
    told: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples, out=told.append)
    assert outcome.failed == 0, "".join(told)


def test_the_readme_names_what_the_makefile_has() -> None:
    makefile = (Path(__file__).parents[1] / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^ +make (\w+)", README, re.MULTILINE))
    assert targets == {"audit", "test"}
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
