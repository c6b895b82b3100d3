"""The HTML report in a real browser: no complaint in the console, light and dark, and on paper.

Skipped where no Chromium is installed (Debian: `apt-get install chromium`).
"""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest

from dpbandits.reports import render

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
MADE = runpy.run_path(str(Path(__file__).with_name("sample_findings.py")))
DARK, LIGHT = 0, 1  # Blink's numbers for preferredColorScheme


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "index.html"
    path.write_text(render(MADE["document"]()), encoding="utf-8")
    return path


def browse(page: Path, *options: str) -> tuple[str, list[str]]:
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
        page.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, check=True)
    log = done.stderr.decode(errors="replace").splitlines()
    return done.stdout.decode(), [line for line in log if "CONSOLE" in line]


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


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_the_browser_has_nothing_to_complain_about(page: Path) -> None:
    dom, console = browse(page, "--dump-dom")
    assert console == []
    assert dom.rstrip().endswith("</html>")
    assert dom.count('<article class="claim"') == len(MADE["document"]()["findings"])
    # The parser had nothing to mend inside of the drawings: each has its curves.
    assert dom.count('role="img"') == page.read_text(encoding="utf-8").count('role="img"')


def test_complaints_would_be_seen(tmp_path: Path) -> None:
    """A page that asks the network for something is stopped by its own policy, and the console says so."""
    path = tmp_path / "index.html"
    whole = render(MADE["document"]())
    path.write_text(whole.replace("</main>", '<img src="https://example.invalid/x.png"></main>'))
    _, console = browse(path, "--dump-dom")
    assert any("example.invalid" in line and "Content Security Policy" in line for line in console)


def test_light_and_dark(page: Path) -> None:
    """The background is light by day and dark by night, and so is the ground of the drawings."""
    shots = {mode: picture(page, mode, 1200, 5000) for mode in (LIGHT, DARK)}
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
def test_nothing_sticks_out(page: Path, width: int) -> None:
    """The page itself never scrolls sideways: wide things scroll in their own frames.

    So there is nothing but background at its right edge, within the padding.
    """
    shot = picture(page, LIGHT, width, 9000)
    assert shot.shape[1] == width
    assert np.abs(shot[:, width - 8 :] - shot[3, 3]).max() < 0.02


def test_what_sticks_out_would_be_seen(page: Path) -> None:
    wide = page.with_name("wide.html")
    wide.write_text(page.read_text(encoding="utf-8").replace("<h1>", "<h1>" + "W" * 100), encoding="utf-8")
    wide.write_text(wide.read_text(encoding="utf-8").replace("overflow-wrap", "x-overflow-wrap"))
    shot = picture(wide, LIGHT, 390, 1500)
    assert np.abs(shot[:, 382:] - shot[3, 3]).max() > 0.5


def test_it_prints(page: Path) -> None:
    pdf = printed(page)
    assert pdf.startswith(b"%PDF")
    assert pages(pdf) >= 3


def test_folded_parts_are_printed(tmp_path: Path) -> None:
    """What is folded away on the screen is on paper: a certificate of 300 lines makes for more pages."""
    counts = []
    for events in (3, 300):
        path = tmp_path / f"{events}.html"
        found = MADE["finding"]("x", "REFUTED", evidence=[MADE["certificate"]("made24/x", events=events)])
        path.write_text(render({**MADE["document"](), "findings": [found]}), encoding="utf-8")
        counts.append(pages(printed(path)))
    assert counts[1] >= counts[0] + 2


def test_paper_is_white_also_by_night(page: Path) -> None:
    """Printing ignores the dark mode: the style sheet has it for screens only."""
    document: dict[str, Any] = {**MADE["document"](), "findings": MADE["document"]()["findings"][:1]}
    path = page.with_name("paper.html")
    path.write_text(render(document), encoding="utf-8")
    by_day = page.with_name("day.pdf")
    by_night = page.with_name("night.pdf")
    for mode, target in ((LIGHT, by_day), (DARK, by_night)):
        browse(
            path,
            f"--blink-settings=preferredColorScheme={mode}",
            "--no-pdf-header-footer",
            f"--print-to-pdf={target}",
        )
    undated = [
        re.sub(rb"/(CreationDate|ModDate)\s*\([^)]*\)", b"", target.read_bytes()) for target in (by_day, by_night)
    ]
    assert undated[0] == undated[1]
