"""Section 4.1: Lemma 4 and Theorem 4 for all histories and runs, and the printed bracket."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Reduction,
    inequality_step,
    lemma_by_argument,
    reductions_of_chapter,
)
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, checked_step, machine_checked
from dpbandits.proofs_checks.papers.ou24.section_3_lemmas import ROUND, ROUND_SAYS
from dpbandits.reference.claims.model import Whole
from dpbandits.reference.papers.ou24 import section_4_1_lemma_4
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)
BRACKET = Reduction(
    "Squared and times c(b+1): T <= T^2.",
    (inequality_step("T <= T^2", lambda m, T: T, lambda m, T: T * T, {"T": Whole(1)}),),
)

proves.each(reductions_of_chapter(section_4_1_lemma_4.chapter, {"lemma-4/bracket/formula": BRACKET}))

EVERY_RUN = """The pulls are a function of all samples, so an event of pulls is an event of samples. By
`ou24/lemma-3/all-samples`, the samples are mu-GDP for every mu^2 >= R/(v (m+1)), with R <= T, v = c and m >= b."""
SAYS = f"""first are the b N pre-pulls, b of every arm, in any order; their rewards are kept, or forgotten where `kept`
is false, and all of T pulls are released. Samples are N(S/(n+1), c/(n+1)), the prior count is 1, and the first one
among ties is pulled; neighbours are of either relation r, and rewards lie in [0, 1]. {INTEGRALS}"""
LEMMA_4_SAYS = f"""pulls_gdp holds the promise of every event of the list of all pulls of a run, for every eps;
gaussian_delta is delta(eps) of Definition 2. {SAYS}"""
IN_NUMBERS = Reduction(
    "By `ou24/lemma-4/every-run` the pulls are sqrt(T/(c(b+1)))-GDP, and the printed formula is the delta(eps) of "
    "Definition 2 at this parameter.",
    (),
)
THEOREM_4_SAYS = f"""pulls_private is (eps, delta)-DP of the list of all pulls of a run, and printed_delta is the
formula of the quote. {SAYS}"""

proves("lemma-4/step/every-history")(
    machine_checked(__file__, "lemma_4_step", f"{ROUND_SAYS} {INTEGRALS}")(
        lemma_by_argument(Reduction(" ".join(ROUND.split()), ()))
    )
)
proves("lemma-4/every-run")(
    machine_checked(__file__, "lemma_4", LEMMA_4_SAYS)(lemma_by_argument(Reduction(" ".join(EVERY_RUN.split()), ())))
)
proves("theorem-4/every-run")(machine_checked(__file__, "theorem_4", THEOREM_4_SAYS)(lemma_by_argument(IN_NUMBERS)))

proves("lemma-4/bracket")(checked_step(__file__, "lemma_4_bracket", LEMMA_4_SAYS))
