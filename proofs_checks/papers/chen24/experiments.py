"""Appendix E.2: what DP-BAI makes of the length of two orthogonal features."""

from __future__ import annotations

import numpy as np

from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.judge.reductions import Lemma, one_line
from dpbandits.proofs_checks.papers.chen24.evidence import tried
from dpbandits.reference.ledger import Claim, Finding
from dpbandits.reference.papers.chen24 import dp_bai
from dpbandits.reference.papers.chen24.experiments import longer


def wrong_length(y: float) -> str:
    policies = [dp_bai(longer(each), 100, 1.0) for each in (1.0, y)]
    plans = [policy.planned((0, 1)) for policy in policies]
    same = plans[0].pulled == plans[1].pulled and policies[0].left == policies[1].left
    alike = all(np.array_equal(plan.alpha, np.eye(2)) for plan in plans)
    return "" if same and alike else f"y = {y}: another plan than at y = 1"


def independent(claim: Claim, effort: Effort, seed: int) -> Finding:
    """d_p = 2 >= sqrt(2): the one phase pulls both arms ceil(T'/2) times, whatever their features are, and compares
    their noisy means."""
    return tried(claim, one_line(independent), (1e-6, 0.5, 2.0, 10.0, 50.0, 1e6), wrong_length, "lengths")


LEMMAS: dict[str, Lemma] = {"chen24/figure-2/dp-bai": independent}
