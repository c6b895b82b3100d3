"""The command line: its exit statuses, and errors that say what to do."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from toy_page import FOLDER

from dpbandits.audit.cli.auditing import ending_in_words
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.cli_shared.endings import Trouble
from dpbandits.audit.runner import progress, run_claims
from dpbandits.reference.claims import ledger as library

# 2 <= 1 at x = 2: what a certificate of a false inequality looks like.
FALSE = {
    "type": "formula",
    "claim": "toy/refuted",
    "relation": "<=",
    "left": "x",
    "right": "1",
    "within": "0",
    "given": [],
    "variables": {"x": "2"},
    "left_enclosure": ["2", "2"],
    "right_enclosure": ["1", "1"],
}
TRUE = FALSE | {"variables": {"x": "1"}, "left_enclosure": ["1", "1"]}

PAGE_WITH_A_TYPO = """
from dpbandits.reference.claims.model import Real, Verdict
from dpbandits.reference.claims.paper import Page

page = Page("doe26", "A Paper", "Nobody", "nowhere")
chapter = page.chapter("Section 1")


@chapter.inequality("eq-1", page.source("Equation (1)", "x <= 1"), over={"x": Real(0, 1)}, expect=Verdict.PROVED)
def eq_1(m, x):
    return m.expo(x), m.number(3)


CLAIMS = chapter.claims
"""

ODD_PAGE = r"""
from dpbandits.pages import Gaussian, Page, Unjudged, Verdict

page = Page("odd26", "A Paper", "Nobody", "nowhere")
chapter = page.chapter("Section 1")
source = page.source("\x1b[2JLemma\udce9", "\udce9")
chapter.add("a", source, Unjudged("\udce9\x9b2J"), expect=Verdict.PROVED, note="\udce9")


def broken():
    raise ValueError("\x1b[2Jdied of caf\udce9\rfine")


@chapter.private("b", source, "pull", "arms", subject=broken, expect=Verdict.CONSISTENT)
def b(policy):
    return Gaussian(1.0)


CLAIMS = chapter.claims
"""

PAGE = ("--page", str(FOLDER))
AS_EXPECTED = (*PAGE, "toy/proved", "toy/refuted")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


# -- audit ---------------------------------------------------------------------------------------------------


def test_all_as_expected_is_0(tmp_path: Path) -> None:
    done = run("audit", *AS_EXPECTED, "--out", tmp_path)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "2 claims checked, all as expected",
        "     1  PROVED",
        "     1  REFUTED",
        "refuted, as expected   toy/refuted  Lemma refuted",
        f"report: {tmp_path / 'index.html'}",
    ]
    assert (tmp_path / "index.html").exists()


def test_a_surprise_is_1_and_told_with_its_repro(tmp_path: Path) -> None:
    done = run("audit", *PAGE, "toy/proved", "toy/consistent", "--out", tmp_path)
    assert done.exit_code == 1
    assert "UNEXPECTED  toy/consistent  Lemma consistent: CONSISTENT, expected REFUTED" in done.stdout
    assert f"repeat: dpbandits audit --page {FOLDER} --claims 'toy/consistent' " in done.stdout


def test_a_failed_judge_is_2_even_beside_a_surprise(tmp_path: Path) -> None:
    done = run("audit", *PAGE, "toy/raises", "toy/consistent", "--out", tmp_path)
    assert done.exit_code == 2
    assert "ZeroDivisionError: the check divided by nothing" in done.stderr
    assert "UNEXPECTED  toy/consistent" in done.stdout


def test_quiet_prints_nothing(tmp_path: Path) -> None:
    assert run("audit", "--quiet", *AS_EXPECTED, "--out", tmp_path).output == ""


def test_an_interruption_says_how_to_go_on(tmp_path: Path) -> None:
    done = run("audit", *PAGE, "toy/proved", "toy/interrupts", "--out", tmp_path)
    assert done.exit_code == 130
    assert "Repeat the command to continue" in done.stderr
    assert (tmp_path / "cases" / "toy__proved.json").exists()


@pytest.mark.parametrize("name", ["dpbandits.audit.cli.command_line", "dpbandits.reference.claims.ledger"])
@pytest.mark.first(1)
def test_an_interruption_while_the_command_is_read_is_a_sentence_too(name: str) -> None:
    """Before there is a command, and before it has read the ledger."""
    code = f"""
