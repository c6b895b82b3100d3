"""Proofs and attacks of the page chen24, by claim id."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.chen24 import appendix_c, section_4_3

LEMMAS: dict[str, Lemma] = {**section_4_3.LEMMAS, **appendix_c.LEMMAS}
