"""All claims of the page, in the order of its chapters."""

from dpbandits.reference.claims.model import Claim
from dpbandits.reference.papers.hu25 import (
    appendix_a,
    appendix_b,
    appendix_c,
    appendix_d_lemmas,
    appendix_d_theorem_4_2,
    appendix_e,
    experiments,
    figure_7,
    front,
    section_2,
    section_3,
    section_4_1,
    section_4_2,
    section_4_3_corollary_4_5,
    section_4_3_game,
    section_4_3_theorem_4_4,
    section_4_3_theorem_4_6,
    section_5,
)

CLAIMS: tuple[Claim, ...] = (
    *front.chapter.claims,
    *section_2.chapter.claims,
    *section_3.chapter.claims,
    *section_4_1.chapter.claims,
    *section_4_2.chapter.claims,
    *section_4_3_theorem_4_4.chapter.claims,
    *section_4_3_corollary_4_5.chapter.claims,
    *section_4_3_theorem_4_6.chapter.claims,
    *section_4_3_game.chapter.claims,
    *section_5.chapter.claims,
    *experiments.chapter.claims,
    *appendix_a.chapter.claims,
    *appendix_b.chapter.claims,
    *appendix_c.chapter.claims,
    *appendix_d_theorem_4_2.chapter.claims,
    *appendix_d_lemmas.chapter.claims,
    *appendix_e.chapter.claims,
    *figure_7.chapter.claims,
)
