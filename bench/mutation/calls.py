"""Which test runs which line of which module, measured by coverage in one run of the tests, and kept."""

from __future__ import annotations

import ast
import json
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from coverage import CoverageData
from mutations import ROOT, Mutation, modules

PLUGIN = '''"""Notes which lines of the tree each test runs, how long it takes, and whether it fails."""

import json
import os
import sys
import threading
from pathlib import Path
from time import process_time

import pytest
from coverage import Coverage

TREE = Path(__file__).parents[1].resolve()
MEASURED = str(TREE / "measured")
OWN, OTHERS = [f"{TREE}/*"], [f"{TREE}/tests/*"]
watching = Coverage(f"{MEASURED}.{os.getpid()}.coverage", config_file=False, include=OWN, omit=OTHERS)
watching.start()
threading.settrace(None)  # not in threads, some of which tests leave behind
failed = set()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    start = process_time()
    watching.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        watching.switch_context("")
        with open(f"{MEASURED}.{os.getpid()}.tests", "a", encoding="utf-8") as out:
            print(json.dumps([item.nodeid, process_time() - start, item.nodeid in failed]), file=out)


def pytest_runtest_logreport(report):
    if report.failed:
        failed.add(report.nodeid)


def pytest_unconfigure():
    watching.stop()
    watching.save()
'''
LEFT_BEHIND = (".git", ".venv", "__pycache__", "_build", "out", "*.egg-info", ".*_cache", ".hypothesis")
# Marks: the tests of `make test`.
ASKED = "not browser and not planted and not thorough and not cluster and not audited and not docs and not rocq"
READER = "test_architecture.py"  # rules of the house, held against the text of every module: no test of what code does
CROWD = 10.0  # seconds by the clock for each second of the processor, on a machine that others share
MEMORY = 8 << 30  # bytes of data of one process; a mutation that wants more is noticed, not the machine's end


class Map(NamedTuple):
    """The tests by the lines that they run, how long each takes, and those that fail without any mutation."""

    lines: dict[str, dict[int, list[str]]]  # by module, below the root; "" for what ran outside of any test
    seconds: dict[str, float]
    failing: frozenset[str]  # never asked: what they say of a mutation is worth nothing

    def asked(self, mutation: Mutation) -> list[str]:
        """The tests that run a line of the mutated text, the quickest first. Where none does, those that run the
        function around it; where what is mutated runs at import, all that run something of the module."""
        lines = self.lines.get(mutation.path, {})
        source = (ROOT / mutation.path).read_bytes()
        mutated = range(mutation.line, mutation.line + source[mutation.start : mutation.stop].count(b"\n") + 1)
        around = function_around(source, mutation.line)
        for places in (mutated, around, lines):
            found = {test for line in places for test in lines.get(line, ())} & self.seconds.keys()
            if found and (around or places is lines):
                return sorted(found - self.failing, key=self.cost)
        return []

    def cost(self, test: str) -> float:
        """The seconds that a test took when the map was measured."""
        return self.seconds[test]


def function_around(source: bytes, line: int) -> range:
    """The lines of the innermost function around a line; none outside of any."""
    lines = range(0)
    for node in ast.walk(ast.parse(source)):  # the inner ones come later
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno <= line <= (node.end_lineno or line):
            lines = range(node.body[0].lineno, (node.end_lineno or line) + 1)
    return lines


def prepared(where: Path, files: list[Path]) -> Path:
    """A copy of the tree, links and all, in which `dpbandits.x` is the copy's folder x: all is compiled, tests as
    pytest does it, and modules so that a changed text counts, be it as long and made in the same second."""
    shutil.copytree(ROOT, where, ignore=shutil.ignore_patterns(*LEFT_BEHIND), symlinks=True)
    pytest(where, "-n", "0", "--collect-only", *(str(path.relative_to(ROOT)) for path in files), writes=True)
    compiling = [sys.executable, "-m", "compileall", "-q", "-f", "--invalidation-mode", "checked-hash", "src/dpbandits"]
    subprocess.run(compiling, cwd=where, check=False)  # what is no module, as a skeleton, may not compile
    return where


