"""The law by which certificates of linear policies are checked, against numpy's linear algebra."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import sqrt

import numpy as np
import pytest
from scipy.stats import norm

from dpbandits.extensions.contextual.linear_checker.linear import LinearPolicy, Users
from dpbandits.proofs_checks.checker.intervals import high, low
from dpbandits.proofs_checks.checker.untrusted import Rejected, limited_effort

ROUNDS, FEATURES = 3, 2


def users(draw: np.random.Generator, arms: int) -> Users:
    """Rewards in [0, 1] and features in tenths."""
    rewards = [tuple(Fraction(int(k), 10) for k in draw.integers(0, 11, ROUNDS)) for _ in range(arms)]
    contexts = [
        [tuple(Fraction(int(k), 10) for k in draw.integers(-7, 8, FEATURES)) for _ in range(arms)]
        for _ in range(ROUNDS)
    ]
    return Users(rewards, contexts)


def chances_by_numpy(policy: LinearPolicy, side: Users, transcript: tuple[int, ...]) -> float:
    """The probability of a transcript, in doubles."""
    arms, chance = len(side.rewards), 1.0
    gram = np.array([np.eye(FEATURES) * float(policy.ridge)] * arms)
    moment = np.zeros((arms, FEATURES))
    for t, pulled in enumerate(transcript):
        x = np.array(side.contexts[t], dtype=float)
        model = [0 if policy.shared else arm for arm in range(arms)]
        solved = [np.linalg.solve(gram[model[arm]], x[arm]) for arm in range(arms)]
        mean = [float(solved[arm] @ moment[model[arm]]) for arm in range(arms)]
        spread = [float(policy.width) ** 2 * float(solved[arm] @ x[arm]) for arm in range(arms)]
        if policy.rule == "ucb":
            chance *= pulled == int(np.argmax([a + sqrt(b) for a, b in zip(mean, spread, strict=True)]))
        else:
            apart = x[0] - x[1]
            variance = spread[0] + spread[1]
            if policy.shared:
                variance = float(policy.width) ** 2 * float(np.linalg.solve(gram[0], apart) @ apart)
            ahead = norm.cdf((mean[0] - mean[1]) / sqrt(variance))
            chance *= ahead if pulled == 0 else 1 - ahead
        where = model[pulled]
        gram[where] += np.outer(x[pulled], x[pulled])
        moment[where] += float(side.rewards[pulled][t]) * x[pulled]
    return chance


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(("rule", "arms"), [("ucb", 2), ("ucb", 3), ("thompson", 2)])
def test_the_probability_of_every_transcript_is_that_of_numpy(rule: str, arms: int, shared: bool) -> None:
    draw, clear = np.random.default_rng(3), 0
    for _ in range(6):
        side = users(draw, arms)
        policy = LinearPolicy(rule, shared, Fraction(1), Fraction(1, 4))
        with limited_effort(10**7):
            for transcript in product(range(arms), repeat=ROUNDS):
                try:
                    found = policy.law_for(side).probability(transcript)
                except Rejected:  # two arms are too close to tell
                    continue
                clear += 1
                expected = chances_by_numpy(policy, side, transcript)
                assert low(found) - 1e-9 <= expected <= high(found) + 1e-9
    assert clear >= 4 * arms**ROUNDS


TIES = (((1, 0, 0), (1, 0, 0)), ((0, 0, 0), (1, 0, 0)), ((1, 0, 0), (0, 0, 0)))


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("rewards", TIES, ids=["tie", "behind", "ahead"])
def test_samples_without_variance_choose_the_larger_mean_and_the_first_of_equal_ones(
    shared: bool, rewards: tuple[tuple[int, ...], ...]
) -> None:
    """With width 0 nothing is left to chance: the probabilities are 0 and 1, also where the means are equal."""
    one, other = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))
    side = Users([tuple(map(Fraction, row)) for row in rewards], [[one, other]] * 3)
    law = LinearPolicy("thompson", shared, Fraction(1), Fraction(0)).law_for(side)
    with limited_effort(10**7):
        models = law.known[()][0][1]
        for learnt in (models, law.learnt(law.learnt(models, 0, 0), 0, 1)):
            ahead = learnt == models or rewards[0][0] >= rewards[1][0]
            found = law.chances(0, learnt)
            assert [(low(each), high(each)) for each in found] == ([(1, 1), (0, 0)] if ahead else [(0, 0), (1, 1)])
