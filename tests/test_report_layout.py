"""The report's layout in a real browser: no formula unfolded that is higher than three lines, on any screen; nothing
wider than its screen; what stays folded on paper.

Skipped where no Chromium is installed (Debian: `apt-get install chromium`).
"""

from __future__ import annotations

import copy
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import Browser, found

from dpbandits.audit.claims.statements import statement_parts
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reports import lines, pages
from dpbandits.reports.page import style

pytestmark = [pytest.mark.browser, pytest.mark.skipif(found() is None, reason="no Chromium on this machine")]
MADE = runpy.run_path(str(Path(__file__).with_name("sample_findings.py")))
TELEPHONE, SCREEN = 390, 1280
SHORT = 24  # characters of a formula that cannot be too high


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


# Of all formulas that can be seen: those that are higher than three lines of text, how many there are, and whether the
# page is wider than its window.
TOO_HIGH = """
const three = 3 * parseFloat(getComputedStyle(document.body).lineHeight);
const seen = [...document.querySelectorAll('p.eq, p.with, .sides td')].filter(
  (each) => each.querySelector('math') && [...each.querySelectorAll('math')].every((part) => part.checkVisibility()));
const high = seen.filter((each) => each.getBoundingClientRect().height > three);
return [high.map((each) => each.textContent), seen.length, document.documentElement.scrollWidth > innerWidth];
"""


def of_formulas(folder: Path, formulas: list[tuple[str, str, str]]) -> Path:
    """A page of formulas as claims show them, and as counterexamples do."""
    shown = []
    for left, sign, right in formulas:
        made = lines.typeset_sides(left, right)
        assert made is not None
        one, other, letters = made
        cells = [("left", one), ("right", other), *letters]
        table = "".join(
            f'<tr><th scope="row">{n}</th><td>{f}</td><td class="value">= 0.123456789</td></tr>' for n, f in cells
        )
        typeset = f'<div class="says">{lines.display(left, sign, right)}</div>'
        says = f'<dl class="facts"><dt>Checked</dt><dd>{typeset}</dd></dl>'
        shown.append(f'{says}<div class="counter"><table class="sides">{table}</table></div>')
    page = folder / "formulas.html"
    head = '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>f</title>'
    page.write_text(f"{head}<style>{style()}</style><body><main>{''.join(shown)}</main>", encoding="utf-8")
    return page


def test_no_formula_of_the_ledger_is_higher_than_three_lines(browser: Browser, tmp_path: Path) -> None:
    """Those that would be are folded, on a telephone more of them than on a screen."""
    formulas = {
        (part["left"], part["sign"], part["right"]): None
        for claim in ledger().claims
        for part in statement_parts(claim)
        if part["kind"] in ("formula", "where") and len(part["left"]) + len(part["right"]) > SHORT
    }
    page, seen = of_formulas(tmp_path, [*formulas]), {}
    for width in (TELEPHONE, 834, SCREEN):
        with browser.tab(page, width=width) as tab:
            high, seen[width], wider = tab.told(TOO_HIGH)
        assert (high, wider) == ([], False), width
    assert len(formulas) < seen[TELEPHONE] <= seen[834] < seen[SCREEN]
    # What is folded would be too high, so that the question sees what it is asked about.
    with browser.tab(page, width=SCREEN) as tab:
        tab.told("for (const each of document.querySelectorAll('details.folded')) each.open = true; return 0")
        high, whole, _ = tab.told(TOO_HIGH)
    assert len(high) > 20
    assert whole > seen[SCREEN]


def test_what_is_folded_on_a_telephone_alone_is_one_tap_away(browser: Browser, tmp_path: Path) -> None:
    slope = "ncdf(-{0} / {1} + {1} / 2) - exp({0}) * ncdf(-{0} / {1} - {1} / 2)"
    page = of_formulas(tmp_path, [(slope.format("eps", "mu"), "<=", slope.format("x", "y"))])
    state = """
    const fold = document.querySelector('.says details.narrow');
    return [fold.querySelector('summary').checkVisibility(), fold.querySelector('math').checkVisibility()];
    """
    with browser.tab(page, width=SCREEN) as tab:
        assert tab.told(state) == [False, True]
    with browser.tab(page, width=TELEPHONE) as tab:
        assert tab.told(state) == [True, False]
        tab.told("document.querySelector('.says details.narrow summary').click()")
        assert tab.told(state) == [True, True]
        tab.told("document.querySelector('.says details.narrow summary').click()")
        tab.ask("Emulation.setEmulatedMedia", media="print")
        assert tab.told(state) == [False, True]


