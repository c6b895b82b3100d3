"""The proof of Theorem 6: what a message of Algorithm 4 tells, over all rewards."""

from __future__ import annotations

import numpy as np

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Evidence, Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.tao22.releases import ROUNDING
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.papers.tao22 import Randomizer
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)


def whole_range(make: type[Randomizer] = Randomizer) -> tuple[bool, Evidence]:
    """The loss over pairs of inputs of all sizes, ends and their neighbours included: at most eps, and eps itself."""
    rows, fits = [], True
    for bound in (1e-6, 1.0, 37.5, 1e9):
        for eps in (0.01, 1.0, 20.0):
            just = np.array([bound, np.nextafter(bound, 0), np.nextafter(bound, np.inf), bound / 3, 1e-300, 1e300])
            inputs = np.concatenate([-just, [0.0], just])
            worst = float(make(bound, eps).loss(inputs[:, None], inputs[None, :]).max())
            fits &= abs(worst - eps) <= ROUNDING * eps
            rows.append([bound, eps, worst])
    return fits, table_item("The randomizer", ["B", "claimed eps", nearest("largest loss")], rows)


RANGE = Reduction(
    "A truncated reward lies in [-B, B] whatever the reward is, and both ends are possible, because rewards with |x| "
    "<= B are kept. So two centres are at most 2 B apart, and the largest log-ratio of two Laplace densities of "
    "scale 2 B/eps is the distance of their centres divided by the scale.",
    (),
)
SAYS = """message is the density of what a user with reward x sends, y another reward, and both any numbers; truncated
is line 15. The second half says that eps is attained, by -B and B, at all messages up to -B."""

proves("theorem-6/range")(machine_checked(__file__, "theorem_6_range", SAYS)(lemma_by_argument(RANGE, whole_range)))
