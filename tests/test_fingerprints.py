"""What a finding hangs on: nothing stale is reused, and nothing is judged anew for what cannot matter."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import FrameType
from typing import Any

import numpy as np
import pytest

from dpbandits.audit.claims import proofs
from dpbandits.audit.effort import QUICK
from dpbandits.audit.kinds import row_of
from dpbandits.audit.run import dispatch
from dpbandits.audit.run.fingerprint import Writer, described, fingerprint, sources
from dpbandits.audit.run.plan import Plan
from dpbandits.audit.run.sources import Sources
from dpbandits.audit.run.trees import parsed
from dpbandits.reference.ledger import Claim, Inequality, Private
from dpbandits.reference.library import ledger

ROOT = Path(__file__).parents[1]
PLAN = Plan(ledger(), QUICK, 0)
# One of each judge: a formula, a lemma with a proof of its own, samples, a regret bound, an experiment, words.
SOME = {
    "formula": "ou24/remark-1/tenfold",
    "proof": "ou24/gaussian-mechanism",
    "private": "ou24/lemma-3",
    "regret": "ou24/theorem-5/too-short",
    "ordering": "ou24/5.1/weaker-privacy",
    "other page": "hu25/fact-a.1/derivative",
    "other proof": "hu25/lemma-4.1",
}


def marks(code: Sources | None = None, plan: Plan = PLAN) -> dict[str, str]:
    code = code or sources()
    claims = {kind: ledger().by_id[name] for kind, name in SOME.items()}
    return {kind: fingerprint(claim, plan.run(claim), code) for kind, claim in claims.items()}


# -- planted changes -----------------------------------------------------------------------------------------


def in_copy(root: Path) -> dict[str, str]:
    return marks(Sources({"dpbandits": root}, alone=[dispatch.__name__, proofs.__name__]))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A copy of the project's code, and its fingerprints."""
    root = tmp_path_factory.mktemp("house")
    for folder in ("reference", "proofs_checks", "audit"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "__init__.py").write_text("")
    return root, in_copy(root)


@pytest.fixture
def planted(house: tuple[Path, dict[str, str]]) -> Iterator[Callable[..., set[str]]]:
    """Changes a file of the copy, and says which of SOME would be judged anew."""
    root, last = house
    before: dict[Path, bytes | None] = {}

    def plant(name: str, change: Callable[[str], str]) -> set[str]:
        nonlocal last
        path = root / name
        before.setdefault(path, path.read_bytes() if path.exists() else None)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        changed = change(text)
        assert changed != text
        path.write_text(changed, encoding="utf-8")
        old, last = last, in_copy(root)
        return {kind for kind in SOME if old[kind] != last[kind]}

    yield plant
    for path, content in before.items():
        path.unlink() if content is None else path.write_bytes(content)


def more(line: str) -> Callable[[str], str]:
    return lambda text: f"{text}\n{line}\n"


def commented(text: str) -> str:
    return text.replace("\ndef ", "\n# why\n\ndef ").replace(":\n    return", ":  # so\n    return") + "# the end\n"


@pytest.mark.parametrize("name", ["reference/ledger.py", "audit/run/dispatch.py", "proofs_checks/judge/formulas.py"])
def test_a_comment_rejudges_nothing(planted: Any, name: str) -> None:
    assert planted(name, commented) == set()


def test_a_docstring_rejudges_only_where_docstrings_are_read(planted: Any) -> None:
    """A proof's argument in words is its docstring."""
    reworded = {"other proof", "proof"}
    assert planted("reference/noise.py", lambda text: text.replace('"""', '"""Really. ', 1)) == reworded

    name = "proofs_checks/papers/hu25/appendix_b.py"
    assert "other proof" in planted(name, lambda text: text.replace('"""', '"""Really. ', 1))


STATISTICS = {"private", "regret", "ordering"}
FORMULAS = set(SOME) - STATISTICS


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("reference/ledger.py", set(SOME)),
        ("audit/run/dispatch.py", set(SOME)),
        ("reference/papers/ou24/page.py", {"formula", "proof", "private"}),
        ("reference/papers/hu25/page.py", {"other page", "other proof"}),
        ("reference/papers/hu25/formulas.py", {"other page", "other proof"}),
        ("reference/policy.py", set(SOME)),
        ("proofs_checks/judge/ladder.py", FORMULAS),
        ("proofs_checks/judge/effort.py", set(SOME)),
        ("proofs_checks/papers/ou24/__init__.py", {"proof"}),
        ("audit/privacy/judge.py", {"private"}),
        ("audit/regret/orderings.py", {"ordering"}),
        ("audit/cli.py", set()),
        ("audit/run/cases.py", set()),
        ("audit/conformance/law.py", set()),
    ],
)
def test_a_change_rejudges_what_may_reach_it(planted: Any, name: str, wanted: set[str]) -> None:
    changed = planted(name, more("ANOTHER = 1"))
    if name == "reference/policy.py":  # formulas have no policies, but chapters that do
        assert changed >= STATISTICS
    else:
        assert changed == wanted


