"""Proofs and attacks of the page tao22, by claim id."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.tao22 import experiments, lemmas, lower_bounds, privacy, rates, survival

LEMMAS: dict[str, Lemma] = {
    **experiments.LEMMAS,
    **lemmas.LEMMAS,
    **lower_bounds.LEMMAS,
    **privacy.LEMMAS,
    **rates.LEMMAS,
    **survival.LEMMAS,
}
