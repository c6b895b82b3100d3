"""The walk over states against a naive recursion: every release, every end, both relations."""

from __future__ import annotations

import tracemalloc
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from lottery import Lottery
from one_block import OneBlock

from dpbandits import Pair, Pulls, Seeded, flipped
from dpbandits.proofs_checks.exact.engine import exact_profile, unfold_states
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts, enumerated_profile
from dpbandits.proofs_checks.exact.state_graph import MAX_TRANSITIONS, law_of_distinct_states, state_graph
from dpbandits.proofs_checks.exact.unique_rows import row_hashes, unique_rows
from dpbandits.reference.bandits.passing import cut_to_horizon
from dpbandits.reference.bandits.passing import state_rows as rows_of
from dpbandits.reference.bandits.policy import Law, one_arm
from dpbandits.reference.bandits.release_laws.checked import checked_law
from dpbandits.reference.papers.ou24 import ALGORITHM_1

EPS = np.linspace(0, 4, 21)
REWARDS = np.array([[0.25, 1.0, 0.5, 0.0, 0.75, 1.0, 0.5, 0.25, 1.0, 0.0], [1.0, 0.0, 0.75, 1.0, 0.5, 0.0, 1, 0, 1, 1]])


def pair_of(relation: str, horizon: int) -> Pair:
    left = np.tile(REWARDS, 1 + horizon // REWARDS.shape[1])[:, :horizon]
    right = left.copy()
    if relation == "pull":
        right[1, 0] = 0
    else:
        right[:, 0] = [1, 0]
    return Pair(relation, left, right)


def naive(policy: Any, environment: Any) -> dict[tuple[Any, ...], float]:
    """Every transcript's probability, by following one trial at a time."""
    found: dict[tuple[Any, ...], float] = defaultdict(float)

    def follow(t: int, state: Any, made: np.ndarray, past: tuple[Any, ...], chance: float) -> None:
        left = policy.horizon - made.sum(axis=1)
        if left[0] == 0:
            found[past] += chance
            return
        law = policy.law(t, state)
        for outcome in np.flatnonzero(law.chance[0] > 0):
            bound = None if law.bound is None else law.bound[:, outcome]
            pulls, _ = cut_to_horizon(Pulls(law.counts[:, outcome], bound), left)
            sums = environment.draw(t, made, pulls.counts, bound, Seeded(0, 1))
            after = policy.learn(t, state, pulls, sums, Seeded(0, 1))
            step = tuple(pulls.counts[0].tolist())
            follow(t + 1, after, made + pulls.counts, (*past, step), chance * float(law.chance[0, outcome]))

    follow(1, policy.init(1), np.zeros((1, policy.arms), dtype=np.int64), (), 1.0)
    return found


def both(policy: Any, pair: Pair) -> tuple[list[tuple[Any, ...]], np.ndarray, np.ndarray]:
    left, right = (naive(policy, side) for side in pair.environments())
    names = sorted({*left, *right})
    return names, np.array([left.get(name, 0) for name in names]), np.array([right.get(name, 0) for name in names])


@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.parametrize("policy", [Lottery(7), ALGORITHM_1(2, 6), ALGORITHM_1(3, 4)], ids=str)
@pytest.mark.first(2)
def test_profiles_and_enumerations_of_any_release(policy, relation):
    """Blocks of different size, cut at the horizon, truncated; some runs end early; on tables and on streams."""
    pair = pair_of(relation, policy.horizon)
    if policy.arms == 3:
        pair = Pair(relation, *(np.vstack([side, 0 * side[:1]]) for side in (pair.left, pair.right)))
    names, left, right = both(policy, pair)
    found = enumerate_transcripts(policy, pair)
    listed = [
        tuple(tuple(step) for step in one if any(step)) for one in found.released.tolist()
    ]  # who has ended releases zeros
    assert sorted(listed) == names
    order = np.argsort([names.index(one) for one in listed])
    np.testing.assert_allclose(found.left[order], left, rtol=1e-13)
    np.testing.assert_allclose(found.right[order], right, rtol=1e-13)
    assert np.abs(left - right).sum() > 0.1
    for deep in (True, False):
        profile = exact_profile(policy, pair, deep=deep)
        for side, one, other in ((profile, left, right), (profile.swapped, right, left)):
            truth = np.maximum(one - np.exp(EPS)[:, None] * other, 0).sum(axis=1)
            low, high = side.delta_one_way(EPS)
            assert (low <= truth + 1e-12).all()
            assert (truth <= high + 1e-12).all()
            assert (high - low <= 2e-3).all()
    worst = float(np.abs(np.log(left / right)).max())
    low, high = exact_profile(policy, pair, deep=True).eps(0.0)
    assert low <= worst * (1 + 1e-12)
    assert worst <= high * (1 + 1e-12)
    assert high - low < 1e-9 * policy.horizon


@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.first(1)
def test_states_are_merged_where_they_are_the_same_and_nowhere_else(relation):
    """A layer's states are different, each carries the probability of its transcripts, and they are far fewer."""
    policy = Lottery(9)
    pair = pair_of(relation, 9)
    along = state_graph(policy, pair)
    layer, t, mass = along.first_layer(), 0, np.ones((2, 1))
    listed = enumerate_transcripts(policy, pair)
    merged = 0
    while along.has_steps_left(layer):
        t += 1
        moves, layer = along.pair_step(t, layer)
        carried = mass[:, moves.source] * np.stack([moves.left, moves.right])
        mass = np.stack([np.bincount(moves.target, side, len(layer.pulls)) for side in carried])
        place = layer.pulls if relation == "pull" else layer.pulls.sum(axis=1, keepdims=True)
        places = layer.rows_on_all_sides(np.arange(len(layer.pulls))).reshape(2, -1)
        states = [rows_of(layer.state, side) for side in places]
        rows = np.column_stack([place, *(part for state in states for part in state)])
        assert len(np.unique(rows, axis=0)) == len(rows)
        starts = {tuple(map(tuple, one[:t])) for one in listed.released.tolist()}
        merged += len(starts) - len(rows)
        alike = np.all([a == b for a, b in zip(*map(flat, states), strict=True)], axis=0)
        assert np.array_equal(layer.same_on_all_sides, alike)
    np.testing.assert_allclose(mass.sum(axis=1), 1, rtol=1e-12)
    assert merged > 100


def flat(state: Any) -> list[np.ndarray]:
    return [state.fresh, state.total[:, 0], state.total[:, 1]]


class Vanishing(ALGORITHM_1):  # type: ignore[misc]
    """After a reward of arm 0, arm 1 is as good as never pulled: with a chance whose last digits a double has lost."""

    rare = 1e-320

    def law(self, t, state):
        paid = state.total[:, :1] > 0
        return one_arm(np.where(paid, [1.0, self.rare], [1.0, 1e-100]), error=1e-15)


def test_no_transcript_is_called_revealing_whose_chance_a_double_cannot_hold():
    pair = Pair("pull", np.zeros((2, 3)), np.eye(1, 3).repeat(2, axis=0) * [[1.0], [0.0]])
    assert exact_profile(Vanishing(2, 3), pair, deep=True).eps(0.0)[0] < 600
    Vanishing.rare = 1e-200
    low, high = exact_profile(Vanishing(2, 3), pair, deep=True).eps(0.0)
    assert low == pytest.approx(2 * np.log(1e100), rel=1e-9)  # rounds 2 and 3 pull arm 1
    assert low <= 2 * np.log(1e100) <= high < low + 1e-6


def test_streams_far_beyond_an_enumeration():
    """T = 24: 2^24 transcripts, some thousand states a layer; the sides swapped are the pair swapped."""
    pair = Pair("round", np.zeros((2, 24)), np.eye(1, 24).repeat(2, axis=0))
    profile = exact_profile(ALGORITHM_1(2, 24), pair)
    low, high = profile.delta(EPS)
    assert (low[:8] > 0).all()
    assert (high - low < 0.01 * high + 1e-9).all()
    mirrored = exact_profile(ALGORITHM_1(2, 24), pair.swapped()).swapped.delta_one_way(EPS)
    assert (mirrored[0] <= profile.delta_one_way(EPS)[1] + 1e-12).all()
    assert (profile.delta_one_way(EPS)[0] <= mirrored[1] + 1e-12).all()
    small = exact_profile(ALGORITHM_1(2, 9), Pair("round", pair.left[:, :9], pair.right[:, :9]))
    truth = enumerated_profile(ALGORITHM_1(2, 9), Pair("round", pair.left[:, :9], pair.right[:, :9]))
    assert (truth.delta(EPS)[0] <= small.delta(EPS)[1] + 1e-12).all()
    assert (small.delta(EPS)[0] <= truth.delta(EPS)[1] + 1e-12).all()


@dataclass(frozen=True)
class Says(Lottery):
    """Lottery with another law."""

    other: Any = None

    def law(self, t: int, state: Any) -> Law:
        return self.other(super().law(t, state))


def test_a_release_that_is_listed_twice_is_one_release():
    def split(law: Law) -> Law:
        halves = np.concatenate([law.chance * 0.25, law.chance[:, ::-1] * 0.75], axis=1)
        every = [np.concatenate([part, part[:, ::-1]], axis=1) for part in (law.counts, law.bound)]
        return law._replace(counts=every[0], chance=halves, bound=every[1])

    pair = pair_of("pull", 6)
    once, twice = enumerate_transcripts(Lottery(6), pair), enumerate_transcripts(Says(6, other=split), pair)
    assert len(once.left) == len(twice.left)
    order, other = (np.lexsort(found.released.reshape(len(found.left), -1).T) for found in (once, twice))
    np.testing.assert_allclose(twice.left[other], once.left[order], rtol=1e-12)


def test_a_release_with_two_truncations_is_refused():
    def mixed(law: Law) -> Law:
        bound = np.concatenate([law.bound, law.bound / 2], axis=1)
        halves = np.concatenate([law.chance / 2] * 2, axis=1)
        return law._replace(counts=np.concatenate([law.counts] * 2, axis=1), chance=halves, bound=bound)

    with pytest.raises(ValueError, match=r"release the same pulls \[2, 2\] with different truncation bounds"):
        exact_profile(Says(6, other=mixed), pair_of("pull", 6))


def test_a_law_that_pulls_nothing_is_refused():
    nothing = Says(6, other=lambda law: law._replace(counts=0 * law.counts))
    with pytest.raises(ValueError, match=r"step 1: the law pulls no arm, although .* used up \(pulls left: 6\)"):
        exact_profile(nothing, pair_of("pull", 6))


def test_noise_in_learn_is_refused():
    class Draws(ALGORITHM_1):  # type: ignore[misc]
        def learn(self, t, state, pulls, sums, noise):
            return super().learn(t, state, pulls, sums + 0 * noise.laplace("late", t, (2,)), noise)

    with pytest.raises(ValueError, match="draws noise at site 'late', but a law covers"):
        exact_profile(Draws(2, 3), pair_of("pull", 3))


def test_too_many_ways_are_refused():
    policy = OneBlock(MAX_TRANSITIONS + 1)
    with pytest.raises(ValueError, match="step 1: more than 1048576 transitions to follow; shorten the horizon"):
        exact_profile(policy, policy.pair)


def test_transitions_of_many_arms_are_refused_before_they_are_made():
    """Of 300 arms, those of the second step would take gigabytes."""

    class AnyArm(ALGORITHM_1):  # type: ignore[misc]
        def law(self, t, state):
            return np.full((len(state.pulls), 300), 1 / 300)

    tracemalloc.start()
    with pytest.raises(ValueError, match="step 2: more than 55924 transitions to follow; shorten the horizon"):
        exact_profile(AnyArm(300, 3), flipped("pull", np.zeros((300, 3)), 0, 0, 1.0))
    assert tracemalloc.get_traced_memory()[1] < 2**26
    tracemalloc.stop()


def test_laws_may_list_different_outcomes_on_either_side():
    """Only what is possible, in any order: the sides differ in what they list, and the profile is the same."""

    def possible(law: Law) -> Law:
        order = np.argsort(-law.chance.sum(axis=0), kind="stable")
        order = order[law.chance[:, order].sum(axis=0) > 0]
        return law._replace(counts=law.counts[:, order], chance=law.chance[:, order], bound=law.bound[:, order])

    pair = pair_of("round", 7)
    given, other = (exact_profile(policy, pair) for policy in (Lottery(7), Says(7, other=possible)))
    np.testing.assert_allclose(np.array(given.delta(EPS)), np.array(other.delta(EPS)), rtol=1e-9)


def test_blocks_of_one_arm_by_state():
    """Sizes that depend on the state: the arm that is ahead is pulled twice."""

    class Ahead(ALGORITHM_1):  # type: ignore[misc]
        def law(self, t, state):
            return one_arm(super().law(t, state).chance, 1 + (state.pulls[:, 0] > state.pulls[:, 1]))

    policy, pair = Ahead(2, 6), pair_of("pull", 6)
    names, left, _ = both(policy, pair)
    assert {len(name) for name in names} == {4, 5, 6}
    found = enumerate_transcripts(policy, pair)
    assert np.sort(found.left) == pytest.approx(np.sort(left), rel=1e-13, abs=0)


def test_rows_that_hash_alike_are_still_told_apart():
    """(3, 1) and (2, x): the word x makes up for the difference, since a word's share of the hash can be inverted."""
    odd = 2 * 0x9E3779B97F4A7C15 % 2**64 | 1  # of the second column
    first, other = (int(each) for each in row_hashes(np.array([[3, 1], [2, 0]], np.uint64)))
    share = first - other + int(mixed(np.array([odd * odd % 2**64], np.uint64))[0])
    x = (unmixed(share % 2**64) * pow(odd, -1, 2**64) - odd) % 2**64
    words = np.array([[3, 1], [2, x], [3, 1], [3, 2]], dtype=np.uint64)
    assert row_hashes(words[:1]) == row_hashes(words[1:2]) != row_hashes(words[3:])
    first, kind = unique_rows([words[:, 0], words[:, 1:]])
    assert (first.tolist(), kind.tolist()) == ([0, 1, 3], [0, 1, 0, 2])


def mixed(words: Any) -> Any:
    """The last steps of splitmix64."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def unmixed(word: int) -> int:
    """What these steps make this word of."""
    word ^= word >> 31 ^ word >> 62
    word = word * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
    word ^= word >> 27 ^ word >> 54
    word = word * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
    return word ^ word >> 30 ^ word >> 60


def test_a_policy_may_remember_nothing():
    class Blind(NamedTuple):
        arms: int = 2
        horizon: int = 4

        def init(self, trials):
            return np.zeros((trials, 0))

        def act(self, t, state, noise):
            raise AssertionError("a walk asks the law alone")

        def learn(self, t, state, pulls, sums, noise):
            return state

        def law(self, t, state):
            return np.full((len(state), 2), 0.5)

    whole = state_graph(Blind(), pair_of("pull", 4))
    assert unfold_states(whole._replace(equal_rewards_after=None), 100)[0] == 2 + 3 + 4 + 5
    # Once arm 1 has paid its first reward, the one that differs, nothing is left to tell: one state for all of these.
    assert unfold_states(whole, 100)[0] == 2 + 2 + 2 + 2


def test_a_profile_walks_once_where_its_moves_can_be_kept() -> None:
    """A deep pass is one over all states, which have been counted before: by then all of their moves are known."""
    steps: list[int] = []

    class Counting(ALGORITHM_1):  # type: ignore[misc]
        def law(self, t: int, state: Any) -> Law:
            steps.append(t)
            return super().law(t, state)

    expected = exact_profile(ALGORITHM_1(2, 5), pair_of("pull", 5), deep=True).delta(EPS)
    assert np.array_equal(exact_profile(Counting(2, 5), pair_of("pull", 5)).delta(EPS), expected)
    assert steps == [1, 2, 3, 4, 5]


def test_zero_and_minus_zero_and_nan_are_states_like_others():
    along = state_graph(ALGORITHM_1(2, 3), pair_of("pull", 3))
    layer = along.first_layer()
    layer = layer._replace(state=layer.state._replace(total=np.full((2, 2), np.nan)))
    offers = along.transitions(1, along.first_layer())
    target, after = along.next_layer(1, layer, offers)
    assert target.tolist() == [1, 0]
    assert after.same_on_all_sides.all()


class ByState:
    """Pulls either arm as often as its state says."""

    arms, horizon = 2, 9

    def law(self, t: int, state: np.ndarray) -> Law:
        return Law(np.eye(2, dtype=np.int64) * state[:, :, None], np.tile([0.25, 0.75], (len(state), 1)))


@pytest.mark.parametrize("sizes", [[1, 2], [2, 1, 2], [3, 3], [1, 2, 3, 1], [2]])
def test_a_law_that_is_asked_once_for_the_same_states_is_the_law_of_each(sizes: list[int]) -> None:
    state = np.array(sizes)[:, None]
    policy: Any = ByState()
    once, each = law_of_distinct_states(policy, 1, state, len(state)), checked_law(policy, 1, state, len(state))
    for one, other in zip(once, each, strict=True):
        assert np.array_equal(one, other)


class Tells(NamedTuple):
    """Arm 0, and then by its reward arm 0 or arm 2; hardly ever arm 1."""

    arms: int = 3
    horizon: int = 2

    def init(self, trials: int) -> Any:
        return np.zeros((trials, 1))

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        raise AssertionError("a walk asks the law alone")

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return state + sums.sum(axis=1, keepdims=True)

    def law(self, t: int, state: Any) -> Law:
        paid = np.broadcast_to([[1.0, 0.0, 0.0]], (len(state), 3))
        if t == 2:
            paid = np.where(state > 0.5, [[1.0, 1e-20, 0.0]], [[0.0, 1e-20, 1.0]])
        return one_arm(paid)


def test_where_all_that_is_followed_tells_the_sides_the_rest_may_be_too_rare() -> None:
    table = np.zeros((3, 2))
    found = exact_profile(Tells(), Pair("pull", table, np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])), deep=False)
    low, high = found.delta(3.0)
    assert 1 - 1e-9 < low <= high <= 1
