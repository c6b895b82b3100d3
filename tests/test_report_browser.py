"""The HTML report in a real browser: no complaint in the console, light and dark, and on paper.

Skipped where no Chromium is installed (Debian: `apt-get install chromium`).
"""

from __future__ import annotations

import contextlib
import re
import runpy
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from chromium import Browser, found

from dpbandits.audit.runner.site_files import start_page
from dpbandits.reports import pages, render
from dpbandits.reports.document import validate_document
from dpbandits.reports.site import MAX_PAGE_SIZE, html_size

pytestmark = [pytest.mark.browser, pytest.mark.skipif(found() is None, reason="no Chromium on this machine")]
MADE = runpy.run_path(str(Path(__file__).with_name("sample_findings.py")))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all pages of the sample."""
    return written(tmp_path_factory.mktemp("report"), MADE["document"]())


@pytest.fixture(scope="module")
def page(site: Path) -> Path:
    return site / "papers" / "made24.html"


@pytest.fixture(scope="module")
def opened(page: Path) -> Path:
    """The same page with all its statements unfolded."""
    path = page.with_name("opened.html")
    text = page.read_text(encoding="utf-8")
    path.write_text(text.replace('<details class="claim', '<details open class="claim'), encoding="utf-8")
    return path


def written(folder: Path, document: dict[str, Any]) -> Path:
    for name, text in pages(document).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def sheets(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_the_browser_has_nothing_to_complain_about(browser: Browser, site: Path) -> None:
    for path in [site / "index.html", site / "papers" / "made24.html", *sorted((site / "refuted").glob("*.html"))]:
        with browser.tab(path) as tab:
            dom = tab.told("return document.documentElement.outerHTML")
            assert tab.complaints() == [], path.name
        # The parser had nothing to mend inside of the drawings and formulas: each has what it was given.
        text = path.read_text(encoding="utf-8")
        for part in ('role="img"', "<math", "<mfrac", "<article"):
            assert dom.count(part) == text.count(part), (path.name, part)


UNFOLDED = "return [...document.querySelectorAll('details.claim[open] h3')].map((each) => each.id);"


def test_a_link_opens_its_statement(browser: Browser, page: Path) -> None:
    with browser.tab(page) as tab:
        assert tab.told(UNFOLDED) == []
    with browser.tab(page, fragment="claim-made24/composition") as tab:
        assert tab.told(UNFOLDED) == ["claim-made24/composition"]


SHOWN = "return [...document.querySelectorAll('.claim')].filter((each) => each.checkVisibility()).length;"


def test_choices_and_search_show_what_they_say(browser: Browser, page: Path) -> None:
    """A choice works by style alone; the search by the page's script. Both count what is on the screen."""

    def asked(before: str, question: str = SHOWN) -> Any:
        with browser.tab(page) as tab:
            tab.told(before)
            return tab.told(question)

    assert asked("") == 11
    assert asked("document.getElementById('v-REFUTED').checked = true") == 2
    assert asked("document.getElementById('h-0').checked = true") == 1
    assert asked("document.getElementById('s-0').checked = true") == in_section(page, 0) > 0
    assert asked("document.getElementById('s-1').checked = true") == in_section(page, 1) > 0
    both = "document.getElementById('s-0').checked = document.getElementById('v-REFUTED').checked = true;"
    chosen = "return document.querySelectorAll('.claim.s-0.v-REFUTED').length"
    assert asked(both) == asked(both, chosen) == 2
    search = "const f = document.getElementById('find'); f.value = '{}'; f.dispatchEvent(new Event('input'));"
    assert asked(search.format("small-delta")) == 2
    assert asked(search.format("small-delta printed")) == 1
    assert asked(search.format("no such thing")) == 0


