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
        "the lower bounds are results of other papers; `sajed19/abstract/rate` shows that the regret of DP-SE has "
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
    scope="The claim is the upper bound O(sum_a ln(T)/D_a + K ln(T)/eps), for rewards in [0, 1]. The lower bounds "
    "are results of other papers.",
    reading=Reading.QUOTED,
    expect=Verdict.ARGUED,
    note="We read the algorithm in a secondary source, so its constants are not certain. Other constants would "
    "change the numbers but not the order. `sajed19/regret/explicit` is a smaller bound, without a closed form.",
    related=("sajed19/regret/explicit",),
)
chapter.add(
    "abstract/experiments",
    page.source(
        "Abstract", "We also compare empirically the performance of our algorithm with the private UCB algorithm."
    ),
    Unjudged("we did not have the experiments, and we do not implement the private UCB algorithm"),
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
    Unjudged("we did not have the stopping rule and the proof of its optimality"),
    expect=Verdict.UNSUPPORTED,
)
