"""All claims of the page, in the order of its chapters."""

from dpbandits.reference.claims.model import Claim
from dpbandits.reference.papers.sajed19 import analysis, front, privacy

CLAIMS: tuple[Claim, ...] = (
    *front.chapter.claims,
    *privacy.chapter.claims,
    *analysis.chapter.claims,
)
