"""What hypothesis may draw: reward tables, neighbouring pairs, states and policies."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from dpbandits import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, State, ThompsonSampling

# Rewards in [0, 1] with plenty of ends; the short decimals are not dyadic, so that sums of them round.
rewards = st.sampled_from([0.0, 1.0, 0.5, 0.1, 0.3]) | st.floats(0, 1)
seeds = st.integers(0, 2**63 - 1)


@st.composite
def tables(draw: Any, arms: int | None = None, length: int | None = None) -> Array:
    """A reward table (arms, length), entries in [0, 1]."""
    k = arms if arms is not None else draw(st.integers(1, 5))
    n = length if length is not None else draw(st.integers(1, 12))
    flat = draw(st.lists(rewards, min_size=k * n, max_size=k * n))
    return np.array(flat).reshape(k, n)


@st.composite
def pairs(draw: Any, relation: str) -> Pair:
    """Neighbours under the relation "pull" or "round"; now and then the two sides are equal."""
    left = draw(tables())
    right = left.copy()
    column = draw(st.integers(0, left.shape[1] - 1))
    arm = draw(st.integers(0, left.shape[0] - 1)) if relation == "pull" else slice(None)
    right[arm, column] = draw(rewards)
    return Pair(relation, left, right)


@st.composite
def states(draw: Any, arms: int, trials: int = 1) -> State:
    """A state that Algorithms 1 and 2 can be in: any pull counts, totals within what rewards in [0, 1] allow."""
    pulls = np.array(draw(st.lists(st.integers(0, 10**6), min_size=arms * trials, max_size=arms * trials)))
    share = np.array(draw(st.lists(rewards, min_size=arms * trials, max_size=arms * trials)))
    return State(pulls.reshape(trials, arms), (share * pulls).reshape(trials, arms))


@st.composite
def policies(draw: Any) -> ThompsonSampling | ModifiedThompsonSampling:
    """Algorithm 1, or Algorithm 2 with some b and c, for few arms and a short horizon."""
    arms = draw(st.sampled_from([2, 3, 4, 5, 1]))
    if draw(st.booleans()):
        return ThompsonSampling(arms, draw(st.sampled_from([*range(2, 13), 1])))
    prepulls = draw(st.integers(0, 3))
    horizon = draw(st.integers(max(1, prepulls * arms), prepulls * arms + 8))
    variance = draw(st.sampled_from([1.0, 0.5, 2.0, 30.0]))
    return ModifiedThompsonSampling(arms, horizon, prepulls, variance)
