"""The law by which certificates of linear policies are checked, against numpy's linear algebra; and certificates that
are altered in every place, of which those that are accepted must be true by numpy as well."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp, sqrt
from typing import Any

import numpy as np
import pytest
from alterations import alterations_by_field
from linear_policies import LinearThompson, LinearUCB
from scipy.stats import norm
from test_certificates import changed

from dpbandits import Contexts, Pair
from dpbandits.extensions.contextual.certificates import linear_refutation, verify_linear
from dpbandits.extensions.contextual.linear_checker.linear import (
    LinearPolicy,
    Regression,
    Users,
    inner_product,
    solve_positive_definite,
)
from dpbandits.proofs_checks.checker.intervals import high, low
from dpbandits.proofs_checks.checker.untrusted import Rejected, limited_effort
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.joint_privacy import joint_privacy_profile
from dpbandits.reference.curves import Approximate

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
    gram = np.array([np.eye(len(side.contexts[0][0])) * max(float(policy.ridge), 1e-300)] * arms)
    moment = np.zeros((arms, len(side.contexts[0][0])))
    for t, pulled in enumerate(transcript):
        x = np.array(side.contexts[t], dtype=float)
        model = [0 if policy.shared else arm for arm in range(arms)]
        solved = [np.linalg.solve(gram[model[arm]], x[arm]) for arm in range(arms)]
        mean = [float(solved[arm] @ moment[model[arm]]) for arm in range(arms)]
        spread = [float(policy.width) ** 2 * float(solved[arm] @ x[arm]) for arm in range(arms)]
        if policy.rule == "ucb":
            sums = [a + sqrt(b) for a, b in zip(mean, spread, strict=True)]
            chance *= pulled == int(np.argmax(np.round(sums, 12)))  # equal numbers, whatever the processor rounds
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
        for learnt in (models, law.regressions_after(law.regressions_after(models, 0, 0), 0, 1)):
            ahead = learnt == models or rewards[0][0] >= rewards[1][0]
            found = law.chances(0, learnt)
            assert [(low(each), high(each)) for each in found] == ([(1, 1), (0, 0)] if ahead else [(0, 0), (1, 1)])


UNIT = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))


@pytest.mark.parametrize(
    ("operations", "run"),
    [
        (1, lambda law: inner_product(UNIT[0], UNIT[1])),
        (1, lambda law: solve_positive_definite([UNIT[0][:1]], UNIT[0][:1])),
        (3, lambda law: solve_positive_definite(UNIT, UNIT[0])),
        (5, lambda law: law.regressions_after((Regression(UNIT, UNIT[0]),), 0, 0)),
    ],
)
def test_every_operation_on_exact_numbers_is_paid_for(operations: int, run: Any) -> None:
    law = LinearPolicy("ucb", True, Fraction(1), Fraction(1)).law_for(users(np.random.default_rng(0), 2))
    with limited_effort(operations + 1):
        run(law)
    with limited_effort(operations), pytest.raises(Rejected, match="too much computation"):
        run(law)


# -- alterations -----------------------------------------------------------------------------------------------------

SOME = 4  # alterations of each field that the quick test tries


@cache
def certificate(name: str) -> dict[str, Any]:
    """Of two rounds, in the first of which another user arrives, or (relation "reward") is paid otherwise."""
    policy, view = (LinearUCB(2), "arms") if name == "ucb" else (LinearThompson(2), "others")
    rewards, other = np.array([[1.0, 0.0], [0.5, 1.0]]), np.array([[0.0, 0.0], [0.0, 1.0]])
    seen = Contexts(np.array([[[0.5, 0.0], [0.25, 0.5]], [[0.5, 0.5], [0.0, 0.5]]]))
    becomes = np.array([[0.0, 0.0], [0.5, -0.5]])
    if name == "ucb":  # an arm that has been pulled is less attractive, if its user had features
        rewards, other, seen, becomes = 0 * rewards, 0 * other, Contexts(np.tile(np.eye(2), (2, 1, 1))), 0 * becomes
    after = seen if name == "reward" else seen.changed(0, becomes)
    relation = "reward" if name == "reward" else "user"
    pair = Pair(relation, rewards, other, contexts=(seen, after))
    profile = (joint_privacy_profile if view == "others" else exact_profile)(policy, pair)
    made = linear_refutation("test/claim", policy, pair, Approximate(0.01, 0.0), profile, 0.0, view)
    assert made is not None
    return dict(made)


def violation_by_numpy(made: dict[str, Any]) -> float:
    """P_left(event) - e^eps P_right(event) - delta, in doubles. The sides are those of the certificate's fields, and
    neighbours: only what one round pays, and shows, differs."""
    sides, place = [], made["changed"]
    for side in ("left", "right"):
        contexts = [
            [tuple(map(Fraction, x)) for x in (made["becomes"] if side == "right" and t == place else here)]
            for t, here in enumerate(made["contexts"])
        ]
        sides.append(Users([tuple(map(Fraction, row)) for row in made[side]], contexts))
    left, right = sides
    lowest, highest = map(Fraction, made["range"])
    assert all(lowest <= each <= highest for side in sides for row in side.rewards for each in row)
    assert all(sum(v * v for v in x) <= Fraction(made["norm"]) ** 2 for s in sides for here in s.contexts for x in here)
    assert all(a == b for one, two in zip(left.rewards, right.rewards, strict=True)
               for t, (a, b) in enumerate(zip(one, two, strict=True)) if t != place)  # fmt: skip
    assert made["relation"] == "user" or left.contexts == right.contexts
    said = made["policy"]
    policy = LinearPolicy(said["rule"], said["shared"], Fraction(said["ridge"]), Fraction(said["width"]))
    hidden = place if made["view"] == "others" else -1
    chances = []
    for side in sides:
        seen = Counter[tuple[int, ...]]()
        for pulled in product(range(len(side.rewards)), repeat=len(made["event"][0])):
            shown = tuple(-1 if t == hidden else arm for t, arm in enumerate(pulled))
            seen[shown] += chances_by_numpy(policy, side, pulled)  # type: ignore[assignment]
        chances.append(sum(seen[tuple(each)] for each in made["event"]))
    return float(chances[0] - exp(float(Fraction(made["eps"]))) * chances[1] - float(Fraction(made["delta"])))


def require_rejected_or_true(name: str, alterations: list[tuple[str, Any]]) -> None:
    accepted = Counter[bool]()
    for path, change in alterations:
        forged = changed(certificate(name), path, change) if path else change
        checked = verify_linear(forged)
        accepted[checked.ok] += 1
        if checked.ok and change != "1e-400":  # which is 0 in doubles
            assert violation_by_numpy(forged) > 0, (path, change)
        elif not checked.ok:
            assert "the checker failed" not in checked.lines[0], (path, change, checked.lines)
    assert accepted[False] > 4 * accepted[True] > 0


@pytest.mark.parametrize("name", ["ucb", "thompson", "reward"])
def test_some_alterations_of_every_field_are_rejected_or_true(name: str) -> None:
    assert verify_linear(certificate(name)).ok
    assert violation_by_numpy(certificate(name)) > 0
    rng = random.Random(name)
    chosen = [rng.sample(each, min(SOME, len(each))) for each in alterations_by_field(certificate(name)).values()]
    require_rejected_or_true(name, [alteration for each in chosen for alteration in each])


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["ucb", "thompson", "reward"])
def test_every_alteration_is_rejected_or_true(name: str) -> None:
    every = alterations_by_field(certificate(name)).values()
    require_rejected_or_true(name, [alteration for each in every for alteration in each])
