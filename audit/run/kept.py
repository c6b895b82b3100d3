"""Cases that are finished: each a file of its own, read back only where nothing has changed since."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from dpbandits.audit.run import store
from dpbandits.audit.run.dispatch import from_json
from dpbandits.proofs_checks.certificates import verify
from dpbandits.reference.ledger import Finding


class Case(NamedTuple):
    """What became of one claim: a finding, or the text of the error that its judge died of. seconds: of the processor,
    in this process; they do not hang on what else the machine was doing."""

    claim: str
    finding: Finding | None
    error: str
    seconds: float


class Place(NamedTuple):
    """Where a case is kept, and the fingerprint under which it counts."""

    path: Path
    mark: str


def keep(case: Case, place: Place) -> None:
    """Writes the case, which has a finding."""
    assert case.finding is not None
    finding = asdict(case.finding)
    content = {
        "fingerprint": place.mark,
        "finding": finding,
        "digest": digest_of(finding, place.mark),
        "seconds": case.seconds,
    }
    store.write_whole(place.path, json.dumps(content, sort_keys=True))


def read_back(claim: str, place: Place) -> Case | None:
    """The stored case, or None where there is none, it is another one's, or it is not what was stored.

    The digest tells damage; certificates are checked again, so that none is published that does not hold.
    """
    if not place.path.is_file():  # a pipe would keep us waiting
        return None
    try:
        kept = json.loads(place.path.read_text(encoding="utf-8"))
        seconds, digest = float(kept["seconds"]), digest_of(kept["finding"], place.mark)
        if (kept["fingerprint"], kept["digest"]) != (place.mark, digest) or not math.isfinite(seconds):
            return None
        finding = from_json(kept["finding"])
        carried = [item["certificate"] for item in finding.evidence if item["kind"] == "certificate"]
        if finding.claim != claim or not all(one["claim"] == claim and verify(one).ok for one in carried):
            return None
        return Case(claim, finding, "", seconds)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def digest_of(finding: Mapping[str, Any], mark: str) -> str:
    """A digest of a stored finding under its fingerprint."""
    text = json.dumps([mark, finding], sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()
