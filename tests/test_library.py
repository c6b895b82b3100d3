"""The ledger's pages, their shares of the risk, and pages that live elsewhere."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dpbandits import QUICK, Verdict
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.judges.effort import OWN, RISK, Plan, audits
from dpbandits.audit.runner import cache as keys
from dpbandits.audit.runner import documents, run_claims
from dpbandits.audit.runner.selection import in_order, selected
from dpbandits.reference.claims import ledger as library
from dpbandits.reference.claims.ledger import Ledger, Volume, ledger, open_ledger, paper_keys
from dpbandits.reference.claims.model import Claim, Source, Unjudged
from dpbandits.reference.claims.paper import Page

SKELETON = Path(__file__).parents[1] / "examples" / "skeleton"
TINY = replace(QUICK, trials=6_000, steps=120_000, pair_effort=4, pair_tries=2, regret_runs=40)


def toy(name: str, page: str = "toy") -> Claim:
    return Claim(f"{page}/{name}", Source(page, name, ""), Unjudged("a toy"), Verdict.UNSUPPORTED)


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Pages of a test are nobody else's."""
    before = set(sys.modules)
    yield
    open_ledger.cache_clear()
    library.load_volume.cache_clear()
    paper_keys.cache_clear()
    for cached in (keys.file_hash, keys.files_of_module):
        cached.cache_clear()
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("mine", "yours", "skeleton", "ou24") or ".papers.skeleton" in name:
            del sys.modules[name]


# -- risk ------------------------------------------------------------------------------------------------------


def test_the_whole_ledger_keeps_its_risk_however_many_join() -> None:
    """The theorem of the README: each statistical audit may err with its level, and these sum to less than RISK."""
    plan = Plan(ledger(), QUICK, 0)
    assert sorted(volume.page.key for volume in ledger().volumes) == list(paper_keys())
    spent = sum(audits(claim) * plan.run(claim).level for claim in ledger().claims)
    assert 0.5 * RISK < spent < RISK
    shares = [Fraction(1, k * (k + 1)) for k in range(1, 200)]
    assert sum(shares) == 1 - Fraction(1, 200)
    assert [Page("a", "", "", "", place=k).share for k in range(1, 200)] == [float(share) for share in shares]


def test_a_page_that_joins_changes_no_level() -> None:
    place = len(paper_keys()) + 1
    assert sorted(volume.page.place or 0 for volume in ledger().volumes) == list(range(1, place))
    next_one = Volume(Page("next", "", "", "", place=place), (toy("a", "next"),))
    more = Plan(Ledger((*ledger().volumes, next_one)), QUICK, 0)
    plan = Plan(ledger(), QUICK, 0)
    assert all(more.run(claim) == plan.run(claim) for claim in ledger().claims)


def test_what_is_on_no_page_has_a_level_of_its_own() -> None:
    plan = Plan(ledger(), QUICK, 0)
    assert plan.run(toy("stranger")).level == OWN
    assert plan.run(replace(ledger().claims[0])).level == OWN  # a copy is not the ledger's
    assert Plan(Ledger.of([toy("a")]), QUICK, 0).run(toy("a")).level == OWN


@pytest.mark.parametrize("place", [0, -1, 1.5, True])
def test_a_place_is_a_whole_number(place: Any) -> None:
    with pytest.raises(ValueError, match=r"the place of the page a is .*; it must be an integer of at least 1"):
        Page("a", "", "", "", place=place)


def test_a_ledger_has_nothing_twice() -> None:
    one = Volume(Page("a", "", "", "", place=1), (toy("x", "a"),))
    with pytest.raises(ValueError, match="two pages have the key 'a'"):
        Ledger((one, one))
    with pytest.raises(ValueError, match="two pages have the place 1"):
        Ledger((one, Volume(Page("b", "", "", "", place=1), ())))
    with pytest.raises(ValueError, match="two claims have the id 'a/x'"):
        Ledger((one, Volume(Page("b", "", "", ""), one.claims)))


def test_an_own_page_has_neither_key_nor_place_of_a_registered_page() -> None:
    key, taken = paper_keys()[0], ledger().volumes[0].page.place
    with pytest.raises(ValueError, match=f"two pages have the key '{key}'"):
        Ledger((Volume(Page(key, "", "", ""), ()),), joined=paper_keys())
    joined = Ledger((Volume(Page("own", "", "", "", place=taken), ()),), joined=paper_keys())
    with pytest.raises(ValueError, match=f"two pages have the place {taken}"):
        joined.under([""])


