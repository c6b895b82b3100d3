"""How much the tests see: single mutations of the modules that judge, and which of them no test notices.

A sample of mutations is drawn over all modules that judge, by their size: a comparison flipped, a sign, a constant,
min for max, a directed rounding, a raise or another statement dropped, two arguments swapped, a condition held true,
an early return. Each is planted in a copy of the tree, and the tests that call the mutated function are asked, the
quickest first, until one fails: those of `make test` alone, and none that reads the text of modules. What no test
notices is printed with its line: somebody must then say whether the mutation is equivalent, harmless (speed, words,
tuning), or a gap through which a wrong verdict could pass. A mutation with which tests do not end is not noticed by
that: such ones are listed apart.

Run with: python bench/mutation/mutants.py --count 150 --seed 1      (about an hour on two cores)
          python bench/mutation/mutants.py --only audit/tradeoff/curve.py --count 20
Which test calls which function is measured first (one run of all tests, half as long again as without it), and kept:
what is measured again are test files that change, and all of them where a module does.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path
from queue import Queue
from time import perf_counter
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PLUGIN = '''"""Notes which functions of the tree each test calls, how long it takes, and whether it fails."""

import ctypes
import json
import os
import sys
from pathlib import Path
from time import process_time

import pytest

TREE = str(Path(__file__).parents[1].resolve()) + os.sep
failed = set()
throw = ctypes.pythonapi.PyThreadState_SetAsyncExc


def unwatched(*arguments):
    """CPython 3.11 waits for the other thread for ever where it is watched."""
    sys.settrace(None)
    return throw(*arguments)


ctypes.pythonapi.PyThreadState_SetAsyncExc = unwatched


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    seen = set()

    def called(frame, event, argument):
        seen.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    start = process_time()
    sys.settrace(called)  # not in threads, some of which tests leave behind
    try:
        return (yield)
    finally:
        sys.settrace(None)
        places = {(os.path.realpath(name), line) for name, line in seen if name[0] != "<"}
        own = sorted((name.removeprefix(TREE), line) for name, line in places if name.startswith(TREE))
        with open(TREE + f"calls-{os.getpid()}.jsonl", "a", encoding="utf-8") as out:
            print(json.dumps([item.nodeid, process_time() - start, item.nodeid in failed, own]), file=out)


def pytest_runtest_logreport(report):
    if report.failed:
        failed.add(report.nodeid)
'''
FOLDERS = ("reference", "proofs_checks", "audit", "reports")
SKIPPED = ("papers", "out")  # a page's formulas and a lemma's words are data: their tests are the ledger's verdicts
COPIED = (
    *FOLDERS,
    "docs",
    "src",
    "tests",
    "examples",
    "implementations",
    "experiments",
    "pyproject.toml",
    "README.md",
    "Makefile",
    "constraints.txt",
    ".ci",
    "bench",
)
# Marks: the tests of `make test`.
ASKED = "not browser and not planted and not thorough and not cluster and not audited and not docs"
READER = "test_architecture.py"  # rules of the house, held against the text of every module: no test of what code does
ENDLESS = "no end"
ENDED = (-1, -signal.SIGXCPU, -signal.SIGKILL)  # the status of a run that was ended for its time
START = 60.0  # seconds of processor time that any run of pytest may take, however few its tests
PATIENCE = 5.0  # a run of tests may take so many times what they took unmutated, then it is ended
CROWD = 10.0  # seconds by the clock for each second of the processor, on a machine that others share
MEMORY = 8 << 30  # bytes of data of one process; a mutation that wants more is noticed, not the machine's end
AT_ONCE = 60  # tests asked in the first process, the quickest first; the next ones are asked four times as many

COMPARED = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not"}
SIGNS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.BitAnd: "|", ast.BitOr: "&"}
SWAPPED = {"min": "max", "minimum": "maximum", "floor": "ceil", "any": "all", "argmin": "argmax", "up": "down"}
SWAPPED |= {new: old for old, new in SWAPPED.items()}


class Mutation(NamedTuple):
    """One place in one file: the text between two offsets becomes another."""

    path: str  # below the root
    start: int  # offsets in bytes
    stop: int
    line: int
    kind: str
    new: str


class Fate(NamedTuple):
    """What became of a mutation: the test that noticed it, "" for a survivor, or ENDLESS."""

    mutation: Mutation
    killer: str
    asked: int  # tests that call the function
    seconds: float

    @property
    def noticed(self) -> bool:
        return self.killer not in ("", ENDLESS)


# -- mutations ------------------------------------------------------------------------------------------------------


def mutations(path: Path) -> Iterator[Mutation]:
    """Every mutation of one module, in the order of its syntax tree."""
    source = path.read_bytes()
    starts = [0]
    for row in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    def one(node: ast.expr | ast.stmt, kind: str, new: str) -> Mutation:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        ends = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
        return Mutation(str(path.relative_to(ROOT)), *ends, node.lineno, kind, new)

    def text(node: ast.AST) -> str:
        return ast.unparse(node)

    tree = ast.parse(source)
    left_out = {id(part) for each in (*annotations(tree), *strictness(tree)) for part in ast.walk(each)}
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        match node:
            case ast.Compare(left, [op], [right]) if type(op) in COMPARED:
                yield one(node, "comparison", f"({text(left)} {COMPARED[type(op)]} {text(right)})")
            case ast.BinOp(left, op, right) if type(op) in SIGNS and not isinstance(left, ast.Constant | ast.JoinedStr):
                yield one(node, "sign", f"(({text(left)}) {SIGNS[type(op)]} ({text(right)}))")
            case ast.UnaryOp(ast.USub(), operand):
                yield one(node, "sign", f"({text(operand)})")
            case ast.UnaryOp(ast.Not(), operand):
                yield one(node, "negation", f"({text(operand)})")
            case ast.Constant(bool(value)):
                yield one(node, "constant", str(not value))
            case ast.Constant(int(value)):
                yield one(node, "constant", str(value + 1))
            case ast.Constant(float(value)):
                yield one(node, "constant", repr(value * 2 if value else 1e-3))
            case ast.Call(ast.Name(name) as called) if name in SWAPPED:
                yield one(called, "swap", SWAPPED[name])
            case ast.Call(ast.Attribute(value, name) as called) if name in SWAPPED:
                yield one(called, "swap", f"({text(value)}).{SWAPPED[name]}")
            case ast.Call(_, [first, second, *_]) if swappable(first, second):
                # From one argument to the end of the other, with what stands between them.
                yield one(first, "arguments", text(second))._replace(
                    stop=at(second.end_lineno or 0, second.end_col_offset or 0), new=f"{text(second)}, {text(first)}"
                )
            case ast.AugAssign() | ast.Expr(ast.Call()):
                yield one(node, "statement dropped", "pass")
            case ast.BoolOp(op, values):
                word = " or " if isinstance(op, ast.And) else " and "
                yield one(node, "logic", f"({word.join(f'({text(each)})' for each in values)})")
            case ast.Raise():
                yield one(node, "raise dropped", "pass")
            case ast.If(test):
                yield one(test, "condition", "True")
                yield one(test, "condition", "False")
            case ast.IfExp(test, body, _):
                yield one(node, "condition", f"({text(body)})")
            case ast.FunctionDef(body=[*_, ast.Return(value)]) if len(node.args.args) and value is not None:
                first = next(each for each in node.body if not is_words(each))
                early = f"return {node.args.args[-1].arg}"
                if text(first) != early:
                    yield one(first, "early return", early)


def swappable(first: ast.expr, second: ast.expr) -> bool:
    """Whether two arguments look alike, and are not the same: where they do not, any test would fail."""
    return type(first) is type(second) is not ast.Starred and ast.dump(first) != ast.dump(second)


def annotations(tree: ast.AST) -> Iterator[ast.expr]:
    """The types of arguments, results and fields."""
    for node in ast.walk(tree):
        found = getattr(node, "annotation", None) or getattr(node, "returns", None)
        if isinstance(found, ast.expr):
            yield found


def strictness(tree: ast.AST) -> Iterator[ast.expr]:
    """The `strict=True` of zip: what it guards against does not happen."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            yield from (keyword.value for keyword in node.keywords)


