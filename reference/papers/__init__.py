"""The pages, in the order in which they joined the ledger; CLAIMS are all their claims."""

from __future__ import annotations

from dpbandits.reference.ledger import Claim
from dpbandits.reference.papers.chen24.claims import CLAIMS as CHEN24
from dpbandits.reference.papers.hu25.claims import CLAIMS as HU25
from dpbandits.reference.papers.ou24.claims import CLAIMS as OU24

PAGES: dict[str, tuple[Claim, ...]] = {"ou24": OU24, "hu25": HU25, "chen24": CHEN24}
CLAIMS: tuple[Claim, ...] = tuple(claim for page in PAGES.values() for claim in page)
