"""How private linear Thompson sampling is as it stands: one reward costs sqrt((T - 1)/2)/v, one user an order of T.

The paper says nothing of it, and nobody else has published it: all is ours.
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
    note="The instances are also computed exactly, all transcripts on contexts that press hard. With the scale of the "
    "notes, v = R sqrt(9 d ln(T/delta)), and R = 1/2, d = 2, delta = 0.01 it is 3.1 at T = 1000.",
)
def reward_privacy(policy: LinearThompsonSampling) -> Gaussian:
    """sqrt((T - 1)/2)/v-GDP of all released arms, the rewards of one round changed within [0, 1], the contexts known:
    for every K, d, T, v, and all contexts of length at most 1, also where each depends on what was released before.
    Without a bound on their length it is sqrt(T - 1)/v.
    """
    return Gaussian(sqrt((policy.horizon - 1) / 2) / policy.scale)


chapter.add(
    "privacy/reward/attained",
    SOURCE,
    Stated("on some contexts all released arms are not 0.79 sqrt((T - 1)/2)/v-GDP"),
    reading=Reading.OURS,
    scope="T = 10 with v = 1, T = 101 with v = 1 and 8; two arms, one feature, the rewards of the first round changed.",
    expect=Verdict.PROVED,
    note="The first round shows every arm a context of length 1, all later ones show two short ones, of either sign: "
    "each is a coin of chance 1/2 on the left and Phi(1/(sqrt(2) v)) on the right. sqrt(2/pi) = 0.798 is the factor "
    "between such a coin and the sample that it is made of, so that these contexts show no more as v grows.",
)
chapter.add(
    "privacy/user",
    SOURCE,
    Stated(
        "a constant c > 0 such that for every v and all large T, on some contexts, the arms of all other rounds are "
        "not c T/v-GDP, where one round's contexts change, and no reward does"
    ),
    reading=Reading.OURS,
    scope="Joint differential privacy: the arm of the round that changes is hidden. Two arms, two features, contexts "
    "of length at most 1, rewards in [0, 1].",
    expect=Verdict.ARGUED,
    note="So a context is worth more than a reward: many users with short contexts teach a large parameter, which one "
    "user with a long context turns. c = 0.13 at T = 19, 33 and 73: agrawal13/privacy/user/attained.",
    related=("agrawal13/privacy/user/attained",),
)
chapter.add(
    "privacy/user/attained",
    SOURCE,
    Stated("on some contexts the arms of all other rounds are not 0.13 (T - 1)/v-GDP, one round's contexts changed"),
    reading=Reading.OURS,
    scope="v = 1, T = 19, 33 and 73: 2.34, 4.16 and 9.36, where a reward costs at most 3, 4 and 6 "
    "(agrawal13/privacy/reward); two arms, two features, contexts of length at most 1, rewards in [0, 1].",
    expect=Verdict.PROVED,
    note="The rounds of agrawal13/privacy/user, as many before the user as after.",
    related=("agrawal13/privacy/user", "agrawal13/privacy/reward"),
)
