"""AdaP-UCB is eps-differentially private, and for no smaller eps."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Real, Stated, Verdict
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.azize22 import PRINTED, AdaPUCB
from dpbandits.reference.papers.azize22 import formulas as f
from dpbandits.reference.papers.azize22.page import SUBMITTED, page

chapter = page.chapter("Privacy")
SOURCE = page.source(
    f"Theorem 6, {SUBMITTED}",
    "For any index I_a^eps computed using the private empirical mean of the rewards collected in the last active "
    "episode of arm a, Algorithm 1 satisfies eps-global DP.",
    statement="Theorem 6",
)
INSTANCES = tuple({"arms": 2, "horizon": 8, "eps": eps} for eps in (0.1, 1.0, 4.0))


@chapter.private(
    "privacy",
    SOURCE,
    relation="round",
    view="arms",
    subject=PRINTED,
    params=INSTANCES,
    expect=Verdict.ARGUED,
    note="The loss of the instances is also computed exactly, from all transcripts of two arms, on tables chosen to "
    "have a large loss. The loss with a few more rounds is in `azize22/privacy/attained`.",
    related=("azize22/privacy/attained",),
)
def privacy(policy: AdaPUCB) -> Approximate:
    """The claim is that the released pulls are (eps, 0)-DP, for every eps, alpha, K and T. The neighbours of Definition
    2 are reward sequences that differ in one round."""
    return Approximate(policy.eps, 0.0)


@chapter.private(
    "privacy/pull",
    SOURCE,
    relation="pull",
    view="arms",
    subject=PRINTED,
    params=INSTANCES,
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
)
def privacy_pull(policy: AdaPUCB) -> Approximate:
    """The claim is the same guarantee for tables that differ in one pull of an arm."""
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
def privacy_means(policy: AdaPUCB) -> Approximate:
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
    scale = f.noise_scale(m, eps, used)
    return (below + m.number(1) / used) / scale - below / scale, eps


chapter.add(
    "privacy/attained",
    SOURCE,
    Stated("with two arms and twelve rounds AdaP-UCB is not (0.999999 eps, 0)-DP"),
    reading=Reading.OURS,
    scope="The claim is about the released pulls, for alpha = 3.1 and eps = 0.1, 1 and 4.",
    expect=Verdict.PROVED,
)
