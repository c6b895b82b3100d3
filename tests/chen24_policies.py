"""Hypothesis strategies for chen24, Section 4.3: tiny randomised policies and bandit instances, exact in Fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import NamedTuple

from hypothesis import Phase, settings
from hypothesis import strategies as st

from dpbandits.proofs_checks.papers.chen24.enumeration import BITS
from dpbandits.reference.papers.chen24.histories import Arms, Tiny, law_on_instance

# A policy has a hundred weights: to shrink one that fails takes minutes, and does not make it readable.
few = settings(max_examples=15, phases=(Phase.explicit, Phase.generate))
many = settings(few, max_examples=40)

SHAPES = ((2, 2), (3, 2), (2, 3))  # (K, T)


@st.composite
def tiny_policies(draw, shapes=SHAPES, least=1):
    """A policy with drawn conditional laws. shapes: pairs (K, T). least: the smallest weight of an arm in a conditional
    law; from 1 on every transcript has positive probability on every table, so the policy is eps-DP for some eps. With
    0 some steps are impossible, and most policies are eps-DP for no eps."""
    arms, horizon = draw(st.sampled_from(shapes))
    labels = tuple(range(1, arms + 1))
    histories = [
        tuple(steps) for length in range(horizon + 1) for steps in product(product(labels, BITS), repeat=length)
    ]
    size = arms * len(histories)
    weights = draw(st.lists(st.integers(least, 5), min_size=size, max_size=size))
    after = {}
    for k, history in enumerate(histories):
        mine = weights[k * arms : (k + 1) * arms]
        mine = mine if any(mine) else [1] * arms
        after[history] = {label: Fraction(w, sum(mine)) for label, w in zip(labels, mine, strict=True)}
    return Tiny(labels, horizon, after.__getitem__)


shares = st.fractions(0, 1, max_denominator=9)
laws = shares.map(lambda share: {Fraction(0): 1 - share, Fraction(1): share})


def instances(policy):
    """A law of rewards 0 and 1 for every arm, ends included."""
    return st.fixed_dictionaries(dict.fromkeys(policy.arms, laws))


class Stopping(NamedTuple):
    """What Lemma 4.3 fixes: an instance, a policy, n and iota."""

    policy: Tiny
    n: int
    iota: int
    instance: Arms

    def changes(self, stopped: Tiny) -> bool:
        """Whether the early stopping version has another law on the instance than the policy."""
        return law_on_instance(stopped, self.instance) != law_on_instance(self.policy, self.instance)


@st.composite
def stoppings(draw, shapes=SHAPES):
    """A policy that is eps-DP for some eps, 1 <= n < T, an arm iota and an instance. All arms have positive probability
    in every round: so {N_iota < n} has, and the n-th pull of iota before the last round, after which the early stopping
    version does something else."""
    policy = draw(tiny_policies(shapes))
    n, iota = draw(st.integers(1, policy.horizon - 1)), draw(st.sampled_from(policy.arms))
    return Stopping(policy, n, iota, draw(instances(policy)))
