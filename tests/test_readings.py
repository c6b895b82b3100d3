"""How a sentence was read: which source a reading needs, and that a secondary source is named wherever a verdict is."""

from __future__ import annotations

import runpy
from html import unescape
from pathlib import Path
from re import sub
from typing import Any

import pytest

from dpbandits.audit.runner.entries import claim_as_data
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Harm, Reading, Unjudged, Verdict
from dpbandits.reference.claims.paper import Page
from dpbandits.reports import pages
from dpbandits.reports.glossary import READINGS, read_as
from dpbandits.reports.page import filter_options
from dpbandits.reports.remember import memory
from dpbandits.reports.terminal import finding_text

MADE = runpy.run_path(str(Path(__file__).with_name("sample_findings.py")))
NOTES = "somebody's notes"
QUOTED = {"reading": "as quoted elsewhere", "seen_in": NOTES, "unseen": "the proofs"}
OPEN = Unjudged("a toy")


def quoting_page() -> Page:
    return Page("made24", "Made", "A. Nybody", "2024", seen_in=NOTES, unseen="the proofs", originals=("Abstract",))


def false(**fields: Any) -> dict[str, Any]:
    return dict(MADE["finding"]("a", Verdict.REFUTED, fault="false", harm=str(Harm.GUARANTEE), **fields))


def text(page: str) -> str:
    """The page's words, without its tags."""
    return " ".join(unescape(sub(r"<[^>]*>", " ", page)).split())


@pytest.mark.parametrize("reading", [Reading.PRINTED, Reading.STEP])
def test_what_is_read_in_the_paper_is_quoted(reading: Reading) -> None:
    chapter = Page("made24", "", "", "").chapter("toy")
    with pytest.raises(
        ValueError,
        match=r"made24/a has the reading .*, but its source quotes none; .*page\.source\('1', '\.\.\.'\)",
    ):
        chapter.add("a", chapter.page.source("1"), OPEN, expect=Verdict.UNSUPPORTED, reading=reading)
    assert chapter.add("a", chapter.page.source("1", "So."), OPEN, expect=Verdict.UNSUPPORTED, reading=reading)


def test_what_was_seen_in_a_secondary_source_is_not_read_as_printed() -> None:
    page = quoting_page()
    chapter = page.chapter("toy")
    theorem, abstract = page.source("Theorem 1", "So."), page.source("Abstract", "So.")
    assert (theorem.seen_in, theorem.unseen) == (NOTES, "the proofs")
    assert (abstract.seen_in, abstract.unseen) == ("", "")
    with pytest.raises(ValueError, match='made24/a is read as printed, but its source has seen_in="somebody\'s notes"'):
        chapter.add("a", theorem, OPEN, expect=Verdict.UNSUPPORTED)
    with pytest.raises(ValueError, match="the reading of made24/b is 'quoted elsewhere', but its source does not name"):
        chapter.add("b", abstract, OPEN, expect=Verdict.UNSUPPORTED, reading=Reading.QUOTED)
    assert chapter.add("a", theorem, OPEN, expect=Verdict.UNSUPPORTED, reading=Reading.QUOTED)
    assert chapter.add("b", abstract, OPEN, expect=Verdict.UNSUPPORTED)
    aside = page.source("Abstract", "So.", seen_in=NOTES)  # of an algorithm that was read there
    assert chapter.add("c", aside, OPEN, expect=Verdict.UNSUPPORTED, reading=Reading.QUOTED).source.unseen


def test_a_page_that_was_read_elsewhere_says_so_of_all_but_its_originals() -> None:
    quoting = [volume for volume in ledger().volumes if volume.page.seen_in]
    assert {volume.page.key for volume in quoting} >= {"tossou18", "sajed19", "shariff18", "bubeck13"}
    assert all(volume.page.unseen for volume in quoting)
    assert [volume.page.key for volume in ledger().volumes if "secondary" in volume.page.read] == [
        volume.page.key for volume in quoting
    ]
    for volume in quoting:
        for claim in volume.claims:
            originally = claim.source.where.startswith(volume.page.originals)
            assert claim.source.seen_in or originally, claim.id
            assert claim.reading is not Reading.PRINTED or originally, claim.id


def test_every_reading_has_words() -> None:
    assert set(READINGS) == set(Reading)
    findings = [false(reading=str(reading)) for reading in Reading]
    legend = {name: labels for name, _, labels in filter_options(findings, {})}
    assert [count for _, _, count in legend["r"]] == [1] * len(Reading)


def test_a_source_is_in_the_findings_and_in_how_a_claim_was_read() -> None:
    made = claim_as_data(ledger().by_id["tossou18/theorem-2/privacy"])
    assert made["reading"] == "as quoted elsewhere"
    assert "notes" in made["seen_in"]
    assert "neighbours" in made["unseen"]
    assert read_as(made).startswith(f"as quoted in {made['seen_in']} (not seen: {made['unseen']}): ")
    assert read_as(false(**QUOTED, scope="K = 2")) == f"as quoted in {NOTES} (not seen: the proofs): K = 2"
    literal = false(**QUOTED | {"reading": "to the letter"}, scope="K = 2")
    assert read_as(literal) == f"to the letter, as quoted in {NOTES} (not seen: the proofs): K = 2"


def test_the_terminal_names_the_source_and_hedges_the_harm() -> None:
    said = " ".join(finding_text(false(**QUOTED), [], {}).split())
    assert f"reading as quoted in {NOTES} (not seen: the proofs)" in said
    assert f"harm false: if the quotation is right, {Harm.GUARANTEE}" in said
    plain = " ".join(finding_text(false(), [], {}).split())
    assert f"harm false: {Harm.GUARANTEE}" in plain
    assert "quot" not in plain


@pytest.mark.parametrize("many", [1, 25_000])
def test_every_page_of_the_report_names_the_source_where_it_tells_the_verdict(many: int) -> None:
    """Also a paper's page that has no room for its statements in full."""
    findings = [false(**QUOTED, where="Theorem 2", note="Ten rounds are enough. " * many)]
    document = MADE["document"]() | {"findings": findings, "errors": [], "headlines": []}
    made = {name: text(page) for name, page in pages(document).items()}
    telling = {name: page for name, page in made.items() if "refuted" in page and "Theorem 2" in page}
    assert len(telling) == 5  # the overview, the paper, the statement, the page for its authors, and the search
    for name, page in telling.items():
        assert NOTES in page, name
        assert any(hedge in page for hedge in ("if the quotation is right", "if quoted correctly")), name
    assert not any("if the quotation is right" in page for page in map(text, pages(plainly(document)).values()))


def plainly(document: dict[str, Any]) -> dict[str, Any]:
    return document | {"findings": [false(where="Theorem 2", note="Ten rounds are enough.")]}


def test_a_quoted_theorem_that_is_false_falls_and_a_step_makes_no_theorem_stand() -> None:
    second, third = ({"where": f"Theorem {n}", "numbered": {"kind": "Theorem", "number": n}} for n in "23")
    (row,) = memory([false(**QUOTED, **second)]).rows
    assert row.outcome == "falls"
    assert row.statements[0].name == "Theorem 2"
    step = MADE["finding"]("b", Verdict.PROVED, reading="one step of it", **third)
    assert memory([step]).rows == ()
    assert [each.name for each in memory([step]).undecided] == ["Theorem 3"]
    quoted = MADE["finding"]("c", Verdict.ARGUED, **third, **QUOTED)
    assert [each.outcome for each in memory([step, quoted]).rows] == ["stands"]
