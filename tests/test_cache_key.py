"""When a finding is judged anew: for a change of code, page, settings or libraries, and for no other page's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import FrameType
from typing import Any

import pytest

from dpbandits import QUICK, Verdict
from dpbandits.audit.claims.proofs import proofs_of
from dpbandits.audit.judges.effort import Plan, asking_kernel
from dpbandits.audit.runner import cache as keys
from dpbandits.audit.runner import dispatch
from dpbandits.reference.claims.ledger import Ledger, ledger, paper_keys
from dpbandits.reference.claims.model import Claim, Private, Source, Unjudged

KEYS = paper_keys()

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
OWN = Claim("toy/a", Source("toy", "a", ""), Unjudged("a toy"), Verdict.UNSUPPORTED)


def key(claim: Claim, plan: Plan = PLAN) -> str:
    return keys.cache_key(claim, plan.run(claim), plan.ledger)


def forget() -> None:
    """Nobody has looked at a file yet."""
    cached = (keys.file_hash, keys.files_by_page, keys.engine_hash, keys.package_hash, keys.files_of_page)
    for each in (*cached, keys.files_of_module, keys.installed_folders):
        each.cache_clear()


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small package in the place of ours, with a file for the engine, and pages of which hu25 imports sajed19."""
    lines = {"hu25/section_3.py": "from dpbandits.reference.papers.sajed19 import DPSE\n"}
    for name in KEYS:
        lines |= {f"{name}/page.py": f"# {name}\n", f"{name}/section_3.py": lines.get(f"{name}/section_3.py", "")}
    files = {"reference/papers/__init__.py": "", "audit/judge.py": "", "reports/page.py": "", "audit/README.md": ""}
    files |= {f"reference/papers/{name}": line for name, line in lines.items()}
    files |= {"proofs_checks/papers/auer02.py": ""}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(keys, "HOME", tmp_path)
    forget()
    yield tmp_path
    forget()


@pytest.fixture
def changed(house: Path) -> Callable[[str], set[str]]:
    """Adds a comment to a file of the house, and says which pages are judged anew."""

    def marks() -> dict[str, str]:
        forget()
        found = {volume.page.key: key(volume.claims[0]) for volume in ledger().volumes}
        return found | {"own": keys.cache_key(OWN, PLAN.own, Ledger.of([OWN]))}

    def change(name: str) -> set[str]:
        before = marks()
        (house / name).write_text(f"{(house / name).read_text()}# why\n")
        after = marks()
        return {page for page in before if before[page] != after[page]}

    return change


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("audit/judge.py", {*KEYS, "own"}),
        ("reference/papers/__init__.py", {*KEYS, "own"}),
        ("reference/papers/sajed19/page.py", {"sajed19", "hu25", "own"}),
        ("reference/papers/hu25/page.py", {"hu25", "own"}),
        ("proofs_checks/papers/auer02.py", {"auer02", "own"}),
        ("reports/page.py", set()),
        ("audit/README.md", set()),
    ],
)
@pytest.mark.first(1)
def test_a_change_rejudges_what_may_depend_on_it(changed: Any, name: str, wanted: set[str]) -> None:
    assert changed(name) == wanted


def test_pages_that_play_policies_of_others_depend_on_these() -> None:
    """As the real ones import them; what proofs of several papers share is files beside their folders."""
    shared = {"hidden_means.py", "by_comparisons.py", "comparing.py", "phases.py", "gaussian_equivalence.py"}
    of = {name: {path.relative_to(ROOT).parts[2] for path in keys.files_of_page(name)} for name in KEYS}
    assert of["ou24"] == {"ou24", "hu21", "sajed19"} | shared
    assert of["hu25"] == {"hu25", "ou24", "hu21", "hu22", "sajed19"} | shared
    assert of["chen24"] == {"chen24"}
    for name in KEYS:
        folders = {path.relative_to(ROOT).parts[0] for path in keys.files_of_page(name)}
        assert folders == {"reference"} | ({"proofs_checks"} if proofs_of(name) else set()), name


def test_no_file_changes_under_a_run_that_has_imported_it(house: Path) -> None:
    claim = ledger().claims[0]
    before = key(claim)
    (house / "audit" / "judge.py").write_text("X = 1")
    assert key(claim) == before


