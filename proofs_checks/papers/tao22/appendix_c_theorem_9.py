"""Theorem 9: every algorithm has a hard instance, and none is hard for every algorithm."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import checked_step
from dpbandits.proofs_checks.papers.tao22.local_privacy import ALGORITHM, REGRET, SIMPLE
from dpbandits.proofs_checks.papers.tao22.quantifiers import NO_INSTANCE
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)

proves("theorem-9/letter")(NO_INSTANCE)

INSTANCE = f"""For every number K >= 2 of arms, v in (0, 1], eps in (0, 1], algorithm and T > 25^((1+v)/v) K/eps^2 there
is an instance D with K arms, which is simple and whose moments are at most 1. {SIMPLE} {REGRET} {ALGORITHM}"""
RATE = f"""The constant is c = e^(-32 25^(1/v))/8, which depends on v alone. {INSTANCE}"""

proves("theorem-9/raised")(checked_step(__file__, "theorem_9_raised", INSTANCE))
proves("theorem-9")(checked_step(__file__, "theorem_9", RATE))
