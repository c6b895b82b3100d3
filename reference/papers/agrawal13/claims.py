"""All claims of the page, in the order of its chapters."""

from dpbandits.reference.claims.model import Claim
from dpbandits.reference.papers.agrawal13 import abstract, privacy

CLAIMS: tuple[Claim, ...] = (
    *abstract.chapter.claims,
    *privacy.chapter.claims,
)
