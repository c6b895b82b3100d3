"""The table of implementations: what is shown is what was judged, and known failures are strict."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import sys
from html import unescape
from pathlib import Path
from runpy import run_path

import pytest

import dpbandits
from dpbandits import Verdict, follows_law
from dpbandits.audit.runner import documents
from dpbandits.extensions.conformance import command
from dpbandits.extensions.conformance.libraries_page import validate_table
from dpbandits.reference.bandits.policy import HasLaw
from dpbandits.reports import pages
from dpbandits.reports.words import symbols

FOLDER = Path(__file__).parents[3] / "implementations"
RESULTS = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))


@pytest.fixture
def table(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    spec = importlib.util.spec_from_file_location("table", FOLDER / "table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    for name in ("adapters", "table"):
        sys.modules.pop(name, None)


def test_the_page_is_made_of_the_results(table):
    rows = RESULTS["implementations"]
    assert table.PAGE.read_text(encoding="utf-8") == table.page(rows)
    assert [(row["library"], row["policy"], row["cause"]) for row in rows] == [
        (each.library, each.name, each.differs) for each in table.IMPLEMENTATIONS
    ]
    assert (RESULTS["arms"], RESULTS["horizon"], RESULTS["seed"]) == (table.ARMS, table.HORIZON, table.SEED)


@pytest.mark.thorough
def test_the_reports_page_has_every_row_in_fair_words():
    """And no verdict of REFUTED on a library; a link leads there from the overview and back."""
    document = run_path(str(Path(__file__).parents[2] / "sample_findings.py"))["document"]()
    document |= {"findings": document["findings"][:1], "headlines": []}  # what else a report has takes its time
    alone, made = pages(document), pages(document, beside={"libraries": RESULTS})
    assert set(made) - set(alone) == {"papers/libraries.html"}
    text = " ".join(unescape(re.sub("<[^>]+>", " ", made["papers/libraries.html"])).split())
    for row in RESULTS["implementations"]:
        for part in (row["library"], row["version"], row["policy"].split("(")[0], row["page"]):
            assert part in text
    refuted = [row for row in RESULTS["implementations"] if row["verdict"] == "REFUTED"]
    assert made["papers/libraries.html"].count("<td>differs") == len(refuted)
    assert text.count("differs, evidence 10") == sum(
        row["evidence"] is not None for row in refuted
    )  # else it is certain
    assert "A library may implement another policy on purpose. The verdict does not concern privacy" in text
    assert 'class="badge REFUTED"' not in made["papers/libraries.html"]
    for evidence in (row["evidence"] for row in RESULTS["implementations"] if row["evidence"]):
        assert symbols(f"differs, evidence 10^{math.floor(evidence)}") in text  # no more than there is
    assert 'href="papers/libraries.html"' in made["index.html"]
    assert 'href="../index.html"' in made["papers/libraries.html"]
    assert "libraries.html" not in alone["index.html"]


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([], "the results of implementations must have the keys 'implementations' and 'words'"),
        ({"implementations": []}, "the results of implementations must have the keys 'implementations' and 'words'"),
        (
            RESULTS | {"implementations": [*RESULTS["implementations"], {"library": "x"}]},
            f"row {len(RESULTS['implementations'])}: missing keys: version",
        ),
    ],
)
def test_what_is_no_table_is_refused(results, message):
    with pytest.raises(ValueError, match=message):
        validate_table(results)


def test_no_row_is_a_surprise_and_failures_are_strict(table):
    for row in RESULTS["implementations"]:
        assert not table.surprising(row), row["policy"]
        assert table.surprising(row | {"cause": "" if row["cause"] else "something"})
        assert table.surprising(row | {"as described": "REFUTED"})
        assert (row["evidence"] is not None) == (row["verdict"] == "REFUTED" and "evidence" in row["summary"])
    assert {"REFUTED", "CONSISTENT"} == {row["verdict"] for row in RESULTS["implementations"]}


def test_the_versions_are_those_that_are_installed():
    pins = dict(
        line.split("==")
        for line in (FOLDER / "requirements.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line
    )
    for row in RESULTS["implementations"]:
        assert pins[row["library"]] == row["version"]


@pytest.mark.thorough
def test_what_is_described_instead_is_another_law_than_the_pages(table):
    """A description that is the page's own law would confirm itself."""
    for each in table.IMPLEMENTATIONS:
        if each.instead is not None:
            page, instead = each.page(2, 5), each.instead(2, 5)
            assert isinstance(instead, HasLaw)
            assert follows_law(page, instead, trials=4_000).verdict == Verdict.REFUTED


def test_it_says_that_it_is_not_about_privacy(table):
    text = " ".join(table.PAGE.read_text(encoding="utf-8").split())
    assert "The verdict does not concern privacy" in text
    assert "A library may implement another policy on purpose" in text


def test_the_report_shows_what_the_checkout_has():
    found = documents.extras({"findings": [{"paper": "ou24"}]})
    assert found["beside"]["libraries"] == RESULTS
    assert "libraries" not in documents.extras({"findings": [{"paper": "chen24"}]}).get("beside", {})
    assert (Path(dpbandits.__file__).with_name("shipped") / "libraries.json").resolve() == FOLDER / "results.json"
    assert Path(command.__file__).with_name("protocol.md").is_file()
