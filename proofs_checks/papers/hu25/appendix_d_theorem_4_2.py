"""Appendix D: the proof of Theorem 4.2."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, inequality_step, reductions_of_chapter
from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS, checked_step, machine_checked
from dpbandits.proofs_checks.papers.hu25.shared import same_power
from dpbandits.reference.claims.model import Real
from dpbandits.reference.papers.hu25 import appendix_d_theorem_4_2
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import HORIZON

proves = Proofs(page)
WORDS: Mapping[str, Reduction] = {
    "theorem-4.2/eq-24": Reduction(
        "Let y = T D^2, so that ln y > 1, and x = 1/D^2 >= 1. Then ln T = ln y + ln x <= x ln y, because ln x <= x - "
        "1 <= (x - 1) ln y.",
        (
            same_power(
                "T = y x",
                lambda m, T, gap: T,
                lambda m, T, gap: (T * gap * gap) * (1 / (gap * gap)),
                {"T": HORIZON, "gap": Real(0, 1, True)},
            ),
            inequality_step(
                "x - 1 <= (x - 1) v for v >= 1",
                lambda m, x, v: x - 1,
                lambda m, x, v: (x - 1) * v,
                {"x": Real(1, np.inf, True), "v": Real(1, np.inf, True)},
            ),
        ),
    ),
}

in_words = reductions_of_chapter(appendix_d_theorem_4_2.chapter, WORDS)

SAYS = "Where T gap^2 > 0 has a logarithm of 1 at least, as in the claim's domain, and for any T > 0."
proves("theorem-4.2/eq-24")(machine_checked(__file__, "theorem_4_2_eq_24", SAYS)(in_words["theorem-4.2/eq-24"]))

EQ_18_SAYS = f"""omega t is the indicator of the event of omega_1 in round t, and its expectations add up to omega_1:
arm i is pulled, both events hold (mean_near and sample_near), and n_i(t-1) >= L_i, which is enough. rounds is T - K,
the number of rounds of the sum. That both events of a round are measurable is a hypothesis. {EXPECTATIONS}"""
proves("theorem-4.2/eq-18/repaired")(checked_step(__file__, "theorem_4_2_eq_18", EQ_18_SAYS))
