"""Files of a run: what others wrote stays, what is half written is never seen, and two runs do not meet."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import warnings
from io import StringIO
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from test_cli import AS_EXPECTED, FALSE
from toy_page import FOLDER, LEDGER, toys

from dpbandits import registry
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.cli_shared.endings import Guarded, Trouble
from dpbandits.audit.cli_shared.outputs import Output, claim_outputs, write_output
from dpbandits.audit.judges.effort import QUICK, Plan
from dpbandits.audit.runner import cache, run_claims, store
from dpbandits.audit.runner.workers import REPLACED, Workers
from dpbandits.reference.claims import ledger as library


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def audit(*options: object) -> Result:
    """Audits a claim that is proved and one that is refuted."""
    return run("audit", *AS_EXPECTED, *options)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


FOREIGN = {
    "README.md": "mine",
    ".git/config": "[core]",
    "index.html": "<title>my site</title>",
    "findings.json": '{"schema": 2, "mine": true}',
    "certificates/tls-private.json": '{"key": 1}',
    "cases/trial.json": '{"patient": 1}',
    "deep/er/notes.txt": "notes",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_folder_of_others_is_refused_and_stays(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(FOREIGN[name])
    before = contents(tmp_path)
    done = audit("--out", tmp_path)
    assert done.exit_code == 2, done.output
    assert "--force" in done.stderr
    assert contents(tmp_path) == before


def test_by_force_only_what_is_in_the_way_is_overwritten(tmp_path: Path) -> None:
    for name, text in FOREIGN.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert audit("--out", tmp_path, "--force").exit_code == 0
    left = {name for name, text in FOREIGN.items() if (tmp_path / name).read_text() == text}
    assert left == set(FOREIGN) - {"index.html", "findings.json"}


def test_our_own_folder_is_taken_again(tmp_path: Path) -> None:
    """Finished, interrupted, with drafts of a run that was killed, and with the report alone."""
    assert audit("--out", tmp_path).exit_code == 0
    (tmp_path / "certificates" / "old__one.json").write_text(json.dumps(FALSE))
    (tmp_path / "certificates" / "toy__refuted.json.123.part").write_text("{")
    assert audit("--out", tmp_path).exit_code == 0
    assert [path.name for path in (tmp_path / "certificates").iterdir()] == ["toy__refuted.json"]
    for name in ("findings.json", "timings.json", "index.html", "certificates/toy__refuted.json"):
        (tmp_path / name).unlink()
    assert audit("--out", tmp_path).exit_code == 0
    for path in (tmp_path / "cases").iterdir():
        path.unlink()
    assert audit("--out", tmp_path).exit_code == 0


def test_links_are_not_followed(tmp_path: Path) -> None:
    other, out = tmp_path / "other", tmp_path / "out"
    other.mkdir()
    out.mkdir()
    (other / "x.json").write_text(json.dumps(FALSE))
    (out / "certificates").symlink_to(other)
    for force in ((), ("--force",)):
        assert audit("--out", out, *force).exit_code == 2
    (out / "certificates").unlink()
    (other / "page.html").write_text("mine")
    (out / "index.html").symlink_to(other / "page.html")
    assert audit("--out", out).exit_code == 2
    assert audit("--out", out, "--force").exit_code == 0
    assert (other / "page.html").read_text() == "mine"
    assert (other / "x.json").exists()


@pytest.mark.parametrize("out", ["", " ", "a\0b"])
def test_a_folder_without_a_name_is_refused(out: str) -> None:
    done = CliRunner().invoke(main, ["audit", "--out", out])
    assert done.exit_code == 2
    assert "name a file or folder" in done.stderr


def test_reports_side_by_side_share_no_page(tmp_path: Path) -> None:
    """Nor does a run beside them touch their pages, or take them for somebody else's."""
    audit("--out", tmp_path)
    findings = json.loads((tmp_path / "findings.json").read_text())
    first = contents(tmp_path)
    findings["findings"][0]["summary"] = "something else"
    (tmp_path / "other.json").write_text(json.dumps(findings))
    assert run("report", tmp_path / "other.json", "--out", tmp_path / "b&c.html").exit_code == 0
    (tmp_path / "other.json").unlink()
    second = {name: text for name, text in contents(tmp_path).items() if name not in first}
    assert {name.partition("/")[0] for name in second} == {
        "b&c.html", "b&c-certificates", "b&c-claims", "b&c-papers", "b&c-refuted",
    }  # fmt: skip
    assert 'href="../b%26c.html"' in (tmp_path / "b&c-papers" / "toy.html").read_text()
    assert audit("--out", tmp_path).exit_code == 0
    now = contents(tmp_path)
    assert all(now[name] == text for name, text in (first | second).items() if name.endswith(".html"))


