"""RobustUCB is not private: one reward decides a release with certainty."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.papers.parted import parted
from dpbandits.reference.claims.model import Claim, Finding
from dpbandits.reference.papers.bubeck13 import RobustUCB
from dpbandits.reference.papers.bubeck13.page import page

proves = Proofs(page)


@proves("privacy/none")
def none(claim: Claim, effort: Effort, seed: int) -> Finding:
    return parted(claim, RobustUCB(2, 3))
