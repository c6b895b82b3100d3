"""The privacy of unmodified linear Thompson sampling: one reward costs sqrt((T - 1)/2)/v, one user costs of order T.

The paper does not study privacy, and we know of no published result: all claims of this module are ours.
"""

from __future__ import annotations

from math import sqrt

from dpbandits.reference.claims.model import Reading, Stated, Verdict
from dpbandits.reference.curves import Gaussian
from dpbandits.reference.papers.agrawal13 import LinearThompsonSampling
from dpbandits.reference.papers.agrawal13.page import page

chapter = page.chapter("Privacy")
SOURCE = page.source("Algorithm 1")
INSTANCES = (
    {"arms": 2, "horizon": 10, "contexts": 1, "scale": 1.0},
    {"arms": 3, "horizon": 6, "contexts": 2, "scale": 0.5},
    {"arms": 2, "horizon": 6, "contexts": 3, "scale": 2.0},
)


@chapter.private(
    "privacy/reward",
    SOURCE,
    relation="reward",
    view="arms",
    subject=LinearThompsonSampling,
    params=INSTANCES,
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="The loss of the instances is also computed exactly, from all transcripts, on contexts chosen to have a "
    "large loss. With v = R sqrt(9 d ln(T/delta)), the scale in notes on the paper, and R = 1/2, d = 2 and delta = "
    "0.01, the parameter is 3.1 at T = 1000.",
)
def reward_privacy(policy: LinearThompsonSampling) -> Gaussian:
    """All released arms together are sqrt((T - 1)/2)/v-GDP if the rewards of one round change within [0, 1] and the
    contexts are known. The claim is for every K, d, T, v, and all contexts of length at most 1, even if they depend on
    earlier releases. Without a bound on the length of contexts, the parameter is sqrt(T - 1)/v."""
    return Gaussian(sqrt((policy.horizon - 1) / 2) / policy.scale)


chapter.add(
    "privacy/reward/attained",
    SOURCE,
    Stated("for some contexts, the released arms of all rounds together are not 0.79 sqrt((T - 1)/2)/v-GDP"),
    reading=Reading.OURS,
    scope="The claim is for T = 10 with v = 1, and for T = 101 with v = 1 and v = 8. There are two arms and one "
    "feature, and the rewards of the first round change.",
    expect=Verdict.PROVED,
    note="In the first round every arm has a context of length 1. In all later rounds the contexts are short, and "
    "those of the two arms have opposite signs. Each later round then pulls an arm with probability 1/2 on the left "
    "and Phi(1/(sqrt(2) v)) on the right. As v grows, such a round attains only the factor sqrt(2/pi) = 0.798 of the "
    "parameter of its hidden sample, so these contexts give no larger bound.",
)
chapter.add(
    "privacy/user",
    SOURCE,
    Stated(
        "there is a constant c > 0 such that for every v and all large T, on some contexts, the arms of all other "
        "rounds are not c T/v-GDP if the contexts of one round change and no reward changes"
    ),
    reading=Reading.OURS,
    scope="The claim is about joint differential privacy, so the arm of the changed round is not released. There are "
    "two arms, two features, contexts of length at most 1, and rewards in [0, 1].",
    expect=Verdict.ARGUED,
    note="So a change of a context can reveal more than a change of a reward. Many users with short contexts determine "
    "a large parameter, and one user with a long context changes the direction of this parameter. c = 0.13 is attained "
    "at T = 19, 33 and 73 (`agrawal13/privacy/user/attained`).",
    related=("agrawal13/privacy/user/attained",),
)
chapter.add(
    "privacy/user/attained",
    SOURCE,
    Stated("on some contexts the arms of all other rounds are not 0.13 (T - 1)/v-GDP if one round's contexts change"),
    reading=Reading.OURS,
    scope="For v = 1 and T = 19, 33 and 73, the parameter is at least 2.34, 4.16 and 9.36, respectively. For a "
    "changed reward, the parameter is at most 3, 4 and 6, respectively (`agrawal13/privacy/reward`). There are two "
    "arms, two features, contexts of length at most 1, and rewards in [0, 1].",
    expect=Verdict.PROVED,
    note="The contexts are those of `agrawal13/privacy/user`, with as many rounds before the changed round as after "
    "it.",
    related=("agrawal13/privacy/user", "agrawal13/privacy/reward"),
)
