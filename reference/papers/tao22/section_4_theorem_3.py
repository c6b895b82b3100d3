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
        "the sequence of pulled arms is eps-DP if the rewards of one timestep change, and also if one entry of the "
        "table of pulls (the n-th reward of an arm) changes"
    ),
    scope="The claim is for every K, T, v, u and beta. Rewards may be any real numbers. The paper's neighbours differ "
    "at one timestep (Section 3). Within an epoch the arms are pulled in turn.",
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
    note="The algorithm releases only the pulled arms. The proof bounds what the noisy means reveal. A reward that "
    "changes from B to -B changes one mean by 2 B/R, and events in the tail of the noise then attain eps. The claim is "
    "checked by the exact law and by simulated runs.",
)
def theorem_3_means(policy: Elimination) -> Approximate:
    """All noisy means of a run, which determine the pulls, are (eps, 0)-DP."""
    return Approximate(policy.eps, 0.0)


chapter.add(
    "theorem-3/arms",
    THEOREM_3,
    Stated("the sequence of pulled arms is not eps'-DP for any eps' below eps + log(1 - eps/(2 + 6 L + R_1 eps))"),
    scope="The claim is for K = 2, with L = log(8/beta).",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="So the pulled arms alone reveal nearly eps: for eps = 1, u = v = 1 and T = 10^9 the privacy loss is at "
    "least 0.99998. Hence the noise scale can hardly be made smaller.",
)

chapter.add(
    "theorem-3/arms/exact",
    THEOREM_3,
    Stated("the privacy loss of the sequence of pulled arms is at least 0.99 eps"),
    scope="The claim was checked for 2, 3 and 5 arms.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    given="the first epoch, means on a grid, eps in {0.1, 0.5, 1, 2, 4}, v in {0.25, 0.5, 1}",
    note="The loss is computed by the exact law of the arms that survive the first epoch, with certified numbers. "
    "With three arms or more the loss is at least eps - 1e-10. The loss of a transcript is the loss of the epoch "
    "that contains the changed reward.",
)
