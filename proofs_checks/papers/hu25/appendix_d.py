"""Appendix D: the proof of Theorem 4.2."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dpbandits.proofs_checks.judge.reductions import Lemma, Reduction, never_less
from dpbandits.proofs_checks.papers.hu25.shared import reductions, same_power
from dpbandits.reference.ledger import Real
from dpbandits.reference.papers.hu25 import appendix_d
from dpbandits.reference.papers.hu25.shared import HORIZON

WORDS: Mapping[str, Reduction] = {
    "hu25/theorem-4.2/eq-17": Reduction(
        "2^ceil(log2 L) is below 2 L, that is 2 L - d with d >= 0.",
        (
            never_less(
                "2 (2 L - d) - 1 <= 4 L",
                lambda m, L, d: 2 * (2 * L - d) - 1,
                lambda m, L, d: 4 * L,
                {"L": Real(1, np.inf, True), "d": Real(0, np.inf, True)},
            ),
        ),
    ),
    "hu25/theorem-4.2/eq-22": Reduction(
        "2^ceil(log2 L) is below 2 L, that is 2 L - d with d >= 0.",
        (
            never_less(
                "12.34 (2 (2 L - d) - 2) <= 50 L",
                lambda m, L, d: m.number("12.34") * (2 * (2 * L - d) - 2),
                lambda m, L, d: 50 * L,
                {"L": Real(1, np.inf, True), "d": Real(0, np.inf, True)},
            ),
        ),
    ),
    "hu25/theorem-4.2/omega-1": Reduction(
        "288 x <= 288 v w x as v, w >= 1, and 8 ln T <= 8 v x <= 8 v w x.",
        (
            never_less(
                "288 x + 8 v x <= 296 v w x",
                lambda m, v, w, x: 288 * x + 8 * v * x,
                lambda m, v, w, x: 296 * v * w * x,
                {name: Real(1, np.inf, True) for name in ("v", "w", "x")},
            ),
        ),
    ),
    "hu25/theorem-4.2/eq-24": Reduction(
        "With y = T D^2, ln y > 1 and x = 1/D^2 >= 1: ln T = ln y + ln x, and ln y + ln x <= x ln y because "
        "ln x <= x - 1 <= (x - 1) ln y.",
        (
            same_power(
                "T = y x",
                lambda m, T, gap: T,
                lambda m, T, gap: (T * gap * gap) * (1 / (gap * gap)),
                {"T": HORIZON, "gap": Real(0, 1, True)},
            ),
            never_less(
                "x - 1 <= (x - 1) v for v >= 1",
                lambda m, x, v: x - 1,
                lambda m, x, v: (x - 1) * v,
                {"x": Real(1, np.inf, True), "v": Real(1, np.inf, True)},
            ),
        ),
    ),
}

LEMMAS: dict[str, Lemma] = {
    **reductions(appendix_d.chapter.claims, WORDS),
}
