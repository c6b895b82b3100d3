"""Proofs and attacks of the page sajed19, by claim id: a file a chapter, named as the page's."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.sajed19 import privacy

LEMMAS: dict[str, Lemma] = {**privacy.LEMMAS}
