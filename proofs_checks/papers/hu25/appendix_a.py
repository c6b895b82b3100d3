"""Appendix A: facts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dpbandits.proofs_checks.judge.reductions import Lemma, Reduction, encloses, never_less, same
from dpbandits.proofs_checks.papers.hu25.shared import reductions
from dpbandits.reference.ledger import Real
from dpbandits.reference.papers.hu25 import appendix_a
from dpbandits.reference.vocabulary import Number, Vocabulary


def density_rate(m: Vocabulary, z: Number) -> Number:
    """-(d/dz) of (Q(z) - z/(z^2+1) phi(z)), divided by phi(z): 1 + (1-z^2)/(1+z^2)^2 - z^2/(1+z^2)."""
    square = z * z
    return 1 + (1 - square) / (1 + square) ** 2 - square / (1 + square)


GORDON = same(
    "the difference falls at the rate phi(z) 2/(1+z^2)^2",
    density_rate,
    lambda m, z: 2 / (1 + z * z) ** 2,
    "z",
)

FACT_A_1 = Reduction(
    "With u = 1 - alpha, L^u = e^{u ln L} is a convex function of u, so on [0, 1] it lies below the line through "
    "its ends 1 and L, which is 1 + u (L - 1) <= 1 + u L.",
    (
        never_less(
            "1 + u (L - 1) <= 1 + u L",
            lambda m, u, L: 1 + u * (L - 1),
            lambda m, u, L: 1 + u * L,
            {"u": Real(0, 1, True), "L": Real(0, np.inf, True)},
        ),
    ),
)

WORDS: Mapping[str, Reduction] = {
    "hu25/fact-a.1": FACT_A_1,
    "hu25/fact-a.1/everywhere": FACT_A_1,
    "hu25/fact-a.3/eq-4": Reduction(
        "e^{-z^2/2}/2 - Q(z) vanishes at 0 and in the limit, and its derivative e^{-z^2/2} (1/sqrt(2 pi) - z/2) is "
        "positive before z = sqrt(2/pi) and negative after: it rises from 0 and falls back to 0.",
        (
            encloses(
                "at the top, z = sqrt(2/pi)",
                lambda m: m.ncdf(-m.sqrt(2 / m.pi)),
                lambda m: m.exp(-1 / m.pi) / 2,
                {},
            ),
        ),
    ),
    "hu25/fact-a.3/eq-5": Reduction(
        "Q(z) - z/(z^2+1) phi(z) tends to 0 as z grows, and falls all the way: so it is positive.", (GORDON,)
    ),
}

LEMMAS: dict[str, Lemma] = {
    **reductions(appendix_a.chapter.claims, WORDS),
}
