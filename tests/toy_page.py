"""The page in the folder `toy`, as a ledger that tests audit."""

from __future__ import annotations

from pathlib import Path

from dpbandits.reference.claims.ledger import open_ledger
from dpbandits.reference.claims.model import Claim

FOLDER = Path(__file__).parent / "toy"
LEDGER = open_ledger((str(FOLDER),))


def toys(*names: str) -> tuple[Claim, ...]:
    """The claims of the page with these names."""
    return tuple(LEDGER.by_id[f"toy/{name}"] for name in names)
