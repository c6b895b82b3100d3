"""The documentation keeps its word: what its pages show runs, its commands parse, its links lead somewhere, and the
reference names what is public, and nothing else. The conventions of pages stand in docs_pages.

`make docs` runs this, for it needs the extra `docs`; it belongs to no other run."""

from __future__ import annotations

import ast
import doctest
import inspect
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("markdown_it", reason="the extra `docs` is not installed: make docs")

import click
import yaml
from docs_pages import DOCS, ROOT, Block, Command, anchors, blocks, commands, links, notebooks, pages, prose, table

import dpbandits
from dpbandits import Noise, Verdict
from dpbandits.audit.cli.command_line import main
from dpbandits.pages import Basis, Fault, Harm, Reading

pytestmark = pytest.mark.docs

LONGEST = 90  # words of a paragraph
PATIENCE = 300  # seconds for one command of a page, or one notebook
DEEP = re.compile(
    r"dpbandits[./](?:audit|extensions|former_names|reference|registry|proofs_checks|reports)\b(?![\w/.]*\.(?:md|json)\b)"
)
ROOMS = ("contributing", "explanation")  # where rooms are named as places


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


PAGES = pages()
every_page = pytest.mark.parametrize("path", PAGES, ids=named)
every_notebook = pytest.mark.parametrize("path", notebooks(), ids=named)


# -- what stands on a page ---------------------------------------------------------------------------------------------


@every_page
def test_commands_parse(path: Path) -> None:
    for block in blocks(path):
        if block.language == "console":
            found = [*commands(block)]
            assert found, f"{named(path)}:{block.line}: no line of this console block begins with '$ '"
            for command in found:
                parsed(command, f"{named(path)}:{block.line}")


def parsed(command: Command, place: str) -> None:
    """Asks the real commands whether they take these words."""
    words = command.words
    if words[:1] == ["make"]:
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        for word in words[1:]:
            known = "=" in word or word.startswith("-") or re.search(rf"^{re.escape(word)}:", makefile, re.MULTILINE)
            assert known, f"{place}: no target {word} in the Makefile"
    if words[:3] == ["python", "-m", "dpbandits"]:
        words = words[2:]
    if words[:1] != ["dpbandits"]:
        return
    group: click.Command | None = main
    words = words[1:]
    while isinstance(group, click.Group) and words and not words[0].startswith("-"):
        group, words = group.get_command(click.Context(group), words[0]), words[1:]
    assert group is not None, words
    try:
        group.make_context(group.name, list(words))
    except click.exceptions.Exit:
        return  # --help
    except click.ClickException as wrong:
        pytest.fail(f"{place}: {command.line}: {wrong.format_message()}")


def installable() -> set[str]:
    """What users may install beside us: libraries that the repository compares itself with, or writes for."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    files = (ROOT / "implementations" / "requirements").glob("*.txt")
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    named = (*lines, *extras["bench"], *extras["accounting"])
    found = {re.match(r"[\w-]*", line)[0].lower().replace("-", "_") for line in named}  # type: ignore[index]
    return found | {"sklearn", "torch"}


@every_page
def test_python_compiles_and_finds_what_it_imports(path: Path) -> None:
    written = {Path(block.file).stem for block in blocks(path)}
    for block in blocks(path):
        if block.language == "python":
            place = f"{named(path)}:{block.line}"
            for node in ast.walk(compile(block.text, place, "exec", ast.PyCF_ONLY_AST)):
                if isinstance(node, ast.Import):
                    asked = [(alias.name, "") for alias in node.names]
                elif isinstance(node, ast.ImportFrom):
                    asked = [(node.module or "", alias.name) for alias in node.names]
                else:
                    continue
                for module, name in asked:
                    if module.split(".")[0] in written or module.split(".")[0].lower() in installable():
                        continue
                    assert find_spec(module), f"{place}: no module {module}"
                    assert not name or hasattr(import_module(module), name), f"{place}: no {name} in {module}"


@every_page
def test_yaml_parses(path: Path) -> None:
    for block in blocks(path):
        if block.language in ("yaml", "yml"):
            yaml.safe_load(block.text)


@every_page
def test_only_public_names_are_shown(path: Path) -> None:
    if path.parent.name in ROOMS or path.name == "CHANGELOG.md":
        return
    shown = re.sub(r"^```\{eval-rst\}.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    deep = [f"{named(path)}:{shown[: found.start()].count(chr(10)) + 1}" for found in DEEP.finditer(shown)]
    assert not deep, f"import these from dpbandits, dpbandits.papers, .laws, .games or .pages: {deep}"


@every_page
def test_paragraphs_are_short(path: Path) -> None:
    if (path.parent != DOCS and DOCS in path.parents) or path.name == "index.md":
        long = [(line, len(text.split())) for line, text in prose(path) if len(text.split()) > LONGEST]
        assert not long, f"{named(path)}: paragraphs of more than {LONGEST} words (line, words): {long}"


@every_page
def test_fractions_have_braces(path: Path) -> None:
    """The documentation's formulas show \\frac23 y as 23 over y."""
    bare = re.findall(r"\\frac\s*(?:[^{\s]|\{[^{}]*\}\s*[^{\s]).{0,8}", path.read_text(encoding="utf-8"))
    assert not bare


