"""Appendix C.1: report noisy max with Laplace noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpbandits.proofs_checks.formulas.certificates import step_certificate
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, add_evidence, inequality_step, reductions_of_chapter
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, checked_step, machine_checked
from dpbandits.proofs_checks.papers.ou24.section_2 import NOT_NEGATIVE
from dpbandits.reference.claims.model import Claim
from dpbandits.reference.claims.records import Item, certificate_item
from dpbandits.reference.papers.ou24.appendix_c_1_algorithm_3 import chapter
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)
LAPLACE_GAP = Reduction(
    "Let W be the tail of the difference of two standard Laplace variables and w its density. W(x) e^x is "
    "nondecreasing wherever w <= W. For x >= 0, w and W have the common factor e^-x, and (1 + x)/4 <= (2 + x)/4. For "
    "x = -y < 0, w <= W means that e^-y (1 + y)/4 <= 1 - e^-y (2 + y)/4, that is, (3 + 2y)/4 <= e^y. The last "
    "inequality follows from e^y >= 1 + y.",
    (
        inequality_step(
            "(1 + x)/4 <= (2 + x)/4",
            lambda m, x: (1 + x) / 4,
            lambda m, x: (2 + x) / 4,
            {"x": NOT_NEGATIVE},
        ),
        inequality_step(
            "(3 + 2y)/4 <= 1 + y",
            lambda m, y: (3 + 2 * y) / 4,
            lambda m, y: 1 + y,
            {"y": NOT_NEGATIVE},
        ),
    ),
)

GAP_SAYS = """difference_tail is the claim's formula, at gap and at gap + move. That it is the probability of a
difference of two Laplace variables above this value is not part of the theorem."""
in_words = reductions_of_chapter(chapter, {"algorithm-3/gap": LAPLACE_GAP})
proves("algorithm-3/gap")(machine_checked(__file__, "algorithm_3_gap", GAP_SAYS)(in_words["algorithm-3/gap"]))

ONE_QUERY_SAYS = f"""answers and changed are the answers of all queries on two databases, which differ in one query
by at most the sensitivity s. Each answer gets Laplace noise of the scale s/eps, and the place of the largest noisy
answer is released: largest_place_largest says that it is one. Events are sets of places. The theorem proves more,
because all noisy answers together are eps-DP. {INTEGRALS}"""
proves("algorithm-3/one-query")(checked_step(__file__, "algorithm_3_one_query", ONE_QUERY_SAYS))


def carried(certificate: Mapping[str, Any]) -> tuple[Item, ...]:
    return (certificate_item(dict(certificate)),)


def laplace_pair(claim: Claim) -> tuple[Item, ...]:
    """Algorithm 3 with eps = s = 1: two answers 0, 0 that become -1, 1; the event that query 1 is released."""
    return carried(
        step_certificate(
            "ou24/algorithm-3", "laplace", ["1", "1"], ["0", "0"], ["-1", "1"], ["1", "1"], [0], "1", "0", changed="all"
        )
    )


proves("algorithm-3/formula")(add_evidence(laplace_pair))
