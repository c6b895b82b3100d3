"""The abstract's statements: standard privacy is incompatible with low regret, and joint privacy is possible."""

from __future__ import annotations

from dpbandits.reference.arithmetic.elementary import log
from dpbandits.reference.claims.model import Reading, Stated, Unjudged, Verdict
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.shariff18 import PrivateLinUCB
from dpbandits.reference.papers.shariff18.page import page

chapter = page.chapter("Abstract")

chapter.add(
    "abstract/standard",
    page.source(
        "Abstract",
        "We first show that using the standard definition of differential privacy results in linear regret.",
    ),
    Stated(
        "for every (eps, delta)-DP policy there are contexts with an expected regret of at least T g (1 - delta)/(1 "
        "+ e^eps), where g is the gap between two arms"
    ),
    scope="All arms are released, and one user's contexts and rewards change. The claim is for two arms, any eps and "
    "delta < 1.",
    expect=Verdict.ARGUED,
    note="The paper's sentence has no constant, but the claimed bound has one. The proof is ours, because we did not "
    "have the authors' proof.",
)


@chapter.private(
    "abstract/joint",
    page.source(
        "Abstract",
        "We give a general scheme converting the classic linear-UCB algorithm into a joint differentially private "
        "algorithm using the tree-based algorithm.",
        seen_in=page.seen_in,
    ),
    relation="user",
    view="others",
    subject=PrivateLinUCB,
    params=tuple({"arms": 2, "horizon": 16, "contexts": 2, "eps": eps} for eps in (0.1, 1.0, 10.0)),
    reading=Reading.QUOTED,
    expect=Verdict.ARGUED,
    note="The noise is Gaussian, with far more variance than necessary (`shariff18/calibration/loose`). For eps "
    "above the stated range the variance is too small (`shariff18/calibration/large`).",
    related=("shariff18/calibration/loose", "shariff18/calibration/large"),
)
def joint_privacy(policy: PrivateLinUCB) -> Approximate | None:
    """The claim is (eps, delta)-DP for the arms of all rounds, except for the round whose contexts and rewards change.
    The claim is for every delta < 1, eps <= 16 ln(4/delta)^2, K, d and T, contexts of length at most 1, and rewards in
    [0, 1]. The claim does not cover larger eps."""
    return Approximate(policy.eps, policy.delta) if policy.eps <= 16 * log(4 / policy.delta) ** 2 else None


chapter.add(
    "abstract/regret",
    page.source(
        "Abstract",
        "We then apply either Gaussian noise or Wishart noise to achieve joint-differentially private algorithms and "
        "bound the resulting algorithms' regrets.",
    ),
    Unjudged("the bounds are in theorems that we did not have, and the constants of the Wishart noise are doubtful"),
    expect=Verdict.UNSUPPORTED,
)
chapter.add(
    "abstract/lower-bound",
    page.source(
        "Abstract",
        "In addition, we give the first lower bound on the additional regret any private algorithms for the MAB "
        "problem "
        "must incur.",
    ),
    Unjudged(
        "we did not have the bound and its proof. The papers sajed19 and hu25 cite the bound as Omega(K log(T)/eps)"
    ),
    expect=Verdict.UNSUPPORTED,
)
