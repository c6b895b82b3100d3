"""What the chapters share: domains and conditions."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.adjacency import Pair, flipped
from dpbandits.reference.claims.model import Real
from dpbandits.reference.papers.tao22.algorithms.elimination import Elimination

V = Real(0, 1, closed="right")  # moments are of order 1 + v
POSITIVE = Real(0, np.inf)
SHARE = Real(0, 1)
EPOCH = {"eps": POSITIVE, "v": V, "u": POSITIVE, "L": POSITIVE, "R": POSITIVE}  # of Algorithms 3 and 4
HORIZON = Real(3, np.inf, closed=True)  # log T >= 1; K >= 2 arms and a choice take T >= 3
LDP_RATE = (
    "R_T <= C ((log T/eps^2) sum_{Delta_a > 0} (1/Delta_a)^{1/v} + max_a Delta_a), with one C for all instances, eps "
    "in (0, 1] and large T"
)
LDP_RATE_INDEPENDENT = (
    "R_T <= C (K log T/eps^2)^{v/(1+v)} T^{1/(1+v)}, with one C for all instances, eps in (0, 1] and large T"
)
ALL_ALGORITHMS = (
    "The quantifiers are read as printed: one instance for all algorithms, without any condition on an algorithm's "
    "regret on other instances."
)
ONE_INSTANCE = (
    "A counterexample is the algorithm that pulls this instance's best arm in every round.\n"
    "The proof shows a weaker statement, which usually has one of two forms. In the first form, every algorithm has a "
    "bad instance, which may depend on the algorithm. In the second form, the bound holds for every algorithm whose "
    "regret is small on all of the proof's instances"
)
U_CONSTANT = (
    'The paper treats v and u as constants ("for any constant c we regard c^{1/v} as a constant"), so its O may hide '
    "every power of u.\nHowever, the paper prints a power of u."
)


def long_enough(m: Vocabulary, L: Number, R: Number, **others: Number) -> Sides:
    """R >= L, as line 8 of Algorithm 4 makes it: an epoch has at least log(1/delta) pulls."""
    return L, R


def largest_moment(environment: Any, order: float) -> float:
    """The largest moment of this order; a Bernoulli arm has its mean for all of them."""
    return float(environment.moment(order)) if hasattr(environment, "moment") else max(environment.means)


def at_the_bounds(policy: Elimination) -> tuple[Pair, ...]:
    """Tables of zeros, but for the first reward of arm 0 in an epoch: B of this epoch on one side, -B on the
    other. So for each of the first epochs that begin within the horizon."""
    pairs, begin = [], 0.0
    for epoch in policy.epochs()[:4]:
        if begin >= policy.horizon:
            break
        bound, index = float(epoch.bound[0, 0]), int(begin)
        table = np.zeros((policy.arms, 3))
        lengths = np.array([index, 1, policy.horizon - index - 1])
        table[0, 1] = bound
        kept = lengths > 0
        pairs.append(flipped("pull", table[:, kept], 0, index, -bound, lengths[kept], *policy.reward_range))
        begin += float(epoch.length[0, 0])
    return tuple(pairs)
