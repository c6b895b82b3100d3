"""The HTML report: everything that was found is on the page, escaped, reachable and the same each time."""

from __future__ import annotations

import copy
import json
import math
import os
import re
import runpy
import shlex
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from joblib import parallel_config
from jsonschema import Draft202012Validator
from matplotlib.figure import Figure

from dpbandits import Verdict, registry
from dpbandits.audit.runner import documents
from dpbandits.reference.claims.file_names import stem
from dpbandits.reference.claims.findings import Column, above, below, columns_of, nearest, table_item
from dpbandits.reference.claims.ledger import paper_keys
from dpbandits.reference.claims.model import Basis, Harm
from dpbandits.reference.claims.records import PICTURED_KINDS
from dpbandits.reports import figures, pages, render, vector
from dpbandits.reports.document import schema, validate_document
from dpbandits.reports.glossary import VERDICTS, theorem_page
from dpbandits.reports.own import with_earlier
from dpbandits.reports.page import BASES, captioned, readable_certificate, used_rules
from dpbandits.reports.plotting import thin_curve
from dpbandits.reports.site import ADDRESS, html_size
from dpbandits.reports.tally import papers, tally
from dpbandits.reports.words import THIN, format_number, format_power, prose, sentences, shorten_text, symbols

SAMPLE = Path(__file__).with_name("sample_findings.py")
MADE = runpy.run_path(str(SAMPLE))
STYLE = Path(figures.__file__).with_name("style.css").read_text(encoding="utf-8")
SCRIPT = Path(figures.__file__).with_name("script.js").read_text(encoding="utf-8")
OWN_SCRIPTS = {  # a page has the script of all pages, after another one of ours if it needs one
    SCRIPT,
    *(
        f"{path.read_text(encoding='utf-8')}\n{SCRIPT}"
        for folder in ("reports", "extensions/*")
        for path in Path(figures.__file__).parents[1].glob(f"{folder}/*.js")
    ),
}
PUBLISHED = ("https://example.invalid/made24",)
VOID = {"meta", "link", "br", "hr", "img", "input", "source", "col", "base", "embed", "wbr"}
PICTURED = set(PICTURED_KINDS)


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return MADE["document"]()


@pytest.fixture(scope="module")
def page(document: dict[str, Any]) -> str:
    return render(document)


@pytest.fixture(scope="module")
def site(document: dict[str, Any]) -> dict[str, str]:
    return pages(document)


class Reader(HTMLParser):
    """Reads a page strictly: collects elements and text, and every way in which the page is broken.

    here: the page's file; beside: the others, by file, with their ids; outside: where links to the network may lead.
    """

    def __init__(
        self, page: str, here: str = "", beside: Mapping[str, set[str]] | None = None, outside: Sequence[str] = ()
    ) -> None:
        super().__init__(convert_charrefs=True)
        self.here, self.beside, self.outside = here, beside or {}, outside
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.faults: list[str] = []
        self.style = self.script = self.data = ""
        self.feed(page)
        self.close()
        self.faults += [f"<{tag}> is never closed" for tag in self.open]
        self.check()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) < len(names):
            self.faults.append(f"<{tag}> repeats an attribute")
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:]}")
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data
        elif self.open and self.open[-1] == "script":
            kept = "data" if self.elements[-1][1].get("type") == "application/json" else "script"
            setattr(self, kept, getattr(self, kept) + data)
        else:
            self.words.append(data)

    def check(self) -> None:
        ids = [attributes["id"] for _, attributes in self.elements if "id" in attributes]
        self.faults += [f"id {name!r} is not unique" for name in set(ids) if ids.count(name) > 1]
        self.faults += [f"id {name!r} holds white space" for name in ids if re.search(r"\s", name)]
        level = 0
        for tag, attributes in self.elements:
            search = attributes.get("role") == "search" and attributes.get("action", "").endswith("search.html")
            if tag in ("link", "img", "iframe", "object", "embed", "base", "form") and not search:
                self.faults.append(f"<{tag}> has no place in the report")
            for name, value in attributes.items():
                loading = name in ("href", "src", "srcset", "action", "data", "poster") or name.endswith(":href")
                if loading and not self.leads(value, ids):
                    self.faults.append(f"<{tag} {name}={value!r}> leads nowhere, or where it must not")
                if name in ("aria-labelledby", "aria-describedby"):
                    self.faults += [f"{name} of <{tag}>: no {part}" for part in value.split() if part not in ids]
                if name.startswith("on"):
                    self.faults.append(f"<{tag}> has a handler {name}")
                self.faults += [
                    f"<{tag} {name}> loads {target}"
                    for target in re.findall(r"url\(([^)]*)\)", value)
                    if not target.startswith("#") or target[1:] not in ids
                ]
            if re.fullmatch(r"h[1-6]", tag):
                if int(tag[1]) > level + 1:
                    self.faults.append(f"<{tag}> follows a heading of level {level}")
                level = int(tag[1])
        if "url(" in self.style or "@import" in self.style:
            self.faults.append("the style sheet loads something")
        marked = [attributes for tag, attributes in self.elements if tag == "script" and attributes]
        if self.script not in ("", *OWN_SCRIPTS) or any(each.keys() != {"type", "id"} for each in marked):
            self.faults.append("a script that is not ours")
        if self.data:
            json.loads(self.data)  # the data of a script

    def leads(self, link: str, ids: Sequence[str]) -> bool:
        """Whether a link has its target: on this page, on another one of the report, or where a paper is."""
        file, _, fragment = link.partition("#")
        if link in self.outside:
            return True
        if not file:
            return unquote(fragment) in ids
        path = normpath(join(dirname(self.here), unquote(file)))
        return path in self.beside and (not fragment or unquote(fragment) in self.beside[path])

    @property
    def text(self) -> str:
        return squeezed("".join(self.words))

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.elements)


def squeezed(text: str) -> str:
    return " ".join(text.split())


# -- the pages -----------------------------------------------------------------------------------------------


def ids_of(page: str) -> set[str]:
    return {attributes["id"] for _, attributes in Reader(page).elements if "id" in attributes}


def test_the_pages_are_sound(document: dict[str, Any], page: str) -> None:
    """Tags nest, ids are unique, every link and label has its target, nothing comes from elsewhere."""
    site = pages(document, **documents.report_extras({"findings": [{"paper": key} for key in paper_keys()]}))
    added = (f"papers/{name}.html" for name in registry.added().pages)
    assert {"papers/libraries.html", "papers/experiments.html", *added} <= set(site)
    beside = {name: ids_of(text) for name, text in site.items()}
    for name, text in [*site.items(), ("", page)]:
        assert text.startswith("<!doctype html>\n<html lang=")
        read = Reader(text, name, beside, PUBLISHED)
        assert read.faults == [], name
        assert read.count("h1") == read.count("main") == read.count("title") == 1
        first = next(attributes for tag, attributes in read.elements if tag == "a")
        assert first == {"class": "skip", "href": "#main"}
        assert len([table for table in read.elements if table == ("table", {"class": "grid"})]) <= read.count("caption")


@pytest.mark.parametrize(
    "broken",
    [
        "<p><b></p></b>",
        "<div>",
        '<p id="a"></p><p id="a"></p>',
        '<a href="#nowhere">x</a>',
        '<a href="https://example.org/">x</a>',
        '<a href="javascript:alert(1)">x</a>',
        '<a href="other.html">x</a>',
        '<img src="#a">',
        "<script>alert(1)</script>",
        '<script src="#a"></script>',
        '<p onclick="x()"></p>',
        '<p style="background: url(//example.org/x.png)"></p>',
        "<style>@import 'x.css';</style>",
        "<h1></h1><h3></h3>",
        '<svg aria-labelledby="gone"></svg>',
    ],
)
def test_the_check_of_the_pages_sees_faults(broken: str) -> None:
    assert Reader(broken).faults


def test_one_script_runs_and_it_is_ours(site: dict[str, str]) -> None:
    """The policy of every page names the script by its digest, so that no other one would run."""
    for name, text in site.items():
        read = Reader(text)
        policy = next(
            attributes["content"]
            for tag, attributes in read.elements
            if attributes.get("http-equiv") == "Content-Security-Policy"
        )
        wanted = "sha256-" + b64encode(sha256(read.script.encode()).digest()).decode()
        assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src '{wanted}'"
        assert read.script in OWN_SCRIPTS
        assert (read.script == SCRIPT) == (name != "papers/search.html")
    for script in OWN_SCRIPTS:
        for word in ("fetch", "XMLHttp", "eval", "innerHTML", "import", "document.write"):
            assert word not in script


def shown(text: str) -> str:
    """What is read on a page that shows this text, its formulas typeset."""
    return squeezed(Reader(prose(text)).text)


