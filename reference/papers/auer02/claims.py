"""All claims of the page."""

from dpbandits.reference.claims.model import Claim
from dpbandits.reference.papers.auer02 import analysis

CLAIMS: tuple[Claim, ...] = analysis.chapter.claims
