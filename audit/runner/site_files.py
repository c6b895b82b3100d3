"""A report as one static site: a start page, the report, its claims as JSON, and the documentation if it was built.

Addresses that stay the same from release to release:

    index.html                  what there is, and a table of papers
    report/                     the report; report/claims/PAPER__CLAIM.html is the page of a claim, with its history
    claims.json                 all claims with verdict, basis and address
    docs/                       the documentation

All links are relative, so the site works below any path and without a server.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from dpbandits.audit.runner import documents, store
from dpbandits.audit.runner.changes import with_histories
from dpbandits.reference.claims.file_names import stem
from dpbandits.reference.claims.records import Document


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


def claims_of(document: Document) -> list[Claim]:
    """All claims of a findings document, in its order."""
    return [
        Claim(
            found["id"],
            found["paper"],
            found["where"],
            found["statement"],
            found["reading"],
            found["verdict"],
            list(found["rests_on"]),
            found["harm"],
            page=f"report/claims/{stem(found['id'])}.html",
        )
        for found in document["findings"]
    ]


def start_page(document: Document, docs: bool, badges: bool) -> str:
    """index.html: where things are, and a row for each paper. docs, badges: whether the site has them."""
    from dpbandits.reports.page import start_page as filled
    from dpbandits.reports.tally import errors_that_matter, papers, tally

    rows = []
    for key, findings in papers(document["findings"]).items():
        found, known = tally(findings), document["papers"].get(key, {"title": key, "authors": "", "venue": ""})
        rows.append((key, known, found.total, dict(found.counts), errors_that_matter(found)))
    return filled(document=document, rows=rows, docs=docs, badges=badges)


def write_site(
    document: Document, out: Path, docs: Path | None = None, more: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Writes the site into an empty folder or over a former site. document: valid findings.
    docs: the folder of the built documentation, None for none. more: further texts, by their file names in the site;
    `badges/` among them. Raises Refused if the folder contains anything else than a former site."""
    from dpbandits.reports import pages

    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / "claims.json").is_file())):
        raise store.Refused(f"{out} contains files, but is not a site that dpbandits wrote; choose another folder")
    made = pages(with_histories(document), "index.html", **documents.report_extras(document))
    texts = {f"report/{name}": text for name, text in made.items()}
    for name, certificate in documents.certificates(document).items():
        texts[f"report/certificates/{name}.json"] = documents.serialised(certificate)
    texts["report/findings.json"] = documents.serialised(document)
    # claims.json: the version and profile of the run, and a row for each claim
    run = {"version": document["version"], "profile": document["profile"]["name"], "seed": document["seed"]}
    rows = [claim._asdict() for claim in claims_of(document)]
    texts["claims.json"] = json.dumps({**run, "claims": rows}, ensure_ascii=False, indent=1) + "\n"
    texts["index.html"] = start_page(document, docs is not None, any(name.startswith("badges/") for name in more))
    texts[".nojekyll"] = ""  # some hosts would leave out the folders whose names begin with _
    shutil.rmtree(out, ignore_errors=True)
    if docs is not None:
        shutil.copytree(docs, out / "docs", ignore=shutil.ignore_patterns(".doctrees", ".buildinfo"))
    for name, text in {**texts, **more}.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
