"""All claims of the page, in the order of its chapters: Sections 2 to 5, then Appendices A, B, C and D."""

from dpbandits.reference.claims.model import Claim
from dpbandits.reference.papers.ou24 import (
    appendix_a,
    appendix_b_1,
    appendix_b_1_independent,
    appendix_b_2,
    appendix_b_lemmas,
    appendix_c_1,
    appendix_c_1_lemma_12,
    appendix_c_1_standard_dp,
    appendix_c_2,
    appendix_c_3_and_d,
    appendix_d,
    experiments,
    section_2,
    section_3,
    section_3_attained,
    section_3_game,
    section_3_game_limits,
    section_4_1,
    section_4_2,
    section_5,
)

PRIVACY: tuple[Claim, ...] = (
    *section_2.chapter.claims,
    *section_3.chapter.claims,
    *section_3_attained.chapter.claims,
    *section_3_game.chapter.claims,
    *section_3_game_limits.chapter.claims,
    *section_4_1.chapter.claims,
    *section_5.chapter.claims,
    *appendix_a.chapter.claims,
)
EXPERIMENTS = experiments.chapter.claims
PROOF_STEPS = appendix_b_1.chapter.claims
REGRET: tuple[Claim, ...] = (
    *section_4_2.chapter.claims,
    *PROOF_STEPS,
    *appendix_b_1_independent.chapter.claims,
    *appendix_b_lemmas.chapter.claims,
    *appendix_b_2.chapter.claims,
)
APPENDIX: tuple[Claim, ...] = (
    *appendix_c_1.chapter.claims,
    *appendix_c_1_lemma_12.chapter.claims,
    *appendix_c_1_standard_dp.chapter.claims,
    *appendix_c_2.chapter.claims,
    *appendix_c_3_and_d.chapter.claims,
    *appendix_d.chapter.claims,
)
CLAIMS: tuple[Claim, ...] = (*PRIVACY, *EXPERIMENTS, *REGRET, *APPENDIX)
