"""The abstract."""

from __future__ import annotations

from dpbandits.reference.claims.model import Unjudged, Verdict
from dpbandits.reference.papers.sajed19.page import page

chapter = page.chapter("Abstract")

chapter.add(
    "abstract/optimal",
    page.source(
        "Abstract",
        "We then present the private Successive Elimination algorithm which meets both the non-private lower bound "
        "[Lai and Robbins, 1985] and the above-mentioned private lower bound.",
    ),
    Unjudged(
        "two orders without constants, for which no argument is given here (hu21/abstract/rate has one for another "
        "algorithm); a bound with constants is sajed19/regret/explicit"
    ),
    expect=Verdict.UNSUPPORTED,
    related=("hu21/abstract/rate", "sajed19/regret/explicit"),
)
chapter.add(
    "abstract/experiments",
    page.source(
        "Abstract", "We also compare empirically the performance of our algorithm with the private UCB algorithm."
    ),
    Unjudged("the experiments were not at hand, nor is the private UCB algorithm a page here"),
    expect=Verdict.UNSUPPORTED,
)


chapter.add(
    "abstract/stopping-rule",
    page.source(
        "Abstract",
        "In order to devise a private analogue of Successive Elimination we visit the problem of private stopping "
        "rule, "
        "that takes as input a stream of i.i.d samples from an unknown distribution and returns a multiplicative (1 +- "
        "alpha)-approximation of the distribution's mean, and prove the optimality of our private stopping rule.",
    ),
    Unjudged("the stopping rule and the proof of its optimality were not at hand"),
    expect=Verdict.UNSUPPORTED,
)
