"""DP-SE is eps-differentially private, and for no smaller eps."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpbandits.reference.bandits.adjacency import Pair, flipped
from dpbandits.reference.claims.model import Reading, Stated, Verdict
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.sajed19 import DPSE, PRINTED, IntegerDPSE
from dpbandits.reference.papers.sajed19.formulas import CONSTANTS, Constants
from dpbandits.reference.papers.sajed19.page import page

chapter = page.chapter("Privacy")

INSTANCES = tuple(
    {"arms": arms, "horizon": horizon, "eps": eps}
    for arms, horizon, eps in (
        (2, 100_000, 1.0),
        (3, 100_000, 0.1),
        (3, 100_000, 1.0),
        (3, 100_000_000, 1.0),
        (4, 100_000_000, 4.0),
    )
)


def at_the_width(policy: DPSE) -> tuple[Pair, ...]:
    """Tables on which the first epoch ends with arm 0 as far above the others as line 11 allows, so that noise decides
    who stays; one reward of arm 0 more or less. None where T ends before."""
    numbers = policy.numbers(1, policy.arms)
    rounds, width = float(numbers.rounds), float(numbers.width)
    if policy.arms < 2 or policy.arms * rounds > policy.horizon or width >= 1:
        return ()
    ones = round(width * rounds)
    lengths = np.array([ones, policy.horizon - ones])
    table = np.zeros((policy.arms, 2))
    table[0, 0] = 1
    more = flipped("pull", table, 0, ones, 1.0, lengths)
    return more, flipped("pull", table, 0, ones - 1, 0.0, lengths), more.swapped()


@chapter.private(
    "privacy",
    page.source(
        "Abstract",
        "We present a provably optimal differentially private algorithm for the stochastic multi-arm bandit problem, "
        "as opposed to the private analogue of the UCB-algorithm (Mishra and Thakurta, 2015; Tossou and Dimitrakakis, "
        "2016) which doesn't meet the recently discovered lower-bound of Omega(K log(T)/eps) (Shariff and Sheffet, "
        "2018).",
        seen_in=page.seen_in,
    ),
    relation="pull",
    view="arms",
    pairs=at_the_width,
    subject=PRINTED,
    params=INSTANCES,
    reading=Reading.QUOTED,
    expect=Verdict.ARGUED,
    note="Every instance is also computed exactly, phase by phase for up to three active arms, on the worst means "
    "found. With three arms, the loss differs from eps by at most 1e-9. With two arms the loss is below eps - log(1 + "
    "eps/(2 + d)), where d is the largest of the two means and the width, in units of the noise.",
)
def privacy(policy: DPSE) -> Approximate:
    """The released pulls are (eps, 0)-DP if one reward of the table changes, for every eps, beta, K and T."""
    return Approximate(policy.eps, 0.0)


@chapter.private(
    "privacy/means",
    page.source("The privacy of DP-SE"),
    relation="pull",
    view="samples",
    subject=PRINTED,
    params=(INSTANCES[0], INSTANCES[2]),
    more_params=INSTANCES[1:2],
    reading=Reading.OURS,
    expect=Verdict.CONSISTENT,
    note="Each reward enters one mean only and changes it by at most 1/R, and the noise has scale 1/(eps R). For two "
    "or more arms, events in the tail of a single noisy mean attain eps.",
)
def privacy_means(policy: DPSE) -> Approximate:
    """All noisy means of a run, which determine the pulls, are (eps, 0)-DP."""
    return Approximate(policy.eps, 0.0)


RATIO = Fraction(3, 5)
WHOLE = tuple(
    IntegerDPSE(arms, horizon, beta=0.5, constants=constants, ratio=RATIO)
    for arms, horizon, constants in (
        (2, 80, Constants(1, 1, 8, 4, 1)),
        (2, 200, Constants(1, 1, 8, 4, 1)),
        (3, 150, Constants(1, 1, 8, 4, 1)),
        (2, 6_000, CONSTANTS),
    )
)


chapter.add(
    "privacy/rational",
    page.source("The privacy of DP-SE"),
    Stated(
        "with two-sided geometric noise of ratio 3/5, no output is more than 5/3 times as likely on one of two "
        "neighbouring tables as on the other, and some output is at least 8/5 times as likely"
    ),
    reading=Reading.OURS,
    scope="The claim covers two arms with T = 80, 200 and 6000, and three arms with T = 150. The noise of the first "
    "epoch decides which arms remain active on these tables of 0 and 1.",
    expect=Verdict.PROVED,
    note="No number is rounded: all probabilities are computed as fractions, and they add up to 1.",
)


chapter.add(
    "privacy/attained",
    page.source("The privacy of DP-SE"),
    Stated("with three arms DP-SE is not (0.999999 eps, 0)-DP"),
    reading=Reading.OURS,
    scope="The claim is for T = 10^5 and 10^8 and eps = 0.1, 1 and 4, after the first epoch.",
    expect=Verdict.PROVED,
    note="On the worst means, arm 0 is one confidence width above the other arms, and the noise of the other arms "
    "has as little influence as possible.",
)
