"""Section 3: Remark 1, which analysis is the tightest, and Remark 2, the improvement."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, inequality_step, reductions_of_chapter
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, checked_step, machine_checked
from dpbandits.proofs_checks.papers.ou24.section_2 import ATTAINED, LARGER, SLOPE
from dpbandits.reference.claims.model import Whole
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import lemma_3_mu, sharp_mu
from dpbandits.reference.papers.ou24.section_3_remarks import chapter

proves = Proofs(page)
SHARP_MONOTONE = Reduction(
    "Definition 2 takes a maximum, so delta(eps, mu) increases with mu. And sqrt((T-1)/2) is less than sqrt(T/2).",
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

TIGHTEST = """gaussian_delta is delta(eps) of Definition 2 with Lemma 3's parameter, and least any number that is at
most every eps at which it is at most delta: so also the eps of Theorem 3 at this delta. renyi_eps and corollary_1_eps
are the eps of Theorem 8 and of Corollary 1, the latter with `each` for the delta of one round and the rest as slack."""
TIGHTENED = f"""pulls_gdp holds the promise of every event of the list of all pulls of a run, for every eps, neighbours
of either relation r and rewards in [0, 1]. {INTEGRALS}"""

proves("remark-1/tightest")(checked_step(__file__, "remark_1_tightest", TIGHTEST))
proves("remark-2/can-be-tightened")(checked_step(__file__, "remark_2_tightened", TIGHTENED))