def test_everything_found_is_on_its_pages(document: dict[str, Any], site: dict[str, str], page: str) -> None:
    statements = " ".join(Reader(text).text for name, text in site.items() if name.startswith("papers/"))
    for text in (statements, Reader(page).text):
        for found in document["findings"]:
            for part in ("id", "where", "reading"):
                assert squeezed(found[part]) in text or part == "reading", (found["id"], part)
            for part in ("quote", "given", "note", "by", "summary", "scope", "resolution"):
                assert shown(found[part]) in text, (found["id"], part)
            for part in ("repro", "statement"):
                assert squeezed(found[part]) in text or shown(found[part]) in text, (found["id"], part)
            for item in found["evidence"]:
                assert shown(item.get("title", "") + item.get("text", "").split("\n\n")[0]) in text
                for series in item.get("series", ()):
                    assert shown(series["label"]) in text or not series["points"]
    first = Reader(site["index.html"]).text
    assert document["version"] in first
    assert squeezed(document["errors"][0]["error"]) in first


def test_text_stays_text(site: dict[str, str], page: str) -> None:
    """Mark-up and template commands in findings are shown, not obeyed: the parser meets no such element."""
    for text in [*site.values(), page]:
        read = Reader(text)
        assert read.count("style") == 1
        assert read.count("script") == 1 + bool(read.data)
        assert read.script in OWN_SCRIPTS
    assert "<script>alert(1)</script> </style> {{ 7 * 7 }}" in Reader(page).text
    assert '"<b>&amp;</b>"' in Reader(page).text  # a certificate's own text


def test_hostile_names_stay_in_their_folders() -> None:
    found = [
        MADE["finding"]("a", "REFUTED", id="../../x/a", paper="../../etc/passwd", where="../../../root"),
        MADE["finding"]("b", "REFUTED", id="CON/b", paper="con", where="\\\\server\\share <b>"),
        MADE["finding"]("c", "REFUTED", id="öä/c", paper="öä", where=""),
        MADE["finding"]("d", "REFUTED", id="üü/d", paper="üü", where=""),
    ]
    made = pages({**MADE["document"](), "findings": found})
    assert len(made) == 14  # the overview, the search, and of each finding its paper, its letter and its own page
    assert all(
        re.fullmatch(r"index\.html|(papers|refuted|claims)/[a-z0-9-]+\.html|claims/CON__b\.html", name) for name in made
    ), list(made)


def test_no_link_leads_where_scripts_run() -> None:
    """A paper's link is https or nothing: a document with another one is refused."""
    for link in ("javascript:alert(1)", "http://example.org", "data:text/html,x", "https://a b"):
        broken = MADE["document"]()
        broken["papers"]["made24"]["link"] = link
        with pytest.raises(ValueError, match=re.escape("papers.made24.link")):
            render(broken)


def test_all_verdicts_and_kinds_are_in_the_sample(document: dict[str, Any]) -> None:
    """The tests above say as much as their sample holds."""
    assert {found["verdict"] for found in document["findings"]} == set(Verdict)
    kinds = {item["kind"] for found in document["findings"] for item in found["evidence"]}
    assert kinds == set(schema()["$defs"]["evidence"]["properties"]["kind"]["enum"])
    parts = {part["kind"] for found in document["findings"] for part in found["parts"]}
    assert parts == {"words", "expression", "range", "formula", "where"}


def test_the_overview_says_the_most_important_first(site: dict[str, str]) -> None:
    read = Reader(site["index.html"], outside=PUBLISHED)
    said = [
        "13 statements of 2 papers",
        "Released arms of a single step against 8-GDP",  # the headline's picture, and its title
        "how many errors it has, by what breaks",
        "guarantees fail",
        "A Made-Up Paper about Private Bandits",
        "A. Author, B. Author. PROC 2024 · example.invalid/made24 · read in a draft",
        "1111 1 paper in which no error was found",  # 11 statements, a guarantee that fails, a refutation unsorted
        "odd99 2",
        "3 verdicts were unexpected.",
        "1 claim could not be checked because of an error.",
        "Guarantees that fail for those who rely on them",
        "instead twice the noise (made24/small-delta/repaired).",
        "What the words mean",
    ]
    places = [read.text.find(words) for words in said]
    assert -1 not in places, said[places.index(-1)]
    assert places == sorted(places)


def shows(found: dict[str, Any], certificate: Any) -> bool:
    return any(item.get("certificate") == certificate for item in found["evidence"])


def test_a_list_names_both_sides_of_what_fails(site: dict[str, str], document: dict[str, Any]) -> None:
    """As the formula has them, typeset, with the values that they have at the point; a formula that is too long for a
    list is on its own page."""
    said = "fails at δ = 0.1, ε = 2: 12 ≤Φ(−ε)+δ says 0.5 ≤ 0.12275, which is false"
    certificate = next(
        item["certificate"]
        for found in document["findings"]
        for item in found["evidence"]
        if item["kind"] == "certificate" and item["certificate"]["type"] == "formula"
    )
    assert [certificate[part] for part in ("left", "relation", "right")] == ["1 / 2", "<=", "ncdf(-eps) + delta"]
    for name in ("index.html", "papers/made24.html"):
        assert said in Reader(site[name], outside=PUBLISHED).text, name
    long = copy.deepcopy(next(found for found in document["findings"] if shows(found, certificate)))
    long["evidence"] = [{"kind": "certificate", "certificate": {**certificate, "left": "1 / 2" + " + 0 * eps" * 40}}]
    made = pages({**document, "findings": [long], "headlines": []})
    text = Reader(made["index.html"], outside=PUBLISHED).text
    assert "fails at δ = 0.1, ε = 2: its formula says 0.5 ≤ 0.12275, which is false" in text


def test_a_refutation_can_be_sent_to_its_authors(site: dict[str, str]) -> None:
    """On one page: statement, reading, counterexample, repair, certificate, and the line that re-checks it."""
    page = site["refuted/made24-theorem-7.html"]
    assert "satisfies <math><msqrt><mn>1</mn><mtext>/</mtext><mn>2</mn></msqrt></math>-GDP" in page
    text = Reader(page, outside=PUBLISHED).text
    for words in (
        "A Made-Up Paper about Private Bandits · A. Author, B. Author · PROC 2024 · example.invalid/made24 · "
        "read in a draft",
        "In short The mechanism M satisfies 1/2-GDP",  # the root is a mark-up, looked for above
        "What its authors say: the whole sentence",
        "Counterexample at δ = 0.1, ε = 2:",
        "So the claim says 0.5 ≤ 0.12275, which is false.",
        "Repairtwice the noise",
        "What holds instead proved Lemma 2 (arXiv: Lemma 3) made24/small-delta/repaired",
        "dpbandits verify certificates/made24__small-delta__printed.json",
        "dpbandits audit --claim made24/small-delta/printed",
    ):
        assert words in text, words


def test_statements_can_be_chosen_without_a_script(site: dict[str, str]) -> None:
    """Every choice has a rule that hides all statements but its own, and the counts beside the choices are true."""
    page = site["papers/made24.html"]
    read = Reader(page, outside=PUBLISHED)
    choices = [attributes for tag, attributes in read.elements if tag == "input" and attributes["type"] == "radio"]
    classes = [set(each["class"].split()) for _, each in read.elements if "claim" in each.get("class", "").split()]
    assert len(classes) == 11
    chosen = [each["id"] for each in choices if not each["id"].endswith("-all")]
    assert {name.partition("-")[0] for name in chosen} == {"v", "h", "s", "b", "r"}
    for name in chosen:
        assert f"body:has(#{name}:checked) .claim:not(.{name}) {{ display:none }}" in page
        beside = re.search(rf'id="{name}">[^<]*<span class="count">(\d+)</span>', page)
        assert beside is not None
        assert int(beside[1]) == sum(name in each for each in classes) > 0


@pytest.mark.thorough
def test_a_large_paper_lists_its_statements_and_each_has_a_page() -> None:
    """Nothing is lost, each row leads to the statement in full, and no page is large."""
    numbers = [MADE["table"](rows=40)]
    findings = [
        MADE["finding"](f"claim-{i}", "CONSISTENT", evidence=numbers, section=f"Section {i // 30}") for i in range(90)
    ]
    made = pages({**MADE["document"](), "findings": findings})
    own = {f"claims/made24__claim-{i}.html" for i in range(90)}
    assert set(made) == {"index.html", "papers/made24.html", "papers/search.html", *own}
    beside = {name: ids_of(text) for name, text in made.items()}
    assert all(Reader(text, name, beside, PUBLISHED).faults == [] for name, text in made.items())
    paper = Reader(made["papers/made24.html"])
    assert made["papers/made24.html"].count('class="claim row') == 90
    assert own <= {given.get("href", "").removeprefix("../") for tag, given in paper.elements if tag == "a"}
    (rows,) = json.loads(Reader(made["papers/search.html"]).data)["papers"]
    assert {f"claims/{row[0].replace('/', '__')}.html" for row in rows} == own  # the addresses that search.js makes
    assert {row[1] for row in rows} == {""}
    assert all(made[name].count('class="grid"') == 1 for name in own)
    assert max(len(text.encode()) for text in made.values()) < 400_000