def test_what_is_searched_and_chosen_stands_in_the_address(browser: Browser, site: Path) -> None:
    """An address with a search, as the field at the top of every page makes it, and with a choice shows what they find;
    and what is typed and chosen on the page comes into its address."""
    page = site / "papers" / "search.html"
    with browser.tab(page) as tab:
        assert tab.told(SHOWN) == 0  # the papers are folded until something is searched
        everything = tab.told("return document.querySelectorAll('.claim').length")
    assert everything == len(MADE["document"]()["findings"])
    with browser.tab(page, query="q=small-delta") as tab:
        assert tab.told("return document.getElementById('find').value") == "small-delta"
        found = tab.told(SHOWN)
        assert 0 < found < everything
    with browser.tab(page, query="v=REFUTED") as tab:
        refuted = tab.told(SHOWN)
        assert 0 < refuted < everything
    with browser.tab(page) as tab:
        tab.told("const f = document.getElementById('find'); f.value = 'a & b'; f.dispatchEvent(new Event('input'));")
        assert tab.told("return location.search") == "?q=a+%26+b"
        tab.told("const f = document.getElementById('find'); f.value = ''; f.dispatchEvent(new Event('input'));")
        tab.told("document.getElementById('v-REFUTED').click()")
        assert tab.told("return location.search") == "?v=REFUTED"
        assert tab.told(SHOWN) == refuted
        tab.told("document.getElementById('v-all').click()")
        assert tab.told("return location.search") == ""


def test_the_search_finds_whole_sentences_and_letters_by_their_names(browser: Browser, tmp_path: Path) -> None:
    """Also the end of a long sentence, and Greek letters as they are typed. Each row leads to the page of its claim."""
    long = "It is (eps, delta)-private, " + "as is said at length, " * 40 + "with angle <brackets> & such at last."
    findings = [MADE["finding"]("long", "PROVED", quote=long), MADE["finding"]("short", "REFUTED", quote="No noise.")]
    page = written(tmp_path, {**MADE["document"](), "findings": findings}) / "papers" / "search.html"
    found = (
        "return [...document.querySelectorAll('.claim')].filter((each) => each.checkVisibility())"
        ".map((each) => each.querySelector('code').textContent);"
    )
    for typed in ("at+last", "epsilon+DELTA", "%3Cbrackets%3E+%26", "%CE%B5"):
        with browser.tab(page, query=f"q={typed}") as tab:
            assert tab.told(found) == ["made24/long"], typed
            assert tab.complaints() == []
            target = tab.told("return document.querySelector('.claim a').href")
            assert target == (tmp_path / "claims" / "made24__long.html").as_uri()
    with browser.tab(page, query="q=at+length&v=REFUTED") as tab:
        assert tab.told(found) == []
        assert "Nothing matches" in tab.told("return document.getElementById('found').textContent")


def in_section(page: Path, number: int) -> int:
    """How many statements of the page are of this section, by its text."""
    return len(re.findall(rf'class="claim [^"]*\bs-{number}\b', page.read_text(encoding="utf-8")))


def test_everything_can_be_read_without_a_script(browser: Browser, page: Path) -> None:
    """Where none may run: statements unfold, choices choose, and there is no field for a search that would not work."""
    with browser.tab(page, mute=True) as tab:
        assert tab.told("return document.getElementById('find').checkVisibility()") is False
        place = "const r = {}.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2];"
        for target, seen, before, after in (
            (
                "document.querySelector('.claim summary')",
                "return document.querySelectorAll('.claim[open]').length",
                0,
                1,
            ),
            ("document.getElementById('v-REFUTED')", SHOWN, 11, 2),
        ):
            assert tab.told(seen) == before
            tab.told(f"{target}.scrollIntoView({{block: 'center'}})")
            x, y = tab.told(place.format(target))
            for kind in ("mousePressed", "mouseReleased"):
                tab.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
            assert tab.told(seen) == after
    with browser.tab(page) as tab:
        assert tab.told("return document.getElementById('find').checkVisibility()") is True


def test_a_link_from_one_page_opens_a_statement_on_another(browser: Browser, site: Path) -> None:
    """The overview's link to the finding that it begins with leads to that finding, open."""
    text = (site / "index.html").read_text(encoding="utf-8")
    target, fragment = re.findall(r'<a href="([^"#]+)#([^"]+)">how it was found', text)[0]
    with browser.tab(site / target, fragment=unquote(fragment)) as tab:
        assert tab.told(UNFOLDED) == [unquote(fragment)]


