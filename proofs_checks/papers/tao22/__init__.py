"""Proofs and attacks of the page tao22, by claim id: a file a chapter, named as the page's."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.tao22 import (
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

LEMMAS: dict[str, Lemma] = {
    **front.LEMMAS,
    **section_3.LEMMAS,
    **section_4.LEMMAS,
    **section_4_elimination.LEMMAS,
    **section_5.LEMMAS,
    **section_6.LEMMAS,
    **appendix_a.LEMMAS,
    **appendix_b_1.LEMMAS,
    **appendix_b_2.LEMMAS,
    **appendix_b_3.LEMMAS,
    **appendix_c_1.LEMMAS,
    **appendix_c_2.LEMMAS,
}
