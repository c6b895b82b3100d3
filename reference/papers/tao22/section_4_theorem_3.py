"""Section 4: Theorem 3, the privacy of Algorithm 3."""

from __future__ import annotations

from dpbandits.reference.claims.model import Reading, Stated, Verdict
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.tao22 import DPRSE, Elimination
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import at_the_bounds

chapter = page.chapter("Section 4: Algorithm 3")
THEOREM_3 = source("Theorem 3", "For any eps > 0, Algorithm 3 is eps-differentially private.")

chapter.add(
    "theorem-3",
    THEOREM_3,
    Stated(
        "the sequence of pulled arms is eps-DP when the rewards of one timestep change, or one entry of the table of "
        "pulls (the n-th reward of an arm)"
    ),
    scope="Every K, T, v, u and beta; rewards may be any numbers. The paper's neighbours differ at one timestep "
    "(Section 3); within an epoch the arms are pulled in turn.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-3/mean",),
)


@chapter.private(
    "theorem-3/means",
    THEOREM_3,
    relation="pull",
    view="samples",
    pairs=at_the_bounds,
    subject=DPRSE,
    params=({"arms": 2, "horizon": 500, "eps": 1.0, "v": 1.0, "u": 5e-3, "beta": 0.9},),
    reading=Reading.OURS,
    expect=Verdict.CONSISTENT,
    note="The means are what the proof argues about; the algorithm releases arms alone. A reward that goes from B to "
    "-B moves one mean by 2 B/R, and attains eps in its tail: judged exactly, and by runs.",
)
def theorem_3_means(policy: Elimination) -> Approximate:
    """(eps, 0)-DP of all noisy means of a run, from which the pulls follow."""
    return Approximate(policy.eps, 0.0)


chapter.add(
    "theorem-3/arms",
    THEOREM_3,
    Stated("the released arms are not eps'-DP for any eps' below eps + log(1 - eps/(2 + 6 L + R_1 eps))"),
    scope="K = 2, L = log(8/beta).",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="The arms tell nearly all of eps: 0.99998 of eps = 1 at u = v = 1, T = 10^9. The noise is as small as "
    "it may be.",
)

chapter.add(
    "theorem-3/arms/exact",
    THEOREM_3,
    Stated("the released arms alone tell at least 0.99 eps"),
    scope="2, 3 and 5 arms.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    given="the first epoch, means on a grid, eps in {0.1, 0.5, 1, 2, 4}, v in {0.25, 0.5, 1}",
    note="By the exact law of the arms that survive, at certified numbers. With three arms or more all of eps is told "
    "but 1e-10 of it; none was found to tell more, which Theorem 3 excludes. A transcript's loss is that of the epoch "
    "that holds the changed reward.",
)
