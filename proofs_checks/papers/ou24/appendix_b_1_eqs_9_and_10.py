"""Appendix B.1: eqs. (9) and (10)."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import checked_step
from dpbandits.proofs_checks.papers.ou24.shared import RANDOM_RUNS
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)

EQ_9_SAYS = f"""later_pulls is the number of pulls of arm i after its b pre-pulls, in expectation given the rewards,
so that E[n_{{i,T}}] is b + mean P of it. L - 1 < x <= L says that L is the ceiling of x. The theorem is for T >= bN +
4/gap^2. {RANDOM_RUNS}"""
EQ_10_SAYS = f"""later_pulls is the number of pulls of arm i after its b pre-pulls, in expectation given the rewards.
The first bound is eq. (10), for any number of arms. The second one is the claim's: the regret of two arms, with
pre-pulls. The theorem is for T >= bN + 4/gap^2. {RANDOM_RUNS}"""
proves("eq-9/first")(checked_step(__file__, "eq_9_first", EQ_9_SAYS))
proves("eq-10")(checked_step(__file__, "eq_10", EQ_10_SAYS))
