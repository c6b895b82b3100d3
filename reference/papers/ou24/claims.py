"""The claims of the page, in the paper's order."""

from dpbandits.reference.ledger import Claim

CLAIMS: tuple[Claim, ...] = ()
