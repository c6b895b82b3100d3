"""Proofs of the page tossou18, by claim id: a file a chapter, named as the page's."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.tossou18 import theorem_1, theorem_2

LEMMAS: dict[str, Lemma] = {**theorem_1.LEMMAS, **theorem_2.LEMMAS}
