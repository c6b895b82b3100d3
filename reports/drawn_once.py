"""A cache of pictures in each process: several pages show the same picture, and drawing takes most of the time of a
report. The drawing library is imported with the first picture."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup

from dpbandits.reference.claims.codec import from_data
from dpbandits.reference.claims.findings import VariableRange
from dpbandits.reference.claims.records import CertificateItem, Entry, PicturedItem
from dpbandits.reports.refutations import PrivacyExcess, certificate_excesses

if TYPE_CHECKING:
    from dpbandits.reports.plotting import Picture

UNNAMED_FIGURE = "figure-that-has-no-name-yet"
MAX_KEPT_PICTURES = 4096  # of some 10 kB each


def picture(item: PicturedItem, name: str) -> Picture:
    """Draws the picture of an item of evidence, once in a process.
    name: unique on the page; the ids within the picture begin with it."""
    return named_picture(evidence_picture(json.dumps(item)), name)


def crossing_picture(finding: Entry, item: CertificateItem, name: str) -> Picture | None:
    """The picture of both sides of a refuted formula, as functions of the variable that shows best where it fails.
    None if there is none."""
    drawn = formula_picture(json.dumps([item["certificate"], finding.get("ranges", [])]))
    return named_picture(drawn, name) if drawn else None


def excess_picture(finding: Entry, item: CertificateItem, name: str) -> Picture | None:
    """The picture of a test whose errors a privacy guarantee excludes; None if the certificate shows no such test."""
    shown = [each for each in certificate_excesses(item["certificate"], finding.get("view") == "arms") if each.test]
    return named_picture(drawn_excess(shown[0]), name) if shown else None


def named_picture(drawn: Picture, name: str) -> Picture:
    """The picture with the name that it has on a page. drawn: the same picture with a placeholder for the name."""
    svg = Markup(drawn.svg.replace(UNNAMED_FIGURE, name))  # made by our own drawing, so safe
    return drawn._replace(name=name, svg=svg)


@lru_cache(MAX_KEPT_PICTURES)
def evidence_picture(item: str) -> Picture:
    """The picture of an item of evidence, with a placeholder for its name. item: as JSON, so that it can be cached."""
    from dpbandits.reports import figures

    return figures.draw(json.loads(item), UNNAMED_FIGURE)


@lru_cache(MAX_KEPT_PICTURES)
def formula_picture(certificate_and_ranges: str) -> Picture | None:
    """The picture of a refuted formula, with a placeholder for its name; None if there is nothing to draw.
    The argument is the certificate and the ranges of its variables as JSON, so that it can be cached."""
    from dpbandits.reports.crossings import crossing

    certificate, ranges = json.loads(certificate_and_ranges)
    return crossing(certificate, [from_data(VariableRange, each) for each in ranges], UNNAMED_FIGURE)


@lru_cache(MAX_KEPT_PICTURES)
def drawn_excess(excess: PrivacyExcess) -> Picture:
    """The picture of a test whose errors a guarantee excludes, with a placeholder for its name."""
    from dpbandits.reports import figures

    return figures.draw_excess(excess, UNNAMED_FIGURE)
