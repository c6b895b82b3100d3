"""The page of a comparison: what it says, what it leaves out, and that names are never read as anything else."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import chromium
import numpy as np
import pytest
from sample_findings import AWKWARD

import dpbandits
from dpbandits.audit.runner import documents
from dpbandits.extensions.comparison.document import pseudo_code
from dpbandits.extensions.comparison.figures import drawn_comparisons, groups_along, marks_of, spread_heights
from dpbandits.extensions.comparison.page import (
    algorithms_of,
    comparison_page,
    comparison_picture,
    questions_by_advice,
    shared_conditions,
    shelves_of,
)
from dpbandits.reference.claims.ledger import paper_keys
from dpbandits.reports import vector
from dpbandits.reports.experiments import COLOURS

ROOT = Path(__file__).parents[3]
SCRIPT = (ROOT / "reports" / "script.js").read_text(encoding="utf-8").strip("\n")
GAPS = {"wide gap": [0.9, 0.4]}


def promise(verdict: str = "ARGUED", claim: str = "page/claim", eps: float | None = 1.0) -> dict[str, Any]:
    return {"claim": claim, "words": "(1, 0)-DP", "relation": "pull", "reading": "printed", "eps": eps} | {
        "verdict": verdict,
        "rests_on": ["argument in words"],
        "judged": "in this run",
    }


def candidate(name: str, standing: str, promised: dict[str, Any] | None = None) -> dict[str, Any]:
    given = {
        "name": name,
        "paper": "page",
        "title": "A paper",
        "standing": standing,
        "why": f"Why {name} stands there.",
    }
    given |= {"parameters": {"eps": 1.0}, "promise": promised, "audit": "", "paper_read": "", "short": ""}
    return given | {"algorithm": "page.Private" if name == "Private" else ""}


def cost(policy: str, family: str, mean: float, quantity: str = "pseudo-regret") -> dict[str, Any]:
    row = {"policy": policy, "family": family, "quantity": quantity}
    return row | {"mean": mean, "low": mean - 5, "high": mean + 5, "most": 500.0}


def question(own: str = "mine.py:Mine", **changed: Any) -> dict[str, Any]:
    """Of two policies that are ranked, one of them an own one; one refuted, one out of reach, one without privacy."""
    mine = candidate(own, "ranked", promise(claim="")) | {"paper": "", "audit": "CONSISTENT up to eps = 1.2."}
    made = {
        "arms": 2,
        "horizon": 1000,
        "eps": 1.0,
        "delta": 1e-6,
        "runs": 100,
        "seed": 0,
        "risk": 0.01,
        "families": [{"name": name, "means": means} for name, means in GAPS.items()],
        "candidates": [
            candidate("Free", "baseline"),
            candidate("Lost", "refuted", promise("REFUTED", "page/false")),
            candidate("Private", "ranked", promise()),
            mine,
            candidate("Never", "unreachable", promise(eps=None)),
        ],
        "measured": [
            cost(policy, family, mean)
            for policy, mean in (("Free", 20.0), ("Private", 100.0), (own, 140.0))
            for family in GAPS
        ],
        "orders": [{"family": "wide gap", "better": "Private", "worse": own, "at_least": 30.0}],
        "advice": {"sentence": "Use Private.", "policy": "Private", "ties": [own], "conditions": ["Arms are alike."]},
    }
    return made | changed


def document(*questions: dict[str, Any]) -> dict[str, Any]:
    algorithms = [{"name": "page.Private", "text": "1  pull a = argmax theta_i"}]
    return {"schema": 1, "version": "0.9.0", "algorithms": algorithms, "comparisons": list(questions)}


class Text(HTMLParser):
    """The text of a page, its elements, and what they are given."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said, self.tags, self.given, self.inside = "", set(), [], ""
        self.scripts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        self.given += attrs
        self.inside = tag

    def handle_data(self, data: str) -> None:
        if self.inside == "script":
            self.scripts.append(data.strip("\n"))
        elif self.inside != "style":
            self.said += f" {data}"

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""