SHEET = """/* a note { with braces } */
:root { --ink: #000 }
p, .seen > b, .unseen { margin: 0 }
@media print { .seen { color: red } .unseen { color: blue } }
@supports selector(::x) { @media screen { table.unseen td { top: 0 } } }
body:has(.filters input:checked) i:not(.unseen)::before, #main:focus { top: 1px }
"""


def test_a_page_has_only_the_rules_that_choose_something_on_it() -> None:
    assert used_rules(SHEET, {"seen"}, {"p", "b"}).splitlines() == [
        ":root { --ink:#000 }",
        "p, .seen > b { margin:0 }",
        "@media print {",
        ".seen { color:red }",
        "}",
        "#main:focus { top:1px }",
    ]
    everything = used_rules(SHEET, {"seen", "unseen"}, {"p", "b", "i", "table", "td"})
    assert all(words in everything for words in ("color:blue", "table.unseen td", "i:not(.unseen)::before"))
    # A browser adds the body of a table.
    assert used_rules(".seen tbody { margin: 0 }", {"seen"}, {"table", "tr"}) == ".seen tbody { margin:0 }\n"


def test_search_finds_a_page_for_every_claim(document: dict[str, Any], site: dict[str, str]) -> None:
    """From each page a form leads to the search, and the search to the page of each claim."""
    for name, text in site.items():
        forms = [attributes for tag, attributes in Reader(text).elements if tag == "form"]
        assert len(forms) == (name != "papers/search.html")
    index = json.loads(Reader(site["papers/search.html"]).data)
    rows = {row[0]: row for papers_rows in index["papers"] for row in papers_rows}
    assert rows.keys() == {found["id"] for found in document["findings"]}
    for found in document["findings"]:
        name, href, _, verdict, _, _, _, _, quote, _ = rows[found["id"]]
        page = f"papers/{href}" if href else f"papers/../claims/{name.replace('/', '__')}.html"
        assert normpath(page) in site
        assert (verdict, index["quotes"][quote]) == (found["verdict"], symbols(found["quote"]))


def test_ids_in_running_text_lead_to_their_claims() -> None:
    one = MADE["finding"]("one", "REFUTED", note="False, see `made24/two`. Not `made24/three`, nor made24/two.")
    two = MADE["finding"]("two", "PROVED", where="Lemma <2>")
    made = pages({**MADE["document"](), "findings": [one, two]})["claims/made24__one.html"]
    link = '<a href="../papers/made24.html#claim-made24/two" title="Lemma &lt;2&gt;: proved">made24/two</a>'
    assert f"{link}. Not <code>made24/three</code>, nor made24/two." in made


def test_what_follows_and_how_to_cite_stand_on_a_claims_page() -> None:
    one = MADE["finding"]("one", "PROVED", where="Lemma 1")
    two = MADE["finding"]("two", "PROVED", follows=["made24/one"])
    made = pages({**MADE["document"](), "findings": [one, two]})
    first, second = (Reader(made[f"claims/made24__{name}.html"]).text for name in ("one", "two"))
    assert re.search(
        "It follows from.*no other claim.*From it follow.*made24/two", made["claims/made24__one.html"], re.DOTALL
    )
    assert re.search(
        "It follows from.*made24/one.*From it follow.*no other claim", made["claims/made24__two.html"], re.DOTALL
    )
    assert "@misc{dpbandits-made24-one," in first
    assert "made24/one →" not in first
    assert "made24/two →" in first
    assert "←" not in first
    assert "← made24/one" in second
    assert "→" not in second


def test_a_citation_can_be_typeset() -> None:
    """A place may have characters that TeX reads otherwise: an index, a percent sign."""
    one = MADE["finding"]("one", "PROVED", where="Eq. (23), I_2 & 5%")
    text = unescape(pages({**MADE["document"](), "findings": [one]})["claims/made24__one.html"])
    assert r"title = {Eq. (23), I\_2 \& 5\% of ``" in text


def test_one_page_leads_to_no_other(page: str) -> None:
    """All that it links to of itself is on it."""
    links = [attributes["href"] for tag, attributes in Reader(page).elements if tag == "a" and "href" in attributes]
    assert any(link.startswith("#claim-") for link in links)
    assert not [link for link in links if link.split("#")[0].endswith(".html")]


@pytest.mark.thorough
def test_pictures_take_the_room_that_they_are_given() -> None:
    """What a page's findings are expected to take is no less than they take, so that no page is too large."""
    curves = [MADE["tradeoff"](1.0, 0.5, slack=0.01), MADE["profile"](1.0, 1.2), MADE["pulls"](), MADE["regret"]()]
    plain = MADE["finding"]("plain", "CONSISTENT")

    def size(*findings: dict[str, Any]) -> int:
        return len(
            re.sub("<style>.*?</style>", "", render({**MADE["document"](), "findings": findings}), flags=re.DOTALL)
        )

    least = size(plain)
    for place, each in enumerate(curves):
        drawn = MADE["finding"](f"claim-{place}", "CONSISTENT", evidence=[each])
        assert size(plain, drawn) - least <= html_size(drawn)


def test_a_document_without_findings() -> None:
    empty = {**MADE["document"](), "findings": [], "profile": {"name": "none"}}
    del empty["errors"]
    read = Reader(render(empty))
    assert read.faults == []
    assert "0 statements of 0 papers" in read.text
    assert "This run checked no claim." in read.text
    assert list(pages(empty)) == ["index.html"]


def test_a_certificate_is_shown_with_its_check(site: dict[str, str], page: str) -> None:
    assert "dpbandits verify certificates/made24__small-delta__printed.json" in site["papers/made24.html"]
    assert "certificates/" not in page  # a page that stands alone has no folder beside it,
    assert "dpbandits verify FILE" in page
    assert page.count("&#34;steps&#34;") == 2  # but its certificates as data
    assert "more lines" not in page


def test_several_certificates_are_told_apart() -> None:
    """By the names that the run gives them, quoted for a shell."""
    two = [MADE["certificate"]("made24/two", events=events) for events in (1, 2)]
    found = [
        MADE["finding"]("two", "REFUTED", evidence=two),
        *(MADE["finding"](name, "REFUTED", evidence=two[:1]) for name in ("two-2", "a/b", "a__b", "it's")),
    ]
    document = {**MADE["document"](), "findings": found}
    page = unescape(pages(document)["papers/made24.html"])
    shown = [shlex.split(line)[-1] for line in re.findall("dpbandits verify ([^<]+)", page)]
    assert shown[:4] == [f"certificates/made24__{name}.json" for name in ("two", "two-3", "two-2", "a__b")]
    assert sorted(shown) == sorted(f"certificates/{name}.json" for name in documents.certificates(document))
    assert len({*shown}) == 6


def test_a_laid_out_certificate_is_the_certificate() -> None:
    certificate = MADE["certificate"]("x", events=60)["certificate"]
    text, left_out = readable_certificate(certificate)
    assert left_out == 0
    assert json.loads(text) == certificate
    text, left_out = readable_certificate(MADE["certificate"]("x", events=1000)["certificate"])
    assert left_out > 500
    assert len(text.split("\n")) == 100


def test_a_claim_that_follows_is_linked(site: dict[str, str]) -> None:
    """To the claim it follows from, where that is in the report; otherwise the id is named without a link."""
    page = site["papers/made24.html"]
    part = page[page.index('<h3 id="claim-made24/composition"') :]
    part = part[: part.index("</article>")]
    assert '<a href="#claim-made24/single-step">' in part
    assert "<code>other99/elsewhere</code> (not in this report) (Lemma 1)" in part
    assert 'href="papers/made24.html#claim-made24/weak-privacy"' in site["index.html"]


# -- a user's own policy -------------------------------------------------------------------------------------


def own(name: str, verdict: str, **parts: Any) -> dict[str, Any]:
    about = {"test": f"test_mine.py::test_{name}", "subject": "Mine(arms=2)", "file": "test_mine.py", "line": 12}
    return MADE["finding"](
        f"lemma-3@test_{name}",
        verdict,
        own={**about, "seconds": 1.25},
        surprise=verdict == "REFUTED",
        harm="the guarantee that a user relies on fails",
        **parts,
    )


def test_a_report_about_an_own_policy_is_about_it() -> None:
    findings = [
        own("shrunk", "REFUTED", summary="mu is 1.5, not 1."),
        own("right", "CONSISTENT"),
        own("b", "PROVED"),
    ]
    page = render({**MADE["document"](), "findings": findings, "errors": []}, sources="../tests")
    read = Reader(page, outside=("./../tests/test_mine.py#L12",))
    assert read.faults == []
    assert page.count("mu is 1.5") + page.count("μ is 1.5") == 1  # said once
    for words in (
        "1 promise does not hold",
        "3 audits of Mine(arms=2): 2 passed",
        "first the policy or mechanism",
        "test_mine.py:12 · 1.25 s",
        "3 audits, 2 passed · 3.75 s",
    ):
        assert words in read.text, words
    assert '<p class="number">μ is 1.5, not 1.</p>' in render_text(findings)
    assert render_text(findings).count('<article class="case card"') == 1  # the surprise, once
    assert "papers claim" not in read.text
    assert "findings.json" not in read.text  # there is none beside it
    assert "follows_law, fits_law and replay return their findings to the test that called them" in read.text
    checked = own("law", "CONSISTENT")
    checked["own"]["file"] = ""  # of the battery, whose page shows the law among its checks
    assert "follows_law" not in render_text([checked])


