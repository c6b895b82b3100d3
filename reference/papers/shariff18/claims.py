"""All claims of the page, in the order of its chapters."""

from dpbandits.reference.claims.model import Claim
from dpbandits.reference.papers.shariff18 import abstract, calibration

CLAIMS: tuple[Claim, ...] = (
    *abstract.chapter.claims,
    *calibration.chapter.claims,
)