def test_it_says_advice_conditions_standings_and_what_promises_rest_on() -> None:
    page = Text(comparison_page(document(question()), {"page/claim": "out/a&b.html"}))
    said = re.sub(" (?=[:.,])", "", " ".join(page.said.split()))
    for words in ("Use Private.", "No certified difference from Private: mine.py:Mine.", "Arms are alike."):
        assert words in said
    assert (
        said.index("Private eps") if "Private eps" in said else said.index("Private ε = 1") < said.index("Lost ε = 1")
    )
    for words in ("Why Lost stands there.", "Why Never stands there.", "out of reach", "CONSISTENT up to ε = 1.2."):
        assert words in said
    links = [value for name, value in page.given if name == "href" and "compared" not in value]
    how, claim = "#algorithm-1", "out/a&b.html"  # of the false one this report has no page
    assert links == ["#main", how, how, "#promises", claim, how, claim, claim]
    assert ("id", "compared-0-title") in page.given
    assert ("aria-describedby", "compared-0-words") in page.given
    assert page.scripts == [SCRIPT]  # the one that all pages of the report have


def test_the_guarantee_that_the_advice_rests_on_stands_beside_it() -> None:
    """Also that its paper was not read itself; and advice that names nobody has no guarantee."""
    one = question()
    one["candidates"] = [each | {"paper_read": "as quoted in a survey"} for each in one["candidates"]]
    said = " ".join(Text(comparison_page(document(one))).said.split())
    assert (
        "Its privacy guarantee is argued (argument in words); read from a secondary source, as quoted in a survey."
        in said
    )
    none = {"sentence": "No policy is named.", "policy": "", "ties": [], "conditions": []}
    assert "Its privacy guarantee" not in comparison_page(document(question(advice=none)))


def test_the_number_of_arms_is_chosen_and_each_has_its_own_tables_and_figures() -> None:
    page = comparison_page(document(question(), question(eps=4.0), question(arms=3)))
    for arms in (2, 3):
        assert f"body:has(#arms-{arms}:checked) .of-arms:not(.arms-{arms}) {{ display:none }}" in page
        assert page.count(f'"of-arms arms-{arms}"') == 5  # advice, figures, promises, differences, how it was measured
    assert page.count(" checked>") == 1
    assert ".of-arms" not in comparison_page(document(question(), question(eps=4.0))).partition("</style>")[0]
    assert [
        (each.arms, len(each.questions), len(each.pictures)) for each in shelves_of([question(), question(arms=3)])
    ] == [
        (2, 1, 1),
        (3, 1, 1),
    ]


def test_the_pseudo_code_of_what_the_advice_names_stands_open_and_the_others_are_folded() -> None:
    """Two policies of one text share an entry; it names the claim and the class."""
    data = document(question())
    data["algorithms"] += [{"name": "page.Free", "text": "1  free"}, {"name": "page.Lost", "text": "1  free"}]
    for each in data["comparisons"][0]["candidates"]:
        each["algorithm"] = f"page.{each['name']}" if each["name"] in ("Free", "Lost", "Private") else ""
    first, second = algorithms_of(data)
    assert (first.number, first.advised, dict(first.policies)) == (1, True, {"Private": ("page/claim", "ARGUED")})
    assert (second.names, dict(second.policies)) == (
        ("page.Free", "page.Lost"),
        {"Free": ("", ""), "Lost": ("page/false", "REFUTED")},
    )
    page = comparison_page(data)
    assert '<details id="algorithm-1" open>' in page
    assert '<details id="algorithm-2"><summary>' in page
    assert "How Private works: its pseudo-code" in page


