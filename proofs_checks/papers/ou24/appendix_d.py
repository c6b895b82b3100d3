"""Appendix D: the two rivals of Thompson sampling are (eps, 0)-DP."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, checked_step
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)

SAYS = f"""dp_se_chance and lazy_ucb_chance are the chances of an event of all pulls of DP-SE and of Anytime-Lazy-UCB,
for every eps > 0: the printed ones are among these. Neighbouring tables differ in one reward of one arm. {INTEGRALS}"""

proves("appendix-d/all-three")(checked_step(__file__, "rivals_private", SAYS))
