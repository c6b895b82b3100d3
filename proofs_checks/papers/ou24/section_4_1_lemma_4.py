"""Section 4.1: Lemma 4, the printed bracket."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, never_less, reductions
from dpbandits.reference.claims.model import Whole
from dpbandits.reference.papers.ou24 import section_4_1_lemma_4
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)
BRACKET = Reduction(
    "Squared and times c(b+1): T <= T^2.",
    (never_less("T <= T^2", lambda m, T: T, lambda m, T: T * T, {"T": Whole(1)}),),
)

proves.each(reductions(section_4_1_lemma_4.chapter, {"lemma-4/bracket/formula": BRACKET}))