def test_a_long_name_stands_in_full_once() -> None:
    name = f"Mine(table={list(range(500))})"
    finding = own("shrunk", "REFUTED", summary=f"{name}: mu is 1.5", statement=f"1-GDP [{name}]", parts=[])
    finding["own"]["subject"] = name
    page = render_text([finding])
    assert page.count("497, 498, 499") == 1
    assert ", ...): μ is 1.5</p>" in page or ", ...)</code>: μ is 1.5</p>" in page


def event_found() -> dict[str, Any]:
    """Data of a refutation by samples: how often the event came about, the inputs, and beginnings of transcripts."""
    certified = {"value": 1.5, "at": 0.0, "unit": "eps", "place": "delta", "side": "below", "method": "samples"}
    places = ("1 to 6", "7, left", "7, right", "8", "9", "10")
    return {
        "kind": "privacy",
        "hardest": 0,
        "instances": [],
        "neighbours": {
            "relation": "pull",
            "arms": 2,
            "stretches": [
                {"place": place, "rewards": ["0.5", str(k)], "side": place.partition(", ")[2]}
                for k, place in enumerate(places)
            ],
        },
        "event": {"left": 0.615, "right": 0.18675, "runs": 12000, "certified": certified | {"risk": 1e-9}},
        "beginnings": {
            "length": 2,
            "runs": 2800,
            "every": [
                {"released": "0, 1", "left": 0.5, "right": 0.4},
                {"released": "1, 1", "left": 0.2, "right": 0.6},
            ],
        },
    }


def test_a_card_has_the_test_the_verdict_the_number_the_event_and_the_inputs_before_all_else() -> None:
    """In this order, before any folded detail; the changed rows of the inputs come first."""
    finding = own("shrunk", "REFUTED", summary="samples certify eps 1.5, more than the claimed 1.", found=event_found())
    page = render_text([finding])
    start = page.index('<article class="case card"')
    card = page[start : page.index("<details", start)]
    said = Reader(card + "</article>").text
    parts = (
        "refuted",
        "test_mine.py::test_shrunk",
        "samples certify ε 1.5, more than the claimed 1.",
        "Mine(arms=2)",
        "in 61.5 % of 12000 runs on the left input, in 18.7 % on the right",
        "releases began with 1, 1 in 20 % against 60 % of 2800",
        "7, left",
        "7, right",
        "1 to 6",
        "2 more rows below",
        "test_mine.py:12",
    )
    places = [said.index(part) for part in parts]
    assert places == sorted(places), said


@pytest.mark.parametrize("name", ["x_hat^2", "sqrt(eps)", "delta", "Mine(arms=2, horizon=3)", "a < b & c"])
def test_names_of_users_code_are_never_typeset(name: str) -> None:
    """Not in a heading, a sentence or a table, whatever they look like; words about them are."""
    finding = own("shrunk", "REFUTED", where=name, quote=f"{name} is (1, 0)-DP at x_1.", summary=f"{name}: eps <= 1")
    finding["own"]["subject"] = name
    page = render_text([finding])
    kept = escape(name)
    assert f"<code>{kept}</code>: ε ≤ 1" in page
    assert f"Promised: <code>{kept}</code> is (1, 0)-DP at x₁." in page


def test_a_report_says_what_earlier_runs_found() -> None:
    """It takes that from the report that it overwrites; the same result again adds nothing."""
    document = {**MADE["document"](), "errors": []}

    def run(verdict: str, summary: str, before: str) -> str:
        findings = [own("shrunk", verdict, summary=summary, id="own/</script>@test")]
        return render(with_earlier({**document, "findings": findings}, before))

    first = run("CONSISTENT", "Nothing found.", "")
    assert "Earlier results" not in first
    assert run("CONSISTENT", "Nothing found.", first) == first
    second = run("REFUTED", "eps is 2.", first)
    assert re.search(r"Earlier results: <span title=\"Nothing found.\">.*consistent.*→.*refuted", second)
    third = run("REFUTED", "eps is 3.", second)
    assert "before: ε is 2." in third
    assert run("REFUTED", "eps is 3.", third) == third
    for broken in ("no report", '<script type="application/json" id="history">{</script>'):
        assert run("REFUTED", "eps is 3.", broken).count("Earlier results") == 0


def test_no_text_turns_around_what_stands_behind_it() -> None:
    made = render_text([own("shrunk", "REFUTED", summary="before \u202e after \u2067", where="\u2066x")])
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", made)
    assert r"before \x202e after \x2067" in made


def test_what_was_not_tested_is_no_broken_promise() -> None:
    idle = [own(verdict, verdict) | {"surprise": True} for verdict in ("NOT_EXERCISED", "NOT_APPLICABLE")]
    page = render_text(idle)
    assert "2 promises could not be tested</h1>" in page
    assert "Audit: 2 promises untested</title>" in page
    assert "Search in this order" not in page
    page = render_text([*idle, own("shrunk", "REFUTED")])
    assert "1 promise does not hold</h1>" in page
    assert "Search in this order" in page
    assert "An entry that is not refuted failed because it could not be tested" in page


def test_that_the_audit_can_see_is_shown_by_a_refutation_alone(document: dict[str, Any]) -> None:
    refuted, proved = (MADE["finding"](verdict, verdict, expect=[verdict]) for verdict in ("REFUTED", "PROVED"))
    sees = "Every statement that was expected to be refuted in this run was refuted"
    for findings, errors, shown in (
        ([refuted, proved], [], True),
        ([proved], [], False),
        ([refuted, proved], document["errors"], False),  # what could not be checked may be known to be false
    ):
        page = pages({**document, "findings": findings, "errors": errors})["index.html"]
        assert (sees in page) == shown
        assert ("this run does not show that the audit detects errors" in page) == (findings == [proved])


def test_what_was_not_refuted_is_not_said_to_hold(document: dict[str, Any]) -> None:
    refuted = MADE["finding"]("a/printed", "REFUTED")
    for verdict, more in (("PROVED", ""), ("CONSISTENT", ", or was not refuted")):
        repaired = MADE["finding"]("a/repaired", verdict, reading="repaired")
        made = pages({**document, "findings": [refuted, repaired], "headlines": []})
        (letter,) = (text for name, text in made.items() if name.startswith("refuted/"))
        assert f">What holds instead{more}</h2>" in letter


@pytest.mark.parametrize(
    ("head", "value", "told"),
    [
        (below("eps"), 1.23456789, "1.2345"),
        (above("eps"), 1.23451, "1.2346"),
        (below("eps"), -1.23456, "−1.2346"),
        (above("eps"), 9.99991, "10"),
        (above("eps"), 0.1, "0.1"),
        (nearest("eps"), 1.23456789, "1.2346"),
        (nearest("at least, by its heading alone"), 1.23456789, "1.2346"),
        (below("eps"), 3, "3"),
    ],
)
def test_a_bound_in_a_table_is_no_stronger_than_it_is(head: Column, value: float, told: str) -> None:
    table = table_item("t", ["instance", head], [["a", value]])
    page = render({**MADE["document"](), "findings": [MADE["finding"]("a", "PROVED", evidence=[table])]})
    assert f'<td class="n">{told}</td>' in page


def test_filters_count_the_claims_of_all_papers_on_the_page(document: dict[str, Any]) -> None:
    papers = "made24", "odd99", "odd99"
    found = [MADE["finding"](f"a{i}", "PROVED", paper=paper) for i, paper in enumerate(papers)]
    page = render({**document, "findings": found, "headlines": []})
    assert '<input type="radio" name="v" id="v-PROVED"> proved <span class="count">3</span>' in page


def render_text(findings: list[dict[str, Any]]) -> str:
    return render({**MADE["document"](), "findings": findings, "errors": []})


def test_a_title_tells_the_claim_from_the_instance() -> None:
    assert captioned("1-GDP claimed", "T = 50, K = 2") == '<span class="instance">T = 50, K = 2:</span> 1-GDP claimed'
    assert captioned("Privacy profile: x = 1") == "Privacy profile: x = 1"
    assert captioned("y", "x = <b>") == '<span class="instance">x = &lt;b&gt;:</span> y'


