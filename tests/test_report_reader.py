"""What a reader of the report needs at once: short names, where to go next, when it was made, what to remember, and no
word of the engine."""

from __future__ import annotations

import json
import re
import runpy
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dpbandits.audit.cli.command_line import main
from dpbandits.reference.claims.findings import Column
from dpbandits.reference.claims.model import Harm
from dpbandits.reports import pages, site, words
from dpbandits.reports.page import reordered_table
from dpbandits.reports.tally import CONCERNED, HARM_TAGS, HARMS

MADE = runpy.run_path(str(Path(__file__).with_name("sample_findings.py")))
# Words of the engine: what stands on which side of a comparison is said of the sides themselves.
ENGINE = re.compile(r"\bclaimed:? left\b|\bleft (?:<=?|≤|=) |= left\b|<th scope=\"row\">(?:left|right)</th>", re.I)
DAY = "26 November 2026"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    made = MADE["document"]()
    made["papers"]["made24"]["short"] = "Made up"
    by_engine = "violated at delta = 0.1: left = 0.5, right = 0.1227, but left <= right is claimed"
    for finding in made["findings"]:
        if any(
            item["kind"] == "certificate" and item["certificate"]["type"] == "formula" for item in finding["evidence"]
        ):
            finding["summary"] = by_engine
    return dict(made)


@pytest.fixture(scope="module")
def report(document: dict[str, Any]) -> dict[str, str]:
    return pages(document, date="2026-11-26")


def text(page: str) -> str:
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub("<[^>]+>", " ", body)).split())


def test_no_word_of_the_engine_is_a_readers(report: dict[str, str]) -> None:
    """Not where a finding's own summary has them, as those of refuted formulas do."""
    for name, page in report.items():
        shown = re.sub(r"<pre\b.*?</pre>|<script.*?</script>", " ", page, flags=re.DOTALL)
        assert not ENGINE.search(unescape(shown)), (name, ENGINE.search(unescape(shown)))
    assert ENGINE.search("violated at x = 1: left = 2, right = 1, but left <= right is claimed")
    assert ENGINE.search("Claimed: left ≤ right.")


def test_sides_without_a_formula_are_no_formula(document: dict[str, Any]) -> None:
    """left(k) <= right(k) says nothing to a reader: that both sides are code does."""
    parts = [{"kind": "code", "left": "left(k, w)", "sign": "<=", "right": "right(k, w)"}]
    parts.append({"kind": "range", "text": "w >= 1"})
    statement = "left(k, w) <= right(k, w) for w >= 1"
    finding = {**document["findings"][0], "parts": parts, "statement": statement}
    alone = made_of(finding, document)
    made = pages(alone)
    for name in ("papers/made24.html", site.lay_out_site(alone, "index.html", False).addresses[finding["id"]]):
        shown = text(re.sub(r"<pre.*?</pre>", "", made[name], flags=re.DOTALL))
        assert "the sentence's own inequality, both sides as the code of its page has them" in shown, name
        assert "left(" not in shown, name


def made_of(finding: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "findings": [finding], "headlines": []}


def test_every_page_says_what_made_it_and_when(report: dict[str, str], document: dict[str, Any]) -> None:
    for name, page in report.items():
        assert f"dpbandits {document['version']}" in page, name
        assert f" · {DAY} · " in page, name
    assert f"Made on {DAY} by dpbandits" in text(report["index.html"])


def test_a_day_changes_nothing_but_the_day(report: dict[str, str], document: dict[str, Any]) -> None:
    """It is the document's, where that has one, and otherwise there is none: the same document gives the same bytes."""
    small = {**document, "findings": document["findings"][:1], "headlines": []}
    without, dated = pages(small), pages({**small, "date": "2026-11-26"})
    assert without == pages(small)
    for name, page in dated.items():
        assert DAY in page
        assert DAY not in without[name]
        assert page.replace(f" · {DAY}", "").replace(f" on {DAY}", "") == without[name]


def test_the_command_prints_the_day_that_it_is_given(document: dict[str, Any], tmp_path: Path) -> None:
    findings, out = tmp_path / "findings.json", tmp_path / "index.html"
    findings.write_text(json.dumps(made_of(document["findings"][0], document)), encoding="utf-8")
    command = ["report", str(findings), "--out", str(out), "--date"]
    refused = CliRunner().invoke(main, [*command, "26.11.2026"])
    assert refused.exit_code == 2
    assert "'26.11.2026' does not match the format '%Y-%m-%d'" in refused.output
    assert not out.exists()
    assert CliRunner().invoke(main, [*command, "2026-11-26"]).exit_code == 0
    assert DAY in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "date", ["26.11.2026", "2026-13-01", "2026-11-32", "2026-02-30", "20261126", "2026-W48-4", "today"]
)
def test_what_is_no_day_is_refused(date: str) -> None:
    with pytest.raises(ValueError, match="write it as year-month-day, for example 2026-11-26"):
        words.readable_date(date)


