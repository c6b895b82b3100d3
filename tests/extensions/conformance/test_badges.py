"""Badges: what they say of a battery, and that they are files of ours."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import click
import pytest

from dpbandits import Finding, Verdict
from dpbandits.audit.cli_shared.endings import Trouble
from dpbandits.audit.cli_shared.outputs import claim_outputs
from dpbandits.extensions.conformance.battery import Judged
from dpbandits.extensions.conformance.command import check
from dpbandits.extensions.conformance.given import CHECK_OUTPUTS
from dpbandits.extensions.conformance.results_text import FORMS, LABEL, Badge, badge

SVG = "{http://www.w3.org/2000/svg}"


def battery(**verdicts: Verdict) -> list[Judged]:
    return [
        Judged(name.replace("_", " "), Finding("x", verdict, ""), "known" if name == "known" else "")
        for name, verdict in verdicts.items()
    ]


@pytest.mark.parametrize(
    ("found", "message", "colour"),
    [
        (battery(page_law=Verdict.CONSISTENT, regret=Verdict.NOT_EXERCISED), "fits ou24, 2000 runs", "brightgreen"),
        (battery(page_law=Verdict.REFUTED, regret=Verdict.REFUTED), "another law than ou24", "red"),
        (battery(page_law=Verdict.NOT_APPLICABLE, regret=Verdict.CONSISTENT), "not compared with ou24", "lightgrey"),
        (battery(page_law=Verdict.CONSISTENT, a=Verdict.REFUTED, b=Verdict.REFUTED), "fails a and 1 more", "red"),
        (battery(page_law=Verdict.CONSISTENT, known=Verdict.REFUTED), "fails known", "orange"),
        (battery(page_law=Verdict.CONSISTENT, known=Verdict.CONSISTENT), "passes what was expected to fail", "red"),
        (battery(protocol=Verdict.REFUTED), "fails protocol", "red"),
    ],
)  # fmt: skip
def test_a_badge_says_the_worst_and_is_green_for_a_law_alone(found, message, colour):
    assert badge(found, "ou24", 2000) == Badge(message, colour)


@pytest.mark.parametrize("message", ["fits ou24, 2000 runs", 'a "b" <c> & d'])
def test_a_badge_is_a_drawing_or_data(message):
    drawn = ElementTree.fromstring(FORMS[".svg"](Badge(message, "red")))
    texts = [element.text for element in drawn.iter(f"{SVG}text")]
    assert texts == [LABEL, message]
    widths = [float(part.get("width", "nan")) for part in drawn.iter(f"{SVG}rect")]
    assert widths[0] == widths[1] + widths[2] == float(drawn.get("width", "nan"))
    for start, width, element in zip((0, widths[1]), widths[1:], drawn.iter(f"{SVG}text"), strict=True):
        length, middle = float(element.get("textLength", "nan")), float(element.get("x", "nan"))
        assert 6 < length / len(element.text or "") < 8  # pixels for each letter of 11 pixels height
        assert middle == start + width / 2
        assert 4 < (width - length) / 2 < 12  # the margin on either side
    data = json.loads(FORMS[".json"](Badge(message, "red")))
    assert data == {"schemaVersion": 1, "label": LABEL, "message": message, "color": "red"}


@pytest.mark.parametrize("end", [*FORMS])
def test_a_badge_is_written_anew_and_no_file_of_others(tmp_path, end):
    mine = tmp_path / f"badge{end}"
    mine.write_text(FORMS[end](Badge("fits", "red")))
    claim_outputs({"--badge": mine}, CHECK_OUTPUTS)
    mine.write_text(mine.read_text().replace(LABEL, "build"))
    with pytest.raises(Trouble, match="exists already, and this command did not write it"):
        claim_outputs({"--badge": mine}, CHECK_OUTPUTS)


def test_a_badge_of_another_kind_is_none():
    with pytest.raises(click.BadParameter, match=r"'x\.png': the name must end in \.svg or \.json"):
        check.make_context("check", ["--page", "ou24", "--badge", "x.png"])
