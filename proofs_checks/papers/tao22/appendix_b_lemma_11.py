"""Lemma 11: its statement, and a sum below its integral."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.tao22.room import LEMMA_11
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)
EQ_13_SUM = Reduction(
    "Let q = v/(1+v). As x^{-q} decreases, i^{-q} is at most the integral of x^{-q} from i - 1 to i. The integral "
    "from 0 to n is n^{1-q}/(1-q), and 1 - q = 1/(1+v).",
    (),
)

proves("lemma-11")(lemma_by_argument(LEMMA_11))

SAYS = "power_sum q n is the sum of i^(-q) for i = 1, ..., n; v is any number that is not negative."
proves("lemma-11/eq-13/sum")(machine_checked(__file__, "eq_13_sum", SAYS)(lemma_by_argument(EQ_13_SUM)))
