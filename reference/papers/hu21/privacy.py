"""Anytime-Lazy-UCB is eps-differentially private, and for no smaller eps."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits import lazy_doubling
from dpbandits.reference.claims.model import Reading, Real, Stated, Verdict
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.hu21 import PRINTED, AnytimeLazyUCB
from dpbandits.reference.papers.hu21.page import page

chapter = page.chapter("Privacy")
SOURCE = page.source(
    "Abstract of version 3",
    "For differentially private stochastic bandits, we propose both UCB and Thompson Sampling-based algorithms that "
    "are anytime and achieve the optimal O(sum_{j: Delta_j > 0} ln(T)/min{Delta_j, eps}) instance-dependent regret "
    "bound, where T is the finite learning horizon, Delta_j denotes the suboptimality gap between the optimal arm and "
    "a suboptimal arm j, and eps is the required privacy parameter.",
    seen_in=page.seen_in,
)
INSTANCES = tuple({"arms": 2, "horizon": 8, "eps": eps} for eps in (0.1, 1.0, 4.0))


@chapter.private(
    "privacy",
    SOURCE,
    relation="pull",
    view="arms",
    subject=PRINTED,
    params=INSTANCES,
    reading=Reading.QUOTED,
    expect=Verdict.ARGUED,
    note="The loss of the instances is also computed exactly, from all transcripts of two arms, on tables chosen to "
    "have a large loss. The loss with a few more rounds is in `hu21/privacy/attained`.",
    related=("hu21/privacy/attained",),
)
def privacy(policy: AnytimeLazyUCB) -> Approximate:
    """The released pulls are (eps, 0)-DP if one reward of the table changes, for every eps, c_H, c_L, K and T."""
    return Approximate(policy.eps, 0.0)


@chapter.private(
    "privacy/means",
    SOURCE,
    relation="pull",
    view="samples",
    subject=PRINTED,
    params=({"arms": 2, "horizon": 10, "eps": 1.0},),
    reading=Reading.OURS,
    expect=Verdict.CONSISTENT,
    note="The pulls are a function of these means. Each reward enters one mean only.",
)
def privacy_means(policy: AnytimeLazyUCB) -> Approximate:
    """The claim is that all noisy means of a run together are (eps, 0)-DP."""
    return Approximate(policy.eps, 0.0)


@chapter.identity(
    "privacy/means/largest",
    SOURCE,
    over={"eps": Real(0, np.inf), "used": Real(1, np.inf, closed=True), "below": Real(0, np.inf, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def largest(m: Vocabulary, eps: Number, used: Number, below: Number) -> Sides:
    """The formula states that if one of n rewards goes from 0 to 1, the likelihood ratio of the noisy mean is e^eps at
    every value below both centres, and nowhere larger. In the formula, `below` is the distance from the lower
    centre."""
    scale = lazy_doubling.noise_scale(m, eps, used)
    return (below + m.number(1) / used) / scale - below / scale, eps


chapter.add(
    "privacy/attained",
    SOURCE,
    Stated("with two arms and ten rounds Anytime-Lazy-UCB is not (0.999999 eps, 0)-DP"),
    reading=Reading.OURS,
    scope="The claim is about the released pulls, for c_H = c_L = 3 and eps = 0.1, 1 and 4.",
    expect=Verdict.PROVED,
)