def is_words(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def in_words(path: Path, lines: set[int]) -> None:
    """Adds the lines of docstrings, type annotations and messages, in which a mutation is no mutation."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr | ast.arg) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str)
        ):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def drawn(count: int, seed: int, only: str) -> list[Mutation]:
    """So many different mutations, drawn evenly over all places of all modules that judge."""
    every: list[Mutation] = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not any(part in SKIPPED for part in path.relative_to(ROOT).parts) and only in str(path):
                words: set[int] = set()
                in_words(path, words)
                every += [each for each in mutations(path) if each.line not in words]
    random.Random(seed).shuffle(every)
    chosen: dict[tuple[str, int, int], Mutation] = {}
    for each in every:
        chosen.setdefault((each.path, each.start, each.stop), each)
    return list(chosen.values())[:count]


# -- which tests call a function -------------------------------------------------------------------------------------

Function = tuple[str, int]  # the module's path below the root, and the line on which the function begins


class Map(NamedTuple):
    """The tests by the functions that they call, how long each takes, and those that fail without any mutation."""

    calls: dict[str, frozenset[Function]]
    seconds: dict[str, float]
    failing: frozenset[str]  # never asked: what they say of a mutation is worth nothing
    dear: float = math.inf  # tests that take longer are not asked

    def asked(self, mutation: Mutation) -> list[str]:
        """The tests that call the mutated function, the quickest first; where none does, or where what is mutated runs
        at import, all that call something of the module."""
        here = function_at(ROOT / mutation.path, mutation.line)
        found = [test for test, called in self.calls.items() if (mutation.path, here) in called]
        found = found or [
            test for test, called in self.calls.items() if any(path == mutation.path for path, _ in called)
        ]
        return sorted(
            (each for each in found if each not in self.failing and self.cost(each) <= self.dear), key=self.cost
        )

    def cost(self, test: str) -> float:
        """The seconds that a test took when the map was measured."""
        return self.seconds[test]


def function_at(path: Path, line: int) -> int:
    """Where the innermost function around a line begins, decorators and all; 0 outside of any."""
    begins = 0
    for node in ast.walk(ast.parse(path.read_bytes())):  # the inner ones come later
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno <= line <= (node.end_lineno or line):
            begins = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return begins


def copied(where: Path) -> Path:
    """A copy of the tree, links and all: in it `dpbandits.x` is the copy's folder x."""
    where.mkdir(parents=True)
    for name in COPIED:
        source, ignore = ROOT / name, shutil.ignore_patterns("__pycache__", "_build", "out", "*.egg-info")
        if source.is_dir():
            shutil.copytree(source, where / name, ignore=ignore, symlinks=True)
        else:
            shutil.copy(source, where / name)
    return where


def pytest(copy: Path, *arguments: str, limit: float | None = None) -> tuple[int, str]:
    """pytest's exit status and output in a copy; negative where it was ended.

    The limit is of processor time, for each process that it starts: how busy the machine is decides nothing. CROWD
    times as long by the clock is for what waits without working.
    """

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 5))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
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


