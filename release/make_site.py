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
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from jinja2 import Environment, StrictUndefined

from dpbandits.audit.runner import documents
from dpbandits.audit.runner.changes import with_histories
from dpbandits.extensions.conformance.judgement import Badge, as_endpoint, as_svg
from dpbandits.reference.claims.file_names import stem
from dpbandits.reports import pages
from dpbandits.reports.document import validate_document
from dpbandits.reports.tally import Tally, papers, tally

ROOT = Path(__file__).parents[1]


class Claim(NamedTuple):
    """What claims.json says of a claim. page: its address in the site."""

    id: str
    paper: str
    where: str
    statement: str
    reading: str
    verdict: str
    rests_on: list[str]
    harm: str
    page: str


def claims_of(document: Mapping[str, Any]) -> list[Claim]:
    """All claims of a findings document, in its order."""
    return [
        Claim(
            **{name: found[name] for name in Claim._fields if name != "page"},
            page=f"report/claims/{stem(found['id'])}.html",
        )
        for found in document["findings"]
    ]


def claims_file(document: Mapping[str, Any]) -> str:
    """claims.json: the version and profile of the run, and a row for each claim."""
    run = {"version": document["version"], "profile": document["profile"]["name"], "seed": document["seed"]}
    rows = [claim._asdict() for claim in claims_of(document)]
    return json.dumps({**run, "claims": rows}, ensure_ascii=False, indent=1) + "\n"


def errors_of(found: Tally) -> int:
    """The distinct errors that change a guarantee, a statement or a number. Gaps in proofs of what holds and misprints
    are not among them."""
    return sum(harm.errors for harm in found.harms if not harm.folded)


def badge_of(findings: Sequence[Mapping[str, Any]]) -> Badge:
    """What was found in a paper, in a few words."""
    many = errors_of(tally(findings))
    said = f"{many} {'error' if many == 1 else 'errors'}" if many else "no error found"
    return Badge(f"{len(findings)} claims checked, {said}", "orange" if many else "brightgreen")


def start_page(document: Mapping[str, Any]) -> str:
    """index.html: where things are, and a row for each paper."""
    rows = []
    for key, findings in papers(document["findings"]).items():
        found = tally(findings)
        rows.append((key, document["papers"][key], found.total, dict(found.counts), errors_of(found)))
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    template = environment.from_string(Path(__file__).with_name("start.html").read_text(encoding="utf-8"))
    return template.render(document=document, rows=rows)


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
    """Writes the site into an empty or former folder."""
    if out.exists() and any(out.iterdir()) and not (out / "claims.json").is_file():
        sys.exit(f"error: {out} holds other files than a former site: name another folder with --out")
    document = validate_document(json.loads(findings.read_text(encoding="utf-8")))
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(docs, out / "docs", ignore=shutil.ignore_patterns(".doctrees", ".buildinfo"))
    made = pages(with_histories(document), "index.html", **documents.extras(document))
    texts = {f"report/{name}": text for name, text in made.items()}
    for name, certificate in documents.certificates(document).items():
        texts[f"report/certificates/{name}.json"] = documents.serialised(certificate)
    for key, group in papers(document["findings"]).items():
        texts[f"badges/{key}.svg"] = as_svg(badge_of(group))
        texts[f"badges/{key}.json"] = as_endpoint(badge_of(group))
    texts["report/findings.json"] = findings.read_text(encoding="utf-8")
    texts["claims.json"] = claims_file(document)
    texts["index.html"] = start_page(document)
    texts[".nojekyll"] = ""  # some hosts would leave out the folders whose names begin with _
    for name, text in texts.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


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
