"""All claims of the page, in the order of its chapters."""

from dpbandits.reference.ledger import Claim
from dpbandits.reference.papers.chen24 import appendix_c, section_4_3

CLAIMS: tuple[Claim, ...] = (
    *section_4_3.chapter.claims,
    *appendix_c.chapter.claims,
)