def test_a_file_that_another_process_compiles_to_does_not_count(tmp_path: Path) -> None:
    """Python, and pytest, write compiled code under a name of their own, and rename the file."""
    (tmp_path / "__pycache__").mkdir()
    for name in ("page.py", "table.json", "__pycache__/page.cpython-311.pyc", "__pycache__/page.cpython-311.pyc.4711"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert keys.files_below(tmp_path) == [tmp_path / "page.py", tmp_path / "table.json"]


def test_settings_and_libraries_count(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = ledger().by_id["ou24/lemma-3"]
    run = PLAN.run(claim)
    deeper = replace(QUICK, effort=replace(QUICK.effort, points=7))
    runs = [run, replace(run, seed=1), replace(run, level=1e-12), replace(run, profile=replace(QUICK, trials=7))]
    found = [keys.cache_key(claim, each, ledger()) for each in (*runs, replace(run, profile=deeper))]
    monkeypatch.setattr(keys, "environment", lambda kernel: {"numpy": "another"})
    assert len({*found, key(claim)}) == 6


def test_the_installed_rocq_counts_where_its_kernel_may_be_asked_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a finding is good on every machine, with coqc or without."""
    carried, formula = (ledger().by_id[name] for name in ("ou24/lemma-3/every-run", "ou24/5.1/316"))
    found = {}
    for installed in ("", "8.16.1 Coquelicot", "8.20 Coquelicot"):
        keys.environment.cache_clear()
        monkeypatch.setattr(keys, "installation", lambda installed=installed: installed)
        for asked in (False, True):
            for claim in (carried, formula):
                run = replace(PLAN.run(claim), profile=asking_kernel(QUICK, asked))
                found.setdefault((claim.id, asked), []).append(keys.cache_key(claim, run, ledger()))
    keys.environment.cache_clear()
    assert {which: len(set(every)) for which, every in found.items()} == {
        (carried.id, False): 1, (carried.id, True): 3, (formula.id, False): 1, (formula.id, True): 1,
    }  # fmt: skip
    assert not set(found[carried.id, False]) & set(found[carried.id, True])


def test_no_two_claims_have_one_key() -> None:
    """Nor is any of the ledger judged anew each time."""
    every = [key(claim) for claim in ledger().claims]
    assert len(set(every)) == len(every)
    assert every == [key(claim) for claim in ledger().claims]


# -- claims and code of one's own --------------------------------------------------------------------------------


def test_the_content_of_a_claim_that_is_on_no_page_counts() -> None:
    shelf = Ledger.of([OWN])

    def mark(claim: Claim) -> str:
        return keys.cache_key(claim, PLAN.own, shelf)

    assert mark(OWN) == mark(replace(OWN))
    assert mark(replace(OWN, note="new")) != mark(OWN)
    assert mark(replace(OWN, params=({"f": lambda x: x + 1},))) != mark(replace(OWN, params=({"f": lambda x: x + 2},)))
    unsent = replace(OWN, params=({"it": (each for each in ())},))  # nobody can tell whether it is the one of before
    assert mark(unsent) != mark(unsent)
    copied = replace(ledger().claims[0])
    assert keys.cache_key(copied, PLAN.own, ledger()) != key(ledger().claims[0])


def test_loaded_code_of_ones_own_counts_and_installed_code_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "helper.py").write_text("TABLE = open('table.csv')\n")
    (tmp_path / "table.csv").write_text("1")
    (tmp_path / "log.txt").write_text("")
    (tmp_path / "box").mkdir()
    for name in ("__init__.py", "later.py", "data.bin"):
        (tmp_path / "box" / name).write_text("")
    module = type(sys)
    for name, file in (("helper", "helper.py"), ("box", "box/__init__.py")):
        loaded = module(name)
        loaded.__file__ = str(tmp_path / file)
        monkeypatch.setitem(sys.modules, name, loaded)
    found = keys.own_files()
    ours = {path.relative_to(tmp_path).as_posix() for path in found if path.is_relative_to(tmp_path)}
    assert ours == {"helper.py", "table.csv", "box/__init__.py", "box/later.py", "box/data.bin"}
    assert Path(__file__).resolve() in found
    assert not [path for path in found if "site-packages" in path.parts or ROOT / "audit" in path.parents]


@pytest.mark.thorough
def test_keys_are_the_same_in_every_process() -> None:
    """Else nothing would ever be reused. Strings hash differently in every process."""
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r})\nimport test_cache_key as tests\n"
        "print(*(tests.key(tests.ledger().by_id[name]) for name in tests.SOME.values()), tests.keys.pickled(tests.OWN))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    own = keys.pickled(OWN)
    assert done.stdout.split() == [*(key(ledger().by_id[name]) for name in SOME.values()), own]


# -- what runs ---------------------------------------------------------------------------------------------------


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
    folders = [ROOT / name for name in ("reference", "proofs_checks", "audit", "reports", "extensions")]
    return {path for path in map(Path.resolve, map(Path, files)) if any(folder in path.parents for folder in folders)}


@pytest.fixture(scope="module")
def imported() -> None:
    """All modules are: what runs where one is imported first would else be taken for a judge's work."""
    for name in ("reference", "proofs_checks", "audit", "extensions"):
        package = import_module(f"dpbandits.{name}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)


SMALL = replace(QUICK, trials=400, steps=4000, regret_runs=8, pair_effort=50, experiment_horizon=10)


@pytest.mark.thorough
@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize("kind", SOME)
def test_what_runs_is_covered(kind: str) -> None:
    claim = ledger().by_id[SOME[kind]]
    run = replace(PLAN.run(claim), profile=SMALL)
    covered = {*keys.files_by_page()[""], *keys.files_of_page(claim.source.paper)}
    if isinstance(claim.says, Private):
        claim = replace(claim, params=claim.params[:1])
    ran = executed(lambda: dispatch.rounded_finding(dispatch.judge(claim, run)))
    ran = {
        path
        for path in ran
        if path.relative_to(ROOT).parts[0] in ("reference", "proofs_checks", "audit", "reports", "extensions")
    }
    assert len(ran) > 2
    assert not {str(path.relative_to(ROOT)) for path in ran - covered}
