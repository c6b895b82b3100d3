"""Proofs of the page hu22, by claim id: a file a chapter, named as the page's."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.hu22 import privacy

LEMMAS: dict[str, Lemma] = {**privacy.LEMMAS}