def test_the_kept_pseudo_code_is_that_of_the_code() -> None:
    """After a change of a policy's docstring: python docs/comparison/front.py --pseudo-code."""
    front = json.loads((ROOT / "docs" / "comparison" / "front.json").read_text(encoding="utf-8"))
    assert front["algorithms"] == [
        {"name": each["name"], "text": pseudo_code(each["name"])} for each in front["algorithms"]
    ]
    for each in front["algorithms"]:
        assert re.search("^ +1?[0-9]  [a-z]", each["text"], re.MULTILINE), each["name"]  # numbered lines


@pytest.mark.parametrize("arms", [2, 5])
def test_the_kept_comparison_has_these_numbers_of_arms(arms: int) -> None:
    front = json.loads((ROOT / "docs" / "comparison" / "front.json").read_text(encoding="utf-8"))
    asked = [(one["horizon"], one["eps"]) for one in front["comparisons"] if one["arms"] == arms]
    assert asked == [(1000, 1.0), (3000, 0.5), (3000, 1.0), (3000, 4.0), (3000, 16.0), (10_000, 1.0)]


def test_who_was_not_played_is_in_no_picture() -> None:
    (first,) = drawn_comparisons([question()])
    assert [row[0] for row in first.picture.rows] == ["Free", "Private", "mine.py:Mine"]
    assert first.picture.rows[1] == ("Private", 100.0, 95.0, 105.0)
    assert "Free" in first.picture.svg
    assert not re.search("Lost|Never", first.picture.svg)


def test_without_a_certified_difference_nothing_is_called_one() -> None:
    none = {"sentence": "No policy is named.", "policy": "", "ties": [], "conditions": []}
    page = Text(comparison_page(document(question(orders=[], advice=none)))).said
    assert "no difference is certified" in page
    assert "On these conditions" not in page
    assert "costs more" not in page


@pytest.mark.parametrize("name", [AWKWARD + "<img src=x onerror=alert(1)>", "$x$ \\frac\x00\u202e`"])
def test_the_name_of_an_own_policy_is_text(name: str) -> None:
    one = question(name)
    page = Text(comparison_page(document(one, one | {"horizon": 2000})))
    assert not page.tags & {"img", "iframe"}
    assert page.scripts == [SCRIPT]
    assert not [each for each, _ in page.given if each.startswith("on")]
    assert name[:8] in page.said


def test_questions_that_differ_in_one_thing_are_a_front() -> None:
    one = question()
    some = [one, one | {"horizon": 100}, one | {"eps": 4.0}, one | {"eps": 0.25}, one | {"arms": 3, "eps": 9.0}]
    assert groups_along(some, "horizon") == [[1, 0]]
    assert groups_along(some, "eps") == [[3, 0, 2]]
    drawn = drawn_comparisons(some)  # against eps, against T, and the one that is like no other
    assert [row[1] for row in drawn[0].picture.rows if row[0] == "Private"] == [0.25, 1.0, 4.0]
    assert [row[1] for row in drawn[1].picture.rows if row[0] == "Private"] == [100, 1000]
    assert drawn[2].instance == "K = 3, T = 1000, eps = 9, delta = 10⁻⁶"
    assert drawn[2].title == "wide gap"
    assert [each.picture.name for each in drawn] == ["compared-0", "compared-1", "compared-2"]
    some[0] = one | {"advice": one["advice"] | {"conditions": ["Arms are alike.", "T = 1000."]}}
    ((advice, answered),) = questions_by_advice(some, shared_conditions(some))  # five questions, one answer
    assert (advice["policy"], len(answered), [own for _, own in answered]) == ("Private", 5, ["T = 1000."] + 4 * [""])
    assert shared_conditions(some) == ["Arms are alike."]


def test_what_the_advice_names_has_a_colour_and_all_others_are_grey() -> None:
    alone = {"sentence": "Use Private.", "policy": "Private", "ties": [], "conditions": []}
    marks = marks_of([question(advice=alone)])
    assert [name for name, mark in marks.items() if mark.strong] == ["Private"]
    assert marks["Private"].colour in COLOURS
    assert {mark.colour for name, mark in marks.items() if name not in ("Private", "Free")} == {vector.MUTED}
    tied = {"sentence": "Two are tied.", "policy": "", "ties": ["Private", "mine.py:Mine"], "conditions": []}
    marks = marks_of([question(advice=tied)])
    assert len({mark.colour for mark in marks.values() if mark.strong}) == 2