def written(folder: Path, findings: list[dict[str, Any]]) -> Path:
    for name, text in pages({**MADE["document"](), "findings": findings, "headlines": []}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def long_counterexample() -> dict[str, Any]:
    """A refutation with a formula that has letters, long numbers, and a term that cannot be broken."""
    finding = next(each for each in MADE["document"]()["findings"] if each["verdict"] == "REFUTED")
    finding = copy.deepcopy(finding)
    part = "sqrt(log(1 / delta) + eps * a_very_long_name_of_a_number_that_goes_on / 2)"
    item = MADE["formula_certificate"](finding["id"])
    variables = {
        "delta": "0.1",
        "eps": "2",
        "a_very_long_name_of_a_number_that_goes_on": "0.12345678901234567890123456789",
    }
    sides = {
        "left": f"{part} * {part} + exp({part}) * ncdf({part})",
        "right": " * ".join(f"name_{i}" for i in range(30)),
    }
    item["certificate"] |= {**sides, "variables": variables | {f"name_{i}": str(i / 7) for i in range(30)}}
    return {**finding, "evidence": [item]}


@pytest.mark.parametrize("width", [320, TELEPHONE, SCREEN])
def test_counterexamples_stay_within_their_frames(browser: Browser, tmp_path: Path, width: int) -> None:
    """Whatever is in them: what is too wide scrolls in its own frame, and on a telephone its sides stand below their
    names."""
    folder = written(tmp_path, [long_counterexample()])
    page = next((folder / "refuted").glob("*.html"))
    question = """
    const frame = document.querySelector('.counter').getBoundingClientRect();
    const inside = (each) => each.getBoundingClientRect().right <= frame.right + 0.5;
    const parts = [...document.querySelectorAll('.counter > *, .counter tr, .counter td, .counter dd, .counter th')];
    const sides = document.querySelector('.sides tr');
    const [name, formula] = [...sides.children].map((each) => each.getBoundingClientRect());
    return [document.documentElement.scrollWidth > innerWidth, parts.filter((each) => !inside(each)).length,
            formula.top >= name.bottom - 1, document.querySelectorAll('.sides tr').length];
    """
    with browser.tab(page, width=width) as tab:
        wider, out, below, rows = tab.told(question)
        assert (wider, out) == (False, 0)
        assert below == (width < SCREEN)
        assert rows > 2  # there are letters
        # Nothing is hidden: what is higher than three lines stands open below its summary, and can be folded.
        assert all(each.startswith("A formula of ") for each in tab.told(TOO_HIGH)[0])
        hidden = (
            "return [...document.querySelectorAll('.counter math')].filter((each) => !each.checkVisibility()).length"
        )
        assert tab.told(hidden) == 0
        # A frame that let things out would be seen.
        tab.told("document.querySelector('.sides td').style.cssText = 'min-width: 2000px'; return 0")
        assert tab.told(question)[1] > 0


def test_paper_tells_what_fails_and_lists_the_rest(browser: Browser, tmp_path: Path) -> None:
    """A catalogue of 280 statements in the widths of a real one takes a few sheets of paper."""
    kinds = ("REFUTED", "PROVED", "ARGUED", "CONSISTENT", "PROVED")
    pad = "many words " * 250  # so that a paper has several pages, and an own one that lists them all
    findings = [
        MADE["finding"](
            f"claim-{i}",
            kinds[i % 5],
            where=f"Section {i}",
            summary=f"What was found of {i}, in a sentence of some length, as there are many.",
            evidence=[{"kind": "text", "text": pad}],
        )
        for i in range(280)
    ]
    folder = written(tmp_path, findings)
    catalogue = folder / "papers" / "made24.html"
    state = """
    const seen = (kind, part) => [...document.querySelectorAll(`.claim.row.v-${kind} ${part}`)].filter(
      (each) => each.checkVisibility()).length;
    return [
      [...document.querySelectorAll('.fault')].filter((each) => each.checkVisibility()).length,
      ...['REFUTED', 'PROVED'].map((kind) => [seen(kind, '.place'), seen(kind, '.brief')]),
    ];
    """
    with browser.tab(catalogue) as tab:
        assert tab.told(state) == [56, [0, 0], [0, 0]]  # what fails, and sections that say how much is in them
        tab.told("document.getElementById('v-PROVED').checked = true")
        assert tab.told(state) == [56, [0, 0], [112, 112]]  # a choice opens them, by style alone
        tab.told("document.getElementById('v-all').checked = true")
        tab.told("for (const each of document.querySelectorAll('details.chapter')) each.open = true")
        assert tab.told(state) == [56, [56, 56], [112, 112]]
        tab.ask("Emulation.setEmulatedMedia", media="print")
        assert tab.told(state) == [56, [56, 56], [112, 0]]
        tab.told("for (const each of document.querySelectorAll('details.chapter')) each.open = false")
        assert tab.told(state) == [56, [0, 0], [0, 0]]
        sheets = len(re.findall(rb"/Type\s*/Page\b", tab.printed()))
    assert 2 <= sheets <= 5
    with browser.tab(folder / "index.html") as tab:
        assert len(re.findall(rb"/Type\s*/Page\b", tab.printed())) <= 10
