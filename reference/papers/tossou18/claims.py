"""All claims of the page, in the order of its chapters."""

from dpbandits.reference.claims.model import Claim
from dpbandits.reference.papers.tossou18 import theorem_1, theorem_2

CLAIMS: tuple[Claim, ...] = (
    *theorem_1.chapter.claims,
    *theorem_2.chapter.claims,
)
