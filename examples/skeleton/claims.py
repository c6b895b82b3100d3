"""All claims of the page, in the order of its chapters."""

from dpbandits.pages import Claim
from skeleton import section_1, section_2

CLAIMS: tuple[Claim, ...] = (
    *section_1.chapter.claims,
    *section_2.chapter.claims,
)