@pytest.mark.parametrize("heights", [[], [0.5], [0.1, 0.1, 0.1], [0.0, 0.02, 0.5, 0.51, 0.9], [0.3, 0.31, 0.36, 0.4]])
def test_names_beside_lines_do_not_cover_each_other(heights: list[float]) -> None:
    moved = spread_heights(heights, 0.05)
    assert len(moved) == len(heights)
    assert all(after - before >= 0.05 - 1e-12 for before, after in pairwise(moved))
    assert sum(moved) == pytest.approx(sum(heights))  # about as high as they were


def test_no_regret_and_best_arms_alone() -> None:
    """A bar may go down to 0, and shares of wrong answers are in no picture."""
    families = [{"name": name, "means": [0.9, 0.4]} for name in ("wide gap", "none")]
    one = question(
        families=families, measured=[cost("Private", "wide gap", 0.0), cost("Free", "wide gap", 0.3, "wrong answers")]
    )
    one["measured"][0]["low"] = 0.0
    first, second = drawn_comparisons([one])
    assert first.picture.rows == (("Private", 0.0, 0.0, 5.0),)
    assert second.picture.rows == ()
    assert "wrong answers" in Text(comparison_page(document(one))).said
    front = comparison_picture(document(one, one | {"eps": 2.0}))
    assert front.startswith("<svg")
    assert "Private" in front
    assert front.count('d="M8 ') == 0  # both have a colour of their own


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"runs": 0}, r"comparison: comparisons\[0\].runs: 0 is less than the minimum"),
        ({"risk": float("nan")}, r"comparisons\[0\].risk: nan is no JSON number"),
        ({"families": []}, r"comparisons\[0\]: 'wide gap' is not in the list of families"),
        (
            {"orders": [{"family": "wide gap", "better": "X", "worse": "Free", "at_least": 1.0}]},
            "'X' is not in the list of candidates",
        ),
        (
            {"candidates": [candidate("Free", "baseline") | {"algorithm": "page.X"}], "measured": [], "orders": []},
            r"comparisons\[0\]: 'page.X' is not in the list of algorithms",
        ),
    ],
)
def test_a_document_that_is_none_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        comparison_page(document(question(**changed)))


@pytest.mark.browser
@pytest.mark.skipif(chromium.found() is None, reason="no Chromium here")
@pytest.mark.parametrize("width", [1200, 320])
def test_nothing_sticks_out_and_the_browser_is_content(tmp_path: Path, width: int) -> None:
    path = tmp_path / "comparison.html"
    path.write_text(comparison_page(document(question("W" * 90), question("W" * 90, eps=4.0))), encoding="utf-8")
    browser = chromium.Browser(tmp_path)
    with browser.tab(path, width=width, height=6000) as tab:
        assert not tab.complaints()
        shot = tab.picture()
    browser.close()
    assert np.abs(shot[:, width - 8 :] - shot[3, 3]).max() < 0.02


# -- in the report -----------------------------------------------------------------------------------------------------


def test_a_report_of_all_compared_papers_shows_the_kept_comparison() -> None:
    front = json.loads((ROOT / "docs" / "comparison" / "front.json").read_text(encoding="utf-8"))
    every = documents.report_extras({"findings": [{"paper": key} for key in paper_keys()]})
    assert every["beside"]["comparison"] == front
    assert "comparison" not in documents.report_extras({"findings": [{"paper": "ou24"}]}).get("beside", {})
    assert (
        Path(dpbandits.__file__).parent / "shipped" / "compared.json"
    ).resolve() == ROOT / "docs/comparison/front.json"