def test_formulas_are_typeset(browser: Browser, site: Path, opened: Path) -> None:
    """The browser lays the formulas out as mathematics: a fraction is higher than a line of text, and in the small
    letters of a list higher than these."""
    question = (
        "const all = [...document.querySelectorAll('math')].filter((each) => each.querySelector('mfrac'));"
        "const listed = all.filter((each) => each.closest('.brief, .small'));"
        "const shown = all.filter((each) => !each.closest('.brief, .small'));"
        "const size = (each) => parseFloat(getComputedStyle(each).fontSize);"
        "return [shown.length, Math.min(...shown.map((each) => each.getBoundingClientRect().height)),"
        "parseFloat(getComputedStyle(document.body).fontSize),"
        "listed.map((each) => each.getBoundingClientRect().height / size(each))];"
    )
    with browser.tab(opened) as tab:
        count, height, size, _ = tab.told(question)
    assert count > 10
    assert height > 1.5 * size
    with browser.tab(site / "index.html") as tab:
        *_, listed = tab.told(question)
    assert listed
    assert min(listed) > 1.3


def test_a_narrow_screen_shows_the_verdict_first(browser: Browser, page: Path) -> None:
    """At 390 pixels nothing is wider than the screen, and each row begins with its verdict."""
    question = (
        "const rows = [...document.querySelectorAll('.claim > summary')];"
        "const left = (node) => node.getBoundingClientRect().left;"
        "return [document.documentElement.scrollWidth, innerWidth, rows.every((row) =>"
        " left(row.querySelector('.badge')) < left(row.querySelector('.place')))];"
    )
    with browser.tab(page, width=390) as tab:
        wide, room, first = tab.told(question)
    assert (room, first) == (390, True)
    assert wide <= room


SMALLEST_LETTERS = """
for (const each of document.querySelectorAll("details")) each.open = true;
const found = [];
for (const svg of document.querySelectorAll(".canvas svg")) {
  const frame = svg.getBoundingClientRect(), scale = frame.width / svg.viewBox.baseVal.width;
  for (const text of svg.querySelectorAll("text")) {
    const box = text.getBoundingClientRect();
    const cut = Math.max(frame.left - box.left, box.right - frame.right);
    found.push([parseFloat(getComputedStyle(text).fontSize) * scale, cut]);
  }
}
return found;
"""


@pytest.mark.parametrize("width", [390, 320])
def test_the_letters_of_pictures_can_be_read_on_a_telephone(browser: Browser, site: Path, width: int) -> None:
    """No letter of a picture is smaller than 10 pixels, and none sticks out of it."""
    found = []
    for path in sorted(site.rglob("*.html")):
        with browser.tab(path, width=width) as tab:
            found += tab.told(SMALLEST_LETTERS)
    assert len(found) > 50
    assert min(size for size, _ in found) >= 9.99
    assert max(cut for _, cut in found) < 1


def test_no_page_scrolls_sideways_on_a_telephone_and_frames_are_reached_by_key(
    browser: Browser, site: Path, tmp_path: Path
) -> None:
    """At 390 pixels, folded and unfolded, and the first page of a site."""
    start = tmp_path / "start.html"
    document = validate_document(MADE["document"]())
    start.write_text(start_page(document, docs=True, badges=True), encoding="utf-8")
    for path in [*sorted(site.rglob("*.html")), start]:
        with browser.tab(path, width=390) as tab:
            wide = [tab.told("return document.documentElement.scrollWidth")]
            wide.append(tab.told(f"{ALL_OPEN.partition('return')[0]} return document.documentElement.scrollWidth"))
            assert max(wide) <= 390, path.name
            assert tab.told(UNREACHED) == [], path.name


UNREACHED = """
dispatchEvent(new Event("resize"));
const scrolls = (each) => ["auto", "scroll"].includes(getComputedStyle(each).overflowX)
  && each.scrollWidth > each.clientWidth + 1 && each.checkVisibility();
const reached = (each) => each.tabIndex >= 0 || each.querySelector("a[href], button, input, summary, [tabindex]");
const every = [...document.querySelectorAll("*")];
return every.filter((each) => scrolls(each) && !reached(each)).map((each) => each.className);
"""