def test_a_battery_says_each_thing_once() -> None:
    """A check is called by its name, with what it looks for and what was found; the command that repeats all of them
    stands once, at the top."""
    checks = []
    for name in ("page law", "regret"):
        found = own(name.replace(" ", "_"), "REFUTED", summary=f"what {name} found: " + "more than fits over it, " * 20)
        found["own"]["test"], found["paper"] = name, "own"
        found["statement"], found["own"]["check"] = f"Mine(arms=2) passes the check {name}", True
        found["quote"], found["repro"] = f"It looks for faults of {name}.", "dpbandits check --page ou24 -- ./mine"
        checks.append(found)
    page = render_text(checks)
    read = Reader(page, outside=("./test_mine.py#L12",))
    assert read.faults == []
    assert read.text.count("dpbandits check --page ou24 -- ./mine") == 1
    assert re.findall(r"<h3 [^>]*>.*<code>(.*?)</code></h3>", page) == ["page law", "regret"]
    assert "passes the check" not in read.text
    for name in ("page law", "regret"):
        assert read.text.count(f"It looks for faults of {name}.") == read.text.count(f"what {name} found: ") == 1
    checks[1]["repro"] = "another"  # where each has its own, each says it
    assert render_text(checks).count("dpbandits check --page ou24 -- ./mine") == 1
    assert "To repeat all of it" not in render_text(checks)


def test_an_own_policy_without_a_fault() -> None:
    read = Reader(render_text([own("right", "CONSISTENT", resolution="0.3 in mu")]), outside=("./test_mine.py#L12",))
    assert read.faults == []
    assert "No violation found" in read.text
    assert "That is no proof" in read.text


# -- the same bytes each time --------------------------------------------------------------------------------


@pytest.mark.thorough
def test_pages_that_several_processes_make_of_the_same_document_are_the_same(
    document: dict[str, Any], site: dict[str, str]
) -> None:
    """In another order of its fields, too."""
    with parallel_config(backend="sequential"):
        asked: list[int] = []
        made = pages(json.loads(json.dumps(document, sort_keys=True)), jobs=2, first=lambda: asked.append(1), many=2)
    assert list(made.items()) == list(site.items())
    assert len(asked) > 1  # each share begins with what ends its process with ours


@pytest.mark.thorough
def test_the_page_depends_on_the_document_alone(page: str, tmp_path: Path) -> None:
    """Another process, another hash seed, and a matplotlibrc with other ideas: the same bytes."""
    (tmp_path / "matplotlibrc").write_text("axes.grid: False\nfont.size: 20\nsvg.fonttype: path\n")
    script = (
        "import runpy, sys, matplotlib\nfrom dpbandits.reports import render\n"
        "assert matplotlib.rcParams['font.size'] == 20\n"
        f"page = render(runpy.run_path({str(SAMPLE)!r})['document']())\n"
        "sys.stdout.buffer.write(page.encode())\n"
        "assert matplotlib.rcParams['font.size'] == 20\n"
    )
    settings = {**os.environ, "PYTHONHASHSEED": "7", "MATPLOTLIBRC": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, env=settings)
    assert done.stdout == page.encode()


# -- figures -------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_every_picture_has_a_title_words_and_no_fixed_colour(document: dict[str, Any], page: str) -> None:
    drawn = re.findall(r'<svg [^>]*role="img".*?</svg>', page, flags=re.S)
    wanted = sum(
        item["kind"] in PICTURED and bool(figures.draw(item, "x").svg)
        for found in document["findings"]
        for item in found["evidence"]
    )
    assert len(drawn) == wanted + 1 > 6  # the overview begins with one of them
    read = Reader(page)
    for tag, attributes in read.elements:
        if tag == "svg" and attributes.get("role") == "img":
            assert {"aria-labelledby", "aria-describedby"} <= set(attributes)
    for drawing in drawn:
        for colour in re.findall(r"(?:fill|stroke): ([^;\"]*)", drawing):
            assert re.fullmatch(r"none|var\(--[a-z0-9-]+\)", colour), colour
        assert "DejaVu" not in drawing


def test_every_variable_of_a_drawing_is_in_the_style() -> None:
    for variable in vector.VARIABLES.values():
        name = variable.removeprefix("var(").removesuffix(")")
        assert len(re.findall(rf"^\s*{name}: #", STYLE, flags=re.M)) == 2, f"{name}: once light, once dark"


@pytest.mark.parametrize("below", [True, False])
def test_the_shade_lies_on_the_side_that_a_claim_excludes(below: bool) -> None:
    axes = Figure().add_subplot()
    axes.set_ylim(-1.0, 3.0)
    figures.draw_claimed_curve(axes, np.array([[0.0, 1.0], [1.0, 0.5]]), below)
    corners = axes.patches[0].get_xy()
    assert {tuple(corner) for corner in corners} == {(0, 1), (1, 0.5), *((x, -1.0 if below else 3.0) for x in (0, 1))}


def markers(drawing: str) -> list[tuple[float, float]]:
    """Where the last kind of marker of a drawing stands; y grows downwards."""
    uses = re.findall(r'<use href="#([^"]+)" x="([^"]+)" y="([^"]+)"', drawing)
    return [(float(x), float(y)) for name, x, y in uses if "var(--certified)" in marker_style(drawing, name)]


def marker_style(drawing: str, name: str) -> str:
    found = re.search(rf'<path [^>]*id="{name}"[^>]*>', drawing)
    return found[0] if found else ""


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("T^4 and 2^{20} at 1e-06", "T⁴ and 2²⁰ at 10⁻⁶"),
        ("10^-18 (a+b)^2. 2^24, 7.5e+07 pulls", "10⁻¹⁸ (a+b)². 2²⁴, 7.5\u202f×\u202f10⁷ pulls"),
        ("s_{M_1+1}, sigma_2, S_10", "s_{M₁+1}, σ₂, S₁₀"),
        # No number alone, or no index: these stay as they are.
        ("x^2.5 x^2y e^{-x} file_1 0x1e5 12e3 `2^4`", "x^2.5 x^2y e^{-x} file_1 0x1e5 12e3 2^4"),
    ],
)
def test_powers_and_indices_are_set_as_such(written: str, read: str) -> None:
    assert symbols(written) == read


def test_points_stand_where_their_numbers_say() -> None:
    """Certified points (0, 0), (1, 1) and (1/4, 1/2): the third lies a quarter along, and half-way up."""
    item = {"kind": "tradeoff", "title": "", "claimed": [], "exact_low": [], "exact_high": []}
    ends = [(0.0, 0.0), (1.0, 1.0), (0.25, 0.5)]
    item["points"] = [{"alpha": a, "beta": b, "alpha_upper": a, "beta_upper": b} for a, b in ends]
    places = markers(figures.draw(item, "x").svg)
    (x0, y0), (x, y), (x1, y1) = places[-3:]  # in order of alpha
    assert x0 < x1
    assert y0 > y1
    within = 0.02  # coordinates are written with two decimals
    assert x == pytest.approx(x0 + (x1 - x0) / 4, abs=within)
    assert y == pytest.approx((y0 + y1) / 2, abs=within)
    assert x1 - x0 == pytest.approx(y0 - y1, abs=within)