def test_a_new_page_rejudges_none_of_the_others(planted: Any) -> None:
    """The list of pages is read by nobody who judges."""
    assert planted("reference/papers/doe26.py", lambda text: "CLAIMS = ()\n") == set()
    assert planted("proofs_checks/papers/doe26.py", lambda text: "LAWS = {}\n") == set()
    assert planted("reference/library.py", more("ANOTHER = 1")) == set()


def test_an_import_inside_of_a_function_counts(planted: Any) -> None:
    lazily = "def late():\n    from dpbandits.audit import conformance\n    return conformance"
    planted("proofs_checks/judge/ladder.py", more(lazily))
    assert planted("audit/conformance/law.py", more("ANOTHER = 2")) == FORMULAS


def test_a_data_file_counts_where_code_reads_files(planted: Any) -> None:
    assert "formula" in planted("proofs_checks/checker/certificate.schema.json", lambda text: text + " ")
    assert planted("audit/privacy/notes.csv", lambda text: "1,2\n") == set()
    planted("audit/privacy/judge.py", more("TABLE = open('notes.csv')"))
    assert planted("audit/privacy/notes.csv", lambda text: text + "3,4\n") == {"private"}


@pytest.mark.parametrize(
    "line",
    [
        "import importlib",
        "from importlib import import_module as fetch",
        "X = __import__('math')",
        "X = eval('1')",
        "import os\nX = os.environ.get('X')",
        "from sys import modules",
        "import not_to_be_found",
        "from pathlib import Path; import inspect; X = inspect.getsource(Path)",
    ],
)
def test_what_no_import_shows_is_never_reused(planted: Any, line: str) -> None:
    """Two fingerprints of the very same code differ then."""
    planted("audit/privacy/judge.py", more(line))
    assert planted("audit/cli.py", more("ANOTHER = 3")) == {"private"}


# -- what the closure misses would be executed without it ------------------------------------------------------


def executed(work: Callable[[], Any]) -> set[Path]:
    """The files of ours of which a function ran."""
    files: set[str] = set()

    def saw(frame: FrameType, event: str, argument: Any) -> None:
        files.add(frame.f_code.co_filename)

    sys.setprofile(saw)
    try:
        work()
    finally:
        sys.setprofile(None)
    folders = [ROOT / name for name in ("reference", "proofs_checks", "audit")]
    return {path for path in map(Path.resolve, map(Path, files)) if any(folder in path.parents for folder in folders)}


