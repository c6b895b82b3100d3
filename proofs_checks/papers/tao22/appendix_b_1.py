"""Lemma 11: its statement, and a sum below its integral."""

from __future__ import annotations

from collections.abc import Mapping

from dpbandits.proofs_checks.judge.arguments import argued
from dpbandits.proofs_checks.judge.reductions import Lemma, Reduction
from dpbandits.proofs_checks.papers.tao22.room import LEMMA_11

EQ_13_SUM = Reduction(
    "x^{-q} falls, so i^{-q} is at most its integral from i - 1 to i; from 0 to n the integral is n^{1-q}/(1-q), "
    "and 1 - v/(1+v) = 1/(1+v).",
    (),
)
LEMMAS: Mapping[str, Lemma] = {
    "tao22/lemma-11": argued(LEMMA_11),
    "tao22/lemma-11/eq-13/sum": argued(EQ_13_SUM),
}
