"""Proofs and attacks of the page ou24, by claim id."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.ou24 import appendix_b, privacy, section_3_attained, section_3_game

LEMMAS: dict[str, Lemma] = {
    **privacy.LEMMAS,
    **section_3_attained.LEMMAS,
    **section_3_game.LEMMAS,
    **appendix_b.LEMMAS,
}