def test_a_page_that_joins_needs_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    # By the module's name, as the library finds it: other tests may have loaded it anew.
    monkeypatch.setattr(import_module("dpbandits.reference.papers.hu25.page"), "page", Page("hu25", "", "", ""))
    with pytest.raises(ValueError, match="the module of the paper hu25 is in reference/papers but has no place"):
        library.load_volume.__wrapped__("hu25")


# -- a page that lives elsewhere -------------------------------------------------------------------------------


def run(*arguments: object) -> Any:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.thorough
def test_the_skeleton_is_judged_as_it_expects(tmp_path: Path) -> None:
    """Also by two workers, which load the page themselves; the proofs beside it are found."""
    shelf = open_ledger((str(SKELETON),))
    page = shelf.volumes[-1]
    document = run_claims.audit(page.claims, TINY, out=tmp_path / "one", ledger=shelf)
    assert documents.exit_status(document) == 0, document
    verdicts = {found["id"].partition("/")[2]: found["verdict"] for found in document["findings"]}
    assert verdicts["eq-1"] == verdicts["theorem-1"] == "REFUTED"
    assert verdicts["lemma-1"] == verdicts["theorem-2"] == "ARGUED"
    assert len(verdicts) == len(page.claims) == 8
    some = [claim for claim in page.claims if claim.id in ("skeleton/eq-1", "skeleton/lemma-1")]
    again = run_claims.audit(some, TINY, jobs=2, out=tmp_path / "two", ledger=shelf)
    assert again["findings"] == [found for found in document["findings"] if found["id"] in [one.id for one in some]]
    (line,) = (found["repro"] for found in document["findings"] if found["id"] == "skeleton/eq-1")
    assert line == f"dpbandits audit --page {SKELETON} --claims 'skeleton/eq-1' --profile quick --seed 0"
    certificate = tmp_path / "two" / "certificates" / "skeleton__eq-1.json"
    assert "verified, and about claim" in run("verify", "--strict", "--page", SKELETON, certificate).output
    assert run("verify", "--strict", certificate).exit_code == 1  # without the page, there is no such claim


def test_joining_is_moving_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And its proofs, with the place that it takes, and the name by which its files import each other."""
    homes = {"reference": tmp_path / "reference", "proofs_checks": tmp_path / "proofs_checks"}
    shutil.copytree(SKELETON, homes["reference"] / "skeleton", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.move(homes["reference"] / "skeleton" / "proofs", homes["proofs_checks"] / "skeleton")
    for path in tmp_path.rglob("*.py"):
        moved = path.read_text().replace("from skeleton", "from dpbandits.reference.papers.skeleton")
        path.write_text(moved.replace('"nowhere, never"', '"nowhere, never", place=99'))
    for room, folder in homes.items():
        package = import_module(f"dpbandits.{room}.papers")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    for cached in (open_ledger, paper_keys):
        cached.cache_clear()
    whole = open_ledger(())
    first, equation, lemma = selected(whole, ["skeleton/lemma-1", "skeleton/eq-1", "ou24/lemma-1"])
    assert in_order(whole, [toy("stranger"), equation, lemma, first])[:3] == (first, equation, lemma)  # the last place
    document = run_claims.audit([lemma], TINY, ledger=whole)
    assert [found["verdict"] for found in document["findings"]] == ["ARGUED"], document["errors"]
    assert document["papers"]["skeleton"]["venue"] == "nowhere, never"


def test_a_pages_claims_are_chosen_where_no_glob_says_otherwise() -> None:
    listed = json.loads(run("claims", "--json", "--page", SKELETON).stdout)
    assert {claim["paper"] for claim in listed} == {"skeleton"}
    both = json.loads(run("claims", "--json", "--page", SKELETON, "*/eq-1*").stdout)
    assert {claim["paper"] for claim in both} > {"skeleton"}
    assert run("audit", "--page", SKELETON, "skeleton/eq-3").exit_code == 2


def own_page(folder: Path, more: str = "") -> Path:
    path = folder / "mine.py"
    path.write_text(
        "from dpbandits.reference.claims.model import Real, Verdict\n"
        "from dpbandits.reference.claims.paper import Page\n"
        "page = Page('mine', '', '', '')\n"
        "chapter = page.chapter('1')\n"
        "@chapter.inequality('a', page.source('1', 'x <= 2x'), over={'x': Real(0, 1)}, expect=Verdict.PROVED)\n"
        "def a(m, x):\n"
        "    return x, 2 * x\n"
        "CLAIMS = chapter.claims\n" + more,
        encoding="utf-8",
    )
    return path


def mark(path: Path) -> str:
    """The key of the page's first claim, in a process that has not seen the page."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ("mine", "skeleton")]:
        del sys.modules[name]
    open_ledger.cache_clear()
    for cached in (keys.file_hash, keys.files_of_module):
        cached.cache_clear()
    shelf = open_ledger((str(path),))
    claim = shelf.volumes[-1].claims[0]
    return keys.cache_key(claim, Plan(shelf, TINY, 0).run(claim), shelf)