def traced(drawing: str, paint: str) -> list[tuple[float, float]]:
    """The corners of the first path in the frame that is painted so."""
    path = next(
        attributes["d"]
        for tag, attributes in Reader(drawing).elements
        if tag == "path" and "clip-path" in attributes and paint in attributes["style"]
    )
    numbers = [float(part) for part in re.findall(r"-?[\d.]+", path)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def there_and_back(corners: list[tuple[float, float]]) -> bool:
    """Whether a band runs along one curve and back along the other, so that it is filled between them."""
    x = [corner[0] for corner in corners]
    turn = x.index(max(x))
    return x[: turn + 1] == sorted(x[: turn + 1]) and x[turn:] == sorted(x[turn:], reverse=True)


def test_a_curve_runs_where_its_numbers_say() -> None:
    """On a logarithmic axis exp(-x) is a straight line, from corner to corner of what it spans."""
    grid = [i / 10 for i in range(101)]
    item = {"kind": "profile", "title": "", "exact_low": [], "exact_high": [], "points": []}
    item["claimed"] = [[x, math.exp(-x)] for x in grid]
    item["exact_low"] = item["exact_high"] = [[x, math.exp(-2 * x)] for x in grid]
    drawing = figures.draw(item, "x").svg
    ends = {}
    for variable in ("--claimed", "--exact"):
        corners = traced(drawing, f"stroke: var({variable})")
        (x0, y0), (x1, y1) = ends[variable] = corners[0], corners[-1]
        for x, y in corners:
            assert y == pytest.approx(y0 + (x - x0) * (y1 - y0) / (x1 - x0), abs=0.5)  # half a point
    (_, top), (_, one) = ends["--claimed"]
    (_, same), (_, two) = ends["--exact"]
    assert same == top
    assert two - top == pytest.approx(2 * (one - top), abs=0.05)  # two decimals each


def test_a_delta_of_zero_is_said_in_words() -> None:
    """It lies below any logarithmic axis; the words say from where on, of each curve that gets there."""
    item = {"kind": "profile", "title": "", "points": [], "exact_low": [[0, 0.2], [1, 0], [2, 0]]}
    item |= {"claimed": [[0, 0.5], [1, 0.1], [2, 0]], "exact_high": item["exact_low"]}
    drawn = figures.draw(item, "x")
    assert drawn.name == "x"
    assert "The claimed δ is 0 from ε = 2 on, below any logarithmic axis." in drawn.words
    assert "The exact δ is 0 from ε = 1 on, below any logarithmic axis." in drawn.words
    kept = figures.draw(item | {"claimed": [[0, 0.5], [1, 0.1]], "exact_low": [], "exact_high": []}, "x")
    assert "is 0 from" not in kept.words


def test_what_a_run_may_not_see_is_a_band() -> None:
    """Between the claimed curve and the mildest violation that would have been seen, both with their numbers."""
    grid = [k / 50 for k in range(51)]
    item = {"kind": "tradeoff", "title": "", "exact_low": [], "exact_high": [], "points": []}
    item |= {"claimed": [[a, 1 - a] for a in grid], "resolved": [[a, (1 - a) ** 3] for a in grid]}
    with_band, without = figures.draw(item, "a"), figures.draw(item | {"resolved": []}, "a")
    assert "violations that this run may not see" in [key.label for key in with_band.legend]
    assert "may not see" not in str(without.legend)
    assert "reaches down to β = 0.8577 there" in with_band.words
    assert [row[0] for row in with_band.rows].count("resolved") > 3
    assert with_band.svg.count("<path") == without.svg.count("<path") + 2
    assert there_and_back(traced(with_band.svg, "fill: var(--certified)"))


def test_a_band_may_reach_down_to_zero() -> None:
    """Where the lower end of the exact delta is 0, the band goes down out of the frame and is not cut short."""
    grid = [i / 10 for i in range(11)]
    item = {"kind": "profile", "title": "", "claimed": [], "points": []}
    item["exact_low"] = [[x, 0.1 if x < 0.5 else 0.0] for x in grid]
    item["exact_high"] = [[x, 0.2] for x in grid]
    drawing = figures.draw(item, "x").svg
    frame = next(attributes for tag, attributes in Reader(drawing).elements if tag == "rect")
    left, bottom = float(frame["x"]), float(frame["y"]) + float(frame["height"])
    corners = traced(drawing, "fill: var(--exact)")
    below = [x for x, y in corners if y > bottom]
    width = float(frame["width"]) / 1.03  # the axis ends 3 % after the data
    assert min(below) == pytest.approx(left + 0.5 * width, abs=0.05)
    assert max(below) == pytest.approx(left + width, abs=0.05)
    assert there_and_back(corners)


@pytest.mark.parametrize("log", [False, True])
def test_thinning_keeps_the_shape(log: bool) -> None:
    """Every point of the curve stays within half a point of the thinned one, and many points go."""
    with vector.drawing():
        _, axes = vector.canvas(300, 200)
        axes.set(xscale="log" if log else "linear", yscale="log" if log else "linear")
        axes.set(xlim=(0.01, 1), ylim=(0.01, 1))
        x = np.linspace(0.01, 1, 400)
        curve = np.column_stack([x, 0.02 + 0.9 * np.sin(3 * x) ** 2])
        thin = thin_curve(axes, curve)
        whole, corners = axes.transData.transform(curve), axes.transData.transform(thin)
    assert len(thin) < len(curve) / 2
    dots_per_point = 100 / 72  # transData measures in dots, of which a figure has 100 to the inch
    between = np.interp(whole[:, 0], corners[:, 0], corners[:, 1])
    slope = np.abs(np.gradient(whole[:, 1], whole[:, 0]))
    assert (np.abs(between - whole[:, 1]) / np.hypot(1, slope)).max() < 0.5 * dots_per_point


def test_a_trade_off_says_in_words_what_lies_lowest() -> None:
    item = {
        "kind": "tradeoff",
        "title": "",
        "claimed": [[0, 1], [1, 0]],
        "exact_low": [],
        "exact_high": [],
        "points": [
            {"alpha": 0.4, "beta": 0.5, "alpha_upper": 0.5, "beta_upper": 0.6},
            {"alpha": 0.1, "beta": 0.2, "alpha_upper": 0.2, "beta_upper": 0.3},
        ],
    }
    drawn = figures.draw(item, "x")
    assert "2 certified points." in drawn.words
    assert "has α = 0.2 and β = 0.3, where the claimed curve has 0.8." in drawn.words
    assert ("certified", 0.2, 0.3) in drawn.rows


def test_what_a_profile_says_in_words() -> None:
    """All of it, and the numbers of its table; a certified point above the exact curve is about another pair."""
    item: dict[str, Any] = {"kind": "profile", "title": "", "exact_low": [], "exact_high": []}
    item["claimed"], item["points"] = [[0, 0.5], [1, 0.1], [2, 0.05]], []
    first = "The smallest δ against ε; δ on a logarithmic axis."
    falls = "The claimed curve falls from 0.5 at ε = 0 to 0.05 at ε = 2."
    assert figures.draw(item, "x").words == f"{first} {falls}"
    alone = figures.draw(item | {"claimed": [[1, 0.1]]}, "x")
    assert alone.words == f"{first} Claimed: δ = 0.1 at ε = 1."
    item["exact_low"], item["exact_high"] = [[0, 0.3], [1, 0.02], [2, 0.01]], [[0, 0.4], [1, 0.04], [2, 0.02]]
    exact = "At ε = 1 the exact δ lies between 0.02 and 0.04."
    for lower, others in ((0.29, False), (0.21, False), (0.23, True)):
        eps = 0.0 if lower == 0.29 else 0.5  # where the exact curve is at most 0.22
        drawn = figures.draw(item | {"points": [{"eps": eps, "delta_lower": lower}]}, "x")
        said = "Those above the exact curve are about another pair of inputs than the one that it belongs to."
        assert drawn.words == " ".join([first, falls, exact, "1 certified lower bound.", *[said] * others])
        assert drawn.columns == columns_of(("curve", "ε", "δ", below("low"), above("high")))
        assert drawn.rows == (
            ("claimed", 0.0, 0.5, None, None),
            ("claimed", 1.0, 0.1, None, None),
            ("claimed", 2.0, 0.05, None, None),
            ("exact", 0.0, None, 0.3, 0.4),
            ("exact", 1.0, None, 0.02, 0.04),
            ("exact", 2.0, None, 0.01, 0.02),
            ("certified, at least", eps, lower, None, None),
        )
        assert [key.label for key in drawn.legend] == [
            "claimed; nothing may lie in the shaded part",
            "exact curve of one pair of inputs",
            "certified lower bound",
        ]


def test_what_a_trade_off_says_in_words() -> None:
    item: dict[str, Any] = {"kind": "tradeoff", "title": "", "claimed": [[0, 1], [1, 0]], "points": []}
    item["exact_low"], item["exact_high"] = [[0, 0.9], [1, 0]], [[0, 0.95], [1, 0]]
    assert figures.draw(item, "x").words == (
        "Type II error β against type I error α. The claimed curve has β = 0.95 at α = 0.05. "
        "The exact curve there lies between 0.855 and 0.9025. "
        "At α = 0 the exact curve has β = 0.95, and the claimed curve 1."
    )
    hidden = figures.draw(item | {"claimed": [[1e-10, 1e-10]], "exact_low": [[1e-3, 1e-3]], "exact_high": []}, "x")
    assert hidden.words == (
        "Type II error β against type I error α, on logarithmic axes. The claimed curve has β = 10⁻¹⁰ at "
        "α = 0.05. It runs below everything that is shown."
    )
    assert "claimed" not in str(hidden.legend)


def test_curves_too_close_to_the_corner_are_drawn_on_logarithmic_axes() -> None:
    assert "on logarithmic axes" not in figures.draw(MADE["tradeoff"](1.0, 1.0), "x").words
    item = {"kind": "tradeoff", "title": "", "exact_low": [], "exact_high": [], "points": []}
    item["claimed"] = [[10**-k, MADE["beta"](10**-k, 8.0)] for k in (0, 1, 2, 3, 4, 5, 6, 7, 8)]
    assert "on logarithmic axes" in figures.draw(item, "x").words


def test_what_cannot_be_drawn_is_said() -> None:
    lines = {"kind": "lines", "title": "", "x": "time", "y": "regret", "log_x": False, "log_y": True}
    lines["series"] = [{"label": "one", "points": [[1, 0], [2, -1], [3, 4], [4, None]], "style": "other"}]
    drawn = figures.draw(lines, "x")
    assert "2 points at or below zero cannot be shown on a logarithmic axis." in drawn.words
    lines["series"] = []
    assert figures.draw(lines, "x").svg == ""
    profile = {"kind": "profile", "title": "", "exact_low": [], "exact_high": [], "points": []}
    profile["claimed"] = [[0, 0.5], [1, 0]]
    assert "The claimed δ is 0 from ε = 1 on" in figures.draw(profile, "x").words


@pytest.mark.parametrize("huge", [1.7e308, -1e300, 10**299, 1e151])
@pytest.mark.first(2)
def test_numbers_beyond_any_axis_lose_no_report(huge: float) -> None:
    row = {"label": "x", "mean": 0.0, "low": 0.0, "high": 2.0, "bound": huge, "ratio": 0.0, "trials": 10}
    drawn = figures.draw({"kind": "regret", "title": "", "rows": [row]}, "x")
    assert (drawn.svg, "too large for any axis" in drawn.words) == ("", True)
    assert figures.draw({"kind": "regret", "title": "", "rows": [{**row, "bound": 1e149}]}, "x").svg


@pytest.mark.parametrize("cells", [[["", ""]], [["", ""], [""]], [["", ""], ["", ""], ["", ""]]])
def test_a_matrix_has_a_cell_for_each_name_and_column(cells: list[list[str]]) -> None:
    item = {"kind": "matrix", "title": "M", "of": "reading", "names": ["one", "other"], "columns": ["a", "b"]}
    found = MADE["finding"]("claim-1", "PROVED", evidence=[{**item, "cells": cells}])
    with pytest.raises(
        ValueError, match=r"\(made24/claim-1\), evidence\[0\].cells: expected a row for each of the 2 names"
    ):
        render({**MADE["document"](), "findings": [found]})


def test_a_matrix_says_what_fails_where():
    item = {"kind": "matrix", "title": "M", "of": "reading", "names": ["one", "other"], "columns": ["a", "b"]}
    found = MADE["finding"]("claim-1", "PROVED", evidence=[{**item, "cells": [["", "K = 3"], ["", ""]]}])
    page = render({**MADE["document"](), "findings": [found]})
    cells = re.findall(r"<t[hd][^>]*>([^<]*|<[bi]>\w+</[bi]>)</t[hd]>", page[page.index('class="lattice"') :])[:9]
    assert cells == [
        "reading",
        "1",
        "2",
        "one",
        "<i>holds</i>",
        "<b>fails</b>",
        "other",
        "<i>holds</i>",
        "<i>holds</i>",
    ]


def test_a_table_of_numbers_follows_each_picture() -> None:
    drawn = figures.draw(MADE["pulls"](), "x")
    assert drawn.columns == columns_of(("series", "round", "pseudo-regret", below("low"), above("high")))
    assert {row[0] for row in drawn.rows} >= {"claimed bound", "exact, b = 0", "certified", "b = 500"}
    assert [key.label for key in drawn.legend][:3] == ["claimed bound", "exact, b = 0", "certified"]
    looks = [(key.colour, key.dash) for key in drawn.legend]
    assert len(set(looks)) == len(looks), "two series look the same"


def test_a_table_begins_with_its_verdicts() -> None:
    """A narrow screen shows a table's first column."""
    rows = [["one", 1, "PROVED"], ["two", 2, "REFUTED"]]
    found = MADE["finding"]("claim-1", "PROVED", evidence=[table_item("T", ["instance", "n", "verdict"], rows)])
    page = render({**MADE["document"](), "findings": [found]})
    cells = re.findall(r"<t[hd](?: [^>]*)?>(?:<[^>]+>)?([^<]*)", page[page.index("<caption>T</caption>") :])[:9]
    assert cells == ["verdict", "instance", "n", "proved", "one", "1", "refuted", "two", "2"]


def test_long_settings_are_numbered() -> None:
    """Settings whose names do not fit beside the axis would look alike when cut: the figure numbers them."""
    drawn = figures.draw(MADE["regret"](), "x")
    assert drawn.columns[:2] == columns_of(("row", "setting"))
    assert [row[0] for row in drawn.rows] == ["1", "2", "3", "4", "5"]
    assert re.findall(r">(row \d)<", drawn.svg) == ["row 1", "row 2", "row 3", "row 4"]  # the fifth was not run
    short = {**MADE["regret"](), "rows": MADE["regret"]()["rows"][:2]}
    drawn = figures.draw(short, "x")
    assert drawn.columns[0].name == "setting"
    assert ">b = 0, c = 1<" in drawn.svg


def test_dollars_in_a_label_are_no_mathematics() -> None:
    """Two dollars would make matplotlib typeset what stands between them, and fail on what is no formula."""
    item = {"kind": "lines", "title": "", "x": "$\\frac{$", "y": "$a$ and $b$", "log_x": False, "log_y": False}
    item["series"] = [{"label": "$", "points": [[0, 1], [1, 2]], "style": "other"}]
    assert "$a$ and $b$" in figures.draw(item, "x").svg


# -- colours -------------------------------------------------------------------------------------------------


def palettes() -> dict[str, dict[str, str]]:
    """The colours of both modes: the dark block replaces what it names."""
    light, dark = re.findall(r":root \{(.*?)\}", STYLE, flags=re.S)
    named = [dict(re.findall(r"--([A-Za-z0-9_-]+): (#[0-9a-f]{6});", block)) for block in (light, dark)]
    assert set(named[0]) == set(named[1])
    return {"light": named[0], "dark": named[1]}


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2: relative luminances, each with 0.05 for stray light."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_can_be_read(mode: str) -> None:
    """4.5 to 1, what WCAG 2 (level AA) asks of text, on both backgrounds; 3 to 1 for drawn lines."""
    colours = palettes()[mode]
    for name in ("ink", "muted", "link", *Verdict):
        for ground in ("paper", "raised"):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
    for name in ("claimed", "exact", "certified", "other-1", "other-2", "other-3", "other-4"):
        assert contrast(colours[name], colours["paper"]) >= 3, name


def test_contrast_of_black_and_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)  # 1.05 / 0.05


