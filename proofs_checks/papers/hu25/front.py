"""Abstract and introduction."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.hu25.section_3 import smaller_order

LEMMAS: dict[str, Lemma] = {"hu25/introduction/not-tight": smaller_order}
