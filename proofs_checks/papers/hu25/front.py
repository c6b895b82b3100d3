"""Abstract and introduction."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.papers.hu25.section_3 import smaller_order
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)

proves("introduction/not-tight")(smaller_order)
