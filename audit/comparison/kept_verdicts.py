"""What was found about the claims that promise privacy: of a findings document, or as it is kept with the package.

Judging them takes minutes, so a comparison reads. What is kept of a claim counts only where it still says the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dpbandits.audit.claims.statements import statement
from dpbandits.reference.claims.model import Claim

KEPT_FILE = Path(__file__).with_suffix(".json")
UNTOLD = "NOT_JUDGED"  # no verdict: nothing is known of the claim, or of what it said when it was judged


class KeptVerdict(NamedTuple):
    """verdict: as in findings, or UNTOLD. rests_on: as in findings. judged: where it is from."""

    verdict: str
    rests_on: tuple[str, ...]
    judged: str


def kept_document() -> dict[str, Any]:
    """What the package has."""
    return json.loads(KEPT_FILE.read_text("utf-8"))  # type: ignore[no-any-return]


def verdict_of(claim: Claim, document: Mapping[str, Any]) -> KeptVerdict:
    """What the document found about the claim."""
    judged = f"findings of {document['version']}"
    found = next((each for each in document["findings"] if each["id"] == claim.id), None)
    if found is None:
        return KeptVerdict(UNTOLD, (), judged)
    if found["statement"] != statement(claim):
        return KeptVerdict(UNTOLD, (), f"{judged}, where it said something else")
    return KeptVerdict(found["verdict"], tuple(found["rests_on"]), judged)