@pytest.fixture(scope="module")
def imported() -> None:
    """All modules are: what runs where one is imported first would else be taken for a judge's work."""
    for name in ("reference", "proofs_checks", "audit"):
        package = import_module(f"dpbandits.{name}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)


SMALL = replace(QUICK, trials=400, steps=4000, regret_runs=8, pair_effort=50, experiment_horizon=10)


@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize("kind", SOME)
def test_what_runs_is_covered(kind: str) -> None:
    claim = ledger().by_id[SOME[kind]]
    run = replace(PLAN.run(claim), profile=SMALL)
    if isinstance(claim.says, Private):
        claim = replace(claim, params=claim.params[:1])
    ran = executed(partial(dispatch.directly, dispatch.judge, claim, run))
    writer = Writer()
    proof = dispatch.proof_of(claim)
    writer.text((claim, run, proof))
    covered, _ = sources().closure({*writer.modules, dispatch.__name__, row_of(claim).module})
    assert covered is not None
    assert len(ran) > 2
    assert not {str(path.relative_to(ROOT)) for path in ran - {module.path.resolve() for module in covered}}


def test_no_claim_of_the_ledger_is_judged_anew_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor are two alike."""
    monkeypatch.delattr("dpbandits.audit.run.fingerprint.uuid4")  # what makes a mark another one each time
    every = [fingerprint(claim, PLAN.run(claim), sources()) for claim in ledger().claims]
    assert len(set(every)) == len(every)


# -- what is read of the run -----------------------------------------------------------------------------------


def changed_by(plan: Plan) -> set[str]:
    code = sources()
    old, new = marks(code), marks(code, plan)
    return {kind for kind in SOME if old[kind] != new[kind]}


def test_only_samples_hang_on_the_level_and_the_trials() -> None:
    assert changed_by(replace(PLAN, seed=1)) == set(SOME)
    assert changed_by(replace(PLAN, profile=replace(QUICK, trials=7))) == STATISTICS
    assert changed_by(replace(PLAN, profile=replace(QUICK, effort=replace(QUICK.effort, points=7)))) == set(SOME)

    class Lower(Plan):
        def run(self, claim: Claim) -> Any:
            return replace(super().run(claim), level=1e-12)

    assert changed_by(Lower(PLAN.ledger, PLAN.profile, PLAN.seed)) == STATISTICS


# -- values ----------------------------------------------------------------------------------------------------


def adding(shift: float) -> Callable[[float], float]:
    return lambda x: x + shift


class Scale:
    def __init__(self, by: float):
        self.by = by

    def times(self, x: float) -> float:
        return self.by * x

    def __repr__(self) -> str:
        return "a scale"


class Slotted:
    __slots__ = ("by",)

    def __init__(self, by: float):
        self.by = by

    def __repr__(self) -> str:
        return "a scale"


def keyword(*, by: int) -> int:
    return by


def test_values_are_told_apart() -> None:
    """Two claims that differ in a constant of a formula, or in what it closes over, are two claims."""
    values = [
        lambda x: x + 1,
        lambda x: x + 2,
        lambda x: x - 1,
        lambda y: y + 1,
        lambda x, y=1: x + 1,
        lambda x, *, y=1: x + 1,
        lambda x, *, y=2: x + 1,
        adding(1),
        adding(2),
        Scale(1).times,
        Scale(2).times,
        Scale(1),
        Scale(2),
        partial(keyword, by=1),
        partial(keyword, by=2),
        {"a": 1, "b": 2},
        {"a": 1, "b": 2}.get,
        {"a": 1, "b": 3}.get,
        Slotted(1),
        Slotted(2),
        {"b": 2, "a": 1},  # the order of variables can matter to a search
        [1, 2],
        (1, 2),
        np.array([1.0, 2.0]),
        np.array([1, 2]),
        np.array([1, 2], dtype=object),
        np.float64(1),
        1.0,
        1,
        True,
        "1",
        b"1",
        range(2),
        np.exp,
        np.log,
    ]
    texts = [described(value) for value in values]
    assert len(set(texts)) == len(values)
    assert described(adding(1)) == described(adding(1))
    assert described(Scale(1)) == described(Scale(1))
    assert described(np.array([1, "x"], dtype=object)) == described(np.array([1, "x"], dtype=object))


def test_what_shows_no_content_is_never_the_same() -> None:
    def local() -> type:
        class Here:
            pass

        return Here

    hidden = np.frompyfunc(adding(1), 1, 1), deque([object()])
    for value in (object(), iter(()), local(), local()(), *hidden):
        writer = Writer()
        writer.text(value)
        assert not writer.whole, value


def test_a_claim_whose_parts_show_no_content_is_judged_anew_each_time() -> None:
    """Its fingerprint is another one each time; that of a claim that shows all is not."""
    claim, code = next(each for each in ledger().claims if isinstance(each.says, Inequality)), sources()
    run = PLAN.run(claim)
    odd = replace(claim, says=replace(claim.says, left=partial(claim.says.left, y=object())))
    assert fingerprint(claim, run, code) == fingerprint(claim, run, code)
    assert fingerprint(odd, run, code) != fingerprint(odd, run, code)


def test_a_function_may_close_over_itself() -> None:
    def count(n: int) -> int:
        return n and count(n - 1)

    assert "again" in described(count)


def test_fingerprints_are_the_same_in_every_process() -> None:
    """Else nothing would ever be reused. Strings hash differently in every process: sets must not show it."""
    here = f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r})"
    script = f"{here}\nimport test_fingerprints as tests; print(*tests.marks().values())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == list(marks().values())


def test_the_tree_is_read_without_docstrings_and_comments() -> None:
    assert parsed(b"def f(x):  # why\n\n    return (x)\n") == parsed(b"def f(x):\n    return x\n")
    one, other = (f'def f(x):\n    """{words}."""\n    return x\n'.encode() for words in ("What", "Else"))
    assert parsed(one).bare == parsed(other).bare != parsed(one.replace(b"x", b"y")).bare
    assert parsed(one).whole != parsed(other).whole
    # As many words in all, in other places.
    one, other = (f'"""{a}"""\ndef f(x):\n    """{b}"""\n'.encode() for a, b in (("What", "Else"), ("Else", "What")))
    assert parsed(one).bare == parsed(other).bare
    assert parsed(one).whole != parsed(other).whole
    # A docstring, if it is empty, is not none.
    assert parsed(b'def f(x):\n    """"""\n    return x\n').bare != parsed(b"def f(x):\n    return x\n").bare


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x + y", "x - y"),
        ("x = y", "y = x"),
        ("x", "del x"),
        ("1", "1.0"),
        ("1", "True"),
        ("'1'", "1"),
        ("'a b'", "'a', 'b'"),
        ("['a', 'b']", "('a', 'b')"),
        ("def f(*, a=1, b): pass", "def f(*, a, b=1): pass"),
        ("def f(a, /, b): pass", "def f(a, b, /): pass"),
        ("{**a, b: c}", "{b: c, **a}"),
        ("global x, y", "global x\nglobal y"),
        ("from . import a", "from .. import a"),
        ("from a import b as c", "from a import b, c"),
        ("if a:\n    if b:\n        c\n    d", "if a:\n    if b:\n        c\nd"),
        ("if a:\n    b\nelse:\n    c", "if a:\n    b\nc"),
        ("x[a:b]", "x[a::b]"),
        ("x: int", "x: int = int"),
        ("f(a, *b)", "f(*b, a)"),
        ("f'{a}'", "f'{a!r}'"),
    ],
)
def test_whatever_a_module_says_differently_counts(one: str, other: str) -> None:
    """Which tree it is can be read off the text that is hashed."""
    assert parsed(one.encode()).bare != parsed(other.encode()).bare
    assert parsed(f"\n{one}  # why".encode()).bare == parsed(one.encode()).bare
