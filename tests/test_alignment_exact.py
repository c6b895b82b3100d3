"""Bounds on eps of random policies, against their exact law: such with few states, and choices of the largest sum with
one-sided noise."""

from __future__ import annotations

from itertools import permutations, product
from math import factorial, log
from typing import Any

import numpy as np
import pytest
from random_automata import KINDS, Automaton

from dpbandits import from_object
from dpbandits.proofs_checks.alignment.bounds import Outcome, alignment_bound
from dpbandits.proofs_checks.alignment.merged_bounds import bound_on_runs_or_states, merged_bound

ROUNDING = 1e-9  # relative: of the exact law in doubles


@pytest.mark.first(len(KINDS))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_no_bound_is_below_the_exact_eps(kind: str, seed: int) -> None:
    policy = Automaton(seed, kind, horizon=3)
    exact = policy.eps_at_ends()
    by_any_means = bound_on_runs_or_states(policy)
    for found in (
        alignment_bound(policy),
        merged_bound(policy),
        merged_bound(policy, whole_runs=True),
        by_any_means,
    ):
        assert found.eps >= exact * (1 - ROUNDING)  # infinite if no bound was found
    assert by_any_means.outcome is (Outcome.BOUND if exact else Outcome.NO_NOISE)


def softmax(values: np.ndarray) -> np.ndarray:
    """The law of the largest value with Gumbel noise."""
    weights = np.exp(values - values.max())
    return weights / weights.sum()


def permute_and_flip(values: np.ndarray) -> np.ndarray:
    """The law of the largest value with exponential noise (Ding et al. 2021)."""
    heads, found = np.exp(values - values.max()), np.zeros(len(values))
    for order in permutations(range(len(values))):
        left = 1.0
        for place in order:
            found[place] += left * heads[place] / factorial(len(values))
            left *= 1 - heads[place]
    return found


@pytest.mark.parametrize(("noise", "law"), [("gumbel", softmax), ("exponential", permute_and_flip)])
@pytest.mark.parametrize("rate", [0.5, 2.0])
def test_choices_of_the_largest_sum_have_no_bound_below_the_exact_eps(noise: str, law: Any, rate: float) -> None:
    """Each of three arms is pulled once. Two choices see these rewards, with fresh noise."""

    class Largest:
        def __init__(self, rng: Any) -> None:
            self.rng, self.rewards = rng, list[Any]()

        def select(self) -> int:
            if len(self.rewards) < 3:
                return len(self.rewards)
            return int(np.argmax(rate * np.array(self.rewards[:3]) + getattr(self.rng, noise)(size=3)))

        def update(self, arm: int, reward: float) -> None:
            self.rewards.append(reward)

    found = bound_on_runs_or_states(from_object(Largest, Largest.select, Largest.update, arms=3, horizon=5))
    laws = {rewards: law(rate * np.array(rewards)) for rewards in product((0.0, 1.0), repeat=3)}
    exact = max(
        2 * abs(log(one[arm] / other[arm]))
        for (left, one), (right, other) in product(laws.items(), repeat=2)
        if sum(a != b for a, b in zip(left, right, strict=True)) == 1
        for arm in range(3)
    )
    assert found.outcome is Outcome.BOUND
    assert found.eps >= exact * (1 - ROUNDING)
    assert found.eps == pytest.approx(2 * rate)
