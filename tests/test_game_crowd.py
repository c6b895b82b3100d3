"""Attacks with any number of arms, under either relation: never above the truth, and not far below."""

from __future__ import annotations

import numpy as np
import pytest
from test_game import law

from dpbandits.proofs_checks.game.attack import attack
from dpbandits.proofs_checks.game.bound import upper
from dpbandits.proofs_checks.game.crowd import crowd_attack
from dpbandits.proofs_checks.game.rivals import crowd_pair, followable, worst_rivals
from dpbandits.proofs_checks.game.rules import Sampler
from dpbandits.reference.neighbours import Pair, flipped

EPS = (0.0, 0.3, 1.0, 2.0)


@pytest.mark.parametrize(("arms", "horizon", "relation", "alike"), [
    (2, 6, "pull", True), (2, 6, "round", True), (3, 5, "pull", True), (3, 5, "round", True), (3, 4, "pull", False),
    (4, 4, "round", True),
])  # fmt: skip
def test_the_exact_law_of_all_transcripts(arms: int, horizon: int, relation: str, alike: bool) -> None:
    """One way of the privacy profile, from the probability of every single transcript."""
    sampler = Sampler(horizon, arms, variance=0.7)
    generator = np.random.Generator(np.random.Philox(3))
    left = np.round(generator.random((arms, horizon)) * 8) / 8
    left[1:] = left[1] if alike else left[1:]
    left[0, 0] = 0
    pair = flipped(relation, left, 0, 0, 1.0)
    exact = law(sampler, np.stack([pair.left, pair.right]), relation)
    found = crowd_attack(sampler, pair, horizon, 0.002, (-9.0, 9.0))
    for eps in EPS:
        truth = np.maximum(exact[0] - np.exp(eps) * exact[1], 0).sum()
        assert truth * (1 - 1e-3) - 1e-9 <= found.delta(eps) <= truth + 1e-9


def test_two_arms_as_the_fast_attack() -> None:
    sampler = Sampler(40, 2)
    pair = flipped("pull", np.array([[0.0] + [0.375] * 39, [0.75] * 40]), 0, 0, 1.0)
    fast, ours = attack(sampler, pair), crowd_attack(sampler, pair, 40, 0.05)
    for delta in (1e-3, 1e-6):
        assert ours.eps(delta) == pytest.approx(fast.eps(delta), rel=2e-3)


@pytest.mark.parametrize(("sampler", "relation"), [(Sampler(12, 3), "pull"), (Sampler(16, 2), "round")])
def test_a_search_stays_below_the_bound(sampler: Sampler, relation: str) -> None:
    assert followable(sampler)
    bound = upper(sampler, relation, smallest=1e-5).eps(1e-4)
    first, found = (worst_rivals(sampler, relation, 1e-4, bound, proposals) for proposals in (1, 12))
    assert 0.3 * bound < first.attack.eps(1e-4) < found.attack.eps(1e-4) <= bound
    assert found.words.startswith("other arms pay")
    assert found.pair.relation == relation


def test_tables_of_a_round_differ_in_their_first() -> None:
    pair = crowd_pair(Sampler(10, 3), "round", (0.75, 0.5, 0.25, 0.5))
    assert pair.left.tolist() == [[0] + [0.5] * 9, *[[0.75] * 5 + [0.25] * 5] * 2]
    assert (pair.right - pair.left).nonzero()[0].tolist() == [0]


def test_what_is_not_followed_is_said() -> None:
    table = np.full((2, 5), 0.5)
    with pytest.raises(ValueError, match="no pre-pulls"):
        crowd_attack(Sampler(5, 2, 1), flipped("pull", table, 0, 0, 1.0), 5)
    with pytest.raises(ValueError, match="want a change"):
        crowd_attack(Sampler(5, 2), Pair("pull", table, table), 5)
    with pytest.raises(ValueError, match="multiples of 1/1024"):
        crowd_attack(Sampler(5, 2), flipped("pull", table, 0, 0, 0.3), 5)
    assert not followable(Sampler(10, 7))
    assert not followable(Sampler(10, 2, 1))
