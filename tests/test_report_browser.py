"""The HTML report in a real browser: no complaint in the console, light and dark, and on paper.

Skipped where no Chromium is installed (Debian: `apt-get install chromium`).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import zlib
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import unescape
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import matplotlib.image
import numpy as np
import pytest

from dpbandits.reports import pages, render

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [pytest.mark.browser, pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")]
MADE = runpy.run_path(str(Path(__file__).with_name("sample_findings.py")))
DARK, LIGHT = 0, 1  # Blink's numbers for preferredColorScheme


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


def browse(page: Path, *options: str, fragment: str = "") -> tuple[str, list[str]]:
    """Opens the page; returns standard output, and what the page's console said."""
    assert BROWSER is not None
    command = [
        BROWSER,
        "--headless=new",
        "--no-sandbox",  # containers run tests as a user for whom there is no sandbox
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        f"--user-data-dir={page.parent / 'profile'}",
        "--enable-logging=stderr",
        *options,
        page.as_uri() + (f"#{quote(fragment)}" if fragment else ""),
    ]
    done = subprocess.run(command, capture_output=True, check=True)
    log = done.stderr.decode(errors="replace").splitlines()
    return done.stdout.decode(), [line for line in log if "CONSOLE" in line]


def asked(page: Path, question: str, fragment: str = "", library: str = "") -> Any:
    """The JSON that a script of the test finds on the page; the page's policy is told of the script, and of a library
    that it uses. The script may return a promise."""
    text = page.read_text(encoding="utf-8")
    script = (
        f"{library}\nPromise.resolve((() => {{ {question} }})()).then(found => document.title = JSON.stringify(found));"
    )
    digest = "sha256-" + b64encode(sha256(script.encode()).digest()).decode()
    copy = page.with_name(f"asked-{page.name}")
    told = text.replace("script-src '", f"script-src '{digest}' '")
    copy.write_text(told.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    dom, _ = browse(copy, "--virtual-time-budget=60000", "--dump-dom", fragment=fragment)
    found = re.search(r"<title>(.*?)</title>", dom, flags=re.S)
    assert found is not None
    return json.loads(unescape(found[1]))


def picture(page: Path, mode: int, width: int, height: int) -> np.ndarray:
    """A screenshot, (height, width, 3), values from 0 to 1."""
    target = page.with_name(f"{page.stem}-{mode}-{width}.png")
    _, console = browse(
        page,
        f"--blink-settings=preferredColorScheme={mode}",
        f"--window-size={width},{height}",
        f"--screenshot={target}",
    )
    assert console == []
    return np.asarray(matplotlib.image.imread(target))[:, :, :3]


def printed(page: Path) -> bytes:
    target = page.with_suffix(".pdf")
    browse(page, "--no-pdf-header-footer", f"--print-to-pdf={target}")
    return target.read_bytes()


def sheets(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_the_browser_has_nothing_to_complain_about(site: Path) -> None:
    for path in [site / "index.html", site / "papers" / "made24.html", *(site / "refuted").glob("*.html")]:
        dom, console = browse(path, "--dump-dom")
        assert console == [], path.name
        assert dom.rstrip().endswith("</html>")
        # The parser had nothing to mend inside of the drawings and formulas: each has what it was given.
        text = path.read_text(encoding="utf-8")
        for part in ('role="img"', "<math", "<mfrac", "<article"):
            assert dom.count(part) == text.count(part), (path.name, part)


def test_a_link_opens_its_statement(page: Path) -> None:
    question = "return [...document.querySelectorAll('details.claim[open] h3')].map((each) => each.id);"
    assert asked(page, question) == []
    assert asked(page, question, fragment="claim-made24/composition") == ["claim-made24/composition"]


def test_choices_and_search_show_what_they_say(page: Path) -> None:
    """A choice works by style alone; the search by the page's script. Both count what is on the screen."""
    shown = "return [...document.querySelectorAll('.claim')].filter((each) => each.checkVisibility()).length;"
    assert asked(page, shown) == 11
    assert asked(page, f"document.getElementById('v-REFUTED').checked = true; {shown}") == 2
    assert asked(page, f"document.getElementById('h-0').checked = true; {shown}") == 1
    assert asked(page, f"document.getElementById('s-0').checked = true; {shown}") == in_section(page, 0) > 0
    assert asked(page, f"document.getElementById('s-1').checked = true; {shown}") == in_section(page, 1) > 0
    both = "document.getElementById('s-0').checked = document.getElementById('v-REFUTED').checked = true;"
    chosen = "document.querySelectorAll('.claim.s-0.v-REFUTED').length"
    assert asked(page, f"{both} return [({{f() {{ {shown} }}}}).f(), {chosen}];") == [2, 2]
    search = "const f = document.getElementById('find'); f.value = '{}'; f.dispatchEvent(new Event('input'));"
    assert asked(page, search.format("small-delta") + shown) == 2
    assert asked(page, search.format("small-delta printed") + shown) == 1
    assert asked(page, search.format("no such thing") + shown) == 0


def in_section(page: Path, number: int) -> int:
    """How many statements of the page are of this section, by its text."""
    return len(re.findall(rf'class="claim [^"]*\bs-{number}\b', page.read_text(encoding="utf-8")))


def test_a_link_from_one_page_opens_a_statement_on_another(site: Path) -> None:
    """The overview's link to the finding that it begins with leads to that finding, open."""
    text = (site / "index.html").read_text(encoding="utf-8")
    target, fragment = re.findall(r'<a href="([^"#]+)#([^"]+)">how it was found', text)[0]
    question = "return [...document.querySelectorAll('details.claim[open] h3')].map((each) => each.id);"
    assert asked(site / target, question, fragment=unquote(fragment)) == [unquote(fragment)]


def test_formulas_are_typeset(page: Path) -> None:
    """The browser lays the formulas out as mathematics: a fraction is higher than a line of text."""
    question = (
        "for (const each of document.querySelectorAll('details.claim')) each.open = true;"
        "const all = [...document.querySelectorAll('math')].filter((each) => each.querySelector('mfrac'));"
        "return [all.length, Math.min(...all.map((each) => each.getBoundingClientRect().height)),"
        "parseFloat(getComputedStyle(document.body).fontSize)];"
    )
    count, height, size = asked(page, question)
    assert count > 10
    assert height > 1.5 * size


def test_a_narrow_screen_shows_the_verdict_first(page: Path) -> None:
    """At 390 pixels nothing is wider than the screen, and each row begins with its verdict."""
    question = (
        "const rows = [...document.querySelectorAll('.claim > summary')];"
        "const left = (node) => node.getBoundingClientRect().left;"
        "return [document.documentElement.scrollWidth, innerWidth, rows.every((row) =>"
        " left(row.querySelector('.badge')) < left(row.querySelector('.place')))];"
    )
    wide, room, first = framed(page, question, 390)
    assert (room, first) == (390, True)
    assert wide <= room


def framed(page: Path, question: str, width: int) -> Any:
    """What a script finds on the page in a frame of this width: a window may not be as narrow."""
    frame = page.with_name("frame.html")
    script = f"const {{document, innerWidth}} = frames[0].window; {question}"
    frame.write_text(
        f'<!doctype html><title></title><iframe src="{page.name}" width="{width}" height="2000" style="border: 0">'
        "</iframe>"
        f"<script>onload = () => top.document.title = JSON.stringify((() => {{ {script} }})())</script>"
    )
    dom, _ = browse(frame, "--allow-file-access-from-files", "--dump-dom")
    found = re.search(r"<title>(.*?)</title>", dom, flags=re.S)
    assert found is not None
    return json.loads(unescape(found[1]))


# A browser reads what it is asked from its file 3, and answers into its file 4.
PIPED = """
import os, sys
from fcntl import F_DUPFD, fcntl
to, back = (fcntl(int(each), F_DUPFD, 10) for each in sys.argv[1:3])
os.dup2(to, 3), os.dup2(back, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""


ALL_OPEN = "for (const each of document.querySelectorAll('details')) each.open = true; document.body.offsetHeight"


def processor_time(page: Path) -> dict[str, float]:
    """Seconds of the processor that the browser takes for the page, as it is loaded and then with everything unfolded,
    by what for; told through its debugging pipe."""
    assert BROWSER is not None
    to, ours = os.pipe()
    theirs, back = os.pipe()
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe"]
    command = [BROWSER, *options, f"--user-data-dir={page.parent / 'timed'}"]
    wrapped = [sys.executable, "-c", PIPED, str(to), str(back), *command]
    with subprocess.Popen(wrapped, pass_fds=(to, back), stderr=subprocess.DEVNULL):
        os.close(to)
        os.close(back)
        with open(ours, "wb", buffering=0) as pipe, open(theirs, "rb", buffering=0) as answers:
            heard = messages(answers)

            def ask(method: str, session: str = "", **params: Any) -> dict[str, Any]:
                number = next(numbers)
                told = {"id": number, "method": method, "params": params} | ({"sessionId": session} if session else {})
                pipe.write(json.dumps(told).encode() + b"\0")
                return next(each["result"] for each in heard if each.get("id") == number)

            numbers = count(1)
            target = ask("Target.createTarget", url="about:blank")["targetId"]
            session = ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            ask("Page.enable", session)
            ask("Performance.enable", session, timeDomain="threadTicks")
            ask("Page.navigate", session, url=page.as_uri())
            assert any(each.get("method") == "Page.loadEventFired" for each in heard)
            ask("Runtime.evaluate", session, expression=ALL_OPEN)
            found = ask("Performance.getMetrics", session)["metrics"]
            ask("Browser.close")
    return {each["name"]: each["value"] for each in found}


def messages(pipe: Any) -> Iterator[dict[str, Any]]:
    """What the browser says, one by one."""
    rest = b""
    while chunk := pipe.read(1 << 16):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from map(json.loads, whole)


def test_pages_are_laid_out_within_a_second(tmp_path: Path) -> None:
    """The largest page that the report makes, and those of the example: layout and style take less than a second of the
    processor, and no page is larger than 400 kB."""
    sample = MADE["document"]()
    drawn = next(found for found in sample["findings"] if any(e["kind"] == "tradeoff" for e in found["evidence"]))
    many = [{**drawn, "id": f"made24/claim-{i}", "section": f"Section {i // 9}"} for i in range(40)]
    made = written(tmp_path, {**sample, "findings": many, "headlines": []})
    example = Path(__file__).parents[1] / "reports" / "example"
    largest = max((made / "papers").glob("*.html"), key=lambda path: path.stat().st_size)
    assert largest.stat().st_size > 250_000
    for path in (largest, example / "index.html", *(example / "papers").glob("*.html")):
        assert path.stat().st_size < 400_000, path
        took = processor_time(copied(path, tmp_path))
        assert took["Nodes"] > 200  # it was there
        assert took["LayoutDuration"] + took["RecalcStyleDuration"] < 1, (path, took)


def copied(path: Path, folder: Path) -> Path:
    """The page alone in a folder, where a browser may leave things."""
    return Path(shutil.copy(path, folder / f"timed-{path.name}"))


def test_a_slow_page_would_be_seen(tmp_path: Path) -> None:
    """A table of 150 000 cells takes longer than that."""
    cells = "<tr>" + "<td>x</td>" * 50 + "</tr>"
    page = tmp_path / "slow.html"
    page.write_text(f"<!doctype html><title>slow</title><table>{cells * 3000}</table>", encoding="utf-8")
    took = processor_time(page)
    assert took["LayoutDuration"] + took["RecalcStyleDuration"] > 1


AXE = Path(__file__).parents[1] / ".axe" / "node_modules" / "axe-core" / "axe.min.js"
BROKEN_RULES = (
    "return axe.run(document).then((found) => found.violations.map((each) => each.id + ': ' + each.nodes[0].html));"
)


@pytest.mark.skipif(not AXE.exists(), reason="no axe-core here: npm install --no-save --prefix .axe axe-core")
def test_nothing_keeps_anybody_out(site: Path, opened: Path) -> None:
    """axe finds no fault on the overview, on a paper's page with everything open, nor on a page to send on."""
    library = AXE.read_text(encoding="utf-8")
    for path in (site / "index.html", opened, site / "refuted" / "made24-theorem-7.html"):
        assert asked(path, BROKEN_RULES, library=library) == [], path.name
    faulty = opened.with_name("faulty.html")
    faulty.write_text(opened.read_text(encoding="utf-8").replace("<h1>", '<img src="x.png"><h1>'), encoding="utf-8")
    assert any(each.startswith("image-alt") for each in asked(faulty, BROKEN_RULES, library=library))


def test_complaints_would_be_seen(tmp_path: Path) -> None:
    """A page that asks the network for something is stopped by its own policy, and the console says so."""
    path = tmp_path / "index.html"
    whole = render(MADE["document"]())
    path.write_text(whole.replace("</main>", '<img src="https://example.invalid/x.png"></main>'))
    _, console = browse(path, "--dump-dom")
    assert any("example.invalid" in line and "Content Security Policy" in line for line in console)


def test_light_and_dark(opened: Path) -> None:
    """The background is light by day and dark by night, and so is the ground of the drawings."""
    shots = {mode: picture(opened, mode, 1200, 5000) for mode in (LIGHT, DARK)}
    for mode, shot in shots.items():
        ground = shot[::7, ::7].mean(axis=2)  # most of a page is background
        corner = float(shot[3, 3].mean())
        assert (corner > 0.9) if mode == LIGHT else (corner < 0.15)
        assert abs(float(np.median(ground)) - corner) < 0.02
    assert shots[LIGHT].shape == shots[DARK].shape
    # Nothing is painted in a fixed colour: hardly a pixel is the same in both, but for chance in soft edges.
    same = np.abs(shots[LIGHT] - shots[DARK]).max(axis=2) < 0.02
    assert same.mean() < 0.01


@pytest.mark.parametrize("width", [1200, 320])
def test_nothing_sticks_out(opened: Path, width: int) -> None:
    """The page itself never scrolls sideways: wide things scroll in their own frames.

    So there is nothing but background at its right edge, within the padding.
    """
    shot = picture(opened, LIGHT, width, 9000)
    assert shot.shape[1] == width
    assert np.abs(shot[:, width - 8 :] - shot[3, 3]).max() < 0.02


def test_what_sticks_out_would_be_seen(page: Path) -> None:
    wide = page.with_name("wide.html")
    wide.write_text(page.read_text(encoding="utf-8").replace("<h1>", "<h1>" + "W" * 100), encoding="utf-8")
    wide.write_text(wide.read_text(encoding="utf-8").replace("overflow-wrap", "x-overflow-wrap"))
    shot = picture(wide, LIGHT, 390, 1500)
    assert np.abs(shot[:, 382:] - shot[3, 3]).max() > 0.5


def test_it_prints(opened: Path) -> None:
    pdf = printed(opened)
    assert pdf.startswith(b"%PDF")
    assert sheets(pdf) >= 3


def test_paper_gets_a_digest(tmp_path: Path) -> None:
    """What is folded stays folded on paper, so that a paper of 80 statements takes few sheets; what a reader has opened
    is printed whole."""
    many = [MADE["finding"](f"claim-{i}", "CONSISTENT", evidence=[MADE["table"](rows=30)]) for i in range(40)]
    folder = written(tmp_path, {**MADE["document"](), "findings": many})
    path = folder / "papers" / "made24.html"
    assert sheets(printed(path)) <= 4
    opened = path.read_text(encoding="utf-8").replace('<details class="claim', '<details open class="claim')
    path.write_text(opened, encoding="utf-8")
    assert sheets(printed(path)) >= 20


def inks(pdf: bytes) -> set[bytes]:
    """The colours that the pages of a document are painted with: red, green and blue, as the document writes them."""
    streams = re.findall(rb"stream\r?\n(.*?)endstream", pdf, flags=re.S)
    found: set[bytes] = set()
    for stream in streams:
        with contextlib.suppress(zlib.error):  # a stream that is no page's, and packed otherwise
            found.update(re.findall(rb"[\d.]+ [\d.]+ [\d.]+ (?:rg|RG)\b", zlib.decompressobj().decompress(stream)))
    return found


def test_paper_is_white_also_by_night(page: Path) -> None:
    """Printing ignores the dark mode: the style sheet has it for screens only."""
    document: dict[str, Any] = {**MADE["document"](), "findings": MADE["document"]()["findings"][:1]}
    path = page.with_name("paper.html")

    def painted(mode: int, text: str) -> set[bytes]:
        path.write_text(text, encoding="utf-8")
        target = path.with_name(f"paper-{mode}.pdf")
        scheme = f"--blink-settings=preferredColorScheme={mode}"
        browse(path, scheme, "--no-pdf-header-footer", f"--print-to-pdf={target}")
        return inks(target.read_bytes())

    text = render(document).replace("<details ", "<details open ")
    by_day = painted(LIGHT, text)
    assert len(by_day) > 3  # the colours were found
    assert painted(DARK, text) == by_day
    # A browser may take paper for light whatever its user prefers, so the plant has the dark colours for any medium.
    night = "@media screen and (prefers-color-scheme: dark)"
    assert text.count(night) == 1
    assert painted(LIGHT, text.replace(night, "@media all")) != by_day
