"""Section 4.2: the bound at alpha = 0 is of the order ln T."""

from __future__ import annotations

from math import inf

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, enclosure_step, lemma_by_argument
from dpbandits.reference.claims.model import Real, Verdict
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)

ORDER = """At alpha = 0 the bound is the sum of O(ln(T^{1.5} Delta_i^2)/Delta_i + 3 ln ln(T)/Delta_i). As Delta_i <= 1
and ln ln T <= ln T, both terms are at most constants times ln(T)/Delta_i: for fixed gaps the order is ln T."""

proves("discussion-4.2/not-optimal")(
    lemma_by_argument(
        Reduction(
            " ".join(ORDER.split()),
            (
                enclosure_step(
                    "1.5 x + 3 ln x <= 4.5 x for x = ln T >= 1",
                    lambda m, x: m.number("1.5") * x + 3 * m.log(x),
                    lambda m, x: m.number("4.5") * x,
                    {"x": Real(1, inf, closed=True)},
                ),
            ),
        ),
        verdict=Verdict.REFUTED,
    )
)