import sys
from dpbandits.audit.cli import start

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
sys.argv = ["dpbandits", "claims"]
start.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr.strip().startswith("interrupted")
    assert "Traceback" not in done.stderr


def test_nobody_waits_for_exit_hooks() -> None:
    """A Ctrl-C while the process ends is no complaint of some library's."""
    code = """
import atexit, os, signal, sys
from dpbandits.audit.cli import start

atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
sys.argv = ["dpbandits", "--version"]
start.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "")
    assert "dpbandits" in done.stdout


@pytest.mark.parametrize(
    "arguments", [("--claims", "toy/refuted"), ("toy/refuted",), ("--claims", "toy/ref*", "toy/refuted")]
)
def test_claims_are_selected_by_option_or_argument(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run("audit", *PAGE, *arguments, "--out", tmp_path)
    assert done.exit_code == 0
    assert [found["id"] for found in json.loads((tmp_path / "findings.json").read_text())["findings"]] == [
        "toy/refuted"
    ]


@pytest.mark.parametrize("command", ["audit", "claims"])
def test_an_unknown_glob_names_its_likes(command: str) -> None:
    done = run(command, *PAGE, "--claims", "toy/refutd")
    assert done.exit_code == 2
    assert "no claim matches 'toy/refutd'; did you mean toy/refuted" in done.stderr


@pytest.mark.parametrize("arguments", [("--profile", "huge"), ("--seed", "-1"), ("--jobs", "0")])
def test_bad_options_are_usage_errors(arguments: tuple[str, ...]) -> None:
    assert run("audit", *arguments).exit_code == 2


def test_an_unwritable_folder_is_2(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("audit", *AS_EXPECTED, "--out", tmp_path / "file" / "below")
    assert done.exit_code == 2
    assert "choose another folder with --out" in done.stderr


def test_what_is_in_the_way_of_a_report_is_named(tmp_path: Path) -> None:
    assert run("audit", *AS_EXPECTED, "--out", tmp_path).exit_code == 0
    (tmp_path / "findings.json").unlink()
    (tmp_path / "findings.json").mkdir()
    done = run("audit", *AS_EXPECTED, "--out", tmp_path, "--force")
    assert done.exit_code == 2
    assert f"{tmp_path / 'findings.json'}: cannot write the report (Is a directory)" in done.stderr
    assert "move the file that is in the way" in done.stderr


def test_a_name_of_several_lines_is_one_line(tmp_path: Path) -> None:
    name = tmp_path / "a\nreport: fine"
    for command in (("verify", name), ("report", name), ("audit", "--out", name / "below"), ("audit", "--page", name)):
        if command[0] == "audit" and command[1] == "--out":
            name.write_text("")
        done = run(*command)
        assert done.exit_code == 2
        assert not any(line.startswith("report: fine") for line in done.output.splitlines()), done.output


# -- claims --------------------------------------------------------------------------------------------------


def test_claims_are_listed() -> None:
    done = run("claims", *PAGE)
    assert done.exit_code == 0
    refuted = "toy/refuted  (toy, Lemma refuted; as printed)\n    x <= 1 for 0 < x < 9\n    expected: REFUTED"
    assert refuted in done.stdout
    listed = json.loads(run("claims", "--json", *PAGE, "toy/proved").stdout)
    assert [(claim["id"], claim["expect"]) for claim in listed] == [("toy/proved", ["PROVED"])]


def test_the_real_ledger_is_listed() -> None:
    listed = json.loads(run("claims", "--json").stdout)
    assert [claim["id"] for claim in listed] == [claim.id for claim in library.ledger().claims]


# -- verify --------------------------------------------------------------------------------------------------


def test_a_certificate_is_verified_and_a_wrong_one_rejected(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(FALSE))
    bad.write_text(json.dumps(TRUE))
    done = run("verify", *PAGE, good)
    assert done.exit_code == 0, done.output
    assert f"{good}: verified, and about claim toy/refuted\n" in done.stdout
    assert "the claim: x <= 1 for 0 < x < 9" in done.stdout
    both = run("verify", *PAGE, good, bad)
    assert both.exit_code == 1
    assert both.stdout.startswith(f"[1/2] {good}: verified")
    assert f"\n[2/2] {bad}: rejected: left <= right is not violated" in both.stdout


def test_all_certificates_of_a_findings_document_are_verified(tmp_path: Path) -> None:
    run("audit", *AS_EXPECTED, "--out", tmp_path)
    done = run("verify", *PAGE, tmp_path / "findings.json")
    assert done.exit_code == 0, done.output
    assert f"{tmp_path / 'findings.json'}: toy__refuted: verified, and about claim toy/refuted" in done.stdout


def test_a_verification_of_nothing_is_no_success(tmp_path: Path) -> None:
    run("audit", *PAGE, "toy/proved", "--out", tmp_path)
    done = run("verify", *PAGE, tmp_path / "findings.json")
    assert done.exit_code == 2
    assert "nothing to verify" in done.stderr


def test_a_certificate_of_an_unknown_claim_is_checked_as_far_as_it_can_be(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(FALSE | {"claim": "toy/other"}))
    done = run("verify", *PAGE, path)
    assert done.exit_code == 0
    assert f"{path}: verified, the arithmetic only: claim 'toy/other' is not in this version's ledger" in done.stdout


@pytest.mark.parametrize(("right", "same"), [("1", True), ("2", False)])
def test_a_true_certificate_about_something_else_is_told_apart(tmp_path: Path, right: str, same: bool) -> None:
    """x <= 1 is the ledger's claim; a certificate against x <= 2 is right, and about another statement."""
    path = tmp_path / "certificate.json"
    against = {"right": right, "right_enclosure": [right, right], "variables": {"x": "3"}, "left_enclosure": ["3", "3"]}
    path.write_text(json.dumps(FALSE | against))
    done = run("verify", *PAGE, path)
    assert done.exit_code == (0 if same else 1), done.output
    assert (f"{path}: verified, and about claim toy/refuted" in done.stdout) is same
    differs = "the right side of the certificate differs from that of the claim, which is"
    elsewhere = f"{path}: the arithmetic is right, but it is not about claim toy/refuted: {differs}"
    assert (elsewhere in done.stdout) is not same


