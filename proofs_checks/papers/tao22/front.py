"""What Table 1 and the introduction say of Algorithm 4: Theorem 7, once more."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import checked_step
from dpbandits.proofs_checks.papers.tao22 import appendix_c_theorem_8 as theorem_8
from dpbandits.proofs_checks.papers.tao22 import appendix_c_theorem_9 as theorem_9
from dpbandits.proofs_checks.papers.tao22.section_5_theorem_7 import NO_RATE, NO_RATE_INDEPENDENT
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)

proves("table-1/ldp-upper", "introduction/ldp-optimal")(NO_RATE)
proves("table-1/ldp-independent-upper")(NO_RATE_INDEPENDENT)
proves("table-1/ldp-independent-lower")(checked_step(theorem_9.__file__, "theorem_9", theorem_9.RATE))
proves("table-1/ldp-lower")(checked_step(theorem_8.__file__, "theorem_8", theorem_8.SMALLER))
