"""Tiny randomised policies of chen24 that hypothesis makes, and instances for them: everything in Fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hypothesis import settings
from hypothesis import strategies as st

from dpbandits.proofs_checks.papers.chen24.enumeration import BITS
from dpbandits.reference.papers.chen24.histories import Tiny

few = settings(max_examples=15)


@st.composite
def tiny_policies(draw, shapes=((2, 1), (2, 2), (3, 1), (3, 2)), least=0):
    """A policy with drawn conditional laws. least: the smallest weight of a label; 0 allows impossible steps."""
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
