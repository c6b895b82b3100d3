"""The bounds by horizon on the report's overview: they are certified, hold between their horizons, and are shown as
they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import inf, log10
from pathlib import Path
from random import Random
from typing import Any

import chromium
import pytest

from dpbandits.extensions.thompson import answers
from dpbandits.extensions.thompson.attack import attack
from dpbandits.extensions.thompson.bound import certified_curve, static_bound
from dpbandits.extensions.thompson.curve_table import read_table, tabled_eps
from dpbandits.extensions.thompson.overview import (
    drawn_horizons,
    headline_block,
    horizon_table,
    lower_steps,
    upper_steps,
)
from dpbandits.extensions.thompson.rules import Sampler, theorem_eps
from dpbandits.reports import pages, render

TABLE = horizon_table()
EXAMPLE = json.loads((Path(__file__).parents[3] / "reports" / "example" / "findings.json").read_text("utf-8"))
FOUR_DIGITS = 1.002  # how much a number grows at most when it is rounded up to four digits


def test_bounds_are_in_order() -> None:
    """More rounds, more arms and a smaller delta are never more private; no attack shows more than a bound allows."""
    for row in TABLE.rows:
        columns = (row.theorem, row.two_arms, row.any_arms, *([row.attack] if row.attack else []))
        assert all(list(column) == sorted(column) and len(column) == len(TABLE.deltas) for column in columns)
        assert all(
            two <= several <= said for two, several, said in zip(row.two_arms, row.any_arms, row.theorem, strict=True)
        )
        assert all(shown <= two for shown, two in zip(row.attack, row.two_arms[: len(row.attack)], strict=True))
    assert [row.horizon for row in TABLE.rows] == sorted({row.horizon for row in TABLE.rows})
    assert list(TABLE.deltas) == sorted(TABLE.deltas, reverse=True)
    for before, after in zip(TABLE.rows, TABLE.rows[1:], strict=False):
        for name in ("theorem", "two_arms", "any_arms"):
            assert all(one <= two for one, two in zip(getattr(before, name), getattr(after, name), strict=True)), name


@pytest.mark.parametrize("arms", [2, None])
@pytest.mark.parametrize("horizon", [10, 20, 100_000])
def test_bounds_are_those_of_the_engine(horizon: int, arms: int | None) -> None:
    found = (certified_curve if horizon < 100 else static_bound)(Sampler(horizon, arms), "pull")
    for delta in TABLE.deltas:
        kept, at = TABLE.certified(horizon, arms, delta)
        assert at == horizon
        assert found.eps(delta) <= kept <= FOUR_DIGITS * found.eps(delta)


@pytest.mark.parametrize("horizon", [100, 1000])
def test_bounds_are_those_of_the_table_of_curves(horizon: int) -> None:
    for delta in TABLE.deltas:
        for arms in (2, None):
            eps, _ = tabled_eps(Sampler(horizon, arms), "pull", delta)
            assert eps <= TABLE.certified(horizon, arms, delta)[0] <= FOUR_DIGITS * eps


def test_attacks_are_shown_by_kept_tables() -> None:
    sampler = Sampler(100, 2)
    kept = [one for one in read_table().attacks if one.sampler == sampler]
    reach = (-12.0, 1.2 * max(one.eps for one in kept) + 30.0)
    made = [attack(sampler, one.pair, levels=answers.followed_pull_counts(sampler), reach=reach) for one in kept]
    for delta in TABLE.deltas:
        shown, at = TABLE.attacked(100, delta)
        assert (at, shown > 0) == (100, True)
        assert shown <= max(each.eps(delta) for each in made) <= FOUR_DIGITS * shown


def test_between_horizons_the_next_larger_bound_and_the_next_smaller_attack_hold() -> None:
    for delta in TABLE.deltas:
        assert TABLE.certified(150, 2, delta) == TABLE.certified(200, 2, delta)
        assert TABLE.certified(150, 7, delta) == TABLE.certified(200, None, delta)
        assert TABLE.attacked(150, delta) == TABLE.attacked(100, delta)
        assert TABLE.certified(3, 2, delta) == TABLE.certified(10, 2, delta)
        exact = certified_curve(Sampler(15, 2), "pull").eps(delta)
        assert TABLE.certified(15, 2, delta)[0] >= exact >= TABLE.attacked(15, delta)[0]
    assert TABLE.certified(10**9, 2, 1e-6) == (inf, 0)
    assert TABLE.attacked(1, 1e-6) == (0.0, 0)


def test_the_theorem_is_interpolated_within_a_thousandth() -> None:
    drawn = Random(0)
    for _ in range(300):
        horizon, delta = round(10 ** drawn.uniform(1, 6)), drawn.choice(TABLE.deltas)
        assert TABLE.theorem(horizon, delta) == pytest.approx(theorem_eps(Sampler(horizon), delta), rel=1e-3)


def test_the_picture_places_numbers_where_its_axes_do() -> None:
    """The script draws into these axes, so the ends of the theorem's curve lie where it would put them."""
    drawn = drawn_horizons(TABLE)
    (path,) = re.findall(r'<path d="M ?([^"]*)"[^>]*style="[^"]*stroke: var\(--claimed\)', drawn.picture.svg)
    numbers = [float(each) for each in re.findall(r"[-\d.]+", path)]
    place = TABLE.deltas.index(1e-6)

    def along(ends: tuple[tuple[float, float], tuple[float, float]], value: float) -> float:
        (low, start), (high, end) = ends
        return start + (log10(value) - low) / (high - low) * (end - start)

    for row, (x, y) in ((TABLE.rows[0], numbers[:2]), (TABLE.rows[-1], numbers[-2:])):
        assert along(drawn.x, row.horizon) == pytest.approx(x, abs=0.02)
        assert along(drawn.y, row.theorem[place]) == pytest.approx(y, abs=0.02)
    for colour in ("--claimed", "--exact", "--other-1", "--other-2"):  # by which the script finds the curves
        assert len(re.findall(rf'<path [^>]*style="[^"]*var\({colour}\)', drawn.picture.svg)) == 1, colour


