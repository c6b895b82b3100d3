"""What a pytest session leaves: the HTML report of all its audits, and a sentence about each subject."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dpbandits.audit.cli_shared.outcomes import judgements
from dpbandits.audit.pytest_plugin.entries import read_entries
from dpbandits.audit.pytest_plugin.support import plan_of
from dpbandits.audit.runner import documents, store
from dpbandits.reference.claims import ledger


def write_report(config: pytest.Config) -> list[str]:
    """Writes the HTML report of all audits, in the ledger's order. Returns a sentence about each subject, and then
    where the report is, or why there is none."""
    from dpbandits.reports import render

    left = read_entries(config)
    if not left:
        return [f"no test audited anything, so {config.option.audit_html} was not written"]
    left.sort(key=lambda one: (ledger.ledger().rank(one["id"].split("@")[0]), one["id"]))
    entries = [one["entry"] for one in left if "entry" in one]
    errors = [one["error"] for one in left if "error" in one]
    target = config.invocation_params.dir / config.option.audit_html
    store.claim_file(target)
    sources = Path(os.path.relpath(config.rootpath, target.parent)).as_posix()
    said = judgements(entries)
    document = documents.assembled(entries, errors, plan_of(config)) | ({"judgements": said} if said else {})
    store.write_whole(target, render(document, sources))
    return [*said, f"report of {len(left)} {'audit' if len(left) == 1 else 'audits'}: {target}"]
