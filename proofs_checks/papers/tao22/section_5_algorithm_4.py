"""Line 23 of Algorithm 4: an arm is removed by a number that is named nowhere else."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.reference.claims.model import Verdict
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)
MU_TILDE = Reduction(
    "Algorithm 4 uses mu-tilde in line 23 alone. Line 6 sets mu-bar_a to 0, line 19 computes mu-bar_a, and line 20 "
    "computes mu-bar_max. No line defines mu-tilde.",
    (),
)

proves("algorithm-4/mu-tilde")(lemma_by_argument(MU_TILDE, verdict=Verdict.REFUTED))
