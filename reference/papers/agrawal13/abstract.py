"""The regret that the abstract states, without constants and logarithms."""

from __future__ import annotations

from dpbandits.reference.claims.model import Unjudged, Verdict
from dpbandits.reference.papers.agrawal13.page import page

chapter = page.chapter("Abstract")

chapter.add(
    "abstract/regret",
    page.source(
        "Abstract",
        "We prove a high probability regret bound of O~(d^{3/2} sqrt(T)) (or O~(d sqrt(T log(N)))), which is the best "
        "regret bound achieved by any computationally efficient algorithm available for this problem in the current "
        "literature, and is within a factor of sqrt(d) (or sqrt(log(N))) of the information-theoretic lower bound for "
        "this problem.",
    ),
    Unjudged("the O~ hides constants and logarithms, which are in a theorem that we did not have"),
    expect=Verdict.UNSUPPORTED,
)
