"""The data that the processes of a pytest session share: the settings, and a folder with one entry for each audit.

Workers of xdist are separate processes. Each audit writes a file into the session's folder, and the main process makes
the report from these files when the session ends. pytest imports this module in every project, so it imports nothing
heavy at the top.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dpbandits.reference.claims.records import Entry, ErrorRecord

if TYPE_CHECKING:
    from dpbandits.audit.judges.effort import Plan
    from dpbandits.reference.claims.ledger import Ledger

FOLDER = pytest.StashKey[Path]()  # the session's folder
OWNER = pytest.StashKey[bool]()  # set in the process that made the folder, and removes it at the end


def session_folder(config: pytest.Config) -> Path:
    """Returns the session's folder for findings, and creates the folder at the first call."""
    if FOLDER not in config.stash:
        config.stash[FOLDER] = Path(tempfile.mkdtemp(prefix="dpbandits-"))
        config.stash[OWNER] = True
    return config.stash[FOLDER]


def ledger_of(config: pytest.Config) -> Ledger:
    """Returns the registered papers and the pages of the option --audit-page.
    Raises ValueError, naming the file, for a page that cannot be loaded."""
    from dpbandits.reference.claims.ledger import open_ledger

    return open_ledger(tuple(config.option.audit_pages))


def plan_of(config: pytest.Config) -> Plan:
    """Returns the settings of audits, of the ledger's claims and others, from the options of the pytest session."""
    from dpbandits.audit.judges.effort import PROFILES, Plan

    return Plan(ledger_of(config), PROFILES[config.option.audit_profile], config.option.audit_seed)


def record_entry(config: pytest.Config, name: str, repeat: str, make: Callable[[], Entry]) -> Entry:
    """Makes the entry of an audit, as in findings.json, and stores it for the report.
    If an exception is raised, its text is stored instead. name: the entry's id. repeat: the command line that repeats
    the audit."""
    from dpbandits.audit.runner import store

    __tracebackhide__ = True
    path = session_folder(config) / "entries" / f"{blake2b(name.encode(), digest_size=16).hexdigest()}.json"
    try:
        made: Entry = without_addresses(make())
        entry: Entry = {**made, "id": name, "repro": repeat}
    except (Exception, pytest.fail.Exception) as error:  # pytest.fail is how a wrong argument is reported
        text = without_addresses(str(error) or repr(error))
        store.write_whole(path, json.dumps({"error": {"id": name, "error": text, "repro": repeat}}))
        raise
    store.write_whole(path, json.dumps({"entry": entry}, sort_keys=True))
    return entry


def without_addresses(value: Any) -> Any:
    """Returns a text, or JSON data, without addresses in memory, which differ from run to run.
    An example is `<Mine object at 0x7f...>`."""
    if isinstance(value, str):
        return re.sub(r" at 0x[0-9a-fA-F]+", "", value)
    if isinstance(value, dict):
        return {name: without_addresses(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [without_addresses(part) for part in value]
    return value


def read_entries(config: pytest.Config) -> tuple[list[Entry], list[ErrorRecord]]:
    """The stored entries of all processes of the session, and the errors of audits without a verdict, unordered."""
    paths = (session_folder(config) / "entries").glob("*.json")
    stored = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    entries = [each["entry"] for each in stored if "entry" in each]
    return entries, [each["error"] for each in stored if "error" in each]
