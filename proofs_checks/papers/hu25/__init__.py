"""Proofs and attacks of the page hu25, by claim id: a file a chapter, named as the page's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.hu25 import (
    appendix_b,
    appendix_c,
    appendix_d,
    by_transcript,
    experiments,
    front,
    section_2,
    section_3,
    section_4_3,
    section_4_3_game,
)
from dpbandits.reference.papers.hu25 import DPTSUCB

LEMMAS: Mapping[str, Lemma] = {
    **front.LEMMAS,
    **section_2.LEMMAS,
    **section_3.LEMMAS,
    **section_4_3.LEMMAS,
    **section_4_3_game.LEMMAS,
    **experiments.LEMMAS,
    **appendix_b.LEMMAS,
    **appendix_c.LEMMAS,
    **appendix_d.LEMMAS,
}

# Policies whose own state has no law, and who releases the same and has one.
LAWS: Mapping[type, Callable[[Any], Any]] = {DPTSUCB: by_transcript.ByTranscript}
