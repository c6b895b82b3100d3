"""Section 3: one round of M-TS-Gaussian as it is quoted, any number of arms."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.arguments import argued
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction
from dpbandits.proofs_checks.rocq.machine_checked import INTEGRALS, machine_checked
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)

ROUND = """Only the sample of the arm with the other reward has another law: its mean moves by at most 1/n, where its
deviation is sqrt(c/n), so by at most sqrt(1/(c n)) deviations, n >= b + 1. The other samples are independent of it. So
given them any event is an event of this sample, of which a threshold shows most: ou24/gaussian-mechanism, and so on
average. The pull is a function of the samples."""
ROUND_SAYS = f"""An event is any set of lists of the samples, so also of those in which a given arm has the largest, and
eps is any number; gaussian_delta is delta(eps) of Theorem 2.4. count and total are how often each arm was pulled, and
what it paid in all: of arm j it differs by a reward in [0, 1] at most. Samples are drawn in turn. {INTEGRALS}"""
proves("section-3/m-ts-gaussian-step/every-history")(
    machine_checked(__file__, "quoted_round", ROUND_SAYS)(argued(Reduction(" ".join(ROUND.split()), ())))
)
