"""Section 5.1: standard Thompson sampling is 316-GDP at T = 10^5."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, checked_step
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)

SAYS = f"""INR T is the number of rounds, T, as a real number. pulls_gdp holds the promise of every event of the list of
all pulls of a run, for every eps, neighbours of either relation r and rewards in [0, 1]. {INTEGRALS}"""

proves("5.1/316/bound")(checked_step(__file__, "bound_316", SAYS))