def pytest(copy: Path, *arguments: str, limit: float | None = None, writes: bool = False) -> tuple[int, str]:
    """pytest's exit status and output in a copy; negative where it was ended.

    The limit is of processor time, for each process that it starts: how busy the machine is decides nothing. CROWD
    times as long by the clock is for what waits without working.
    """

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 5))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "OMP_NUM_THREADS": "1"}
    environment["PYTHONDONTWRITEBYTECODE"] = "" if writes else "1"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--no-header", *arguments]
    with subprocess.Popen(
        command, cwd=copy, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True, preexec_fn=limited,
    ) as process:  # fmt: skip
        try:
            out, _ = process.communicate(timeout=None if limit is None else CROWD * limit)
            return process.returncode, out
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return -1, process.communicate()[0]


def test_files(only: list[str]) -> list[Path]:
    """The test files that are asked: all, or those with one of these names."""
    every = [path for path in sorted((ROOT / "tests").rglob("test_*.py")) if path.name != READER]
    return [path for path in every if path.name in only] if only else every


def tree_digest() -> str:
    """A digest of all modules, and of what tests share: with it, everything that was measured is forgotten."""
    shared = [path for path in (ROOT / "tests").rglob("*.py") if not path.name.startswith("test_")]
    return digest([*modules(), *shared])


def digest(paths: list[Path]) -> str:
    """A digest of files, by their places and contents."""
    found = blake2b(digest_size=8)
    for path in sorted(paths):
        found.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return found.hexdigest()


def mapped(copy: Path, kept: Path, files: list[Path], jobs: int) -> Map:
    """The map of the tree for these test files, of which those are measured that were not yet."""
    asked = {str(path.relative_to(ROOT)): digest([path]) for path in files}
    known = [path for path in kept.glob("*.files") if path.with_suffix(".coverage").exists()]
    missing = set(asked.items()).difference(*(measured_in(path) for path in known))
    if missing:
        known.append(measured(copy, kept, dict(sorted(missing)), jobs))
    everything = Map({}, {}, frozenset())
    for path in known:
        own = {name for name, mark in measured_in(path) if asked.get(name) == mark}
        everything = joined(everything, path, own)
    return everything


def measured_in(path: Path) -> set[tuple[str, str]]:
    """The test files that were measured together, each with its digest."""
    rows = [row.split() for row in path.read_text(encoding="utf-8").splitlines()]
    return {(name, mark) for name, mark in rows}


def joined(everything: Map, path: Path, own: set[str]) -> Map:
    """The map, and what was measured of these files together."""
    rows = [json.loads(row) for row in path.with_suffix(".tests").read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row[0].partition("::")[0] in own]
    seconds = everything.seconds | {test: took for test, took, _ in rows}
    data = CoverageData(str(path.with_suffix(".coverage")))
    data.read()
    lines = everything.lines
    for name in data.measured_files():
        module = lines.setdefault(name, {})
        for line, tests in data.contexts_by_lineno(name).items():
            module.setdefault(line, []).extend(test for test in tests if test in seconds)
    return Map(lines, seconds, everything.failing | {test for test, _, failed in rows if failed})


def measured(copy: Path, kept: Path, files: dict[str, str], jobs: int) -> Path:
    """Runs these test files and keeps which lines each test runs, and how long it takes; the file that lists them."""
    path = kept / f"{digest([ROOT / name for name in files])}.files"
    (copy / "src" / "watching_calls.py").write_text(PLUGIN, encoding="utf-8")
    status, out = pytest(copy, "-n", str(jobs), "-m", ASKED, "-p", "watching_calls", *files)
    if status not in (0, 1, 5):  # 5: none of these is a test of `make test`
        raise SystemExit(f"the tests did not run (status {status}):\n{out[-2000:]}")
    tests = [each.read_text(encoding="utf-8") for each in sorted(copy.glob("measured.*.tests"))]
    path.with_suffix(".tests").write_text("".join(tests), encoding="utf-8")
    together = CoverageData(str(path.with_suffix(".coverage")))
    for each in sorted(copy.glob("measured.*.coverage")):
        data = CoverageData(str(each))
        data.read()
        together.update(data, map_path=lambda name: str(Path(name).relative_to(copy.resolve())))
    together.write()
    path.write_text("".join(f"{name} {mark}\n" for name, mark in files.items()), encoding="utf-8")
    return path
