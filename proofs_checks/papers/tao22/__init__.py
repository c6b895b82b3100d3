"""Proofs and attacks of the page tao22, by claim id."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.tao22 import (
    experiments,
    horizons,
    lemmas,
    lower_bounds,
    optimism,
    privacy,
    rates,
    survival,
)

LEMMAS: dict[str, Lemma] = {
    **experiments.LEMMAS,
    **horizons.LEMMAS,
    **lemmas.LEMMAS,
    **lower_bounds.LEMMAS,
    **optimism.LEMMAS,
    **privacy.LEMMAS,
    **rates.LEMMAS,
    **survival.LEMMAS,
}
