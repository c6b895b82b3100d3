"""Lazy-DP-TS is eps-differentially private."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits import lazy_doubling
from dpbandits.reference.claims.model import Reading, Real, Verdict
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.hu22 import PRINTED, LazyDPTS
from dpbandits.reference.papers.hu22.page import page

chapter = page.chapter("Privacy")
SOURCE = page.source(
    "Abstract",
    "We address differentially private stochastic bandits. We present two (near)-optimal Thompson Sampling-based "
    "learning algorithms: DP-TS and Lazy-DP-TS.",
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
    note="The random coins of line 5 reveal less about a noisy mean than a comparison of noisy means does. The loss "
    "of the noisy means, without these coins, is computed exactly in `hu22/privacy/means/largest`.",
    related=("hu22/privacy/means/largest",),
)
def privacy(policy: LazyDPTS) -> Approximate:
    """The released pulls are (eps, 0)-DP if one reward of the table changes, for every eps, K and T."""
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
def privacy_means(policy: LazyDPTS) -> Approximate:
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
