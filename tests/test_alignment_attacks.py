"""Broken policies that a proof by alignment could overlook, and private ones of the same shape: no bound of the broken
ones is below their true eps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import inf, log
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from dpbandits import Contexts, Pulls, from_object
from dpbandits.proofs_checks.alignment.bounds import Alignment, Outcome
from dpbandits.proofs_checks.alignment.executed_code import objections_to
from dpbandits.proofs_checks.alignment.forms import NotLinear, lifted_state
from dpbandits.proofs_checks.alignment.merged_bounds import bound_on_runs_or_states, merged_bound
from dpbandits.reference.bandits.environments import Table
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import play


class State(NamedTuple):
    one: Any
    other: Any
    arm: Any


def zeros(trials: int) -> np.ndarray:
    return np.zeros(trials, dtype=np.int64)


class Attack:
    """Pulls the arm in its state."""

    arms = 2
    horizon = 3
    reward_range: Any = (0.0, 1.0)

    def init(self, trials: int) -> State:
        return State(np.zeros(trials), np.zeros(trials), zeros(trials))

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        return Pulls.one(state.arm, 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        return state


def bounds(policy: Any) -> list[Alignment]:
    return [bound_on_runs_or_states(policy), merged_bound(policy, whole_runs=True)]


def smallest_bound(policy: Any) -> float:
    return min(found.eps for found in bounds(policy))


def released(policy: Any, rewards: np.ndarray) -> np.ndarray:
    return play(policy, Table(rewards), Seeded(0, 1), 1).released


def require_no_bound(make: Callable[[], Any]) -> None:
    """For a policy without a finite eps: its pulls depend on rewards alone. They differ if all rewards are 1, and if
    one of them is 0."""
    ones = np.ones((2, make().horizon))
    other = ones.copy()
    other[0, 0] = 0
    assert (released(make(), ones) != released(make(), other)).any()
    assert smallest_bound(make()) == inf


# -- truncated rewards -------------------------------------------------------------------------------------------------


class CoinTruncates(Attack):
    """A coin decides whether the first reward is truncated. It meets noise, unless the policy is broken and the reward
    is truncated. Another comparison decides nothing."""

    broken = True

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        if t > 1:
            return Pulls.one(state.arm, 2)
        coin = np.asarray(noise.laplace("coin", 1) > 0)
        one = np.where(np.asarray(noise.laplace("idle", 1) > 0), 1, 1)
        return Pulls(np.stack([one, 0 * one], axis=1), np.where(coin, 0.5, 1.0)[:, None])

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        if t > 1 or pulls.bound is None:
            return state
        noisy = np.asarray(sums[:, 0] + noise.laplace("reward", 1) > 0.5)
        clear = np.asarray(sums[:, 0] > 0.25) if self.broken else noisy
        return state._replace(arm=np.where(np.asarray(pulls.bound)[:, 0] < 1, clear, noisy).astype(np.int64))


class CoinTruncatesRight(CoinTruncates):
    broken = False


class ScalarBound(CoinTruncates):
    """The bound is one number, of the first trial."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        pulls = super().act(t, state, noise)
        return pulls if pulls.bound is None else pulls._replace(bound=float(np.asarray(pulls.bound)[0, 0]))

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        bound = pulls.bound
        return super().learn(
            t, state, pulls if bound is None else pulls._replace(bound=np.full((1, 1), bound)), sums, noise
        )


@pytest.mark.parametrize("kind", [CoinTruncates, ScalarBound])
def test_the_same_releases_may_come_with_differently_truncated_rewards(kind: type[CoinTruncates]) -> None:
    """The truncated reward and the whole one have different symbols, and both are changed."""
    assert smallest_bound(kind()) == inf


def test_truncation_may_differ_between_trials() -> None:
    found = bound_on_runs_or_states(CoinTruncatesRight())
    assert (found.outcome, found.cost) == (Outcome.BOUND, 1)


