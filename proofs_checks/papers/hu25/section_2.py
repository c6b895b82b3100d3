"""Section 2: the definition of Gaussian differential privacy."""

from __future__ import annotations

from collections.abc import Mapping

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Reduction,
    equality_step,
    lemma_by_argument,
    reductions_of_chapter,
)
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.gaussian_equivalence import SAYS, equivalence
from dpbandits.reference.papers.hu25 import section_2
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)

WORDS: Mapping[str, Reduction] = {
    "theorem-2.4": Reduction(
        "The left side's derivative in t is e^eps phi(t) - phi(t - eta) = phi(t) (e^eps - e^{eta t - eta^2/2}). The "
        "derivative is positive before t = eps/eta + eta/2 and negative after it. So the left side has its maximum at "
        "t = eps/eta + eta/2, and this maximum is the right side.",
        (
            equality_step(
                "the exponents agree at t = eps/eta + eta/2",
                lambda m, eps, eta: eta * (eps / eta + eta / 2) - eta * eta / 2,
                lambda m, eps, eta: eps,
                "eps",
                "eta",
            ),
            equality_step(
                "eta - t = -eps/eta + eta/2 there",
                lambda m, eps, eta: eta - (eps / eta + eta / 2),
                lambda m, eps, eta: -eps / eta + eta / 2,
                "eps",
                "eta",
            ),
        ),
    ),
    "theorem-2.4/remark": Reduction(
        "Let a = -eps/eta + eta/2 and b = -eps/eta - eta/2. Then d delta/d eta = phi(a) (eps/eta^2 + 1/2) - e^eps "
        "phi(b) (eps/eta^2 - 1/2). Because e^eps phi(b) = phi(a), this derivative is phi(a) > 0.",
        (
            equality_step(
                "b^2/2 - eps = a^2/2",
                lambda m, eps, eta: (eps / eta + eta / 2) ** 2 / 2 - eps,
                lambda m, eps, eta: (-eps / eta + eta / 2) ** 2 / 2,
                "eps",
                "eta",
            ),
        ),
    ),
}

in_words = reductions_of_chapter(section_2.chapter, WORDS)

PHI = "Phi is 1/2 and the integral of the normal density from 0 on."
SIDES = f"threshold_delta and gaussian_delta are the two formulas of the claim, over its whole domain. {PHI}"
LARGER = f"gaussian_delta is the formula of both sides, over the whole domain of the claim. {PHI}"
proves("theorem-2.4")(machine_checked(__file__, "theorem_2_4", SIDES)(in_words["theorem-2.4"]))
proves("theorem-2.4/remark")(machine_checked(__file__, "remark_2_4", LARGER)(in_words["theorem-2.4/remark"]))

proves("theorem-2.4/equivalence")(
    machine_checked(__file__, "theorem_2_4_equivalence", SAYS)(
        lemma_by_argument(equivalence("hu25/theorem-2.4", "hu25/theorem-2.4/attained"))
    )
)