def test_the_overview_begins_with_the_numbers_of_its_finding() -> None:
    """The block stands where the report begins with this claim, and says of T = 1000 what the claim's table says; a
    report on one page, or one that begins with another claim, has the picture of the finding."""
    found = next(each for each in EXAMPLE["findings"] if each["id"] == "ou24/theorem-3/game/thousand")
    (table,) = [item for item in found["evidence"] if item["kind"] == "table"][:1]
    place, row = TABLE.deltas.index(1e-6), next(row for row in TABLE.rows if row.horizon == 1000)
    assert table["rows"][0][1:] == pytest.approx([row.theorem[place], row.two_arms[place], row.attack[place]], rel=1e-3)
    few = EXAMPLE | {"findings": [found], "headlines": [found["id"]]}
    overview = pages(few)["index.html"]
    assert 'id="horizon-data"' in overview
    for name, value in (("claimed", "355.4"), ("certified", "43.31"), ("attack", "42.96")):
        assert f'<dd id="horizons-{name}">{value}</dd>' in overview
    assert (
        "The bound was computed by the threshold game for this T. The attack is on runs of this length too." in overview
    )
    assert 'id="horizon-data"' not in render(few)
    other = next(each for each in EXAMPLE["findings"] if each["id"] != found["id"])
    assert 'id="horizon-data"' not in pages(few | {"findings": [other, found], "headlines": []})["index.html"]
    assert headline_block.__module__ == "dpbandits.extensions.thompson.overview"


@pytest.mark.parametrize(("verdict", "holds"), [("ARGUED", True), ("PROVED", True), ("CONSISTENT", False)])
def test_the_overview_says_that_the_theorem_holds_and_is_loose(verdict: str, holds: bool) -> None:
    """Only if the report has a finding by which it holds, and not if it was merely not refuted."""
    for row in TABLE.rows:
        bounds = zip(row.two_arms, row.any_arms, row.theorem, strict=True)
        assert all(max(two, several) < said for two, several, said in bounds)
    found = next(each for each in EXAMPLE["findings"] if each["id"] == "ou24/theorem-3/game/thousand")
    said = "</a> holds <span"
    for also, wanted in ((found | {"id": "ou24/theorem-3", "verdict": verdict}, holds), (None, False)):
        findings = [found, also] if also else [found]
        overview = pages(EXAMPLE | {"findings": findings, "headlines": [found["id"]]})["index.html"]
        assert (said in overview) is ("but it is loose" in overview) is wanted


# -- in a browser ------------------------------------------------------------------------------------------------------

