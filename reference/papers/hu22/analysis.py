"""What line 3's bonus is there for. The statement is ours."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits import lazy_doubling
from dpbandits.reference.claims.model import Reading, Real, Unjudged, Verdict
from dpbandits.reference.papers.hu22 import FOR_NOISE
from dpbandits.reference.papers.hu22 import formulas as f
from dpbandits.reference.papers.hu22.page import page

chapter = page.chapter("Analysis")


@chapter.identity(
    "bonus/noise",
    page.source("Lazy-DP-TS, line 3"),
    over={"round": Real(1, np.inf, True), "used": Real(1, np.inf, True), "eps": Real(0, np.inf)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def bonus_noise(m: Vocabulary, round: Number, used: Number, eps: Number) -> Sides:
    """The formula states that the noise of scale 1/(eps O) is below -v with probability exp(-v eps O)/2 = t^-3/2."""
    bonus = f.noise_bonus(m.number(FOR_NOISE), m.log(round), eps, used)
    return m.exp(-bonus / lazy_doubling.noise_scale(m, eps, used)) / 2, 1 / (2 * round * round * round)


chapter.add(
    "abstract/regret",
    page.source(
        "Abstract",
        "The regret of Lazy-DP-TS is sum_{j in A: Delta_j > 0} O(log(T)/min{eps, Delta_j}), which matches the regret "
        "lower bound.",
    ),
    Unjudged(
        "the sentence gives an order without constants, which simulations cannot test, and we give no proof "
        "(`hu21/abstract/rate` has a proof for another algorithm)"
    ),
    expect=Verdict.UNSUPPORTED,
    related=("hu21/abstract/rate",),
)
