"""`dpbandits new` and `dpbandits examples`: what somebody begins with."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from dpbandits.audit.cli.command_line import main
from dpbandits.audit.cli.new_files import shipped
from dpbandits.reference.claims.ledger import key_fault, open_ledger

ROOT = Path(__file__).parents[1]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Path]:
    done = run("new", "moe26", "--folder", tmp_path / "mine")
    assert done.exit_code == 0, done.output
    assert f"dpbandits audit --page {tmp_path / 'mine' / 'moe26'}" in done.output
    yield tmp_path / "mine" / "moe26"
    open_ledger.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "moe26"]:
        del sys.modules[name]


def test_a_new_page_is_judged_as_it_expects(page: Path, tmp_path: Path) -> None:
    """Under its own key, in every file; what the skeleton's audit finds is held by the tests of the library."""
    done = run("audit", "--page", page, "--out", tmp_path / "out", "moe26/eq-*", "moe26/lemma-1")
    assert done.exit_code == 0, done.output
    assert "4 claims checked, all as expected" in done.output
    assert "refuted, as expected   moe26/eq-1  Equation (1)" in done.output
    assert not [path for path in page.rglob("*.py") if "skeleton" in path.read_text(encoding="utf-8")]
    assert "dpbandits audit --page moe26" in (page / "__init__.py").read_text(encoding="utf-8")


def test_the_skeleton_is_one() -> None:
    """What is copied is what stands in examples/skeleton."""
    folder = ROOT / "examples" / "skeleton"
    texts = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    assert texts == {name.partition("/")[2]: text for name, text in shipped().items() if name.startswith("skeleton/")}


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("a-b", "'a-b' is not a valid module name; use letters, digits and _, and begin with a letter, as in smith26"),
        ("../b", "'../b' is not a valid module name"),
        ("", "'' is not a valid module name"),
        ("class", "'class' is not a valid module name"),
        ("größe", "'größe' is not a valid module name"),
        ("ou24", "the ledger already has a paper with this key; choose another key"),
        ("json", "another module has this name, and the module of the paper would hide it"),
        ("numpy", "another module has this name, and the module of the paper would hide it"),
        ("dpbandits", "another module has this name, and the module of the paper would hide it"),
        ("taken", "exists already; choose another KEY, or another --folder"),
    ],
)
def test_keys_that_are_refused(tmp_path: Path, key: str, said: str) -> None:
    (tmp_path / "taken").mkdir()
    done = run("new", key, "--folder", tmp_path)
    assert done.exit_code == 2
    assert said in done.stderr
    assert os.listdir(tmp_path) == ["taken"]
    assert not os.listdir(tmp_path / "taken")


def test_a_page_on_the_path_of_imports_hides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m dpbandits` has the current folder on its path: the module that is found there is the page itself."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "other26.py").write_text("")
    assert key_fault("other26")
    assert run("new", "moe26", "--folder", tmp_path).exit_code == 0
    try:
        listed = run("claims", "--page", tmp_path / "moe26")
        assert listed.exit_code == 0, listed.output
        assert "moe26/eq-1" in listed.output
    finally:
        open_ledger.cache_clear()
        for name in [name for name in sys.modules if name.partition(".")[0] == "moe26"]:
            del sys.modules[name]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("new", "moe26", "--folder", tmp_path / "file")
    assert done.exit_code == 2
    assert "cannot write the page" in done.stderr
    assert "choose another folder" in done.stderr


def test_a_folder_that_is_nested_too_deep_is_refused(tmp_path: Path) -> None:
    done = run("new", "moe26", "--folder", tmp_path.joinpath(*["d"] * 1500))
    assert done.exit_code == 2
    assert re.search(r"Error: .*: a path of 15\d\d nested folders is too long .*; choose a shorter path", done.stderr)
    assert not [*tmp_path.iterdir()]


def test_the_examples_are_written_into_an_empty_folder_alone(tmp_path: Path) -> None:
    done = run("examples", tmp_path / "mine")
    assert (done.exit_code, done.output) == (0, f"examples: {tmp_path / 'mine' / 'README.md'}\n")
    written = {path.relative_to(tmp_path / "mine").as_posix() for path in (tmp_path / "mine").rglob("*.*")}
    assert written == set(shipped())
    assert {"thompson.py", "thompson.cpp", "thompson.js", "recommend.py", "halving.py", "wire_protocol.md"} < written
    again = run("examples", tmp_path / "mine")
    assert again.exit_code == 2
    assert "exists already and is not an empty folder; choose another folder" in again.stderr


# -- examples/README.md ------------------------------------------------------------------------------------------------

README = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")


def test_the_readme_of_the_examples_names_them_all_and_nothing_else() -> None:
    named = {target for _, target in re.findall(r"\[([^]]+)\]\(([^)]+)\)", README)}
    assert named == {name.partition("/")[0] for name in shipped()} - {"README.md"}


def test_the_protocol_names_the_languages_of_the_programs_and_the_command_that_writes_them() -> None:
    page = (ROOT / "examples" / "wire_protocol.md").read_text(encoding="utf-8").rpartition("\n## Examples\n")[2]
    languages = {".py": "Python", ".cpp": "C++", ".js": "JavaScript"}
    assert {Path(name).suffix for name in shipped() if name.startswith("thompson.")} == {*languages}
    assert not [language for language in languages.values() if language not in page]
    assert "`dpbandits examples FOLDER`" in page


def test_what_the_readme_of_the_examples_runs_can_be_run() -> None:
    """Its commands parse, and the files that they take are there, or made by a command above."""
    made = {"golden", "golden/tapes.json", "./thompson", "thompson", "report"}
    commands = [shlex.split(line[2:]) for line in README.splitlines() if line.startswith("$ ")]
    assert len(commands) > 5
    for program, *words in commands:
        files = [word for word in words if "/" in word or word.endswith((".py", ".cpp", ".js"))]
        assert {*files} <= {*shipped()} | made, words
        if program == "dpbandits":
            command = main.get_command(click.Context(main), words[0])
            assert command is not None
            command.make_context(words[0], words[1:])
        assert program in {"dpbandits", "python3", "g++", "./thompson"}