SHOWN = """
const of = (name) => document.getElementById(`horizons-${name}`).textContent;
const svg = document.querySelector(".featured .canvas svg");
const path = (name) => svg.querySelector(`path[style*="var(${name})"]`).getAttribute("d");
return [...["claimed", "certified", "attack", "answer"].map(of), ...["--exact", "--other-1", "--other-2"].map(path)];
"""
in_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.found() is None, reason="no Chromium on this machine"),
]


@pytest.fixture(scope="module")
def overview(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "index.html"
    path.write_text(pages(EXAMPLE)["index.html"], encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Browser]:
    made = chromium.Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


def in_browser_test(test: Any) -> Any:
    for mark in in_browser:
        test = mark(test)
    return test


@in_browser_test
@pytest.mark.parametrize(
    ("horizon", "arms", "delta"),
    [(1000, 2, 1e-6), (1500, 2, 1e-5), (150, None, 1e-9), (12, 2, 1e-3), (10**6, None, 1e-6)],
)
def test_the_script_answers_as_the_table_does(
    browser: chromium.Browser, overview: Path, horizon: int, arms: int | None, delta: float
) -> None:
    """For choices in the address, and for the same ones typed; then the address has them."""
    query = f"T={horizon}&K={arms or 'any'}&delta={delta}"
    typed = (
        f"const form = document.getElementById('horizons'); form.elements.T.value = {horizon}; "
        f"form.elements.K.value = '{arms or 'any'}'; form.elements.delta.value = {TABLE.deltas.index(delta)}; "
        "form.dispatchEvent(new Event('input'));"
    )
    with browser.tab(overview, query=query) as tab:
        shown = tab.told(SHOWN)
        assert tab.complaints() == []
    with browser.tab(overview) as tab:
        tab.told(typed)
        assert tab.told(SHOWN) == shown
        with_choice = tab.told("return location.href")
    with browser.tab(overview, query=with_choice.partition("?")[2]) as tab:
        assert tab.told(SHOWN) == shown
    claimed, certified, attacked, said, *paths = shown
    bound, computed = TABLE.certified(horizon, arms, delta)
    eps, rounds = TABLE.attacked(horizon, delta)
    assert float(certified) == bound
    assert (attacked == "–") if not rounds else (float(attacked) == eps)
    assert float(claimed) == pytest.approx(TABLE.theorem(horizon, delta), rel=2e-4)
    assert ("for this T" in said) == (computed == horizon)
    assert (f"for T = {computed}." in said) == (computed != horizon)
    assert ("any number of arms" in said) == (arms is None)
    assert all(path.startswith("M") for path in paths)


@in_browser_test
def test_the_script_draws_the_curves_that_were_drawn(browser: chromium.Browser, overview: Path) -> None:
    """For what is shown before anybody chooses, its curves are those of the picture without a script."""
    with browser.tab(overview, mute=True) as tab:
        assert tab.told("return document.getElementById('horizons').hidden") is True
        before = tab.told(SHOWN)
    with browser.tab(overview) as tab:
        after = tab.told(SHOWN)
    assert before[:3] == after[:3]
    for one, two in zip(before[4:], after[4:], strict=True):
        first, second = ([float(each) for each in re.findall(r"[-\d.]+", path)] for path in (one, two))
        assert (min(first), max(first)) == pytest.approx((min(second), max(second)), abs=0.03)


@in_browser_test
@pytest.mark.parametrize("horizon", ["9", "2000000", "many"])
def test_horizons_beyond_the_table_are_refused(browser: chromium.Browser, overview: Path, horizon: str) -> None:
    with browser.tab(overview, query=f"T={horizon}") as tab:
        shown = tab.told(SHOWN)
        assert tab.complaints() == [] or horizon == "many"  # Chromium warns of what is no number
    assert shown[:3] == ["–", "–", "–"]
    assert "Choose T from 10 to 1000000" in shown[3]


def test_the_drawn_stairs_say_what_the_rows_say() -> None:
    """An upper bound holds for shorter runs, down to the row before; an attack for longer ones, up to the next row."""
    rows = [horizon_table().rows[0]._replace(horizon=horizon) for horizon in (10, 100, 1000)]
    assert upper_steps(rows, [1.0, 2.0, 3.0]).tolist() == [[10, 1], [10, 2], [100, 2], [100, 3], [1000, 3]]
    assert lower_steps(rows, [1.0, 2.0, 3.0], 5000).tolist() == [
        [10, 1], [100, 1], [100, 2], [1000, 2], [1000, 3], [5000, 3]
    ]  # fmt: skip