def test_pages_are_called_by_short_titles(report: dict[str, str]) -> None:
    (bar,) = re.findall(r'<nav class="bar".*?</nav>', report["papers/made24.html"], re.DOTALL)
    assert '<span aria-current="page">Made up</span>' in bar
    assert "made24<" not in bar
    assert ">A Made-Up Paper" not in bar
    without = {**MADE["document"]()}
    assert site.lay_out_site(without, "index.html", single=False).papers[0].short == "A Made-Up Paper about …"


def test_letters_lead_to_their_neighbours(report: dict[str, str]) -> None:
    """From the first to the last and back, each once, over the letters of one paper."""
    made = [name for name in report if name.startswith("refuted/")]
    for way, name in (("next", made[0]), ("prev", made[-1])):
        seen = [name]
        while links := re.findall(rf'rel="{way}" href="([^"]*)"', report[seen[-1]]):
            assert len(set(links)) == 1
            seen.append(f"refuted/{links[0]}")
        assert sorted(seen) == sorted(made)
        assert len(seen) == len(made) > 1


def test_a_papers_page_begins_with_what_to_remember_and_a_figure(report: dict[str, str]) -> None:
    page = text(report["papers/made24.html"])
    places = [
        page.index(said) for said in ("What to remember", "is false guarantee fails", "What fails, the worst first")
    ]
    assert places == sorted(places)
    assert places[-1] < page.index("one by one, in the order of the paper")
    (first,) = re.findall(r'id="remember".*?<h2 id="fails"', report["papers/made24.html"], re.DOTALL)
    assert first.count('role="img"') == 1
    assert f"“Guarantee fails” concerns {CONCERNED[Harm.GUARANTEE]}." in page


@pytest.mark.parametrize(("columns", "rows", "shared"), [(8, 3, ["x1", "x2"]), (7, 3, []), (8, 2, [])])
def test_a_wide_table_leaves_what_all_rows_share_to_its_caption(columns: int, rows: int, shared: list[str]) -> None:
    """x1 and x2 are the same in every row, as is the verdict, which stays; an empty column goes from every table."""
    heads = [*(Column(f"x{place}") for place in range(columns - 1)), Column("empty"), Column("verdict")]
    cells = [[row, 7.5, "y", *range(row, row + columns - 4), None, "PROVED"] for row in range(rows)]
    made = reordered_table(heads, cells)
    assert [(column.name, cell) for column, cell in made.shared] == list(zip(shared, (7.5, "y"), strict=False))
    kept = [column.name for column in made.columns]
    assert kept == ["verdict", *(each.name for each in heads[:-2] if each.name not in shared)]
    assert made.rows == [["PROVED", *(cells[row][int(name[1:])] for name in kept[1:])] for row in range(rows)]


def test_each_refuted_row_says_what_breaks(report: dict[str, str], document: dict[str, Any]) -> None:
    page = report["papers/made24.html"]
    for finding in document["findings"]:
        if finding["paper"] == "made24":
            (row,) = re.findall(
                rf"<summary>(?:(?!</summary>).)*<code>{finding['id']}</code>.*?</summary>", page, re.DOTALL
            )
            tags = re.findall(r'class="tag harm"[^>]*>([^<]*)<', row)
            assert tags == ([HARM_TAGS[finding["harm"]]] if finding["verdict"] == "REFUTED" else []), finding["id"]
    assert list(HARM_TAGS) == list(HARMS)


@pytest.mark.parametrize("many", [40, 41])
def test_many_statements_are_folded_by_section_and_say_what_is_in_them(document: dict[str, Any], many: int) -> None:
    own = [each for each in document["findings"] if each["paper"] == document["findings"][0]["paper"]]
    copies = [own[place % len(own)] | {"id": f"made24/copy-{place}"} for place in range(many)]
    made = site.lay_out_site(document | {"findings": copies, "headlines": []}, "index.html", single=False)
    page = site.paper_page(made, made.papers[0])
    folded = re.findall(r'<details class="chapter">\s*<summary><h3>(.*?)</h3>.*?class="count">(\d+) statement', page)
    sections = [(name or "Statements", len(group)) for name, group in made.papers[0].sections]
    assert [(unescape(name), int(count)) for name, count in folded] == (sections if many > 40 else [])
    assert sum(many for _, many in sections) == many


def test_what_takes_a_larger_profile_is_not_said_to_have_been_unable_to_fail(document: dict[str, Any]) -> None:
    unplayed = {**document["findings"][0], "verdict": "NOT_EXERCISED", "where": "", "quote": ""}
    plays = {
        **unplayed,
        "id": "made24/long",
        "summary": "takes more than 20 steps",
        "needs": {"profile": ""},
    }
    dull = {**unplayed, "id": "made24/dull", "summary": "the profile 'quick' never varied", "needs": None}
    for findings, said in (
        ([plays], "not exercised 1 takes a larger profile than this run's"),
        (
            [plays, dull],
            "not exercised 2 of which 1 needs a larger profile than this run's; "
            "for the other 1, the test had no power here",
        ),
        ([dull], "not exercised 1 the test had no power here"),
    ):
        made = site.lay_out_site({**document, "findings": findings, "headlines": []}, "index.html", single=False)
        assert said in text(site.paper_page(made, made.papers[0]))