def test_a_report_is_known_again_whatever_it_is_called(tmp_path: Path) -> None:
    page = f'<!doctype html>\n{store.REPORT_HEAD.decode()}1">'
    for name in ("report", "report.htm", "report.html"):
        (tmp_path / name).write_text(page)
        store.claim_file(tmp_path / name)
    (tmp_path / "link").symlink_to(tmp_path / "report")
    with pytest.raises(store.Refused, match="this command did not write it"):
        store.claim_file(tmp_path / "link")


def test_a_report_overwrites_reports_only(tmp_path: Path) -> None:
    audit("--out", tmp_path)
    target = tmp_path / "mine.html"
    target.write_text("mine")
    done = run("report", tmp_path / "findings.json", "--out", target)
    assert done.exit_code == 2
    assert "--force" in done.stderr
    assert target.read_text() == "mine"
    assert run("report", tmp_path / "findings.json", "--out", target, "--force").exit_code == 0
    assert run("report", tmp_path / "findings.json", "--out", target).exit_code == 0  # it is ours by now
    folder = run("report", tmp_path / "findings.json", "--out", tmp_path)
    assert folder.exit_code == 2
    assert "is a folder; add the name of a file in it" in folder.stderr
    before = contents(tmp_path)
    for name in (
        "findings.json",
        "timings.json",
        "cases/toy__refuted.json",
        "certificates/toy__refuted.json",
    ):  # ours, and no report
        assert run("report", tmp_path / "findings.json", "--out", tmp_path / name).exit_code == 2
    assert contents(tmp_path) == before


def test_a_report_writes_the_certificates_that_its_pages_name(tmp_path: Path) -> None:
    """Beside the findings they are there already, and stay as they are, byte by byte."""
    audit("--out", tmp_path)
    before = contents(tmp_path)
    assert run("report", tmp_path / "findings.json").exit_code == 0
    assert contents(tmp_path) == before
    for start, shelf in (("index.html", "certificates"), ("other.html", "other-certificates")):
        assert run("report", tmp_path / "findings.json", "--out", tmp_path / "new" / start).exit_code == 0
        made = contents(tmp_path / "new" / shelf)
        assert made == {"toy__refuted.json": before["certificates/toy__refuted.json"]}
        assert run("verify", tmp_path / "new" / shelf / "toy__refuted.json").exit_code == 0
        letters = (tmp_path / "new").glob("*refuted/*.html")
        line = f"dpbandits verify --page {FOLDER} {shelf}/toy__refuted.json"
        assert any(line in page.read_text() for page in letters)


def test_a_report_overwrites_no_certificate_that_is_none(tmp_path: Path) -> None:
    audit("--out", tmp_path)
    target = tmp_path / "new" / "certificates" / "toy__refuted.json"
    target.parent.mkdir(parents=True)
    target.write_text('{"mine": 1}')
    before = contents(tmp_path)
    refused = run("report", tmp_path / "findings.json", "--out", tmp_path / "new" / "index.html")
    assert refused.exit_code == 2
    assert "toy__refuted.json exists already, and this command did not write it" in refused.stderr
    assert contents(tmp_path) == before
    assert run("report", tmp_path / "findings.json", "--out", tmp_path / "new" / "index.html", "--force").exit_code == 0
    assert target.read_bytes() == before["certificates/toy__refuted.json"]


def test_processes_of_one_number_on_two_machines_keep_the_same_case(tmp_path: Path, monkeypatch: Any) -> None:
    """Shards share a folder, and no numbering of their processes."""
    monkeypatch.setattr(os, "getpid", lambda: 7)
    path, write = tmp_path / "cases" / "a.json", Path.write_text

    def interrupted(draft: Path, text: str, **rest: Any) -> int:
        made = write(draft, text, **rest)
        if text == "one":
            store.write_whole(path, "another")
        return made

    monkeypatch.setattr(Path, "write_text", interrupted)
    store.write_whole(path, "one")
    assert contents(tmp_path) == {"cases/a.json": b"one"}