def test_the_page_of_a_claim_fits_on_a_telephone(browser: Browser, site: Path) -> None:
    """At 390 pixels, what a claim follows from and what follows stand below one another, within the screen."""
    with_graph = [path for path in (site / "claims").glob("*.html") if 'id="graph"' in path.read_text(encoding="utf-8")]
    assert with_graph
    for path in with_graph:
        with browser.tab(path, width=390) as tab:
            wide = tab.told("return document.documentElement.scrollWidth")
        assert wide <= 390, path.name


ALL_OPEN = (
    "for (const each of document.querySelectorAll('details')) each.open = true; return document.body.offsetHeight"
)
SECOND = 100_000  # cells of a table, as many as are laid out in a second where the limit was set


def laid_out(browser: Browser, page: Path) -> tuple[float, float]:
    """Seconds of the processor for the page's layout and style, as it is loaded and then with everything unfolded; and
    how many nodes it has."""
    with browser.tab(page) as tab:
        tab.told(ALL_OPEN)
        took = tab.measured()
    return took["LayoutDuration"] + took["RecalcStyleDuration"], took["Nodes"]


def of_cells(folder: Path, number: int) -> Path:
    row = "<tr>" + "<td>x</td>" * 50 + "</tr>"
    page = folder / f"cells-{number}.html"
    page.write_text(f"<!doctype html><title>cells</title><table>{row * (number // 50)}</table>", encoding="utf-8")
    return page


