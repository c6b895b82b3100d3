"""Section 3: Theorem 3, in numbers."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, checked_step, machine_checked
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)

IN_NUMBERS = Reduction(
    "By `ou24/lemma-3/every-run` the pulls are sqrt(T/2)-GDP, and the printed formula is the delta(eps) of "
    "Definition 2 at this parameter.",
    (),
)
SAYS = f"""pulls_private is (eps, delta)-DP of the list of all pulls of a run, and printed_delta is the formula of the
quote. Algorithm 1 has no pre-pulls ([]), variance and prior count 1, and the first one among ties; neighbours are of
either relation r, and rewards lie in [0, 1]. {INTEGRALS}"""

proves("theorem-3/every-run")(machine_checked(__file__, "theorem_3", SAYS)(lemma_by_argument(IN_NUMBERS)))

THEOREM_1 = f"""For every T >= 1 and eps >= 0: the delta is Theorem 3's formula, and less than 1. {SAYS}"""

proves("theorem-1")(checked_step(__file__, "theorem_1", THEOREM_1))