def test_a_contradiction_of_the_ledger_is_said_loudly(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(FALSE | {"claim": "toy/wrong"}))
    done = run("verify", *PAGE, path)
    assert done.exit_code == 0, done.output
    assert "CONTRADICTION: the ledger expects toy/wrong to be PROVED" in done.stdout


def test_what_a_certificate_says_at_length_is_not_repeated(tmp_path: Path) -> None:
    for change in ({"left": "x" * 20_000}, {"claim": "x" * 20_000}):
        (tmp_path / "long.json").write_text(json.dumps(FALSE | change))
        done = run("verify", *PAGE, "--strict", tmp_path / "long.json")
        assert done.exit_code == 1
        assert len(done.stdout) < 3_000
        assert " characters ...] " in done.stdout


@pytest.mark.parametrize("content", ["[]", '"text"', "{}", '{"type": "formula"}', '{"findings": [{}]}'])
def test_what_is_no_certificate_is_never_verified(tmp_path: Path, content: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(content)
    done = run("verify", *PAGE, path)
    assert done.exit_code in (1, 2)
    assert ": verified" not in done.output
    assert "Traceback" not in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)


# -- report, and files ---------------------------------------------------------------------------------------


def test_the_report_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And it is told how many of its pages are drawn: that may take a minute."""
    run("audit", *AS_EXPECTED, "--out", tmp_path)
    drawn: dict[str, list[str]] = {}
    monkeypatch.setattr(progress, "one_by_one", lambda names, unit: drawn.update({unit: names}) or names)
    done = run("report", tmp_path / "findings.json", "--out", tmp_path / "sub" / "again.html")
    assert done.exit_code == 0, done.output
    assert len(drawn["page"]) == sum(1 for _ in (tmp_path / "sub").rglob("*.html"))
    again, first = (path.read_text() for path in (tmp_path / "sub" / "again.html", tmp_path / "index.html"))
    assert again.replace("again-papers/", "papers/").replace("again-refuted/", "refuted/") == first
    (tmp_path / "index.html").unlink()
    assert run("report", tmp_path / "findings.json").exit_code == 0
    assert (tmp_path / "index.html").exists()


@pytest.mark.parametrize("command", ["verify", "report"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read (No such file or directory); check the path"),
        (b'{"a": 1,\n "b": }', "invalid JSON at line 2, column 7"),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        (b"[" * 100_000, "nested too deeply"),
    ],
    ids=["missing", "broken", "binary", "deep"],
)
def test_unreadable_files(tmp_path: Path, command: str, content: bytes | None, message: str) -> None:
    path = tmp_path / "file.json"
    if content is not None:
        path.write_bytes(content)
    done = run(command, path)
    assert done.exit_code == 2
    assert f"{path}: " in done.stderr
    assert message in done.stderr


@pytest.mark.parametrize("command", ["verify", "report"])
def test_a_folder_is_refused_with_the_file_that_is_meant(tmp_path: Path, command: str) -> None:
    done = run(command, tmp_path)
    assert done.exit_code == 2
    assert (
        f"{tmp_path}: cannot be read (Is a directory); pass a file in this folder, such as findings.json" in done.stderr
    )


@pytest.mark.parametrize("command", ["verify", "report"])
@pytest.mark.first(1)
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path, command: str) -> None:
    """In a process of its own, which a wait would not outlive."""
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    code = f"from dpbandits.audit.cli.command_line import main; main([{command!r}, {str(pipe)!r}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{pipe} is not a regular file" in done.stderr


@pytest.mark.thorough
def test_whoever_has_seen_enough_of_the_output_is_no_error_of_ours() -> None:
    """The reader is gone before the first line: a status that is no verdict, and nothing on stderr, also at exit."""
    code = "from dpbandits.audit.cli.command_line import main; main(['claims'])"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as done:
        assert done.stdout is not None
        done.stdout.close()
        assert done.stderr is not None
        assert (done.stderr.read(), done.wait()) == (b"", 141)  # as of a process that SIGPIPE ends


def test_a_document_that_breaks_the_schema_is_refused_by_name(tmp_path: Path) -> None:
    run("audit", *AS_EXPECTED, "--out", tmp_path)
    path = tmp_path / "findings.json"
    document = json.loads(path.read_text())
    document["findings"][1]["verdict"] = "MAYBE"
    path.write_text(json.dumps(document))
    done = run("report", path)
    assert done.exit_code == 2
    assert "toy/refuted" in done.stderr
    assert "MAYBE" in done.stderr


# -- files from anybody --------------------------------------------------------------------------------------


def test_every_file_of_the_list_gets_its_line(tmp_path: Path) -> None:
    """An unreadable file does not stop the others, and counts before a rejected one."""
    good, bad, binary = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "binary.json"
    good.write_text(json.dumps(FALSE))
    bad.write_text(json.dumps(TRUE))
    binary.write_bytes(b"\xff")
    done = run("verify", *PAGE, tmp_path / "none.json", bad, binary, good)
    assert done.exit_code == 2
    assert f"{good}: verified" in done.stdout
    assert f"{bad}: rejected" in done.stdout
    assert f"{binary}: not UTF-8" in done.stderr
    assert "none.json: cannot be read" in done.stderr


def test_strict_wants_a_claim_of_the_ledger(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    for name, status in (
        ("toy/refuted", 0),
        ("toy/refuted ", 1),
        ("TOY/REFUTED", 1),
        ("toy/r\N{CYRILLIC SMALL LETTER IE}futed", 1),
    ):
        path.write_text(json.dumps(FALSE | {"claim": name}))
        assert run("verify", *PAGE, path).exit_code == 0
        done = run("verify", *PAGE, "--strict", path)
        assert done.exit_code == status, done.output
        assert (": verified" in done.stdout) is (status == 0)
        assert done.stdout.isascii()


def test_nothing_in_a_claim_moves_the_cursor_or_hides_the_verdict(tmp_path: Path) -> None:
    """Nor half a character, as in the name of a file that is no UTF-8: the report was written, and so is its status."""
    page = tmp_path / "odd26.py"
    page.write_text(ODD_PAGE, encoding="utf-8")
    for command, status in (
        (["audit", "--out", tmp_path / "out", "odd26/a"], 1),
        (["audit", "--out", tmp_path / "out"], 2),
        (["claims"], 0),
    ):
        done = run(*command, "--page", page)
        assert done.exit_code == status, done.output
        assert "internal error" not in done.output
        assert all(line.isprintable() for line in done.output.splitlines())
    assert json.loads(run("claims", "--json", "--page", page).stdout)[0]["quote"] == "\udce9"


@pytest.mark.parametrize("text", ["1 # \x1b[3A\x1b[2K verified", "1\n    verified", "\u202e1", "1\r"])
def test_nothing_in_a_file_moves_the_cursor(tmp_path: Path, text: str) -> None:
    for field in ("left", "claim", "relation"):
        path = tmp_path / "\x1b[2Kfile.json"
        path.write_text(json.dumps(FALSE | {field: text}))
        done = run("verify", *PAGE, path, tmp_path / "\x1b[2Knone.json")
        lines = done.output.splitlines()
        assert all(line.isprintable() for line in lines), lines
        assert not any(line.strip().startswith("verified") for line in lines)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"type": "formula", "type": "step"}', "the key 'type' occurs twice"),
        ('{"type": NaN}', "NaN is not a JSON number"),
        ('{"type": -Infinity}', "-Infinity is not a JSON number"),
        ('{"type": ' + "1" * 5000 + "}", "invalid JSON ("),
        (" " * 16_000_001, "larger than 16 MB"),
    ],
    ids=["twice", "nan", "infinity", "digits", "large"],
)
@pytest.mark.parametrize("command", ["verify", "report"])
def test_files_that_two_readers_would_read_differently(
    tmp_path: Path, command: str, content: str, message: str
) -> None:
    path = tmp_path / "file.json"
    path.write_text(content)
    done = run(command, path)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "internal error" not in done.stderr


def odd_documents() -> dict[str, Callable[[dict[str, Any]], Any]]:
    lines: dict[str, Any] = {
        "kind": "lines", "title": "t", "x": "x", "y": "y", "log_x": False, "log_y": False,
        "series": [{"label": "l", "points": [[0, 1], [1, 2]], "style": "exact"}],
    }  # fmt: skip
    huge = {**lines, "series": [{"label": "l", "points": [[0, 10**400], [1, 2]], "style": "exact"}]}
    nested: Any = {"type": "x"}
    for _ in range(300):
        nested = {"type": "x", "more": [nested]}
    return {
        "an error without a repro": lambda d: d["errors"].append({"id": "a", "error": "died"}),
        "an error in colour": lambda d: d["errors"].append({"id": "a", "error": "\x1b[31mdied\ud800"}),
        "a control character": lambda d: d["findings"][0]["evidence"].append(lines | {"title": "\x01", "x": "\ufffe"}),
        "a surrogate": lambda d: d["findings"][0].update(summary="\ud800", quote="\udfff"),
        "a huge number": lambda d: d["findings"][0]["evidence"].append(huge),
        "a huge seed": lambda d: d.update(seed=10**4000),
        "a deep one": lambda d: d["findings"][0]["evidence"].append({"kind": "certificate", "certificate": nested}),
        "an odd id": lambda d: d["findings"][0].update(id="\x1b[2K"),
        "an id of no text": lambda d: d["findings"][0].update(id=5),
        "no findings": lambda d: d.update(findings=None),
        "findings of nothing": lambda d: d.update(findings=[None, 1, []]),
        "a strange evidence": lambda d: d["findings"][0].update(evidence=[5]),
    }  # fmt: skip


@pytest.mark.parametrize("name", odd_documents())
@pytest.mark.first(3)
def test_no_document_ends_in_a_traceback(tmp_path: Path, name: str) -> None:
    run("audit", *AS_EXPECTED, "--out", tmp_path)
    path, page = tmp_path / "findings.json", tmp_path / "index.html"
    document, before = json.loads(path.read_text()), page.read_bytes()
    odd_documents()[name](document)
    path.write_text(json.dumps(document))
    for command in ("report", "verify"):
        done = run(command, path)
        assert done.exit_code in ((0, 2) if command == "report" else (0, 1, 2)), done.output
        assert done.exception is None or isinstance(done.exception, SystemExit)
        assert "internal error" not in done.output
        assert all(line.isprintable() for line in done.output.splitlines())
        if command == "report" and done.exit_code:
            assert page.read_bytes() == before
    if "error" in name or "character" in name or "surrogate" in name:
        assert run("report", path).exit_code == 0  # it obeys the schema
        assert "\x1b" not in page.read_text(encoding="utf-8")


def test_an_error_in_the_code_of_a_page_is_said_at_its_line(tmp_path: Path) -> None:
    """And is no internal error, which nobody could mend who wrote the page."""
    page = tmp_path / "doe26.py"
    page.write_text(PAGE_WITH_A_TYPO, encoding="utf-8")
    done = CliRunner().invoke(main, ["claims", "--page", str(page)])
    assert done.exit_code == 2
    line = 1 + PAGE_WITH_A_TYPO[: PAGE_WITH_A_TYPO.index("m.expo")].count("\n")
    assert f"doe26.py:{line}: AttributeError: formulas cannot use m.expo; the available" in done.output
    assert "internal" not in done.output


def test_a_killed_worker_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="a worker process was killed: give it more memory"), ending_in_words(tmp_path):
        raise run_claims.WorkerKilled("a worker process was killed: give it more memory")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--horizon", "1e6", "'--horizon': '1e6' is not an integer of at most 4300 digits: write 1000000"),
        ("--horizon", "1.5", "'1.5' is not an integer of at most 4300 digits, such as 1000"),
        ("--horizon", "1e400", "'1e400' is not an integer of at most 4300 digits, such as 1000"),
        ("--horizon", "0", "0 is not in the range x>=1"),
        ("--delta", "small", "'small' is not a number; write, for example, 1e-6 or 0.5"),
        ("--delta", "1", "1.0 is not in the range 0<x<1"),
    ],
)
def test_what_is_no_number_is_refused_in_words_that_say_what_would_be_one(option: str, value: str, words: str) -> None:
    options = {"--horizon": "20", "--delta": "1e-6"} | {option: value}
    result = CliRunner().invoke(main, ["privacy", "thompson", *(part for pair in options.items() for part in pair)])
    assert result.exit_code == 2
    assert words in result.output


def every_command(group: click.Group, *path: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        yield " ".join((*path, name)), command
        if isinstance(command, click.Group):
            yield from every_command(command, *path, name)


@pytest.mark.parametrize(("name", "command"), [("", main), *every_command(main)])
def test_every_help_ends_with_examples_that_parse(name: str, command: click.Command) -> None:
    shown = CliRunner().invoke(main, [*name.split(), "--help"]).output.partition("Examples:\n")[2]
    lines = [line.split(maxsplit=1)[1] for line in shown.splitlines()]
    assert any(line.startswith(name) for line in lines)
    for line in lines:
        group, words = main, shlex.split(line)
        while isinstance(group, click.Group):
            group, words = group.get_command(click.Context(group), words[0]), words[1:]
        if "--protocol" not in words:
            group.make_context(group.name, words)


def test_the_protocol_is_shown_wherever_the_package_is() -> None:
    result = CliRunner().invoke(main, ["check", "--protocol"])
    assert result.exit_code == 0
    assert result.output.startswith("# A policy in any language: the protocol\n")
    assert '{"do": "init"' in result.output
