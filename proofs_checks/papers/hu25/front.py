"""Abstract and introduction."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import checked_step
from dpbandits.proofs_checks.papers.hu25 import section_4_2
from dpbandits.proofs_checks.papers.hu25.section_3 import smaller_order
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)

proves("introduction/not-tight")(smaller_order)

REGRET = f"""Every gap of a suboptimal arm is at least Delta, also gaps with T Delta_i^2 <= e. K is the number of arms,
T is at least 3 and at least K, and the hidden constant is 8100. {section_4_2.RUN}"""
proves("abstract/regret")(checked_step(section_4_2.__file__, "abstract_regret", REGRET))
