"""Appendix A: facts."""

from __future__ import annotations

from collections.abc import Mapping

from dpbandits.proofs_checks.judge.reductions import Lemma, Reduction, encloses, same
from dpbandits.proofs_checks.papers.hu25.shared import reductions
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

WORDS: Mapping[str, Reduction] = {
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