def test_no_room_leaves_the_older_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audit("--out", tmp_path)
    before = contents(tmp_path)
    write = Path.write_text

    def full(path: Path, text: str, **rest: Any) -> int:
        if path.name.startswith("index.html"):
            write(path, text[:10], **rest)
            raise OSError(28, "No space left on device")
        return write(path, text, **rest)

    monkeypatch.setattr(Path, "write_text", full)
    done = run("audit", "--page", FOLDER, "toy/proved", "--out", tmp_path)
    assert done.exit_code == 2
    assert "No space left on device" in done.stderr
    assert contents(tmp_path) == before


def test_two_runs_do_not_meet_in_one_folder(tmp_path: Path) -> None:
    with store.lock_folder(tmp_path):
        done = audit("--out", tmp_path)
    assert done.exit_code == 2
    assert "another run is writing to" in done.stderr
    assert audit("--out", tmp_path).exit_code == 0


# -- cases ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "forge",
    [
        lambda case: case["finding"].update(verdict="CONSISTENT"),
        lambda case: case["finding"].update(summary="look elsewhere"),
        lambda case: case["finding"].update(evidence=[]),
        lambda case: case["finding"].update(claim="toy/proved"),
        lambda case: case.update(seconds=float("nan")),
        lambda case: case.update(seconds="soon"),
        lambda case: case.update(seconds=10**400),
        lambda case: case.pop("digest"),
    ],
)
@pytest.mark.first(3)
def test_a_forged_case_is_judged_again(tmp_path: Path, forge: Any) -> None:
    audit("--out", tmp_path)
    before = contents(tmp_path)["findings.json"]
    path = tmp_path / "cases" / "toy__refuted.json"
    case = json.loads(path.read_text())
    forge(case)
    path.write_text(json.dumps(case))
    assert audit("--out", tmp_path).exit_code == 0
    assert (tmp_path / "findings.json").read_bytes() == before


@pytest.mark.parametrize("change", [{"left": "x + 1"}, {"claim": "toy/proved"}])
def test_a_false_certificate_is_not_published(tmp_path: Path, change: dict[str, str]) -> None:
    """Even with a digest that fits."""
    audit("--out", tmp_path)
    before = contents(tmp_path)
    path = tmp_path / "cases" / "toy__refuted.json"
    case = json.loads(path.read_text())
    (carried,) = (item for item in case["finding"]["evidence"] if item["kind"] == "certificate")
    carried["certificate"].update(change)
    case["digest"] = cache.digest_of(case["finding"], case["fingerprint"])
    path.write_text(json.dumps(case))
    assert audit("--out", tmp_path).exit_code == 0
    assert contents(tmp_path)["certificates/toy__refuted.json"] == before["certificates/toy__refuted.json"]


# -- ends ----------------------------------------------------------------------------------------------------


