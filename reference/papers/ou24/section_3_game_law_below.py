"""Lower bounds on the privacy loss of Thompson sampling as T grows, alone or with K: claims of ours, next to Theorem
3."""

from __future__ import annotations

from dpbandits.reference.claims.model import Reading, Source, Stated, Verdict
from dpbandits.reference.papers.ou24.page import page

chapter = page.chapter("Theorem 3, the law in T from below")
SOURCE = Source("ou24", "Theorem 3, the law in T from below", "is (eps, delta(eps))-DP for all eps >= 0")

chapter.add(
    "theorem-3/law/two-arms/below",
    SOURCE,
    Stated(
        "fix 0 < delta < 1. For two arms and one changed pull, (eps, delta)-DP holds for no eps below (1/2 - o(1)) "
        "ln^2 T, as T grows"
    ),
    scope="The lower bound is attained by the policy itself on tables with rewards in [0, 1], not only in the "
    "threshold game. So the upper bound is sharp to first order. The claim is about one changed pull. For one changed "
    "round no such lower bound is known.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="The claim is asymptotic. The window of pull counts from ln^2 T to T/ln^5 T gives 0.41, 0.65 and 0.89 times "
    "ln^2(T)/2 at ln T = 50, 100 and 400, respectively. The probabilities in the proof give a bound only beyond ln T = "
    "6000. At practical T, attacks give larger lower bounds.",
)
chapter.add(
    "theorem-3/law/many-arms",
    SOURCE,
    Stated(
        "fix 0 < delta < 1 and 0 < f < 1 - delta. There are c > 0 and C > 0, which depend only on f and delta, such "
        "that the following holds for all large K. With K arms, T = ceil((1+f) K) rounds and one changed pull, (eps, "
        "delta)-DP fails for every eps < c f e^sqrt(ln K)/ln^4.5 K - C"
    ),
    scope="If one pull changes, the eps of Thompson sampling with many arms exceeds every power of ln T, so no bound "
    "by a power of ln T holds uniformly in K.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="The claim is asymptotic: e^sqrt(ln T) exceeds ln^2 T only for T above about 10^32. At practical T, many "
    "arms increase eps only by a constant factor.",
)
