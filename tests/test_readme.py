"""The README is short, its test is run, and its numbers are those that were computed."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpbandits import Sampler, Verdict, thompson_privacy
from dpbandits.audit.judges.effort import RISK
from dpbandits.extensions.thompson.formatting import four_digits_down, four_digits_up
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.claims import ledger
from dpbandits.reference.claims.ledger import paper_keys
from dpbandits.reference.claims.model import HOLDS, Inequality
from dpbandits.reference.papers.ou24 import section_3_game as game
from dpbandits.reports.alone import headline
from dpbandits.reports.words import number_word

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOLD = " ".join(README.split())
EXAMPLE = ROOT / "reports" / "example"


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((EXAMPLE / "findings.json").read_text(encoding="utf-8"))
    return document


# -- its form ------------------------------------------------------------------------------------------------


def links() -> list[str]:
    return [each for each in re.findall(r"\]\(([^)\s]+)\)", README) if not each.startswith("https://")]


def test_its_links_lead_to_files() -> None:
    """Those into docs/ as soon as there are docs; licence and citation as soon as they are there."""
    assert len(links()) > 20
    docs = (ROOT / "docs" / "index.md").is_file()
    given = (ROOT / "LICENSE").is_file() and (ROOT / "CITATION.cff").is_file()
    waiting = {each for each in links() if (each.startswith("docs/") and not docs)}
    waiting |= set() if given else {"LICENSE", "CITATION.cff"}
    missing = [each for each in links() if each not in waiting and not (ROOT / each).is_file()]
    assert not missing


def test_it_names_every_verdict_and_says_that_consistent_is_no_proof() -> None:
    rows = re.findall(r"^\| ([A-Z_]+) \|", README, re.MULTILINE)
    assert len(rows) == 7
    assert set(rows) == set(Verdict)
    assert "CONSISTENT is no proof" in README


def test_it_names_what_the_makefile_has() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^ +\$ make (\w+)", README, re.MULTILINE))
    assert targets == {"audit", "test"}
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    assert "report: reports/out/index.html" in README
    assert re.search(r"^OUT \?= reports/out$", makefile, re.MULTILINE)


def test_make_clean_removes_what_make_has_made_and_no_report_elsewhere() -> None:
    """OUT may stand in the environment, for another program."""
    ask = ["make", "--no-print-directory", "--dry-run", "clean", "OUT=/elsewhere"]
    done = subprocess.run(ask, capture_output=True, text=True, check=True, cwd=ROOT)
    removed = [".venv", "build", "dist", "site", "*.egg-info", "reports/out", "docs/_build", "docs/gallery"]
    assert done.stdout.split() == ["rm", "-rf", *removed]


# -- its numbers ---------------------------------------------------------------------------------------------


def said(pattern: str) -> tuple[str, ...]:
    """The numbers of a sentence."""
    found = re.search(pattern, TOLD)
    assert found, pattern
    return found.groups()


def test_it_counts_the_papers() -> None:
    assert f"the claims of {number_word(len(paper_keys()))} papers on private bandits" in TOLD


def test_it_says_how_seldom_a_run_refutes_what_is_true() -> None:
    assert said(r"probability that a run of the audit refutes at least one true claim is at most ([\d.e-]+\d)\.") == (
        f"{RISK:.0e}".replace("e-0", "e-"),
    )


def most_above(delta: float) -> float:
    """By how much Theorem 7 fails for two arms in the worst of many states that are reached; negative where in none."""
    formula = ledger.ledger().by_id["ou24/theorem-7/formula"].says
    assert isinstance(formula, Inequality)
    pulls = np.concatenate([[0.0], np.unique(np.round(np.geomspace(1, 1e8, 100)))])[:, None]
    state = {"delta": delta, "n": pulls, "mean": np.linspace(0, 1, 101)}
    return float(np.max(formula.left(doubles, **state) - formula.right(doubles, **state)))


def test_theorem_7_is_false_where_it_says_so_and_corollary_1_stands() -> None:
    """Between the numbers, and not beyond them by more than their last digit."""
    low, high = map(float, said(r"Theorem 7 .* is false with two arms for delta from about ([\d.e-]+) to ([\d.]+)\."))
    for delta in np.geomspace(low + 0.1e-5, high, 20):
        assert most_above(float(delta)) > 0, delta
    for delta in (*np.geomspace(1e-9, low - 0.1e-5, 10), *np.linspace(high + 0.01, 0.49, 10)):
        assert most_above(float(delta)) < 0, delta
    corollary = ledger.ledger().by_id["ou24/corollary-1/formula"]
    assert corollary.expect in HOLDS
    assert "Corollary 1, which the paper derives from Theorem 7, [holds]" in TOLD


def test_theorem_3_is_as_loose_as_it_says(example: dict[str, Any]) -> None:
    """README, claim, finding of the example report, command and its page state one pair of numbers: those of the table
    of certified curves, the bound rounded up and the attack rounded down."""
    promised, most, least = said(
        r"Theorem 3 of Ou et al\. gives eps = (\d+) for Thompson sampling with T = 1000 and delta = 1e-6\. For two "
        r"arms, the smallest valid eps is at most ([\d.]+) and at least ([\d.]+),"
    )
    (found,) = [each for each in example["findings"] if each["id"] == "ou24/theorem-3/game/thousand"]
    assert found["verdict"] == Verdict.ARGUED
    (table,) = [item for item in found["evidence"] if item["kind"] == "table"]
    assert table["title"].startswith("Privacy lost, eps at delta = 1e-06")
    ((horizon, theorem, enough, shown),) = table["rows"]
    assert (horizon, promised) == (1000, f"{theorem:.0f}")
    assert (most, least) == (four_digits_up(enough), four_digits_down(shown))
    assert 1 < enough / shown < 1.05, "a few per cent apart"
    assert_tabled(1000, most, least)
    assert f"({most}, 1e-6)-DP" in found["statement"]
    assert f"eps < {least}" in found["statement"]
    page = (ROOT / "docs" / "how-to" / "thompson.md").read_text(encoding="utf-8")
    assert re.search(rf"T = 1000, 2 arms.*\n.*\n +certified  eps = +{most} .*\n +attack  eps = +{least} ", page)


def assert_tabled(horizon: int, most: str, least: str) -> None:
    """That these are the two numbers of the table of certified curves at delta = 1e-6, for two arms."""
    answer = thompson_privacy(Sampler(horizon, 2), 1e-6)
    assert answer.kept is not None
    assert (most, least) == (four_digits_up(answer.certified), four_digits_down(answer.attack))


def test_the_claims_state_the_numbers_of_the_table() -> None:
    assert_tabled(1000, f"{game.ENOUGH:g}", f"{game.SHOWN:g}")
    assert_tabled(100, f"{game.ENOUGH_HUNDRED:g}", f"{game.SHOWN_HUNDRED:g}")


def test_the_picture_is_the_overviews(example: dict[str, Any]) -> None:
    (picture,) = re.findall(r"!\[[^]]+\]\((.+?)\)", README)
    assert (ROOT / picture).read_text(encoding="utf-8") == headline(example)
    assert f"--picture {picture}" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_libraries_agree_or_differ_as_it_says() -> None:
    rows = json.loads((ROOT / "implementations" / "results.json").read_text(encoding="utf-8"))["implementations"]
    counts = Counter(row["verdict"] for row in rows)
    many, libraries, agree, differ = map(
        int,
        said(
            r"compared (\d+) policies and mechanisms of (\d+) public libraries with their documentation: (\d+) "
            r"policies and mechanisms agree with it, and \[(\d+) do not\]"
        ),
    )
    assert (many, libraries) == (len(rows), len({row["library"] for row in rows}))
    assert (agree, differ) == (counts["AGREES"], counts["REFUTED"])
    (listed,) = said(r"The differences are in (.+?)\.")
    named = set(re.split(r", | and ", listed))
    assert named == {row["library"] for row in rows if row["verdict"] == "REFUTED"}


# -- its test ------------------------------------------------------------------------------------------------


def test_the_words_below_the_output_say_its_shares() -> None:
    (shares,) = re.findall(r"P\[event\] (\S+) on the left against (\S+) on the right", README)
    (percents,) = re.findall(r"occurred in (\S+) % of the runs on one table and in (\S+) % of the runs", TOLD)
    assert [float(share) for share in shares] == [pytest.approx(float(percent) / 100) for percent in percents]


@pytest.mark.thorough
def test_its_own_test_goes_red_and_prints_what_is_shown(tmp_path: Path) -> None:
    """As somebody does who has the README alone: the file is named by its first line, the command is typed, and the
    folder is nowhere in the checkout, whose settings for pytest are for its own tests."""
    (snippet,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (file,) = re.findall(r"\A# (\S+\.py)\n", snippet)
    (block,) = re.findall(r"^    \$ (pytest .*\n(?:    .*\n)+)", README, re.MULTILINE)
    command, *shown = [line.removeprefix("    ") for line in block.splitlines()]
    (tmp_path / file).write_text(snippet, encoding="utf-8")
    typed = [sys.executable, "-m", *shlex.split(command, comments=True)]
    done = subprocess.run(typed, cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"NO_COLOR": "1"})
    assert done.returncode == 1, done.stderr
    assert shown
    printed = done.stdout.splitlines()
    start = printed.index(shown[0])
    for told, line in zip(shown, printed[start:], strict=False):
        part = told.removesuffix("...")
        assert line == told or (part != told and line.startswith(part)), (told, line)
    assert printed[start + len(shown)].startswith("====")
    assert "1 failed" in printed[-1]
