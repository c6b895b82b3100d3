"""All claims of the page, in the order of its chapters."""

from dpbandits.reference.claims.model import Claim
from dpbandits.reference.papers.tao22 import (
    appendix_a,
    appendix_b_1,
    appendix_b_2,
    appendix_b_3,
    appendix_c_1,
    appendix_c_2,
    front,
    section_3,
    section_4,
    section_4_elimination,
    section_5,
    section_6,
)

CLAIMS: tuple[Claim, ...] = (
    *front.chapter.claims,
    *section_3.chapter.claims,
    *section_4.chapter.claims,
    *section_4_elimination.chapter.claims,
    *section_5.chapter.claims,
    *section_6.chapter.claims,
    *appendix_a.chapter.claims,
    *appendix_b_1.chapter.claims,
    *appendix_b_2.chapter.claims,
    *appendix_b_3.chapter.claims,
    *appendix_c_1.chapter.claims,
    *appendix_c_2.chapter.claims,
)