# -- words and numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        (0.0, "0"),
        (-3, "−3"),
        (2024, "2024"),
        (100000, f"100{THIN}000"),
        (1e5, f"100{THIN}000"),
        (0.5, "0.5"),
        (-0.25, "−0.25"),
        (1.0, "1"),
        (3.14159265, "3.142"),
        (123456.7, f"123{THIN}457"),
        (0.00012345, "0.0001234"),
        (1e-6, "10⁻⁶"),
        (-1e-6, "−10⁻⁶"),
        (1.5e-7, f"1.5{THIN}×{THIN}10⁻⁷"),
        (2.5e30, f"2.5{THIN}×{THIN}10³⁰"),
        (9.99999, "10"),
        (999449.4, f"999{THIN}449"),
        (999999.4, "10⁶"),
        (1234567.0, f"1.235{THIN}×{THIN}10⁶"),
        (-0.000099, f"−9.9{THIN}×{THIN}10⁻⁵"),
        (0.0001, "0.0001"),
        (9999, "9999"),
        (-12345678, f"−12{THIN}345{THIN}678"),
        (10**6, f"1{THIN}000{THIN}000"),
        ("4.88", "4.88"),
    ],
)
def test_numbers(value: Any, text: str) -> None:
    assert format_number(value) == text


def test_numbers_of_other_digits() -> None:
    assert [format_number(12345.678, digits) for digits in (2, 5, 7)] == [
        f"12{THIN}346",
        f"12{THIN}346",
        f"12{THIN}345.68",
    ]
    assert [format_number(12345678.0, digits) for digits in (2, 9)] == [f"1.2{THIN}×{THIN}10⁷", f"12{THIN}345{THIN}678"]


def test_powers_of_ten_on_an_axis() -> None:
    assert [format_power(10.0**k) for k in (-6, -2, 0, 1, 3)] == ["10⁻⁶", "10⁻²", "1", "10", "10³"]
    assert format_power(0.02) == "0.02"


def test_short_texts() -> None:
    assert shorten_text("one two", 7) == "one two"
    assert shorten_text("one two three", 9) == "one two …"
    assert shorten_text("x" * 20, 10) == "x" * 10 + " …"
    assert shorten_text("one `two three` four", 12) == "one …"
    assert shorten_text("as in (`two three`) four", 14) == "as in …"


@pytest.mark.parametrize(
    ("length", "kept"),
    [
        (21, "Abc def. Ghi jkl. Mno"),
        (20, "Abc def. Ghi jkl."),
        (18, "Abc def. Ghi jkl."),
        (17, "Abc def. Ghi jkl."),
        (16, "Abc def."),
        (9, "Abc def."),
        (8, "Abc def."),
        (7, "Abc …"),
    ],
)
def test_as_many_sentences_as_fit(length: int, kept: str) -> None:
    assert sentences("Abc def.\nGhi jkl.\nMno", length) == kept


def test_a_first_sentence_of_a_few_words_is_not_all_that_is_said() -> None:
    """Of less than a quarter of the room."""
    text = "Abc.\nDefghi jklmn opqrst"
    assert sentences(text, 15) == "Abc."
    assert sentences(text, 16) == "Abc. Defghi …"
    assert sentences("Abc no. Defg and so on", 15) == "Abc no. Defg …"  # only a line ends a sentence


def test_the_glossary_knows_every_verdict() -> None:
    assert set(VERDICTS) == set(Verdict) == set(schema()["$defs"]["verdict"]["enum"])


def test_the_bases_are_those_of_the_ledger() -> None:
    listed = schema()["$defs"]["finding"]["properties"]["rests_on"]["items"]["enum"]
    assert list(BASES) == list(Basis) == listed


