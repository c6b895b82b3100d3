"""Proofs and attacks of the page chen24, by claim id: a file a chapter, named as the page's."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.chen24 import (
    appendix_b,
    appendix_c,
    appendix_d,
    appendix_e,
    appendix_f,
    appendix_g,
    appendix_g_1,
    appendix_j,
    experiments,
    section_3,
    section_4,
    section_4_3,
    theorem_4_7,
)

LEMMAS: dict[str, Lemma] = {
    **section_3.LEMMAS,
    **section_4.LEMMAS,
    **section_4_3.LEMMAS,
    **experiments.LEMMAS,
    **appendix_b.LEMMAS,
    **appendix_c.LEMMAS,
    **appendix_d.LEMMAS,
    **appendix_e.LEMMAS,
    **appendix_f.LEMMAS,
    **appendix_g.LEMMAS,
    **appendix_g_1.LEMMAS,
    **appendix_j.LEMMAS,
    **theorem_4_7.LEMMAS,
}