def refuted(name: str, *evidence: dict[str, Any], **fields: Any) -> dict[str, Any]:
    usual = {"where": "Lemma 9", "harm": next(iter(HARMS)), "expect": ["REFUTED"], "evidence": list(evidence)}
    return dict(MADE["finding"](name, "REFUTED", **(usual | fields)))


def test_a_letter_without_a_certificate_says_how_its_number_was_made(document: dict[str, Any]) -> None:
    """And speaks of none; one that has some counts them."""
    played = refuted("a", rests_on=["exact law", "samples"])
    proved = refuted("b", MADE["formula_certificate"]("made24/b"))
    made = {}
    for name, findings in (("none", [played]), ("some", [played, proved]), ("all", [proved])):
        alone = {**document, "findings": findings, "headlines": []}
        made[name] = text(pages(alone)["refuted/made24-lemma-9.html"])
    how = (
        "There is no certificate for this: it was found by the exact law of what is released, enclosed from below and "
        "from above; simulated runs, with bounds that fail with at most the stated probability. The command that "
        f"checks it again from the beginning: {played['repro']}"
    )
    assert how in made["none"]
    assert "1 finding, without a certificate." in made["none"]
    assert "verify" not in made["none"]
    assert "A certificate is a small file" not in made["none"]
    assert how in made["some"]
    assert "2 findings, 1 with a certificate to verify." in made["some"]
    assert "A certificate is a small file" in made["some"]
    assert "1 finding with a certificate to verify." in made["all"]
    assert "There is no certificate" not in made["all"]
    assert all("There is no certificate" in made[name] for name in ("none", "some"))
    mistake = "If the paper means something else, the mistake lies in our reading and not in the paper"
    assert all(page.count(mistake) == page.count("mistake") == 1 for page in made.values())


def test_a_certificate_is_verified_against_the_page_that_it_is_about(document: dict[str, Any]) -> None:
    """Of a page that has not joined, whatever its file is called."""
    for file, page in (("examples/skeleton", "examples/skeleton"), ("my page/it.py", "'my page/it.py'")):
        finding = refuted("b", MADE["formula_certificate"]("made24/b"), page_file=file)
        made = pages({**document, "findings": [finding], "headlines": []})
        wanted = f"dpbandits verify --page {page} certificates/made24__b.json"
        assert wanted in text(made["refuted/made24-lemma-9.html"])
        assert wanted in text(made["papers/made24.html"])
    joined = refuted("b", MADE["formula_certificate"]("made24/b"))
    made = pages({**document, "findings": [joined], "headlines": []})
    assert "dpbandits verify certificates/made24__b.json" in text(made["refuted/made24-lemma-9.html"])


def test_an_error_is_counted_alike_on_every_page(document: dict[str, Any]) -> None:
    """Once, in however many statements it occurs, and with the word for what is counted; one thing in the singular."""
    twin = refuted("b", where="Lemma 8", same_error_as="made24/a")
    for findings, errors in (
        ([refuted("a")], "1 error"),
        ([refuted("a"), twin], "1 error in 2 statements"),
        ([refuted("a"), refuted("b")], "2 errors"),
    ):
        made = pages({**document, "findings": findings, "errors": [], "headlines": []})
        for page in ("index.html", "papers/made24.html"):
            assert f"{next(iter(HARMS.values()))} {errors} " in text(made[page]), page
        assert "findings" not in text(made["index.html"]).partition("What the words mean")[0]
    one = text(pages({**document, "findings": [refuted("a", harm=str(Harm.PROOF))], "errors": []})["index.html"])
    assert "1 statement of 1 paper " in one
    assert "0 hold , 0 were tested and not refuted, 1 is false ; 1 of the false statements is harmless" in one
    assert "The verdict is as expected. Every statement that was expected to be refuted in this run was refuted" in one
    assert "How the 1 statement adds up 1 false refuted The expected" in one
    holding = text(pages({**document, "findings": [MADE["finding"]("a", "PROVED")], "errors": []})["index.html"])
    assert "1 holds (1 proved, 0 argued), 0 were tested and not refuted, 0 are false" in holding


def test_a_letter_draws_both_sides_of_what_fails(report: dict[str, str]) -> None:
    page = text(report["refuted/made24-theorem-7.html"])
    assert "Where it breaks" in page
    assert "Both sides against ε, at δ = 0.1. The formula fails " in page


def test_the_run_is_told_in_words(report: dict[str, str], document: dict[str, Any]) -> None:
    (said,) = re.findall(r'<h2 id="run">.*?</section>', report["index.html"], re.DOTALL)
    for name in document["profile"]:
        assert name == "name" or name.replace("_", " ") not in said
    profile = {"name": "quick", "trials": 20000, "experiment_runs": 32, "pair_tries": 8}
    assert words.effort_words(profile) == [
        "20\N{NARROW NO-BREAK SPACE}000 plays of a policy on either side of a comparison",
        "32 repetitions of a printed experiment",
    ]
