"""One static site from documentation and report: `make site` writes it to the folder `site`.

    python release/make_site.py --docs docs/_build/html --findings reports/out/findings.json --out site

Addresses that stay the same from release to release:

    index.html                  what there is, and a table of papers
    docs/                       the documentation
    report/                     the report; report/claims/PAPER__CLAIM.html is the page of a claim, with its history
    claims.json                 all claims with verdict, basis and address
    badges/PAPER.svg            what was found in a paper, as a picture; PAPER.json for badge services

All links are relative, so the site works below any path and without a server. Links to files that are not there, and
to places that a page does not have, end the script with status 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from dpbandits.audit.runner.site_files import write_site
from dpbandits.audit.runner.store import Refused
from dpbandits.extensions.conformance.results_text import Badge, as_endpoint, as_svg
from dpbandits.reports.document import validate_document
from dpbandits.reports.tally import errors_that_matter, papers, tally

ROOT = Path(__file__).parents[1]


def badge_of(findings: Sequence[Mapping[str, Any]]) -> Badge:
    """What was found in a paper, in a few words."""
    many = errors_that_matter(tally(findings))
    said = f"{many} {'error' if many == 1 else 'errors'}" if many else "no error found"
    return Badge(f"{len(findings)} claims checked, {said}", "orange" if many else "brightgreen")


class Links(HTMLParser):
    """What a page links to, and the places in it that links may name."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("href", "src") and value is not None:
                self.targets.append(value)
            elif name == "id" or (name == "name" and tag == "a"):
                self.places.add(value or "")


def broken_links(site: Path) -> Iterator[str]:
    """The links of all pages that lead nowhere in the site, each with its page. Other sites are not asked."""
    read: dict[Path, Links] = {}
    for page in sorted(site.rglob("*.html")):
        read[page] = Links()
        read[page].feed(page.read_text(encoding="utf-8"))
    for page, links in read.items():
        for target in dict.fromkeys(links.targets):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            shown = f"{page.relative_to(site)}: {target}"
            if parts.path.startswith("/"):
                yield f"{shown} is not relative"
            elif not file.is_file():
                yield f"{shown} is no file of the site"
            elif parts.fragment and file in read and unquote(parts.fragment) not in read[file].places:
                yield f"{shown} names no place of that page"


def build(docs: Path, findings: Path, out: Path) -> None:
    """Writes the site, with badges, into an empty or former folder."""
    document = validate_document(json.loads(findings.read_text(encoding="utf-8")))
    badges = {}
    for key, group in papers(document["findings"]).items():
        badges[f"badges/{key}.svg"] = as_svg(badge_of(group))
        badges[f"badges/{key}.json"] = as_endpoint(badge_of(group))
    try:
        write_site(document, out, docs, badges)
    except Refused as refused:
        sys.exit(f"error: {refused}")


def main() -> None:
    parser = argparse.ArgumentParser(description="One static site from documentation and report.")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs" / "_build" / "html", help="the built documentation")
    parser.add_argument("--findings", type=Path, default=ROOT / "reports" / "out" / "findings.json")
    parser.add_argument("--out", type=Path, default=ROOT / "site")
    options = parser.parse_args()
    for path, remedy in ((options.docs / "index.html", "make docs"), (options.findings, "make audit")):
        if not path.is_file():
            sys.exit(f"error: {path} is missing: run {remedy}, or name another one")
    build(options.docs, options.findings, options.out)
    broken = list(broken_links(options.out))
    print("\n".join(broken) or f"site: {options.out / 'index.html'}")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
