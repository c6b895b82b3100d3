"""Section 4.2: the regret bound."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dpbandits.proofs_checks.judge.reductions import Lemma, Reduction, never_less
from dpbandits.proofs_checks.papers.hu25.shared import reductions, same_power
from dpbandits.reference.ledger import Real
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25 import section_4_2
from dpbandits.reference.papers.hu25.shared import HORIZON

WORDS: Mapping[str, Reduction] = {
    "hu25/discussion-4.2/better-than-ucb1/small-gaps": Reduction(
        "T^{3/2}/(sqrt(T) x^2) = T/x^2 <= T, and the logarithm increases.",
        (
            same_power(
                "T^{3/2}/(sqrt(T) x^2) = T/x^2",
                lambda m, T, x: f.power(m, T, m.number("1.5")) / (m.sqrt(T) * x * x),
                lambda m, T, x: T / (x * x),
                {"T": HORIZON, "x": Real(1, np.inf, True)},
            ),
            never_less(
                "T/x^2 <= T",
                lambda m, T, x: T / (x * x),
                lambda m, T, x: T,
                {"T": HORIZON, "x": Real(1, np.inf, True)},
            ),
        ),
    ),
}

LEMMAS: dict[str, Lemma] = {
    **reductions(section_4_2.chapter.claims, WORDS),
}
