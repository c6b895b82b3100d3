"""Section 4.3: Theorem 4.6 of every run, in (eps, delta)."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)

WORDS = """By Theorem 4.4 and Theorem 2.4 the pulls are (eps, delta(eps))-DP with the parameter sqrt(2 phi/ln^alpha(T)).
As T >= 3, ln^alpha(T) is at least 1, so sqrt(2 phi) is at least this parameter (`hu25/theorem-4.6/weaker`), and
delta(eps) grows with the parameter, by the Remark."""
SAYS = f"""pulls_chance is that of Theorem 4.4 (section_4_3_theorem_4_4.v), of every event of the list of all pulls;
profile_of is the formula of the quote, printed_phi and printed_variance are those of lines 1 and 6, and floor is the
number that MAX starts from. Neighbours are of either relation r, and rewards lie in [0, 1]. {INTEGRALS}"""
proves("theorem-4.6/every-run")(
    machine_checked(__file__, "theorem_4_6", SAYS)(lemma_by_argument(Reduction(" ".join(WORDS.split()), ())))
)