def mapped(copy: Path, kept: Path, jobs: int) -> Map:
    """The map of the tree. Test files are measured anew where they, what they share, or any module has changed."""
    shared = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    shared += [path for path in (ROOT / "tests").glob("*.py") if not path.name.startswith("test_")]
    tree = kept / digest(shared)
    tree.mkdir(parents=True, exist_ok=True)
    every = [path for path in sorted((ROOT / "tests").glob("test_*.py")) if path.name != READER]
    files = {f"tests/{path.name}": digest([path]) for path in every}
    known = [path for path in tree.glob("*.files") if path.with_suffix(".calls").exists()]
    missing = set(files.items()).difference(*(measured_in(path) for path in known))
    if missing:
        known.append(measured(copy, tree, dict(sorted(missing)), jobs))
    calls: dict[str, frozenset[Function]] = {}
    seconds: dict[str, float] = {}
    failing: set[str] = set()
    for path in known:
        own = {name for name, mark in measured_in(path) if files.get(name) == mark}
        for row in path.with_suffix(".calls").read_text(encoding="utf-8").splitlines():
            test, took, failed, called = json.loads(row)
            if test.partition("::")[0] in own:
                calls[test], seconds[test] = frozenset((name, begins) for name, begins in called), took
                failing |= {test} if failed else set()
    return Map(calls, seconds, frozenset(failing))


def digest(paths: list[Path]) -> str:
    """A digest of files, by their places and contents."""
    found = blake2b(digest_size=8)
    for path in sorted(paths):
        found.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return found.hexdigest()


def measured_in(path: Path) -> set[tuple[str, str]]:
    """The test files that were measured together, each with its digest."""
    rows = [row.split() for row in path.read_text(encoding="utf-8").splitlines()]
    return {(name, mark) for name, mark in rows}


