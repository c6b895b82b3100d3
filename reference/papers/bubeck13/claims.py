"""All claims of the page."""

from dpbandits.reference.claims.model import Claim
from dpbandits.reference.papers.bubeck13 import analysis

CLAIMS: tuple[Claim, ...] = analysis.chapter.claims
