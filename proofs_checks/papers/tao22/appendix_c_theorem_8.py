"""Theorem 8 to the letter: no instance is hard for every algorithm."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.papers.tao22.quantifiers import NO_INSTANCE
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)

proves("theorem-8/letter")(NO_INSTANCE)
