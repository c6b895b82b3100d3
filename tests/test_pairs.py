"""Candidate pairs are neighbours worth trying, and the search for a worse one is honest and repeatable."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Any

import numpy as np
import pytest

from dpbandits import Pair, flipped
from dpbandits.audit.privacy.exact_pairs import objective_value, worst_pair
from dpbandits.audit.privacy.search.pairs import candidates, mutated, pair_in_words, tables_of_pair
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts, enumerated_profile
from dpbandits.reference.bandits.policy import HasLaw
from dpbandits.reference.papers.ou24 import ALGORITHM_1, ModifiedThompsonSampling


def searched(policy: HasLaw, objective: tuple[Any, ...], seed: int, proposals: int) -> Pair:
    """The pair that a local search from all candidates finds."""
    return worst_pair(
        candidates(policy, "pull"), partial(objective_value, policy, objective=objective), seed, proposals
    )


@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.parametrize("arms", [1, 2, 3])
@pytest.mark.parametrize("horizon", [1, 2, 9])
def test_candidates_differ_and_cover_both_directions(relation: str, arms: int, horizon: int) -> None:
    pairs = candidates(ALGORITHM_1(arms, horizon), relation)
    assert len({pair.left.tobytes() + pair.right.tobytes() for pair in pairs}) == len(pairs) > 0
    signs = {float(np.sign((pair.right - pair.left).sum())) for pair in pairs}
    assert {1.0, -1.0} <= signs
    assert all(pair.relation == relation and pair.left.shape == (arms, horizon) for pair in pairs)


def test_candidates_hold_the_clear_cut_pair() -> None:
    rewards = np.zeros((2, 20))
    rewards[1] = 1
    clear = flipped("pull", rewards, 0, 0, 1.0)
    assert any(
        (pair.left == clear.left).all() and (pair.right == clear.right).all()
        for pair in candidates(ALGORITHM_1(2, 20), "pull")
    )


def test_candidates_change_the_last_prepull_and_the_first_pull_after() -> None:
    pairs = candidates(ModifiedThompsonSampling(2, 30, prepulls=7), "pull")
    places = {int(np.argwhere(pair.left != pair.right)[0][1]) for pair in pairs}
    assert {0, 6, 7} <= places


def test_unknown_relation_and_objective() -> None:
    with pytest.raises(ValueError, match="relation"):
        candidates(ALGORITHM_1(2, 3), "user")
    with pytest.raises(ValueError, match="objective"):
        searched(ALGORITHM_1(2, 3), ("power",), 0, 60)


@pytest.mark.parametrize("horizon", [5, pytest.param(6, marks=pytest.mark.thorough)])
@pytest.mark.thorough
def test_the_search_is_repeatable_and_never_below_the_candidates(horizon: int) -> None:
    policy = ALGORITHM_1(2, horizon)
    first, again = (searched(policy, ("delta", 1.0), 3, 15) for _ in range(2))
    assert (first.left == again.left).all()
    assert (first.right == again.right).all()
    value = objective_value(policy, first, ("delta", 1.0))
    assert value >= max(objective_value(policy, pair, ("delta", 1.0)) for pair in candidates(policy, "pull"))
    # The value is certified: the fine upper curve of the same pair lies above it.
    assert value <= float(exact_profile(policy, first).delta(1.0)[1])


def test_the_search_finds_a_planted_worst_pair() -> None:
    """Two pulls: round 2 depends on one reward only, so the flip of a first reward is as bad as it gets.

    delta(0) is then the chance 1/2 of having pulled that arm, times the change of round 2's law,
    Phi(m/sqrt(3/2)) at m = 0 and 1/2 (the arm's mean 0 or 1/2, variance 1/2; the other's mean 0, variance 1).
    """
    from scipy.special import ndtr

    policy, objective = ALGORITHM_1(2, 2), ("delta", 0.0)
    found = objective_value(policy, searched(policy, objective, 0, 10), objective)
    assert found == pytest.approx(0.5 * (ndtr(0.5 / np.sqrt(1.5)) - 0.5), abs=1e-6)


def test_the_search_follows_no_tables_twice() -> None:
    """Neither those that are known, of which it believes what is said, nor changes that come up again."""
    policy, asked = ALGORITHM_1(2, 3), list[Hashable]()
    known = {tables_of_pair(pair): 1.0 for pair in candidates(policy, "pull")}
    told = tables_of_pair(candidates(policy, "pull")[3])

    def value(pair: Pair) -> float:
        asked.append(tables_of_pair(pair))
        return 0.5

    assert tables_of_pair(worst_pair(candidates(policy, "pull"), value, 0, 90, {**known, told: 2.0})) == told
    assert 0 < len(asked) < 90
    assert len({*known, *asked}) == len(known) + len(asked)


@pytest.mark.parametrize("relation", ["pull", "round"])
def test_mutations_are_neighbours(relation: str) -> None:
    generator = np.random.default_rng(5)
    pair = candidates(ALGORITHM_1(3, 7), relation)[0]
    for _ in range(300):
        pair = mutated(pair, generator) or pair  # Pair refuses to exist unless it is one of neighbours
        assert (pair.left != pair.right).any()


def test_rounds_by_enumeration() -> None:
    """On a stream where every round pays the same whatever the arm, both relations must be told apart by
    hand: transcripts carry all the mass, and equal sides give delta = 0.
    """
    policy = ALGORITHM_1(2, 6)
    stream = np.tile([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], (2, 1))
    other = stream.copy()
    other[:, 0] = 1
    found = enumerate_transcripts(policy, Pair("round", stream, other))
    assert found.arms.shape == (64, 6)
    for side in (found.left, found.right):
        assert side.sum() == pytest.approx(1, abs=1e-12)
    low, high = enumerated_profile(policy, Pair("round", stream, other)).delta(0.0)
    truth = np.abs(found.left - found.right).sum() / 2
    assert 0 < low <= truth <= high < low + 1e-8
    same = enumerated_profile(policy, Pair("round", stream, stream))
    assert float(same.delta(0.0)[1]) < 1e-8
    mu = enumerated_profile(policy, Pair("round", stream, other)).mu_low()
    assert mu <= np.sqrt(5 / 2)  # round 1 depends on no reward: five steps of sqrt(1/2)-GDP


def test_enumeration_and_engine_agree_on_pulls() -> None:
    policy = ModifiedThompsonSampling(2, 9, prepulls=2, variance=0.5)
    for pair in candidates(policy, "pull")[::9]:
        by_one, by_engine = enumerated_profile(policy, pair), exact_profile(policy, pair)
        eps = np.linspace(0, 3, 7)
        for one, other in ((by_one, by_engine), (by_engine, by_one)):
            assert (one.delta(eps)[0] <= other.delta(eps)[1] + 1e-12).all()


def test_description() -> None:
    pair = flipped("pull", [[0, 0, 0], [1, 1, 0.5]], 0, 0, 1.0)
    assert pair_in_words(pair) == "arm 0: 0 x3; arm 1: 1 x2 0.5 x1; pull 1 of arm 0: 0 -> 1"
