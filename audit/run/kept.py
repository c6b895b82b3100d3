"""Cases that are finished: each a file of its own, read back only where nothing has changed since."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from dpbandits.audit.run import store
from dpbandits.audit.run.dispatch import from_json
from dpbandits.proofs_checks.checker.verification import verify
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


# What reading a foreign file may raise: the last one where a number is none that a double could hold.
UNREADABLE = (OSError, ValueError, KeyError, TypeError, RecursionError, OverflowError)
WORDS = ("summary", "resolution", "repro")  # what a finding says in words


def keep(case: Case, place: Place) -> None:
    """Writes the case, which has a finding."""
    assert case.finding is not None
    put(place, "finding", asdict(case.finding), case.seconds)


def read_back(claim: str, place: Place) -> Case | None:
    """The stored case, or None where there is none, it is another one's, or it is not what was stored.

    The digest tells damage; certificates are checked again, so that none is published that does not hold.
    """
    try:
        found, seconds = taken(place, "finding")
        finding = from_json(found)
        return None if fault(claim, finding) else Case(claim, finding, "", seconds)
    except UNREADABLE:
        return None


def fault(claim: str, finding: Finding) -> str:
    """What keeps a finding from being one about this claim, and from being read back: "" where nothing does. Each of
    its certificates holds, and is about the claim or the statement that it is a variant of: where the printed formula
    is false, a state of the mechanism may show it as well. Raises one of UNREADABLE where it is none at all."""
    if finding.claim != claim:
        return f"the finding is about claim {finding.claim!a}, and the claim is {claim!a}"
    for name in WORDS:
        if not isinstance(said := getattr(finding, name), str):
            return f"its {name} is {said!a:.80}, and no text"
    carried = [item["certificate"] for item in finding.evidence if item["kind"] == "certificate"]
    for number, one in enumerate(carried, start=1):
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


def put(place: Place, name: str, told: Any, seconds: float) -> None:
    """Writes what is told, JSON data, under a name of its kind: "finding", or another beside an empty finding."""
    content = {"finding": None, name: told, "seconds": seconds}
    content |= {"fingerprint": place.mark, "digest": digest_of(told, place.mark)}
    store.write_whole(place.path, json.dumps(content, sort_keys=True))


def taken(place: Place, name: str) -> tuple[Any, float]:
    """What was `put` there under this name, and its seconds. Raises one of UNREADABLE where nothing is, where it is
    another one's, or where it is not what was stored."""
    if not place.path.is_file():  # a pipe would keep us waiting
        raise FileNotFoundError(place.path)
    kept = json.loads(place.path.read_text(encoding="utf-8"))
    told, seconds = kept[name], float(kept["seconds"])
    if (kept["fingerprint"], kept["digest"]) != (place.mark, digest_of(told, place.mark)) or not math.isfinite(seconds):
        raise ValueError(f"{place.path}: another one's, or damaged")
    return told, seconds


def digest_of(told: Any, mark: str) -> str:
    """A digest of what is stored under its fingerprint."""
    text = json.dumps([mark, told], sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()
