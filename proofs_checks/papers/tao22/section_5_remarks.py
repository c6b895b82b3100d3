"""Remarks 3 and 4: Theorem 7, once more."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.papers.tao22.section_5_theorem_7 import NO_RATE, NO_RATE_INDEPENDENT
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)

proves("remark-3")(NO_RATE)

proves("remark-4")(NO_RATE_INDEPENDENT)
