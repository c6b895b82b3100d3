"""Appendix C.1: report noisy max with Gaussian noise, on two queries."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.certificates import step_certificate
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, add_evidence, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers.ou24.appendix_c_1_algorithm_3 import carried
from dpbandits.reference.claims.model import Claim
from dpbandits.reference.claims.records import Item
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)


def threshold_pair(claim: Claim) -> tuple[Item, ...]:
    """Theorem 6 at delta = 1/10, s/sigma = 2: a nearly constant query at 2, so a threshold test between the means."""
    eps = "sqrt(log(1/(2*delta)))"  # (1/2) sqrt(log((n-1)/(2 delta))) s/sigma
    return carried(
        step_certificate(
            "ou24/theorem-6",
            "gaussian",
            ["1", "1/1000"],
            ["2", "2"],
            ["0", "2"],
            ["2", "0"],
            [0],
            eps,
            "delta",
            variables={"delta": "1/10"},
        )
    )


proves("theorem-6/formula")(add_evidence(threshold_pair))

REPAIRED = """Only the law of one noisy answer differs: its mean changes by at most s_i. The other answers are
independent of this answer. Given the other answers, any event is an event of this answer, and no event distinguishes
the inputs better than a threshold test does (`ou24/gaussian-mechanism`). The same bound then holds on average over the
other answers. The argmax is a function of the noisy answers."""
SAYS = f"""sigma and s are the sigma_i and s_i of the queries, mu is any number that no s_i/sigma_i exceeds; an event is
any set of lists of noisy answers, so also those in which a given one is the largest, and eps is any number.
gaussian_delta is delta(eps) of Definition 2. Answers are drawn in turn. {INTEGRALS}"""

proves("theorem-6/repaired/every-query")(
    machine_checked(__file__, "theorem_6_repaired", SAYS)(lemma_by_argument(Reduction(" ".join(REPAIRED.split()), ())))
)