def command(*options: object) -> list[str]:
    """The command that audits claims of the toy page with two workers, in a process of its own."""
    return [sys.executable, "-m", "dpbandits", "audit", "--page", str(FOLDER), "--jobs", "2", *map(str, options)]


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def gone(processes: list[int]) -> bool:
    end = time.monotonic() + 300
    while any(map(alive, processes)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(alive, processes))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "status", "said"),
    [
        (signal.SIGTERM, 143, "Repeat the command to continue"),
        (signal.SIGKILL, -9, ""),
    ],
)
def test_no_process_outlives_the_run(tmp_path: Path, toy_log: Path, kind: int, status: int, said: str) -> None:
    process = subprocess.Popen(
        command("toy/waits", "toy/waits-too", "--out", tmp_path),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 600
    while len(toy_log.read_text().splitlines()) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    workers = [int(line.split()[1]) for line in toy_log.read_text().splitlines()]
    os.kill(process.pid, kind)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == status, errors
    assert said in errors
    assert "Traceback" not in errors
    assert len(workers) == 2
    assert gone(workers)


@pytest.mark.thorough
@pytest.mark.parametrize(("deaths", "status"), [(1, 0), (2, 0), (3, 2)])
def test_a_killed_worker_is_replaced_twice(
    tmp_path: Path, toy_log: Path, monkeypatch: pytest.MonkeyPatch, deaths: int, status: int
) -> None:
    monkeypatch.setenv("TOY_FAULTS", f"{deaths}")
    asked = command("toy/proved", "toy/kills", "toy/equal", "--out", tmp_path)
    done = subprocess.run(asked, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    checks = [line.split() for line in toy_log.read_text().splitlines()]
    processes = [process for claim, process in checks if claim == "toy/kills"]
    assert len(processes) == len(set(processes)) == min(deaths + 1, 3)
    if status:
        assert "Run the same command again" in done.stderr
    else:
        found = json.loads((tmp_path / "findings.json").read_text())
        assert {each["id"] for each in found["findings"]} == {"toy/proved", "toy/equal", "toy/kills"}


def command_that_raises(error: BaseException) -> Guarded:
    """A group whose command `odd` raises the error; `main` is a group of this kind."""

    def odd() -> None:
        raise error

    return Guarded(commands=[click.Command("odd", callback=odd)])


def test_whatever_is_thrown_is_2_and_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(main, Guarded)
    group = command_that_raises(LookupError("odd \x1b[2K"))
    done = CliRunner().invoke(group, ["odd"])
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: internal error (LookupError: odd \\x1b[2K)")
    monkeypatch.setenv("DPBANDITS_TRACEBACK", "1")
    assert "in odd" in CliRunner().invoke(group, ["odd"]).stderr


def test_code_that_asks_to_end_the_process_is_no_success(tmp_path: Path) -> None:
    """SystemExit(0), of a page's formula or anywhere else, would end a run with the status of a success."""
    done = run("audit", "--quiet", "--page", FOLDER, "toy/exits", "toy/proved", "--out", tmp_path)
    assert done.exit_code == 2
    assert [each["id"] for each in json.loads((tmp_path / "findings.json").read_text())["errors"]] == ["toy/exits"]
    done = CliRunner().invoke(command_that_raises(SystemExit(0)), ["odd"])
    assert done.exit_code == 2
    assert "the code of a policy, or of the module of a paper, called sys.exit() (SystemExit: 0)" in done.stderr


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (GeneratorExit("gone"), "internal error (GeneratorExit: gone)"),
        (pytest.fail.Exception("no"), "internal error (Failed: no)"),
        (MemoryError("Unable to allocate"), "not enough memory (MemoryError: Unable to allocate); use smaller"),
        (ImportError("libx.so: failed to map segment"), "not enough memory (ImportError: libx.so: failed to map"),
    ],
)
def test_whatever_is_raised_ends_with_a_sentence(error: BaseException, said: str) -> None:
    done = CliRunner().invoke(command_that_raises(error), ["odd"])
    assert done.exit_code == 2
    assert said in done.stderr


def test_more_folders_than_can_be_made_are_refused(tmp_path: Path) -> None:
    assert not audit("--quiet", "--out", tmp_path).exit_code
    deep, out = Path(*["d"] * 1900), tmp_path
    for command in (
        ["audit", "--out", deep],
        *([["vectors", deep]] if "vectors" in registry.added().commands else []),
        ["report", out / "findings.json", "--out", deep / "x.html"],
    ):
        done = run(*command)
        assert done.exit_code == 2, done.output
        assert "is too long for this system; choose a shorter path" in done.output, done.output


# -- arguments -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [-1, 1.5, "x", 2**64, True, None])
def test_a_seed_that_is_none_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match=r"seed = .*; it must be an integer from 0 to"):
        run_claims.audit((), None, seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("jobs", [0, -1, 10**6, 1.5])
def test_a_number_of_jobs_that_is_none_is_refused(jobs: Any) -> None:
    with pytest.raises(ValueError, match=r"jobs = .*; it must be an integer from 1 to"):
        run_claims.judge_or_read_back((), None, Workers(jobs), None, False)  # type: ignore[arg-type]


def test_no_more_workers_than_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    import joblib

    asked, real = [], joblib.Parallel

    def parallel(n_jobs: int, **rest: Any) -> Any:
        asked.append(n_jobs)
        return real(n_jobs=1, **rest)

    monkeypatch.setattr(joblib, "Parallel", parallel)
    run_claims.audit(toys("proved", "refuted"), QUICK, jobs=16, ledger=LEDGER)
    assert asked == [2]


def test_no_process_starts_where_all_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claims, plan = toys("proved", "refuted"), Plan(LEDGER, QUICK, 0)
    run_claims.judge_or_read_back(claims, plan, Workers(1), tmp_path, False)
    monkeypatch.setattr("joblib.Parallel", lambda **_: pytest.fail("all is kept"))
    kept = run_claims.judge_or_read_back(claims, plan, Workers(2), tmp_path, False)
    assert set(kept) == {"toy/proved", "toy/refuted"}


def test_one_job_is_this_process_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that an interruption ends the check itself, and no pool of processes has to be made."""
    monkeypatch.setattr("joblib.Parallel", lambda **_: pytest.fail("there is one job"))
    with Workers(1).parallel() as (parallel, many):
        assert (many, dict(parallel([os.getpid, lambda: 7]))) == (1, {0: os.getpid(), 1: 7})


def test_that_a_worker_was_replaced_is_told_to_nobody() -> None:
    """Whoever replaces one that has grown says that this may be a leak; anything else is passed on."""
    from joblib.externals.loky import process_executor

    assert f'"{REPLACED}' in Path(process_executor.__file__).read_text("utf-8")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with Workers(2).parallel():
            for text in (f"{REPLACED} were given to the executor.", "something else"):
                warnings.warn(text, UserWarning, stacklevel=1)
    assert [str(each.message) for each in seen] == ["something else"]


def test_a_log_is_never_silent_for_long(capsys: Any) -> None:
    from dpbandits.audit.runner import progress

    with progress.Progress(9, 4, 2, True, 0.01) as told:
        assert told.line() == ""
        told.begin(["x", "x", "y and 1 more", "z"])
        assert told.line() == "4 of 9 claims; at work: x"
        told.back("x", [])
        assert told.line() == "4 of 9 claims; at work: x, y and 1 more"
        said, end = "", time.monotonic() + 600
        awaited = "4 of 9 claims; at work: x, y and 1 more\n"  # it may have said the line before this one as well
        while awaited not in said and time.monotonic() < end:  # whoever says it may be waiting for a processor
            time.sleep(0.01)
            said += capsys.readouterr().err
        told.back("x", [])  # its other pieces wait for these: nobody is at work on it now
        assert told.line() == "4 of 9 claims; at work: y and 1 more, z"
        told.back("y and 1 more", ["y", "w"])
        assert told.line() == "6 of 9 claims; at work: z"
        told.begin(["x"])
        assert told.line() == "6 of 9 claims; at work: x"
    assert awaited in said


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_how_many_pages_are_drawn_is_a_bar_on_a_terminal_and_a_line_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    from dpbandits.audit.runner import progress

    pages, said, end = progress.one_by_one(["a", "b", "c"], "page", 0.01), "", time.monotonic() + 600
    assert [next(pages), next(pages)] == ["a", "b"]
    while "1 of 3 pages\n" not in said and time.monotonic() < end:
        time.sleep(0.01)
        said += capsys.readouterr().err
    assert list(pages) == ["c"]
    assert "1 of 3 pages\n" in said
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(progress.one_by_one(["a", "b", "c"], "page")) == ["a", "b", "c"]
    assert "3/3" in terminal.getvalue()


def test_the_ledgers_ids_are_printable() -> None:
    assert all(store.printable(claim.id) == claim.id for claim in library.ledger().claims)


# -- outputs -----------------------------------------------------------------------------------------------------------

SARIF = Output("SARIF log", mark=b'"name": "dpbandits"')


def test_a_new_output_format_needs_a_mark_alone_to_be_written_again(tmp_path: Path) -> None:
    """Also one that is JSON of no kind that is known; and a file without the mark stays."""
    path, outputs = tmp_path / "log.sarif", {"--sarif": SARIF}
    text = '{"runs": [{"tool": {"driver": {"name": "dpbandits"}}}]}'
    for _ in range(2):
        claim_outputs({"--sarif": path}, outputs)
        write_output("--sarif", path, text, outputs=outputs)
    path.write_text('{"runs": []}')
    with pytest.raises(Trouble, match=r"--sarif: .*log\.sarif exists already"):
        claim_outputs({"--sarif": path}, outputs)
    assert path.read_text() == '{"runs": []}'


@pytest.mark.parametrize("command", [["examples", "x" * 300], ["new", "x" * 300], ["new", "__init__"],
                                     ["audit", "--out", "a/" + "y" * 256]])  # fmt: skip
def test_a_name_that_no_file_can_have_is_refused(command: list[str], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*command)
    assert done.exit_code == 2
    assert "internal error" not in done.output
    assert "at most" in done.output
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_shows_a_bar_with_the_claim_that_was_finished_last(monkeypatch: pytest.MonkeyPatch) -> None:
    from dpbandits.audit.runner.progress import Progress

    terminal = StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress(5, 1, 2, True) as told:
        told.begin(["x", "y"])
        told.back("x", ["p/first", "p/middle", "p/last"])
        told.back("y", [])
    shown = terminal.getvalue().rsplit("\r", 1)[1]
    assert "4/5" in shown
    assert "p/last" in shown