@pytest.mark.thorough
def test_keys_of_a_page_that_lives_elsewhere(tmp_path: Path) -> None:
    first = mark(own_page(tmp_path))
    assert mark(own_page(tmp_path)) == first
    (tmp_path / "table.csv").write_text("1")
    assert mark(own_page(tmp_path)) == first  # nobody reads it
    reading = "from pathlib import Path\nTABLE = Path(__file__).with_name('table.csv').read_text()\n"
    second = mark(own_page(tmp_path, reading))
    (tmp_path / "table.csv").write_text("2")
    assert len({first, second, mark(own_page(tmp_path, reading)), mark(own_page(tmp_path, "ANOTHER = 1\n"))}) == 4


@pytest.mark.thorough
def test_a_packages_other_files_count(tmp_path: Path) -> None:
    copy = tmp_path / "skeleton"
    shutil.copytree(SKELETON, copy, ignore=shutil.ignore_patterns("__pycache__"))
    first = mark(copy)
    assert mark(copy) == first
    (copy / "page.py").write_text((copy / "page.py").read_text() + "\nANOTHER = 1\n")
    assert mark(copy) != first


GOOD = (
    "from dpbandits.reference.claims.paper import Page\npage = Page('mine', '', '', '')\nchapter = page.chapter('1')\n"
)
CLAIM = (
    "from dpbandits.reference.claims.model import *\n"
    "from dpbandits.reference.papers.hu25.claims import CLAIMS as OTHERS\n"
)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("gone.py", None, "there is no such file"),
        ("mine.txt", "", "this is not the module of a paper; give a .py file"),
        ("my-page.py", "", "'my-page' is not a valid module name"),
        ("json.py", "", "another module is called 'json'"),
        ("numpy.py", "", "another module is called 'numpy'"),
        ("mine.py", "x = 1\n1 / 0\n", "mine.py:2: ZeroDivisionError: division by zero"),
        ("mine.py", "x = 1\n\nx = = 2\n", "mine.py:3: SyntaxError"),
        ("mine.py", "import beside\n", "mine.py:1: ModuleNotFoundError: No module named 'beside'"),
        ("mine.py", "raise SystemExit(0)\n", "mine.py:1: SystemExit"),
        ("mine.py", "class Bare(BaseException): pass\nraise Bare('odd')\n", "mine.py:2: Bare: odd"),
        ("mine.py", "", "this module must define `page`"),
        ("mine.py", GOOD, "this module must define `CLAIMS`"),
        ("mine.py", GOOD + "CLAIMS = (1,)", "this module must define `CLAIMS`"),
        ("mine.py", GOOD + "CLAIMS = ()", "CLAIMS is empty"),
        (
            "yours.py",
            GOOD + CLAIM + "CLAIMS = OTHERS",
            "is 'mine', but must equal the name of the file, 'yours'",
        ),
        (
            "mine.py",
            GOOD + CLAIM + "CLAIMS = OTHERS",
            "the claim 'hu25/introduction/not-tight' belongs to the paper 'hu25'; create it with a chapter",
        ),
        (
            "ou24.py",
            GOOD.replace("mine", "ou24") + CLAIM + "CLAIMS = OTHERS",
            "already has a paper 'ou24'; choose another key and file name",
        ),
    ],
)
def test_errors_name_the_file(tmp_path: Path, name: str, content: str | None, said: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    done = run("claims", "--page", tmp_path / name)
    assert done.exit_code == 2
    assert said in done.stderr
    assert str(tmp_path / name) in done.stderr


def test_a_folder_without_an_init_is_no_page(tmp_path: Path) -> None:
    assert "a folder that contains __init__.py" in run("claims", "--page", tmp_path).stderr
    assert run("claims", "--page", "").exit_code == 2


def test_a_stated_claim_without_a_proof_is_an_error_of_its_own(tmp_path: Path) -> None:
    stated = (
        "from dpbandits.reference.claims.model import Stated\n"
        "chapter.add('b', page.source('2', 'so it is'), Stated('so it is'), expect=Verdict.ARGUED)\n"
        "CLAIMS = chapter.claims\n"
    )
    shelf = open_ledger((str(own_page(tmp_path, stated)),))
    document = run_claims.audit(shelf.volumes[-1].claims, TINY, ledger=shelf)
    (error,) = document["errors"]
    assert "or in a module mine.proofs" in error["error"]
    assert error["repro"].startswith(f"dpbandits audit --page {tmp_path / 'mine.py'} ")
    assert [found["verdict"] for found in document["findings"]] == ["PROVED"]
