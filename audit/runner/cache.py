"""Cases that are finished: each a file of its own, read back only where nothing has changed since."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from dpbandits.audit.runner import store
from dpbandits.audit.runner.dispatch import from_json
from dpbandits.reference.claims.model import Finding


class Case(NamedTuple):
    """What became of one claim: a finding, or the text of the error that its judge died of. seconds: of the processor,
    in this process; they do not hang on what else the machine was doing."""

    claim: str
    finding: Finding | None
    error: str
    seconds: float


class CasePlace(NamedTuple):
    """Where a case is kept, and the key under which it counts."""

    path: Path
    key: str


# What reading a foreign file may raise: the last one where a number is none that a double could hold.
UNREADABLE = (OSError, ValueError, KeyError, TypeError, RecursionError, OverflowError)
TEXT_FIELDS = ("summary", "resolution", "repro")  # what a finding says in words


def keep(case: Case, place: CasePlace) -> None:
    """Writes the case, which has a finding."""
    assert case.finding is not None
    found = asdict(case.finding)
    content = {"finding": found, "seconds": case.seconds, "fingerprint": place.key}
    store.write_whole(place.path, json.dumps(content | {"digest": digest_of(found, place.key)}, sort_keys=True))


def read_back(claim: str, place: CasePlace) -> Case | None:
    """The stored case, or None where there is none, it is another one's, or it is not what was stored.

    The digest tells damage; certificates are checked again, so that none is published that does not hold.
    """
    try:
        if not place.path.is_file():  # a pipe would keep us waiting
            return None
        content = json.loads(place.path.read_text(encoding="utf-8"))
        found, seconds = content["finding"], float(content["seconds"])
        if (content["fingerprint"], content["digest"]) != (place.key, digest_of(found, place.key)):
            return None
        finding = from_json(found)
        good = math.isfinite(seconds) and not fault(claim, finding)
        return Case(claim, finding, "", seconds) if good else None
    except UNREADABLE:
        return None


def fault(claim: str, finding: Finding) -> str:
    """What keeps a finding from being one about this claim, and from being read back: "" where nothing does. Each of
    its certificates holds, and is about the claim or the statement that it is a variant of: where the printed formula
    is false, a state of the mechanism may show it as well. Raises one of UNREADABLE where it is none at all."""
    if finding.claim != claim:
        return f"the finding is about claim {finding.claim!a}, and the claim is {claim!a}"
    for name in TEXT_FIELDS:
        if not isinstance(said := getattr(finding, name), str):
            return f"its {name} is {said!a:.80}, and no text"
    carried = [item["certificate"] for item in finding.evidence if item["kind"] == "certificate"]
    for number, one in enumerate(carried, start=1):
        from dpbandits.proofs_checks.checker.verification import verify

        if not variant(claim, one["claim"]):
            return (
                f"certificate {number} of {len(carried)} names the claim {one['claim']!a}; it has to name {claim!a}, "
                "or the statement of which that is a variant"
            )
        if not (checking := verify(one)).ok:
            return f"certificate {number} of {len(carried)} does not hold: {'; '.join(checking.lines)}"
    return ""


def variant(claim: str, statement: Any) -> bool:
    """Whether the claim is the statement itself, or a variant of it: ou24/theorem-7/formula is one of ou24/theorem-7.
    A page is no statement."""
    return claim == statement or ("/" in str(statement) and claim.startswith(f"{statement}/"))


def digest_of(found: Any, key: str) -> str:
    """A digest of what is stored under its key."""
    text = json.dumps([key, found], sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()