def test_pages_are_laid_out_within_a_second(browser: Browser, tmp_path: Path) -> None:
    """The largest page that the report makes, of a paper whose statements just fit, and those of the example: layout
    and style take less than a second of the processor, which is what a table of 100 000 cells takes, and no page is
    larger than 400 kB."""
    sample = MADE["document"]()
    drawn = next(found for found in sample["findings"] if any(e["kind"] == "tradeoff" for e in found["evidence"]))
    fitting = range(MAX_PAGE_SIZE // html_size(drawn))
    many = [{**drawn, "id": f"made24/claim-{i}", "section": f"Section {i // 9}"} for i in fitting]
    made = written(tmp_path, {**sample, "findings": many, "headlines": []})
    example = Path(__file__).parents[1] / "reports" / "example"
    largest = max((made / "papers").glob("*.html"), key=lambda path: path.stat().st_size)
    assert largest.stat().st_size > 250_000
    second, _ = laid_out(browser, of_cells(tmp_path, SECOND))
    for path in (largest, example / "index.html", *sorted((example / "papers").glob("*.html"))):
        assert path.stat().st_size < 400_000, path
        took, nodes = laid_out(browser, path)
        assert nodes > 200  # it was there
        assert took < second, path
    # A slow page would be seen.
    assert laid_out(browser, of_cells(tmp_path, 3 * SECOND))[0] > second


# Of every text: the contrast of its colour to the background behind it, and whether it is large. What axe leaves
# undecided (text in drawings, signs of formulas, single letters, what lies beyond the edge of a bar) is decided here.
CONTRASTS = """
for (const each of document.querySelectorAll("details")) each.open = true;
const read = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
const light = (channels) => {
  const [r, g, b] = channels.map((each) => (each /= 255) <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (node) => {
  for (; node; node = node.parentElement) {
    const [r, g, b, a = 1] = read(getComputedStyle(node).backgroundColor);
    if (a === 1) return [r, g, b];
  }
  return read(getComputedStyle(document.body).backgroundColor).slice(0, 3);
};
const found = new Map(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  const seen = walker.currentNode.data.trim() && node.checkVisibility({ checkOpacity: true });
  if (!seen || node.closest("script, style, template")) continue;
  const style = getComputedStyle(node);
  const cut = style.overflowX === "hidden" && parseFloat(style.textIndent) > node.clientWidth;
  if (cut) continue; // words for those who listen, beside a filled cell
  const [r, g, b, a = 1] = read(node.closest("svg") ? style.fill : style.color), ground = behind(node);
  const colour = [r, g, b].map((each, k) => a * each + (1 - a) * ground[k]);
  const [low, high] = [light(colour), light(ground)].sort((one, two) => one - two);
  const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  const shown = `${node.localName}.${node.className.baseVal ?? node.className} ${seen} ${walker.currentNode.data}`;
  found.set(`${colour} ${ground} ${large}`, [(high + 0.05) / (low + 0.05), large ? 3 : 4.5, shown]);
}
return [...found.values()];
"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_all_text_stands_out_from_what_is_behind_it(browser: Browser, site: Path, dark: bool) -> None:
    """By the contrast that WCAG asks for at level AA: 4.5 to 1, and 3 to 1 for large letters."""
    own = site / "own.html"
    own.write_text(own_page(), encoding="utf-8")
    for path in [*sorted(site.rglob("*.html")), own]:
        with browser.tab(path, dark=dark) as tab:
            contrasts = tab.told(CONTRASTS)
        assert len(contrasts) > 3, path
        for contrast, wanted, shown in contrasts:
            assert contrast >= wanted, (path.name, shown, contrast)


def own_page() -> str:
    """A report about own code, with a card."""
    about = {"test": "test_mine.py::test_x", "subject": "Mine(arms=2)", "file": "test_mine.py", "line": 1, "seconds": 1}
    finding = MADE["finding"]("lemma-3@test_x", "REFUTED", own=about, surprise=True, summary="eps is 2, not 1.")
    return render({**MADE["document"](), "findings": [finding], "errors": []})


def test_pale_text_would_be_seen(browser: Browser, site: Path) -> None:
    faulty = site / "pale.html"
    text = (site / "index.html").read_text(encoding="utf-8")
    faulty.write_text(text.replace("--muted:#5f5a52", "--muted:#8f8a82"), encoding="utf-8")
    with browser.tab(faulty) as tab:
        assert any(contrast < wanted for contrast, wanted, _ in tab.told(CONTRASTS))
    faulty.unlink()


AXE = Path(__file__).parents[1] / ".axe" / "node_modules" / "axe-core" / "axe.min.js"
BROKEN_RULES = (
    "return axe.run(document).then((found) => found.violations.map((each) => each.id + ': ' + each.nodes[0].html));"
)


@pytest.mark.skipif(not AXE.exists(), reason="no axe-core here: npm install --no-save --prefix .axe axe-core")
def test_nothing_keeps_anybody_out(browser: Browser, site: Path, opened: Path) -> None:
    """axe finds no fault on the overview, on a paper's page with everything open, nor on a page to send on, by day and
    by night."""
    library = AXE.read_text(encoding="utf-8")

    def faults(path: Path, **look: Any) -> Any:
        with browser.tab(path, **look) as tab:
            tab.told(library)
            return tab.told(BROKEN_RULES)

    own = opened.with_name("own.html")
    own.write_text(own_page(), encoding="utf-8")
    searched = site / "papers" / "search.html"
    for path in (site / "index.html", opened, site / "refuted" / "made24-theorem-7.html", searched, own):
        assert faults(path) == faults(path, dark=True, width=390) == [], path.name
    faulty = opened.with_name("faulty.html")
    faulty.write_text(opened.read_text(encoding="utf-8").replace("<h1>", '<img src="x.png"><h1>'), encoding="utf-8")
    assert any(each.startswith("image-alt") for each in faults(faulty))


def test_complaints_would_be_seen(browser: Browser, tmp_path: Path) -> None:
    """A page that asks the network for something is stopped by its own policy, and the console says so."""
    path = tmp_path / "index.html"
    whole = render(MADE["document"]())
    path.write_text(whole.replace("</main>", '<img src="https://example.invalid/x.png"></main>'))
    with browser.tab(path) as tab:
        assert any("example.invalid" in line and "Content Security Policy" in line for line in tab.complaints())


def test_light_and_dark(browser: Browser, opened: Path) -> None:
    """The background is light by day and dark by night, and so is the ground of the drawings."""
    shots = {}
    for dark in (False, True):
        with browser.tab(opened, height=5000, dark=dark) as tab:
            shots[dark] = shot = tab.picture()
        ground = shot[::7, ::7].mean(axis=2)  # most of a page is background
        corner = float(shot[3, 3].mean())
        assert (corner < 0.15) if dark else (corner > 0.9)
        assert abs(float(np.median(ground)) - corner) < 0.02
    assert shots[False].shape == shots[True].shape == (5000, 1200, 3)
    # Nothing is painted in a fixed colour: hardly a pixel is the same in both, but for chance in soft edges.
    same = np.abs(shots[False] - shots[True]).max(axis=2) < 0.02
    assert same.mean() < 0.01


@pytest.mark.parametrize("width", [1200, 320])
def test_nothing_sticks_out(browser: Browser, opened: Path, width: int) -> None:
    """The page itself never scrolls sideways: wide things scroll in their own frames.

    So there is nothing but background at its right edge, within the padding.
    """
    with browser.tab(opened, width=width, height=9000) as tab:
        shot = tab.picture()
    assert shot.shape[1] == width
    assert np.abs(shot[:, width - 8 :] - shot[3, 3]).max() < 0.02


def test_what_sticks_out_would_be_seen(browser: Browser, page: Path) -> None:
    wide = page.with_name("wide.html")
    wide.write_text(page.read_text(encoding="utf-8").replace("<h1>", "<h1>" + "W" * 100), encoding="utf-8")
    wide.write_text(wide.read_text(encoding="utf-8").replace("overflow-wrap", "x-overflow-wrap"))
    with browser.tab(wide, width=390, height=1500) as tab:
        shot = tab.picture()
    assert np.abs(shot[:, 382:] - shot[3, 3]).max() > 0.5


def printed(browser: Browser, page: Path, dark: bool = False) -> bytes:
    with browser.tab(page, dark=dark) as tab:
        return tab.printed()


def test_it_prints(browser: Browser, opened: Path) -> None:
    pdf = printed(browser, opened)
    assert pdf.startswith(b"%PDF")
    assert sheets(pdf) >= 3


def test_paper_gets_a_digest(browser: Browser, tmp_path: Path) -> None:
    """What is folded stays folded on paper, so that a paper of 80 statements takes few sheets; what a reader has opened
    is printed whole."""
    many = [MADE["finding"](f"claim-{i}", "CONSISTENT", evidence=[MADE["table"](rows=30)]) for i in range(40)]
    folder = written(tmp_path, {**MADE["document"](), "findings": many})
    path = folder / "papers" / "made24.html"
    assert sheets(printed(browser, path)) <= 4
    opened = path.read_text(encoding="utf-8").replace('<details class="claim', '<details open class="claim')
    path.write_text(opened, encoding="utf-8")
    assert sheets(printed(browser, path)) >= 20


def inks(pdf: bytes) -> set[bytes]:
    """The colours that the pages of a document are painted with: red, green and blue, as the document writes them."""
    streams = re.findall(rb"stream\r?\n(.*?)endstream", pdf, flags=re.S)
    found: set[bytes] = set()
    for stream in streams:
        with contextlib.suppress(zlib.error):  # a stream that is no page's, and packed otherwise
            found.update(re.findall(rb"[\d.]+ [\d.]+ [\d.]+ (?:rg|RG)\b", zlib.decompressobj().decompress(stream)))
    return found


def test_paper_is_white_also_by_night(browser: Browser, page: Path) -> None:
    """Printing ignores the dark mode: the style sheet has it for screens only."""
    document: dict[str, Any] = {**MADE["document"](), "findings": MADE["document"]()["findings"][:1]}
    path = page.with_name("paper.html")

    def painted(dark: bool, text: str) -> set[bytes]:
        path.write_text(text, encoding="utf-8")
        return inks(printed(browser, path, dark))

    text = render(document).replace("<details ", "<details open ")
    by_day = painted(False, text)
    assert len(by_day) > 3  # the colours were found
    assert painted(True, text) == by_day
    # A browser may take paper for light whatever its user prefers, so the plant has the dark colours for any medium.
    night = "@media screen and (prefers-color-scheme: dark)"
    assert text.count(night) == 1
    assert painted(False, text.replace(night, "@media all")) != by_day