def measured(copy: Path, tree: Path, files: dict[str, str], jobs: int) -> Path:
    """Runs these test files and keeps which functions each test calls, and how long it takes; the file that lists
    them."""
    path = tree / f"{digest([ROOT / name for name in files])}.files"
    (copy / "src" / "watching_calls.py").write_text(PLUGIN, encoding="utf-8")
    status, out = pytest(copy, "-n", str(jobs), "-m", ASKED, "-p", "watching_calls", *files)
    if status not in (0, 1, 5):  # 5: none of these is a test of `make test`
        raise SystemExit(f"the tests did not run (status {status}):\n{out[-2000:]}")
    parts = sorted(copy.glob("calls-*.jsonl"))
    path.with_suffix(".calls").write_text("".join(each.read_text(encoding="utf-8") for each in parts), encoding="utf-8")
    path.write_text("".join(f"{name} {mark}\n" for name, mark in files.items()), encoding="utf-8")
    return path


# -- running --------------------------------------------------------------------------------------------------------


def fate(mutation: Mutation, tests: Map, copy: Path) -> Fate:
    """Plants one mutation in a copy, asks the tests that call its function, and takes it out again."""
    path, start = copy / mutation.path, perf_counter()
    source = path.read_bytes()
    path.write_bytes(source[: mutation.start] + mutation.new.encode() + source[mutation.stop :])
    try:
        ask = tests.asked(mutation)
        for some in batches(ask):
            limit = START + PATIENCE * sum(map(tests.cost, some))
            status, out = pytest(copy, "-n", "0", "-x", *some, limit=limit)
            if status == 5:  # none collected: the map does not fit the tests
                raise SystemExit(f"the tests of {mutation.path}:{mutation.line} could not be found:\n{out[-2000:]}")
            if status:  # 3 and 4 among them: a module that can no longer be imported is noticed
                failed = [row for row in out.splitlines() if row.startswith(("FAILED", "ERROR"))]
                killer = failed[0].split(" - ")[0] if failed else f"status {status}"
                if status in ENDED:
                    killer = ENDLESS
                return Fate(mutation, killer, len(ask), perf_counter() - start)
        return Fate(mutation, "", len(ask), perf_counter() - start)
    finally:
        path.write_bytes(source)


def batches(tests: list[str]) -> Iterator[list[str]]:
    """The tests, in lists that grow: most mutations are noticed by the first, and a process takes its time to start."""
    size = AT_ONCE
    while tests:
        yield tests[:size]
        tests, size = tests[size:], 4 * size


def shown(one: Fate) -> str:
    """A line about a mutation: where, what stood there, what stands there now, and who noticed."""
    place = one.mutation
    old = (ROOT / place.path).read_bytes()[place.start : place.stop].decode()
    was = " ".join(old.split())
    told = f"noticed by {one.killer}" if one.noticed else f"SURVIVES {one.asked} tests"
    told = "the tests have NO END" if one.killer == ENDLESS else told
    return f"{place.path}:{place.line}: {place.kind}: {was[:80]}  ->  {place.new[:80]}: {told} ({one.seconds:.0f} s)"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=12, help="mutations (default: 12, a taste)")
    parser.add_argument("--seed", type=int, default=0, help="which sample")
    parser.add_argument("--only", default="", help="only modules whose path contains this")
    parser.add_argument("--skip", type=int, default=0, help="so many of the first, of a run that was interrupted")
    parser.add_argument(
        "--dear", type=float, default=math.inf, help="ask no test that takes more seconds: a first look"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--map", type=Path, default=Path(tempfile.gettempdir()) / "dpbandits-mutants")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copies = [copied(Path(folder) / f"copy {k}".replace(" ", "-")) for k in range(options.jobs)]
        tests = mapped(copied(Path(folder) / "tree"), options.map, options.jobs)._replace(dear=options.dear)
        if tests.failing:
            print("fail without a mutation, and are not asked:", *sorted(tests.failing), sep="\n  ", flush=True)
        free: Queue[Path] = Queue()
        for each in copies:
            free.put(each)

        def run(mutation: Mutation) -> Fate:
            copy = free.get()
            try:
                return fate(mutation, tests, copy)
            finally:
                free.put(copy)

        fates = []
        with ThreadPoolExecutor(options.jobs) as pool:
            for each in pool.map(run, drawn(options.count, options.seed, options.only)[options.skip :]):
                fates.append(each)
                print(shown(each), flush=True)
    endless = [each for each in fates if each.killer == ENDLESS]
    noticed = sum(each.noticed for each in fates)
    print(
        f"{noticed} of {len(fates)} noticed, and {len(endless)} more have no end; the others, one by one: equivalent, "
        "harmless, or a gap?"
    )
    for each in [*(each for each in fates if not each.killer), *endless]:
        print(shown(each))


if __name__ == "__main__":
    main()
