"""All claims of the page, in the order of the paper."""

from dpbandits.reference.claims.model import Claim
from dpbandits.reference.papers.chen24 import (
    appendix_b,
    appendix_c,
    appendix_d,
    appendix_e,
    appendix_f,
    appendix_g,
    appendix_g_1,
    appendix_h,
    appendix_j,
    experiments,
    section_3,
    section_4,
    section_4_3,
    theorem_4_7,
)

CLAIMS: tuple[Claim, ...] = (
    *section_3.chapter.claims,
    *section_4.chapter.claims,
    *section_4_3.chapter.claims,
    *experiments.chapter.claims,
    *appendix_b.chapter.claims,
    *appendix_c.chapter.claims,
    *appendix_d.chapter.claims,
    *appendix_e.chapter.claims,
    *appendix_f.chapter.claims,
    *appendix_g_1.chapter.claims,
    *appendix_g.chapter.claims,
    *appendix_h.chapter.claims,
    *appendix_j.chapter.claims,
    *theorem_4_7.chapter.claims,
)
