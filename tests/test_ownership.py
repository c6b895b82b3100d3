"""Nobody's buffers are shared: a policy that writes to its arrays, or to what it was handed, hides no leak."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from dpbandits import QUICK, Played, Pulls, Seeded, Table, Verdict, flipped, play
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.play.transcripts import transcripts_of_arms
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.scores.distinguishers import log_likelihood_ratio
from dpbandits.audit.privacy.scores.samples import scores_of_many
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts
from dpbandits.reference.bandits.passing import checked_pulls, checked_sums, copy_state, read_only_state, state_rows
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.papers.ou24 import ThompsonSampling

RUN = Run(replace(QUICK, trials=4_000, steps=50_000, pair_tries=2), seed=0, level=1e-6)
LEMMA_3 = ledger().by_id["ou24/lemma-3"]
TABLE = Table(np.array([[1.0, 0.0, 1.0], [0.5, 0.25, 0.0]]))


class Memory(NamedTuple):
    last: Any  # (trials,): the last reward


@dataclass(frozen=True)
class Leaky:
    """Step 2 pulls arm 1 if step 1 paid anything; the other steps are coin flips."""

    arms: int = 2
    horizon: int = 3

    def init(self, trials: int) -> Any:
        return Memory(np.zeros(trials))

    def choice(self, t: int, state: Any, noise: Any) -> Pulls:
        coin = noise.uniform("coin", t) < 0.5
        return Pulls.one(np.where(t == 2, state.last > 0, coin).astype(int), 2)

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        return self.choice(t, state, noise)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return Memory(sums.sum(axis=1))


@dataclass(frozen=True)
class ReusedBuffer(Leaky):
    """One preallocated array for the pulls of every step."""

    buffers: dict[int, Any] = field(default_factory=dict)

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        buffer = self.buffers.setdefault(len(state.last), np.zeros((len(state.last), 2), dtype=np.int64))
        buffer[...] = self.choice(t, state, noise).counts
        return Pulls(buffer)


@dataclass(frozen=True)
class LentBuffer(ReusedBuffer):
    """The same array, lent read-only: whoever owns it can write to it again."""

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        counts = self.choice(t, state, noise).counts
        buffer = self.buffers.setdefault(len(counts), np.zeros((len(counts), 2), dtype=np.int64))
        buffer.flags.writeable = True
        buffer[...] = counts
        buffer.flags.writeable = False
        return Pulls(buffer)


class Longer(NamedTuple):
    last: Any
    counts: Any  # (trials, arms): what is about to be pulled


@dataclass(frozen=True)
class ViewOfState(Leaky):
    """The pulls are a view of the state, and learn writes coin flips over them."""

    def init(self, trials: int) -> Any:
        return Longer(np.zeros(trials), np.zeros((trials, 2), dtype=np.int64))

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        state.counts[...] = self.choice(t, state, noise).counts
        return Pulls(state.counts[:, :])

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        state.last[...] = sums.sum(axis=1)
        state.counts[...] = Pulls.one((noise.uniform("cover", t) < 0.5).astype(int), 2).counts
        return state


LEAKS = [Leaky(), ReusedBuffer(), LentBuffer(), ViewOfState()]


@pytest.mark.parametrize("policy", LEAKS, ids=lambda policy: type(policy).__name__)
@pytest.mark.thorough
def test_a_leak_is_seen_whatever_the_policy_does_to_its_arrays_afterwards(policy):
    assert judge_private(LEMMA_3, RUN, policy).verdict == Verdict.REFUTED


@dataclass(frozen=True)
class Writes(Leaky):
    """Writes to what it was handed: "pulls" or "sums"."""

    what: str = "pulls"

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        if self.what == "pulls":
            pulls.counts[...] = Pulls.one(np.zeros(len(sums), dtype=int), 2).counts
        else:
            sums *= 0
        return Memory(sums.sum(axis=1))


@pytest.mark.parametrize("what", ["pulls", "sums"])
def test_nobody_can_write_to_what_was_released_or_paid(what):
    with pytest.raises(ValueError, match="read-only"):
        judge_private(LEMMA_3, RUN, Writes(what=what))


@pytest.mark.parametrize("left", [1, 2])  # at the horizon a block is cut
def test_pulls_that_are_cut_are_read_only_as_well(left):
    @dataclass(frozen=True)
    class Block(Writes):
        horizon: int = left

        def choice(self, t: int, state: Any, noise: Any) -> Pulls:
            return Pulls(np.full((len(state.last), 2), 3))

    with pytest.raises(ValueError, match="read-only"):
        play(Block(), TABLE, Seeded(0, 4), 4)


def test_an_environment_that_reuses_its_array_pays_every_step():
    class Reusing:
        arms = 2

        def __init__(self) -> None:
            self.paid = np.zeros((3, 2))

        def draw(self, t: int, made: Any, counts: Any, bound: Any, noise: Any) -> Any:
            self.paid[...] = t * counts
            return self.paid

    class Keeps(Leaky):
        def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
            seen.append(sums)
            return state

    seen: list[Any] = []
    played: Played = play(Keeps(), Reusing(), Seeded(0, 3), 3)
    assert np.array_equal(played.sums, sum(seen))
    assert np.array_equal(played.sums, np.einsum("itj,t->ij", played.released, [1, 2, 3]))


# -- policies with a law: the harness holds several states of one policy --------------------------------------------


@dataclass(frozen=True)
class Sharing(ThompsonSampling):
    """Thompson sampling that keeps one array of every size for its states, and one for its laws."""

    shelf: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def kept(self, name: str, values: Any) -> Any:
        array = self.shelf.setdefault((name, values.shape), np.zeros(values.shape, values.dtype))
        array[...] = values
        return array

    def init(self, trials: int) -> Any:
        return type(super().init(trials))(*(self.kept("state", part) for part in super().init(trials)))

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        grown = super().learn(t, state, pulls, sums, noise)
        return type(grown)(self.kept("pulls", grown.pulls), self.kept("total", grown.total))

    def law(self, t: int, state: Any) -> Any:
        law = super().law(t, state)
        return law._replace(chance=self.kept("law", law.chance))

    def posterior(self, t: int, state: Any) -> Any:
        return tuple(self.kept(f"posterior {k}", part) for k, part in enumerate(super().posterior(t, state)))


@dataclass(frozen=True)
class InPlace(ThompsonSampling):
    """Thompson sampling whose learn writes to the old state and returns it."""

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        state.pulls[...] += pulls.counts
        state.total[...] += sums
        return state


PAIRS = [flipped(relation, [[0.5, 1.0, 0.0, 0.25], [1.0, 0.0, 0.5, 1.0]], 0, 0, 0.0) for relation in ("pull", "round")]


@pytest.mark.parametrize("kind", [Sharing, InPlace])
def test_states_of_the_two_sides_are_kept_apart(kind):
    right, own = ThompsonSampling(2, 4), kind(2, 4)
    for pair in PAIRS:
        assert all(
            np.array_equal(a, b)
            for a, b in zip(enumerate_transcripts(own, pair), enumerate_transcripts(right, pair), strict=True)
        )
        arms = transcripts_of_arms(enumerate_transcripts(right, pair).arms, 2)
        assert log_likelihood_ratio(right, pair, arms).any()
        assert np.array_equal(log_likelihood_ratio(own, pair, arms), log_likelihood_ratio(right, pair, arms))
        scores = [scores_of_many(policy, [pair], 1, 50, seed=3) for policy in (own, right)]
        assert scores[1].any()
        assert np.array_equal(*scores)
    found = [exact_profile(policy, PAIRS[0]).delta(0.5) for policy in (own, right)]
    assert found[1][0] > 0
    assert np.array_equal(*found)


def test_a_law_that_writes_to_the_state_is_told_so():
    class Scribbler(ThompsonSampling):
        def law(self, t: int, state: Any) -> Any:
            state.total[...] = 0
            return super().law(t, state)

    with pytest.raises(ValueError, match="read-only"):
        exact_profile(Scribbler(2, 4), PAIRS[0])


def test_a_copy_of_a_state_is_deep():
    inner = Memory(np.zeros(2))
    state = (inner, [np.zeros(1)], np.ones(2))
    copied = copy_state(state)
    inner.last[0], state[1][0][0], state[2][0] = 7, 7, 7
    assert isinstance(copied[0], Memory)
    assert [copied[0].last.tolist(), copied[1][0].tolist(), copied[2].tolist()] == [[0, 0], [0], [1, 1]]


@pytest.mark.parametrize("index", [np.array([0]), np.array([True, False]), np.s_[:1]], ids=str)
def test_a_state_without_rows_is_told_so(index):
    for state in ({"pulls": np.zeros(2)}, (np.zeros(2), None), ([1, 2],) if isinstance(index, np.ndarray) else 1):
        with pytest.raises(
            TypeError, match=r"the state contains an object of type (dict|NoneType|list|int); .* a NamedTuple"
        ):
            state_rows(state, index)
    assert state_rows((np.array([3, 4]),), index)[0].tolist() == [3]


def test_a_question_sees_any_state_as_it_stands_and_its_arrays_read_only():
    state = (Memory(np.zeros(2)), [1, 2], np.ones(2), None, 7)
    seen = read_only_state(state)
    assert isinstance(seen[0], Memory)
    assert all(one is other for one, other in zip((*seen[1:2], *seen[3:]), (*state[1:2], *state[3:]), strict=True))
    assert not seen[2].flags.writeable
    assert state[2].flags.writeable
    assert read_only_state(None) is None
    assert read_only_state(history := [0, 1]) is history


def test_what_somebody_can_still_write_to_is_copied_and_the_copy_is_read_only():
    own = np.eye(2, dtype=np.int64)
    view = own.view()
    view.flags.writeable = False
    lent = own.copy()
    lent.flags.writeable = False  # and its owner may set the flag again
    for counts in (own, view, own[:, :], own.astype(np.int32), lent):
        kept = checked_pulls(1, Pulls(counts), (2, 2)).counts
        assert not np.shares_memory(kept, counts)
        with pytest.raises(ValueError, match="read-only"):
            kept[0] = 7
    paid = checked_sums(1, own.astype(float), (2, 2))
    with pytest.raises(ValueError, match="read-only"):
        paid[0] = 7


def test_a_copy_of_a_state_keeps_what_occurs_twice() -> None:
    """A policy that writes to one of the places writes to all of them."""
    total = np.zeros(2)
    first, (second, kept) = copy_state((total, (total, [total])))
    assert first is second is kept[0]
    assert first is not total