@every_page
def test_links_lead_somewhere(path: Path) -> None:
    for line, where in links(path):
        if re.match(r"[a-z]+:", where):
            continue
        file, _, anchor = where.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), f"{named(path)}:{line}: nothing at {where}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{named(path)}:{line}: no place #{anchor} in {named(target)}"


# -- what runs ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, from which the examples are reachable as in the checkout."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


RUNNING = [path for path in PAGES if any(block.language == "pycon" or block.run for block in blocks(path))]


@pytest.mark.parametrize("path", RUNNING, ids=named)
def test_what_a_page_shows_is_what_happens(path: Path, folder: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(path):
        place = f"{named(path)}:{block.line}"
        if block.file:
            Path(block.file).parent.mkdir(parents=True, exist_ok=True)
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "pycon":
            tried(block, names, path)
        elif block.language == "console" and block.run:
            for command in commands(block):
                ran(command, folder, place)


def tried(block: Block, names: dict[str, Any], path: Path) -> None:
    """The block as a doctest, which finds in `names` what blocks before it left there."""
    wanted = doctest.DocTestParser().get_doctest(block.text, names, path.name, str(path), block.line - 1)
    wanted.globs = names  # the parser copies them
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    outcome = runner.run(wanted, out=told.append, clear_globs=False)
    assert outcome.attempted, f"{named(path)}:{block.line}: no line of this pycon block begins with '>>> '"
    assert outcome.failed == 0, "".join(told)


def ran(command: Command, folder: Path, place: str) -> None:
    """Runs one line as a shell does, and looks for each shown line, in order. What shows nothing must not fail."""
    assert command.words[0] in ("dpbandits", "pytest", "python", "cat", "ls"), f"{place}: only our own commands are run"
    done = subprocess.run(
        command.line,
        shell=True,
        cwd=folder,
        text=True,
        timeout=PATIENCE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    rest = iter([" ".join(line.split()) for line in done.stdout.splitlines()])
    for line in command.shown:
        parts = map(re.escape, " ".join(line.split()).split("..."))
        wanted = re.compile(".*".join(parts))
        assert any(wanted.fullmatch(each) for each in rest), f"{place}: {command.line}: no {line!r} in\n{done.stdout}"
    assert command.shown or done.returncode == 0, f"{place}: {command.line} ended with {done.returncode}\n{done.stdout}"


@every_notebook
def test_notebooks_say_what_they_show(path: Path, folder: Path) -> None:
    """Each is run afresh: the texts are those that it holds. Pictures are drawn, and not compared."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    shown = [texts(cell) for cell in notebook.cells]
    nbclient.NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": str(folder)}}).execute()
    for held, cell in zip(shown, notebook.cells, strict=True):
        assert texts(cell) == held, f"{named(path)}: run it and save it again; its cell was\n{cell.source}"


def texts(cell: Any) -> list[str]:
    """What a cell prints, and what it is worth as a text."""
    found = []
    for output in cell.get("outputs", ()):
        assert output.output_type != "error", output.evalue
        data = output.get("data", {})
        if not any(kind.startswith("image/") for kind in data):
            found.append(output.get("text", data.get("text/plain", "")))
    return ["".join(found)]  # however it was cut into pieces


# -- what is public ----------------------------------------------------------------------------------------------------


def public() -> Iterator[str]:
    for name in dpbandits.__all__:
        if name not in ("games", "laws", "pages"):
            yield f"dpbandits.{name}"
    for path in sorted((ROOT / "src" / "dpbandits").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        if path.stem.startswith("__") or DEEP.match(module):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                yield from (f"{module}.{alias.name}" for alias in node.names)


def test_the_reference_names_what_is_public_and_nothing_else() -> None:
    text = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\.\. auto(?:function|class|data|exception):: ([\w.]+)$", text, re.MULTILINE)
    values = re.findall(r"^\.\. py:data:: (\w+)\n   :module: ([\w.]+)$", text, re.MULTILINE)
    documented += [f"{module}.{name}" for name, module in values]
    elsewhere = re.findall(r"^\| `(dpbandits[\w.]+)` \|", text, re.MULTILINE)  # the same object as a name above
    assert len({*documented, *elsewhere}) == len([*documented, *elsewhere]), "a name is documented twice"
    assert {*documented, *elsewhere} == {*public()}
    for name in (*documented, *elsewhere):
        module, _, last = name.rpartition(".")
        assert hasattr(import_module(module), last), name


WORDS = {"Verdicts": Verdict, "Bases": Basis, "Readings": Reading, "Faults": Fault, "Harms": Harm}


@pytest.mark.parametrize("heading", WORDS)
def test_the_words_of_a_finding_are_explained_in_their_order(heading: str) -> None:
    rows = table(DOCS / "reference" / "verdicts.md", heading)
    assert [row[0] for row in rows] == [each.value for each in WORDS[heading]]
    assert all(len(row) == 2 and row[1] for row in rows)


def test_the_tutorial_explains_every_line_of_a_failure() -> None:
    """As the README shows one, which a test runs."""
    shown = re.findall(r"^ {6}(\w+) +\S", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert "released" in shown
    rows = table(DOCS / "tutorials" / "audit_a_policy.md", "3. What the failure says")
    assert [row[0] for row in rows] == ["first", *dict.fromkeys(shown)]


PROTOCOLS = (
    "Policy",
    "HasLaw",
    "HasNoisy",
    "HasShifts",
    "Selects",
    "SaysLinearRule",
    "Compares",
    "HasPosterior",
    "PullsInAdvance",
    "HasFloor",
)


def asked_of_policies() -> Iterator[str]:
    """What the code asks a policy for: members of its protocols, and what is looked up by name."""
    for path in (path for folder in ("reference", "audit", "extensions") for path in (ROOT / folder).rglob("*.py")):
        if "papers" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.ClassDef(name=name) if name in PROTOCOLS:
                    yield from (each.name for each in node.body if isinstance(each, ast.FunctionDef))
                case ast.Call(ast.Name("getattr" | "hasattr"), [ast.Name("policy"), ast.Constant(str(name)), *_]):
                    yield name


def test_the_table_of_the_policy_protocol_has_all_that_is_asked() -> None:
    rows = table(DOCS / "reference" / "policy.md", "Members")
    members = {re.match(r"\w+", each)[0]: row[1] for row in rows for each in row[0].split("), ")}  # type: ignore[index]
    assert {name for name, need in members.items() if need == "required"} == {"arms", "horizon", "init", "act", "learn"}
    ignored = {"rewards"}  # an old name, which is answered with the new one
    assert {*asked_of_policies()} - ignored <= {*members}
    assert {*members} - {*asked_of_policies()} == {
        "reward_range",
        "first",
        "with_noise",
        "beta_posterior",
    }  # asked of a `subject`, of a class; the last two by the names of what is compiled


def test_the_table_of_noise_has_what_noise_offers() -> None:
    rows = table(DOCS / "reference" / "noise.md", "What noise offers")
    calls = {row[0].removeprefix("noise.").partition("(")[0]: row[0].partition("(")[2] for row in rows}
    offered = {name: value for name, value in vars(Noise).items() if not name.startswith("_")}
    assert set(calls) == set(offered)
    for name, words in calls.items():
        assert re.findall(r"(\w+)(?:=\w+)?", words) == [*inspect.signature(offered[name]).parameters][1:], name
