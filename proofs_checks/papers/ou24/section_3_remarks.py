"""Section 3: Remark 2, the improvement."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, inequality_step, reductions_of_chapter
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.ou24.section_2 import ATTAINED, LARGER, SLOPE
from dpbandits.reference.claims.model import Whole
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import lemma_3_mu, sharp_mu
from dpbandits.reference.papers.ou24.section_3_remarks import chapter

proves = Proofs(page)
SHARP_MONOTONE = Reduction(
    "delta(eps; mu) increases with mu, by Definition 2's maximum, and sqrt((T-1)/2) is less than sqrt(T/2).",
    (
        SLOPE,
        ATTAINED,
        inequality_step(
            "sqrt((T-1)/2) <= sqrt(T/2)",
            lambda m, T: sharp_mu(m, T),
            lambda m, T: lemma_3_mu(m, T),
            {"T": Whole(2)},
        ),
    ),
)

proves("remark-2/improvement")(
    machine_checked(__file__, "remark_2_improvement", LARGER)(
        reductions_of_chapter(chapter, {"remark-2/improvement": SHARP_MONOTONE})["remark-2/improvement"]
    )
)
