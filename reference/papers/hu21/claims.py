"""All claims of the page, in the order of its chapters."""

from dpbandits.reference.claims.model import Claim
from dpbandits.reference.papers.hu21 import analysis, privacy

CLAIMS: tuple[Claim, ...] = (
    *privacy.chapter.claims,
    *analysis.chapter.claims,
)
