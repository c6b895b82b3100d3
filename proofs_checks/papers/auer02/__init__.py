"""Proofs of the page auer02, by claim id: a file a chapter, named as the page's."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.auer02 import analysis

LEMMAS: dict[str, Lemma] = {**analysis.LEMMAS}
