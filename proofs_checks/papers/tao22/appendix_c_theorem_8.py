"""Theorem 8: the lower bound for algorithms with small regret on several instances, and none for all algorithms."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import checked_step
from dpbandits.proofs_checks.papers.tao22.local_privacy import ALGORITHM, FAMILY, REGRET, SMALL_REGRET
from dpbandits.proofs_checks.papers.tao22.quantifiers import NO_INSTANCE
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)

proves("theorem-8/letter")(NO_INSTANCE)

ARMS = f"""For every number K of arms. mu a is the mean of arm a, arm 0 is a best arm, D is the instance of the
proof and Q a the instance in which arm a alone is changed to nu'_a; over_gaps sums over the arms with Delta_a = mu
0 - mu a > 0. Such instances exist for every v and K (these_are): mu 0 = 1/2, and mu a = 2/5 for all other arms.
{SMALL_REGRET} {FAMILY} {REGRET} {ALGORITHM}"""
SMALLER = f"""The constant in the Omega is 1/(16 10^(2/v)), which depends on v alone. {ARMS}"""

proves("theorem-8/raised")(checked_step(__file__, "theorem_8_raised", ARMS))
proves("theorem-8")(checked_step(__file__, "theorem_8", SMALLER))