def test_the_tally(document: dict[str, Any]) -> None:
    sums = tally(document["findings"])
    assert sums.total == len(document["findings"]) == sum(count for _, count in sums.counts)
    assert [found["id"] for found in sums.refuted_as_expected] == ["made24/small-delta/printed"]
    guarantee, unsorted = sums.harms
    assert (dict(guarantee.counts), guarantee.total, guarantee.folded) == ({"made24": 1}, 1, False)
    assert [(group.where, group.fault) for group in guarantee.groups] == [("Theorem 7", "direction")]
    assert [group.findings[0]["id"] for group in unsorted.groups] == ["made24/regret"]
    assert [found["id"] for found in sums.missing] == ["made24/control"]
    assert list(papers(document["findings"])) == ["made24", "odd99"]


@pytest.mark.thorough
def test_an_error_told_twice_is_counted_once_and_says_where_it_is_told(site: dict[str, str]) -> None:
    twice = MADE["document"]()
    again = next(found for found in twice["findings"] if found["id"] == "made24/regret")
    again |= {"fault": "direction", "harm": "a number is off", "same_error_as": "made24/small-delta/printed"}
    made = pages(twice)
    assert "2 are false (1 distinct error)" in Reader(made["index.html"], outside=PUBLISHED).text
    said = [name for name, page in made.items() if "The same error as <a" in page]
    assert len(said) == 3, "the overview, the paper's page, and the claim's"
    assert said[0] == "index.html"
    assert "distinct error" not in site["index.html"]


# -- documents that are wrong --------------------------------------------------------------------------------


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())


def put(path: tuple[Any, ...], value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return change


def drop(path: tuple[Any, ...]) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        for step in path[:-1]:
            document = document[step]
        del document[path[-1]]

    return change


FIRST = ("findings", 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put(("schema",), 2), ["their schema is 2", "reads 5; repeat the audit", "dpbandits audit --out"]),
        (put(("schema",), "5"), ["schema", "5 was expected"]),
        (drop(("seed",)), ["'seed' is a required property"]),
        (put(("risk",), 0), ["risk", "statistical refutation"]),
        (put((*FIRST, "verdict"), "TRUE"), ["findings[0] (made24/single-step), verdict", "'TRUE'", "'PROVED'"]),
        (drop((*FIRST, "quote")), ["findings[0] (made24/single-step)", "'quote' is a required property"]),
        (put((*FIRST, "colour"), "red"), ["findings[0] (made24/single-step)", "'colour' was unexpected"]),
        (put((*FIRST, "id"), "two words"), ["findings[0] (two words), id", "page/statement"]),
        (put((*FIRST, "surprise"), "yes"), ["(made24/single-step), surprise", "'boolean'"]),
        (put((*FIRST, "evidence", 0, "kind"), "film"), ["evidence[0].kind", "'film'", "'tradeoff'"]),
        (drop((*FIRST, "evidence", 0, "points")), ["evidence[0]: 'points' is a required property"]),
        (
            put((*FIRST, "evidence", 0, "points", 2, "beta"), "small"),
            ["(made24/single-step), evidence[0].points[2].beta", "'small' is not of type 'number', 'null'"],
        ),
        (put((*FIRST, "evidence", 0, "claimed", 3), [1]), ["evidence[0].claimed[3]", "too short"]),
        (
            put((*FIRST, "evidence", 0, "claimed", 3), [0.5, float("nan")]),
            ["(made24/single-step), evidence[0].claimed[3][1]", "nan is not a JSON number", "write null"],
        ),
        (put(("profile", "trials"), float("inf")), ["profile.trials", "inf is not a JSON number"]),
        (put((*FIRST, "evidence", 2, "rows", 1), [1, 2]), ["evidence[2].rows[1]", "2 cells", "6 columns"]),
        (put(("findings", 1, "id"), "made24/single-step"), ["'made24/single-step' appears 2 times"]),
        (put(("findings", 5, "evidence", 1, "series", 1, "low"), [1]), ["series[1].low", "1 values", "5 points"]),
    ],
)
@pytest.mark.first(6)
def test_errors_say_what_is_wrong_and_where(
    document: dict[str, Any], change: Callable[[dict[str, Any]], None], said: list[str]
) -> None:
    broken = copy.deepcopy(document)
    change(broken)
    with pytest.raises(ValueError, match=r"^findings: ") as error:
        render(broken)
    for words in said:
        assert words in str(error.value)


def test_what_json_cannot_hold_is_named(document: dict[str, Any]) -> None:
    broken = copy.deepcopy(document)
    put((*FIRST, "summary"), {1, 2})(broken)
    with pytest.raises(ValueError, match=r"^findings is not JSON data"):
        render(broken)


@pytest.mark.parametrize("nonsense", [None, [], "findings", {"findings": 3}, {"findings": [None]}])
def test_nonsense_is_an_error(nonsense: Any) -> None:
    with pytest.raises(ValueError, match="findings: "):
        render(nonsense)


def test_many_faults_are_not_all_listed(document: dict[str, Any]) -> None:
    broken = copy.deepcopy(document)
    for found in broken["findings"]:
        del found["by"], found["note"]
    with pytest.raises(ValueError, match="and 18 more"):
        validate_document(broken)


@pytest.mark.thorough
def test_tuples_are_lists(document: dict[str, Any]) -> None:
    """A document fresh from the audit may hold tuples and enums, which JSON writes as lists and strings."""
    fresh = {**copy.deepcopy(document), "findings": copy.deepcopy(document["findings"][:2]), "headlines": []}
    page = render(fresh)
    fresh["findings"] = tuple(fresh["findings"])
    fresh["findings"][0]["verdict"] = Verdict(fresh["findings"][0]["verdict"])
    assert render(fresh) == page


def test_every_claim_has_an_address_that_does_not_hang_on_the_others(document: dict[str, Any]) -> None:
    site = pages(document)
    beside = {name: ids_of(page) for name, page in site.items()}
    lasting = {f["id"]: f for f in document["findings"] if ADDRESS.fullmatch(f["id"])}
    assert len(lasting) > 5
    for each, finding in list(lasting.items())[:2]:
        name = f"claims/{stem(each)}.html"
        text = Reader(site[name], name, beside).text
        assert finding["statement"].startswith(("Claim: ", "Not checked: ")) or squeezed(finding["statement"]) in text
        assert finding["where"] in text
        alone = pages({**document, "findings": [finding], "headlines": []})
        assert [page for page in alone if page.startswith("claims/")] == [name]


@pytest.mark.parametrize("odd", ["../../etc", "a/../b", "a/.hidden", "a//b", "a b/c", "a/b/", "/a/b", "a"])
def test_an_id_that_is_no_name_has_no_address(odd: str) -> None:
    assert not ADDRESS.fullmatch(odd)


def letter_of(*findings: dict[str, Any]) -> str:
    made = pages({**MADE["document"](), "findings": list(findings), "headlines": []})
    (name,) = [name for name in made if name.startswith("refuted/")]
    return Reader(made[name], outside=PUBLISHED).text.partition("To check this without trusting it")[0]


def test_nobody_is_told_to_be_wrong_who_may_have_meant_something_else() -> None:
    """A letter begins with what its authors said, where that is false; else it says that it is so to the letter."""
    number, harmless = (str(harm) for harm in (Harm.NUMBER, Harm.NONE))
    printed = MADE["finding"]("a", "REFUTED", harm=harmless, note="A slip.", repair="one more.")
    letter = MADE["finding"]("b", "REFUTED", reading="to the letter", harm=number, note="As it stands, off. See there.")
    alone = letter_of(letter)
    assert "False in its literal reading; the authors may mean something else: a number is off." in alone
    both = letter_of(letter, printed)
    assert "False: nothing breaks." in both
    assert "What followsA slip." in both
    assert "Repairone more." in both
    assert "ConsequenceAs it stands, off. See there." in both
    assert both.index("made24/b") < both.index("made24/a")  # then by harm


def test_no_note_is_lost_to_a_letter_that_begins_without_one() -> None:
    silent = MADE["finding"]("a", "REFUTED", harm=str(Harm.NUMBER))
    spoken = MADE["finding"]("b", "REFUTED", reading="to the letter", harm=str(Harm.NONE), note="Nothing hangs on it.")
    assert "Nothing hangs on it." in letter_of(silent, spoken)


def test_a_theorem_is_printed_once_and_linked_from_the_papers_page(document: dict[str, Any]) -> None:
    """In full on the claim's own page; on the only page of a report that is one page."""
    said = "ou24/remark-2/can-be-tightened"
    theorem = {"name": "x", "file": "x.v", "checked": True}
    finding = {**MADE["finding"]("a", "PROVED"), "id": said, "theorem": theorem}
    alone = {**document, "findings": [finding], "errors": [], "headlines": []}
    kept = theorem_page(finding)
    assert kept.startswith("Theorem")
    made = pages(alone)
    (own,) = (name for name, page in made.items() if kept in unescape(page))
    assert own.startswith("claims/")
    assert 'id="theorem"' in made[own]
    assert f'<a href="../{own}#theorem">What the theorem says</a>' in made["papers/made24.html"]
    assert kept in unescape(render(alone))
