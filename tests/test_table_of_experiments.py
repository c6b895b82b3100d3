"""The table of the printed experiments: it is made of what was played, and nothing that was played is missing."""

from __future__ import annotations

import importlib.util
import json
import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from runpy import run_path

import pytest

from dpbandits.reference.ledger import Ordering
from dpbandits.reference.library import ledger
from dpbandits.reports import pages
from dpbandits.reports.experiments import EDGE, WIDTH, known, played

FOLDER = Path(__file__).parents[1] / "experiments"
RESULTS = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
ROWS = RESULTS["experiments"]


@pytest.fixture(scope="module")
def table():
    spec = importlib.util.spec_from_file_location("experiments", FOLDER / "experiments.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_made_of_the_results(table):
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == table.readme(RESULTS["profile"], ROWS)


def test_every_experiment_of_the_ledger_was_played_in_today_s_words():
    claims = {claim.id: claim for claim in ledger().claims if isinstance(claim.says, Ordering)}
    assert {row["claim"] for row in ROWS} <= set(claims)
    for row in ROWS:
        claim = claims[row["claim"]]
        assert (row["paper"], row["quote"], row["reading"]) == (claim.source.paper, claim.source.quote, claim.reading)
        assert row["certified"] + row["reversed"] + row["undecided"] > 0


def test_what_an_experiment_s_finding_says_is_its_row(table):
    """And an experiment that was not played has none."""
    shown = {
        "kind": "table",
        "title": "The regret of every setting",
        "columns": ["setting", "average", table.SPREAD, "repetitions"],
        "rows": [["a", 1.23456789, 0.5, 30], ["b", 2.0, 0.25, 30]],
    }
    columns = ["claimed smaller", "claimed larger", "as claimed", "other way round", "tied", "certified"]
    pairs = [
        ["a", "b", 27, 2, 1, "as claimed"],
        ["b", "a", 3, 27, 0, "other way round"],
        ["a", "a", 9, 11, 10, "undecided"],
    ]
    words = {"id": "x/1", "paper": "x", "section": "s", "quote": "q|q", "reading": "printed", "verdict": "REFUTED"}
    finding = {**words, "evidence": [shown, {"kind": "table", "title": "", "columns": columns, "rows": pairs}]}
    row = table.ended(finding)
    assert (row["certified"], row["reversed"], row["undecided"], row["repetitions"]) == (1, 1, 1, 30)
    assert row["settings"] == [["a", 1.2346, 0.5], ["b", 2.0, 0.25]]
    assert table.ended({**finding, "evidence": [shown]}) is None
    assert r"| x/1 | q\|q | printed | REFUTED | 30 | 1 | 1 | 1 |" in table.readme("ci", [row])
    assert known({"experiments": [row], "profile": "ci"})["experiments"] == [row]


# -- the page of the report --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page():
    document = run_path(str(Path(__file__).with_name("sample_findings.py")))["document"]()
    alone, made = pages(document), pages(document, replayed=RESULTS)
    assert set(made) - set(alone) == {"papers/experiments.html"}
    assert 'href="papers/experiments.html"' in made["index.html"]
    assert "experiments.html" not in alone["index.html"]
    return made["papers/experiments.html"]


def test_the_reports_page_has_every_experiment_and_every_setting(page):
    text = " ".join(unescape(re.sub("<[^>]+>", " ", page)).split())
    assert all(row["claim"] in text for row in ROWS)
    assert page.count('class="experiment"') == len(ROWS)
    assert page.count("<circle") == sum(len(row["settings"]) for row in ROWS)
    for verdict in ("CONSISTENT", "REFUTED"):
        assert page.count(f'class="badge {verdict}"') == sum(row["verdict"] == verdict for row in ROWS)
    assert len(page) < 400_000


@pytest.mark.parametrize("row", ROWS, ids=[row["claim"] for row in ROWS])
def test_dots_stand_in_the_order_of_the_averages_and_on_the_picture(row):
    drawn = played(row)
    order = sorted(
        zip([average for _, average, _ in row["settings"]], drawn.dots, strict=True), key=lambda pair: pair[0]
    )
    assert all(left.centre <= right.centre for (_, left), (_, right) in pairwise(order))
    for dot in drawn.dots:
        assert EDGE <= dot.left <= dot.centre <= dot.right <= WIDTH - EDGE
    assert order[0][1].centre < order[-1][1].centre
    assert drawn.log == (order[0][0] > 0 and order[-1][0] > 100 * order[0][0])


def test_dots_are_to_scale():
    row = {**ROWS[0], "settings": [["a", 1.0, 1.0], ["b", 3.0, 1.0]], "certified": 1, "reversed": 0, "undecided": 0}
    drawn = played(row)
    whole = WIDTH - 2 * EDGE
    assert [(dot.left, dot.centre, dot.right) for dot in drawn.dots] == [
        (EDGE, EDGE + whole / 4, EDGE + whole / 2),
        (EDGE + whole / 2, EDGE + 3 * whole / 4, EDGE + whole),
    ]
    assert drawn.ends == ("0", "4")
    assert drawn.came_out == "of 1 comparison: 1 as claimed"
    alike = played({**row, "settings": [["a", 0.0, 0.0], ["b", 0.0, 0.0]]})
    assert {dot.centre for dot in alike.dots} == {EDGE}


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([], "need 'experiments' and 'profile'"),
        ({"experiments": []}, "need 'experiments' and 'profile'"),
        ({"profile": "ci", "experiments": [{"claim": "x"}]}, "row 0: lacks paper"),
        ({"profile": "ci", "experiments": [ROWS[0] | {"settings": []}]}, "row 0: no setting was played"),
    ],
)
def test_what_is_no_table_is_refused(results, message):
    with pytest.raises(ValueError, match=message):
        known(results)
