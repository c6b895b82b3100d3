"""Appendix B.1: the event E_i^mu(t) as the number of pulls grows, and eq. (6)."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS, INDEPENDENCE, checked_step
from dpbandits.proofs_checks.papers.ou24.shared import RANDOM_RUNS
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)

SAYS = f"""X 0, X 1, ... are the rewards of arm i, independent, in [0, 1] and with the mean mu. mean_not_too_high is the
probability that the sum of the first n rewards divided by n + 1 is at most x_i = mu + gap/3, which is E_i^mu after n
pulls; n is a number, not the random number of pulls in a round. {EXPECTATIONS} {INDEPENDENCE}"""
proves("events/mean")(checked_step(__file__, "events_mean", SAYS))

EQ_6_SAYS = f"""left and right are the sums of eq. (6), given the rewards: mean_holds is E_i^mu, pull_below a i y is the
probability that arm a is pulled and theta_i is at most y_i, which is E_i^theta, and p is p_{{i,t}}. {RANDOM_RUNS}"""
proves("eq-6")(checked_step(__file__, "eq_6", EQ_6_SAYS))
