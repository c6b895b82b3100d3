"""Appendix B.1: the event E_i^mu(t) as the number of pulls grows."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS, INDEPENDENCE, checked_step
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)

SAYS = f"""X 0, X 1, ... are the rewards of arm i, independent, in [0, 1] and with the mean mu. mean_not_too_high is the
probability that the sum of the first n rewards divided by n + 1 is at most x_i = mu + gap/3, which is E_i^mu after n
pulls; n is a number, not the random number of pulls in a round. {EXPECTATIONS} {INDEPENDENCE}"""
proves("events/mean")(checked_step(__file__, "events_mean", SAYS))