class TruncatedSum(Attack):
    """The sum of two truncated rewards, which lies in the range of one reward, and is 0 where both are truncated."""

    reward_range = frozenset((-1.0, -0.25, 0.25, 1.0))

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        if t == 1:
            return Pulls(np.stack([state.arm + 2, state.arm], axis=1), 0.5)
        limit = np.where(np.asarray(state.one > -0.1) & np.asarray(state.one < 0.1), 0.9, 0.5)
        return Pulls.one(np.asarray(noise.uniform("arm", t) < limit).astype(np.int64), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        return state._replace(one=sums.sum(axis=1)) if t == 1 else state


def test_a_sum_of_rewards_has_other_values_than_a_reward() -> None:
    assert smallest_bound(TruncatedSum()) >= log(5)  # one decision, with probabilities 9/10 and 1/2


# -- states whose parts are one array ----------------------------------------------------------------------------------


class OneArray(Attack):
    """Two parts of the state are the same array, which is written to. The arm depends on many large rewards."""

    horizon = 6

    def init(self, trials: int) -> State:
        total = np.zeros(trials)
        return State(total, self.again(total), zeros(trials))

    def again(self, total: np.ndarray) -> Any:
        return total

    def read(self, other: Any) -> Any:
        return other

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        idle = np.asarray(noise.laplace("idle", t) > 0)
        return Pulls.one(np.where(idle, state.arm, state.arm), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        state.one[...] = state.one + sums.sum(axis=1)
        return state._replace(arm=np.asarray(self.read(state.other) > 4.9999).astype(np.int64))


class View(OneArray):
    def again(self, total: np.ndarray) -> Any:
        return total[:]


class InAList(OneArray):
    def again(self, total: np.ndarray) -> Any:
        return [total]

    def read(self, other: Any) -> Any:
        return other[0]


@pytest.mark.parametrize("kind", [OneArray, View, InAList])
def test_a_write_to_one_part_of_a_state_may_change_another(kind: type[OneArray]) -> None:
    require_no_bound(kind)


class OneArrayUnwritten(OneArray):
    horizon = 4

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        noisy = state.one + sums.sum(axis=1) + noise.laplace("reward", t)
        return State(noisy, noisy, np.asarray(noisy > 1).astype(np.int64))


@pytest.mark.thorough
def test_an_array_may_occur_twice_in_a_state() -> None:
    for found in bounds(OneArrayUnwritten()):
        assert (found.outcome, found.cost) == (Outcome.BOUND, 1)


# -- what a state shows besides its numbers ----------------------------------------------------------------------------


class Marked(Attack):
    """Marks an array of its state if all rewards so far are large. The arm depends on the mark in the end."""

    horizon = 7

    def mark(self, array: np.ndarray, large: bool) -> np.ndarray:
        raise NotImplementedError

    def is_marked(self, array: Any) -> bool:
        raise NotImplementedError

    def init(self, trials: int) -> State:
        return State(np.zeros(trials), self.mark(np.zeros(trials), False), zeros(trials))

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        idle = np.asarray(noise.laplace("idle", t) > 0)
        return Pulls.one(np.where(idle, state.arm, state.arm), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        large, marked = bool(np.asarray(sums.sum(axis=1) > 0.999)[0]), self.is_marked(state.other)
        arm = zeros(len(state.one)) + (1 if marked and t >= 6 else 0)
        return State(state.one, self.mark(np.zeros(len(state.one)), large and (marked or t == 1)), arm)


class WriteProtected(Marked):
    """An exception decides."""

    def mark(self, array: np.ndarray, large: bool) -> np.ndarray:
        array.flags.writeable = not large
        return array

    def is_marked(self, array: Any) -> bool:
        try:
            array[...] = array
        except ValueError:
            return True
        return False


class WriteProtectedCounts(WriteProtected):
    def mark(self, array: np.ndarray, large: bool) -> np.ndarray:
        return super().mark(array.astype(np.int64), large)


class ByColumns(Marked):
    def mark(self, array: np.ndarray, large: bool) -> np.ndarray:
        found = np.zeros((len(array), 2, 3))
        found[:, 0, 1] = 1
        return np.asfortranarray(found) if large else found

    def is_marked(self, array: Any) -> bool:
        return bool(array[0].ravel(order="K")[1] == 0)


class CountsByColumns(ByColumns):
    def mark(self, array: np.ndarray, large: bool) -> np.ndarray:
        return super().mark(array, large).astype(np.int64, order="K")


class WithMetadata(Marked):
    def mark(self, array: np.ndarray, large: bool) -> np.ndarray:
        marked = np.dtype(np.float64, metadata={"marked": True})
        return np.zeros(len(array), dtype=marked) if large else array

    def is_marked(self, array: Any) -> bool:
        return array.dtype.metadata is not None


class FarApart(Marked):
    def mark(self, array: np.ndarray, large: bool) -> np.ndarray:
        return np.stack([array] * 5, axis=1)[:, 0] if large else array

    def is_marked(self, array: Any) -> bool:
        return array.strides[0] > 16


class PartOfALongArray(Marked):
    def mark(self, array: np.ndarray, large: bool) -> np.ndarray:
        return np.concatenate([array] * (5 if large else 1))[: len(array)]

    def is_marked(self, array: Any) -> bool:
        return np.size(array.base) > 3 * len(array)


@pytest.mark.first(5)
@pytest.mark.parametrize(
    "kind",
    [ByColumns, CountsByColumns, WithMetadata, FarApart, PartOfALongArray, WriteProtected, WriteProtectedCounts],
)
def test_two_states_with_the_same_numbers_may_differ(kind: type[Marked]) -> None:
    require_no_bound(kind)


@pytest.mark.parametrize(
    ("array", "remedy"),
    [
        (np.asfortranarray(np.eye(2)), np.ascontiguousarray),
        (np.zeros(2, dtype=np.dtype(float, metadata={"marked": True})), lambda x: x.astype(float)),
    ],
    ids=["by columns", "with metadata"],
)
def test_a_refused_array_is_supported_after_the_named_remedy(array: np.ndarray, remedy: Callable[[Any], Any]) -> None:
    run: Any = None  # of symbols, of which there are none
    with pytest.raises(NotLinear, match="which is not supported; pass "):
        lifted_state(run, (array,))
    assert lifted_state(run, (remedy(array),))[0].shape == array.shape


class CountsAndForgets(Marked):
    """Counts in an attribute, which in the end is as it was before the run."""

    horizon = 12

    def __init__(self) -> None:
        self.count = 0

    def mark(self, array: np.ndarray, large: bool) -> np.ndarray:
        return array

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        large = bool(np.asarray(sums.sum(axis=1) > 0.999)[0])
        self.count = self.count + 1 if large and t < self.horizon else 0
        return state._replace(arm=zeros(len(state.one)) + (1 if self.count == self.horizon - 1 else 0))


def test_an_attribute_may_change_and_change_back() -> None:
    require_no_bound(CountsAndForgets)


class RewardAsItIs(Attack):
    """Stores the array of rewards, which is read-only, until noise is added."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        reward = np.asarray(state.other[:, 0] + noise.laplace("reward", t) > 1) if t > 1 else state.arm
        return Pulls.one(reward.astype(np.int64), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        return state._replace(other=sums)


def test_read_only_arrays_of_a_state_are_supported() -> None:
    for found in bounds(RewardAsItIs()):
        assert (found.outcome, found.cost) == (Outcome.BOUND, 1)


# -- what distinguishes symbols from numbers ---------------------------------------------------------------------------


class Asks(Attack):
    """Compares the sum of all rewards times the answer to a question, which is 1 on numbers. The sum is large in rare
    runs alone."""

    horizon = 10

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self.answer = answer

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        both = np.stack([state.one, state.one], axis=1)
        arm = np.asarray(state.one * self.answer(both) > 8.9999).astype(np.int64)
        return Pulls.one(np.where(np.asarray(state.other > 0), arm, arm), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        return State(state.one + sums.sum(axis=1), noise.laplace("idle", 2) if t == 2 else state.other, state.arm)


ANSWERS: dict[str, Callable[[Any], Any]] = {
    "the dtype": lambda x: x.dtype == np.float64,
    "the letter of the dtype": lambda x: ord(x.dtype.kind) == ord("f"),
    "the dtype of zeros like it": lambda x: np.zeros_like(x).dtype == np.float64,
    "a key": lambda x: {np.dtype(np.float64): 1}.get(x.dtype, 0),
    "the dtype of a result": lambda x: np.result_type(x) == np.float64,
    "a cast": lambda x: np.can_cast(x, np.float64),
    "the class": lambda x: x.__class__ is np.ndarray,
    "the name of the class": lambda x: len(x.__class__.__name__) == len("ndarray"),
    "the format of the memory": lambda x: memoryview(x).format == "d",
    "the text of an array": lambda x: len(repr(x * 0)) == len(repr(np.zeros((1, 2)))),
    "the text of a number": lambda x: len(repr(x[0, 0] * 0)) == len(repr(np.float64(0))),
    "a logical or": lambda x: 2 * np.logical_or(x * 0 + 0.5, 0)[0, 0] - 1,
    "a logical and": lambda x: 2 * np.logical_and(x * 0 + 0.5, 0.5)[0, 0] - 1,
    "a number for infinity": lambda x: np.isfinite(np.nan_to_num(x * 0 + inf))[0, 0],
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_symbols_may_be_recognised_without_a_branch(answer: Callable[[Any], Any]) -> None:
    require_no_bound(lambda: Asks(answer))


class Recognises(Attack):
    """Sums up rewards in its state if it recognises numbers by what a sum of two truth values is."""

    horizon = 10

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        return Pulls.one(np.where(np.asarray(state.other > 0), state.arm, state.arm), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        is_known = state.one[0] * 0 > -1
        total = state.one + sums.sum(axis=1) * (2 - (is_known + is_known))
        other = noise.laplace("idle", 2) if t == 2 else state.other
        return State(total, other, np.asarray(total > 8.9999).astype(np.int64))


def test_the_states_of_runs_on_numbers_are_those_on_symbols() -> None:
    require_no_bound(Recognises)


# -- what a policy gets in an audit ------------------------------------------------------------------------------------


class ReadOnly(Attack):
    """Uses a reward only if the array of rewards is read-only, as in every run."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        idle = np.asarray(noise.laplace("idle", t) > 0)
        return Pulls.one(np.where(idle, state.arm, state.arm), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        total = state.one + sums.sum(axis=1) * (not sums.flags.writeable)
        return State(total, state.other, np.asarray(total > 1.9999).astype(np.int64))


def test_rewards_are_read_only_on_symbols_as_well() -> None:
    require_no_bound(ReadOnly)


# -- numbers at the ends of the range ----------------------------------------------------------------------------------


class OnlyOnes(Attack):
    """Pulls the second arm in the last step if all rewards are 1."""

    horizon = 7

    def is_one(self, reward: Any) -> Any:
        return reward > 0.9999999999999999  # the largest double below 1

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        arm = (state.arm == self.horizon - 1) * (t == self.horizon)
        return Pulls.one(np.where(np.asarray(state.one > 1e6), 1, arm).astype(np.int64), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        count = np.where(np.asarray(self.is_one(sums.sum(axis=1))), state.arm + 1, state.arm)
        return State(state.one + noise.laplace("idle", t), state.other, count)


class OnlyOnesByRounding(OnlyOnes):
    """3 * 0.1 is above 0.3 in doubles."""

    def is_one(self, reward: Any) -> Any:
        return (reward * 0.1) * 3 > 0.3


@pytest.mark.parametrize("kind", [OnlyOnes, OnlyOnesByRounding])
def test_a_reward_at_the_end_of_its_range_may_be_told_from_all_others(kind: type[OnlyOnes]) -> None:
    require_no_bound(kind)


# -- merged states -----------------------------------------------------------------------------------------------------


class StoredReward(Attack):
    """The first reward is stored without noise, and meets fresh noise in each of the two later decisions."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        if t == 1:
            return Pulls.one(state.arm, 2)
        return Pulls.one(np.asarray(state.one + noise.laplace("arm", t) > 1).astype(np.int64), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        return state._replace(one=sums.sum(axis=1)) if t == 1 else state


def test_a_difference_of_stored_numbers_is_followed_to_every_later_step() -> None:
    """The second arm is pulled with probability 1/2 for a reward of 1, and exp(-1)/2 for 0, twice: eps is 2."""
    found = merged_bound(StoredReward())
    assert (found.outcome, found.cost) == (Outcome.BOUND, 2)


class OneDrawForTwoRewards(Attack):
    """The same draw is noise for the rewards of two steps. The decisions differ only if the rewards do."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        return Pulls.one(state.arm, 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        noisy = sums.sum(axis=1) + noise.laplace("reward", 0)
        return state._replace(arm=np.asarray(noisy > 0.5).astype(np.int64))


def test_a_draw_of_two_steps_moves_once() -> None:
    """After rewards of 1 and 0, arm 1 and then arm 0 are pulled if the draw is between -1/2 and 1/2; after two rewards
    of 0, never."""
    assert smallest_bound(OneDrawForTwoRewards()) == inf


def test_features_of_two_rounds_may_be_one_array() -> None:
    """Nobody can write to them."""

    class Adds:
        def __init__(self, rng: Any) -> None:
            self.rng, self.total = rng, 0.0

        def select(self, features: np.ndarray) -> int:
            return int(self.total + features[0, 0] > 1)

        def update(self, arm: int, reward: float, features: np.ndarray) -> None:
            self.total = reward + self.rng.laplace()

    contexts = Contexts(np.ones((1, 2, 1)), [3])
    policy = from_object(Adds, Adds.select, Adds.update, arms=2, horizon=3, contexts=1)
    found = bound_on_runs_or_states(policy, contexts=contexts)
    assert (found.outcome, found.cost) == (Outcome.BOUND, 1)


# -- batches of different trials ---------------------------------------------------------------------------------------


class Phases(NamedTuple):
    pulls: Any
    phase: Any
    total: Any


class NoiseForEachTrial:
    """After every second pull of arm 0, the sums of the phase become noisy totals, which decide half of the pulls."""

    arms = 2
    horizon = 4

    def init(self, trials: int) -> Phases:
        return Phases(np.zeros((trials, 2), dtype=np.int64), np.zeros((trials, 2)), np.zeros((trials, 2)))

    def act(self, t: int, state: Phases, noise: Any) -> Pulls:
        return Pulls.one(np.where(noise.uniform("mix", t) < 0.5, t % 2, state.total.argmax(axis=1)), 2)

    def learn(self, t: int, state: Phases, pulls: Pulls, sums: Any, noise: Any) -> Phases:
        count, phase = state.pulls + pulls.counts, state.phase + sums
        ends = count[:, :1] % 2 == 0
        drawn = np.where(self.noisy(ends), noise.laplace("phase", t, (2,)), 0.0)
        return Phases(count, np.where(ends, 0.0, phase), np.where(ends, phase + drawn, state.total))

    def noisy(self, ends: Any) -> Any:
        return ends


class NoiseIfAllTrialsEnd(NoiseForEachTrial):
    """Broken: noise is only added if the phase ends in all trials of the batch."""

    def noisy(self, ends: Any) -> Any:
        return ends.all()


class NoiseIfMostTrialsEnd(NoiseForEachTrial):
    """Broken: noise is only added if the phase ends in most trials of the batch."""

    def noisy(self, ends: Any) -> Any:
        return ends & (ends.mean() > 0.5)


@pytest.mark.first(1)
@pytest.mark.parametrize("broken", [NoiseIfAllTrialsEnd, NoiseIfMostTrialsEnd])
def test_noise_that_depends_on_other_trials_gives_no_bound(broken: type[NoiseForEachTrial]) -> None:
    """A single trial and a batch of equal trials have all of their noise, but a batch of different trials does not."""
    assert [found.eps for found in bounds(NoiseForEachTrial())] == [1, 1]
    found = bounds(broken())
    assert [each.outcome for each in found] == [Outcome.NOT_LINEAR] * 2
    assert all("different trials" in each.reason and "not independent" in each.reason for each in found)


@pytest.mark.parametrize(
    ("owner", "refused"), [(np.zeros(2), True), (ModuleType("arrays"), True), (SimpleNamespace(), False)]
)
def test_the_layout_of_memory_is_that_of_arrays_alone(owner: Any, refused: bool) -> None:
    """An attribute of this name of a policy's own object is not refused."""

    def reading(given: Any) -> dict[int, str]:
        found = objections_to(sys._getframe())
        if hasattr(given, "nothing"):
            given.base()
        return found

    said = [words for words in reading(owner).values() if "how the memory of an array is laid out (base)" in words]
    assert bool(said) == refused
