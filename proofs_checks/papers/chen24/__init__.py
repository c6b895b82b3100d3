"""Proofs and attacks of the page chen24, by claim id."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.chen24 import (
    appendix_c,
    appendix_d,
    appendix_g_1,
    experiments,
    section_3,
    section_4,
    section_4_2,
    section_4_3,
    steps,
)

LEMMAS: dict[str, Lemma] = {
    **section_3.LEMMAS,
    **section_4.LEMMAS,
    **section_4_2.LEMMAS,
    **section_4_3.LEMMAS,
    **appendix_c.LEMMAS,
    **appendix_d.LEMMAS,
    **appendix_g_1.LEMMAS,
    **experiments.LEMMAS,
    **steps.LEMMAS,
}
