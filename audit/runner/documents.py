"""The findings document of a run, assembled from its entries, and the files that a run writes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from threading import Thread
from typing import Any, TypedDict, cast

import dpbandits
from dpbandits import registry
from dpbandits.audit.judges.effort import RISK, Plan
from dpbandits.audit.runner import store
from dpbandits.audit.runner.changes import with_histories
from dpbandits.audit.runner.timings import read_timings, updated
from dpbandits.audit.runner.workers import exit_with_parent
from dpbandits.reference.claims.file_names import certificate_names
from dpbandits.reference.claims.records import Certificate, Document, Entry, ErrorRecord, ProfileRecord

SCHEMA = 5
SHIPPED = Path(dpbandits.__file__).with_name("shipped")  # results that are installed, and what is copied from there
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def assemble_document(entries: Sequence[Entry], errors: Sequence[ErrorRecord], plan: Plan) -> Document:
    """The findings document that consists of these entries.
    errors: the claims without a verdict, as id, error, repro."""
    volumes = (plan.ledger.named(key) for key in dict.fromkeys(item["paper"] for item in entries))
    pages = [volume.page for volume in volumes if volume and volume.page.title]
    ids = {item["id"] for item in entries}
    profile = asdict(plan.profile)
    del profile["effort"]["kernel"]  # the field `kernel` records it
    content: Document = {
        "schema": SCHEMA,
        "version": metadata.version("dpbandits"),
        "profile": cast(ProfileRecord, profile),
        "seed": plan.seed,
        "risk": RISK,
        "kernel": kernel_asked(entries, plan),
        "papers": {
            each.key: {
                "title": each.title,
                "short": each.short,
                "authors": each.authors,
                "venue": each.venue,
                "link": each.link,
                "read": each.read,
            }
            for each in pages
        },
        "headlines": [name for each in pages for name in each.headline_ids if name in ids],
        "findings": list(entries),
        "errors": list(errors),
    }
    # In the order in which findings.json will be read again, so that a report made of either is the same.
    return json.loads(json.dumps(content, sort_keys=True))  # type: ignore[no-any-return]


def kernel_asked(entries: Sequence[Entry], plan: Plan) -> str | None:
    """The program whose kernel checked theorems of these entries, such as "coqc 8.16.1"; None if no kernel was used."""
    asked = plan.profile.effort.kernel and any("theorem" in item for item in entries)
    known = registry.added().kernel
    return registry.loaded(known.program)() if asked and known is not None else None


def reportable_entries(entries: Sequence[Entry], plan: Plan, written: bool) -> tuple[list[Entry], dict[str, str]]:
    """Returns the entries that a report can show, and the faults of all other entries, by id.
    So broken evidence of one check is an error of its claim alone. written: whether a report is written. It contains
    histories, and `validate_document` remembers the document that it checked last, so that this one is not checked
    again."""
    from dpbandits.reports.document import validate_document

    try:
        document = assemble_document(entries, [], plan)
        validate_document(with_histories(document) if written else document)
        return list(entries), {}
    except ValueError:
        faults = {}
        for item in entries:
            try:
                validate_document(assemble_document([item], [], plan))
            except ValueError as error:
                faults[item["id"]] = f"the finding cannot be reported: {error}"
        return [item for item in entries if item["id"] not in faults], faults


def exit_status(document: Document) -> int:
    """The exit status: 0 if all verdicts are as expected, 1 if one is not, 2 if a check failed."""
    if document["errors"]:
        return 2
    return 1 if any(found["surprise"] for found in document["findings"]) else 0


class ReportExtras(TypedDict, total=False):
    """Further content of a report, as keywords of `site.pages`."""

    replayed: object
    beside: Mapping[str, object]


def report_extras(document: Document) -> ReportExtras:
    """Returns further content of a report, as keywords of `site.pages`.
    The installed results of `make experiments`, if a paper of the document plays them; and pages that extensions add
    for the papers that need them."""
    papers = {found["paper"] for found in document["findings"]}
    experiments = shipped_json("experiments")
    replayed = papers & {row["paper"] for row in experiments["experiments"]}
    found: ReportExtras = {"replayed": experiments} if replayed else {}
    beside = {
        name: data
        for name, page in registry.added().pages.items()
        if registry.loaded(page.wanted)(data := shipped_json(page.data), papers)
    }
    if beside:
        found["beside"] = beside
    return found


def shipped_json(name: str) -> Any:
    """Reads the JSON data that is installed with the package under this name."""
    return json.loads((SHIPPED / f"{name}.json").read_text(encoding="utf-8"))


def certificates(document: Document) -> dict[str, Certificate]:
    """All certificates of a document, by a name that also serves as a file name."""
    carried = {
        found["id"]: [item["certificate"] for item in found["evidence"] if item["kind"] == "certificate"]
        for found in document["findings"]
    }
    names = certificate_names({claim: len(every) for claim, every in carried.items()})
    return {name: carried[claim][place] for (claim, place), name in names.items()}


def serialised(content: object) -> str:
    """The content as JSON, equal for equal content: sorted keys, no NaN, a newline at the end."""
    return (
        escape_lone_surrogates(json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False))
        + "\n"
    )


def escape_lone_surrogates(text: str) -> str:
    """JSON with lone surrogates escaped, as they occur in file names that are not UTF-8.
    No UTF-8 file could contain them."""
    return LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@contextmanager
def loading_reports() -> Iterator[None]:
    """A context manager that loads the modules which check and draw a document, while checks are still running.
    Loading takes a second."""
    thread = Thread(target=import_module, args=("dpbandits.reports",), daemon=True)
    thread.start()
    yield
    thread.join()


def write_report(document: Document, out: Path, seconds: Mapping[str, float], profile: str, jobs: int = 1) -> None:
    """Writes findings.json, certificates/, timings.json, index.html and the pages linked from it into a folder.
    All of them, or none if there is no room.

    seconds: the time of each claim. profile: as named by `timings.profile_key`. jobs: the number of processes that draw
    the pages. Only timings.json contains durations; everything else is the same for the same seed.
    """
    from dpbandits.reports import pages

    folder = out / "certificates"
    profiles = updated(read_timings(out / "timings.json"), profile, seconds)
    shown = with_histories(document)
    all_pages = pages(shown, **report_extras(document), jobs=jobs, first=partial(exit_with_parent, os.getpid()))
    made = {f"{name}.json": serialised(certificate) for name, certificate in certificates(document).items()}
    files = {
        out / "findings.json": serialised(document),
        out / "timings.json": serialised({"seconds": dict(seconds), "profiles": profiles}),
        **{folder / name: text for name, text in made.items()},
        **{out / name: text for name, text in all_pages.items()},
    }
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
    store.write_all_or_none(files)
    for name in store.MADE:  # what an earlier run left must not pass for what this run found
        store.remove_own_files(out / name, keep={path.name for path in files if path.parent == out / name})
