"""What every template may use: the document, its pictures, and links from one page to everything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from posixpath import dirname, relpath
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from dpbandits.reports.drawn_once import crossing_picture, picture
from dpbandits.reports.filters import Options, filter_rules
from dpbandits.reports.page import anchor, style
from dpbandits.reports.plan import Site, certificates
from dpbandits.reports.tally import Finding, RefutationGroup


def variables(site: Site, here: str, options: Options = ()) -> dict[str, Any]:  # type: ignore[assignment]
    """What every template may use: the document, its pictures, and links from this page to everything else."""
    numbering = count(1)
    return {
        "here": here,
        "document": site.data,
        "alone": site.alone,
        "tally": site.tally,
        "papers": site.papers,
        "present": set(site.places),
        **links(site, here),
        "again": lambda finding: (site.again or {}).get(finding["id"]),
        "made_on": site.date,
        "picture": lambda item: picture(item, f"figure-{next(numbering)}"),
        "crossing_picture": lambda finding, item: crossing_picture(finding, item, f"figure-{next(numbering)}"),
        "style": Markup(style() + filter_rules(list(options))),  # our own file and our own rules, so safe
    }


def links(site: Site, here: str) -> dict[str, Callable[..., Any]]:
    """What templates call for the address of a claim, a letter, a paper, as seen from the page `here`; empty where it
    has none."""
    paper_files = {paper.key: paper.page for paper in site.papers}

    def to(page: str, fragment: str = "") -> str:
        path = "" if page == here else quote(relpath(page, dirname(here) or "."))
        return path + (f"#{quote(fragment)}" if fragment or not path else "")

    def href(claim: str, _: str = "") -> str:
        return to(site.places[claim], anchor(claim)) if claim in site.places else to(site.start)

    def group_href(group: RefutationGroup, _: str = "") -> str:
        page = site.letters.get((group.paper, group.where))
        return to(page) if page else href(group.findings[0]["id"])

    def letter(finding: Finding, _: str = "") -> str:
        page = site.letters.get((finding["paper"], finding["where"])) if finding["verdict"] == "REFUTED" else None
        return to(page) if page else ""

    def certificate_file(finding: Finding, item: Mapping[str, Any]) -> str:
        place = next(place for place, other in enumerate(certificates(finding)) if other is item)
        return site.certificates.get((finding["id"], place), "")

    return {
        "href": href,
        "group_href": group_href,
        "letter": letter,
        "certificate_file": certificate_file,
        "paper_href": lambda key, _="": to(paper_files[key]),
        "index_href": lambda _="": to(site.start) if here != site.start else "",
        "libraries_href": lambda _="": to(site.libraries) if site.libraries else "",
        "comparison_href": lambda _="": to(site.comparison) if site.comparison else "",
        "experiments_href": lambda _="": to(site.experiments) if site.experiments else "",
        "again_href": lambda finding, _="": to(site.experiments, anchor(finding["id"])),
        "menu": lambda _="": [("", "Overview", to(site.start)), *((p.key, p.short, to(p.page)) for p in site.papers)],
    }
