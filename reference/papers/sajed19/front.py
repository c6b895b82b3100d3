"""The abstract."""

from __future__ import annotations

from dpbandits.reference.claims.model import Reading, Stated, Unjudged, Verdict
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
        "the lower bounds are those of other papers; `sajed19/abstract/rate` shows that the regret of DP-SE is of "
        "their order"
    ),
    expect=Verdict.UNSUPPORTED,
    related=("sajed19/abstract/rate",),
)
chapter.add(
    "abstract/rate",
    page.source(
        "Abstract",
        "We then present the private Successive Elimination algorithm which meets both the non-private lower bound "
        "[Lai and Robbins, 1985] and the above-mentioned private lower bound.",
        seen_in=page.seen_in,
    ),
    Stated(
        "with beta = 1/T, for every K >= 2, T >= 2 and eps > 0, the regret of DP-SE is at most the sum over the "
        "suboptimal arms of 1374 ln(T)/D_a + 256 ln(T)/eps"
    ),
    scope="The upper bound, O(sum_a ln(T)/D_a + K ln(T)/eps), for rewards in [0, 1]. The lower bounds are those of "
    "other papers.",
    reading=Reading.QUOTED,
    expect=Verdict.ARGUED,
    note="The algorithm was read in a secondary source, and its constants are not certain; other constants would "
    "change the numbers but not the order. `sajed19/regret/explicit` is a smaller bound, without a closed form.",
    related=("sajed19/regret/explicit",),
)
chapter.add(
    "abstract/experiments",
    page.source(
        "Abstract", "We also compare empirically the performance of our algorithm with the private UCB algorithm."
    ),
    Unjudged("the experiments were not at hand, and this project does not implement the private UCB algorithm"),
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
