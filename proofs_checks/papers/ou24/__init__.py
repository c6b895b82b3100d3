"""Lemma-specific proofs and attacks for the page ou24, by claim id."""

from __future__ import annotations

from dpbandits.proofs_checks.papers.ou24 import attained, game, privacy, regret
from dpbandits.proofs_checks.reductions import Lemma

LEMMAS: dict[str, Lemma] = {**privacy.LEMMAS, **attained.LEMMAS, **game.LEMMAS, **regret.LEMMAS}
