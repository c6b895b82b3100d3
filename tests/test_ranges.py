"""Rewards beyond [0, 1]: tables, pairs, candidates and their mutants, policies that say what they are made for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from tournament import Stopping, Tournament

from dpbandits import QUICK, Approximate, Bernoulli, Pair, Seeded, Stream, Table, Verdict, flipped, follows_law
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.play.many import both_tables
from dpbandits.audit.play.probes import constant_table
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.rounds import rounds_tried
from dpbandits.audit.privacy.search.pairs import candidates, mutated
from dpbandits.audit.privacy.single_rounds import NoRounds
from dpbandits.extensions.conformance.games import probes
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts
from dpbandits.proofs_checks.exact.state_graph import sums_error
from dpbandits.reference.bandits import beta_thompson
from dpbandits.reference.bandits.protocol import protocol_faults
from dpbandits.reference.bandits.quantities import REGRET
from dpbandits.reference.bandits.reward_ranges import UNIT_RANGE, Range, reward_range
from dpbandits.reference.claims.model import Claim, Private, Source
from dpbandits.reference.papers.ou24 import ALGORITHM_1

WIDE = (-3.0, 5.0)
RUN = Run(replace(QUICK, trials=2_000, pair_tries=1), seed=1, level=1e-6)


@dataclass(frozen=True)
class Loud(Bernoulli):
    """Bernoulli arms whose rewards are said to lie in [-1, 1]."""

    reward_range: tuple[float, float] = (-1.0, 1.0)


def test_a_range_and_its_shares():
    wide = Range(-3.0, 5.0)
    assert (wide.at(0.0), wide.at(1.0), wide.at(0.25), wide.size) == (-3, 5, -1, 5)
    assert wide.share(-1.0) == 0.25
    assert UNIT_RANGE.at(0.3) == UNIT_RANGE.share(0.3) == 0.3


def test_tables_and_pairs_take_their_range():
    rewards = np.array([[-3.0, 5.0, 0.5]])
    for kind in (Table, Stream):
        paid = kind(rewards, None, *WIDE).draw(1, np.array([[0]]), np.array([[2]]), None, Seeded(0, 1))
        assert paid.tolist() == [[2.0]]
        cut = kind(rewards, None, *WIDE).draw(1, np.array([[0]]), np.array([[3]]), 4.0, Seeded(0, 1))
        assert cut.tolist() == [[-2.5]]
        with pytest.raises(ValueError, match=r"the reward at \(0, 0\) is -3.0, outside \[0, 1\]; rescale"):
            kind(rewards)
    pair = flipped("pull", rewards, 0, 1, -3.0, None, *WIDE)
    assert [side.low for side in pair.environments()] == [-3.0, -3.0]
    assert pair.swapped().range == Range(*WIDE)
    with pytest.raises(ValueError, match=r"right table: the reward at \(0, 1\) is 6.0, outside \[-3, 5\]"):
        flipped("pull", rewards, 0, 1, 6.0, None, *WIDE)
    with pytest.raises(ValueError, match=r"left table: the reward at \(0, 0\) is -3.0, outside \[0, 1\]"):
        Pair("pull", rewards, rewards)


@pytest.mark.parametrize("said", [(1.0, 1.0), (0.0, np.inf), (2.0, 1.0), [0.0, 1.0], (0.0,), ("a", "b"), (0, "b"), 1.0])
def test_what_is_no_range_is_an_error(said):
    with pytest.raises(ValueError, match=r"Tournament.reward_range is .*; it must be a pair \(low, high\)"):
        reward_range(Tournament(reward_range=said))
    if isinstance(said, tuple) and len(said) == 2:
        with pytest.raises(ValueError, match="it must be"):
            Pair("pull", np.zeros((1, 1)), np.zeros((1, 1)), None, *said)


def test_candidates_are_those_of_the_unit_interval_stretched():
    """Ends go to ends; places and changes stay."""
    for relation in ("pull", "round"):
        unit = candidates(Tournament(horizon=9), relation)
        wide = candidates(Tournament(horizon=9, reward_range=WIDE), relation)
        assert len(wide) == len(unit) > 50
        for one, other in zip(unit, wide, strict=True):
            np.testing.assert_allclose(other.left, -3 + 8 * one.left, atol=1e-12)
            np.testing.assert_allclose(other.right, -3 + 8 * one.right, atol=1e-12)


def test_mutants_stay_neighbours_and_in_their_range():
    generator, seen = np.random.default_rng(0), []
    pair = candidates(Tournament(horizon=30, reward_range=(-0.1, 0.3)), "pull")[5]
    for _ in range(300):
        pair = mutated(pair, generator) or pair
        seen += [pair.left.min(), pair.left.max(), pair.right.min(), pair.right.max()]
        assert (pair.left != pair.right).sum() == 1
        assert pair.range == (-0.1, 0.3)
    assert min(seen) == -0.1
    assert max(seen) == 0.3
    streams = candidates(Tournament(horizon=30, reward_range=(-0.1, 0.3)), "round")
    assert all(mutated(each, generator) is not None for each in streams[:20])


def test_many_tables_pay_as_each_does_truncated_or_not():
    pairs = candidates(Tournament(arms=2, horizon=12, reward_range=WIDE), "pull")[:7]
    made, counts = np.full((7, 2), 2), np.full((7, 2), 4)
    for bound in (None, 4.0, 5.0, 100.0, 0.5):
        together = both_tables(pairs)[0].draw(1, made, counts, bound, None)
        for row, pair in enumerate(pairs):
            one = slice(row, row + 1)
            alone = pair.environments()[0].draw(1, made[one], counts[one], bound, Seeded(0, 1))
            assert together[one].tolist() == alone.tolist()


def test_the_walk_on_rewards_of_either_sign():
    """Against the closed form of the first steps: the sums' difference decides."""
    policy = Stopping(horizon=4)
    rewards = np.array([[-1.5, 2.0, 0, 0], [1.0, -2.0, 0, 0]])
    found = enumerate_transcripts(policy, flipped("pull", rewards, 0, 0, 2.0, None, -2.0, 2.0))
    stop = (found.released[:, 1] < 0).any(axis=1)
    for side, d in ((found.left, -2.5), (found.right, 1.0)):
        after_first = side[(found.released[:, 0] > 0).all(axis=1)].sum()
        weights = 3 + np.exp(d) + np.exp(-d)
        assert after_first == pytest.approx(3 / 5, rel=1e-13)
        for answer, mine in ((0, np.exp(d)), (1, np.exp(-d))):
            one = side[stop & (found.released[:, 1].argmin(axis=1) == answer)].sum()
            assert one == pytest.approx(3 / 5 * mine / weights, rel=1e-13, abs=0)


