"""What the audits of a pytest session leave for its report, a file each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from dpbandits.audit.pytest_plugin.session_folder import session_folder
from dpbandits.audit.runner import store


def place(config: pytest.Config) -> Path:
    return session_folder(config) / "entries"


def record_entry(config: pytest.Config, name: str, repeat: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Makes an entry under this id and repro line, and leaves it for the report; or else the error that came
    instead. One file each, so that xdist's processes cannot disturb one another."""
    __tracebackhide__ = True
    left = place(config) / f"{blake2b(name.encode(), digest_size=16).hexdigest()}.json"
    try:
        entry: dict[str, Any] = nameless(make()) | {"id": name, "repro": repeat}
    except (Exception, pytest.fail.Exception) as error:  # what is no policy is told by pytest.fail
        text = nameless(str(error) or repr(error))
        store.write_whole(left, json.dumps({"id": name, "error": {"id": name, "error": text, "repro": repeat}}))
        raise
    store.write_whole(left, json.dumps({"id": name, "entry": entry}, sort_keys=True))
    return entry


def nameless(value: Any) -> Any:
    """A text, or JSON data of texts, without addresses in memory: `<Mine object at 0x7f...>` differs from run
    to run."""
    if isinstance(value, str):
        return re.sub(r" at 0x[0-9a-fA-F]+", "", value)
    if isinstance(value, dict):
        return {name: nameless(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [nameless(part) for part in value]
    return value


def read_entries(config: pytest.Config) -> list[dict[str, Any]]:
    """What all processes of the session have left: {"id": ..., and "entry" or "error": ...}, in no order."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in place(config).glob("*.json")]
