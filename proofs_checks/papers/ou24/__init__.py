"""Proofs and attacks of the page ou24, by claim id: a file a chapter, named as the page's."""

from __future__ import annotations

from collections.abc import Mapping

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.ou24 import (
    appendix_b_1,
    appendix_b_2,
    appendix_b_lemmas,
    appendix_c_1,
    appendix_c_1_lemma_12,
    appendix_c_1_standard_dp,
    appendix_c_2,
    appendix_c_3_and_d,
    section_2,
    section_3,
    section_3_attained,
    section_3_game,
    section_3_game_limits,
    section_4_1,
    section_4_2,
)

LEMMAS: Mapping[str, Lemma] = {
    **section_2.LEMMAS,
    **section_3.LEMMAS,
    **section_3_attained.LEMMAS,
    **section_3_game.LEMMAS,
    **section_3_game_limits.LEMMAS,
    **section_4_1.LEMMAS,
    **section_4_2.LEMMAS,
    **appendix_b_1.LEMMAS,
    **appendix_b_lemmas.LEMMAS,
    **appendix_b_2.LEMMAS,
    **appendix_c_1.LEMMAS,
    **appendix_c_1_lemma_12.LEMMAS,
    **appendix_c_1_standard_dp.LEMMAS,
    **appendix_c_2.LEMMAS,
    **appendix_c_3_and_d.LEMMAS,
}