def test_sums_of_large_rewards_are_no_more_exact_than_doubles():
    policy = ALGORITHM_1(2, 3)

    def pair(value: float, high: float) -> Pair:
        return flipped("pull", np.full((2, 3), value), 0, 0, 0.0, None, 0.0, high)

    assert sums_error(policy, pair(1.0, 1.0)) == sums_error(policy, pair(2.0**30, 2.0**30)) == 0
    assert sums_error(policy, pair(2.0**32, 2.0**32)) > 0  # three of them times 2^20 pass 2^53
    assert sums_error(policy, pair(0.3, 8.0)) == pytest.approx(8 * sums_error(policy, pair(0.3, 1.0)), rel=1e-9, abs=0)


def claim(eps: float) -> Claim:
    private = Private("pull", "arms", lambda policy: Approximate(eps, 0.0))
    return Claim("toy/range", Source("toy", "here", ""), private, Verdict.CONSISTENT)


@pytest.mark.planted
def test_noise_for_the_wrong_range_is_caught_where_the_range_is_said():
    """Noise for rewards in [0, 1] is 8 times too little for rewards in [-3, 5]."""
    right = Tournament(arms=2, horizon=6, reward_range=WIDE)
    assert judge_private(claim(1.0), RUN, right).verdict is Verdict.CONSISTENT
    little = replace(right, eps=8.0)
    found = judge_private(claim(1.0), RUN, little)
    assert found.verdict is Verdict.REFUTED
    assert judge_private(claim(8.0), RUN, little).verdict is not Verdict.REFUTED


def test_conformance_is_played_on_rewards_of_the_range():
    policy = Tournament(arms=2, horizon=6, reward_range=WIDE)
    assert list(probes(policy)) == [
        "all arms pay 5",
        "the last arm pays 5, the others -3",
        "arms pay -3 and 5 in turn",
        "uneven rewards",
        "rewards rise from round to round, every other arm's fall",
    ]
    assert follows_law(policy, policy, trials=2_000).verdict is Verdict.CONSISTENT
    assert follows_law(replace(policy, shrunk=0.5), policy, trials=2_000).verdict is Verdict.REFUTED


def test_single_rounds_are_looked_at_in_the_unit_interval_alone():
    @dataclass(frozen=True)
    class Other(ALGORITHM_1):  # type: ignore[misc]
        reward_range: tuple[float, float] = (0.0, 2.0)

    with pytest.raises(NoRounds, match="has rewards outside"):
        rounds_tried(Other(2, 3))


def test_a_realised_regret_lies_where_the_rewards_do():
    policy = ALGORITHM_1(2, 10)
    assert REGRET.span is not None
    assert REGRET.span(policy, Bernoulli((0.9, 0.1))) == pytest.approx((-1.0, 9.0))
    assert REGRET.span(policy, Loud((0.5, 0.1))) == pytest.approx((-5.0, 15.0))


# -- the only rewards that are taken -------------------------------------------------------------------------------


def test_a_set_says_which_rewards_are_taken():
    """Every table that it is judged on pays these alone: of a policy for -3 and 5, and of one for 0 and 1."""
    wide = Tournament(arms=2, horizon=8, reward_range=frozenset(WIDE))
    assert reward_range(wide) == Range(*WIDE)
    for policy, values in ((wide, set(WIDE)), (beta_thompson.ThompsonSampling(2, 8), {0.0, 1.0})):
        for relation in ("pull", "round"):
            pairs = candidates(policy, relation)
            assert len(pairs) > 20
            assert set(np.unique([each.left for each in pairs])) == values
            assert set(np.unique([each.right for each in pairs])) == values
        assert all(set(np.unique(each.rewards)) <= values for each in probes(policy).values())
        assert set(np.unique(constant_table(policy).rewards)) <= values


@pytest.mark.parametrize("said", [frozenset(), frozenset({1.0}), frozenset({"a", "b"}), frozenset({0.0, np.inf})])
def test_a_set_that_is_no_range_is_an_error(said):
    with pytest.raises(ValueError, match=r"Tournament.reward_range is "):
        reward_range(Tournament(reward_range=said))


def test_the_old_name_is_no_longer_read_and_says_so():
    class Old(Tournament):
        rewards = (0.0, 1.0)

    (said,) = protocol_faults(Old())
    assert said.startswith("rewards is (0.0, 1.0), but this attribute is not used; write reward_range = {0.0, 1.0}")
