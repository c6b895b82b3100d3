"""Section 4.3: Theorem 4.6 in (eps, delta), and Theorems 4.7 and 4.8, which it rests on."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Stated, Unjudged, Verdict
from dpbandits.reference.curves import Curve, Gaussian
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import ALPHA, HORIZON, source

chapter = page.chapter("Section 4.3")


THEOREM_4_6 = source(
    "Theorem 4.6",
    "DP-TS-UCB is (eps, delta(eps))-DP for all eps >= 0, where delta(eps) = Phi(-eps/sqrt(2 phi) + sqrt(2 "
    "phi)/2) - e^eps Phi(-eps/sqrt(2 phi) - sqrt(2 phi)/2), where phi = c_0 T^{0.5(1-alpha)} "
    "ln^{0.5(3-alpha)}(T).",
)


@chapter.private(
    "theorem-4.6",
    THEOREM_4_6,
    "pull",
    "arms",
    expect=Verdict.ARGUED,
    subject=DPTSUCB,
    params=tuple({"arms": 2, "horizon": 5, "alpha": alpha} for alpha in (0.0, 0.5, 1.0)),
    follows=("hu25/theorem-4.6/every-run",),
    note="The theorem is true, and weaker than Theorem 4.4 (`hu25/theorem-4.6/direct`).",
    related=("hu25/theorem-4.6/direct",),
)
def theorem_4_6(p: Any) -> Curve | None:
    return Gaussian(float(np.sqrt(2 * p.phi)))


chapter.add(
    "theorem-4.6/every-run",
    THEOREM_4_6,
    Stated(
        "for T >= max(K, 3) and eps >= 0, the pulled arms of a run are (eps, delta(eps))-DP with the printed formula"
    ),
    scope="The claim covers neighbours of either relation, any number of arms, rewards in [0, 1], and every initial "
    "value of MAX.",
    expect=Verdict.ARGUED,
    follows=("hu25/theorem-4.4/every-run", "hu25/theorem-4.6/weaker", "hu25/theorem-2.4", "hu25/theorem-2.4/remark"),
)


@chapter.inequality(
    "theorem-4.6/weaker",
    THEOREM_4_6,
    over={"T": HORIZON, "alpha": ALPHA},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="After squaring and division, the inequality is 1 <= ln^alpha T.",
)
def theorem_4_6_weaker(m: Vocabulary, T: Number, alpha: Number) -> Sides:
    """The sqrt(2 phi) of Theorem 4.6 is at least the parameter sqrt(2 phi/ln^alpha T) of Theorem 4.4."""
    return m.number(1), f.log_power(m, T, alpha)


@chapter.identity(
    "theorem-4.6/direct",
    source("Proof of Theorem 4.6", "Directly using Theorem 2.4 concludes the proof."),
    over={"T": HORIZON, "alpha": ALPHA},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.NUMBER,
    note="Theorem 2.4 applied to Theorem 4.4 gives the profile of sqrt(2 phi/ln^alpha T). The printed profile lacks "
    "the ln^alpha T, so at alpha = 1 its parameter grows with T. The theorem is true, by the Remark of Theorem 2.4, "
    "but its parameter is larger than necessary by a factor ln^{alpha/2} T.",
)
def theorem_4_6_direct(m: Vocabulary, T: Number, alpha: Number) -> Sides:
    """Theorem 2.4 turns Theorem 4.4 into the printed profile."""
    return f.theorem_4_6_eta(m, T, alpha), f.theorem_4_4_eta(m, T, alpha)


chapter.add(
    "theorem-4.7",
    source(
        "Theorem 4.7 (Dong et al. 2022)",
        "The m-fold composition of eta_i-GDP mechanisms is sqrt(eta_1^2 + ... + eta_m^2)-GDP.",
        statement="Theorem 4.7",
    ),
    Unjudged(
        "this is a cited theorem about all mechanisms, and we do not test it directly. The audits of Theorem 4.4 could "
        "show a violation for DP-TS-UCB only"
    ),
    expect=Verdict.UNSUPPORTED,
)

chapter.add(
    "theorem-4.8",
    source(
        "Theorem 4.8 (Dong et al. 2022)",
        "If a mechanism A is eta-GDP, its post-processing is also eta-GDP.",
        statement="Theorem 4.8",
    ),
    Unjudged(
        "this is a cited theorem about all mechanisms, and it follows at once from the definition of the trade-off "
        "function as an infimum"
    ),
    expect=Verdict.UNSUPPORTED,
)
