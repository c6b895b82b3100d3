"""Appendix B: Lemma 6."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import checked_step
from dpbandits.proofs_checks.papers.ou24.shared import RANDOM_RUNS
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)

SAYS = f"""total is the sum of Lemma 6, given the rewards: mean_holds is E_i^mu, and pull_above i i y_i is the
probability that arm i is pulled and theta_i is above y_i, so that E_i^theta fails. n_{{i,t-1}} counts the pre-pulls.
{RANDOM_RUNS}"""
proves("lemma-6")(checked_step(__file__, "lemma_6", SAYS))
